"""Arrays on disks: files and striped sets, unpacking of inputs, outputs that several ranks fill."""

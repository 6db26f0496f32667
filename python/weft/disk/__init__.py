"""Arrays on disks: files and striped sets, unpacking of inputs, and outputs that several ranks fill."""

"""The commands below `weft ooc`."""

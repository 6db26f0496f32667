"""The commands of `weft dns`."""

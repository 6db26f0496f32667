"""The command `weft bench`, its methods and its peers."""

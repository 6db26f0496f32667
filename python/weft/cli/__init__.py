"""The command `weft`: `weft --help` lists what it does."""

from weft.cli.app import main

__all__ = ["main"]

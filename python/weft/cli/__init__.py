"""The command line `weft`; `weft --help` lists its commands."""

from weft.cli.app import main

__all__ = ["main"]

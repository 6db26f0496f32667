"""The command `weft`; `weft --help` lists its subcommands."""

from weft.cli.app import main

__all__ = ["main"]

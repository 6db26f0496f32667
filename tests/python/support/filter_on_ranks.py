"""Runs `weft filter` on ranks of the pool."""

from __future__ import annotations

import contextlib
import io
import json
import os
from typing import Any
from unittest import mock

import typer
import weft
from weft.cli.app import app
from weft.cli.support.session import Session


def filtered(comm: Any, folder: str, commands: list[list[str]]) -> list[str]:
    """Runs commands in a folder; returns the error of each, or an empty text."""
    session = Session(comm)

    def start(context: Any, work: Any, *rest: Any) -> int:
        return int(work(session))

    command = typer.main.get_command(app)
    errors = []
    with mock.patch("weft.cli.commands.transforms.start", start), contextlib.chdir(folder):
        for words in commands:
            try:
                with open(os.devnull, "w") as nowhere, contextlib.redirect_stdout(nowhere):
                    command(["filter", *words], prog_name="weft", standalone_mode=False)
                errors.append("")
            except weft.WeftError as error:
                errors.append(f"{type(error).__name__}: {error}")
    return errors


def mean_removed(comm: Any, folder: str, words: list[str]) -> Any:
    """Returns the mean that a command with --json reports; None on other ranks than the first."""
    printed = io.StringIO()
    command = typer.main.get_command(app)
    with (
        mock.patch("weft.cli.commands.transforms.start", lambda context, work, *rest: work(Session(comm))),
        contextlib.chdir(folder),
        contextlib.redirect_stdout(printed),
    ):
        command(["filter", *words], prog_name="weft", standalone_mode=False)
    return json.loads(printed.getvalue())["mean_removed"] if comm.rank == 0 else None

from __future__ import annotations

import itertools
import os
from pathlib import Path

import pytest
import weft
from weft.files.seen import look, look_at, require_unchanged


def test_a_folder_with_many_links_is_looked_at_once(tmp_path: Path) -> None:
    """There are 2^40 paths from the first folder to the last one."""
    folders = [tmp_path / str(number) for number in range(41)]
    for folder in folders:
        folder.mkdir()
    for folder, following in itertools.pairwise(folders):
        (folder / "left").symlink_to(following)
        (folder / "right").symlink_to(following)
    (folders[-1] / "back").symlink_to(folders[0])
    (folders[-1] / "data").write_bytes(b"x")
    before = look(str(folders[0]))
    (folders[-1] / "data").write_bytes(b"xy")
    assert look(str(folders[0])) != before


def test_a_changed_file_behind_a_link_is_named(tmp_path: Path) -> None:
    (tmp_path / "store").mkdir()
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "store" / "chunks").symlink_to(tmp_path / "elsewhere")
    (tmp_path / "elsewhere" / "0").write_bytes(b"x")
    store = str(tmp_path / "store")
    seen = look_at([store])
    require_unchanged(seen, store)
    os.remove(tmp_path / "elsewhere" / "0")
    with pytest.raises(weft.IoFailure, match=r"unchanged, until all is read.*it has changed since"):
        require_unchanged(seen, store)


def test_a_link_that_leads_to_another_known_folder_is_a_change(tmp_path: Path) -> None:
    store = tmp_path / "store"
    for name in ("a", "b"):
        (store / name).mkdir(parents=True)
        (store / name / "0").write_bytes(name.encode())
    (store / "link").symlink_to(store / "a")
    before = look(str(store))
    (store / "link").unlink()
    (store / "link").symlink_to(store / "b")
    assert look(str(store)) != before

"""A plan that runs again in another process gives the same bits, or has a note that they may differ."""

from __future__ import annotations

import json
import platform
import subprocess
import sys
from pathlib import Path
from typing import Any

import bits_of_plans
import pytest
import seeds
import weft
from cli_helpers import LIMIT_S, clean_environment

# The line has twiddles: it exceeds the cache, and is transformed as two axes.
SHAPES = ([24, 20, 18], [2**19])
DTYPES = {"c2c": ("complex64", "complex128"), "r2c": ("float32", "float64")}


def results(cases: list[dict[str, Any]], folder: Path, **environment: str) -> list[dict[str, Any]]:
    """Runs the cases in a process that has no trials of earlier processes."""
    folder.mkdir()
    done = subprocess.run(
        [sys.executable, bits_of_plans.__file__],
        env={**clean_environment(), "XDG_CACHE_HOME": str(folder), **environment},
        input=json.dumps(cases),
        capture_output=True,
        text=True,
        timeout=LIMIT_S,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found: list[dict[str, Any]] = json.loads(done.stdout)
    return found


@pytest.mark.parametrize("offset", [0, 16])
def test_a_plan_gives_the_same_bits_in_another_process(tmp_path: Path, offset: int) -> None:
    data = {"seed": seeds.seed(), "offset": offset}
    cases = [
        {"shape": shape, "kind": kind, "dtype": dtype, "engine": "auto", **data}
        for shape in SHAPES
        for kind, dtypes in DTYPES.items()
        for dtype in dtypes
    ]
    first = results(cases, tmp_path / "first")
    again = results([{"plan": each["plan"], **data} for each in first], tmp_path / "again")
    for case, one, other in zip(cases, first, again, strict=True):
        assert other == one, case
    assert len({each["forward"] for each in first}) == len({each["backward"] for each in first}) == 8
    assert not (tmp_path / "again/weft").exists(), "a plan with engines needs no trials"


@pytest.mark.parametrize("engine", list(weft.build_info()["engines"]))
def test_other_instructions_are_noted(tmp_path: Path, engine: str) -> None:
    """FFTW does not follow WEFT_ISA, but weft's products of FFTW's lines with twiddles do."""
    data = {"seed": seeds.seed(), "offset": 0}
    case = {"shape": [2**19], "kind": "c2c", "dtype": "complex128", "engine": engine, **data}
    (wide,) = results([case], tmp_path / "wide")
    engines = {each["name"]: each["library"] for each in json.loads(wide["plan"])["engines"]}
    assert list(engines) == [engine, "weft"]
    if platform.machine() != "x86_64" or "(SSE2)" in engines["weft"]:
        pytest.skip("this processor or build has one instruction set")
    (narrow,) = results([{"plan": wide["plan"], **data}], tmp_path / "narrow", WEFT_ISA="v1")
    assert (narrow["forward"], narrow["backward"]) != (wide["forward"], wide["backward"])
    changed = [engine, "weft"] if engine == "ducc0" else ["weft"]
    assert len(narrow["notes"]) == len(changed)
    for name, note in zip(changed, narrow["notes"], strict=True):
        assert note.startswith(f"the plan was made with {engines[name]}; here it runs with "), note
        assert "x86-64 (SSE2)" in note and note.endswith("so results may differ by rounding"), note

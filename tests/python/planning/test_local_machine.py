"""The local machine: measured in a moment and kept for the user."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import seeds
import weft as weft_package
from cli_helpers import assert_done, run, weft

LOCAL = weft_package.Planning(machine="local")


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path / "weft"


def files(cache: Path) -> list[Path]:
    """Returns the measured machines. Trials of local FFTs have files of their own."""
    return sorted(cache.glob("local-machine-*"))


def test_the_machine_is_measured_once(cache: Path) -> None:
    first = weft_package.local_machine()
    assert first.name == "local"
    assert weft_package.Machine.from_json(first.to_json()) == first
    (file,) = files(cache)
    changed = json.loads(file.read_text()) | {"source": "found in the cache"}
    file.write_text(json.dumps(changed))
    assert json.loads(weft_package.local_machine().to_json())["source"] == "found in the cache"
    weft_package.local_machine(threads=2)
    assert len(files(cache)) == 2


@pytest.mark.parametrize("damage", ["", "{", '{"weft_machine": 99}', "\0"])
def test_a_damaged_measurement_is_replaced(cache: Path, damage: str) -> None:
    weft_package.local_machine()
    (file,) = files(cache)
    file.write_text(damage)
    assert weft_package.local_machine().name == "local"
    assert json.loads(file.read_text())["name"] == "local"


def test_a_folder_that_cannot_be_written_is_a_warning(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    lines = "print(weft.local_machine().name)"
    program = f"import weft; {lines}; {lines}"
    done = run([sys.executable, "-c", program], tmp_path, XDG_CACHE_HOME=str(tmp_path / "file"))
    assert (done.status, done.out) == (0, "local\nlocal\n")
    assert done.err.startswith("weft: warning: ")
    assert "each run measures again; set XDG_CACHE_HOME" in done.err
    assert done.err.count("\n") == 1


def test_a_transform_plans_by_it(cache: Path) -> None:
    fft = weft_package.FFT((12, 10), kind="r2c", planning=LOCAL)
    assert fft.plan.chosen_by == "model"
    assert fft.plan.prediction is not None
    assert fft.plan.prediction.machine == "local"
    x = np.random.default_rng(seeds.seed(2)).standard_normal((12, 10))
    np.testing.assert_allclose(fft.forward(x), np.fft.rfftn(x), atol=1e-12)
    assert weft_package.plan((12, 10), kind="r2c", machine="local").stages == fft.plan.stages
    with pytest.raises(weft_package.InvalidArgument, match="4 ranks of 1 threads; run such a transform"):
        weft_package.plan((12, 10), machine="local", ranks=4)


@pytest.mark.parametrize("ranks", [2, 3])
def test_ranks_measure_together(cache: Path, ranks: int, tmp_path: Path) -> None:
    common = ("bench", "32x32x32", "-n", str(ranks), "--machine", "local", "--effort", "estimate", "--json")
    plans = []
    for _ in range(2):
        outcome = weft(*common, cwd=tmp_path)
        assert_done(outcome)
        plans.append(json.loads(outcome.out)["plan"])
    assert plans[0] == plans[1]
    assert plans[0]["prediction"]["machine"] == "local"
    assert len(files(cache)) == 1


def test_a_local_machine_needs_ranks(tmp_path: Path) -> None:
    outcome = weft("project", "64x64x64", "--machine", "local", cwd=tmp_path)
    assert (outcome.status, outcome.out) == (2, "")
    assert "the machine of running ranks" in outcome.err


def test_threads_that_cannot_be_are_refused() -> None:
    for threads in (0, "two", True):
        with pytest.raises(weft_package.InvalidArgument, match="threads"):
            weft_package.FFT((4, 4), planning=LOCAL, threads=threads)  # type: ignore[arg-type]


def test_threads_may_be_a_number_of_numpys(cache: Path) -> None:
    one: Any = np.int64(1)
    assert weft_package.FFT((4, 4), planning=LOCAL, threads=one).plan.chosen_by == "model"

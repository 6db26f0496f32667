"""Runs that resume where the engine or the instructions of the checkpoint are missing."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import weft

pytestmark = pytest.mark.skipif(
    not weft.running_available(), reason="simulations need weft's extension module over MPI"
)

BEGIN = """
import sys, numpy as np, weft.dns as dns
sim = dns.Simulation((16, 12, 10), viscosity=0.02)
sim.set_random_velocity(lambda k: k**2 * np.exp(-k), seed=3)
for _ in range(3):
    sim.step(0.02)
sim.checkpoint(sys.argv[1])
"""
RESUME = """
import sys, numpy as np, weft.dns as dns
sim = dns.resume(sys.argv[1], warn=print)
for _ in range(20):
    sim.step(0.02)
np.save(sys.argv[2], [sim.in_space(spectrum) for spectrum in sim.spectra])
"""


def run(program: str, *arguments: str, **environment: str) -> list[str]:
    """Runs a program in a separate process, which loads its own engines; returns the lines of its output."""
    done = subprocess.run(
        [sys.executable, "-c", program, *arguments],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), **environment},
        capture_output=True,
        text=True,
    )
    if "WEFT_ISA must be at most" in done.stderr:
        pytest.skip("this processor lacks the instructions")
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


@pytest.mark.parametrize(
    ("begun", "resumed", "words"),
    [
        ({}, {"WEFT_FFTW_LIBRARY": "none"}, "the plan of the checkpoint cannot be used"),
        ({"WEFT_ISA": "v1"}, {"WEFT_ISA": "v3"}, "the run used the instructions v1; here they are v3"),
        ({"WEFT_ISA": "v3"}, {"WEFT_ISA": "v1"}, "the run used the instructions v3; here they are v1"),
    ],
    ids=["engine", "wider", "narrower"],
)
def test_a_run_resumes_where_its_engine_or_instructions_are_missing(
    tmp_path: Path, begun: dict[str, str], resumed: dict[str, str], words: str
) -> None:
    fixed = {"WEFT_MACHINE": "fixed-rule"}
    kept = str(tmp_path / "kept")
    assert run(BEGIN, kept, **fixed, **begun) == []
    engines = json.loads(weft.FFT((16, 12, 10), planning=weft.Planning(machine="fixed-rule")).plan.to_json())["engines"]
    if "WEFT_FFTW_LIBRARY" in resumed and [each["name"] for each in engines] != ["fftw"]:
        pytest.skip("there is no FFTW")
    assert run(RESUME, kept, str(tmp_path / "same.npy"), **fixed, **begun) == []
    said = run(RESUME, kept, str(tmp_path / "other.npy"), **fixed, **resumed)
    assert [words in line for line in said].count(True) == 1
    assert all("at most 1e-12 of the largest velocity after 20 steps" in line for line in said)
    same, other = np.load(tmp_path / "same.npy"), np.load(tmp_path / "other.npy")
    assert 0 < np.abs(other - same).max() <= 1e-12 * np.abs(same).max()

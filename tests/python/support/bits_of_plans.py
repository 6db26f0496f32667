"""Runs transforms in a separate process: reads cases as JSON, writes plans and hashes of the results."""

from __future__ import annotations

import hashlib
import json
import sys
from typing import Any

import numpy as np
import weft


def transform_of(case: dict[str, Any]) -> weft.FFT:
    """Runs the plan of the case, or makes one with trials of engines."""
    if "plan" in case:
        return weft.FFT.of_plan(weft.Plan.from_json(case["plan"]))
    planning = weft.Planning(machine="vm-2-cores")
    return weft.FFT(case["shape"], kind=case["kind"], dtype=case["dtype"], engine=case["engine"], planning=planning)


def placed(values: np.ndarray[Any, Any], offset: int) -> np.ndarray[Any, Any]:
    """Returns a copy that starts `offset` bytes after a multiple of 64, because FFTW's plan depends on this offset."""
    memory = np.empty(values.nbytes + 128, np.uint8)
    start = -memory.ctypes.data % 64 + offset
    copy = memory[start : start + values.nbytes].view(values.dtype).reshape(values.shape)
    copy[...] = values
    return copy


def hash_of(array: np.ndarray[Any, Any]) -> str:
    return hashlib.sha256(array.tobytes()).hexdigest()


def result_of(case: dict[str, Any]) -> dict[str, Any]:
    fft = transform_of(case)
    rng = np.random.default_rng(case["seed"])
    x = rng.standard_normal(fft.input.shape).astype(fft.input.dtype)
    if x.dtype.kind == "c":
        x.imag = rng.standard_normal(x.shape)
    spectrum = fft.forward(placed(x, case["offset"]))
    return {
        "plan": fft.plan.to_json(),
        "notes": list(fft.plan.notes),
        "forward": hash_of(spectrum),
        "backward": hash_of(fft.backward(placed(spectrum, case["offset"]))),
    }


if __name__ == "__main__":
    json.dump([result_of(case) for case in json.load(sys.stdin)], sys.stdout)

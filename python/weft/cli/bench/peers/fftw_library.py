"""FFTW's shared libraries through ctypes, for the peers of `weft bench`."""

import ctypes
import ctypes.util
import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from weft.cli.bench.contest import NotRun

MEASURE = 0
DESTROY_INPUT = 1 << 0
PRESERVE_INPUT = 1 << 4
FORWARD = -1
# fftw_r2r_kind
R2R_KINDS = {"dct1": 3, "dct3": 4, "dct2": 5, "dct4": 6, "dst1": 7, "dst3": 8, "dst2": 9, "dst4": 10}

_SUFFIXES = {"f32": "f", "f64": "", "f80": "l"}


class Fftw:
    """One precision of FFTW with one of its extensions, `mpi` or `threads`."""

    def __init__(self, precision: str, extension: str):
        suffix = _SUFFIXES[precision]
        self._prefix = f"fftw{suffix}_"
        self._core = _load(f"fftw3{suffix}")
        try:
            self._threads: ctypes.CDLL | None = _load(f"fftw3{suffix}_threads")
        except NotRun:
            if extension == "threads":
                raise
            self._threads = None
        self._extension = _load(f"fftw3{suffix}_{extension}") if extension == "mpi" else self._threads

    def __call__(self, name: str, result: Any, *arguments: Any) -> Any:
        """Calls a function of the core by its name without prefix."""
        return self._call(self._core, name, result, arguments)

    def extended(self, name: str, result: Any, *arguments: Any) -> Any:
        """Calls a function of the extension."""
        return self._call(self._extension, name, result, arguments)

    def _call(self, library: Any, name: str, result: Any, arguments: tuple) -> Any:
        function = getattr(library, self._prefix + name)
        function.restype = result
        return function(*arguments)

    def use_threads(self, threads: int) -> None:
        """Sets the number of threads of later plans."""
        if self._threads is None:
            if threads > 1:
                raise NotRun("FFTW's threads are not installed (Debian: libfftw3-double3)")
            return
        self._call(self._threads, "init_threads", ctypes.c_int, ())
        self._call(self._threads, "plan_with_nthreads", None, (ctypes.c_int(threads),))

    def version(self) -> str:
        """Returns version and instruction sets, such as 3.3.10-sse2-avx."""
        text = (ctypes.c_char * 80).in_dll(self._core, self._prefix + "version").value.decode()
        return text.removeprefix("fftw-")

    def execute(self, plan: int) -> None:
        self("execute", None, ctypes.c_void_p(plan))

    def destroy(self, plan: int) -> None:
        self("destroy_plan", None, ctypes.c_void_p(plan))

    def empty(self, count: int, dtype: np.dtype) -> "Buffer":
        return Buffer(self, count, dtype)


def r2r_kinds(kinds: Sequence[str]) -> Any:
    """Returns an array of fftw_r2r_kind."""
    return (ctypes.c_int * len(kinds))(*(R2R_KINDS[kind] for kind in kinds))


class Buffer:
    """Memory with the alignment that FFTW needs."""

    def __init__(self, fftw: Fftw, count: int, dtype: np.dtype):
        self._fftw = fftw
        size = max(1, count) * dtype.itemsize
        self.address = fftw("malloc", ctypes.c_void_p, ctypes.c_size_t(size))
        if not self.address:
            raise MemoryError(f"FFTW has no {size} bytes")
        raw = (ctypes.c_char * size).from_address(self.address)
        self.array = np.frombuffer(raw, dtype, count=count)

    def __del__(self) -> None:
        if getattr(self, "address", None):
            self._fftw("free", None, ctypes.c_void_p(self.address))


def _names(stem: str) -> list[str]:
    """Returns the files to try, those next to weft's own FFTW first."""
    names = [f"lib{stem}.so.3", ctypes.util.find_library(stem) or ""]
    named = Path(os.environ.get("WEFT_FFTW_LIBRARY", ""))
    if named.name != str(named):
        names.insert(0, str(named.parent / f"lib{stem}.so.3"))
    return names


def _load(stem: str) -> ctypes.CDLL:
    for name in _names(stem):
        if name:
            try:
                return ctypes.CDLL(name)
            except OSError:
                continue
    raise NotRun(f"lib{stem} is not installed")


def loaded_mpi_libraries() -> set[str]:
    """Returns the names of the MPI libraries in this process."""
    maps = Path("/proc/self/maps").read_text(errors="replace")
    return set(re.findall(r"/(lib(?:mpi|mpich|mpi_cxx)\.so[.\d]*)$", maps, re.MULTILINE))

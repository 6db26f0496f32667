"""Functions of fields in C, numba and numpy, and refusals of wrong functions."""

from __future__ import annotations

import ctypes
import re
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import weft
from fields_on_ranks import local, noise

if TYPE_CHECKING:
    from pool import Pool

pytestmark = pytest.mark.skipif(not weft.running_available(), reason="transforms need weft's extension module over MPI")
FUNCTION_SOURCE = """
#include "weft/tile.h"
/* Multiplies the one input by the number that `user` points to, or by 2 if it is NULL. */
int times(const weft_tile* tile, void* user) {
  const int64_t parts = tile->is_complex ? 2 : 1;
  const double factor = user ? *(const double*)user : 2;
  const int64_t* n = tile->extents;
  const int64_t* s = tile->strides;
  if (tile->dims != 3 || tile->real_bytes != 8) return 1;
  for (int64_t i = 0; i < n[0]; ++i)
    for (int64_t j = 0; j < n[1]; ++j)
      for (int64_t k = 0; k < n[2]; ++k)
        for (int64_t p = 0; p < parts; ++p) {
          const int64_t at = (i * s[0] + j * s[1] + k * s[2]) * parts + p;
          ((double*)tile->outputs[0])[at] = factor * ((const double*)tile->inputs[0])[at];
        }
  return 0;
}
int fails(const weft_tile* tile, void* user) { return tile && !user ? 7 : 0; }
"""


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    folder = tmp_path_factory.mktemp("compiled")
    source = folder / "times.c"
    source.write_text(FUNCTION_SOURCE)
    include = Path(__file__).parents[3] / "include"
    command = ["cc", "-shared", "-fPIC", "-O2", f"-I{include}", str(source), "-o", str(folder / "times.so")]
    subprocess.run(command, check=True)
    return ctypes.CDLL(str(folder / "times.so"))


def test_a_c_function_is_applied_or_its_status_is_reported(compiled: ctypes.CDLL) -> None:
    fft = weft.FFT((6, 5, 8), kind="r2c", threads=2)
    x = local(fft, noise((6, 5, 8), 3))
    done = fft.apply_in_spectrum(weft.FieldFunction(compiled.times, pointwise=True), [x])
    np.testing.assert_allclose(done.outputs[0], 2 * x, atol=1e-13)
    with pytest.raises(weft.InvalidArgument, match="returned 7 instead of 0"):
        fft.apply_in_spectrum(compiled.fails, [x])


def test_a_low_level_callable_is_applied(compiled: ctypes.CDLL) -> None:
    scipy = pytest.importorskip("scipy")
    fft = weft.FFT((6, 5, 8))
    x = fft.input.empty()
    x[...] = noise((6, 5, 8), 4)
    three = ctypes.c_double(3)
    compiled.times.argtypes = (ctypes.c_void_p, ctypes.c_void_p)
    low = scipy.LowLevelCallable(compiled.times, ctypes.cast(ctypes.pointer(three), ctypes.c_void_p))
    done = fft.apply_in_spectrum(low, [x])
    np.testing.assert_allclose(done.outputs[0], 3 * x, atol=1e-13)


def energy_and_half(inputs: Any, outputs: Any, coordinates: Any, weights: Any, results: Any) -> None:
    x, y = inputs[0], outputs[0]
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            for k in range(x.shape[2]):
                results[0] += weights[2][k] * (x[i, j, k].real ** 2 + x[i, j, k].imag ** 2)
                results[1] += coordinates[0][i] ** 2
                y[i, j, k] = x[i, j, k] / 2


@pytest.mark.parametrize("pointwise", [False, True])
def test_a_function_that_numba_compiles_is_applied(pointwise: bool) -> None:
    pytest.importorskip("numba")
    fft = weft.FFT((6, 5, 8), kind="r2c", threads=2)
    x = local(fft, noise((6, 5, 8), 3))
    function = weft.numba_function(energy_and_half, results=2, pointwise=pointwise)
    done = fft.apply_in_spectrum(function, [x])
    np.testing.assert_allclose(done.outputs[0], x / 2, atol=1e-13)
    # The second sum is that of kx^2 over the 6 x 5 x 5 points of the half spectrum.
    assert done.results == pytest.approx(((x**2).sum() * x.size, (0 + 1 + 4 + 9 + 4 + 1) * 5 * 5), rel=1e-12)


def test_wrong_arguments_of_numba_function_are_refused() -> None:
    with pytest.raises(weft.InvalidArgument, match="a Python function"):
        weft.numba_function(print)
    for options, text in (
        ({"dtype": "longdouble"}, "dtype must be one of"),
        ({"inputs": 0}, "inputs"),
        ({"dims": 9}, "dims"),
    ):
        with pytest.raises(weft.InvalidArgument, match=text):
            weft.numba_function(energy_and_half, **options)  # type: ignore[arg-type]


def test_a_function_that_numba_cannot_compile_is_refused() -> None:
    pytest.importorskip("numba")

    def uses_a_missing_name(inputs: Any, outputs: Any, coordinates: Any, weights: Any, results: Any) -> None:
        outputs[0][0, 0, 0] = inputs.missing

    with pytest.raises(weft.InvalidArgument, match="numba cannot compile"):
        weft.numba_function(uses_a_missing_name)


@pytest.mark.parametrize(
    ("shape", "options", "fields", "given"),
    [
        ((4, 6), {}, 1, "inputs=1, outputs=1, dims=2, dtype='complex128'"),
        ((4, 6, 2), {"dtype": "float32"}, 1, "inputs=1, outputs=1, dims=3, dtype='complex64'"),
        ((4, 6, 2), {}, 2, "inputs=2, outputs=2, dims=3, dtype='complex128'"),
        ((4, 6, 2), {"components": 3}, 1, "inputs=3, outputs=3, dims=3, dtype='complex128'"),
    ],
)
def test_fields_that_do_not_fit_the_compiled_function_are_refused(
    shape: tuple[int, ...], options: Any, fields: int, given: str
) -> None:
    pytest.importorskip("numba")
    fft = weft.FFT(shape, kind="r2c", **options)
    function = weft.numba_function(energy_and_half, results=2)
    with pytest.raises(weft.InvalidArgument) as refused:
        fft.apply_in_spectrum(function, [fft.input.zeros() for _ in range(fields)])
    text = str(refused.value)
    assert "must be made for those of the call" in text
    assert "made for inputs=1, outputs=1, dims=3, dtype='complex128'; " in text
    assert f"the call has {given}; compile one for these" in text


def test_before_function_and_after_must_fit_their_fields() -> None:
    """Each function must fit the numbers of fields that it gets."""
    pytest.importorskip("numba")
    fft = weft.FFT((4, 6, 2), kind="r2c")

    def both(inputs: Any, outputs: Any, coordinates: Any, weights: Any, results: Any) -> None:
        for i in range(inputs[0].shape[0]):
            for j in range(inputs[0].shape[1]):
                for k in range(inputs[0].shape[2]):
                    outputs[0][i, j, k] = inputs[0][i, j, k]
                    outputs[1][i, j, k] = 2 * inputs[0][i, j, k]

    def added(inputs: Any, outputs: Any, coordinates: Any, weights: Any, results: Any) -> None:
        for i in range(inputs[0].shape[0]):
            for j in range(inputs[0].shape[1]):
                for k in range(inputs[0].shape[2]):
                    outputs[0][i, j, k] = inputs[0][i, j, k] + inputs[1][i, j, k]

    x = local(fft, noise((4, 6, 2), 7))
    split = weft.numba_function(both, inputs=1, outputs=2, dtype="float64")
    joined = weft.numba_function(added, inputs=2, outputs=1)
    done = fft.apply_in_spectrum(joined, [x], 1, before=split, fields=(2, 1))
    np.testing.assert_allclose(done.outputs[0], 3 * x, atol=1e-13)
    for wrong in ({"before": joined}, {"before": split, "after": split}):
        with pytest.raises(weft.InvalidArgument, match="must be made for those of the call"):
            fft.apply_in_spectrum(joined, [x], 1, fields=(2, 1), **wrong)


def copying_cfunc(numba: Any) -> Any:
    """Compiles, by numba alone, a function that copies a tile of three axes of complex128."""
    carray = numba.carray
    memmove = ctypes.CDLL(None).memmove
    memmove.argtypes, memmove.restype = (ctypes.c_size_t,) * 3, ctypes.c_size_t

    def entry(tile: Any, user: Any) -> int:
        t = carray(tile, (14,))
        if t[0] != 3 or t[1] != 1 or t[4] != 8 or t[5] != 1:
            return 5
        n, s, arrays = np.empty(3, np.int64), np.empty(3, np.int64), np.empty(2, np.int64)
        memmove(n.ctypes.data, t[7], 24)
        memmove(s.ctypes.data, t[8], 24)
        memmove(arrays.ctypes.data, t[9], 8)
        memmove(arrays.ctypes.data + 8, t[10], 8)
        for i in range(n[0]):
            for j in range(n[1]):
                for k in range(n[2]):
                    at = 16 * (i * s[0] + j * s[1] + k * s[2])
                    memmove(arrays[1] + at, arrays[0] + at, 16)
        return 0

    return numba.cfunc(numba.int32(numba.types.CPointer(numba.types.int64), numba.types.voidptr))(entry)


def test_a_cfunc_of_numba_is_applied_or_its_status_is_reported() -> None:
    copying = copying_cfunc(pytest.importorskip("numba"))
    fft = weft.FFT((6, 5, 8), threads=2)
    x = fft.input.empty()
    x[...] = noise((6, 5, 8), 8)
    np.testing.assert_allclose(fft.apply_in_spectrum(copying, [x]).outputs[0], x, atol=1e-13)
    real = weft.FFT((6, 5), kind="dct2")  # two axes of reals
    with pytest.raises(weft.InvalidArgument, match="returned 5 instead of 0"):
        real.apply_in_spectrum(copying, [real.input.zeros()])


def test_cfuncs_of_wrong_signatures_are_refused() -> None:
    numba = pytest.importorskip("numba")
    tile, user = numba.types.CPointer(numba.types.int64), numba.types.voidptr
    x = np.zeros((4, 6), complex)
    fft = weft.FFT((4, 6))
    with pytest.raises(weft.InvalidArgument, match=r"two arguments.*given one with 1"):
        fft.apply_in_spectrum(numba.cfunc(numba.int32(tile))(lambda tile: 0), [x])
    for signature, function in (
        (numba.float64(tile, user), lambda tile, user: 0.0),
        (numba.types.none(tile, user), lambda tile, user: None),
    ):
        with pytest.raises(weft.InvalidArgument, match="must return int32, 0 unless it fails") as refused:
            fft.apply_in_spectrum(numba.cfunc(signature)(function), [x])
        assert f"its signature is {signature}; return 0" in str(refused.value)
    for arguments, place in (((numba.float64, numba.float64), 1), ((tile, numba.int64), 2)):
        cfunc = numba.cfunc(numba.int32(*arguments))(lambda first, second: 0)
        with pytest.raises(weft.InvalidArgument, match="a numba cfunc of fields must have two pointers") as refused:
            fft.apply_in_spectrum(cfunc, [x])
        assert f"argument {place} of the given one is {arguments[place - 1]}; compile it for" in str(refused.value)
    twice = numba.cfunc(numba.int32(user, numba.types.CPointer(numba.float64)))(lambda tile, user: 0)
    fft.apply_in_spectrum(twice, [x], [np.empty_like(x)])  # any pointers


def test_a_wrong_function_of_one_rank_is_one_message_on_all(pool: Pool) -> None:
    """One message on all ranks, and the transform stays usable."""
    texts = (
        r"must have two pointers.*argument 1 of the given one is c_double",
        r"must have two pointers.*argument 2 of the given one is float64",
        r"the call has inputs=1, outputs=1, dims=3, dtype='complex128'; compile one for these",
        r"ValueError: .*\(5,\)",
        r"it returned an array of \(",
        r"must be callable, a C function or an operator; given int",
        r"results must be 0 to 1000000",
    )
    on_ranks = pool.values("fields_on_ranks.wrong_functions_on_one_rank", 3)
    assert on_ranks[0] == on_ranks[1] == on_ranks[2]
    assert len(on_ranks[0]) == len(texts)
    for message, text in zip(on_ranks[0], texts, strict=True):
        assert re.search(text, message), message


def test_c_functions_of_wrong_signatures_are_refused(compiled: ctypes.CDLL) -> None:
    x = np.zeros((4, 6), complex)
    fft = weft.FFT((4, 6))
    pointers = (ctypes.c_void_p,) * 3
    with pytest.raises(weft.InvalidArgument, match=r"two arguments.*given one with 3"):
        fft.apply_in_spectrum(ctypes.CFUNCTYPE(ctypes.c_int, *pointers)(lambda a, b, c: 0), [x])
    for result, name in ((ctypes.c_double, "c_double"), (None, "None")):
        with pytest.raises(weft.InvalidArgument, match=f"must return a C int, 0 unless it fails; it returns {name}"):
            fft.apply_in_spectrum(ctypes.CFUNCTYPE(result, *pointers[:2])(lambda a, b: 0), [x])
    with pytest.raises(weft.InvalidArgument, match=r"two arguments.*given one with 0"):
        fft.apply_in_spectrum(ctypes.CFUNCTYPE(ctypes.c_int)(lambda: 0), [x])
    for arguments, place, name in (
        ((ctypes.c_double, ctypes.c_double), 1, "c_double"),
        ((ctypes.c_void_p, ctypes.c_size_t), 2, "c_ulong"),
    ):
        function = ctypes.CFUNCTYPE(ctypes.c_int, *arguments)(lambda a, b: 0)
        with pytest.raises(weft.InvalidArgument, match="a ctypes function of fields must have two pointers") as refused:
            fft.apply_in_spectrum(function, [x])
        assert f"argument {place} of the given one is {name}; set its argtypes" in str(refused.value)
    typed = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ctypes.c_int64), ctypes.c_void_p)(lambda a, b: 0)
    fft.apply_in_spectrum(typed, [x], [np.empty_like(x)])  # any pointers


def test_low_level_callables_of_wrong_signatures_are_refused() -> None:
    scipy = pytest.importorskip("scipy")
    special = pytest.importorskip("scipy.special.cython_special")
    x = np.zeros((4, 6), complex)
    fft = weft.FFT((4, 6))
    number = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_double)(lambda value: 0)
    with pytest.raises(weft.InvalidArgument, match=r"two arguments.*given one with 1"):
        fft.apply_in_spectrum(scipy.LowLevelCallable(number), [x])
    numbers = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_double)(lambda tile, value: 0)
    with pytest.raises(weft.InvalidArgument, match=r"two pointers.*argument 2 of the given one is c_double"):
        fft.apply_in_spectrum(scipy.LowLevelCallable(numbers), [x])
    capsule = scipy.LowLevelCallable.from_cython(special, "j0")
    with pytest.raises(weft.InvalidArgument, match="must hold a ctypes function; given one of PyCapsule"):
        fft.apply_in_spectrum(capsule, [x])
    with pytest.raises(weft.InvalidArgument, match=r"must have the name 'int \(const weft_tile .*; given 'double "):
        fft.apply_in_spectrum(capsule.function, [x])


def returned(tile: weft.Tile) -> Any:
    return 2 * tile.inputs[0]


def written(tile: weft.Tile) -> None:
    tile.outputs[0][...] = np.zeros(5)


def test_functions_that_return_or_write_other_arrays_are_refused() -> None:
    x = np.ones((4, 6), complex)
    fft = weft.FFT((4, 6))
    with pytest.raises(weft.InvalidArgument, match=r"writes into tile.outputs; it returned an array of \(4, 6\)"):
        fft.apply_in_spectrum(returned, [x])
    with pytest.raises(weft.InvalidArgument, match=r"failed: ValueError: .*\(5,\)"):
        fft.apply_in_spectrum(written, [x])
    # np.multiply returns its `out`, here tile.outputs[0]: that array may be returned.
    done = fft.apply_in_spectrum(lambda tile: np.multiply(tile.inputs[0], 2, out=tile.outputs[0]), [x])
    np.testing.assert_allclose(done.outputs[0], 2 * x, atol=1e-13)


def test_a_function_of_numpy_has_large_tiles() -> None:
    """Tiles are large because a call of Python costs more than the work on a small tile."""
    sizes: list[int] = []

    def noted(tile: weft.Tile) -> None:
        sizes.append(tile.inputs[0].nbytes)
        tile.outputs[0][...] = tile.inputs[0]

    fft = weft.FFT((64, 64, 64))
    x = fft.input.zeros()
    fft.apply_in_spectrum(noted, [x])
    assert sum(sizes) == x.nbytes == 4 << 20
    assert len(sizes) > 1 and min(sizes) >= 1 << 20
    sizes.clear()
    small = weft.FFT((16, 16, 16))
    small.apply_in_spectrum(noted, [small.input.zeros()])
    assert sizes == [16**4]  # the whole array

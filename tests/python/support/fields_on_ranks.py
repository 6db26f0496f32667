"""Round trips of fields on ranks, against numpy."""

from __future__ import annotations

import ctypes
import math
from typing import Any

import numpy as np
import pytest
import weft
from numpy.typing import NDArray


def noise(shape: tuple[int, ...], seed: int) -> NDArray[Any]:
    return np.random.default_rng(seed).standard_normal(shape)


def local(fft: weft.FFT, whole: NDArray[Any]) -> NDArray[Any]:
    array = fft.input.empty()
    array[...] = whole[fft.input.slices]
    return array


def rotation(tile: weft.Tile) -> None:
    """Writes the curl of three spectra."""
    k = tile.coordinates
    u = tile.inputs
    for i in range(3):
        j, m = (i + 1) % 3, (i + 2) % 3
        tile.outputs[i][...] = 1j * (k[j] * u[m] - k[m] * u[j])
    tile.results[0] += float((tile.weights * np.abs(u[0]) ** 2).sum())
    tile.results[1] += 1


def numpy_rotation(u: list[NDArray[Any]]) -> list[NDArray[Any]]:
    n = u[0].shape
    k = [
        np.fft.fftfreq(n[0], 1 / n[0])[:, None, None],
        np.fft.fftfreq(n[1], 1 / n[1])[:, None],
        np.arange(n[2] // 2 + 1),
    ]
    spectra = [np.fft.rfftn(a, axes=(0, 1, 2)) for a in u]
    pairs = [((i + 1) % 3, (i + 2) % 3) for i in range(3)]
    return [np.fft.irfftn(1j * (k[j] * spectra[m] - k[m] * spectra[j]), s=n, axes=(0, 1, 2)) for j, m in pairs]


def record_of_a_round_trip(comm: Any, method: str) -> bool:
    """Checks the steps of two fields there and one back: their names, and their bytes against the layouts."""
    shape = (9, 8, 7)
    fft = weft.FFT(shape, kind="r2c", comm=comm, exchange=weft.Exchange(method=method))
    fft.recording = True
    given = [local(fft, noise(shape, seed)) for seed in range(2)]
    fft.apply_in_spectrum(first_of, given, 1)
    text = fft.explain(apply_in="spectrum", inputs=2, outputs=1)
    predicted = weft.predict(fft.plan, "vm-2-cores", apply_in="spectrum", inputs=2, outputs=1).steps
    assert len(fft.record) == 2 * len(predicted)  # the steps of the first field, then those of the second
    first, second = fft.record[: len(predicted)], fft.record[len(predicted) :]
    assert [step.name for step in first] == [step.name for step in second] == [step.name for step in predicted]
    before, after = fft.plan.stages[0].target, fft.plan.stages[1].source
    for there, lanes in ((True, (first, second)), (False, (first,))):
        source, target = (before, after) if there else (after, before)
        kept = volume_of_overlap(source.box(fft.rank), target.box(fft.rank))
        sent = 16 * (math.prod(source.local_shape(fft.rank)) - kept)
        received = 16 * (math.prod(target.local_shape(fft.rank)) - kept)
        for lane in lanes:
            step = lane[1 if there else 3]
            wanted = (0, received) if method == "shared" else (sent, 0)
            assert (step.bytes_sent, step.bytes_from_others) == wanted
    assert (second[3].bytes_sent, second[3].bytes_from_others) == (0, 0)
    assert all(step.name.split(";")[0] in text for step in predicted if step.name.startswith("stage"))
    return True


def first_of(tile: weft.Tile) -> None:
    tile.outputs[0][...] = tile.inputs[0]


def volume_of_overlap(one: Any, other: Any) -> int:
    return math.prod(max(0, min(a[1], b[1]) - max(a[0], b[0])) for a, b in zip(one, other, strict=True))


def curl_of_fields(comm: Any, shape: list[int], dtype: str, grid: Any, in_place: bool) -> bool:
    fft = weft.FFT(shape, kind="r2c", dtype=dtype, comm=comm, input=grid, threads=2)
    whole = [noise(tuple(shape), seed) for seed in range(3)]
    given = [local(fft, a) for a in whole]
    copies = [a.copy() for a in given]
    done = fft.apply_in_spectrum(weft.FieldFunction(rotation, results=2), given, given if in_place else None)
    tolerance = 2e-5 if dtype == "float32" else 1e-12
    for got, wanted in zip(done.outputs, numpy_rotation(whole), strict=True):
        np.testing.assert_allclose(got, wanted[fft.input.slices], atol=tolerance * np.abs(wanted).max())
    energy = (whole[0] ** 2).sum() * whole[0].size
    assert done.results[0] == pytest.approx(energy, rel=1e-5 if dtype == "float32" else 1e-12)
    assert done.results[1] >= 1
    assert in_place or all(np.array_equal(a, b) for a, b in zip(given, copies, strict=True))
    return True


def product_in_space(comm: Any) -> bool:
    """Two spectra become the spectrum of the product of their fields, with a function before and one after."""
    shape = (10, 9, 12)
    fft = weft.FFT(shape, kind="r2c", comm=comm, norm="forward")
    a, b = (noise(shape, seed) for seed in (5, 6))
    spectra = [fft.forward(local(fft, f)) for f in (a, b)]

    def double(tile: weft.Tile) -> None:
        tile.outputs[0][...] = 2 * tile.inputs[0]
        tile.outputs[1][...] = tile.inputs[1]

    def product(tile: weft.Tile) -> None:
        tile.outputs[0][...] = tile.inputs[0] * tile.inputs[1]
        tile.results[0] = max(tile.results[0], np.abs(tile.inputs[0]).max())

    def shifted(tile: weft.Tile) -> None:
        tile.outputs[0][...] = tile.inputs[0] + (tile.coordinates[0] == 0)

    largest = weft.FieldFunction(product, results=1, combine="max")
    done = fft.apply_in_space(largest, spectra, 1, before=double, after=shifted, fields=(2, 1))
    wanted = np.fft.rfftn(2 * a * b, norm="forward")
    wanted[0] += 1
    np.testing.assert_allclose(done.outputs[0], wanted[fft.output.slices], atol=1e-13)
    assert done.results[0] == pytest.approx(2 * np.abs(a).max(), rel=1e-12)
    return True


def exception_in_a_function(comm: Any) -> bool:
    """An exception on one rank ends the call on all ranks with one text, and the transform stays usable."""
    fft = weft.FFT((8, 8, 8), comm=comm)
    x = fft.input.zeros()

    def fails(tile: weft.Tile) -> None:
        if all(index == 0 for index in tile.lower):
            raise ZeroDivisionError("no mass")
        tile.outputs[0][...] = 0

    with pytest.raises(weft.InvalidArgument, match=r"ZeroDivisionError: no mass"):
        fft.apply_in_spectrum(fails, [x])
    done = fft.apply_in_spectrum(lambda tile: np.copyto(tile.outputs[0], tile.inputs[0]), [x])
    return not np.abs(done.outputs[0]).any()


def wrong_functions_on_one_rank(comm: Any) -> list[str]:
    """Returns the messages where the last rank alone gives a wrong function, once for each of several mistakes."""
    numba = pytest.importorskip("numba")
    fft = weft.FFT((8, 6, 9), comm=comm)
    x = fft.input.zeros()
    double, pointer = ctypes.c_double, numba.types.CPointer(numba.int64)
    wrong: tuple[Any, ...] = (
        ctypes.CFUNCTYPE(ctypes.c_int, double, double)(lambda first, second: 0),
        numba.cfunc(numba.int32(pointer, numba.float64))(lambda tile, number: 0),
        weft.numba_function(_nothing, dtype="complex64"),
        _writes_another_shape,
        _returns_an_array,
        5,
        weft.FieldFunction(first_of, results=-1),
    )
    found = []
    for function in wrong:
        given = function if comm.rank == comm.size - 1 else first_of
        found.append(_message(lambda given=given: fft.apply_in_spectrum(given, [x])))
    fft.apply_in_spectrum(first_of, [x])
    return found


def _nothing(inputs: Any, outputs: Any, coordinates: Any, weights: Any, results: Any) -> None:
    pass


def _writes_another_shape(tile: weft.Tile) -> None:
    tile.outputs[0][...] = np.zeros(5)


def _returns_an_array(tile: weft.Tile) -> Any:
    return 2 * tile.inputs[0]


def round_trips_that_differ(comm: Any) -> bool:
    fft = weft.FFT((6, 6, 6), comm=comm)
    x = fft.input.zeros()
    count = 1 + (comm.rank == comm.size - 1)
    with pytest.raises(weft.Disagreement, match="apply_in_spectrum"):
        fft.apply_in_spectrum(lambda tile: None, [x] * count, count)
    sigma = 0.1 * count
    with pytest.raises(weft.Disagreement, match=r"gaussian 0\.1 over .* in apply_in_spectrum .* gaussian 0\.2 over "):
        fft.apply_in_spectrum(weft.operators.gaussian(sigma), [x])
    return True


def derivatives_of_waves(comm: Any) -> float:
    """Returns the larger error of a field's derivative and of the field's convolution with itself."""
    fft = weft.FFT((12, 10, 14), kind="r2c", comm=comm)
    x, y, z = fft.positions()
    u = fft.input.empty()
    u[...] = np.sin(x) * np.cos(2 * y) * np.sin(z)
    slope = fft.apply_in_spectrum(weft.operators.derivative(1), [u]).outputs[0]
    error = np.abs(slope + 2 * np.sin(x) * np.sin(2 * y) * np.sin(z)).max(initial=0)
    smooth = fft.apply_in_spectrum(weft.operators.convolution(fft.forward(u)), [u]).outputs[0]
    wanted = -np.cos(x) * np.cos(2 * y) * np.cos(z) * 12 * 10 * 14 / 8 * -1
    return float(max(error, np.abs(smooth - wanted).max(initial=0) / 200))


def products_of_components(comm: Any, seed: int) -> list[float]:
    """Returns the errors of products of a vector field with one spectrum, against numpy, of each component."""
    shape = (6, 5, 8)
    random = np.random.default_rng(seed)
    whole, kernel = random.standard_normal((3, *shape)), random.standard_normal(shape)
    fft = weft.FFT(shape, kind="r2c", components=3, norm="backward", comm=comm)
    of_one = weft.FFT(shape, kind="r2c", norm="backward", comm=comm, like=fft)
    u, k = fft.input.empty(), of_one.input.empty()
    u[...], k[...] = whole[fft.input.slices], kernel[of_one.input.slices]
    spectrum, factors = of_one.forward(k), np.fft.rfftn(kernel)
    make, wanted = weft.operators, np.fft.rfftn(whole, axes=(1, 2, 3))
    products = ((make.convolution, factors), (make.correlation, factors.conj()), (make.transfer, factors))
    errors = []
    for operator, factor in products:
        found = fft.apply_in_spectrum(operator(spectrum), [u]).outputs[0]
        exact = np.fft.irfftn(wanted * factor, s=shape, axes=(1, 2, 3))[fft.input.slices]
        errors.append(float(np.abs(found - exact).max(initial=0)))
    with pytest.raises(weft.LayoutMismatch, match="array of an operator"):
        fft.apply_in_spectrum(make.transfer(fft.output.zeros()), [u])
    return errors


def channel_error(comm: Any) -> float:
    """Returns the error of a solution that is periodic on two axes, with walls on the middle one."""
    ranks = 1 if comm is None else comm.size
    shape = (8, 11, 10)
    layout = weft.Layout.slab(shape, ranks)
    solver = weft.PoissonSolver(
        shape, boundary=("periodic", ("dirichlet", "neumann"), "periodic"), points="nodes", layout=layout, comm=comm
    )
    x, y, z = (axis[box] for axis, box in zip(_nodes(shape), solver.input.slices, strict=True))
    u = solver.input.empty()
    u[...] = np.cos(2 * np.pi * x)[:, None, None] * np.sin(1.5 * np.pi * y)[:, None] * np.sin(4 * np.pi * z)
    rho = solver.input.empty()
    rho[...] = -(4 + 2.25 + 16) * np.pi**2 * u
    return float(np.abs(solver.solve(rho, rho).u - u).max(initial=0))


def _nodes(shape: tuple[int, int, int]) -> tuple[NDArray[Any], ...]:
    first, second, third = (np.arange(n) for n in shape)
    return first / shape[0], (second + 1) / shape[1], third / shape[2]


def open_error(comm: Any, n: int, order: Any) -> float:
    """Returns the largest error of the potential of a Gaussian charge, divided by the largest potential."""
    solver = weft.PoissonSolver((n, n, n), boundary="open", order=order, comm=comm)
    x, y, z = np.ogrid[solver.input.slices]
    r = np.sqrt(sum(((axis + 0.5) / n - 0.5) ** 2 for axis in (x, y, z)))
    sigma = 0.07
    rho = solver.input.empty()
    rho[...] = np.exp(-((r / sigma) ** 2) / 2) / (2 * np.pi * sigma**2) ** 1.5
    erf = np.vectorize(math.erf, otypes=[float])
    wanted = -erf(r / (math.sqrt(2) * sigma)) / (4 * np.pi * r)
    largest = math.sqrt(2 / math.pi) / (4 * math.pi * sigma)
    return float(np.abs(solver.solve(rho).u - wanted).max(initial=0) / largest)


def solved_once(comm: Any) -> float:
    """Returns the error of solve_poisson on slabs of two fields: one between walls, one on a periodic box."""
    ranks = comm.size
    layout = weft.Layout.slab((10, 9), ranks)
    x, y = (np.arange(10) + 0.5) / 10, np.arange(9) / 9
    wanted = np.cos(np.pi * x)[:, None] * np.cos(4 * np.pi * y)
    rho = 3 - 17 * np.pi**2 * wanted
    found = weft.solve_poisson(_part(rho, layout, comm), boundary=("neumann", "periodic"), layout=layout, comm=comm)
    error = abs(found.mean - 3)
    whole = weft.gather(found.u, layout, comm)
    if whole is not None:
        error = max(error, float(np.abs(whole - wanted).max()))
    # The equations of differences, for a field of which each rank has columns.
    layout = weft.Layout.slab((10, 9), ranks, 1)
    rho = noise((10, 9), 4)
    found = weft.solve_poisson(_part(rho, layout, comm), order=2, layout=layout, comm=comm)
    whole = weft.gather(found.u, layout, comm)
    if whole is not None:
        steps = enumerate((1 / 10, 1 / 9))
        laplacian = sum((np.roll(whole, 1, axis) + np.roll(whole, -1, axis) - 2 * whole) / h**2 for axis, h in steps)
        error = max(error, float(np.abs(laplacian - (rho - rho.mean())).max()) / 100)
    return error


def _part(whole: NDArray[Any], layout: weft.Layout, comm: Any) -> NDArray[Any]:
    """Returns this rank's box of an array."""
    return np.ascontiguousarray(whole[tuple(slice(*bounds) for bounds in layout.box(comm.rank))])


def solved_without_layout(comm: Any) -> float:
    """Returns the error of solve_poisson where each rank gives its slab. Of two rows, some ranks have none."""
    error = 0.0
    for rows in (10, 2):
        layout = weft.Layout.slab((rows, 9, 4), comm.size)
        rho = _part(noise((rows, 9, 4), 4), layout, comm)
        found, wanted = (weft.solve_poisson(rho, L=2, comm=comm, **given) for given in ({}, {"layout": layout}))
        assert found.mean == wanted.mean
        error = max(error, float(np.abs(found.u - wanted.u).max(initial=0)))
    return error


def refused_without_layout(comm: Any) -> list[str]:
    """Returns the messages where only the last rank gives a layout, and where the ranks' parts are not slabs."""
    layout = weft.Layout.slab((9, 8), comm.size)
    rho = np.zeros(layout.local_shape(comm.rank))
    is_last = comm.rank == comm.size - 1
    others = (
        rho[:2] if is_last else rho,
        rho[:, : 8 - is_last],
        rho.T.copy() if is_last else rho,
        rho[:0],
        np.zeros(()),
    )
    return [
        _message(lambda: weft.solve_poisson(rho, layout=layout if is_last else None, comm=comm)),
        *(_message(lambda given=given: weft.solve_poisson(given, comm=comm)) for given in others),
    ]


def different_poisson_solvers(comm: Any) -> str:
    """Returns the message where the last rank gives another length."""
    return _message(lambda: weft.PoissonSolver((9, 8), L=1.0 + (comm.rank == comm.size - 1), comm=comm))


def errors_of_poisson_on_one_rank(comm: Any) -> list[str]:
    """Returns the messages where the middle rank alone gives a bad shape, then bad arrays."""
    is_bad = comm.rank == 1
    found = [_message(lambda: weft.PoissonSolver((-1, 4) if is_bad else (9, 8), comm=comm))]
    solver = weft.PoissonSolver((9, 8), comm=comm)
    rho = solver.input.zeros()
    for bad in (np.full(rho.shape, None, object), 5, [["a"]], rho[1:], rho.astype("f4")):
        found.append(_message(lambda given=bad if is_bad else rho: solver.solve(given)))
    return found


def _message(call: Any) -> str:
    try:
        call()
    except weft.WeftError as error:
        return str(error)
    return "no error"

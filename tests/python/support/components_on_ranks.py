"""Functions of the pool of ranks: several arrays in one call, components of a field, transforms that fit together."""

from __future__ import annotations

from typing import Any

import numpy as np
import weft


def many_arrays(comm: Any, choices: dict[str, Any]) -> bool:
    """forward_many and backward_many give the same results as single calls, and allocate missing outputs."""
    fft = weft.FFT((12, 9, 10), kind="r2c", comm=comm, exchange=weft.Exchange(**choices))
    xs = [fft.input.empty() for _ in range(4)]
    for number, x in enumerate(xs):
        x[...] = np.random.default_rng([comm.rank, number]).standard_normal(x.shape)
    expected = [fft.forward(x).copy() for x in xs]
    outs = [fft.output.empty() for _ in xs]
    found = fft.forward_many(xs, outs)
    assert all(a is b for a, b in zip(found, outs, strict=True))
    drawn = fft.forward_many(tuple(xs))
    for a, b, c in zip(expected, found, drawn, strict=True):
        np.testing.assert_array_equal(a, b)
        np.testing.assert_array_equal(a, c)
    for x, back in zip(xs, fft.backward_many(found), strict=True):
        np.testing.assert_allclose(back, x, atol=1e-13)
    assert fft.forward_many([]) == []
    return True


def drawn_field(side: Any, whole_shape: tuple[int, ...], seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Returns a whole random array, the same on all ranks, and this rank's part of it."""
    rng = np.random.default_rng(seed)
    whole = rng.standard_normal(whole_shape)
    if side.dtype.kind == "c":
        whole = whole + 1j * rng.standard_normal(whole_shape)
    part = side.empty()
    part[...] = whole[side.slices]
    return whole, part


def reference(fft: weft.FFT, whole: np.ndarray) -> np.ndarray:
    """Returns the spectra of the components; each rank computes all of them, one after another."""
    problem = fft.plan.problem
    alone = weft.FFT(
        problem.shape,
        kind=problem.kinds,
        axes=problem.axes,
        modes=problem.modes,
        support=problem.support,
        norm=problem.norm,
        dtype=fft.input.dtype,
    )
    return np.stack([alone.forward(np.ascontiguousarray(one, fft.input.dtype)).copy() for one in whole])


def require_whole(comm: Any, X: np.ndarray, layout: weft.Layout, wanted: np.ndarray, tolerance: float) -> None:
    found = weft.gather(np.ascontiguousarray(X) if layout.order == tuple(range(X.ndim)) else X, layout, comm)
    if found is not None:
        np.testing.assert_allclose(found, wanted, rtol=0, atol=tolerance * abs(wanted).max())


def components(comm: Any, shape: list[int], count: int, options: dict[str, Any], in_numpy: bool, seed: int) -> Any:
    """Compares gathered spectra with those of one process, and these with numpy's; also two arrays in one call."""
    if "exchange" in options:
        options["exchange"] = weft.Exchange(**options["exchange"])
    fft = weft.FFT(tuple(shape), components=count, comm=comm, **options)
    tolerance = 1e-5 if fft.input.dtype.itemsize <= 8 and fft.input.dtype.char in "fF" else 1e-12
    whole, x = drawn_field(fft.input, fft.input.layout.shape, seed)
    for side in (fft.input, fft.output):
        assert side.layout.shape[0] == side.layout.components == side.shape[0] == count
        assert side.box[0] == (0, count) == side.layout.box(comm.rank)[0]
        assert side.shape == side.layout.local_shape(comm.rank)
    kept = x.copy()
    X = fft.forward(x)
    assert np.array_equal(x, kept), "the input must not change"
    wanted = reference(fft, whole)
    if in_numpy:
        axes = [axis + 1 for axis in fft.plan.problem.axes]
        real = fft.input.dtype.kind == "f"
        np.testing.assert_allclose(
            wanted, np.fft.rfftn(whole, axes=axes) if real else np.fft.fftn(whole, axes=axes), atol=1e-4
        )
    require_whole(comm, X, fft.output.layout, wanted, tolerance)
    back = fft.backward(X)
    if fft.plan.problem.modes == tuple(fft.plan.problem.shape[axis] for axis in fft.plan.problem.axes):
        np.testing.assert_allclose(back, x, rtol=0, atol=10 * tolerance)
    twice = fft.forward_many([x, 2 * x])
    np.testing.assert_array_equal(twice[0], X)
    np.testing.assert_allclose(twice[1], 2 * X, rtol=1e-5)
    np.testing.assert_array_equal(fft.backward_many([X])[0], back)
    return list(fft.output.shape)


def components_in_place(comm: Any, shape: list[int], options: dict[str, Any]) -> bool:
    fft = weft.FFT(tuple(shape), components=3, comm=comm, **options)
    x, X = fft.empty_inplace()
    apart = fft.input.empty()
    apart[...] = np.random.default_rng(comm.rank).standard_normal(apart.shape)
    x[...] = apart
    wanted = fft.forward(apart)
    assert fft.forward(x, X) is X
    np.testing.assert_array_equal(X, wanted)
    for one, spectrum in zip(x, X, strict=True):
        assert one.size * spectrum.size == 0 or np.shares_memory(one, spectrum)
    fft.backward(X, x)
    np.testing.assert_allclose(x, apart, atol=1e-12)
    if fft.input.dtype.kind == "c" and all(comm.allgather(fft.input.shape == fft.output.shape)):
        dense = apart.copy()
        np.testing.assert_array_equal(fft.forward(dense, dense), wanted)
    return True


def axis_of_components(comm: Any) -> bool:
    """Arrays of coordinates broadcast to all components, and the caller's workspace has room for the pipeline."""
    fft = weft.FFT((9, 8, 7), components=3, kind="r2c", comm=comm, workspace=False, exchange="duke")
    memory = np.empty(fft.workspace_bytes + 64, np.uint8)
    start = -memory.ctypes.data % 64
    fft.use_workspace(memory[start : start + fft.workspace_bytes])
    x, y, z = fft.positions()
    u = fft.input.empty()
    u[...] = np.sin(x) * np.cos(y) * np.cos(z)
    kx, ky, kz = fft.wavenumbers()
    assert kx.ndim == ky.ndim == kz.ndim == 3
    assert len(fft.output.indices()) == 3
    slope = fft.backward(1j * kx * fft.forward(u))
    wanted = np.broadcast_to(np.cos(x) * np.cos(y) * np.cos(z), slope.shape)
    np.testing.assert_allclose(slope, wanted, atol=1e-13)
    line = weft.FFT(48, components=2, comm=comm)
    plain = weft.FFT(48, comm=comm)
    assert line.output.layout.of_one_component() == plain.output.layout
    np.testing.assert_array_equal(line.output.indices()[0], plain.output.indices()[0])
    return True


def curl(comm: Any) -> bool:
    """A curl needs no other rank, also on ranks without data."""
    fft = weft.FFT((4, 6, 2), components=3, kind="r2c", comm=comm)
    x, y, _ = fft.positions()
    field = fft.input.zeros()
    field[0] = np.sin(y)
    field[1] = np.sin(x)
    kx, ky, kz = fft.wavenumbers()
    u, v, w = fft.forward(field)
    rotated = fft.output.empty()
    rotated[0] = 1j * (ky * w - kz * v)
    rotated[1] = 1j * (kz * u - kx * w)
    rotated[2] = 1j * (kx * v - ky * u)
    found = fft.backward(rotated)
    wanted = np.zeros(found.shape)
    wanted[2] = np.cos(x) - np.cos(y)
    np.testing.assert_allclose(found, wanted, atol=1e-13)
    return True


def moved_components(comm: Any, seed: int) -> bool:
    """Arrays with components are scattered and redistributed, and their layouts and plans serve new transforms."""
    fft = weft.FFT((5, 6, 7), components=2, comm=comm, exchange="duke")
    whole, x = drawn_field(fft.input, (2, 5, 6, 7), seed)
    found = weft.scatter(whole if comm.rank == 0 else None, fft.input.layout, comm)
    np.testing.assert_array_equal(found, x)
    there = weft.redistribute(x, fft.input.layout, fft.output.layout, comm)
    np.testing.assert_array_equal(there, whole[fft.output.slices])
    again = weft.FFT((5, 6, 7), components=2, comm=comm, input=fft.input.layout, output=fft.output.layout)
    assert again.plan.input == fft.plan.input
    assert again.output.layout == fft.output.layout
    assert weft.Layout.from_json(fft.input.layout.to_json()) == fft.input.layout
    bound = weft.FFT.of_plan(weft.Plan.from_json(fft.plan.to_json()), comm=comm)
    np.testing.assert_array_equal(bound.forward(x), fft.forward(x))
    return True


def pipeline(comm: Any, method: str) -> dict[str, Any]:
    """Returns the bytes of three components and of one, the steps recorded, and the explanation."""
    from weft import _running

    sent, workspaces = {}, {}
    for count in (None, 3):
        fft = weft.FFT((12, 10, 8), components=count, comm=comm, exchange=weft.Exchange(method=method))
        workspaces[count] = fft.workspace_bytes
        x, X = fft.input.zeros(), fft.output.zeros()
        allocations = _running.memory_counters()["allocations"]
        fft.forward(x, X)
        assert _running.memory_counters()["allocations"] == allocations
        fft.recording = True
        fft.forward(x, X)
        sent[count] = sum(step.bytes_sent for step in fft.record)
    return {
        "one": sent[None],
        "three": sent[3],
        "workspaces": workspaces[3] / workspaces[None],
        "steps": len(fft.record),
        "stages": len(fft.plan.stages),
        "text": fft.explain(),
    }


def components_that_differ(comm: Any, given: Any, only: Any) -> str:
    weft.FFT((6, 6), components=only if comm.rank == comm.size - 1 else given, comm=comm)
    return "not refused"


# ---- transforms that fit together ----


def fitting(comm: Any, shape: list[int], options: dict[str, Any], others: dict[str, Any], seed: int) -> dict[str, bool]:
    """Compares a transform by `like` with one process. Returns on which sides its layout is that of the other."""
    other = weft.FFT(tuple(shape), comm=comm, **options)
    if "planning" in others:
        others["planning"] = weft.Planning(**others["planning"])
    shape_here = tuple(others.pop("shape", shape))
    found = weft.FFT(shape_here, comm=comm, like=other, **others)
    problem = found.plan.problem
    count = problem.components or 1
    whole, x = drawn_field(found.input, found.input.layout.shape, seed)
    wanted = reference(found, whole.reshape(count, *found.plan.input.shape))
    X = found.forward(x)
    tolerance = 1e-5 if problem.precision == "f32" else 1e-12
    require_whole(comm, X, found.output.layout, wanted.reshape(found.output.layout.shape), tolerance)
    by_plan = weft.FFT(shape_here, comm=comm, like=other.plan, **others)
    assert by_plan.plan == found.plan
    if "planning" in others:
        assert problem.effort == others["planning"].effort != other.plan.problem.effort
    return {
        "input": found.plan.input == other.plan.input,
        "output": found.plan.output == other.plan.output,
    }


def like_with(comm: Any, what: str) -> str:
    """Makes a transform by `like` of another one that does not fit."""
    made = {
        "shape": lambda: weft.FFT((6, 8), comm=comm, like=weft.FFT((8, 8), comm=comm)),
        "ranks": lambda: weft.FFT((6, 8), comm=comm, like=weft.FFT((6, 8))),
        "object": lambda: weft.FFT((6, 8), comm=comm, like=weft.FFT((6, 8), comm=comm).input.layout),
        "given": lambda: weft.FFT(
            (6, 8), comm=comm, like=weft.FFT((6, 8), comm=comm), input=(1, comm.size), output="same"
        ),
    }[what]
    made()
    return "not refused"


def like_that_differs(comm: Any) -> str:
    """Makes transforms by `like`, where one rank gives a transform of another layout."""
    rows = weft.FFT((6, 8), comm=comm, input=(comm.size, 1))
    columns = weft.FFT((6, 8), comm=comm, input=(1, comm.size))
    weft.FFT((6, 8), comm=comm, like=columns if comm.rank == comm.size - 1 else rows)
    return "not refused"

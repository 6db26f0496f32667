"""`weft filter` on files of every kind, against numpy and scipy."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import scipy.fft
import scipy.signal
from cli_helpers import assert_done, here, weft
from numpy.typing import NDArray
from weft import array_files

if TYPE_CHECKING:
    from pool import Pool

Array = NDArray[Any]
SHAPE = (6, 5, 8)
OLD = b"an older result"
FORMATS = ("npy", "raw", "h5", "zarr")


def noise(shape: tuple[int, ...] = SHAPE, dtype: Any = "f8", seed: int = 1) -> Array:
    draw = np.random.default_rng(seed)
    x = draw.standard_normal(shape) + 0.5
    return (x + 1j * draw.standard_normal(shape) if np.dtype(dtype).kind == "c" else x).astype(dtype)


def by_numpy(
    x: Array, factor: Callable[[list[Array]], Array], axes: tuple[int, ...] | None = None, lengths: Any = None
) -> Array:
    """Multiplies the spectrum by a function of the wavenumbers, one array for each of the axes."""
    axes = tuple(range(x.ndim)) if axes is None else axes
    lengths = [x.shape[axis] for axis in axes] if lengths is None else lengths
    k = [
        np.expand_dims(2 * np.pi * np.fft.fftfreq(x.shape[axis], length / x.shape[axis]), other_axes(x, axis))
        for axis, length in zip(axes, lengths, strict=True)
    ]
    done = np.fft.ifftn(np.fft.fftn(x, axes=axes) * factor(k), axes=axes)
    return done if x.dtype.kind == "c" else done.real


def other_axes(x: Array, axis: int) -> tuple[int, ...]:
    return tuple(each for each in range(x.ndim) if each != axis)


def square(k: list[Array]) -> Array:
    return sum((each**2 for each in k), np.zeros(()))


def inverse(k2: Array) -> Array:
    return np.divide(-1, k2, out=np.zeros_like(k2), where=k2 > 0)


def band(low: float, high: float) -> Callable[[list[Array]], Array]:
    return lambda k: (square(k) >= low**2) & (square(k) <= high**2)


def odd(k: Array) -> Array:
    """Returns wavenumbers of an axis with its Nyquist element zero."""
    flat = k.copy()
    if k.size % 2 == 0:
        flat.reshape(-1)[k.size // 2] = 0
    return flat


# The words of a command, and the result for the array in the file.
PERIODIC: dict[str, Callable[[Array], Array]] = {
    "--gaussian 1.5": lambda x: by_numpy(x, lambda k: np.exp(-square(k) * 1.5**2 / 2)),
    "--gaussian 0.2 --length 1,2,3": lambda x: by_numpy(
        x, lambda k: np.exp(-square(k) * 0.2**2 / 2), lengths=(1, 2, 3)
    ),
    "--gaussian 2 --axes 2,0 --length 5,7": lambda x: by_numpy(
        x, lambda k: np.exp(-square(k) * 2), (2, 0), lengths=(5, 7)
    ),
    "--gaussian 1 --axes 1": lambda x: by_numpy(x, lambda k: np.exp(-square(k) / 2), (1,)),
    "--band-pass 0.9,2.1": lambda x: by_numpy(x, band(0.9, 2.1)),
    "--band-pass 1,inf": lambda x: by_numpy(x, band(1, math.inf)),
    "--derivative 0": lambda x: by_numpy(x, lambda k: 1j * odd(k[0])),
    "--derivative -1,3 --length 4": lambda x: by_numpy(x, lambda k: (1j * odd(k[2])) ** 3, lengths=(4, 4, 4)),
    "--derivative 1,2": lambda x: by_numpy(x, lambda k: -(k[1] ** 2)),
    "--laplacian": lambda x: by_numpy(x, lambda k: -square(k)),
    "--laplacian --axes 0,1": lambda x: by_numpy(x, lambda k: -square(k), (0, 1)),
    "--poisson": lambda x: by_numpy(x, lambda k: inverse(square(k))),
    "--poisson --axes 2 --length 3": lambda x: by_numpy(x, lambda k: inverse(square(k)), (2,), (3,)),
}


def with_kernel(x: Array, kernel: Array, words: str) -> Array:
    """Returns the result of --convolve or --correlate, with the words of its command."""
    is_convolution = "--convolve" in words
    if "--support" not in words:
        K = np.fft.fftn(kernel)
        return by_numpy(x, lambda k: K if is_convolution else K.conj())
    if is_convolution:
        return scipy.signal.convolve(x, kernel, "full", "direct")[tuple(map(slice, x.shape))]
    full = scipy.signal.correlate(x, kernel, "full", "direct")
    return full[tuple(slice(m - 1, m - 1 + n) for n, m in zip(x.shape, kernel.shape, strict=True))]


KERNELS = ("--convolve same.npy", "--correlate same.npy", "--convolve same.npy --support",
           "--convolve small.npy --support", "--correlate small.npy --support",
           "--correlate large.npy --support")  # fmt: skip
KERNEL_SHAPES = {"same": SHAPE, "small": (2, 3, 1), "large": (7, 2, 11)}


def cosines(x: Array, kinds: tuple[str, ...], factor: Callable[[list[Array]], Array], lengths: Any = None) -> Array:
    """Multiplies cosine and sine spectra by a function of the wavenumbers."""
    first = {"dct1": (0, -1), "dct2": (0, 0), "dct3": (0.5, 0), "dct4": (0.5, 0),
             "dst1": (1, 1), "dst2": (1, 0), "dst3": (0.5, 0), "dst4": (0.5, 0)}  # fmt: skip
    k = []
    X = x
    for axis, kind in enumerate(kinds):
        offset, further = first[kind]
        n = x.shape[axis]
        length = n + further if lengths is None else lengths[axis]
        k.append(np.expand_dims(np.pi / length * (np.arange(n) + offset), other_axes(x, axis)))
        X = getattr(scipy.fft, kind[:3])(X, int(kind[3]), axis=axis)
    X = X * factor(k)
    for axis, kind in enumerate(kinds):
        X = getattr(scipy.fft, f"i{kind[:3]}")(X, int(kind[3]), axis=axis)
    return X


COSINES: dict[str, tuple[tuple[str, ...], Callable[[list[Array]], Array], Any]] = {
    "--gaussian 1.2 --kind dct1": (("dct1",) * 3, lambda k: np.exp(-square(k) * 0.72), None),
    "--laplacian --kind dst1,dct2,dst3": (("dst1", "dct2", "dst3"), lambda k: -square(k), None),
    "--poisson --kind dct2 --length 1,2,3": (("dct2",) * 3, lambda k: inverse(square(k)), (1, 2, 3)),
    "--poisson --kind dst2,dct1,dct4": (("dst2", "dct1", "dct4"), lambda k: inverse(square(k)), None),
    "--derivative 1,2 --kind dct2": (("dct2",) * 3, lambda k: -(k[1] ** 2), None),
}


def assert_close(found: Array, wanted: Array, dtype: Any) -> None:
    assert (found.shape, found.dtype) == (wanted.shape, np.dtype(dtype))
    scale = np.abs(wanted).max()
    tolerance = 1e-5 if np.dtype(dtype).itemsize <= (8 if np.dtype(dtype).kind == "c" else 4) else 1e-12
    np.testing.assert_allclose(found, wanted, rtol=0, atol=tolerance * max(scale, 1))


def saved_inputs(folder: Path) -> tuple[Array, Array]:
    real, complex_ = noise(), noise(dtype="c16", seed=2)
    np.save(folder / "real.npy", real)
    np.save(folder / "complex.npy", complex_)
    for seed, (name, shape) in enumerate(KERNEL_SHAPES.items()):
        np.save(folder / f"{name}.npy", noise(shape, seed=10 + seed))
    return real, complex_


def cases() -> list[tuple[str, str, Callable[[Array], Array]]]:
    """Returns the file, the words and the result of each case."""
    found = []
    for file in ("real", "complex"):
        found += [(file, words, wanted) for words, wanted in PERIODIC.items()]
        for words in KERNELS:
            kernel = noise(
                KERNEL_SHAPES[words.split()[1][:-4]], seed=10 + list(KERNEL_SHAPES).index(words.split()[1][:-4])
            )
            found.append((file, words, lambda x, kernel=kernel, words=words: with_kernel(x, kernel, words)))
        for words, (kinds, factor, lengths) in COSINES.items():
            found.append((file, words, lambda x, k=kinds, f=factor, ls=lengths: cosines(x, k, f, ls)))
    return found


CASES = cases()


@pytest.mark.parametrize(("file", "words", "wanted"), CASES, ids=lambda value: value if isinstance(value, str) else "")
def test_operators_are_those_of_numpy_and_scipy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, file: str, words: str, wanted: Callable[[Array], Array]
) -> None:
    monkeypatch.chdir(tmp_path)
    arrays = dict(zip(("real", "complex"), saved_inputs(tmp_path), strict=True))
    assert here(["filter", f"{file}.npy", "out.npy", *words.split()]) == 0
    assert_close(np.load("out.npy"), wanted(arrays[file]), arrays[file].dtype)


def test_operators_on_ranks(tmp_path: Path, pool: Pool) -> None:
    arrays = dict(zip(("real", "complex"), saved_inputs(tmp_path), strict=True))
    chosen = CASES[: len(CASES) // 2 : 2] + CASES[len(CASES) // 2 + 1 :: 2]  # each once, on real or complex numbers
    commands = [[f"{file}.npy", f"{i}.npy", *words.split()] for i, (file, words, _) in enumerate(chosen)]
    for errors in pool.values("filter_on_ranks.filtered", 3, folder=str(tmp_path), commands=commands):
        assert errors == [""] * len(commands)
    for i, (file, _, wanted) in enumerate(chosen):
        assert_close(np.load(tmp_path / f"{i}.npy"), wanted(arrays[file]), arrays[file].dtype)


def written(path: Path, x: Array) -> list[str]:
    """Writes an array in the format of the ending; returns the options by which weft can read the file."""
    if path.suffix == ".npy":
        np.save(path, x)
    elif path.suffix == ".raw":
        path.write_bytes(x.tobytes())
        return ["--shape", "x".join(map(str, x.shape)), "--dtype", x.dtype.str]
    elif path.suffix == ".h5":
        with pytest.importorskip("h5py").File(path, "w") as file:
            file["data"] = x
    else:
        pytest.importorskip("zarr").save_array(str(path), x)
    return []


def read(path: Path, dtype: Any, shape: tuple[int, ...]) -> Array:
    if path.suffix == ".npy":
        return np.load(path)
    if path.suffix == ".raw":
        return np.fromfile(path, dtype).reshape(shape)
    if path.suffix == ".h5":
        with pytest.importorskip("h5py").File(path) as file:
            return np.asarray(file["data"])
    return np.asarray(pytest.importorskip("zarr").open_array(str(path), mode="r"))


RESULTS = {"f4": "f4", "f8": "f8", "c8": "c8", "c16": "c16", ">f4": "f4", "i2": "f8", "f2": "f4", "g": "g"}
SHAPES = ((7, 9), (2, 3), (11,), (1, 5, 1), (16,))


def files_of_each_format(dtypes: tuple[str, ...]) -> tuple[list[list[str]], list[tuple[Path, str, Array]]]:
    """Writes arrays and kernels; returns the commands, and the file, dtype and numbers of each result."""
    commands, results = [], []
    for i, dtype in enumerate(dtypes):
        for j, ending in enumerate(FORMATS):
            if (ending, dtype) == ("zarr", "g"):
                continue
            shape = SHAPES[(i + j) % len(SHAPES)]
            x, kernel = noise(shape, dtype, 3), noise(shape, dtype, 4)
            name = f"{len(commands)}.{ending}"
            raw = written(Path(f"in{name}"), x)
            written(Path(f"kernel{name}"), kernel)
            commands.append([f"in{name}", f"out{name}", *raw, "--convolve", f"kernel{name}"])
            wide = np.result_type(x.dtype.newbyteorder("="), "f8")
            wanted = with_kernel(x.astype(wide), kernel.astype(wide), "--convolve")
            results.append((Path(f"out{name}"), RESULTS[dtype], wanted))
    return commands, results


def test_files_of_each_format_are_filtered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each format, as array, kernel and result, with numbers of each type."""
    monkeypatch.chdir(tmp_path)
    commands, results = files_of_each_format(tuple(RESULTS))
    assert [here(["filter", *words]) for words in commands] == [0] * len(commands)
    for path, dtype, wanted in results:
        assert_close(read(path, dtype, wanted.shape), wanted, dtype)


def test_formats_on_ranks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pool: Pool) -> None:
    """Also arrays of one axis, and more ranks than planes."""
    monkeypatch.chdir(tmp_path)
    commands, results = files_of_each_format(("f4", "c16"))
    for errors in pool.values("filter_on_ranks.filtered", 3, folder=str(tmp_path), commands=commands):
        assert errors == [""] * len(commands)
    for path, dtype, wanted in results:
        assert_close(read(path, dtype, wanted.shape), wanted, dtype)


def test_grids_on_ranks(tmp_path: Path, pool: Pool) -> None:
    """The process grid of an array of one axis, and a grid that divides the only transformed axis."""
    x = saved_inputs(tmp_path)[0]
    line = noise((20,), seed=5)
    np.save(tmp_path / "line.npy", line)
    commands = [
        ["line.npy", "0.npy", "--grid", "3", "--convolve", "line.npy"],
        ["real.npy", "1.npy", "--grid", "1x3x1", "--poisson", "--axes", "1", "--fewer-ranks"],
    ]
    for errors in pool.values("filter_on_ranks.filtered", 3, folder=str(tmp_path), commands=commands):
        assert errors == ["", ""]
    assert_close(np.load(tmp_path / "0.npy"), with_kernel(line, line, "--convolve"), "f8")
    wanted = by_numpy(x, lambda k: inverse(square(k)), (1,))
    assert_close(np.load(tmp_path / "1.npy"), wanted, "f8")


def test_a_long_line_is_filtered_and_replaces_its_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One complex axis that a plan would treat as two."""
    monkeypatch.chdir(tmp_path)
    x = noise((1 << 18,), "c8")
    np.save("in.npy", x)
    assert here(["filter", "in.npy", "in.npy", "--gaussian", "30", "--threads", "2"]) == 0
    wanted = by_numpy(x, lambda k: np.exp(-square(k) * 450))
    assert_close(np.load("in.npy"), wanted, "c8")
    assert os.listdir() == ["in.npy"]


@pytest.mark.parametrize(
    ("kind", "axes", "weights"),
    [("r2c", "0,1,2", None), ("dct1", "0,1,2", (0, 1, 2)), ("dct2,r2c,dct1", "0,1,2", (2,)), ("r2c", "2,0", None)],
)
def test_the_mean_that_poisson_removes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pool: Pool, kind: str, axes: str, weights: tuple[int, ...] | None
) -> None:
    monkeypatch.chdir(tmp_path)
    x = saved_inputs(tmp_path)[0]
    means = x
    for axis in map(int, axes.split(",")):
        w = np.ones(x.shape[axis])
        if weights is not None and axis in weights:
            w[[0, -1]] = 0.5
        means = np.average(means, axis, w, keepdims=True)
    wanted = max(means.ravel(), key=abs)
    words = ["real.npy", "out.npy", "--poisson", "--kind", kind, "--axes", axes, "--json"]
    for found in pool.values("filter_on_ranks.mean_removed", 3, folder=str(tmp_path), words=words)[:1]:
        assert found == pytest.approx(wanted, rel=1e-13)
    assert found == pytest.approx(pool.values("filter_on_ranks.mean_removed", 1, folder=str(tmp_path), words=words)[0])


def test_poisson_prints_the_means_that_it_removes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    np.save("a.npy", np.array([[1.0, 2], [3, 5]]))
    for options, line in (
        ("", "mean removed: 2.75"), ("--axes 1", "means removed, the largest: 4"), ("--kind dst2", None),
        ("--kind c2c", "mean removed: 2.75+0j"),
    ):  # fmt: skip
        assert here(["filter", "a.npy", "o.npy", "--poisson", *options.split()]) == 0
        lines = capsys.readouterr().out.splitlines()
        assert lines[0].startswith("o.npy: 2x2 ")
        assert ", poisson over axes " in lines[0]
        assert lines[1:] == ([] if line is None else [line])


def test_a_command_on_ranks(tmp_path: Path) -> None:
    saved_inputs(tmp_path)
    words = "filter real.npy out.npy --convolve small.npy --support --json --explain -n 3"
    outcome = weft(*words.split(), cwd=tmp_path)
    assert_done(outcome)
    data = json.loads(outcome.out)
    assert (data["operator"], data["kernel"], data["ranks"]) == ("convolve", "small.npy", 3)
    assert (data["input_shape"], data["grid"], data["output_bytes"]) == ([6, 5, 8], [7, 7, 8], 6 * 5 * 8 * 8)
    assert data["plan"]
    assert all(data[name] >= 0 for name in ("plan_s", "kernel_s", "read_s", "filter_s", "write_s"))


REFUSALS: dict[str, tuple[int, tuple[str, ...]]] = {
    "": (2, ("exactly one operator", "--gaussian", "given none", "choose one")),
    "--laplacian --gaussian 2": (2, ("exactly one operator", "given --gaussian and --laplacian")),
    "--gaussian wide": (2, ("--gaussian must be", "'wide'", "for example")),
    "--gaussian -1": (2, ("--gaussian", "0 or more", "-1")),
    "--gaussian nan": (2, ("--gaussian", "nan")),
    "--gaussian 1,2": (2, ("--gaussian must be a number", "1,2")),
    "--band-pass 2": (2, ("--band-pass", "A,B", "'2'")),
    "--band-pass 2,1": (2, ("0 <= A <= B", "'2,1'")),
    "--derivative x": (2, ("--derivative", "'x'")),
    "--derivative 0,0": (2, ("--derivative", "order from 1", "'0,0'")),
    "--derivative 3": (2, ("--derivative", "one of 0,1,2", "given axis 3")),
    "--derivative 0 --axes 1,2": (2, ("--derivative", "one of 1,2", "given axis 0")),
    "--derivative 0 --kind dct2": (2, ("derivative", "dct2")),
    "--laplacian --length 1,2": (2, ("--length", "each of the 3", "given 2")),
    "--laplacian --length 0": (2, ("--length", "positive")),
    "--laplacian --kind c2r": (2, ("--kind must be one of", "'c2r'")),
    "--laplacian --kind r2c,c2c": (2, ("--kind", "each of the 3 axes")),
    "--laplacian --support": (2, ("--support", "--laplacian", "leave --support out")),
    "--laplacian --dtype int32": (2, ("--dtype", "floating")),
    "--laplacian --grid 2x2x2": (2, ("process grid", "2x2x2")),
    "--convolve same.npy --length 2": (2, ("--length", "--convolve", "leave --length out")),
    "--convolve same.npy --kind dct2": (2, ("convolution", "dct2")),
    "--convolve same.npy --support --kind dst1": (2, ("convolution", "dst1")),
    "--convolve small.npy": (2, ("one shape", "6x5x8", "2x3x1", "--support")),
    "--correlate plane.npy --support": (2, ("as many axes", "6x5x8", "6x5")),
    "--convolve small.npy --support --axes 0,1": (2, ("not transformed", "2x3x1")),
    "--convolve complex.npy": (2, ("real kernel", "complex128", "--kind c2c")),
    "--convolve none.npy": (1, ("must exist", "none.npy")),
}


def test_wrong_commands_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], pool: Pool
) -> None:
    """Each refusal is one message, the same on all ranks, and leaves no file."""
    monkeypatch.chdir(tmp_path)
    saved_inputs(tmp_path)
    np.save("plane.npy", np.ones((6, 5)))
    Path("out.npy").write_bytes(OLD)
    before = sorted(os.listdir())
    commands = [["real.npy", "out.npy", *words.split()] for words in REFUSALS]
    on_ranks = pool.values("filter_on_ranks.filtered", 3, folder=str(tmp_path), commands=commands)
    assert on_ranks[0] == on_ranks[1] == on_ranks[2]
    for words, command, there in zip(REFUSALS, commands, on_ranks[0], strict=True):
        status, expected = REFUSALS[words]
        assert here(["filter", *command]) == status, words
        printed = capsys.readouterr()
        assert printed.out == ""
        assert printed.err.startswith("weft: error: ")
        assert printed.err.count("\n") == 1
        for word in expected:
            assert word in printed.err, (words, printed.err)
            assert word in there, (words, there)
    assert sorted(os.listdir()) == before
    assert Path("out.npy").read_bytes() == OLD


@pytest.mark.parametrize("words", ["--derivative 0", "--convolve same.npy"])
def test_an_operator_that_does_not_fit_is_refused_before_reading(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], words: str
) -> None:
    monkeypatch.chdir(tmp_path)
    saved_inputs(tmp_path)

    def fail(*given: Any) -> None:
        raise AssertionError("the file is read")

    monkeypatch.setattr(array_files, "read_array", fail)
    assert here(["filter", "real.npy", "out.npy", "--kind", "dct2", *words.split()]) == 2
    assert "Fourier kind" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "status", "expected"),
    [
        ("none.npy out.npy --laplacian", 1, ("must exist", "none.npy")),
        ("real.npy out.txt --laplacian", 2, ("must end in", "out.txt")),
        ("complex.npy out.npy --laplacian --kind r2c", 2, ("r2c", "complex128", "c2c")),
        ("huge.raw out.npy --poisson --shape 1024x1024x1048576 --dtype f8", 1, ("must fit in memory", "GiB")),
    ],
)
def test_wrong_files_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], arguments: str, status: int,
    expected: tuple[str, ...],
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    saved_inputs(tmp_path)
    with open("huge.raw", "wb") as file:
        file.truncate(1 << 43)  # a hole: it takes no space
    assert here(["filter", *arguments.split()]) == status
    message = capsys.readouterr().err
    assert all(word in message for word in expected), message
    assert not os.path.exists("out.npy")


def test_numbers_that_are_not_finite_are_a_warning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    x = noise((4, 4))
    np.save("good.npy", x)
    x[1, 2] = math.nan
    np.save("bad.npy", x)
    for words in ("bad.npy out.npy --gaussian 1", "good.npy out.npy --convolve bad.npy"):
        assert here(["filter", *words.split()]) == 0
        assert "weft: warning: bad.npy holds NaN" in capsys.readouterr().err
        assert np.isnan(np.load("out.npy")).all()

"""The interface to numpy: accepted and refused arguments, allocations and requirements."""

from __future__ import annotations

import inspect
import pydoc
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import seeds
import weft

if TYPE_CHECKING:
    from pool import Pool

PACKAGE = Path(weft.__file__).parent
SEVERAL = [1, 2, 3, 8]


def run_python(code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=False)


def test_objects_held_at_the_end_print_nothing() -> None:
    held = "import ctypes, weft; ctypes.pythonapi.Py_IncRef(ctypes.py_object(weft.Layout.slab((4, 6), 1)))"
    done = run_python(held)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


# ---- memory ----


@pytest.mark.parametrize("kind", ["c2c", "r2c"])
@pytest.mark.parametrize("ranks", SEVERAL)
def test_transforms_between_given_arrays_allocate_nothing(pool: Pool, ranks: int, kind: str) -> None:
    found = pool.values("allocations", ranks, kind=kind)
    assert sum(counts["array"] for counts in found) == 64 * 48 * 40 * (16 if kind == "c2c" else 8)
    for counts in found:
        assert counts["weft"] == 0
        assert counts["weft live"] == 0
        # Python's own objects of a call are small; a copy of the array would exceed this bound.
        assert counts["python"] < 16_000 < counts["array"]


@pytest.mark.parametrize("ranks", SEVERAL)
def test_results_are_drawn_from_a_pool(pool: Pool, ranks: int) -> None:
    for found in pool.values("results_from_the_pool", ranks):
        assert found == {"distinct": True, "intact": True, "reused": True}


@pytest.mark.parametrize("ranks", SEVERAL)
def test_arrays_outlive_their_transform(pool: Pool, ranks: int) -> None:
    assert all(pool.values("arrays_outlive_the_transform", ranks))


@pytest.mark.parametrize("ranks", [1, 3])
def test_dropped_transforms_leave_nothing(pool: Pool, ranks: int) -> None:
    for growth in pool.values("many_transforms", ranks, count=300):
        assert growth["duplicates"] == 0
        assert growth["resident"] < 8 << 20


@pytest.mark.parametrize("ranks", SEVERAL)
def test_a_workspace_of_the_caller_gives_the_same_bits(pool: Pool, ranks: int) -> None:
    assert all(pool.values("own_workspace", ranks))


@pytest.mark.parametrize("ranks", [1, 3, 4])
@pytest.mark.parametrize("choices", [{}, {"method": "messages", "chunks": 2}, {"preset": "duke"}], ids=str)
def test_several_arrays_in_one_call_are_as_in_single_calls(pool: Pool, ranks: int, choices: dict[str, Any]) -> None:
    assert all(pool.values("many_arrays", ranks, choices=choices))


def test_several_arrays_that_do_not_fit_are_refused() -> None:
    fft = weft.FFT((4, 4))
    x = fft.input.zeros()
    with pytest.raises(weft.InvalidArgument, match="1 inputs and 2 outputs"):
        fft.forward_many([x], [fft.output.empty(), fft.output.empty()])
    y = fft.output.empty()
    with pytest.raises(weft.InvalidArgument, match="an output of its own"):
        fft.forward_many([x, fft.input.zeros()], [y, y])
    with pytest.raises(weft.LayoutMismatch):
        fft.forward_many([x[:2]])


def test_a_workspace_that_does_not_fit_is_refused() -> None:
    fft = weft.FFT((8, 6))
    if fft.workspace_bytes:
        with pytest.raises(weft.WeftError):
            fft.use_workspace(np.empty(max(1, fft.workspace_bytes - 64), np.uint8))
    with pytest.raises(weft.InvalidArgument, match="contiguous"):
        fft.use_workspace(np.empty(1 << 16, np.uint8)[::2])


# ---- accepted arguments ----


class Exchanged:
    """An array that only has __dlpack__."""

    def __init__(self, array: np.ndarray) -> None:
        self._array = array

    def __dlpack__(self, **options: Any) -> Any:
        return self._array.__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self._array.__dlpack_device__()


def expected_and_input() -> tuple[np.ndarray, np.ndarray]:
    x = np.random.default_rng(seeds.seed(0)).standard_normal((6, 10))
    return np.fft.rfftn(x), x


@pytest.mark.parametrize("form", ["numpy", "memoryview", "dlpack", "array module", "row view", "subclass"])
def test_arrays_of_many_kinds_are_taken(form: str) -> None:
    import array

    expected, x = expected_and_input()
    given: Any = {
        "numpy": lambda: x,
        "memoryview": lambda: memoryview(x),
        "dlpack": lambda: Exchanged(x),
        "array module": lambda: memoryview(array.array("d", x.ravel())).cast("B").cast("d", x.shape),
        "row view": lambda: np.concatenate([x, x])[6:],
        "subclass": lambda: x.view(np.ndarray),
    }[form]()
    X = weft.FFT((6, 10), kind="r2c").forward(given)
    assert isinstance(X, np.ndarray)
    assert np.allclose(X, expected)


def test_out_may_have_only_dlpack() -> None:
    expected, x = expected_and_input()
    X = np.zeros(expected.shape, complex)
    out = Exchanged(X)
    assert weft.FFT((6, 10), kind="r2c").forward(x, out) is out
    assert np.allclose(X, expected)


def test_out_may_be_any_writable_buffer() -> None:
    expected, x = expected_and_input()
    fft = weft.FFT((6, 10), kind="r2c")
    fft.forward(x)
    back = bytearray(x.nbytes)
    fft.backward(expected, memoryview(back).cast("d", x.shape))
    assert np.allclose(np.frombuffer(back).reshape(x.shape), x)


def test_read_only_input_is_taken_out_of_place() -> None:
    expected, x = expected_and_input()
    x.flags.writeable = False
    assert np.allclose(weft.FFT((6, 10), kind="r2c").forward(x), expected)


@pytest.mark.parametrize(
    ("dtype", "real"),
    [
        (None, np.float64),
        ("complex64", np.float32),
        ("float32", np.float32),
        (np.complex128, np.float64),
        (float, np.float64),
        (complex, np.float64),
        ("longdouble", np.longdouble),
        (np.clongdouble, np.longdouble),
    ],
)
def test_any_dtype_of_a_precision_names_it(dtype: Any, real: Any) -> None:
    fft = weft.FFT((4, 6), kind="r2c", dtype=dtype)
    assert fft.input.dtype == real
    assert fft.output.dtype == np.result_type(real, np.complex64)


def test_a_transform_states_and_makes_its_arrays() -> None:
    fft = weft.FFT((4, 6, 5), kind="r2c", axes=(2, 0))
    assert fft.input.shape == (4, 6, 5) and fft.output.shape == (3, 6, 5)
    assert fft.input.box == ((0, 4), (0, 6), (0, 5))
    assert fft.output.layout.box(0) == ((0, 3), (0, 6), (0, 5))
    assert (fft.input.zeros() == 0).all()
    x, X = fft.empty_inplace()
    assert np.shares_memory(x, X) and x.dtype == np.float64 and X.dtype == np.complex128
    assert x.shape == fft.input.shape and X.shape == fft.output.shape
    # weft's own arrays start at multiples of 64 bytes.
    assert fft.input.empty().__array_interface__["data"][0] % 64 == 0


def test_layouts_may_be_given_in_every_form() -> None:
    for form in (weft.Layout.slab((4, 6), 1), (1, 1), [1, 1], np.array([1, 1]), [((0, 4), (0, 6))]):
        fft = weft.FFT((4, 6), input=form, output=form)
        assert fft.input.box == fft.output.box == ((0, 4), (0, 6))


@pytest.mark.parametrize("ranks", SEVERAL)
def test_a_derivative_by_wavenumbers_fits_the_positions(pool: Pool, ranks: int) -> None:
    assert all(pool.values("coordinates", ranks))


def test_norms_are_numpys() -> None:
    x = np.random.default_rng(seeds.seed(1)).standard_normal((5, 8)) + 0j
    for norm in ("backward", "ortho", "forward"):
        fft = weft.FFT((5, 8), norm=norm)
        assert np.allclose(fft.forward(x), np.fft.fftn(x, norm=norm))
        assert np.allclose(fft.backward(x), np.fft.ifftn(x, norm=norm))
    assert np.allclose(weft.FFT((5, 8), sign=1, norm="none").forward(x), np.fft.ifftn(x, norm="forward"))


# ---- moving arrays ----

SHAPE = (9, 7, 6)


def layouts(ranks: int) -> list[weft.Layout]:
    import random

    from weft.verify import draws

    boxes = [list(box) for box in draws.draw_boxes(random.Random(ranks), SHAPE, ranks)]
    return [
        weft.Layout.slab(SHAPE, ranks),
        weft.Layout.pencil(SHAPE, ranks, 1, 2).with_order([2, 0, 1]),
        weft.Layout.brick(SHAPE, ranks),
        weft.Layout.on_one(SHAPE, ranks, ranks - 1),
        weft.Layout.of_boxes(SHAPE, boxes, [1, 2, 0]),
    ]


@pytest.mark.parametrize("ranks", range(1, 9))
def test_redistributed_gathered_and_scattered_arrays_are_right(pool: Pool, ranks: int) -> None:
    chosen = layouts(ranks)
    dtypes = ("float64", "complex64", "int8", "clongdouble", "uint16")
    for index, source in enumerate(chosen):
        target = chosen[(index + 1) % len(chosen)]
        arguments = {"source": source.to_json(), "target": target.to_json(), "dtype": dtypes[index]}
        assert all(pool.values("moved", ranks, shape=SHAPE, **arguments))


def test_redistribute_needs_no_memory_but_the_arrays(pool: Pool) -> None:
    for found in pool.values("resident_peak", 8, elements=1 << 18):
        assert found["local"] == 16 << 20
        assert 1.9 * found["local"] < found["growth"] < 3 * found["local"]


# ---- another MPI, or none ----

FORBID = """
import sys
class Forbid:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in {forbidden!r} or name in {forbidden!r}:
            raise ImportError(name + " is not to be had here")
sys.meta_path.insert(0, Forbid())
"""


def test_planning_needs_no_mpi() -> None:
    code = (
        FORBID.format(forbidden=("weft._running", "mpi4py"))
        + """
import weft
p = weft.plan((64, 64, 64), kind="r2c", ranks=16)
assert len(p.stages) == len(p.exchanges) + 1
assert weft.Plan.from_json(p.to_json()) == p and p.explain()
assert not weft.running_available()
try:
    weft.FFT((4, 4))
except weft.Unsupported as error:
    assert "MPI" in str(error)
else:
    raise SystemExit("not refused")
assert "weft._running" not in sys.modules and "mpi4py" not in sys.modules
"""
    )
    done = run_python(code)
    assert done.returncode == 0, done.stderr


def test_importing_weft_loads_neither_mpi_nor_mpi4py() -> None:
    done = run_python(
        "import sys, weft; weft.plan((8, 8), ranks=4); "
        "assert not {'weft._running', 'mpi4py', 'mpi4py.MPI'} & set(sys.modules)"
    )
    assert done.returncode == 0, done.stderr


def test_one_process_needs_no_mpi4py_and_starts_no_mpi() -> None:
    code = (
        FORBID.format(forbidden=("mpi4py",))
        + f"""
import numpy as np, weft
x = np.random.default_rng({seeds.seed(0)}).standard_normal((6, 10))
assert np.allclose(weft.FFT((6, 10), kind="r2c").forward(x), np.fft.rfftn(x))
from weft import _running
assert not _running.mpi_is_running()
"""
    )
    done = run_python(code)
    assert done.returncode == 0, done.stderr


def test_another_mpi_is_refused_with_the_remedy() -> None:
    code = """
import mpi4py
mpi4py.rc.initialize = False
from mpi4py import MPI
MPI.Get_library_version = lambda: "Another MPI v1.0"
import weft
try:
    weft.FFT((4, 4), comm=MPI.COMM_WORLD)
except weft.Unsupported as error:
    text = str(error)
    assert "Another MPI" in text and "pip install" in text and "same MPI" in text, text
else:
    raise SystemExit("not refused")
"""
    done = run_python(code)
    assert done.returncode == 0, done.stderr


def test_a_communicator_before_mpi_runs_is_refused() -> None:
    code = """
import mpi4py
mpi4py.rc.initialize = False
from mpi4py import MPI
import weft
try:
    weft.FFT((4, 4), comm=MPI.COMM_WORLD)
except weft.WeftError as error:
    assert "MPI" in str(error), error
else:
    raise SystemExit("not refused")
"""
    done = run_python(code)
    assert done.returncode == 0, done.stderr


# ---- help and types ----

PUBLIC = [name for name in weft.__all__ if not name.startswith("__")]


@pytest.mark.parametrize("name", PUBLIC)
def test_every_public_name_has_help(name: str) -> None:
    thing = getattr(weft, name)
    assert len(inspect.getdoc(thing) or "") > 15, name
    text = pydoc.render_doc(thing, renderer=pydoc.plaintext)
    assert name in text
    if inspect.isclass(thing) and not issubclass(thing, Exception):
        for member, value in vars(thing).items():
            if member in getattr(thing, "__dataclass_fields__", {}):
                assert f"\n{member} : " in text.replace(" |  ", ""), f"{name}.{member} is not in the docstring"
            elif not member.startswith("_"):
                assert inspect.getdoc(value), f"{name}.{member} has no docstring"


def test_help_on_the_transform_fits_two_screens() -> None:
    """A screen has 65 lines."""
    text = pydoc.render_doc(weft.FFT, renderer=pydoc.plaintext)
    assert text.count("\n") <= 2 * 65, text


def test_public_names_exist_once() -> None:
    assert len(set(weft.__all__)) == len(weft.__all__)
    assert weft.__doc__ and weft.__version__


@pytest.mark.parametrize("module", ["_planning", "_running"])
def test_stubs_are_shipped_and_complete(module: str) -> None:
    stub = (PACKAGE / f"{module}.pyi").read_text()
    assert (PACKAGE / "py.typed").exists()
    compile(stub, f"{module}.pyi", "exec")
    __import__(f"weft.{module}")
    for name in vars(sys.modules[f"weft.{module}"]):
        if not name.startswith("_"):
            assert name in stub, f"{module}.pyi does not have {name}"


SAMPLE = """
import numpy as np
import weft

fft = weft.FFT((8, 6), kind="r2c", input=weft.Layout.slab((8, 6), 1), output="any")
x = fft.input.empty()
X: np.ndarray = fft.forward(x)
box: tuple[tuple[int, int], ...] = fft.input.box
grid: tuple[int, ...] = weft.plan((8, 8), ranks=4).input.process_grid
error: ValueError = weft.InvalidArgument("no")
"""
WRONG = """
import weft

weft.FFT((8, 6), kind=3)
weft.Layout.slab((8, 6), "two")
weft.plan((8, 8), ranks=4).phases
"""


def test_type_checkers_read_the_package(tmp_path: Path) -> None:
    from mypy import api  # takes a second to load

    for name, text in (("sample.py", SAMPLE), ("wrong.py", WRONG)):
        (tmp_path / name).write_text(text)
    flags = [
        "--python-executable",
        sys.executable,
        "--cache-dir",
        str(tmp_path / "cache"),
        "--follow-imports=silent",
    ]
    said, trouble, status = api.run([*flags, str(tmp_path / "sample.py")])
    assert status == 0, said + trouble
    said, _, status = api.run([*flags, str(tmp_path / "wrong.py")])
    assert status == 1
    assert said.count("error:") >= 3, said

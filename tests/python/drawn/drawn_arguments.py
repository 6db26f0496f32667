"""Arguments of Python calls, as text: good, bad and odd ones, by the name of the argument."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from drawn_files import BAD_ARRAYS, BAD_OUTPUTS, GOOD_ARRAYS, GOOD_OUTPUTS, JSON_KINDS, MUTANTS
from weft._planning import WORDS

# Expressions that make an object of each class with methods.
OBJECTS: dict[str, tuple[str, ...]] = {
    "Layout": ("weft.Layout.slab((4, 6), {ranks})", "weft.Layout.on_one((4, 6), {ranks})",
        "weft.FFT((4, 6)).output.layout"),
    "Plan": ("weft.plan((4, 6), ranks={ranks})", "weft.FFT((4, 6)).plan"),
    "Machine": ("weft.Machine.shipped('celerons')", "weft.Machine.shipped('bgl-512')"),
    "Wisdom": ("weft.Wisdom()", "weft.Wisdom.load('wisdom.json')"),
    "FFT": (
        "(f := weft.FFT((4, 6), comm=comm))", "(f := weft.FFT((4, 6), kind='r2c', comm=comm))",
        "(f := weft.FFT((8, 8), workspace=False, comm=comm))", "(f := weft.FFT((16,), dtype='float32', comm=comm))",
    ),
    "Halo": (
        "(h := weft.Halo(weft.Layout.slab((4, 6), {ranks}), comm=comm))",
        "(h := weft.Halo(weft.Layout.slab((4, 6), {ranks}, 1), (3, 0), (True, False), comm=comm, dtype='complex64'))",
    ),
    "Side": ("weft.FFT((4, 6), comm=comm).input", "weft.FFT((4, 6), kind='r2c', comm=comm).output"),
    "StripedArray": ("weft.ooc.open_set('set.json')", "weft.ooc.open_set('set.json', writable=True)"),
    "BitPermutation": ("weft.ooc.BitPermutation((2, 1))", "weft.ooc.BitPermutation((8, 4, 2, 1))"),
    "Problem": ("weft.plan((4, 6)).problem",),
    "LineEngine": ("weft.FFT((4, 6)).plan.line_engines[0]",),
    "EngineVersion": ("weft.FFT((4, 6)).plan.engines[0]",),
    "PlannedExchange": ("weft.plan((4, 6), ranks=3).exchanges[0]",),
    "OutOfCorePlan": ("weft.ooc.plan((64, 64), memory_bytes=1 << 20)",),
}  # fmt: skip
# Arguments that say which ranks take part: each rank gives the same.
SAME_ON_RANKS = {"comm", "fft"}
# Methods that are not called, because they are Python's own.
NOT_CALLED = {"add_note", "with_traceback"}
# Methods of collective objects that are local, so that a rank may refuse its arguments alone.
LOCAL = {"inner", "positions", "use_workspace", "wavenumbers"}
VALUES_ALONE = {
    "CrossSpectrum", "LoadProgress", "PassPrice", "Price", "Progress", "RecordRunReport", "RunReport", "Spectrum",
    "Way", "Ways",
}  # fmt: skip
NOT_MADE = {"Side", "StripedArray"}  # only weft makes these

ODD = (
    "None", "True", "-1", "0", "1.5", "float('nan')", "float('inf')", "'x'", "''", "b'x'", "[]", "{}", "()",
    "object()",
    "2**31", "2**63", "2**70", "10**5000", "-2**70", "'\\ud800'", "'a\\0b'", "'a\\nb'", "lambda: 1", "int", "...",
    "1j",
    "np.float64('nan')", "np.array([])", "np.array(3)", "np.zeros((2, 2))", "range(10**9)", "iter([1, 2])", "[None]",
    "[[1, 2], [3]]", "{1: 2}", "set()", "np.int8(3)", "np.bool_(True)", "'9' * 5000", "NotImplemented", "Ellipsis",
    "weft",
    "[float('nan')]", "('a', 1)", "Exception('x')", "weft.Layout.slab((4, 6), 1)", "weft.plan((4, 6))",
    "memoryview(b'ab')",
    "type('Odd', (), {'__repr__': lambda self: 1 / 0})()", "type('Odd', (), {'__index__': lambda self: 1 / 0})()",
    "type('Odd', (), {'__iter__': lambda self: 1 / 0})()", "type('Odd', (), {'__fspath__': lambda self: 1 / 0})()",
    "type('Odd', (), {'__float__': lambda self: 1 / 0})()", "type('Odd', (str,), {})('x')",
    "type('Odd', (int,), {})(3)",
    "type('Odd', (), {'__array__': lambda self, *a, **k: 1 / 0})()",
    "type('Odd', (), {'__len__': lambda self: -1})()",
    "type('Odd', (), {'__getattr__': lambda self, name: 1 / 0})()",
    "type('Odd', (), {'__eq__': lambda self, x: 1 / 0})()",
)  # fmt: skip


@dataclass(frozen=True)
class Texts:
    """Good and bad texts for an argument."""

    good: tuple[str, ...]
    bad: tuple[str, ...] = ()
    odd: bool = True


def names(given: Any) -> tuple[str, ...]:
    return tuple(map(repr, given))


_SHAPES = Texts(
    ("(4, 6)", "(4, 6)", "(8,)", "8", "[3, 4, 5]", "np.array([4, 6])", "(16, 16)", "(1,)", "(7, 5)"),
    ("()", "(0, 4)", "(-1, 4)", "(2.5, 3)", "'4x6'", "(2**63, 2)", "(2**40, 2**40)", "(True, 4)", "[[4, 6]]",
     "(1,) * 9",
     "(np.nan, 2)", "(10**5000,)", "(4, None)"),
)  # fmt: skip
_RANKS = Texts(("1", "3", "3", "8", "np.int64(3)"), ("0", "-1", "2**31", "2**63", "2.0", "'3'", "[3]", "2**20 + 1"))
_PATHS = Texts(
    (*names(name.partition(":")[0] if ":" not in name else name for name in GOOD_ARRAYS),), names(BAD_ARRAYS)
)
_TARGETS = Texts(names(("out.npy", "out.raw", "out.json", "old.npy")), names(BAD_OUTPUTS))
_ARRAYS = Texts(
    ("np.ones((4, 6))", "np.ones((4, 6), complex)", "np.ones((8, 8), complex)", "np.ones(16, 'c8')"),
    ("np.ones((6, 4)).T", "np.ones((4, 6), order='F')", "np.ones(24)", "np.ones((4, 12))[:, ::2]", "np.zeros((0, 6))",
     "np.ones((4, 6), object)", "np.ones((4, 6), '>f8')", "np.ones((4, 6), 'i4')", "[[1.0] * 6] * 4",
     "np.ma.ones((4, 6))",
     "np.matrix(np.ones((4, 6)))", "np.broadcast_to(1.0, (4, 6))", "np.full((4, 6), np.nan)",
     "np.zeros((4, 6), 'S4')",
     "np.zeros((4, 6), 'M8[s]')", "np.zeros((4, 6), [('a', 'f8')])",
     "np.lib.stride_tricks.as_strided(np.ones(6), (4, 6), (0, 8))"),
)  # fmt: skip
_LAYOUTS = Texts(
    ("weft.Layout.slab((4, 6), {ranks})", "weft.Layout.slab((4, 6), {ranks}, 1)",
     "weft.Layout.on_one((4, 6), {ranks})",
     "weft.Layout.slab((4, 6), {ranks}).with_order([1, 0])"),
    ("weft.Layout.slab((4, 6), 2)", "weft.Layout.slab((6, 4), {ranks})", "(1, 1)", "'slab'", "weft.Layout",
     "[[(0, 4), (0, 6)]]"),
)  # fmt: skip
_SIDES = Texts(
    ("None", "'same'", "'any'", "({ranks}, 1)", "(1, {ranks})", *_LAYOUTS.good),
    ("'given'", "'x'", "(2, 2)", "(0, 1)", "[[(0, 4), (0, 6)]]", "[[(0, 3), (0, 6)]]", "[[(0, 1)]]",
     "[[(6, 0), (0, 6)]]",
     "[[(0, 4), (0, 'x')]]", *_LAYOUTS.bad),
)  # fmt: skip
_MACHINES = Texts(
    ("'celerons'", "'infiniband-64'", "'fixed-rule'", "weft.Machine.shipped('bgl-512')", "'machine.json'"),
    (*(f"'machine-{number}.json'" for number in range(MUTANTS)), "'nonsense'", "'fifo.json'", "'folder'",
     "'/dev/zero'",
     "'real.npy'", "'deep.json'", "''"),
)  # fmt: skip
_KINDS_ON_DISKS = Texts(
    (
        "'c2c'",
        "'r2c'",
        "'c2r'",
        "'dct2'",
        "'dst1'",
        "('dct2', 'r2c')",
        "('dct3', 'c2r')",
        "['c2c', 'dst4']",
        "('dct1',)",
    ),
    ("'x'", "''", "'C2C'", "5", "()", "('r2c', 'r2c')", "('dct2',) * 5", "('c2c', 5)"),
)
_SIZES = Texts(("1 << 20", "65536", "2**24"), ("0", "-1", "1", "2**63", "1e6", "'1MiB'", "7"))
_COUNTS = Texts(("1", "2"), ("0", "-1", "2**31", "2**63", "1.0", "'2'", "4097"))
_FOLDERS = Texts(
    ("()", "['disk0']", "['disk0', 'disk1']", "('folder',)"),
    (
        "'disk0'",
        "['none']",
        "['real.npy']",
        "[5]",
        "['']",
        "['fifo']",
        "['/dev/null']",
        "['disk0', 'disk0']",
        "['\\udcff']",
    ),
)
_FLAGS = Texts(("True", "False"))
_WEIGHTS = Texts(("1e-6", "1.0", "None"), ("-1", "float('nan')", "'x'", "10**400"))


_FUNCTIONS = Texts(
    ("weft.operators.inverse_laplacian()", "weft.operators.gaussian(1.0)", "lambda tile: None"),
    ("5", "'x'", "lambda: None", "lambda tile: 1 / 0", "weft.operators.curl()", "weft.operators.derivative(7)",
     "weft.operators.laplacian", "math.sqrt"),
)  # fmt: skip


def _word_of(option: str) -> Texts:
    """Returns the words of an option of exchanges, as weft has them."""
    return _word(*(word for word in WORDS[option] if word != "automatic"))


def _word(*good: str) -> Texts:
    return Texts(names(good), ("'x'", "''", repr(good[0].upper()), "5"))


_JSON = tuple(f"open('{kind}.json').read()" for kind in JSON_KINDS)
_PLACES = Texts(
    ("[(0, 0), (1, 0)]", "((0, 0),)"), ("[]", "[(0,)]", "[(-1, 0)]", "[0]", "[('a', 0)]", "[(2**70, 0)]", "5")
)
# Texts by the name of an argument. OWN_TEXTS has those for one function only.
TEXTS: dict[str, Texts] = {
    "shape": _SHAPES,
    "ranks": _RANKS,
    "ranks_per_node": _RANKS,
    "rank": Texts(("0", "{ranks} - 1"), ("-1", "{ranks}", "2**31", "2**63", "'0'", "0.0")),
    "root": Texts(("0", "{ranks} - 1"), ("-1", "{ranks}", "2**40", "'0'", "0.0", "[0]")),
    "owner": Texts(("0",), ("-1", "{ranks}", "2**40", "'0'")),
    "axis": Texts(("0", "1"), ("-1", "2", "2**40", "'0'")),
    "first_axis": Texts(("0",), ("1", "2", "-1")),
    "second_axis": Texts(("1",), ("0", "2", "-1")),
    "axes": Texts(("None", "(0,)", "(1,)", "(0, 1)", "-1"), ("()", "(2,)", "(0, 0)", "'0'", "(0.0,)", "(2**40,)",
        "(-3,)")),
    "order": Texts(("None", "(1, 0)", "(0, 1)"), ("(0,)", "(0, 0)", "(5, 6)", "'10'", "(2**40, 0)", "'xyzt'",
        "(-1, -2)")),
    "grid": Texts(("({ranks}, 1)", "(1, {ranks})"), ("(2, 2)", "(0, 1)", "(1,)", "'1x1'", "(2**40, 2**40)")),
    "boxes": Texts(("[[(0, 4), (0, 6)]]",), ("[]", "[[(0, 3), (0, 6)]]", "[[(0, 1)]]", "[[(9, 0), (0, 6)]]", "[0]",
        "[[[0, 4, 5]]]")),
    "box": Texts(("[(0, 4), (0, 6)]", "[(0, 0), (0, 0)]"), ("[]", "[(0, 3), (0, 6)]", "[(4, 0), (0, 6)]", "[0]",
        "[('a', 0)]")),
    "layout": _LAYOUTS,
    "source": _LAYOUTS,
    "target": _LAYOUTS,
    "other": _LAYOUTS,
    "input": _SIDES,
    "output": _SIDES,
    "kind": Texts(("'c2c'", "'r2c'", "'dct2'", "'dst4'", "('dct1', 'r2c')", "['c2c', 'dst1']"), ("'x'", "''", "'C2C'",
        "5", "()", "('r2c', 'r2c')", "('dct2',) * 5", "('c2c', 5)")),
    "widths": Texts(("1", "2", "(1, 2)", "[(1, 0), 3]", "((0, 0), (4, 6))", "np.int64(2)", "[0, 1]"), ("-1",
        "5", "(1, 7)", "(1, 2, 3)", "()", "[(1, 2, 3), 1]", "'2'", "2.0", "(1, None)", "[(1, -1), 0]", "2**63",
        "[[1, 'x'], 1]")),
    "periodic": Texts(("True", "False", "(True, False)", "[0, 1]", "np.array([True, True])"), ("'no'", "()",
        "(True,) * 3", "('x', True)", "[[True], [False]]")),
    "modes": Texts(("None", "'2/3'", "2", "(2, None)", "['2/3', 3]"), ("0", "-1", "9", "'1/3'", "2.5", "()",
        "(1, 1, 1)", "2**70", "('2/3', 'x')", "[[2]]", "b'2/3'")),
    "components": Texts(("None", "1", "3", "np.int64(2)"), ("0", "-1", "2.5", "'3'", "(3,)", "2**62", "2**70")),
    "like": Texts(("None", "weft.plan((4, 6), ranks={ranks})", "weft.plan((4, 6), ranks={ranks}, kind='r2c')"),
        ("weft.plan((4, 6), ranks=7)", "weft.plan((2, 2), ranks={ranks})", "weft.FFT((5, 3))", "5", "weft.FFT",
         "weft.Layout.slab((4, 6), {ranks})")),
    "dtype": Texts(("None", "'float64'", "'complex64'", "np.float32", "np.longdouble"), ("'int32'", "'O'", "'x'",
        "'\\ud800'", "object")),
    "norm": _word("backward", "ortho", "forward", "none"),
    "sign": Texts(("-1", "1"), ("0", "2", "'-1'", "1.0", "2**40")),
    "threads": _COUNTS,
    "effort": _word("estimate", "measure"),
    "overwrite_input": _FLAGS,
    "method": _word_of("method"),
    "wire_form": _word_of("wire_form"),
    "schedule": _word_of("schedule"),
    "requests": _word_of("requests"),
    "chunks": Texts(("None", "1", "2", "'slices'"), ("0", "-1", "'x'", "2**31", "1.5", "2**70")),
    "preset": _word("fftw", "dmitruk", "duke", "p3dfft"),
    "nodes": _word_of("nodes"),
    "wire": _word("f32"),
    "piece_bytes": Texts(("None", "64", "65536"), ("0", "-1", "2**63", "1.5")),
    "exchange": Texts(("None", "'duke'", "weft.Exchange(method='messages', chunks=2)", "weft.Exchange(preset='fftw')"),
        ("'x'", "5", "weft.Exchange(method=5)", "weft.Exchange(chunks=0)", "weft.Planning()", "weft.Exchange")),
    "planning": Texts(("None", "weft.Planning(effort='measure', budget_s=0.01)", "weft.Planning(machine='celerons')",
        "weft.Planning(wisdom='wisdom.json')", "weft.Planning(all_ranks=False)"),
        ("'fixed-rule'", "5", "weft.Planning(machine='nonsense')", "weft.Planning(budget_s=-1)",
         "weft.Planning(effort=5)", "weft.Planning(wisdom='fifo', effort='measure', budget_s=0.01)",
         "weft.Exchange()")),
    "engine": _word("fftw"),
    "workspace": Texts(("None", "False"), ("np.zeros(1)", "np.zeros(10**6, 'u1')[::2]", "b'x'", "np.zeros((0,))")),
    "memory": Texts(("np.zeros(10**6, 'u1')",), ("np.zeros(1)", "b'x' * 10**6", "np.zeros(10**6, 'u1')[1:]")),
    "machine": _MACHINES,
    "given": _MACHINES,
    "all_ranks": Texts(("None", "True", "False")),
    "budget_s": Texts(("0", "0.01"), ("-1", "float('nan')", "'x'", "None", "10**400"), odd=False),
    "seconds": Texts(("0.01",), ("0", "-1", "float('nan')", "float('inf')", "'x'", "None", "10**400"), odd=False),
    "wisdom": Texts(("None", "'wisdom.json'", "'new.json'"), (*(f"'wisdom-{n}.json'" for n in range(MUTANTS)),
        "'folder'", "'fifo'", "5")),
    "a": _ARRAYS,
    "x": _ARRAYS,
    "X": _ARRAYS,
    "out": Texts(("None", *_ARRAYS.good), _ARRAYS.bad),
    "values": Texts(("np.ones(4)", "[1, 2]"), ("np.ones(10**4)", "'x'", "[object()]")),
    "xs": Texts(("[np.ones((4, 6), complex)]", "[]"), ("[np.ones(3)]", "[None]", "np.ones((4, 6))", "5")),
    "outs": Texts(("None",), ("[]", "[None]", "5")),
    "fft": Texts(("(f := weft.FFT((4, 6), comm=comm))", "(f := weft.FFT((4, 6), kind=('dct1', 'r2c'), comm=comm))",
        "(f := weft.FFT((4, 6), components=2, comm=comm))"),
        ("weft.FFT", "weft.plan((4, 6))", "weft.FFT((4, 6), comm=comm).output")),
    "L": Texts(("1.0", "(1.0, 2.0)"), ("0", "-1.0", "float('nan')", "'x'", "(1,)", "(1, 'x')", "None")),
    "text": Texts(_JSON, (*(f"open('{kind}-{n}.json').read()" for kind in JSON_KINDS for n in range(3)), "'{}'",
        "'['", "'[' * 10**5")),
    "name": Texts(("'celerons'", "'bgl-512'"), ("'nonsense'", "''", "'../celerons'", "'\\0'")),
    "plan": Texts(("weft.plan((4, 6), ranks={ranks})",), ("weft.plan((4, 6), ranks=7)", "5", "weft.plan")),
    "error": Texts(("None",), ("ValueError('x')", "KeyError('x')", "5", "'x'", "SystemExit(3)")),
    "places": _PLACES,
    "hosts": Texts(("['a', 'b']",), ("[]", "['a', 'a']", "5", "[5, 6]", "['a\\n', 'b']", "'ab'")),
    "disks": _FOLDERS,
    "directories": Texts(("['disk0']", "['disk0', 'disk1']"), _FOLDERS.bad),
    "path": Texts(("'wisdom.json'", "'new.json'"), (*(f"'wisdom-{n}.json'" for n in range(MUTANTS)), "'none/x'",
        "'folder'", "'fifo'", "'loop.npy'")),
    "others": Texts(("weft.Wisdom.load('wisdom.json')",), ("5", "'x'")),
    "first": Texts(("0", "3"), ("-1", "100", "2**63", "'x'", "1.5")),
    "count": Texts(("None", "1", "4"), ("-1", "100", "2**63", "'x'", "1.5")),
    "span": Texts(("2**20",), ("0", "-1", "3", "2**70", "2.0")),
    "superlevels": Texts(("1", "2"), ("0", "-1", "2**31", "2.0")),
    "memory_bytes": _SIZES,
    "block_bytes": Texts(("4096", "65536", "None"), _SIZES.bad),
    "record_bytes": Texts(("16", "8"), ("0", "-1", "3", "2**63")),
    "points": Texts(("2**25", "2**30"), ("0", "-1", "3", "2**63", "2**62")),
    "processors": _COUNTS,
    "depth": _COUNTS,
    "band_bytes": Texts(("0", "4096"), ("-1", "3", "2**63")),
    "skew_rows": Texts(("None", "0", "1"), ("-1", "2**63", "1.5")),
    "buffers": Texts(("None", "(2, 4)"), ("(0, 0)", "(1,)", "5", "(2**70, 1)")),
    "factoring": _word("published", "least-crossing"),
    "methods": Texts(("weft.ooc.METHODS", "()"), ("('x',)", "'x'", "5", "(5,)")),
    "asynchronous": _FLAGS,
    "analyses": Texts(("weft.ooc.analyze(2**25, memory_bytes=2**24, block_bytes=8192)",), ("()", "5", "(5,)")),
    "found": Texts(("weft.ooc.analyze(2**25, memory_bytes=2**24, block_bytes=8192)[0]",), ("5",)),
    "message_s": _WEIGHTS,
    "byte_s": _WEIGHTS,
    "checksums": _FLAGS,
    "writable": _FLAGS,
    "verify": _FLAGS,
    "rows": Texts(("(2, 1)", "(1, 2, 4)"), ("()", "(1, 1)", "(0,)", "(5,)", "(2**70,)", "('a',)")),
    "complement": Texts(("0", "1"), ("-1", "4", "2**70", "'x'")),
    "backend": _word("automatic", "threads", "synchronous", "io_uring"),
    "permutation": Texts(("weft.ooc.BitPermutation((8, 4, 2, 1))", "'bit-reversal'"), ("'x'", "5",
        "weft.ooc.BitPermutation((1,))")),
    "inverse": _FLAGS,
    "precision": _word("f32", "f64"),
    "last": Texts(("None",), ("0", "-1", "7", "2**63", "1.5", "'8'")),
    "scratch": Texts(("None", "'folder'", "['disk0', 'disk1']"), _FOLDERS.bad[1:]),
    "checkpoint": Texts(("None", "0"), ("-1", "float('nan')", "'x'", "float('inf')")),
    "restart": _FLAGS,
    "in_place": _FLAGS,
    "progress": Texts(("None", "lambda p: None"), ("5", "lambda: None", "lambda p: 1 / 0")),
    "index": Texts(("'set.json'", "'new.json'"), (*(f"'set-{n}.json'" for n in range(MUTANTS)), "'cut-set.json'",
        "'lost-set.json'", "'fifo.json'",
                    "'folder'", "'none/x.json'", "'real.npy'", "'/dev/zero'", "'deep.json'")),
    "preserve_inputs": _FLAGS,
    "support": Texts(("None", "2", "(2, None)", "[3, 3]"), ("0", "-1", "9", "'2/3'", "2.5", "()", "2**70")),
    "apply_in": Texts(("None", "'spectrum'", "'space'"), ("'x'", "''", "'SPACE'", "5")),
    "inputs": _COUNTS,
    "outputs": Texts(("None", *_COUNTS.good), _COUNTS.bad),
    "before": _FLAGS,
    "after": _FLAGS,
    "fields": Texts(("None", "(1, 1)", "(2, 1)"), ("(0, 1)", "()", "5", "(1, 2, 3)", "(2**70, 1)", "('a', 1)")),
    "function": _FUNCTIONS,
    "input_dtype": Texts(("None", "'float64'"), ("'x'", "5")),
}  # fmt: skip
OWN_TEXTS: dict[tuple[str, str], Texts] = {
    ("weft.save", "path"): Texts(names(GOOD_OUTPUTS), (*names(BAD_OUTPUTS), "5", "b'out.npy'", "['out.npy']")),
    ("weft.save", "chunks"): Texts(("None", "(2, 3)", "[9, 9]"), ("()", "(0, 1)", "(2,)", "'2x3'", "(2**70, 1)", "5")),
    ("weft.load", "path"): Texts((*_PATHS.good, "'out.npy'"), (*_PATHS.bad, "5", "b'real.npy'", "['real.npy']")),
    ("weft.load", "layout"): Texts(("None", *_LAYOUTS.good), _LAYOUTS.bad),
    ("weft.ooc.fft", "source"): _PATHS,
    ("weft.ooc.fft", "target"): Texts((*_TARGETS.good, "None"), _TARGETS.bad),
    ("weft.ooc.fft", "kind"): _KINDS_ON_DISKS,
    ("weft.ooc.alternatives", "kind"): _KINDS_ON_DISKS,
    ("weft.ooc.fft", "order"): _word("natural", "transposed"),
    ("weft.ooc.fft", "method"): _word("auto", "k-pass", "bmmc:stripe-major/communication"),
    ("weft.ooc.alternatives", "order"): _word("natural", "transposed"),
    ("weft.ooc.alternatives", "method"): _word("auto", "k-pass"),
    ("weft.ooc.permute", "source"): _PATHS,
    ("weft.ooc.permute", "target"): _TARGETS,
    ("weft.ooc.detect", "targets"): Texts(("'targets.npy'", "'integers.npy'"), _PATHS.bad),
    ("weft.ooc.discard", "target"): _TARGETS,
    ("weft.mapping.places", "order"): Texts(("None", "'xyzt'", "'t'"), ("'xx'", "''", "5", "(1, 0)")),
    ("weft.mapping.reordered", "order"): Texts(("None", "'xyzt'"), ("'xx'", "5")),
    ("weft.Machine.with_order", "order"): Texts(("'xyzt'", "''"), ("'xx'", "5", "'\\0'")),
    ("weft.FFT.forward", "x"): Texts(("f.input.zeros()", "f.empty_inplace()[0]"), (*_ARRAYS.bad, "f.output.zeros()")),
    ("weft.FFT.backward", "X"): Texts(("f.output.zeros()", "f.empty_inplace()[1]"), (*_ARRAYS.bad, "f.input.zeros()")),
    ("weft.spectrum", "X"): Texts(("f.output.zeros()", "f.forward(f.input.zeros())"), (*_ARRAYS.bad, "5")),
    ("weft.cross_spectrum", "X"): Texts(("f.output.zeros()",), (*_ARRAYS.bad, "f.input.zeros()[1:]")),
    ("weft.cross_spectrum", "Y"): Texts(("f.output.zeros()",), (*_ARRAYS.bad, "f.output.zeros().astype('c8')")),
    ("weft.FFT.forward", "out"): Texts(("f.output.zeros()", "None"), (*_ARRAYS.bad, "f.input.zeros()")),
    ("weft.FFT.backward", "out"): Texts(("f.input.zeros()", "None"), (*_ARRAYS.bad, "f.output.zeros()")),
    ("weft.Halo", "dtype"): Texts(
        ("None", "'float32'", "'complex128'", "'int16'", "'i4,f8'"), ("'x'", "'O'", "'S0'", "'\\ud800'", "object", "5")
    ),
    ("weft.Halo.fill", "a"): Texts(("h.zeros()", "h.empty()"), (*_ARRAYS.bad, "h.inner(h.zeros())")),
    ("weft.Halo.accumulate", "a"): Texts(("h.zeros()",), (*_ARRAYS.bad, "h.inner(h.zeros())")),
    ("weft.Halo.inner", "a"): Texts(("h.zeros()", "h.empty()"), (*_ARRAYS.bad, "h.inner(h.zeros())")),
    ("weft.FFT.forward_many", "xs"): Texts(
        ("[f.input.zeros()] * 2", "[]", "()"), ("[f.input.zeros(), 5]", "[None]", "5")
    ),
    ("weft.FFT.backward_many", "Xs"): Texts(
        ("[f.output.zeros()] * 2", "[]", "()"), ("[f.output.zeros(), 5]", "[None]", "5")
    ),
    ("weft.FFT.apply_in_spectrum", "inputs"): Texts(
        ("[f.input.zeros()]",), ("[]", "[f.output.zeros()]", "[None]", "5")
    ),
    ("weft.FFT.apply_in_space", "inputs"): Texts(("[f.output.zeros()]",), ("[]", "[f.input.zeros()]", "[None]", "5")),
    ("weft.FFT.apply_in_spectrum", "outputs"): Texts(
        ("None", "1", "[f.input.zeros()]"), ("0", "[]", "[None]", "2**40", "[f.output.zeros()]")
    ),
    ("weft.FFT.apply_in_space", "outputs"): Texts(
        ("None", "1", "[f.output.zeros()]"), ("0", "[]", "[None]", "2**40", "[f.input.zeros()]")
    ),
    ("weft.FFT.apply_in_spectrum", "before"): Texts(("None", "lambda tile: None"), _FUNCTIONS.bad),
    ("weft.FFT.apply_in_space", "before"): Texts(("None", "lambda tile: None"), _FUNCTIONS.bad),
    ("weft.FFT.apply_in_spectrum", "after"): Texts(("None", "lambda tile: None"), _FUNCTIONS.bad),
    ("weft.FFT.apply_in_space", "after"): Texts(("None", "lambda tile: None"), _FUNCTIONS.bad),
    ("weft.FFT.use_workspace", "memory"): Texts(
        ("np.zeros(f.workspace_bytes, 'u1')",),
        ("np.zeros(f.workspace_bytes + 1, 'u1')[1:]", "np.zeros(1)", "b'x' * 10**6"),
    ),
    ("weft.Layout.with_components", "count"): Texts(("1", "3"), ("0", "-1", "2**63", "2**62", "'3'", "1.5")),
    ("weft.probe", "name"): Texts(("None", "'name'"), ("5", "''", "'\\ud800'")),
    ("weft.local_machine", "threads"): Texts(("1",), ("0", "-1", "2**31", "'2'")),  # more than cores take minutes
    ("weft.probe", "threads"): Texts(("1", "2"), ("0", "-1", "2**31", "'2'")),
}
# Functions that take any options, and the function to which these options belong.
PASSED_ON = {"weft.candidates": "plan", "weft.ooc.plan": "ooc.alternatives", "weft.ooc.cheapest": "ooc.message_seconds"}
BUDGETS = {"seconds", "budget_s"}

"""Headers of .npy files, drawn at random: weft accepts and refuses the same files as numpy.load."""

from __future__ import annotations

import io
import struct
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import seeds
import weft
from weft.files import open_source
from weft.files.npy import header_bytes

DRAWN = 1000
MAGIC = b"\x93NUMPY"
# The same bytes follow each drawn header: none of their numbers is a NaN.
CONTENT = np.random.default_rng(1).integers(0, 100, 4096, np.uint8).tobytes()

DESCRS = [
    *(
        "'<f8'",
        "'>f8'",
        "'|u1'",
        "'<c16'",
        "'>c8'",
        "'<i4'",
        "'|b1'",
        "'?'",
        "'<f2'",
        "'=f4'",
        "'>i8'",
        "'|i1'",
        "'|f8'",
    ),
    *("'f8'", "'double'", "'float64'", "'d'", "'int'", "u'<f8'", "b'<f8'", "r'<f8'", "'<f' '8'", "'''<f8'''"),
    *("None", "8", "()", "[]", "''", "'<f9'", "'f8,'", "'f4,i2'", "'<f8 '", "'é'", "'<f99999999999999999999'"),
    *("'|O'", "'<U3'", "'|S4'", "'<M8[s]'", "'|V8'", "'a5'", "[('a', '<f8')]", "[('a', '<f8'), ('b', '<i4', (2,))]"),
    *("[('é', '<f8')]", "('<f8', (2,))", "('<f8', {})", "{'a': 1}", "'<f8', ", "[('a',)]", "[[[[]]]]", "('<f8',)"),
]
SHAPES = [
    *("(2, 3)", "(2L, 3L)", "(6,)", "(6L,)", "(2L,3)", "( 2 ,\n3 )", "(True, 6)", "(0x2, 0b11)", "(+2, 3)", "(2_0,)"),
    *("()", "(0, 3)", "(-2, 3)", "[2, 3]", "6", "(2.0, 3)", "('2', 3)", "(None,)", "(2, 3", "(2l, 3l)", "(2LL,)"),
    *(
        "(1, 1, 1, 1, 1, 1, 2, 3)",
        "(1, 1, 1, 1, 1, 1, 1, 2, 3)",
        "(4611686018427387904, 4)",
        "(10000000000000000000000,)",
    ),
    *("(2 L, 3)", "(1+1, 3)", "(2, 3,)", "(2,)*1", "(100, 100)", "(- 2, -3)"),
]
VERSIONS = [(1, 0), (2, 0), (3, 0), (1, 1), (0, 1), (4, 0), (3, 1)]
ORDERS = ["False", "True", "0", "1", "None", "'False'", "false"]
SPACES = ["", " ", "  ", "\t", "\n", " # words\n", "\\\n", "\r\n", "\x0c"]


def drawn(random: np.random.Generator) -> bytes:
    """Draws a file. Most of its parts are sound."""

    def choice(several: list[str], sound: int) -> str:
        """Draws one of the first `sound` texts, or less often one of all texts."""
        return several[int(random.integers(sound if random.random() < 0.7 else len(several)))]

    pairs = [("descr", choice(DESCRS, 13)), ("fortran_order", choice(ORDERS, 2)), ("shape", choice(SHAPES, 6))]
    random.shuffle(pairs)
    if random.random() < 0.05:
        pairs.pop()
    if random.random() < 0.05:
        pairs.append((str(random.choice(["more", "shape", "descr"])), str(random.choice(["1", "(6,)", "'<f8'"]))))
    space = choice(SPACES, 3)
    quote = random.choice(["'", '"'])
    text = ("," + space).join(f"{quote}{key}{quote}:{space}{value}" for key, value in pairs)
    text = choice(["{%s}", "{%s, }", " {%s}", "{\n%s\n}", "(%s)", "%s", "dict(%s)", "{%s", "{%s}}", "{%s};"], 3) % text
    lengths = [4096, 9999, 10000, 10001, 30000, 65000]  # drawn rarely: numpy takes seconds for some of them
    length = int(random.choice([16, 64, 80])) if random.random() < 0.98 else lengths[int(random.integers(len(lengths)))]
    text += " " * max(0, length - len(text) - 1) + choice(["\n", "", " ", "\0", "#"], 2)
    version = VERSIONS[int(random.integers(len(VERSIONS) if random.random() < 0.1 else 3))]
    encoded = text.encode(str(random.choice(["utf-8", "latin-1"])))
    encoded = encoded[: 65535 if version[0] < 2 else None]
    claimed = len(encoded) + int(random.choice([0, 1, -1, 5000, 10**9], p=[0.92, *[0.02] * 4]))
    field = struct.pack("<I", max(0, claimed)) if version[0] > 1 else struct.pack("<H", max(0, min(65535, claimed)))
    whole = MAGIC + bytes(version) + field + encoded + CONTENT
    if random.random() < 0.05:
        return whole[: int(random.integers(0, len(whole) - len(CONTENT) + 20))]
    return whole


def by_numpy(path: Path) -> np.ndarray | None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            found: Any = np.load(path)
        except Exception:  # numpy has no single class for its refusals
            return None
    return found


def is_plain(array: np.ndarray) -> bool:
    """Returns whether weft can transform an array: numbers in 1 to 8 axes, at least one."""
    return array.dtype.kind in "biufc" and 1 <= array.ndim <= 8 and array.size > 0


def test_weft_reads_the_files_that_numpy_reads(tmp_path: Path) -> None:
    seed = seeds.seed()
    random = np.random.default_rng(seed)
    path = tmp_path / "x.npy"
    read = refused = plain = 0
    for number in range(DRAWN):
        content = drawn(random)
        path.write_bytes(content)
        expected = by_numpy(path)
        what = f"seed {seed}, header {number}: {content[:300]!r}"
        try:
            source = open_source(str(path))
        except (weft.InvalidArgument, weft.IoFailure) as error:
            assert expected is None or not is_plain(expected), f"{what}: {error}"
            said = str(error)
            assert len(said) < 600 and "x.npy" in said, said
            assert expected is None or "damaged" not in said, f"{what}: {error}"
            refused += 1
            continue
        assert expected is not None, what
        assert (source.shape, source.dtype) == (expected.shape, expected.dtype), what
        out = np.empty(expected.shape, source.dtype.newbyteorder("="))
        source.read([(0, n) for n in source.shape], out)
        source.close()
        np.testing.assert_array_equal(out, expected, what)
        read += 1
        plain += expected.dtype.kind in "fc"
    assert min(read, refused, plain) > DRAWN // 10, (read, refused, plain)


@pytest.mark.parametrize(
    ("header", "words"),
    [
        ("{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (2,)}", "records with the fields a"),
        ("{'descr': ('<f8', (2,)), 'fortran_order': False, 'shape': (2,)}", "must be numbers"),
        ("{'descr': '<f8', 'fortran_order': False, 'shape': (2,), 'more': 1}", "damaged: numpy says Header does not"),
        (
            "{'descr': '<f8', 'fortran_order': False, 'shape': (2,)}" + 12000 * " ",
            "damaged: its header claims 12055 bytes, and numpy reads at most 10000",
        ),
        ("{'descr': '<f8', 'fortran_order': False, 'shape': (2L,)" + 100 * "}", "damaged"),
    ],
)
def test_other_files_are_refused_with_the_reason(tmp_path: Path, header: str, words: str) -> None:
    content = MAGIC + bytes((1, 0)) + struct.pack("<H", len(header)) + header.encode() + CONTENT
    (tmp_path / "x.npy").write_bytes(content)
    with pytest.raises(weft.InvalidArgument) as refusal:
        open_source(str(tmp_path / "x.npy"))
    assert words in str(refusal.value) and "allow_pickle" not in str(refusal.value)


def test_numpy_reads_what_weft_writes() -> None:
    for fortran in (False, True):
        for multiple in (64, 4096):
            head = header_bytes((3, 4), np.dtype("c16"), multiple, fortran=fortran)
            assert len(head) % multiple == 0
            found = np.load(io.BytesIO(head + CONTENT[: 12 * 16]))
            assert (found.shape, found.dtype, found.flags.f_contiguous) == ((3, 4), np.dtype("c16"), fortran)

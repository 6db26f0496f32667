"""Values for options, by the type of the option: good, bad and odd ones."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from random import Random
from typing import Any

from drawn_files import BAD_ARRAYS, BAD_OUTPUTS, GOOD_ARRAYS, GOOD_OUTPUTS, MUTANTS


@dataclass(frozen=True)
class Values:
    """Good and bad values of an option."""

    good: tuple[str, ...]
    bad: tuple[str, ...]
    odd: bool = True  # meaningless texts may be given as well

    def drawn(self, draw: Random, good: bool) -> str:
        if good:
            return draw.choice(self.good)
        return draw.choice(ODD_TEXTS) if self.odd and draw.random() < 0.3 else draw.choice(self.bad)


def words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


ODD_TEXTS = (
    "", " ", "-", "--", "x", "0", "-1", "-0", "nan", "inf", "-inf", "None", "1e3", "1e999", "½", "\u0663", "é", "日本",
    "\n", "a\nb", "\t", "\x1b[2J", "\u2028", "\udcff", "'", '"', "$x$", "$a$ $b", "%s", "{}", "{0}", "[bold]", "\\",
    "*",
    "~", "../", "a" * 300, "9" * 5000, "1_000", "0x10", "+1", " 1", "1 ", "1.5", "true", "2147483647", "2147483648",
    "9223372036854775807", "9223372036854775808", "18446744073709551616", "--help", "@file", "a=b", ",", "x,", "1,",
)  # fmt: skip
INTEGERS = Values(words("1 2 3 4 8"), words("0 -1 -2147483649 4097 2147483648 9223372036854775808 1.5 1e3 nan x"))
# Counts and times: good ones are small, so that runs are short; bad ones are refused.
FEW = Values(words("1 2"), ("0", "-1", "x", "1.5", "nan", ""), odd=False)
REPEATS = Values(("10",), ("0", "9", "-1", "x", "1e1", ""), odd=False)
SECONDS = Values(words("0.01 0.02"), (*words("0 -1 nan inf -inf x 1,5 -0.0 ٣"), ""), odd=False)
WEIGHTS = Values(words("0 1e-6 1 0.5"), words("-1 nan inf 1e999 x 1e-400"))
SHAPES = Values(
    words("4x6 8 64 3x4x5 16x16 1 1x1 2x3x2x2 7x5 13x1 8x8x8 97"),
    words(
        "0 0x4 -4x3 4,6 4x x 4x6x 4X6 2^3 4294967296x4294967296 9223372036854775807 9223372036854775808 4x½ 1e3 ٣x٣ "
        "1x1x1x1x1x1x1x1x1 100000x100000x100000 4.0x6 +4x6 4x_6 nan 4x6,0"
    ),
)
PLANNED_SHAPES = Values((*SHAPES.good, "1024x1024", "4096x4096x4096", "1048576"), SHAPES.bad)
RAW_SHAPES = Values(words("4x6 24 16x16 8x8 2x3x4 6x4"), SHAPES.bad)
SIZES = Values(words("64KiB 1MiB 4MiB 2^20 1048576 16MiB"), words("0 1 -1 4KB 2^63 2^-1 9999PiB 1e6 nan 0.5GiB 7 2^64"))
FILES_OF_FORMATS = Values(words("out.png out.pdf out.svg old.png folder/out.png $a$b$.svg"), BAD_OUTPUTS)
MACHINES = Values(
    words("celerons infiniband-64 bgl-512 vm-2-cores ethernet-10g fixed-rule machine.json torus-6d"),
    (
        *(f"machine-{number}.json" for number in range(MUTANTS)),
        *words("nonsense wisdom.json set.json real.npy fifo fifo.json folder /dev/zero deep.json empty.npy loop.npy"),
        "", "/", "missing.json", "HERE", "cut.npy",
    ),
)  # fmt: skip
GRIDS = Values(
    words("1x1 1 3x1 1x3 1x1x1 3 3x1x1"), words("0x1 2x2 -1x-1 1,1 1x 4294967296x4294967296 1x1x1x1x1x1x1x1x1")
)
DTYPES = Values(
    words("float32 float64 longdouble complex128 complex64 f4 >f8 int32 float16 uint8 bool"),
    (
        *words("f7 object O str U5 S4 datetime64 M8[s] timedelta64 V8 void i4,f8 (2,3)f4 float256 {'a':1} >x 0f8"),
        "bfloat16", "", "\ud800", "f8,", "[('a','f8')]",
    ),
)  # fmt: skip
FOLDERS = Values(
    words("disk0 disk1 disk0,disk1 . folder"),
    ("none", "real.npy", "disk0,", "disk0,none", "disk0,disk0", ",", "", "fifo", "loop.npy", "/dev/null", "read-only",
    "/proc"),
)  # fmt: skip
WISDOM = Values(
    words("wisdom.json wisdom.json new.json"),
    (
        *(f"wisdom-{number}.json" for number in range(MUTANTS)),
        *words("machine.json set.json real.npy fifo.json folder deep.json empty.npy none/x null.npy loop.npy"),
        "dangling.npy",
    ),
)  # fmt: skip
CASES = Values(
    ('{"shape":[6,4],"ranks":1}', '{"shape":[6,4],"ranks":1,"kind":"r2c","precision":"f32"}'),
    (
        "{}", "[]", "null", "{", '{"shape":[6,4]', '{"shape":null}', '{"shape":[6,4],"ranks":-1}', '{"shape":[[6]]}',
        '{"shape":[6,4],"ranks":9}', '{"shape":[1e400],"ranks":1}', '{"shape":[6,4],"ranks":1,"seed":-1}',
        '{"shape":[6,4],"ranks":1,"axes":"x"}', '{"shape":[6,4],"ranks":1,"input":{"grid":null}}', "[" * 100_000,
        '{"shape":[6,4],"ranks":1,"norm":NaN}', '{"shape":[6,4],"ranks":1,"engine":"\\ud800"}', '{"shape":[NaN]}',
        '{"shape":[6,4],"ranks":1,"input":{"boxes":[[0]]}}',
        '{"shape":[6,4],"ranks":1,"chunks":99999999999999999999}',
    ),
)  # fmt: skip
# Values by their metavar in the help; most are in more than one command.
BY_WORD: dict[str, Values] = {
    "SHAPE": SHAPES,
    "[SHAPE]": SHAPES,
    "SHAPE[,SHAPE]": Values((*PLANNED_SHAPES.good, "8x8,16x16"), (*SHAPES.bad, "8x8,", "8x8,0")),
    "AxB": RAW_SHAPES,
    "N0xN1x...": RAW_SHAPES,
    "PxQ": GRIDS,
    "any|same|GRID": Values(("any", "same", *GRIDS.good), ("given", "ANY", "anywhere", *GRIDS.bad)),
    "A,B": Values(words("0 1 -1 0,1 1,0"),
        words("5 0,0 1,-1 0, a 0;1 -9 2147483648 9223372036854775808 0,1,2,3,4,5,6,7,8")),
    "AXIS[,ORDER]": Values(words("0 1 -1 0,2 -1,3"), words("9 0,0 0,-1 0,1001 x 0,x , 1.5 0,1,2 2147483648 -9")),
    "L,M": Values(words("1 1,2 1,1,1 0.5,2"), words("0 -1 nan inf 1,,2 1e400 1,1,1,1 1;2 x")),
    "T": DTYPES,
    "NAME": Values(words("fftw complex128 float64 auto"), words("nonsense FFTW ducc1 bmmc: bmmc:x")),
    "KIND,...": Values(
        words("c2c r2c dct2 dst1 dct1 dct3,dst4 dct2,r2c r2c,c2c c2c,dct4 dst2,dst3,c2c"),
        (*words("C2C r2c,r2c dct5 dct2, ,c2c c2c;r2c dct r2r"), "dct1 ,c2c", ",".join(["c2c"] * 9)),
    ),
    "M,...|2/3": Values(
        words("1 2/3 2 all 3,2 2/3,all 2,all,1 1,1,1"),
        words("0 -1 1/3 3/2 2/3, ,2/3 2/3/3 ALL all, 1;2 1.5 99 2^62 2^64 9223372036854775808 1,1,1,1,1,1,1,1,1"),
    ),
    "S,...": Values(
        words("1 2 all 3,2 2,all 4,6 1,1,1 all,all"),
        words("0 -1 2/3 3, ,2 ALL all, 1;2 1.5 99 2^62 2^64 9223372036854775808 1,1,1,1,1,1,1,1,1"),
    ),
    "K|slices": Values(words("1 2 slices 7"), words("0 -1 999999999 Slices 1.5 9999999999")),
    "A..B|P,Q": Values(words("1..8 1,2,3 4 3..5 1..1"),
        words("0..4 8..1 1.. ..8 1,,2 1..9999999999 -1..2 1048577 x..y")),
    "BYTES": SIZES,
    "D1,D2,...": FOLDERS,
    "DIR[,DIR]": Values(("folder",), FOLDERS.bad),
    "NAME|FILE": MACHINES,
    "JSON": CASES,
    "P,Q": Values(words("fftw-threads fftw-mpi,fftw-threads mpi4py-fft"), words("fftw , fftw-threads, x")),
    "all|M,N": Values(words("all shared messages,collective"), words("ALL all, none x shared,shared")),
    "WORD": Values(words("xyzt t txyz"), words("xx abc XYZT x,y tt")),
    "TEXT": Values(words("name"), ("",)),
    "HOW": Values(
        words("identity reversal bit-reversal rotation:2 gray-code inverse-gray-code axes:1,0 matrix.txt"),
        words("rotation: rotation:x rotation:-1 rotation:99999999999999999999 axes: axes:0,0 axes:9,8 axes:x "
        "singular.txt none.txt real.npy fifo folder /dev/zero deep.json transpose"),
    ),
    "IN": Values(tuple(GOOD_ARRAYS), BAD_ARRAYS),
    "OUT": Values(GOOD_OUTPUTS, BAD_OUTPUTS),
    "N": INTEGERS,
    "S": WEIGHTS,
    "R": Values(words("1 2 3 8 512"), words("0 -1 1048577 2147483648 9223372036854775808 x 1.5")),
    "C": Values(words("1 2 12"), words("0 -1 2147483648 x")),
    "TARGET": WISDOM,
    "FILE...": WISDOM,
}  # fmt: skip
KINDS_ON_DISKS = Values(
    (*BY_WORD["KIND,..."].good, *words("c2r dct2,c2r c2r,dst4")), (*BY_WORD["KIND,..."].bad, "c2r,r2c,c2r", "C2R")
)
# Values that the metavar does not determine.
BY_NAME: dict[tuple[str, str], Values] = {
    ("ooc fft", "kind"): KINDS_ON_DISKS,
    ("ooc plan", "kind"): KINDS_ON_DISKS,
    ("probe", "seconds"): SECONDS,
    ("probe", "show"): MACHINES,
    ("probe", "target"): Values(words("out.json"), BAD_OUTPUTS),
    ("probe", "threads"): Values(words("1 2"), words("0 -1 4097 x")),
    ("bench", "repeat"): REPEATS,
    ("bench", "problems"): FEW,
    ("bench", "budget"): SECONDS,
    ("fft", "budget"): SECONDS,
    ("filter", "budget"): SECONDS,
    ("filter", "band_pass"): Values(words("0,1 0.5,inf 1,1"), words("1 2,1 -1,1 nan,1 0,nan inf,inf 0;1 , x,y 1,2,3")),
    ("filter", "convolve"): Values(tuple(GOOD_ARRAYS), BAD_ARRAYS),
    ("filter", "correlate"): Values(tuple(GOOD_ARRAYS), BAD_ARRAYS),
    ("spectrum", "cross"): Values(tuple(GOOD_ARRAYS), BAD_ARRAYS),
    ("verify", "random"): FEW,
    ("map", "hosts"): Values(words("hosts.txt"),
    words("few-hosts.txt none.txt fifo folder /dev/zero real.npy empty.npy")),
    ("map", "target"): Values(words("out.txt out.npy old.npy"), BAD_OUTPUTS),
    ("spectrum", "csv"): Values(words("out.csv old.npy empty.csv"), BAD_OUTPUTS),
    ("wisdom show", "source"): WISDOM,
    ("plan", "shape"): PLANNED_SHAPES,
    # Not 2^50 points in little memory, because panels of a plan are counted one by one.
    ("ooc plan", "shape"): Values(
        (*PLANNED_SHAPES.good, "2^20", "2^40"), tuple(shape for shape in SHAPES.bad if shape != "100000x100000x100000")
    ),
    ("ooc analyze", "points"): Values(words("2^25 2^30 1048576"), SIZES.bad),
    ("ooc permute", "source"): Values(
        words("complex.npy line.npy line.npy x.bin set.json field.npy real.npy one.npy"), BAD_ARRAYS
    ),
    ("project", "machine"): MACHINES,
    ("ooc detect", "targets"): Values(words("targets.npy integers.npy line.npy"), BAD_ARRAYS),
    ("ooc copy", "target"): Values((*GOOD_OUTPUTS, "out.json", "$s$.json"), (*BAD_OUTPUTS, "fifo.json", "text.json")),
    ("ooc fft", "target"): Values((*GOOD_OUTPUTS, "out.json", "$s$.json"), (*BAD_OUTPUTS, "fifo.json", "text.json")),
    ("ooc permute", "target"): Values((*GOOD_OUTPUTS, "out.json"), (*BAD_OUTPUTS, "fifo.json", "text.json")),
    ("ooc fft", "method"): Values(
        words("auto k-pass bmmc:stripe-major/communication bmmc:processor-major/no-communication"),
            words("bmmc: x AUTO")
    ),
}  # fmt: skip
BY_OPTION: dict[str, Values] = {
    "engine": Values(words("fftw"), words("nonsense FFTW mkl fftw3")),
    "wisdom": WISDOM,
    "plot": FILES_OF_FORMATS,
    "trace": Values(words("out.json out.trace.json"), BAD_OUTPUTS),
    "checkpoint": Values(words("0 0.01 30"), words("-1 nan inf x -0.001")),
}
# Ranks are started only if the draw decided so; otherwise only invalid numbers of ranks are given.
NO_RANKS = Values(("1",), ("0", "-1", "-2", "x", "two", "1.5", "9999999", "1e3", "\u0661", "", " 3", "+3"), odd=False)


def values_of(command: str, name: str, kind: Any, metavar: str | None) -> Values:
    """Returns the values of an option or argument: by command and name, by its name, by its metavar, or by its type."""
    for table, key in ((BY_NAME, (command, name)), (BY_OPTION, name)):
        if key in table:
            return table[key]  # type: ignore[index]
    if isinstance(kind, type) and issubclass(kind, Enum):
        choices = tuple(str(each.value) for each in kind)
        return Values(choices, (choices[0].upper(), choices[0] + "x", choices[-1][:-1] or "?"))
    if metavar in BY_WORD and (kind is str or metavar not in ("T", "NAME")):
        return BY_WORD[metavar]
    return {int: INTEGERS, float: WEIGHTS}.get(kind, Values(("x",), ODD_TEXTS))

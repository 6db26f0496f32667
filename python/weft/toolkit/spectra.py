"""Power spectra and cross spectra of distributed fields, summed over shells of the wavenumber."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from weft import arrays, errors, runtime
from weft._support import array_checks, checks
from weft._support.grids import COSINE_GRIDS
from weft.arrays import Array
from weft.transform import FFT

# Every rank keeps the sums of all shells in memory. Lengths such as 1 and 1e12 must not need a terabyte.
SHELLS_MAX = 10_000_000
# Number of elements of one field that are summed at a time.
_BLOCK = 1 << 16

_ROLE = array_checks.Role(
    "spectrum",
    "give the array that forward returned, or copy it into fft.output.empty()",
    "give this rank's part of the whole, whole[fft.output.slices]",
)


class _Shells:
    """Arrays with one number for each shell. Two objects are equal if all their arrays are equal. They have no hash."""

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and all(
            np.array_equal(getattr(self, each.name), getattr(other, each.name))
            for each in fields(self)  # type: ignore[arg-type]
        )

    __hash__ = None  # type: ignore[assignment]


@dataclass(frozen=True, eq=False)
class Spectrum(_Shells):
    """The power of a field in shells of its wavenumber.

    k      shell numbers 0, 1, 2, ...: |k| / k_1, rounded to the nearest integer; :func:`spectrum` defines k_1.
    power  contribution of each shell to the mean square of the field. The contributions sum to the mean square.
    waves  number of waves in each shell. Their sum is the number of points, or of kept modes.
    """

    k: Array
    power: Array
    waves: Array

    @property
    def mean_square(self) -> float:
        """The mean square of the field: the sum of all shells."""
        return float(self.power.sum())

    @property
    def variance(self) -> float:
        """The sum of all shells but shell 0, which has only the mean, or nothing for kinds without a mean."""
        return float(self.power[1:].sum())


@dataclass(frozen=True, eq=False)
class CrossSpectrum(_Shells):
    """The mean product of two fields x and y in shells of their wavenumber.

    k           shell numbers, as in :class:`Spectrum`.
    cospectrum  real part of each shell's contribution to the mean of conj(x)*y.
    quadrature  the imaginary part. It is zero for real fields, because a shell has both k and -k.
    first       the power of x in each shell.
    second      the power of y in each shell.
    waves       number of waves in each shell.
    """

    k: Array
    cospectrum: Array
    quadrature: Array
    first: Array
    second: Array
    waves: Array

    @property
    def mean_product(self) -> complex:
        """The mean of conj(x)*y: the sum of all shells."""
        return complex(self.cospectrum.sum(), self.quadrature.sum())

    @property
    def coherence(self) -> Array:
        """|cospectrum + i quadrature|^2 / (first * second): 0 to 1; 0 in shells where a field has no power."""
        square, powers = self.cospectrum**2 + self.quadrature**2, self.first * self.second
        return np.divide(square, powers, out=np.zeros_like(square), where=powers > 0)


def spectrum(fft: FFT, X: Any, *, L: float | Sequence[float] = 2 * math.pi) -> Spectrum:
    """Sums the power of a field over spherical shells of its wavenumbers.

    Definition  P(s) = sum of w |X(k)/N|^2 over all k with |k| / k_1 nearest to s. The components of k are those of
                fft.wavenumbers(L). k_1 is the least of 2*pi/L over the Fourier axes and of pi/L over the cosine and
                sine axes. N is the product of the logical lengths of the transformed axes. w is the product of a
                factor for each axis. On c2c axes the factor is 1. On the halved axis it counts k and -k. On cosine and
                sine axes it is 1 for a wave that is +1 or -1 at every point, and 2 for other waves. If the number of
                modes is even and less than the number of points, the factor of a Fourier axis' middle element is 1/2.
    Parseval    The shells sum to the mean square of the field at the points of the grid. On cosine and sine axes this
                is the mean over the interval by the trapezoidal rule: points on a boundary count half.
    X           this rank's part of fft.output, from forward, with the modes of `fft`. Any norm; "ortho" only without
                cosine and sine axes. Components are added. Axes that are not transformed are averaged.
    L           the length of the domain along each axis; only the ratios matter.
    Memory      for one plane of X, and about 64 bytes a shell. X is unchanged.
    Collective  over fft.comm; the result is the same on all ranks.

    Errors, the same on all ranks: LayoutMismatch for an array that is not part of fft.output; InvalidArgument for bad
    lengths, more than ten million shells, or norm "ortho"; Disagreement if the ranks differ in L.

    >>> import numpy as np, weft
    >>> fft = weft.FFT((16,), kind="r2c")
    >>> found = weft.spectrum(fft, fft.forward(np.cos(3 * fft.positions()[0])))
    >>> round(float(found.power[3]), 12), found.waves.tolist()
    (0.5, [1, 2, 2, 2, 2, 2, 2, 2, 1])
    """
    waves, (power,) = _spectrum(_transform(fft), X, L, fft.comm)
    return Spectrum(np.arange(waves.size), power, waves)


def cross_spectrum(fft: FFT, X: Any, Y: Any, *, L: float | Sequence[float] = 2 * math.pi) -> CrossSpectrum:
    """Sums the product conj(X)*Y of two fields' spectra over shells of the wavenumber.

    The definition is that of :func:`spectrum`, with w conj(X(k)) Y(k) / N^2 instead of w |X(k)/N|^2. The shells sum to
    the mean of conj(x)*y; components are added. Y is an array as X. Collective, with the errors of :func:`spectrum`.

    >>> import numpy as np, weft
    >>> fft = weft.FFT((16,), kind="r2c")
    >>> (x,) = fft.positions()
    >>> X, Y = fft.forward(np.cos(3 * x)), fft.forward(np.cos(3 * x) - np.sin(5 * x))
    >>> found = weft.cross_spectrum(fft, X, Y)
    >>> np.flatnonzero(found.cospectrum > 1e-12).tolist(), round(found.mean_product.real, 12)
    ([3], 0.5)
    """
    waves, (first, second, real, imaginary) = _cross_spectrum(_transform(fft), X, Y, L, fft.comm)
    if "r2c" in fft.plan.problem.kinds:  # the conjugate waves cancel the imaginary parts
        imaginary = np.zeros_like(imaginary)
    return CrossSpectrum(np.arange(waves.size), real, imaginary, first, second, waves)


def shell_count(
    shape: Sequence[int], kinds: dict[int, str], lengths: Sequence[float], modes: dict[int, int] | None = None
) -> int:
    """Returns the number of shells of a field of this shape, whose transformed axes have these kinds and modes.

    >>> shell_count((6, 8), {0: "c2c", 1: "r2c"}, (1.0, 1.0)), shell_count((4,), {0: "dst1"}, (1.0,))
    (6, 5)
    """
    units = _units(kinds, lengths)
    kept = modes or {}
    square = sum((_highest(kind, kept.get(axis, shape[axis])) * units[axis]) ** 2 for axis, kind in kinds.items())
    return int(min(math.floor(math.sqrt(square) + 0.5), 2**62)) + 1


def require_shells(count: int) -> None:
    """Raises InvalidArgument for more shells than each rank should hold."""
    if count > SHELLS_MAX:
        raise errors.InvalidArgument(
            f"a spectrum has at most {SHELLS_MAX} shells; these lengths make {count}; give lengths nearer to each other"
        )


def _transform(fft: Any) -> FFT:
    return checks.instance(fft, FFT, "fft", remedy="the transform that made the spectrum")


def _highest(kind: str, modes: int) -> float:
    """Returns the highest wavenumber of an axis, in units of its 2*pi/L or pi/L."""
    return modes - 1 + COSINE_GRIDS[kind].lowest if kind in COSINE_GRIDS else modes // 2


def _units(kinds: dict[int, str], lengths: Sequence[float]) -> dict[int, float]:
    """Returns 2*pi/L or pi/L of each transformed axis, in units of the least of them.

    >>> _units({0: "c2c", 1: "dct2"}, (1.0, 1.0)), _units({0: "c2c", 1: "r2c"}, (1.0, 4.0))
    ({0: 2.0, 1: 1.0}, {0: 4.0, 1: 1.0})
    """
    waves = {axis: lengths[axis] * (2 if kind in COSINE_GRIDS else 1) for axis, kind in kinds.items()}
    return {axis: max(waves.values()) / wave for axis, wave in waves.items()}


@dataclass(frozen=True)
class _Axis:
    """The waves of this rank's elements along an axis; arrays that broadcast to its part of one component."""

    squares: Array  # of the wavenumber, in units of k_1
    weights: Array  # the factor of |X/N|^2
    counts: Array  # the number of waves


def _axis_of(kind: str, index: Array, n: int, modes: int, unit: float, row_length: int) -> _Axis:
    """Describes elements of a transformed axis with n points. row_length : n1 of a divided axis, otherwise 0."""
    counts = np.ones(index.shape)
    if kind in COSINE_GRIDS:
        grid = COSINE_GRIDS[kind]
        k = index + grid.lowest
        weights = np.where((k == 0) | (k == n + grid.added), 1.0, 2.0)
    elif kind != "r2c":
        k = np.minimum(index, modes - index)
        # The middle element of an even number of modes is two waves of half its amplitude.
        weights = np.where((2 * index == modes) & (modes < n), 0.5, 1.0)
    elif row_length:
        k = np.minimum(index, n - index)
        row = index % row_length
        weights = counts = np.where((row == 0) | (2 * row == row_length), 1.0, 2.0)
    else:
        k = index
        is_middle = 2 * index == modes
        counts = np.where((index == 0) | is_middle, 1.0, 2.0)
        weights = np.where(is_middle & (modes < n), 0.5, counts)
    return _Axis((k * unit) ** 2, weights, counts)


def _axes_of(fft: FFT, lengths: Sequence[float]) -> list[_Axis]:
    problem = fft.plan.problem
    kinds = dict(zip(problem.axes, problem.kinds, strict=True))
    modes = dict(zip(problem.axes, problem.modes, strict=True))
    units = _units(kinds, lengths)
    is_divided = len(fft.plan.output.shape) > len(problem.shape)
    found = []
    for axis, (index, n) in enumerate(zip(fft.output.indices(), problem.shape, strict=True)):
        if axis in kinds:
            row_length = n // fft.plan.output.shape[-1] if is_divided else 0
            found.append(_axis_of(kinds[axis], index, n, modes[axis], units[axis], row_length))
        else:
            mean = np.full(index.shape, 1 / n)
            found.append(_Axis(np.zeros(index.shape), mean, mean))
    return found


def _scale(fft: FFT) -> float:
    """Returns the factor that turns |X|^2 with the norm of the transform into |X|^2 with norm "forward"."""
    problem = fft.plan.problem
    points = 1.0
    for axis, kind in zip(problem.axes, problem.kinds, strict=True):
        n = problem.shape[axis]
        points *= 2 * (n + COSINE_GRIDS[kind].added) if kind in COSINE_GRIDS else n
    if problem.norm == "forward":
        return 1.0
    if problem.norm != "ortho":
        return points**-2
    if any(kind in COSINE_GRIDS for kind in problem.kinds):
        raise errors.InvalidArgument(
            'a spectrum of cosine and sine axes needs another norm than "ortho", which has factors at the ends of '
            'axes; the transform has norm="ortho"; make it with norm="forward"'
        )
    return 1 / points


@runtime.collective("spectrum")
def _spectrum(fft: FFT, X: Any, L: Any, comm: Any) -> tuple[Array, list[Array]]:
    return _sums(fft, (X,), L, comm)


@runtime.collective("cross_spectrum")
def _cross_spectrum(fft: FFT, X: Any, Y: Any, L: Any, comm: Any) -> tuple[Array, list[Array]]:
    return _sums(fft, (X, Y), L, comm)


def _sums(fft: FFT, given: tuple[Any, ...], L: Any, comm: Any) -> tuple[Array, list[Array]]:
    """Returns the number of waves in each shell, and the sums of products. Collective over `comm`."""
    lengths = _same_lengths(L, len(fft.plan.problem.shape), comm)

    def local() -> tuple[Array, float]:
        problem = fft.plan.problem
        kinds = dict(zip(problem.axes, problem.kinds, strict=True))
        count = shell_count(problem.shape, kinds, lengths, dict(zip(problem.axes, problem.modes, strict=True)))
        require_shells(count)
        scale = _scale(fft)
        parts = [arrays.as_array(each, _ROLE.what) for each in given]
        for part in parts:
            array_checks.check_array(
                part, fft.output.shape, fft.output.dtype, fft.output.strides, _ROLE, writable=False
            )
        return _local_sums(parts, _axes_of(fft, lengths), count, problem.components is not None), scale

    sums, scale = runtime.agreed(comm, local)
    if comm is not None:
        comm.Allreduce(sums.copy(), sums)
    return np.rint(sums[0]).astype(np.int64), [each * scale for each in sums[1:]]


def _same_lengths(L: Any, dims: int, comm: Any) -> list[float]:
    """Returns the lengths. Collective: raises Disagreement if the ranks give different ones."""
    lengths = runtime.agreed(comm, lambda: checks.lengths(L, dims))
    first = runtime.from_first(comm, lambda: lengths)

    def compare() -> None:
        if lengths != first:
            raise errors.Disagreement(
                f"all ranks must give the same lengths of a spectrum; rank 0 has L={first}, another {lengths}; give "
                "the same L on all ranks"
            )

    runtime.agreed(comm, compare)
    return lengths


def _local_sums(parts: Sequence[Array], axes: list[_Axis], shells: int, has_components: bool) -> Array:
    """Returns this rank's sums over shells, without the scale: row 0 of waves, the others of _products()."""
    sums = np.zeros((2 if len(parts) == 1 else 5, shells))
    if not parts[0].size:
        return sums
    components = [part if has_components else part[np.newaxis] for part in parts]
    rows, row_size = components[0].shape[1], math.prod(components[0].shape[2:])
    at_once = max(1, _BLOCK // row_size)
    for start in range(0, rows, at_once):
        block = slice(start, start + at_once)
        square = _combined(np.add, [axis.squares for axis in axes], block)
        shell = np.floor(np.sqrt(square) + 0.5).astype(np.intp).reshape(-1)
        weights = _combined(np.multiply, [axis.weights for axis in axes], block).reshape(-1)
        counts = _combined(np.multiply, [axis.counts for axis in axes], block).reshape(-1)
        sums[0] += np.bincount(shell, counts, minlength=shells)
        for fields_of_component in zip(*components, strict=True):
            products = _products([field[block] for field in fields_of_component])
            for row, product in enumerate(products, 1):
                sums[row] += np.bincount(shell, product.reshape(-1) * weights, minlength=shells)
    return sums


def _combined(operation: Any, values: Sequence[Array], block: slice) -> Array:
    """Returns the sum or product of broadcastable arrays, for a range of the first axis."""
    total, *more = [each[block] if each.shape[0] > 1 else each for each in values]
    for each in more:
        total = operation(total, each)
    return total


def _products(numbers: Sequence[Array]) -> list[Array]:
    """Returns |x|^2, or |x|^2, |y|^2 and both parts of conj(x)*y, in double precision."""
    parts = [(each.real.astype(np.float64), each.imag.astype(np.float64)) for each in numbers]
    powers = [real**2 + imaginary**2 for real, imaginary in parts]
    if len(parts) == 1:
        return powers
    (a, b), (c, d) = parts
    return [*powers, a * c + b * d, a * d - b * c]

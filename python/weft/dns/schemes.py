"""Time-stepping schemes as data.

A scheme lists the evaluations of the right-hand side in a step, and the registers that each evaluation updates. All
schemes integrate diffusion exactly, by the decay exp(-nu k^2 t). So the right-hand side is that of the equations
without diffusion. A register is one set of all fields. Register 0 has the state at the beginning and at the end of a
step.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

# The source of a term that is the right-hand side instead of a register.
RIGHT_SIDE = -1


@dataclass(frozen=True)
class Term:
    """The product factor * D^decay * source, where D is the decay of the evaluation. decay is 0, 1 or 2."""

    source: int
    decay: int
    factor: float


@dataclass(frozen=True)
class Update:
    """The new values of a register: a sum of terms."""

    target: int
    terms: tuple[Term, ...]

    @classmethod
    def of(cls, target: int, *terms: tuple[int, int, float]) -> Update:
        """Returns the update of a register from the source, decay and factor of each term."""
        return cls(target, tuple(Term(*term) for term in terms))


@dataclass(frozen=True)
class Evaluation:
    """One evaluation of the right-hand side.

    input   : the register whose right-hand side is evaluated.
    time    : time since the start of the step, divided by the step.
    decay   : time interval of the decay D, divided by the step.
    updates : the updates of registers. All use the registers as they were before this evaluation.
    """

    input: int
    time: float
    decay: float
    updates: tuple[Update, ...]


@dataclass(frozen=True)
class Scheme:
    """A scheme in time.

    order       : order of the error.
    registers   : the number of registers, the state included.
    evaluations : returns the evaluations of a step, from its length and the length of the step before (or None).
    kept        : the registers that the next step needs.
    """

    name: str
    order: int
    registers: int
    evaluations: Callable[[float, float | None], tuple[Evaluation, ...]]
    kept: tuple[int, ...] = (0,)


def _ab2(dt: float, previous: float | None) -> tuple[Evaluation, ...]:
    """The scheme of Adams and Bashforth, of second order also for steps of different lengths.

    The first step is one of Heun's scheme. Register 1 has the right-hand side of the step before, decayed to the
    beginning of this step.
    """
    if previous is None:
        first = Update.of(2, (0, 1, 1), (RIGHT_SIDE, 1, dt))
        half_of_sum = Update.of(0, (0, 1, 1), (RIGHT_SIDE, 1, dt / 2))
        right_side = Update.of(1, (RIGHT_SIDE, 1, 1))
        return (
            Evaluation(0, 0, 1, (first, half_of_sum, right_side)),
            Evaluation(2, 1, 1, (Update.of(0, (0, 0, 1), (RIGHT_SIDE, 0, dt / 2)),)),
        )
    ratio = dt / previous
    state = Update.of(0, (0, 1, 1), (RIGHT_SIDE, 1, dt * (1 + ratio / 2)), (1, 1, -dt * ratio / 2))
    return (Evaluation(0, 0, 1, (state, Update.of(1, (RIGHT_SIDE, 1, 1)))),)


def _rk2(dt: float, previous: float | None) -> tuple[Evaluation, ...]:
    """Heun's scheme. Register 1 has the predicted state."""
    first = Update.of(1, (0, 1, 1), (RIGHT_SIDE, 1, dt))
    half_of_sum = Update.of(0, (0, 1, 1), (RIGHT_SIDE, 1, dt / 2))
    return (
        Evaluation(0, 0, 1, (first, half_of_sum)),
        Evaluation(1, 1, 1, (Update.of(0, (0, 0, 1), (RIGHT_SIDE, 0, dt / 2)),)),
    )


def _rk3(dt: float, previous: float | None) -> tuple[Evaluation, ...]:
    """Williamson's scheme of low storage (1980). Register 1 has its increment."""
    a = (0.0, -5 / 9, -153 / 128)
    b = (1 / 3, 15 / 16, 8 / 15)
    c = (0.0, 1 / 3, 3 / 4, 1.0)
    evaluations = []
    for i in range(3):
        state = Update.of(0, (0, 1, 1), (1, 1, a[i] * b[i]), (RIGHT_SIDE, 1, b[i] * dt))
        increment = Update.of(1, (1, 1, a[i]), (RIGHT_SIDE, 1, dt))
        evaluations.append(Evaluation(0, c[i], c[i + 1] - c[i], (state, increment) if i < 2 else (state,)))
    return tuple(evaluations)


def _rk4(dt: float, previous: float | None) -> tuple[Evaluation, ...]:
    """The classical scheme. Register 1 has the state of the next evaluation, register 2 the weighted sum of all."""
    return (
        Evaluation(
            0,
            0,
            0.5,
            (Update.of(1, (0, 1, 1), (RIGHT_SIDE, 1, dt / 2)), Update.of(2, (0, 2, 1), (RIGHT_SIDE, 2, dt / 6))),
        ),
        Evaluation(
            1,
            0.5,
            0.5,
            (Update.of(1, (0, 1, 1), (RIGHT_SIDE, 0, dt / 2)), Update.of(2, (2, 0, 1), (RIGHT_SIDE, 1, dt / 3))),
        ),
        Evaluation(
            1,
            0.5,
            0.5,
            (Update.of(1, (0, 2, 1), (RIGHT_SIDE, 1, dt)), Update.of(2, (2, 0, 1), (RIGHT_SIDE, 1, dt / 3))),
        ),
        Evaluation(1, 1, 0.5, (Update.of(0, (2, 0, 1), (RIGHT_SIDE, 0, dt / 6)),)),
    )


SCHEMES = {
    scheme.name: scheme
    for scheme in (
        Scheme("ab2", 2, 3, _ab2, (0, 1)),
        Scheme("rk2", 2, 2, _rk2),
        Scheme("rk3", 3, 2, _rk3),
        Scheme("rk4", 4, 3, _rk4),
    )
}

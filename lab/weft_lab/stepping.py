"""Predicts a step of the Navier-Stokes solver with one scalar by weft's model. This module runs no step."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

# Commands on clusters work without weft. Only the functions that plan import it.
if TYPE_CHECKING:
    import weft

SCALARS = 1
DEALIAS = "2/3"
DTYPE = "float32"
#: The exchange of the measured steps: in pairs, as in paper 000, and in pieces.
SCHEDULE: dict[str, Any] = {"method": "messages", "schedule": "pairwise", "piece_bytes": 65536}
#: Transforms of a step of AB2: nine of the flow and four of the scalar.
TRANSFORMS = 13


@dataclass(frozen=True)
class CeleronStep:
    """A step on paper 000's machine, the shipped machine `celerons`.

    computing_s   time of the processor in weft's step, without the work of the solver's functions
    step_s        time of weft's step, with its exchanges
    transforms_s  time of 13 separate transforms that send all modes, as in the paper
    """

    computing_s: float
    step_s: float
    transforms_s: float


def predicted(plan: weft.Plan, machine: Any) -> weft.Prediction:
    """Returns the prediction of a step, a round trip of 13 transforms."""
    import weft
    from weft.dns.grid import DIMS
    from weft.dns.sizes import transform_counts

    fields = DIMS + SCALARS
    return weft.predict(
        plan,
        machine,
        apply_in="space",
        inputs=fields,
        outputs=fields,
        before=True,
        after=True,
        fields=transform_counts(SCALARS),
    )


@cache
def on_celerons(extent: int, nodes: int) -> CeleronStep:
    """Predicts a step on a number of Celerons in slabs, with the exchange of paper 000.

    >>> alone = on_celerons(64, 1)
    >>> alone.step_s == alone.computing_s
    True
    """
    import weft
    from weft.planning import projection

    from weft_lab import papers

    machine = projection.with_nodes(weft.Machine.shipped("celerons"), nodes)
    slabs = weft.plan(
        (extent,) * 3, modes=DEALIAS, ranks=nodes, input=(nodes, 1, 1), machine="fixed-rule", **papers.DMITRUK
    )
    step = predicted(slabs, machine)
    computing_s = sum(each.arithmetic_s + each.memory_s + each.processor_s for each in step.steps)
    return CeleronStep(computing_s, step.seconds, TRANSFORMS * papers.slabs_s(extent, nodes))

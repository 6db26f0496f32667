"""Planning without MPI."""

from __future__ import annotations

from typing import Any

from . import _planning, options


def plan(
    shape: Any,
    *,
    kind: str = "c2c",
    ranks: int = 1,
    ranks_per_node: int = 1,
    axes: Any = None,
    dtype: Any = None,
    input: Any = None,
    output: Any = "any",
    norm: str = "backward",
    sign: int = -1,
    threads: int = 1,
    effort: str = "estimate",
    overwrite_input: bool = False,
    method: str | None = None,
    wire_form: str | None = None,
    schedule: str | None = None,
    requests: str | None = None,
    chunks: int | str | None = None,
    preset: str | None = None,
    nodes: str | None = None,
    wire: str | None = None,
    piece_bytes: int | None = None,
) -> _planning.Plan:
    """Plans a transform for any number of ranks. Needs no MPI and moves no data.

    The options are those of :class:`weft.FFT`, with `ranks` in the place of `comm`; `ranks_per_node` of them can use
    each other's memory.

    Errors: InvalidArgument, LayoutMismatch, Unsupported, with the rule, the value and the remedy.

    >>> import weft
    >>> p = weft.plan((4096, 4096, 4096), kind="r2c", ranks=16384)
    >>> [stage.axes for stage in p.stages]
    [(2,), (1,), (0,)]
    >>> p.input.process_grid
    (128, 128, 1)
    >>> weft.Plan.from_json(p.to_json()) == p
    True
    >>> print(weft.plan((64, 64), ranks=2, ranks_per_node=2).exchanges[0].method)
    shared
    """
    (rank_count,) = options.integers(ranks, "ranks")
    (node_count,) = options.integers(ranks_per_node, "ranks_per_node")
    problem = options.make_problem(
        shape,
        kind=kind,
        axes=axes,
        dtype=dtype,
        ranks=rank_count,
        ranks_per_node=node_count,
        input=input,
        output=output,
        norm=norm,
        sign=sign,
        threads=threads,
        effort=effort,
        overwrite_input=overwrite_input,
        method=method,
        wire_form=wire_form,
        schedule=schedule,
        requests=requests,
        chunks=chunks,
        preset=preset,
        nodes=nodes,
        wire=wire,
        piece_bytes=piece_bytes,
    )
    return _planning.make_plan(problem)

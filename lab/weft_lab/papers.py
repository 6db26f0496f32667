"""The numbers of papers 000 and 004, compared with weft's model of the papers' machines.

This is arithmetic only: it needs no cluster and no MPI, and gives the same result on every machine.
"""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import weft
from weft.planning import projection

Row = dict[str, Any]

NAME = "papers"
DMITRUK: dict[str, Any] = {"kind": "r2c", "dtype": "float32", "exchange": "dmitruk", "ranks_per_node": 1}
# Paper 000 for 16 nodes, by extent: seconds of computing and of sending (Eqs. 4 and 5), and efficiencies.
DMITRUK_TIMES = {128: (0.072, 0.088), 256: (0.626, 0.677)}
DMITRUK_EFFICIENCIES = {64: 0.32, 128: 0.40, 256: 0.43}
DMITRUK_MFLOPS = {256: 773}
# Fig. 5: the number of processors above which more processors make the transform slower.
DMITRUK_PEAKS = {64: "about 30", 128: "about 100", 256: "nearly linear"}
PROJECTED = (1, 2, 4, 8, 16, 32, 64, 128, 256)

_BOTH = ("paper", "ours")
# In these tables the model gives the cells another order than the paper.
_MISORDERED = ("004, Table 4,", "004, Table 6,")

# 004, section 5.2: rows of 64 ranks are eight lines of the torus 8 x 32 x 16. So ranks vary along its first axis first.
ORDER = "xyzt"

# Tables of 004: machine, mesh (nx, ny, nz), and the application's printed seconds by (Prow, Pcol).
TABLES: dict[str, tuple[str, dict[tuple[int, int, int], dict[tuple[int, int], float]]]] = {
    "1": (
        "bgl-512",
        {
            (256, 256, 64): {(8, 64): 1.294, (16, 32): 1.276, (32, 16): 1.41, (64, 8): 1.74},
            (64, 256, 256): {(8, 64): 1.37, (16, 32): 1.65, (32, 16): 2.34},
            (512, 512, 128): {(8, 64): 9.08, (16, 32): 9.08, (32, 16): 9.62, (64, 8): 10.66},
            (128, 512, 512): {(8, 64): 9.98, (16, 32): 10.73, (32, 16): 11.86, (64, 8): 15.01},
        },
    ),
    "3": (
        "bgl-4096",
        {
            (2048, 2048, 512): {(16, 256): 185.9, (64, 64): 179.2, (256, 16): 194.1},
            (512, 2048, 2048): {(16, 256): 151.2},
        },
    ),
    "4": (
        "bgl-4096-long",
        {
            (2048, 2048, 512): {(8, 512): 215.2, (32, 128): 218.4, (64, 64): 201.7, (128, 32): 198.2, (512, 8): 239.1},
            (512, 2048, 2048): {(8, 512): 181.36, (32, 128): 190.4, (64, 64): 179.3, (128, 32): 194.4},
        },
    ),
    "6": (
        "bgl-8192",
        {
            (2048, 2048, 512): {(16, 512): 146.5, (64, 128): 142.5, (128, 64): 144.3, (512, 16): 165.0},
            (512, 2048, 2048): {(16, 512): 113.1, (64, 128): 115.3, (128, 64): 125.7},
        },
    ),
    "7": (
        "bgl-16384",
        {
            (2048, 2048, 512): {(32, 512): 117.9, (128, 128): 118.1, (512, 32): 128.2, (1024, 16): 160.1},
            (512, 2048, 2048): {(16, 1024): 79.6, (32, 512): 84.4, (128, 128): 91.1},
        },
    ),
}  # fmt: skip


def dmitruk_rows() -> Iterator[Row]:
    """Yields the numbers of 000 (section 3, Figs. 3 to 6) with those of the model on the machine `celerons`."""
    for extent, efficiency in DMITRUK_EFFICIENCIES.items():
        alone, sixteen = projection.project((extent,) * 3, (1, 16), "celerons", **DMITRUK)
        about = f"000, {extent}^3 on 16 nodes"
        if extent in DMITRUK_TIMES:
            computing_s, sending_s = DMITRUK_TIMES[extent]
            yield {"about": about, "what": "computing, s", "paper": computing_s, "ours": _computing(sixteen)}
            yield {"about": about, "what": "sending, s", "paper": sending_s, "ours": _sending(sixteen)}
        yield {"about": about, "what": "efficiency", "paper": efficiency, "ours": alone.seconds / 16 / sixteen.seconds}
        if extent in DMITRUK_MFLOPS:
            rate = 2.5 * extent**3 * np.log2(float(extent) ** 3) / sixteen.seconds / 1e6
            yield {"about": about, "what": "Mflop/s", "paper": DMITRUK_MFLOPS[extent], "ours": rate}
    for extent, words in DMITRUK_PEAKS.items():
        seconds = {nodes: slabs_s(extent, nodes) for nodes in PROJECTED if nodes <= extent}
        yield {
            "about": f"000, Fig. 5, {extent}^3",
            "what": "fastest number of nodes; ours: the fastest power of two",
            "paper": words,
            "ours": min(seconds, key=lambda nodes: seconds[nodes]),
        }


def slabs_s(extent: int, nodes: int) -> float:
    """Returns the predicted seconds of the paper's transform on a number of Celerons."""
    machine = projection.with_nodes(weft.Machine.shipped("celerons"), nodes)
    slabs = weft.plan((extent,) * 3, ranks=nodes, input=(nodes, 1, 1), machine="fixed-rule", **DMITRUK)
    return weft.predict(slabs, machine).seconds


def _computing(point: projection.Point) -> float:
    steps = _steps(point.plan)
    return sum(step.arithmetic_s + step.memory_s + step.processor_s for step in steps)


def _sending(point: projection.Point) -> float:
    return sum(step.start_s + step.wire_s for step in _steps(point.plan))


def _steps(plan: weft.Plan) -> Sequence[Any]:
    assert plan.prediction is not None
    return plan.prediction.steps


def links_alone(name: str, order: str = ORDER) -> weft.Machine:
    """Returns a shipped machine without its measured all-to-alls, so that the model counts the links of its torus."""
    document = json.loads(weft.Machine.shipped(name).to_json())
    document["all_to_all"] = []
    return weft.Machine.from_json(json.dumps(document)).with_order(order)


def pencils(mesh: tuple[int, int, int], grid: tuple[int, int]) -> weft.Plan:
    """Returns P3DFFT's plan for a mesh (nx, ny, nz) on Prow x Pcol ranks; weft's last axis is the paper's x."""
    rows, columns = grid
    how: dict[str, Any] = {"kind": "r2c", "dtype": "float32", "exchange": "p3dfft", "machine": "fixed-rule"}
    return weft.plan(mesh[::-1], ranks=rows * columns, input=(columns, rows, 1), **how)


def chan_rows() -> Iterator[Row]:
    """Yields the application's seconds of 004, Tables 1, 3, 4, 6, 7, and the model's for one transform on the torus."""
    for table, (machine_name, meshes) in TABLES.items():
        machine = links_alone(machine_name)
        for mesh, cells in meshes.items():
            for (rows, columns), seconds in cells.items():
                ours = weft.predict(pencils(mesh, (rows, columns)), machine).seconds
                about = f"004, Table {table}, {'x'.join(map(str, mesh))}"
                yield {"about": about, "what": f"{rows}x{columns}", "paper": seconds, "ours": ours}


def rank_correlation(one: Sequence[float], other: Sequence[float]) -> float:
    """Returns Spearman's correlation of the ranks of values; equal values have their mean rank.

    >>> round(rank_correlation([1, 2, 3], [10, 20, 30]), 3), round(rank_correlation([1, 2, 3], [3, 2, 1]), 3)
    (1.0, -1.0)
    """
    return float(np.corrcoef(_ranks(one), _ranks(other))[0, 1])


def _ranks(values: Sequence[float]) -> np.ndarray:
    array = np.asarray(values)
    return np.array([(array < value).sum() + ((array == value).sum() - 1) / 2 for value in array])


def orderings(rows: Sequence[Row]) -> Iterator[Row]:
    """Yields the rank correlation of the paper's times and the model's, for each table and each mesh in it."""
    for table in TABLES:
        mine = [row for row in rows if row["about"].startswith(f"004, Table {table},")]
        meshes = list(dict.fromkeys(row["about"] for row in mine))
        groups = [(f"004, Table {table}", mine), *((mesh, [r for r in mine if r["about"] == mesh]) for mesh in meshes)]
        for name, cells in groups:
            if len(cells) > 2:
                paper, ours = ([row[column] for row in cells] for column in ("paper", "ours"))
                yield {"about": name, "cells": len(cells), "rank correlation": rank_correlation(paper, ours)}


def relative_to_mesh(rows: Sequence[Row]) -> Iterator[Row]:
    """Yields each cell divided by the geometric mean of its mesh's cells, for the paper and the model.

    In the application the mesh's direction has a further effect, which the division removes. Meshes of one cell are
    skipped.
    """
    for mesh in dict.fromkeys(row["about"] for row in rows):
        cells = [row for row in rows if row["about"] == mesh]
        if len(cells) > 1:
            means = {column: float(np.exp(np.mean([np.log(row[column]) for row in cells]))) for column in _BOTH}
            for row in cells:
                shares = {column: row[column] / means[column] for column in _BOTH}
                yield {"about": mesh, "what": row["what"], **shares, "ours / paper": shares["ours"] / shares["paper"]}


def within_meshes(rows: Sequence[Row]) -> Iterator[Row]:
    """Yields the rank correlation of each table's cells, after relative_to_mesh()."""
    cells = list(relative_to_mesh(rows))
    for table in TABLES:
        mine = [row for row in cells if row["about"].startswith(f"004, Table {table},")]
        paper, ours = ([row[column] for row in mine] for column in _BOTH)
        yield {"about": f"004, Table {table}", "cells": len(mine), "rank correlation": rank_correlation(paper, ours)}


def rotations(rows: Sequence[Row]) -> Iterator[Row]:
    """Yields the time of the rotated mesh divided by that of the other mesh, for the paper and the model.

    Only grids that have a time for both meshes are compared.
    """
    for table in TABLES:
        flat = {row["what"]: row for row in rows if row["about"] == f"004, Table {table}, 2048x2048x512"}
        long = {row["what"]: row for row in rows if row["about"] == f"004, Table {table}, 512x2048x2048"}
        for grid in flat.keys() & long.keys():
            paper, ours = (long[grid][column] / flat[grid][column] for column in ("paper", "ours"))
            yield {"about": f"004, Table {table}, {grid}", "paper": paper, "ours": ours}


def write(folder: Path) -> Path:
    """Writes table.md; returns its path."""
    from weft_lab.report import markdown, wrapped

    cells = list(chan_rows())
    text = wrapped(
        f"""# papers: the printed numbers and those of weft's model

## 000, on the machine `celerons`

{markdown(list(dmitruk_rows()))}

## 004: order of the cells

Spearman's rank correlation of the application's times and the model's times of one transform. The model counts the
links of the torus.

{markdown(list(orderings(cells)))}

## 004: order of the cells within their meshes

Each cell is divided by the geometric mean of its mesh. So the gain of rotation has no effect here.

{markdown(list(within_meshes(cells)))}

Cell by cell, in the tables where the order is wrong:

{markdown([row for row in relative_to_mesh(cells) if row["about"].startswith(_MISORDERED)])}

## 004: rotation

The time of 512x2048x2048 divided by that of 2048x2048x512, on the same grid. The paper ascribes a part of its gain to
the application.

{markdown(sorted(rotations(cells), key=lambda row: row["about"]))}

## 004: cells

{markdown(cells)}

Command: `lab/weft-lab papers`. This is arithmetic only: no machine was measured.
"""
    )
    folder.mkdir(parents=True, exist_ok=True)
    target = folder / "table.md"
    target.write_text(text)
    return target

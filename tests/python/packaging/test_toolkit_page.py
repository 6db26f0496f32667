"""The examples of docs/toolkit.md run, and their errors are those of rounding."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pool import Pool

PAGE = Path(__file__).resolve().parents[3] / "docs" / "toolkit.md"
SECTIONS = re.split(r"^## ", PAGE.read_text(), flags=re.MULTILINE)[1:]
EXAMPLES = [
    (section.splitlines()[0], code)
    for section in SECTIONS
    for code in re.findall(r"```python\n(.*?)```", section, re.DOTALL)
]


def test_the_page_has_examples() -> None:
    assert [title for title, _ in EXAMPLES] == [
        "Poisson's equation in a channel",
        "Products without aliases",
        "A linear convolution",
        "A linear convolution",
        "Vector fields",
        "Grids that fit together",
        "Finite differences and particles",
        "Work in cache",
        "Work in cache",
        "Spectra of fields",
    ]


@pytest.mark.parametrize("code", [code for _, code in EXAMPLES], ids=[title for title, _ in EXAMPLES])
def test_an_example_runs(code: str) -> None:
    if "numba" in code:
        pytest.importorskip("numba")
    namespace: dict[str, Any] = {}
    exec("import numpy as np\nimport weft\n" + code, namespace)
    assert namespace["error"] < 1e-12


def test_an_example_runs_on_ranks(pool: Pool) -> None:
    (code,) = [code for _, code in EXAMPLES if "comm=comm" in code]
    for ranks in (2, 3, 5):
        assert max(pool.values("examples_on_ranks.error_of_example", ranks, code=code)) < 1e-12

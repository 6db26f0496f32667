"""Fixtures of the Python tests, which conftest.py imports."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pool import Pool


@pytest.fixture(scope="session", autouse=True)
def plans_by_fixed_rule() -> Iterator[None]:
    """Sets the fixed rule for tests, because the model's fastest plan depends on the machine."""
    before = os.environ.get("WEFT_MACHINE")
    os.environ["WEFT_MACHINE"] = "fixed-rule"
    yield
    if before is None:
        del os.environ["WEFT_MACHINE"]
    else:
        os.environ["WEFT_MACHINE"] = before


@pytest.fixture(scope="session")
def pool(plans_by_fixed_rule: None) -> Iterator[Pool]:
    """Nine ranks that live as long as the session."""
    from pool import Pool

    ranks = Pool()
    yield ranks
    ranks.close()

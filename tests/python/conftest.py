"""Fixtures of the Python tests."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pool import Pool


@pytest.fixture(scope="session")
def pool() -> Iterator[Pool]:
    """Eight ranks that live as long as the session."""
    from pool import Pool

    ranks = Pool(8)
    yield ranks
    ranks.close()

"""Fixtures and tiers of the Python tests: those of tests/python, of lab/tests, and the examples in docstrings."""

import pytest
import tiers
from fixtures import plans_by_fixed_rule, pool

__all__ = ["plans_by_fixed_rule", "pool"]


def pytest_addoption(parser: pytest.Parser) -> None:
    tiers.add_option(parser)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    tiers.select(config, items)

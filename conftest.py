"""Tiers of the Python tests: `--tier`."""

import pytest
import tiers


def pytest_addoption(parser: pytest.Parser) -> None:
    tiers.add_option(parser)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    tiers.select(config, items)

"""Fixtures of the Python tests."""

from fixtures import plans_by_rule, pool

__all__ = ["plans_by_rule", "pool"]

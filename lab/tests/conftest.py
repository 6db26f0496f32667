"""Fixtures of the tests of lab/."""

from fixtures import plans_by_rule

__all__ = ["plans_by_rule"]

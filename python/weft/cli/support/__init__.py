"""Helpers that the commands share: ranks, streams, options, plots."""

"""Verifies transforms by comparison with serial transforms."""

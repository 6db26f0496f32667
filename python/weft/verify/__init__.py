"""Verification of transforms against serial ones."""

"""Helpers of the public modules: checks of arrays and types, free memory, pickles."""

"""Helpers of the public modules: checks of arrays and of wrong types, free memory, pickles."""

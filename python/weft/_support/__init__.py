"""Helpers of the modules that users call: checks of arrays and of wrong types, free memory, pickles."""

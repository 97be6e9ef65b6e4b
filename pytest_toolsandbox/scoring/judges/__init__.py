"""Judges of words: models and functions that read what the agent said, and the question they get.

Calls and state are never judged here; the votes and opinions are types in ``scoring/results.py``.
"""

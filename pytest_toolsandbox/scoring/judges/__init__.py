"""Judges of the agent's words: models and functions, and the question that they are asked.

Calls and state are never judged here; the types of votes and opinions are in
``scoring/results.py``.
"""

"""The gate: whether an agent got worse, decided from two samples of trials with known error rates.

A sample is of a run or of a baseline file. How verdicts are shown is in ``output``.
"""

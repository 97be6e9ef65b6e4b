"""The gate: compare two samples of trials, with known error rates, to see if an agent got worse.

A sample is from a run or a baseline file. Verdicts are shown in ``output``.
"""

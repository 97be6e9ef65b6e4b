"""Event loops, time limits of calls, and the end of a process that a signal stops.

Pools of conversations are in ``runs/``; how pytest stops is in ``plugin/stopping.py``.
"""

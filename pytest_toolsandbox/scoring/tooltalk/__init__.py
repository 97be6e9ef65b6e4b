"""Recorded conversations after ToolTalk: matching of calls, recall, precision, incorrect actions.

The conversation itself is replayed in ``conversation/replay.py``.
"""

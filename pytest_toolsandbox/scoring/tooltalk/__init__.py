"""ToolTalk's metrics of recorded conversations: matched calls, recall, incorrect actions.

The conversation itself is replayed in ``conversation/replay.py``.
"""

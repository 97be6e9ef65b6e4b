"""Conversations: message bus, messages, execution of calls, replays and played solutions.

How agents and users are asked is in ``agents`` and ``users``; what judges a conversation is in
``scoring``.
"""

"""Cassettes: conversations that were recorded once and are replayed without asking anyone.

``tape`` replaces models, agents, users and judges; ``recording`` and ``player`` are its two kinds.
``cassette`` has the files and ``exchanges`` their format; ``inventory`` lists them.
"""

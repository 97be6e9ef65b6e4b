"""Agents under test: what one is, how it is found and called, and those that play scripts.

An adapter for a framework, async or not, is a module here that makes an ``Agent`` (``agent.py``)
of the framework's object, and is called and awaited there. Models are in ``models/``.
"""

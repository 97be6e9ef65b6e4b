"""Agents under test: how ``--agent`` is resolved, how agents are called, and scripted agents.

An agent replies to messages (``agent.py``), or takes whole turns with a ``Toolbox``
(``turn_taking.py``). ``frameworks/`` and ``programs/`` adapt others; models are in ``models/``.
"""

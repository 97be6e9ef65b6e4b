"""Agents under test: what one is, how it is found and called, and those that play scripts.

An agent replies to messages (``agent.py``), or takes whole turns with a toolbox (``toolbox.py``,
``turn_taking.py``). Agents of known frameworks are in ``frameworks/``, models in ``models/``.
"""

"""Worlds: tables, tools, schemas of arguments, the clock, and the registry of worlds.

The bundled worlds are in ``builtin``; what executes calls in a world is in ``conversation``.
"""

"""Live worlds: objects and servers that change themselves, instead of tables.

``instance`` has the protocols that a kind of live world implements; ``running`` executes calls in
any state of it; ``row_reading`` and ``snapshots`` make states of what it shows.
"""

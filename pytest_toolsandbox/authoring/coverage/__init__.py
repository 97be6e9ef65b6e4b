"""What of a world its scenarios touch: outcomes of tools, changes of tables, dependencies of tools.

``touched`` reads conversations, ``reaching`` looks for the shortest calls to what none touches.
"""

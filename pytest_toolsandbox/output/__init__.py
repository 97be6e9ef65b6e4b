"""What a run prints and writes from its records: tables, pages, HTML, JUnit properties, exports.

The parts of a page that depend on the protocol are in ``protocols``; pytest's hooks, which decide
when something is written, are in ``plugin``.
"""

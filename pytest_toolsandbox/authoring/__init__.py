"""Tools for authors of scenarios: proofs, statistics of suites, the import of ToolTalk's data.

``proof`` shows that a scenario can be solved and that wrong solutions fail. Nothing here prints or
reads options; that is done in ``commands``.
"""

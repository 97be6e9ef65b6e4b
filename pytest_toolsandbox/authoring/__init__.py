"""For authors of scenarios: proofs, statistics of suites, and the import of ToolTalk's data.

``proof`` shows that a scenario can be solved and that wrong solutions fail; see its modules.
Nothing here prints or reads options: commands do.
"""

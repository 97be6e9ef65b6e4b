"""Score conversations: milestones, ToolTalk's metrics, error patterns, queries, judges.

Matchers of values are in ``matchers``, the reading of scenarios is in ``language``, output is in
``output``, and the choice of scores per protocol is in ``protocols``.
"""

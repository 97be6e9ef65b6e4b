"""Scores of conversations: milestones, ToolTalk's figures, error patterns, queries, judges.

Not here: what makes a value match (``matchers``), reading scenarios (``language``), showing results
(``output``), and which scores a protocol asks for (``protocols``).
"""

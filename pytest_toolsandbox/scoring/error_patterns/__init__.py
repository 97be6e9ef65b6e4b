"""SpecTool's error patterns: accepted calls, attempts of the agent, their alignment, findings.

The names and texts of the patterns are a table in ``language/error_patterns.py``.
"""

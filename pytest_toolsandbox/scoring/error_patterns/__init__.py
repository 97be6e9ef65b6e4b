"""SpecTool's error patterns: accepted calls, the agent's attempts, their alignment, findings.

The names and texts of the patterns are in ``language/error_patterns.py``.
"""

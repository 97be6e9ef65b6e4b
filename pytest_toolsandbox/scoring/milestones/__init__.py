"""ToolSandbox's milestones, minefields, guardrails and side effects, and their best mapping.

Scenarios are read in ``language``; pages about the results are in ``output``.
"""

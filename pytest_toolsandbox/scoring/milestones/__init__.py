"""Milestones, minefields, guardrails and side effects after ToolSandbox, and their best mapping.

What a scenario may ask for is read in ``language``; pages about the results are in ``output``.
"""

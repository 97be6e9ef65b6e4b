"""Milestones and minefields against a trajectory (ToolSandbox, section 2.3)."""

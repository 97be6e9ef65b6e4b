"""Simulated worlds: their state, their tools, and where they are registered."""

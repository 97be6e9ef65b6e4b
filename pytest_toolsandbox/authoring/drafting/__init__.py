"""Scenarios that a model drafts for a world, and solves itself before they are proposed."""

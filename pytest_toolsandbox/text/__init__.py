"""Utilities for texts: formatting, redaction, nearest names, files, numbers and quantities.

Nothing here knows scenarios, worlds or models.
"""

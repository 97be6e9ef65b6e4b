"""Worlds for queries: SpecTool's ten environments, without state, on invented data."""

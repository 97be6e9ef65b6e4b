"""Worlds to ask questions of: SpecTool's ten environments, without state, on data of our own."""

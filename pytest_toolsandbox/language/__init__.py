"""Scenarios as data: read from YAML with the place of every value, checked against their world."""

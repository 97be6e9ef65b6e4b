"""Readers of scenario files: from a document to a scenario, with every mistake noted."""

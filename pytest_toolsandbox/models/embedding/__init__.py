"""Embedders: models that compare meanings."""

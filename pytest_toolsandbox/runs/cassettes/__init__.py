"""Cassettes: conversations that were recorded once, and are replayed without asking anyone.

``tape`` stands in for whoever is asked; ``cassette`` has the files; ``inventory`` lists them.
"""

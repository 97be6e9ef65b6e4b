"""Perturbations: variants of a scenario that make it harder without changing what is asked.

Each is a module with a subclass of ``Perturbation``; ``names`` reads what they are called in
``--sandbox-augment``.
"""

"""The proof of a scenario: its solutions pass; counterexamples, idle agents and mutants fail.

``proof`` has what all protocols share; ``milestone_proof``, ``query_proof`` and ``replay_proof``
are for one protocol each.
"""

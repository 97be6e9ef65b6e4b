"""The steps in which a conversation differs from the solutions of its scenario, by state.

``acts`` are what the agent did, ``alignment`` pairs them with those of a solution, ``steps`` lists
the differences with what would have been right.
"""

"""Users who talk to the agent: scripted, human, or played by a model (``simulated/``).

``reading.py`` and ``turns.py`` tell by rules what an agent's text asks, announces or proposes, for
the scripted user. The agents that users talk to are not here.
"""

"""How a scripted user reads what the agent says: by patterns, without a model."""

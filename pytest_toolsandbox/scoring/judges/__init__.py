"""Models that judge what an agent says, where its calls are right."""

"""Conversations: messages and who sees them, the loop, and the execution environment."""

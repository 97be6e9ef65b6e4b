"""What an agent raises that cannot answer."""

from __future__ import annotations


class AgentError(Exception):
    """The agent could not answer: an error of the item, and never a score. One line."""


class ProviderError(AgentError):
    """A model gave no answer: an outage, a key, a quota, a model server. One line, for the user."""

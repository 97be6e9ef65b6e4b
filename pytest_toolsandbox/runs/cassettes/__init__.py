"""Cassettes: conversations that were recorded once, and are replayed while nobody is asked."""

"""Waits: for coroutines on an event loop, and for functions no longer than they may take."""

"""Tests LLM agents that use tools: YAML scenarios as pytest items."""

__version__ = "0.1.0"

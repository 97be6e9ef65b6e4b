"""Scenarios proposed from conversations that went well, and proven as ``check`` proves them."""

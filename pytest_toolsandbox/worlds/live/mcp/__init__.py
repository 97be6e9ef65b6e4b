"""Worlds whose tools an MCP server has: a client of the protocol, and the pool of its servers.

The client needs nothing but the standard library. ``agents/mcp_server.py`` is the other side: the
server that offers the tools of conversations to agents.
"""

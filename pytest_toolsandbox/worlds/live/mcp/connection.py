"""A conversation with an MCP server: its calls, with the tools that the kept file has."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from pytest_toolsandbox.text.formatting import join_words, one_line
from pytest_toolsandbox.worlds.context import WorldError
from pytest_toolsandbox.worlds.schema_tool import ToolError

from .client import McpClient, RemoteError
from .results import UnsupportedResultError, error_text, result_value

_FOR_AGENTS: Final = (-32601, -32602)
"""Errors of JSON-RPC that a call may have caused: an unknown tool, and invalid arguments."""


class McpConnection:
    """A client during a conversation; ``end`` gets it back, and whether it ended cleanly."""

    def __init__(
        self,
        client: McpClient,
        tools: KnownTools,
        seconds: float,
        end: Callable[[McpClient, bool], None],
    ) -> None:
        self._client, self._tools, self._seconds, self._end = client, tools, seconds, end
        client.begin_conversation()
        if client.tools_changed:
            tools.check(client)

    def execute(self, name: str, arguments: dict[str, Any]) -> Any:
        client = self._client
        try:
            result = client.call(name, arguments, self._seconds)
        except RemoteError as error:
            if error.code in _FOR_AGENTS:
                raise ToolError(str(error)) from None
            text = f"MCP server {client.name}: answered {name}() with error {error.code}: {error}"
            raise WorldError(text) from None
        if client.tools_changed:
            self._tools.check(client)
        if result.get("isError"):
            raise ToolError(error_text(result))
        try:
            return result_value(result, self._tools.output_schemas.get(name))
        except UnsupportedResultError as error:
            text = f"MCP server {client.name}: {name}() returned {error}"
            remedy = "worlds have JSON and text only; withhold the tool"
            raise WorldError(f"{text}; {remedy}") from None

    def close(self, *, is_clean: bool) -> None:
        self._end(self._client, is_clean)


class KnownTools:
    """The tools of a server as the kept file has them; ``pull`` is the command that writes it."""

    def __init__(self, tools: Sequence[Mapping[str, Any]], pull: str) -> None:
        self._pull = pull
        self._schemas = {tool["name"]: _canonical(tool) for tool in tools}
        self.output_schemas = {tool["name"]: tool.get("outputSchema") for tool in tools}

    def check(self, client: McpClient) -> None:
        """Compare the tools that a server lists with those that are known.

        Raises :class:`WorldError` with the names of those that differ.
        """
        listed = {tool["name"]: _canonical(tool) for tool in client.tools()}
        parts = {
            "new are": [name for name in listed if name not in self._schemas],
            "gone are": [name for name in self._schemas if name not in listed],
            "other arguments have": [
                name for name, schema in listed.items() if self._schemas.get(name, schema) != schema
            ],
        }
        differing = [f"{what} {join_words(names, 'and')}" for what, names in parts.items() if names]
        if differing:
            client.close()
            text = f"MCP server {client.name}: has other tools than the kept file"
            raise WorldError(f"{text}: {one_line('; '.join(differing), 600)}; run: {self._pull}")


def _canonical(tool: Mapping[str, Any]) -> str:
    return json.dumps(tool.get("inputSchema"), sort_keys=True)

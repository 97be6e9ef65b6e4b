"""Makes worlds of MCP servers: programs that speak over stdio, or addresses."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final

from pytest_toolsandbox.text.error_text import folder_of_caller
from pytest_toolsandbox.text.redaction import redacted
from pytest_toolsandbox.text.shells import join_command
from pytest_toolsandbox.worlds.context import WorldError
from pytest_toolsandbox.worlds.live.http_requests import (
    filled,
    filled_headers,
    isolates,
    new_conversation,
)
from pytest_toolsandbox.worlds.live.kept_file import SUFFIX, KeptFile
from pytest_toolsandbox.worlds.live.server_tables import TableQuery, ToolCallSetting, read_tables
from pytest_toolsandbox.worlds.live.servers import NOON, ServerSource, check_names
from pytest_toolsandbox.worlds.live.turns import Turns
from pytest_toolsandbox.worlds.schema_tool import SchemaTool, ToolError, schema_tool
from pytest_toolsandbox.worlds.world import World

from .channel import ChannelError
from .client import CALL_SECONDS, McpClient
from .connection import KnownTools, McpConnection
from .http import HttpChannel
from .pool import Pool
from .stdio import StdioChannel

WARM: Final = 2
"""The default number of servers that are started ahead."""
_PASSED: Final = (
    *("PATH", "HOME", "USER", "LOGNAME", "SHELL", "TERM", "LANG", "LC_ALL", "LC_CTYPE", "TMPDIR"),
    *("SSL_CERT_FILE", "NODE_EXTRA_CA_CERTS", "HTTPS_PROXY", "https_proxy", "NO_PROXY", "no_proxy"),
    *("SYSTEMROOT", "PATHEXT", "APPDATA", "LOCALAPPDATA", "USERPROFILE", "TEMP", "TMP"),
)
"""Variables that programs need, and that are not secret."""
_PYTHON: Final = ("python", "python3")
"""Names of the Python that runs the tests, which need not be the first one on the PATH."""


@dataclass(frozen=True)
class McpServer:
    """How a server is started, or where it listens."""

    world: str
    folder: Path
    command: tuple[str, ...] = ()
    env: tuple[str, ...] = ()
    url: str = ""
    headers: Mapping[str, str] | None = None

    @property
    def address(self) -> str:
        """What tells the server from others: its command or its URL, as the settings have it."""
        return redacted(self.url or join_command(self.command))

    @property
    def is_shared(self) -> bool:
        """Whether all conversations have the same state."""
        return bool(self.url) and not isolates([self.url, *(self.headers or {}).values()])

    def begun(self) -> McpClient:
        """Return a client with a new session, of a new server if it is a program.

        Raises :class:`WorldError`.
        """
        try:
            channel = self._http() if self.url else self._stdio()
        except ChannelError as error:
            raise WorldError(f"MCP server {self.world}: {error}") from None
        client = McpClient(channel, self.world)
        client.start()
        return client

    def _http(self) -> HttpChannel:
        conversation = new_conversation()
        headers = filled_headers(self.headers or {}, conversation)
        return HttpChannel(filled(self.url, conversation), headers, self.world)

    def _stdio(self) -> StdioChannel:
        missing = [name for name in self.env if name not in os.environ]
        if missing:
            text = f"needs the variable {missing[0]}, which is not set"
            raise WorldError(f"MCP server {self.world}: {text}")
        names = (*_PASSED, *self.env)
        environment = {name: os.environ[name] for name in names if name in os.environ}
        first, *others = self.command
        words = [sys.executable if first in _PYTHON else first, *others]
        return StdioChannel(words, environment, self.world, self.folder)


def mcp_world(
    command: Sequence[str] = (),
    *,
    url: str = "",
    name: str = "mcp",
    env: Iterable[str] = (),
    headers: Mapping[str, str] | None = None,
    reset: str | Mapping[str, Any] | None = None,
    tables: Mapping[str, Mapping[str, Any]] | None = None,
    reads: Iterable[str] = (),
    writes: Iterable[str] = (),
    timeout: float = CALL_SECONDS,
    warm: int = WARM,
    folder: Path | None = None,
    **options: Any,
) -> World:
    """Return a world whose tools an MCP server has.

    ``command`` starts a server for each conversation, in ``folder``, by default that of the calling
    file; it gets the variables that ``env`` names. Or the server listens at ``url``, and gets
    ``headers``, where ``${NAME}`` is a variable and ``${conversation}`` a text that differs in each
    conversation. ``reset`` is the tool that begins anew, or ``{"tool": …, "arguments": …}``; agents
    do not see it. ``tables`` maps names to the calls that show them: ``{"tool": …, "key": column,
    "arguments": …, "path": where the rows are in the result}``. Tools in ``reads`` change nothing,
    nor do those that the server marks so, unless ``writes`` names them. A call may take ``timeout``
    seconds. ``warm`` servers are started ahead. ``options`` are those of ``World``.

    Tools and first rows are in the file ``NAME.world.json`` in ``folder``, which the command
    ``toolsandbox worlds pull`` writes. Raises :class:`WorldError`.
    """
    folder = folder_of_caller() if folder is None else folder
    if bool(command) == bool(url):
        raise WorldError(f"the world {name!r}: an MCP server has either command or url")
    server = McpServer(name, folder, tuple(command), tuple(env), url, headers)
    queries = {table: TableQuery(**query) for table, query in (tables or {}).items()}
    anew = ToolCallSetting(reset) if isinstance(reset, str) else reset and ToolCallSetting(**reset)
    kept_file = KeptFile(folder / f"{name}{SUFFIX}", name, server.address)
    kept = kept_file.read(partial(_fetched, server, queries, anew or None, timeout))
    listed: list[dict[str, Any]] = kept["tools"]
    known = [tool["name"] for tool in listed]
    check_names(name, "reset", [anew.tool] if anew else [], known)
    for table, query in queries.items():
        check_names(name, f"the table {table!r}", [query.tool], known)
    tools = _tools(listed, name)
    of_reset = [tool for tool in tools if anew and tool.original_name == anew.tool]
    toolset = [tool for tool in tools if tool not in of_reset]
    source = ServerSource(
        name,
        _connector(server, KnownTools(listed, kept_file.command), timeout, warm, anew is not None),
        {table: _kept_rows(kept, table, kept_file) for table in queries},
        queries,
        anew or None,
        [argument for tool in of_reset for argument in tool.parameters],
        _reads(name, toolset, listed, reads, writes),
        Turns(server.address) if server.is_shared else None,
        kept_file.command,
    )
    now = options.pop("now", NOON)
    schemas = source.schemas(now, {})
    return World(name, now, schemas, toolset, lambda _: {}, source=source, **options)


def _connector(
    server: McpServer, known: KnownTools, timeout: float, warm: int, can_reset: bool
) -> Callable[[], McpConnection]:
    """Return what connects a conversation with a server whose tools are known."""

    def begun() -> McpClient:
        client = server.begun()
        known.check(client)
        return client

    pool = None if server.url else Pool(begun, warm)

    def end(client: McpClient, is_clean: bool) -> None:
        if pool is not None and can_reset and is_clean:
            pool.give_back(client)
        else:
            client.close()

    def connect() -> McpConnection:
        client = begun() if pool is None else pool.take()
        return McpConnection(client, known, timeout, end)

    return connect


def _fetched(
    server: McpServer,
    queries: Mapping[str, TableQuery],
    reset: ToolCallSetting | None,
    timeout: float,
) -> dict[str, Any]:
    """Return what the kept file of a server has. Raises :class:`WorldError`."""
    client = server.begun()
    try:
        tools = client.tools()
        connection = McpConnection(client, KnownTools(tools, ""), timeout, lambda *_: None)
        known = [tool["name"] for tool in tools]
        check_names(server.world, "reset", [reset.tool] if reset else [], known)
        for table, query in queries.items():
            check_names(server.world, f"the table {table!r}", [query.tool], known)
        if reset:
            try:
                connection.execute(reset.tool, dict(reset.arguments))
            except ToolError as error:
                text = f"MCP server {server.world}: {reset.tool}() failed: {error}"
                raise WorldError(text) from None
        rows = read_tables(queries, connection.execute)
        return {"tools": tools, "tables": rows, "remarks": _remarks(server, client)}
    finally:
        client.close()


def _remarks(server: McpServer, client: McpClient) -> list[str]:
    """Return what is to be said of a server, each in a line."""
    shared = "all conversations share its state, so they are played one at a time"
    return [*([shared] if server.is_shared else []), *filter(None, [client.remark])]


def _tools(listed: Sequence[Mapping[str, Any]], world: str) -> list[SchemaTool]:
    toolset: dict[str, SchemaTool] = {}
    for tool in listed:
        annotations = tool.get("annotations") or {}
        made = schema_tool(
            tool["name"],
            str(tool.get("description") or annotations.get("title") or tool.get("title") or ""),
            tool.get("inputSchema"),
            module=world,
            place=f"MCP server {world}",
            action=annotations.get("readOnlyHint") is not True,
            taken=toolset,
        )
        toolset[made.name] = made
    return [*toolset.values()]


def _reads(
    world: str,
    toolset: Sequence[SchemaTool],
    listed: Sequence[Mapping[str, Any]],
    reads: Iterable[str],
    writes: Iterable[str],
) -> frozenset[str]:
    """Return the names of the tools that change nothing: as declared here, or by the server."""
    known = [tool.original_name for tool in toolset]
    check_names(world, "reads", reads := [*reads], known)
    check_names(world, "writes", writes := [*writes], known)
    hinted = [
        tool["name"]
        for tool in listed
        if (tool.get("annotations") or {}).get("readOnlyHint") is True
    ]
    reading = {*reads, *hinted} - {*writes}
    return frozenset(tool.name for tool in toolset if tool.original_name in reading)


def _kept_rows(kept: Mapping[str, Any], table: str, file: KeptFile) -> Any:
    if table not in (kept.get("tables") or {}):
        raise WorldError(f"{file.path.name} lacks the table {table!r}; run: {file.command}")
    return kept["tables"][table]

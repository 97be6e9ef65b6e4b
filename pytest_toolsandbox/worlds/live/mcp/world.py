"""Makes worlds of MCP servers: programs that speak over stdio, or addresses."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final

from pytest_toolsandbox.text.error_text import folder_of_caller
from pytest_toolsandbox.worlds.context import WorldError
from pytest_toolsandbox.worlds.live.kept_file import SUFFIX, KeptFile
from pytest_toolsandbox.worlds.live.placeholders import fixtures_in
from pytest_toolsandbox.worlds.live.server_tables import TableQuery, ToolCallSetting, read_tables
from pytest_toolsandbox.worlds.live.servers import NOON, ServerSource, check_names, with_user_tools
from pytest_toolsandbox.worlds.live.turns import Turns
from pytest_toolsandbox.worlds.schema_tool import SchemaTool, ToolError, schema_tool
from pytest_toolsandbox.worlds.world import World

from .client import CALL_SECONDS, McpClient
from .connection import KnownTools, McpConnection
from .pool import Pool
from .server import McpServer

WARM: Final = 2
"""The default number of servers that are started ahead."""


def mcp_world(
    command: Sequence[str] = (),
    *,
    url: str = "",
    name: str = "mcp",
    env: Iterable[str] | Mapping[str, str] = (),
    folder: str = "",
    headers: Mapping[str, str] | None = None,
    reset: str | Mapping[str, Any] | None = None,
    tables: Mapping[str, Mapping[str, Any]] | None = None,
    reads: Iterable[str] = (),
    writes: Iterable[str] = (),
    user_tools: Iterable[str] = (),
    timeout: float = CALL_SECONDS,
    warm: int = WARM,
    here: Path | None = None,
    **options: Any,
) -> World:
    """Return a world whose tools an MCP server has.

    ``command`` starts a server for each conversation, in the folder ``here``, by default that of
    the calling file. It gets the variables that ``env`` names, or maps to texts. With ``folder``,
    each server has its own copy of that folder, as ``${folder}`` in ``command`` and ``env``. Or the
    server listens at ``url``, and gets ``headers``. In all of these ``${NAME}`` is a variable, and
    in the last two ``${conversation}`` a text that differs in each conversation.

    ``reset`` is the tool that begins anew, or ``{"tool": …, "arguments": …}``; agents do not see
    it. ``tables`` maps names to the calls that show them: ``{"tool": …, "key": column,
    "arguments": …, "path": where the rows are in the result}``. Tools in ``reads`` change nothing,
    nor do those that the server marks so, unless ``writes`` names them. ``user_tools`` are those of
    the user. A call may take ``timeout`` seconds. ``warm`` servers are started ahead. ``options``
    are those of ``World``.

    Tools and first rows are in the file ``NAME.world.json`` in ``here``, which the command
    ``toolsandbox worlds pull`` writes. Raises :class:`WorldError`.
    """
    here = folder_of_caller() if here is None else here
    variables = (
        env if isinstance(env, Mapping) else {variable: f"${{{variable}}}" for variable in env}
    )
    server = McpServer(name, here, tuple(command), variables, folder, url, headers or {})
    server.check()
    queries = {table: TableQuery(**query) for table, query in (tables or {}).items()}
    anew = ToolCallSetting(reset) if isinstance(reset, str) else reset and ToolCallSetting(**reset)
    kept_file = KeptFile(here / f"{name}{SUFFIX}", name, server.address)
    kept = kept_file.read(partial(_fetched, server, queries, anew or None, timeout))
    listed: list[dict[str, Any]] = kept["tools"]
    known = [tool["name"] for tool in listed]
    check_names(name, "reset", [anew.tool] if anew else [], known)
    for table, query in queries.items():
        check_names(name, f"the table {table!r}", [query.tool], known)
    tools = _tools(listed, name)
    of_reset = [tool for tool in tools if anew and tool.original_name == anew.tool]
    left = [tool for tool in tools if tool not in of_reset]
    toolset = with_user_tools(name, left, user_tools)
    source = ServerSource(
        name,
        _connector(
            server,
            KnownTools(listed, kept_file.command),
            timeout,
            warm,
            anew is not None and not folder,
        ),
        {table: kept_file.rows(kept, table) for table in queries},
        queries,
        anew or None,
        [argument for tool in of_reset for argument in tool.parameters],
        _reads(name, left, listed, reads, writes),
        Turns(server.address) if server.is_shared else None,
        kept_file.command,
        fixtures_in(server.texts),
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

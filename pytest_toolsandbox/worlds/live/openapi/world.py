"""Makes worlds of services over HTTP that an OpenAPI document describes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Final
from urllib.parse import urljoin

from pytest_toolsandbox.text.error_text import folder_of_caller
from pytest_toolsandbox.text.redaction import redacted
from pytest_toolsandbox.worlds.context import WorldError
from pytest_toolsandbox.worlds.live.kept_file import SUFFIX, KeptFile
from pytest_toolsandbox.worlds.live.placeholders import (
    CONVERSATION,
    filled,
    filled_headers,
    fixtures_in,
    isolates,
    new_conversation,
)
from pytest_toolsandbox.worlds.live.server_tables import TableQuery, ToolCallSetting, read_tables
from pytest_toolsandbox.worlds.live.servers import NOON, ServerSource, check_names, with_user_tools
from pytest_toolsandbox.worlds.live.turns import Turns
from pytest_toolsandbox.worlds.schema_tool import ToolError
from pytest_toolsandbox.worlds.world import World

from .connection import OpenApiConnection
from .document import is_address, read_document
from .operations import Operations, names_of, operations_of

_CALL_SECONDS: Final = 30.0


@dataclass(frozen=True)
class OpenApiService:
    """A service: where its document is, and where it listens."""

    world: str
    here: Path
    document: str
    base_url: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)

    @property
    def address(self) -> str:
        """What tells the service from others, as the settings have it."""
        return redacted(self.base_url or self.document)

    @property
    def is_shared(self) -> bool:
        """Whether all conversations have the same state."""
        return not isolates([self.base_url, *self.headers.values()])

    def read(self) -> dict[str, Any]:
        """Return the document. Raises :class:`WorldError`."""
        try:
            values = {CONVERSATION: new_conversation()}
            headers = filled_headers(self.headers, values[CONVERSATION])
            return read_document(filled(self.document, values), self.here, headers)
        except WorldError as error:
            raise WorldError(f"the world {self.world!r}: {error}") from None

    def url(self, content: Mapping[str, Any]) -> str:
        """Return the address of the service, with placeholders. Raises :class:`WorldError`."""
        servers = content.get("servers")
        first = servers[0] if isinstance(servers, list) and servers else None
        listed = str(first.get("url") or "") if isinstance(first, Mapping) else ""
        base = self.document if is_address(self.document) else ""
        url = self.base_url or (urljoin(base, listed or "/") if base else listed)
        if not url or ("{" in url and "${" not in url) or (not is_address(url) and "${" not in url):
            text = "the document names no address of the service; give base_url"
            raise WorldError(f"the world {self.world!r}: {text}")
        return url


def openapi_world(
    document: str,
    *,
    base_url: str = "",
    name: str = "openapi",
    headers: Mapping[str, str] | None = None,
    reset: str | Mapping[str, Any] | None = None,
    tables: Mapping[str, Mapping[str, Any]] | None = None,
    reads: Iterable[str] = (),
    writes: Iterable[str] = (),
    user_tools: Iterable[str] = (),
    timeout: float = _CALL_SECONDS,
    here: Path | None = None,
    **options: Any,
) -> World:
    """Return a world whose tools are the operations of an OpenAPI document.

    ``document`` is a file relative to ``here``, by default the folder of the calling file, or an
    address. The service is at ``base_url``, by default the first of the document's servers. In
    ``base_url`` and ``headers``, ``${NAME}`` is a variable, ``${fixture:name}`` the value of a
    fixture, and ``${conversation}`` a text that differs in each conversation. ``reset``,
    ``tables``, ``reads``, ``writes``, ``user_tools`` and ``timeout`` are as those of ``mcp_world``,
    and name operations by their ``operationId``, or else by method and path. GET and HEAD change
    nothing. ``options`` are those of ``World``.

    A document at an address, and the first rows of tables, are in the file ``NAME.world.json`` in
    ``here``, which the command ``toolsandbox worlds pull`` writes. Raises :class:`WorldError`.
    """
    here = folder_of_caller() if here is None else here
    service = OpenApiService(name, here, document, base_url, headers or {})
    queries = {table: TableQuery(**query) for table, query in (tables or {}).items()}
    anew = ToolCallSetting(reset) if isinstance(reset, str) else reset and ToolCallSetting(**reset)
    kept_file = KeptFile(here / f"{name}{SUFFIX}", name, service.address)
    kept: Mapping[str, Any] = {}
    if is_address(document) or queries:
        kept = kept_file.read(partial(_fetched, service, queries, anew or None, timeout))
    content = kept["document"] if is_address(document) else service.read()
    operations = operations_of(content, name)
    _check(name, operations, queries, anew or None)
    of_reset = [tool for tool in operations.tools if anew and tool.original_name == anew.tool]
    left = [tool for tool in operations.tools if tool not in of_reset]
    toolset = with_user_tools(name, left, user_tools)
    source = ServerSource(
        name,
        partial(_connected, service, service.url(content), operations, timeout),
        {table: kept_file.rows(kept, table) for table in queries},
        queries,
        anew or None,
        [argument for tool in of_reset for argument in tool.parameters],
        _reads(name, operations, reads, writes),
        Turns(service.address) if service.is_shared else None,
        kept_file.command,
        fixtures_in([document, base_url, *(headers or {}).values()]),
    )
    now = options.pop("now", NOON)
    return World(
        name, now, source.schemas(now, {}), toolset, lambda _: {}, source=source, **options
    )


def _connected(
    service: OpenApiService, url: str, operations: Operations, seconds: float
) -> OpenApiConnection:
    """Return the connection of a conversation. Raises :class:`WorldError`."""
    conversation = new_conversation()
    try:
        headers = filled_headers(service.headers, conversation)
        address = filled(url, {CONVERSATION: conversation})
        return OpenApiConnection(service.world, address, headers, operations.by_name, seconds)
    except WorldError as error:
        raise WorldError(f"the world {service.world!r}: {error}") from None


def _fetched(
    service: OpenApiService,
    queries: Mapping[str, TableQuery],
    reset: ToolCallSetting | None,
    seconds: float,
) -> dict[str, Any]:
    """Return what the kept file of a service has. Raises :class:`WorldError`."""
    content = service.read()
    operations = operations_of(content, service.world)
    _check(service.world, operations, queries, reset)
    kept: dict[str, Any] = {"tools": names_of(operations.tools), "remarks": operations.remarks}
    if service.is_shared:
        shared = "all conversations share its state, so they are played one at a time"
        kept["remarks"] = [shared, *operations.remarks]
    if is_address(service.document):
        kept["document"] = content
    connection = _connected(service, service.url(content), operations, seconds)
    try:
        if reset:
            connection.execute(reset.tool, dict(reset.arguments))
        kept["tables"] = read_tables(queries, connection.execute)
    except ToolError as error:
        raise WorldError(f"the world {service.world!r}: {reset and reset.tool}: {error}") from None
    finally:
        connection.close(is_clean=True)
    return kept


def _check(
    world: str,
    operations: Operations,
    queries: Mapping[str, TableQuery],
    reset: ToolCallSetting | None,
) -> None:
    known = names_of(operations.tools)
    if not known:
        raise WorldError(f"the world {world!r}: the document has no operations")
    check_names(world, "reset", [reset.tool] if reset else [], known)
    for table, query in queries.items():
        check_names(world, f"the table {table!r}", [query.tool], known)


def _reads(
    world: str, operations: Operations, reads: Iterable[str], writes: Iterable[str]
) -> frozenset[str]:
    """Return the names of the tools that change nothing: GET and HEAD, unless declared here."""
    known = names_of(operations.tools)
    check_names(world, "reads", reads := [*reads], known)
    check_names(world, "writes", writes := [*writes], known)
    return frozenset(
        tool.name
        for tool in operations.tools
        if tool.original_name not in writes
        and (tool.name in operations.reads or tool.original_name in reads)
    )

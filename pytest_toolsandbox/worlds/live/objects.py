"""Worlds of objects that change themselves: their methods are the tools."""

from __future__ import annotations

import copy
import inspect
import json
import os
import re
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from pytest_toolsandbox.concurrency.own_thread import OwnThread
from pytest_toolsandbox.concurrency.time_limit import OutOfTime
from pytest_toolsandbox.text.error_text import blamed, place_of, place_of_caller, type_and_text
from pytest_toolsandbox.text.nearest_name import did_you_mean
from pytest_toolsandbox.worlds.context import WorldError
from pytest_toolsandbox.worlds.json_values import as_json
from pytest_toolsandbox.worlds.state import TableSchema
from pytest_toolsandbox.worlds.tool import Tool

from .instance import Instance
from .methods import Method, method_name, method_tools, public_methods
from .snapshots import inferred_schemas

Look = str | Iterable[str] | Callable[[Any], Mapping[str, Any]]
"""How the tables of an object are read: a function, a method's name, or names of attributes."""


@dataclass(eq=False)
class ObjectSource:
    """Makes objects by calling ``factory``, with ``now`` if it takes that.

    ``methods`` maps the names of tools to what is called; ``look`` returns the tables.
    """

    name: str
    factory: Callable[..., Any]
    look: Look
    reads: frozenset[str] = frozenset()
    make_fork: Callable[[Any], Any] | None = None
    methods: dict[str, Method] = field(default_factory=dict)
    replayable: bool = True
    fixtures: tuple[str, ...] = ()
    in_process: bool = True
    copies: bool = True
    timeout: float | None = None
    load: Callable[[Any, Any], object] | None = None
    move_clock: Callable[[Any, datetime], object] | None = None

    @property
    def has_clock(self) -> bool:
        return self.move_clock is not None

    @property
    def loads(self) -> bool:
        return self.load is not None

    @property
    def other_start(self) -> str:
        """What may be wrong if an object begins with other rows than the first one."""
        cause = "instances share state, such as class attributes, module globals or files"
        return f"than at first: {cause}, or the factory uses a clock or randomness"

    def first_tables(self, arguments: Mapping[str, Any]) -> None:
        del arguments  # an object must be made to know them

    def begin(self, now: datetime, arguments: Mapping[str, Any]) -> ObjectInstance:
        values = json.loads(as_json(dict(arguments)))
        if "now" in _parameters(self.factory):
            values.setdefault("now", now)
        thread = OwnThread()
        try:
            subject, manager = self.in_time(thread, "its factory", lambda: self._made(values))
        except BaseException:
            thread.leave()
            raise
        return ObjectInstance(self, thread, subject, manager)

    def _made(self, arguments: dict[str, Any]) -> tuple[Any, Any]:
        """Return an object, and its context manager, if it has one."""
        with blamed(lambda error: self.mistake("its factory", error)):
            subject = self.factory(**arguments)
            if not hasattr(subject, "close") and hasattr(subject, "__enter__"):
                return subject.__enter__(), subject
        return subject, None

    def in_time(self, thread: OwnThread, what: str, call: Callable[[], Any]) -> Any:
        """Return the result of a call. Raises :class:`WorldError` if it takes too long."""
        try:
            return thread.call(call, self.timeout)
        except OutOfTime:
            text = f"the world {self.name!r}: {what} took longer than its timeout of"
            remedy = "World.of(timeout=...) sets another"
            raise WorldError(f"{text} {self.timeout:g} s; {remedy}") from None

    def check_arguments(self, arguments: Mapping[str, Any]) -> None:
        parameters = _parameters(self.factory)
        takes_any = any(p.kind is p.VAR_KEYWORD for p in parameters.values())
        for name in arguments if not takes_any else ():
            if name not in parameters:
                text = f"the factory of world {self.name!r} takes no argument {name!r}"
                allowed = ", ".join(parameters) or "none"
                raise ValueError(f"{text} (allowed: {allowed}){did_you_mean(name, parameters)}")

    def schemas(self, now: datetime, arguments: Mapping[str, Any]) -> Mapping[str, TableSchema]:
        instance = self.begin(now, arguments)
        try:
            tables: object = instance.tables()
            if not isinstance(tables, Mapping):
                text = f"its state must be tables with their rows, not {tables!r:.100}"
                raise WorldError(f"the world {self.name!r}: {text}")
            return inferred_schemas(tables)
        finally:
            instance.close()

    def never_forks(self) -> None:
        self.copies = False

    def mistake(self, what: str, error: BaseException) -> WorldError:
        """Return the error of a world whose code raised an exception."""
        place = place_of(error)
        text = f"the world {self.name!r}: {what} raised {type_and_text(error)}"
        return WorldError(f"{place}: {text}" if place else text)


class ObjectInstance:
    """One object of a world, which lives on one thread."""

    def __init__(
        self, source: ObjectSource, thread: OwnThread, subject: Any, manager: Any = None
    ) -> None:
        self.source, self.thread = source, thread
        self.subject, self.manager = subject, manager

    def call(self, tool: Tool, arguments: Mapping[str, Any]) -> str:
        process = os.getpid()

        def called() -> str:
            method = self.source.methods[tool.name]
            try:
                if isinstance(method, str):
                    return tool.answer_of(getattr(self.subject, method), (), arguments)
                return tool.answer_of(method, (self.subject,), arguments)
            finally:
                if os.getpid() != process:  # a child would go on with the whole run
                    os._exit(0)

        content: str = self.source.in_time(self.thread, f"the tool {tool.name!r}", called)
        return content

    def tables(self) -> Mapping[str, Any]:
        tables: Mapping[str, Any] = self.source.in_time(self.thread, "its state", self._tables)
        return tables

    def _tables(self) -> Any:
        look = self.source.look
        with blamed(lambda error: self.source.mistake("its state", error), WorldError):
            if isinstance(look, str):
                shown = getattr(self.subject, look)
                return shown() if callable(shown) else shown
            if callable(look):
                return look(self.subject)
            return {name: getattr(self.subject, name) for name in look}

    def load(self, tables: Mapping[str, list[dict[str, Any]]]) -> None:
        def loaded() -> None:
            assert self.source.load is not None
            with blamed(lambda error: self.source.mistake("its load", error)):
                self.source.load(self.subject, tables)

        self.source.in_time(self.thread, "its load", loaded)

    def move_clock(self, now: datetime) -> None:
        def moved() -> None:
            assert self.source.move_clock is not None
            with blamed(lambda error: self.source.mistake("its move_clock", error)):
                self.source.move_clock(self.subject, now)

        self.source.in_time(self.thread, "its move_clock", moved)

    def fork(self) -> Instance | None:
        copied = self.source.in_time(self.thread, "its fork", self._copied)
        return copied and ObjectInstance(self.source, self.thread.shared(), *copied)

    def _copied(self) -> tuple[Any] | None:
        if self.source.make_fork is not None:
            with blamed(lambda error: self.source.mistake("its fork", error)):
                return (self.source.make_fork(self.subject),)
        if not self.source.copies or self.manager is not None:
            return None
        try:
            return (copy.deepcopy(self.subject),)
        except (KeyboardInterrupt, OutOfTime):
            raise
        except BaseException:  # noqa: BLE001  # such as of a lock, a socket or a connection
            self.source.never_forks()
            return None

    def close(self) -> None:
        try:
            self.source.in_time(self.thread, "its close", self._close)
        finally:
            self.thread.leave()

    def _close(self) -> None:
        with blamed(lambda error: self.source.mistake("its close", error)):
            if self.manager is not None:
                self.manager.__exit__(None, None, None)
            elif callable(close := getattr(self.subject, "close", None)):
                close()


def _parameters(function: Callable[..., Any]) -> Mapping[str, inspect.Parameter]:
    with suppress(TypeError, ValueError):  # such as a class written in C
        return inspect.signature(function).parameters
    return {}


def object_source(
    factory: Any,
    look: Look,
    now: datetime,
    arguments: Mapping[str, Any],
    *,
    name: str | None,
    tools: Iterable[Method] | None,
    scenario_tools: Iterable[Method],
    user_tools: Iterable[Method],
    reads: Iterable[Method],
    writes: Iterable[Method] | None,
    fork: Callable[[Any], Any] | None,
    check_arguments: bool,
    load: Callable[[Any, Any], object] | None,
    timeout: float | None,
    move_clock: Callable[[Any, datetime], object] | None,
) -> tuple[ObjectSource, list[Tool], list[Tool]]:
    """Return the source of a world of objects, its tools, and those that scenarios alone call.

    Raises :class:`WorldError`.
    """
    if not callable(factory):
        remedy = "give the class, or a function that returns an object"
        text = f"World.of takes a factory, not {factory!r:.100}; {remedy}"
        raise WorldError(f"{place_of_caller()}: {text}")
    source = ObjectSource(name or _name_of(factory), factory, look)
    _check_given(source, arguments)
    source.make_fork, source.load, source.timeout = fork, load, timeout
    source.move_clock = move_clock
    instance = source.begin(now, arguments)
    try:
        hidden, of_user = list(scenario_tools), list(user_tools)
        reserved = [look, *map(method_name, (*hidden, *of_user))]
        public = (name for name in public_methods(instance.subject) if name not in reserved)
        methods = list(public if tools is None else tools)
        names = list(map(method_name, (*methods, *of_user, *hidden)))
        changing = None if writes is None else set(map(method_name, writes))
        reading = set(map(method_name, reads))
        _check_known(names, {*(changing or ()), *reading}, source.name)
        if changing is not None:
            reading |= set(names) - changing
        source.reads = frozenset(reading)
        options = {"check_arguments": check_arguments, "copies_arguments": True}
        toolset: list[Tool] = []
        for listed, for_user in ((methods, False), (of_user, True), (hidden, False)):
            options["for_user"] = for_user
            for tool, method in method_tools(instance.subject, listed, source.name, **options):
                source.methods[tool.name] = method
                acts = bool(reading) and tool.name not in reading
                toolset.append(replace(tool, action=acts))
    finally:
        instance.close()
    offered = len(toolset) - len(hidden)
    return source, toolset[:offered], toolset[offered:]


def _check_given(source: ObjectSource, arguments: Mapping[str, Any]) -> None:
    """Check that the factory can be called with the arguments."""
    start = f"{place_of_caller()}: the world {source.name!r}"
    try:
        as_json(dict(arguments))
        source.check_arguments(arguments)
    except (TypeError, ValueError) as error:
        text = f"{start}: arguments must be JSON values that the factory takes: {error}"
        raise WorldError(text) from None
    kinds = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    for name, parameter in _parameters(source.factory).items():
        is_needed = parameter.default is parameter.empty and parameter.kind not in kinds
        if is_needed and name not in (*arguments, "now"):
            remedy = f"write arguments={{{name!r}: ...}}, or a function that makes the object"
            raise WorldError(f"{start}: its factory needs the argument {name!r}; {remedy}")


def _check_known(names: list[str], declared: set[str], world: str) -> None:
    for name in sorted(declared - set(names)):
        text = f"reads or writes of world {world!r} name {name!r}, which is not one of its tools"
        raise WorldError(f"{place_of_caller()}: {text}: {', '.join(names)}")


def _name_of(factory: Callable[..., Any]) -> str:
    name = getattr(factory, "__name__", type(factory).__name__)
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()

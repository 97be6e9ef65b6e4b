"""The world of imported entries: objects of the classes of the installed package ``bfcl-eval``.

Each conversation gets new objects, which begin as the entry says. As in BFCL's evaluation, an
exception of a method is a text for the agent, and the call counts as executed. The tables have the
public attributes, which BFCL compares; what is private, such as the working directory, is hidden.
"""

from __future__ import annotations

import importlib
import inspect
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from pytest_toolsandbox.text.error_text import message_of
from pytest_toolsandbox.worlds.context import WorldError
from pytest_toolsandbox.worlds.live.objects import ObjectSource
from pytest_toolsandbox.worlds.schema_tool import schema_tool
from pytest_toolsandbox.worlds.tool import Tool
from pytest_toolsandbox.worlds.world import NOON, World

WORLD: Final = "bfcl"
"""The name of the world."""
_BACKENDS: Final = "bfcl_eval.constants.executable_backend_config"
_INSTALL: Final = "pip install --no-deps bfcl-eval, and pip install mpmath==1.3.0"


class Entry:
    """The objects of an entry: one for each of its ``classes``.

    ``initial_config`` maps classes to their start; without one, a class starts with its defaults.
    With ``long_context``, objects add files, orders and the like, which make results long.
    """

    def __init__(
        self,
        classes: Sequence[str] = (),
        initial_config: Mapping[str, Any] | None = None,
        *,
        long_context: bool = False,
    ) -> None:
        start = initial_config or {}
        self.objects = {
            name: _started(name, start.get(name, {}), long_context=long_context)
            for name in classes or multi_turn_classes()
        }

    def tables(self) -> dict[str, list[dict[str, Any]]]:
        """Return class → its public attributes, as the only row of a table."""
        return {name: [_attributes(instance)] for name, instance in self.objects.items()}

    def call(self, of_class: str, method: str, arguments: Mapping[str, Any]) -> Any:
        """Return the result of a method as JSON, or the text of what it raised."""
        instance = self.objects[of_class]
        try:
            result = getattr(instance, method)(**arguments)
        except Exception as error:  # noqa: BLE001  # BFCL hands any exception to the agent
            return f"Error during execution: {error}"
        return _as_result(result)


def _started(name: str, start: Mapping[str, Any], *, long_context: bool) -> Any:
    instance = _class(name)()
    if name not in _backends().STATELESS_CLASSES:
        instance._load_scenario(json.loads(json.dumps(start)), long_context=long_context)  # noqa: SLF001  # as BFCL does
    return instance


def _backends() -> Any:
    """Return the module that says where BFCL's classes are. Raises :class:`WorldError`."""
    return _imported(_BACKENDS)


def _imported(module: str) -> Any:
    try:
        return importlib.import_module(module)
    except ImportError as error:
        text = f"the world {WORLD!r} needs bfcl-eval, which cannot be imported"
        raise WorldError(f"{text} ({message_of(error)}); {_INSTALL}") from error


def _class(name: str) -> Any:
    return getattr(_imported(_backends().CLASS_FILE_PATH_MAPPING[name]), name)


def multi_turn_classes() -> list[str]:
    """Return the names of the classes of the multi-turn categories."""
    modules = _backends().CLASS_FILE_PATH_MAPPING
    single_turn = ("Memory", "WebSearch")  # those of categories that are not multi-turn
    return [name for name in modules if not name.startswith(single_turn)]


def document_files() -> dict[str, str]:
    """Return class → the name of the file with the documents of its methods."""
    files: Mapping[str, str] = _backends().MULTI_TURN_FUNC_DOC_FILE_MAPPING
    return {name: files[name] for name in multi_turn_classes()}


def parameter_names(of_class: str, method: str) -> list[str]:
    """Return the names of the parameters of a method, in the order of its signature."""
    parameters = inspect.signature(getattr(_class(of_class), method)).parameters
    return [name for name in parameters if name != "self"]


def _attributes(instance: Any) -> dict[str, Any]:
    return {name: _as_json(value) for name, value in vars(instance).items() if name[0] != "_"}


def _as_json(value: Any) -> Any:
    """Return a value of which equal ones are equal in BFCL: of files, times do not count."""
    if hasattr(value, "contents"):
        return {"directory": value.name, "contents": _as_json(value.contents)}
    if hasattr(value, "content"):
        return {"file": value.name, "content": value.content}
    if isinstance(value, Mapping):
        return dict(_items(value))
    if isinstance(value, (list, tuple)):
        return list(map(_as_json, value))
    if isinstance(value, (set, frozenset)):
        return sorted(map(_as_json, value), key=json.dumps)
    return value if value is None or isinstance(value, (str, bool, int, float)) else str(value)


def _items(values: Mapping[Any, Any]) -> Iterator[tuple[str, Any]]:
    """Yield items with texts as keys; a number beside the same text keeps a name of its own."""
    texts = {key for key in values if isinstance(key, str)}
    for key, value in values.items():
        name = key if isinstance(key, str) else str(key)
        is_taken = not isinstance(key, str) and name in texts
        yield f"{name} ({type(key).__name__})" if is_taken else name, _as_json(value)


def _as_result(result: Any) -> Any:
    try:
        json.dumps(result, allow_nan=False)
    except (TypeError, ValueError):
        return str(result)
    return result


def bfcl_world(tools: Path) -> World:
    """Return the world; the file ``tools`` has what :func:`tool_documents` returned.

    Raises :class:`WorldError` if ``bfcl-eval`` is not installed, or the file is no such file.
    """
    try:
        return documented_world(json.loads(tools.read_bytes()), str(tools))
    except (OSError, ValueError, LookupError, TypeError) as error:
        raise WorldError(f"{tools}: cannot be read: {message_of(error)}") from error


def documented_world(documents: Iterable[Mapping[str, Any]], place: str) -> World:
    """Return the world whose tools have these documents, from a ``place``.

    Raises :class:`WorldError` if ``bfcl-eval`` is not installed.
    """
    source = ObjectSource(WORLD, Entry, Entry.tables)
    toolset: list[Tool] = []
    for document in documents:
        name, of_class = document["name"], document["class"]
        described = (name, document["description"], document["parameters"])
        tool = schema_tool(*described, module=of_class, place=place, action=False)
        toolset.append(replace(tool, check_arguments=False))
        source.methods[name] = _method(of_class, name)
    schemas = source.schemas(NOON, {})
    return World(WORLD, NOON, schemas, toolset, _no_rows, source=source, summary=_SUMMARY)


_SUMMARY: Final = "Files, vehicles, trading, travel, tickets, messages, posts and mathematics."


def _no_rows(_: object) -> Mapping[str, Any]:
    return {}


def _method(of_class: str, name: str) -> Callable[..., Any]:
    def called(entry: Entry, **arguments: Any) -> Any:
        return entry.call(of_class, name, arguments)

    called.__name__ = name
    return called


_TYPES: Final = {"dict": "object", "float": "number", "tuple": "array", "any": None}
"""Types of BFCL's documents that JSON Schema names otherwise."""


def tool_documents(folder: Path) -> list[dict[str, Any]]:
    """Return the documents of all methods, with JSON Schemas. Raises ``OSError``."""
    return [
        {
            "class": of_class,
            "name": document["name"],
            "description": document["description"],
            "parameters": _schema(document["parameters"]),
        }
        for of_class, file in document_files().items()
        for document in map(json.loads, (folder / file).read_text("utf-8").splitlines())
    ]


def _schema(schema: Any) -> Any:
    """Return a schema of BFCL as JSON Schema has it."""
    if isinstance(schema, list):
        return list(map(_schema, schema))
    if not isinstance(schema, Mapping):
        return schema
    made = {name: _schema(value) for name, value in schema.items() if name != "properties"}
    if "properties" in schema:
        made["properties"] = {name: _schema(inner) for name, inner in schema["properties"].items()}
    if isinstance(kind := schema.get("type"), str) and kind in _TYPES:
        renamed = _TYPES[kind]
        made = (
            {**made, "type": renamed} if renamed else {k: v for k, v in made.items() if k != "type"}
        )
    return made

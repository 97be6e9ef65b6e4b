"""Validates documents with the Pydantic models, and puts the errors in plain words."""

from __future__ import annotations

import copy
import functools
import itertools
import operator
from typing import Any

import pydantic

from pytest_toolsandbox.concurrency.time_limit import LONGEST
from pytest_toolsandbox.language import models
from pytest_toolsandbox.language.mistakes import Mistakes, Path
from pytest_toolsandbox.language.protocol import Protocol, protocols
from pytest_toolsandbox.text.formatting import TYPE_NAMES, join_words
from pytest_toolsandbox.text.nearest_name import CLOSE, nearest_name

_EXPECTED_TYPES = {f"{kind.__name__}_type": text for kind, text in TYPE_NAMES.items()}
_EXPECTED_TYPES |= {"string_type": TYPE_NAMES[str], "model_type": TYPE_NAMES[dict]}

_ANY_KEY = "*"
_ASSENT = "a text, several that take turns, or a mapping with say;"
_SOLUTION = "the name of a solution, or a mapping with solution and tables;"
_EXPECTED_AT = {
    ("world",): "the name of a world, or a mapping with mcp or openapi;",
    ("world", "name"): "a name of letters, digits, '_', '-' and '.'",
    ("world", _ANY_KEY, "reset"): "a tool, or a mapping with tool and arguments;",
    ("world", _ANY_KEY, "timeout"): f"a number of seconds above 0, at most {LONGEST} (30 days)",
    ("difficulty", "passed"): "a whole number from 0 on",
    ("difficulty", "played"): "a whole number from 1 on",
    ("quarantine",): "a text that says why",
    ("trials",): "a whole number from 1 to 1000",
    ("max_messages",): "a whole number from 1 to 1000000",
    ("max_calls",): "a whole number from 1 to 1000000",
    ("max_steps",): "a whole number from 1 to 1000000",
    ("user", "turns"): "a list of what the user says",
    ("timeout",): f"a number of seconds above 0, at most {LONGEST} (30 days), or null",
    ("judge",): "a criterion, a list of them, or a mapping with all_of or any_of;",
    ("faults", _ANY_KEY, "times"): "a whole number from 1 to 1000000, or always",
    ("faults", _ANY_KEY, "occurrence"): "a whole number from 1 to 1000000",
    ("faults", _ANY_KEY, "stale"): "start, or tables with their rows as in state",
    ("threshold",): "a number from 0 to 1 or one for each matcher",
    ("threshold", _ANY_KEY): "a number from 0 to 1",
    (_ANY_KEY, _ANY_KEY, "threshold"): "a number from 0 to 1",
    (_ANY_KEY, _ANY_KEY, "after"): "a name or a list of names",
    (_ANY_KEY, _ANY_KEY, "turn"): "a whole number from 1 on",
    (_ANY_KEY, _ANY_KEY, "ends_as"): _SOLUTION,
    ("ends_as",): _SOLUTION,
    ("consent",): "tool → what the user must have agreed to, or none;",
    (
        "consent",
        _ANY_KEY,
    ): "a list of arguments that must be told, a mapping, or none;",
    ("user", "openings"): "a list of what the user says first",
    ("user", "otherwise"): "a text or several that take turns",
    ("user", "opening"): "text, or a mapping with say and do;",
    ("user", "replies", _ANY_KEY, "say"): "a text, or a mapping with from;",
    ("user", "demonstration"): "lines, or a mapping with goal and lines",
    ("user", "agrees"): _ASSENT,
    ("user", "permits"): _ASSENT,
    ("user", _ANY_KEY, "say"): "a text or several that take turns",
    ("user", _ANY_KEY, "say_no"): "a text or several that take turns",
    ("user", _ANY_KEY, "to"): "a word or a list of words",
    ("user", _ANY_KEY, "not_to"): "a word or a list of words",
}
"""Path → what is expected there, if types alone do not say it."""

_PARTS: dict[Any, type[models.Model]] = {
    "world": models.WorldDocument,
    "mcp": models.McpDocument,
    "openapi": models.OpenApiDocument,
    "tables": models.ServerTableDocument,
    "reset": models.ServerCallDocument,
    "user": models.UserDocument,
    "opening": models.OpeningDocument,
    "replies": models.ReplyDocument,
    "agrees": models.AssentDocument,
    "permits": models.AssentDocument,
    "demonstration": models.DemonstrationDocument,
    "difficulty": models.DifficultyDocument,
    "session": models.SessionDocument,
    "judge": models.CriteriaDocument,
    "ends_as": models.EndsAsDocument,
    "clock": models.ClockDocument,
    "consent": models.ConsentDocument,
    "faults": models.FaultDocument,
    "milestones": models.EventDocument,
    "minefields": models.MinefieldDocument,
}
"""Key → the model of its value, or of each value in it."""

_SAMPLES: dict[Any, Any] = {"to": "now", "passed": 1, "played": 1}
"""Required keys → a valid value."""

_EVENTS = ("milestones", "minefields")
_KEY_OF_EVENT = 3
"""The length of the path to a key of an event."""

_MOST_PROBLEMS = 100
"""How many are reported one by one."""

_Problems = dict[Path, list[Any]]


def check_shape(
    document: dict[str, Any], protocol: Protocol, mistakes: Mistakes
) -> models.Document:
    """Return the document as a model; invalid parts are noted and left out."""
    model = protocol.model
    try:
        return model.model_validate(document)
    except pydantic.ValidationError as error:
        problems = _problems(document, error)
    reported = dict(itertools.islice(problems.items(), _MOST_PROBLEMS))
    _note(document, reported, model, mistakes)
    if len(problems) > len(reported):
        mistakes.add((), f"{len(problems) - len(reported)} more keys and values are invalid")
    mistakes.leave_out(problems)
    mended = copy.deepcopy(document)
    for path in problems:
        _mend(mended, path, protocol)
    return model.model_validate(mended)


def protocol_meant(document: dict[str, Any]) -> Protocol:
    """Return the protocol of a document, even if its key is missing or misspelt."""
    default, *other_protocols = protocols()
    for protocol in (*other_protocols, default):
        if protocol.key in document:
            return protocol
    fields = {
        protocol: set(protocol.model.model_fields) for protocol in (default, *other_protocols)
    }
    known = set().union(*fields.values())
    keys = itertools.islice(document, _MOST_PROBLEMS)  # comparing names is slow
    nearest = {nearest_name(str(key), known, CLOSE) for key in keys}
    if default.key in nearest:
        return default
    for protocol in other_protocols:
        fields_of_others = (fields[candidate] for candidate in fields if candidate is not protocol)
        if nearest & fields[protocol].difference(*fields_of_others):
            return protocol
    return default


def _problems(document: dict[str, Any], error: pydantic.ValidationError) -> _Problems:
    """Return the errors at each path; there are several if several types are allowed."""
    problems: _Problems = {}
    for problem in error.errors(include_url=False):
        *above, last = problem["loc"]
        path = _walked(document, (*above, last))
        if problem["type"] == "missing":
            path = (*_walked(document, tuple(above)), last)
        problems.setdefault(path, []).append(problem)
    # If one of several types fits so far, the errors inside it say more.
    around = {path[:length] for path in problems for length in range(len(path))}
    return {path: errors for path, errors in problems.items() if path not in around}


def _walked(document: Any, location: tuple[str | int, ...]) -> Path:
    """Return the path of Pydantic's location, which may also name types."""
    path: Path = ()
    value = document
    for part in location:
        is_key = isinstance(value, dict) and part in value
        if is_key or (isinstance(value, list) and isinstance(part, int)):
            value = value[part]
            path = (*path, part)
    return path


def _note(
    document: Any, problems: _Problems, whole: type[models.Model], mistakes: Mistakes
) -> None:
    misspelt = set()
    for path, errors in problems.items():
        if errors[0]["type"] == "extra_forbidden":
            # A part of an event is in its third key: an event may have the name of another part.
            deepest = 2 if path[0] in _EVENTS and len(path) > _KEY_OF_EVENT else 1
            deepest = len(path) - 2 if path[0] == "world" else deepest
            named = path[deepest::-1]
            name = next((part for part in named if part in _PARTS), path[0])
            model = whole if len(path) == 1 else _PARTS.get(name, whole)
            allowed = [field.alias or key for key, field in model.model_fields.items()]
            mistakes.unknown(path, "key", str(path[-1]), allowed)
            misspelt.add((*path[:-1], nearest_name(str(path[-1]), allowed, CLOSE)))
    for path, errors in problems.items():
        kinds = [error["type"] for error in errors]
        if "missing" in kinds and path not in misspelt:
            mistakes.add(path, "this key is missing")
        elif not {"missing", "extra_forbidden"} & set(kinds):
            value = functools.reduce(operator.getitem, path, document)
            mistakes.expected(path, _expected(path, errors), value)


def _expected(path: Path, errors: list[Any]) -> str:
    for pattern, text in _EXPECTED_AT.items():
        if len(pattern) == len(path) and all(
            p in (_ANY_KEY, k) for p, k in zip(pattern, path, strict=True)
        ):
            return text
    if errors[0]["type"] == "literal_error":
        return str(errors[0]["ctx"]["expected"]).replace("'", "")
    kinds = (_EXPECTED_TYPES.get(error["type"], error["type"]) for error in errors)
    return join_words(list(dict.fromkeys(kinds)))


def _mend(document: Any, path: Path, protocol: Protocol) -> None:
    """Remove an invalid value from a document, or insert a placeholder for a required one."""
    while isinstance(path[-1], int):  # removing an item would shift the others
        path = path[:-1]
    try:
        around: Any = functools.reduce(operator.getitem, path[:-1], document)
    except (KeyError, IndexError):
        return  # removed with an enclosing value
    key = path[-1]
    match path:
        case ("faults", name, "call"):
            document["faults"].pop(name)
        case (str(name),) if name in protocol.placeholders:
            around[key] = copy.deepcopy(protocol.placeholders[name])
        case (
            ("world",)
            | ("user", "opening")
            | ("user", "opening", "say")
            | ("user", "replies", _, "say")
            | ("user", "agrees" | "permits", "say")
            | ("user", "demonstration", "goal")
            | ("world", "openapi", "document")
            | ("world", _, "reset", "tool")
            | ("world", _, "tables", _, "tool")
            | ("ends_as", "solution")
            | ("milestones" | "minefields", _, "ends_as", "solution")
        ):
            around[key] = ""
        case ("clock", _, "to") | ("difficulty", "passed" | "played"):
            around[key] = _SAMPLES[key]
        case ("user", "demonstration", "lines") | ("user", "turns"):
            around[key] = []
        case ("milestones" | "minefields" as name, _) if name in protocol.model.model_fields:
            around[key] = {}
        case ("solutions" | "counterexamples" as name, _) if name in protocol.model.model_fields:
            around[key] = []
        case _:
            around.pop(key, None)

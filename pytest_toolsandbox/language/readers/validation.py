"""Checks the shape of a document against the models and says in words what does not fit."""

from __future__ import annotations

import copy
import functools
import itertools
import operator
from typing import Any

import pydantic

from pytest_toolsandbox.language import models
from pytest_toolsandbox.language.error_patterns import PATTERNS
from pytest_toolsandbox.language.mistakes import Mistakes, Path
from pytest_toolsandbox.language.protocol import Protocol, protocols
from pytest_toolsandbox.text.formatting import TYPE_NAMES, join_words
from pytest_toolsandbox.text.nearest_name import CLOSE, nearest_name

_EXPECTED_TYPES = {f"{kind.__name__}_type": text for kind, text in TYPE_NAMES.items()}
_EXPECTED_TYPES |= {"string_type": TYPE_NAMES[str], "model_type": TYPE_NAMES[dict]}

_ANY_KEY = "*"
_ASSENT = "a text, several that take turns, or a mapping with say;"
_EXPECTED_AT = {
    ("quarantine",): "a text that says why",
    ("trials",): "a whole number from 1 to 1000",
    ("max_messages",): "a whole number of at least 1",
    ("max_calls",): "a whole number of at least 1",
    ("feedback",): "on or off",
    ("call_format",): "native, text or react",
    ("manner",): "constraints, sentences or irrelevance",
    ("forbidden", _ANY_KEY): join_words(list(PATTERNS)),
    ("timeout",): "a number of seconds above 0",
    ("judge",): "a criterion, a list of them, or a mapping with all_of or any_of;",
    ("protocol",): "published_code, paper or turnwise",
    ("threshold",): "a number from 0 to 1 or one for each matcher",
    ("threshold", _ANY_KEY): "a number from 0 to 1",
    (_ANY_KEY, _ANY_KEY, "threshold"): "a number from 0 to 1",
    (_ANY_KEY, _ANY_KEY, "after"): "a name or a list of names",
    ("user", "otherwise"): "a text or several that take turns",
    ("user", "style"): "plain, terse, impatient, tangential or incomplete",
    ("user", "demonstration"): "lines, or a mapping with goal and lines",
    ("user", "agrees"): _ASSENT,
    ("user", "permits"): _ASSENT,
    ("user", _ANY_KEY, "say"): "a text or several that take turns",
    ("user", _ANY_KEY, "say_no"): "a text or several that take turns",
    ("user", _ANY_KEY, "to"): "a word or a list of words",
    ("user", _ANY_KEY, "not_to"): "a word or a list of words",
}
"""Path → what is expected there, where the types do not say all."""

_PARTS: dict[Any, type[models.Model]] = {
    "user": models.UserDocument,
    "replies": models.ReplyDocument,
    "agrees": models.AssentDocument,
    "permits": models.AssentDocument,
    "demonstration": models.DemonstrationDocument,
    "session": models.SessionDocument,
    "judge": models.CriteriaDocument,
    "milestones": models.EventDocument,
    "minefields": models.MinefieldDocument,
}
"""Key → the model of what stands under it, or of each of several things."""

_MOST_PROBLEMS = 100
"""How many are told one by one."""

_Problems = dict[Path, list[Any]]


def check_shape(
    document: dict[str, Any], protocol: Protocol, mistakes: Mistakes
) -> models.Document:
    """Return the document as a model, without what does not fit, which is noted."""
    model = protocol.model
    try:
        return model.model_validate(document)
    except pydantic.ValidationError as error:
        problems = _problems(document, error)
    noted = dict(itertools.islice(problems.items(), _MOST_PROBLEMS))
    _note(document, noted, model, mistakes)
    if len(problems) > len(noted):
        mistakes.add((), f"{len(problems) - len(noted)} more keys and values are invalid")
    mistakes.leave_out(problems)
    rest = copy.deepcopy(document)
    for path in problems:
        _mend(rest, path, protocol)
    return model.model_validate(rest)


def protocol_meant(document: dict[str, Any]) -> Protocol:
    """Return which protocol is meant, also where the key that tells it is missing or misspelt."""
    usual, *others = protocols()
    for other in others:
        if other.key in document:
            return other
    if usual.key in document:
        return usual
    known = {name for one in (usual, *others) for name in one.model.model_fields}
    keys = itertools.islice(document, _MOST_PROBLEMS)  # each is compared with all that are known
    meant = {nearest_name(str(key), known, CLOSE) for key in keys}
    if usual.key in meant:
        return usual
    return next((one for one in others if meant & _own(one)), usual)


def _own(protocol: Protocol) -> set[str]:
    others = (other.model.model_fields for other in protocols() if other is not protocol)
    return set(protocol.model.model_fields).difference(*others)


def _problems(document: dict[str, Any], error: pydantic.ValidationError) -> _Problems:
    """Return what is wrong at each path, several things where several types are allowed."""
    problems: _Problems = {}
    for problem in error.errors(include_url=False):
        *above, last = problem["loc"]
        path = _walked(document, (*above, last))
        if problem["type"] == "missing":
            path = (*_walked(document, tuple(above)), last)
        problems.setdefault(path, []).append(problem)
    # Where one of several types fits so far, what is wrong inside of it says more.
    around = {path[:length] for path in problems for length in range(len(path))}
    return {path: errors for path, errors in problems.items() if path not in around}


def _walked(document: Any, location: tuple[str | int, ...]) -> Path:
    """Follow a location through the document as far as it goes; it may name types as well."""
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
    meant = set()
    for path, errors in problems.items():
        if errors[0]["type"] == "extra_forbidden":
            name = next((part for part in path[1::-1] if part in _PARTS), path[0])
            model = whole if len(path) == 1 else _PARTS.get(name, whole)
            allowed = list(model.model_fields)
            mistakes.unknown(path, "key", str(path[-1]), allowed)
            meant.add((*path[:-1], nearest_name(str(path[-1]), allowed, CLOSE)))
    for path, errors in problems.items():
        kinds = [error["type"] for error in errors]
        if "missing" in kinds and path not in meant:
            mistakes.add(path, "this key is missing")
        elif not {"missing", "extra_forbidden"} & set(kinds):
            mistakes.expected(
                path, _expected(path, kinds), functools.reduce(operator.getitem, path, document)
            )


def _expected(path: Path, kinds: list[str]) -> str:
    for pattern, text in _EXPECTED_AT.items():
        if len(pattern) == len(path) and all(
            p in (_ANY_KEY, k) for p, k in zip(pattern, path, strict=True)
        ):
            return text
    return join_words(list(dict.fromkeys(_EXPECTED_TYPES.get(kind, kind) for kind in kinds)))


def _mend(document: Any, path: Path, protocol: Protocol) -> None:
    """Take a value that does not fit out of a document, or put one in where it is missing."""
    while isinstance(path[-1], int):  # in a list others would take its place
        path = path[:-1]
    try:
        around: Any = functools.reduce(operator.getitem, path[:-1], document)
    except (KeyError, IndexError):
        return  # taken out with what was around it
    key = path[-1]
    match path:
        case (str(name),) if name in protocol.placeholders:
            around[key] = copy.deepcopy(protocol.placeholders[name])
        case (
            ("world",)
            | ("user", "opening")
            | ("user", "replies", _, "say")
            | ("user", "agrees" | "permits", "say")
            | ("user", "demonstration", "goal")
        ):
            around[key] = ""
        case ("user", "demonstration", "lines"):
            around[key] = []
        case ("milestones" | "minefields" as name, _) if name in protocol.model.model_fields:
            around[key] = {}
        case ("solutions" | "counterexamples" as name, _) if name in protocol.model.model_fields:
            around[key] = []
        case _:
            around.pop(key, None)

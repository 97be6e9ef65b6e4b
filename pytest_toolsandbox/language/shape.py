"""Checks the shape of a document against the models and says in words what does not fit."""

from __future__ import annotations

from typing import Any

import pydantic

from . import models
from .mistakes import Mistakes, Path, found, unknown


def check_shape(document: dict[str, Any], mistakes: Mistakes) -> models.Scenario | None:
    """Return the document as a model, or note every key and value that does not fit."""
    try:
        return models.Scenario.model_validate(document)
    except pydantic.ValidationError as error:
        for problem in error.errors(include_url=False):
            _note(document, problem, mistakes)
        return None


def _note(document: dict[str, Any], problem: Any, mistakes: Mistakes) -> None:
    path, value = _walked(document, problem["loc"])
    kind = problem["type"]
    if kind == "missing":
        mistakes.add(path, f"the key {problem['loc'][-1]!r} is missing")
    elif kind == "extra_forbidden":
        allowed = _keys_allowed(path[:-1])
        mistakes.add(path, unknown("key", str(path[-1]), allowed), key=True)
    elif kind in _EXPECTED:
        mistakes.add(path, f"expected {_EXPECTED[kind]}, found {found(value)}")
    else:
        context = problem.get("ctx", {})
        limit = next((context[key] for key in ("ge", "le", "gt") if key in context), "")
        mistakes.add(
            path,
            f"expected {_LIMITS.get(kind, problem['msg'])} {limit}".rstrip()
            + f", found {found(value)}",
        )


_EXPECTED = {
    "string_type": "text",
    "int_type": "a whole number",
    "float_type": "a number",
    "bool_type": "true or false",
    "list_type": "a list",
    "dict_type": "a mapping",
    "model_type": "a mapping",
    "model_attributes_type": "a mapping",
    "literal_error": "all, none or a list of tables",
}
_LIMITS = {
    "greater_than_equal": "at least",
    "less_than_equal": "at most",
    "greater_than": "more than",
}


def _walked(document: Any, location: tuple[str | int, ...]) -> tuple[Path, Any]:
    """Follow a location through the document as far as it goes; it may name types as well."""
    path: Path = ()
    value = document
    for part in location:
        if isinstance(value, dict) and part in value:
            value = value[part]
        elif isinstance(value, list) and isinstance(part, int):
            value = value[part]
        else:
            continue
        path = (*path, part)
    return path, value


def _keys_allowed(path: Path) -> list[str]:
    """Return the keys that the model at a path has."""
    match path:
        case ():
            model: type[models.Model] = models.Scenario
        case ("user",):
            model = models.User
        case ("user", "replies", _):
            model = models.Reply
        case ("milestones", _):
            model = models.Event
        case _:
            model = models.Minefield
    return list(model.model_fields)

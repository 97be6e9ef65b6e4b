"""JSON Schemas that somebody else wrote, in the form that this package reads.

Definitions are under ``$defs`` at the root of each argument, and all references lead there. Draft 7
and OpenAPI 3.0 write some things differently than Draft 2020-12, of which the validator is.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import unquote

Schema = Mapping[str, Any]
_ROOT: Final = "#/$defs/"
_BY_NAME: Final = ("properties", "patternProperties", "dependentSchemas")
_LISTS: Final = ("allOf", "anyOf", "oneOf", "prefixItems")
_INNER: Final = (
    *("items", "additionalProperties", "contains", "propertyNames", "not", "if", "then", "else"),
    *("unevaluatedItems", "unevaluatedProperties"),
)
"""Keywords whose values are schemas: by name, in a list, and alone."""
_LIMITS: Final = (("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum"))
_LEFT_OUT: Final = ("$schema", "$id", "id", "$defs", "definitions", "$anchor", "nullable")


class SchemaReader:
    """Rewrites the schemas of a document, whose references lead into it."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        self._document = document
        self._names: dict[str, str] = {}
        self._definitions: dict[str, Any] = {}
        self.unresolved: list[str] = []
        """References that lead out of the document or nowhere: any value fits them."""

    def read(self, schema: Any) -> dict[str, Any]:
        """Return a schema with the definitions that it needs."""
        inner = self._rewritten(schema)
        definitions = self._needed(inner)
        return {**inner, "$defs": definitions} if definitions else inner

    def resolved(self, value: Any) -> Any:
        """Return what a reference of the document leads to, or the value itself."""
        if isinstance(value, Mapping) and isinstance(reference := value.get("$ref"), str):
            if (target := self._target(reference)) is None:
                self.unresolved.append(reference)
            return target
        return value

    def _needed(self, schema: Any) -> dict[str, Any]:
        """Return the definitions to which a schema refers, also by other definitions."""
        needed: dict[str, Any] = {}
        waiting = list(references_in(schema))
        while waiting:
            name = waiting.pop().removeprefix(_ROOT)
            if name not in needed:
                needed[name] = self._definitions[name]
                waiting += references_in(needed[name])
        return {name: needed[name] for name in sorted(needed)}

    def _rewritten(self, schema: Any) -> dict[str, Any]:
        if not isinstance(schema, Mapping):
            return {"not": {}} if schema is False else {}
        if isinstance(reference := schema.get("$ref"), str):
            return self._reference(reference, schema)
        made: dict[str, Any] = {}
        for key, value in schema.items():
            if key in _BY_NAME and isinstance(value, Mapping):
                made[key] = {str(name): self._rewritten(part) for name, part in value.items()}
            elif key in _LISTS and isinstance(value, list):
                made[key] = [self._rewritten(part) for part in value]
            elif key == "items" and isinstance(value, list):  # as in Draft 7
                made["prefixItems"] = [self._rewritten(part) for part in value]
            elif key in _INNER and isinstance(value, (Mapping, bool)):
                made[key] = value if isinstance(value, bool) else self._rewritten(value)
            elif key not in _LEFT_OUT:
                made[key] = value
        return _modern(made, may_be_null=schema.get("nullable") is True)

    def _reference(self, reference: str, schema: Schema) -> dict[str, Any]:
        described = {key: schema[key] for key in ("description",) if key in schema}
        name = self._name_of(reference)
        return {"$ref": _ROOT + name, **described} if name else described

    def _name_of(self, reference: str) -> str | None:
        """Return the name of a definition, ``None`` if a reference leads nowhere."""
        if reference in self._names:
            return self._names[reference]
        target = self._target(reference)
        if target is None:
            self.unresolved.append(reference)
            return None
        parts = [part for part in reference.split("/")[1:] if part]
        name = stem = "".join(c if c.isalnum() else "_" for c in (parts or ["root"])[-1]) or "root"
        count = 1
        while name in self._definitions:
            count += 1
            name = f"{stem}_{count}"
        self._names[reference] = name
        self._definitions[name] = {}  # while it is read, since it may refer to itself
        self._definitions[name] = self._rewritten(target)
        return name

    def _target(self, reference: str) -> Any:
        """Return what a reference leads to, through references to references."""
        seen: set[str] = set()
        while reference.startswith("#") and reference not in seen:
            seen.add(reference)
            target: Any = self._document
            for part in reference.lstrip("#").split("/")[1:]:
                key = unquote(part).replace("~1", "/").replace("~0", "~")
                if isinstance(target, list) and key.isdecimal() and int(key) < len(target):
                    target = target[int(key)]
                elif isinstance(target, Mapping) and key in target:
                    target = target[key]
                else:
                    return None
            if not isinstance(target, (Mapping, bool)):
                return None
            if isinstance(target, bool) or not isinstance(target.get("$ref"), str):
                return target
            reference = target["$ref"]
        return None


def _modern(schema: dict[str, Any], *, may_be_null: bool) -> dict[str, Any]:
    """Return a schema as Draft 2020-12 has it, with one type where there is a list of types."""
    for limit, plain in _LIMITS:  # in Draft 4 and OpenAPI 3.0, exclusive limits are flags
        if isinstance(flag := schema.get(limit), bool):
            del schema[limit]
            if flag and plain in schema:
                schema[limit] = schema.pop(plain)
    types = schema.get("type")
    kinds = types if isinstance(types, list) else [types] if types else []
    if may_be_null and kinds and "null" not in kinds:
        kinds = [*kinds, "null"]
    if len(kinds) < 2:  # noqa: PLR2004  # a union
        return {**schema, "type": kinds[0]} if kinds else schema
    kept: dict[str, Any] = {
        key: schema.pop(key) for key in ("description", "default", "title") if key in schema
    }
    members = [{"type": k} if k == "null" else {**schema, "type": k} for k in kinds]
    return {"anyOf": members, **kept}


def references_in(schema: Any) -> list[str]:
    """Return the references of a schema at every depth."""
    if isinstance(schema, list):
        return [reference for part in schema for reference in references_in(part)]
    if not isinstance(schema, Mapping):
        return []
    reference = schema.get("$ref")
    inner = (
        reference
        for key, part in schema.items()
        if key not in ("enum", "const", "default", "examples", "example", "required")
        for reference in references_in(part)
    )
    return [*([reference] if isinstance(reference, str) else []), *inner]

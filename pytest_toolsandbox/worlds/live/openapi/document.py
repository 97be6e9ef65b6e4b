"""Reads OpenAPI documents: JSON or YAML, from a file or an address."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from pytest_toolsandbox.text.error_text import message_of
from pytest_toolsandbox.worlds.context import WorldError
from pytest_toolsandbox.worlds.live.http_requests import HttpRequestError, HttpSender

_SECONDS: Final = 60.0
"""The time for a document to be loaded."""
_BOOL: Final = re.compile("true|True|TRUE|false|False|FALSE")
_OK: Final = 200


def is_address(document: str) -> bool:
    """Whether a document is at an address, and not in a file."""
    return document.startswith(("http://", "https://"))


def read_document(document: str, here: Path, headers: Mapping[str, str]) -> dict[str, Any]:
    """Return an OpenAPI document of version 3. Raises :class:`WorldError`."""
    if is_address(document):
        text = _loaded(document, headers)
    else:
        try:
            text = (here / document).read_text(encoding="utf-8-sig")
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or message_of(error)
            raise WorldError(f"the document {document} cannot be read: {reason}") from None
    value = _parsed(text, document)
    version = value.get("openapi") if isinstance(value, dict) else None
    if not isinstance(version, str) or not version.startswith("3."):
        actual = f"swagger {value['swagger']}" if _is_swagger(value) else "no openapi: 3.…"
        raise WorldError(f"the document {document} has {actual}; expected OpenAPI 3.0 or 3.1")
    content: dict[str, Any] = value
    return content


def _is_swagger(value: Any) -> bool:
    return isinstance(value, dict) and "swagger" in value


def _loaded(url: str, headers: Mapping[str, str]) -> str:
    sender = HttpSender(url)
    path = sender.base + (f"?{sender.query}" if sender.query else "")
    try:
        reply = sender.send("GET", path, headers, None, _SECONDS)
        if reply.status != _OK:
            raise WorldError(f"the document {url}: the server {reply.refusal()}")
        return reply.body().decode("utf-8-sig", "replace")
    except HttpRequestError as error:
        raise WorldError(f"the document {url}: the server {error}") from None
    except TimeoutError:
        text = f"the server did not answer within {_SECONDS:g} s"
        raise WorldError(f"the document {url}: {text}") from None
    finally:
        sender.close()


def _parsed(text: str, document: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        pass
    import yaml

    try:
        return json.loads(json.dumps(yaml.load(text, _loader())))  # noqa: S506  # a safe loader
    except (yaml.YAMLError, TypeError, ValueError, RecursionError) as error:
        reason = " ".join(str(error).split())[:200]
        raise WorldError(f"the document {document} is neither JSON nor YAML: {reason}") from None


def _loader() -> Any:
    """Return a loader with JSON's types: in YAML 1.1, ``on`` is a boolean, and a date no text."""
    import yaml

    class Loader(yaml.SafeLoader):
        yaml_implicit_resolvers = {  # noqa: RUF012  # a copy, as pyyaml has it
            first: [(tag, pattern) for tag, pattern in resolvers if not tag.endswith(_NOT_JSON)]
            for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
        }

    Loader.add_implicit_resolver("tag:yaml.org,2002:bool", _BOOL, list("tTfF"))
    return Loader


_NOT_JSON: Final = (":bool", ":timestamp", ":value")

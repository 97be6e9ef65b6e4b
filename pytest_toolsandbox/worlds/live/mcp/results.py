"""Results of MCP tools as JSON: structured content, or blocks of text that may be JSON."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from pytest_toolsandbox.text.formatting import join_words
from pytest_toolsandbox.text.redaction import redacted_line
from pytest_toolsandbox.worlds.json_values import read_json

_MORE: Final = re.compile(
    r"\s*For further information visit https?://\S+|https://errors\.pydantic\S+"
)
_LONGEST_ERROR: Final = 1000
"""Characters of an error that an agent reads."""


class UnsupportedResultError(Exception):
    """A result has parts that are not JSON or text; the message names their kinds."""


def result_value(result: Mapping[str, Any], output_schema: Any = None) -> Any:
    """Return the JSON value of a result that is not an error.

    Structured content counts if there is some; servers wrap lists and numbers in an object with the
    only key ``result``. Otherwise one block is its JSON or its text, and several are a list. Raises
    :class:`UnsupportedResultError` for images, audio and links.
    """
    structured = result.get("structuredContent")
    if structured is not None:
        return structured["result"] if _is_wrapped(structured, output_schema) else structured
    content = result.get("content")
    blocks = content if isinstance(content, list) else []
    texts = [_text(block) for block in blocks]
    kinds = [kind for text, kind in texts if text is None]
    if kinds:
        raise UnsupportedResultError(join_words(sorted({*kinds}), "and"))
    values = [_json_or_text(text or "") for text, _ in texts]
    return values[0] if len(values) == 1 else values or None


def error_text(result: Mapping[str, Any]) -> str:
    """Return the text of a result that is an error, in one line and without addresses of docs."""
    content = result.get("content")
    blocks = content if isinstance(content, list) else []
    text = " ".join(filter(None, (_text(block)[0] for block in blocks)))
    return redacted_line(_MORE.sub("", text).strip(), _LONGEST_ERROR) or "the tool failed"


def _is_wrapped(structured: Any, output_schema: Any) -> bool:
    if not isinstance(structured, dict) or [*structured] != ["result"]:
        return False
    properties = output_schema.get("properties") if isinstance(output_schema, dict) else None
    return isinstance(properties, dict) and [*properties] == ["result"]


def _text(block: Any) -> tuple[str | None, str]:
    """Return the text of a block, ``None`` if it has none, and what the block is."""
    if not isinstance(block, dict):
        return None, "something unknown"
    kind = str(block.get("type"))
    holder = block.get("resource") if kind == "resource" else block
    text = holder.get("text") if isinstance(holder, dict) and kind in ("text", "resource") else None
    return (text, kind) if isinstance(text, str) else (None, kind)


def _json_or_text(text: str) -> Any:
    try:
        return read_json(text)
    except (ValueError, RecursionError):
        return text

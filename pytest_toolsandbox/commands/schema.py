"""``toolsandbox schema``: the JSON Schema of scenario files, for editors."""

from __future__ import annotations

import json

from pytest_toolsandbox.language.schema import language_schema


def print_schema() -> int:
    """Print the schema."""
    print(json.dumps(language_schema(), indent=2, ensure_ascii=False))
    return 0

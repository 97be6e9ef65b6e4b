"""``toolsandbox schema``: the JSON Schema of scenario files, for editors, or of records."""

from __future__ import annotations

import json

from pytest_toolsandbox.language.schema import language_schema
from pytest_toolsandbox.records.record import SCHEMA_FILE


def print_record_schema() -> int:
    """Print the schema of records, which stands in the package."""
    print(SCHEMA_FILE.read_text(encoding="utf-8"), end="")
    return 0


def print_schema() -> int:
    """Print the schema."""
    print(json.dumps(language_schema(), indent=2, ensure_ascii=False))
    return 0

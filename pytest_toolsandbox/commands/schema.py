"""``toolsandbox schema``: the JSON Schema of scenario files, for editors, or of records."""

from __future__ import annotations

import json
from pathlib import Path

from pytest_toolsandbox.language.files import find_files
from pytest_toolsandbox.language.schema import language_schema
from pytest_toolsandbox.records.record import SCHEMA_FILE

from .scenarios import Conftests


def print_schema(*, record: bool) -> int:
    """Print the schema of records, or of scenarios with the matchers registered below here."""
    if record:
        print(SCHEMA_FILE.read_text(encoding="utf-8"), end="")
        return 0
    here = Path.cwd()
    conftests = Conftests([here])
    for file in (here / "any.yaml", *find_files([here])):
        conftests.import_for(file)
    print(json.dumps(language_schema(), indent=2))
    return 0

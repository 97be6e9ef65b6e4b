"""``toolsandbox schema``: the JSON Schema of scenario files, for editors, or of records."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from pytest_toolsandbox.language.files import find_files
from pytest_toolsandbox.language.schema import language_schema
from pytest_toolsandbox.records.record import SCHEMA_FILE

from .conftests import ConftestError, Conftests


def print_record_schema() -> int:
    """Print the schema of records, which stands in the package."""
    print(SCHEMA_FILE.read_text(encoding="utf-8"), end="")
    return 0


def print_schema() -> int:
    """Print the schema, with the matchers that a ``conftest.py`` below this folder registers."""
    here = Path.cwd()
    conftests = Conftests([here])
    try:
        for file in (here / "any.yaml", *find_files([here])):
            conftests.import_for(file)
    except ConftestError as error:
        print(error, file=sys.stderr)
        return 1
    print(json.dumps(language_schema(), indent=2, ensure_ascii=False))
    return 0

"""The data of the store at the start, from ``data.json``."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

FILE = Path(__file__).with_name("data.json")


def initial(now: datetime) -> Mapping[str, Iterable[Mapping[str, Any]]]:
    """Return the rows of all tables. Their dates stay the same, whatever ``now`` is.

    The file has table → columns and rows, a list of values for each row.
    """
    del now
    tables = json.loads(FILE.read_text(encoding="utf-8"))
    return {
        name: [dict(zip(table["columns"], row, strict=True)) for row in table["rows"]]
        for name, table in tables.items()
    }

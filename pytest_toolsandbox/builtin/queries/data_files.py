"""Loads the bundled data of the query environments."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

DATA_FOLDER = Path(__file__).with_name("data")


@cache
def data_of(environment: str) -> dict[str, Any]:
    """Return the data of an environment, kind of record → records, which must not be changed."""
    import yaml

    loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # in C where it can be
    text = DATA_FOLDER.joinpath(f"{environment}.yaml").read_bytes()
    content: dict[str, Any] = yaml.load(text, loader)  # noqa: S506  # it is the safe one
    return content

"""The data of the query environments, which ship with the package."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).with_name("data")


@cache
def data_of(environment: str) -> dict[str, Any]:
    """Return the data of an environment: kind of record → records. Nobody may change them."""
    import yaml

    # The safe loader, in C where there is one.
    loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    text = FOLDER.joinpath(f"{environment}.yaml").read_bytes()
    content: dict[str, Any] = yaml.load(text, loader)  # noqa: S506
    return content

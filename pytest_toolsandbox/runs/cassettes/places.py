"""Where the cassette of an item lies: ``cassettes/AGENT/SCENARIO.VARIANT.cassette.yaml``."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path
from typing import Final

from pytest_toolsandbox.language.files import CASSETTE_SUFFIX, scenario_name
from pytest_toolsandbox.suites import shipped_id

FOLDER: Final = "cassettes"
"""The folder of the cassettes, beside the files of the scenarios."""

_LONGEST: Final = 100
"""Characters of a name in a path: file systems take 255 bytes."""


def cassettes_folder(file: Path, root: Path, named: Path | None) -> Path:
    """Return the folder of the cassettes of a scenario file, both of which are absolute.

    Without a ``named`` one it is beside the file; in it, folders are those below the ``root`` of
    the project. The cassettes of suites that are installed elsewhere lie in the project.
    """
    identifier = shipped_id(file)
    is_here = file.is_relative_to(root)
    if named is None and (is_here or not identifier):
        return file.parent / FOLDER
    below = file.relative_to(root) if is_here else Path(identifier or file.parent.name + "/.")
    return (named or root / FOLDER) / below.parent


def cassette_path(folder: Path, agent: str, file: Path, item: str) -> Path:
    """Return where an item's cassette lies in a folder of cassettes.

    ``file`` is the scenario's and ``item`` the name with the parameters, ``late[all_tools]``. The
    scenarios of a file that has several lie in a folder of its name.
    """
    name, _, parameters = item.partition("[")
    stem = scenario_name(file)
    parts = [name, *([parameters.removesuffix("]")] if parameters else [])]
    place = folder / _safe(agent)
    place = place if stem == name else place / _safe(stem)
    return place / f"{'.'.join(map(_safe, parts))}{CASSETTE_SUFFIX}"


def of_other_agents(path: Path, agent: str) -> list[Path]:
    """Return the cassettes of the same item by others, where an agent's would lie at a path."""
    folder = next((one for one in (*path.parents,)[:2][::-1] if one.name == _safe(agent)), None)
    return sorted(folder.parent.glob(f"*/{path.relative_to(folder)}")) if folder else []


def _safe(name: str) -> str:
    """Return a name that every file system takes; two names stay two."""
    safe = re.sub(r"[^\w+@=-]+", "-", name).strip("-")[:_LONGEST]
    if safe == name:
        return name
    return f"{safe}-{hashlib.sha256(name.encode('utf-8', 'surrogatepass')).hexdigest()[:6]}"

"""``toolsandbox import tooltalk``: ToolTalk's published data as scenario files."""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from pytest_toolsandbox.authoring.tooltalk_import import WORLD, DamagedFileError, read_conversation
from pytest_toolsandbox.builtin.office import office_world
from pytest_toolsandbox.builtin.office.database_files import DatabaseError
from pytest_toolsandbox.language.mistakes import ScenarioError
from pytest_toolsandbox.language.yaml12 import write_yaml
from pytest_toolsandbox.protocols import read_file
from pytest_toolsandbox.text.formatting import join_words, pluralize
from pytest_toolsandbox.worlds.world import World, register_world

from . import CommandError
from .init import write_new

CATEGORY_OF_FOLDER: Mapping[str, str] = {"easy": "easy", "tooltalk": "hard"}
"""Folder of published conversations → the category that they become."""

_DATABASES = "databases"
CONFTEST = f'''"""Registers the office in which ToolTalk's published conversations play."""

from pathlib import Path

from pytest_toolsandbox import register_world
from pytest_toolsandbox.builtin.office import office_world

DATABASES = Path(__file__).with_name("{_DATABASES}")

register_world(office_world(DATABASES, name="{WORLD}"))
'''


@dataclass
class Imported:
    """What is to be written, path below the folder → content, and what keeps it from that."""

    files: dict[str, bytes] = field(default_factory=dict)
    damage: list[str] = field(default_factory=list)
    read: int = 0
    damaged: int = 0


def import_tooltalk(data: Path, out: Path) -> int:
    """Write the scenarios of the data set in ``data`` below ``out``: all of them, or none.

    ``data`` has the folders ``easy`` and ``tooltalk``, or one of them, and ``databases``, as the
    folder ``data`` of the published repository does, which may be given as well.
    """
    if not (data / _DATABASES).exists() and (data / "data" / _DATABASES).exists():
        data /= "data"
    is_empty = out.is_dir() and not any(out.iterdir())
    if os.path.lexists(out) and not is_empty:
        problem = f"{out} is there already, and {'not empty' if out.is_dir() else 'no folder'}"
        raise CommandError(f"{problem}\nnothing was written; name another folder")
    imported = read_published(data)
    if imported.damage:
        read = pluralize(imported.read, "conversation")
        files = f": {imported.damaged} of {read} cannot be read" if imported.damaged else ""
        raise CommandError("\n".join([*imported.damage, f"nothing was written{files}"]))
    write_new({out / name: content for name, content in imported.files.items()})
    _print_written(imported, out)
    return 0


def read_published(data: Path) -> Imported:
    """Return the files that a published data set becomes, or all that is wrong with it."""
    imported = Imported()
    world = _read_world(data / _DATABASES, imported)
    folders = {data / name: category for name, category in CATEGORY_OF_FOLDER.items()}
    there = {folder: category for folder, category in folders.items() if folder.is_dir()}
    if not there:
        expected = join_words([f"{name}/" for name in CATEGORY_OF_FOLDER])
        imported.damage.append(f"{data}: expected a folder {expected}, found neither")
    for folder, category in there.items():
        for file in sorted(folder.glob("*.json")):
            imported.read += 1
            try:
                content = scenario_text(file, category, world)
                imported.files[f"{category}/{file.stem}.scenario.yaml"] = content
            except DamagedFileError as error:
                imported.damaged += 1
                imported.damage += error.lines
    if there and not imported.read:
        imported.damage.append(f"{data}: expected conversations, found no *.json in its folders")
    return imported


def scenario_text(file: Path, category: str, world: World | None) -> bytes:
    """Return the scenario of a conversation, tried in ``world``. Raises ``DamagedFileError``."""
    rows = None if world is None else world.start(world.now)["account"]
    accounts = None if rows is None else {row["username"] for row in rows}
    try:
        content = write_yaml(read_conversation(file, category, accounts)).encode()
        if world is not None:
            read_file(content, file.stem, str(file))
    except ScenarioError as error:
        start = f"{file}: expected what a scenario can be made of"
        fields = [(f": {one.field}" if one.field else "", one.text) for one in error.mistakes]
        raise DamagedFileError(f"{start}{where}: {text}" for where, text in fields) from None
    except RecursionError:
        raise DamagedFileError([f"{file}: expected JSON: nested too deeply"]) from None
    return content


def _read_world(folder: Path, imported: Imported) -> World | None:
    """Register the world of the databases, and add what the scenarios need of it."""
    try:
        world = register_world(office_world(folder, WORLD))
        files = {f"{_DATABASES}/{file.name}": file.read_bytes() for file in folder.glob("*.json")}
    except (DatabaseError, OSError) as error:
        imported.damage += str(error).splitlines()
        return None
    imported.files = {"conftest.py": CONFTEST.encode(), **files}
    return world


def _print_written(imported: Imported, out: Path) -> None:
    for category in CATEGORY_OF_FOLDER.values():
        count = sum(name.startswith(f"{category}/") for name in imported.files)
        if count:
            print(f"wrote {pluralize(count, 'scenario')}: {out / category}")
    print(f"wrote the world {WORLD}: {out / 'conftest.py'}, {out / _DATABASES}")
    print(f"next: pytest --agent=oracle {shlex.quote(str(out))}")

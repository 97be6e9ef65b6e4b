"""``toolsandbox import tooltalk``: ToolTalk's published data as scenario files."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from pytest_toolsandbox.builtin.office import office_world
from pytest_toolsandbox.builtin.office.database_files import DatabaseError
from pytest_toolsandbox.language.loading import read_file
from pytest_toolsandbox.language.mistakes import ScenarioError
from pytest_toolsandbox.language.yaml_writing import write_yaml
from pytest_toolsandbox.wording.phrases import counted, listed
from pytest_toolsandbox.worlds.registry import register_world
from pytest_toolsandbox.worlds.world import World

from .new_files import write_new
from .tooltalk_conversations import WORLD, DamagedFileError, read_conversation

CATEGORIES: Mapping[str, str] = {"easy": "easy", "tooltalk": "hard"}
"""Folder of published conversations → the category that they become."""

DATABASES = "databases"
CONFTEST = f'''"""Registers the office in which ToolTalk's published conversations play."""

from pathlib import Path

from pytest_toolsandbox import register_world
from pytest_toolsandbox.builtin.office import office_world

DATABASES = Path(__file__).with_name("{DATABASES}")

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
    folder ``data`` of the published repository does, which may be given as well. What is there is
    never touched. Returns 1 where nothing was written.
    """
    if not (data / DATABASES).exists() and (data / "data" / DATABASES).exists():
        data /= "data"
    if problem := _in_the_way(out):
        print(f"{problem}\nnothing was written; name another folder", file=sys.stderr)
        return 1
    imported = read_published(data)
    if imported.damage:
        _print_damage(imported)
        return 1
    try:
        write_new({out / name: content for name, content in imported.files.items()})
    except OSError as error:
        print(f"nothing was written: {error.filename}: {error.strerror}", file=sys.stderr)
        return 1
    _print_written(imported, out)
    return 0


def read_published(data: Path) -> Imported:
    """Return the files that a published data set becomes, or all that is wrong with it."""
    imported = Imported()
    world = _read_world(data / DATABASES, imported)
    folders = {data / name: category for name, category in CATEGORIES.items()}
    there = {folder: category for folder, category in folders.items() if folder.is_dir()}
    if not there:
        expected = listed([f"{name}/" for name in CATEGORIES])
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
    """Return the scenario file that a published conversation becomes.

    ``world`` is the office with the published databases, registered under its name; without one,
    the scenario cannot be tried. Raises :class:`DamagedFileError`.
    """
    try:
        content = write_yaml(read_conversation(file, category, _usernames(world))).encode()
        if world is not None:
            read_file(content, file.stem, str(file))
    except ScenarioError as error:
        raise DamagedFileError(_unreadable(file, error)) from None
    except RecursionError:
        raise DamagedFileError([f"{file}: expected JSON: nested too deeply"]) from None
    return content


def _unreadable(file: Path, error: ScenarioError) -> Iterator[str]:
    """Yield what makes a scenario unreadable, in which no field by itself is damaged."""
    for mistake in error.mistakes:
        where = f"{mistake.field}: " if mistake.field else ""
        yield f"{file}: expected what a scenario can be made of: {where}{mistake.text}"


def _usernames(world: World | None) -> Collection[str] | None:
    if world is None:
        return None
    return {account["username"] for account in world.start(world.now)["account"]}


def _read_world(folder: Path, imported: Imported) -> World | None:
    """Register the world of the databases, and add what the scenarios need of it."""
    try:
        world = register_world(office_world(folder, WORLD))
        files = {f"{DATABASES}/{file.name}": file.read_bytes() for file in folder.glob("*.json")}
    except (DatabaseError, OSError) as error:
        imported.damage += str(error).splitlines()
        return None
    imported.files = {"conftest.py": CONFTEST.encode(), **files}
    return world


def _in_the_way(out: Path) -> str | None:
    """Say why nothing can be written there, if so: only an empty folder may be there already."""
    if not out.exists() and not out.is_symlink():
        return None
    if not out.is_dir():
        return f"{out} is there already, and no folder"
    return f"{out} is there already, and not empty" if any(out.iterdir()) else None


def _print_damage(imported: Imported) -> None:
    for line in imported.damage:
        print(line, file=sys.stderr)
    files = f"{imported.damaged} of {counted(imported.read, 'conversation')} cannot be read"
    text = f"nothing was written: {files}" if imported.damaged else "nothing was written"
    print(text, file=sys.stderr)


def _print_written(imported: Imported, out: Path) -> None:
    for category in CATEGORIES.values():
        count = sum(name.startswith(f"{category}/") for name in imported.files)
        if count:
            print(f"wrote {counted(count, 'scenario')}: {out / category}")
    print(f"wrote the world {WORLD}: {out / 'conftest.py'}, {out / DATABASES}")
    print(f"next: pytest --agent=oracle {shlex.quote(str(out))}")

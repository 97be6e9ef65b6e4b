"""``toolsandbox new``: asks five questions, and writes the first version of a scenario."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final, TypeVar

from pytest_toolsandbox.language.compact_yaml import write_compact_yaml
from pytest_toolsandbox.language.files import find_files
from pytest_toolsandbox.language.mistakes import ScenarioError
from pytest_toolsandbox.output.tables import aligned
from pytest_toolsandbox.protocols import read_file
from pytest_toolsandbox.text.nearest_name import unknown
from pytest_toolsandbox.text.shells import join_command
from pytest_toolsandbox.worlds.world import World, find_world, known_worlds

from .init import write_new
from .parsing import CommandError
from .scenarios import Conftests

_Answer = TypeVar("_Answer")
_BUNDLED: Final = frozenset(known_worlds())
_ANY_REPORT: Final = {"regex": r"\S"}


def write_first_version(folder: Path | None) -> int:
    """Ask what a scenario is about, and write it to ``folder``, by default ``scenarios`` or here.

    Raises ``CommandError`` if the file is there already, or the answers end.
    """
    folder = folder or (Path("scenarios") if Path("scenarios").is_dir() else Path())
    conftests = Conftests([folder])
    for file in (folder / "any.yaml", *find_files([folder])):
        conftests.import_for(file)
    file = _asked("What is it about, in a few words?", lambda text: _file(folder, text))
    names = known_worlds()
    default = next((name for name in names if name not in _BUNDLED), "phone")
    world = _asked(
        f"In which world? ({', '.join(names)}) [{default}]",
        lambda name: _world(name or default),
    )
    opening = _asked("What does the user say first?", _needed)
    tools = _asked(
        "Which tools must the agent call, in this order? (a comma between; ? lists them)",
        lambda text: _tools(world, text),
    )
    words = _asked(
        "Which words or numbers must the user be told? (a comma between; nothing: any report)",
        _parts,
    )
    document = _document(world.name, opening, tools, words)
    text = write_compact_yaml(document, {"milestones": 1})
    try:
        read_file(text.encode(), file.name.partition(".")[0], str(file), folder=folder)
    except ScenarioError as error:
        raise CommandError(f"nothing was written: {error}") from error
    write_new({file: text.encode()})
    path = join_command([str(file)])
    steps = {
        f"pytest --agent=human {path} --sandbox-results=right.jsonl": "be the agent, do it right",
        "toolsandbox propose right.jsonl": "what it should ask for, proved",
    }
    print(f"wrote {file}; next:")
    print(*aligned([(f"  {step}", f"# {what}") for step, what in steps.items()]), sep="\n")
    return 0


def _document(
    world: str, opening: str, tools: Sequence[str], words: Sequence[str]
) -> dict[str, Any]:
    milestones: dict[str, Any] = {f"{tool}_called": {"call": tool} for tool in tools}
    milestones["told"] = {"says": {"mentions": [*words]} if words else _ANY_REPORT}
    return {"world": world, "user": {"opening": opening}, "milestones": milestones}


def _asked(question: str, read: Callable[[str], _Answer]) -> _Answer:
    """Ask until an answer can be read."""
    while True:
        try:
            return read(input(f"{question}\n> ").strip())
        except ValueError as error:
            print(error)
        except EOFError:
            raise CommandError("nothing was written: the answers ended") from None


def _needed(text: str) -> str:
    if not text:
        raise ValueError("an answer is needed")
    return text


def _file(folder: Path, text: str) -> Path:
    name = "_".join(re.findall(r"\w+", _needed(text).casefold()))
    file = folder / f"{_needed(name)}.scenario.yaml"
    if file.exists():
        raise ValueError(f"{file} is there already; use other words")
    return file


def _world(name: str) -> World:
    try:
        return find_world(name)
    except KeyError:
        raise ValueError(unknown("world", name, known_worlds())) from None


def _tools(world: World, text: str) -> list[str]:
    known = [*world.agent_tools]
    if text == "?":
        raise ValueError(", ".join(known))
    tools = [*dict.fromkeys(_parts(text))]
    if wrong := next((tool for tool in tools if tool not in known), None):
        raise ValueError(unknown("tool", wrong, known))
    return tools


def _parts(text: str) -> list[str]:
    return [part.strip() for part in text.split(",") if part.strip()]

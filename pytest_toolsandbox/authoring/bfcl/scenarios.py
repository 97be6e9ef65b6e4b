"""Writes scenarios for the entries of BFCL's multi-turn categories.

Each turn of the ground truth with calls becomes a milestone: at the end of the turn, the tables are
as after the ground truth, and its results are among those that the agent has got. The user says the
published texts, whatever the agent says.
"""

from __future__ import annotations

import importlib
import json
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Final

from pytest_toolsandbox.authoring.literals import literal
from pytest_toolsandbox.language.mistakes import ScenarioError
from pytest_toolsandbox.language.yaml12 import write_yaml
from pytest_toolsandbox.worlds.world import register_world

from .entries import (
    CATEGORIES,
    DOCUMENTS,
    Calls,
    EntryError,
    PublishedEntry,
    data_folder,
    published_entries,
)
from .world import WORLD, documented_world, tool_documents

TOOLS: Final = "tools.json"
"""The file with the documents of the methods."""
_CONFTEST: Final = f'''"""Registers the world in which BFCL's multi-turn entries play."""

from pathlib import Path

from pytest_toolsandbox import register_world
from pytest_toolsandbox.authoring.bfcl.world import bfcl_world

register_world(bfcl_world(Path(__file__).with_name("{TOOLS}")))
'''
_REFERENCE: Final = "ground_truth"
"""The name of the only solution."""
_MOST_STEPS: Final = 20
"""Replies with calls in a turn, after which BFCL ends an entry by force."""
KNOWN_FAULT: Final = "known_fault"
"""The tag of entries whose ground truth is disputed on BFCL's tracker."""
Load = Callable[[bytes, str, str], object]
"""Reads a scenario file, given its content, the scenario's name, and the file's name."""


@dataclass
class Imported:
    """The files to write (path below the folder → content), or the ``damage`` that prevents it."""

    files: dict[str, bytes] = field(default_factory=dict)
    damage: list[str] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=dict)
    """Category → how many scenarios it has."""
    disputed: int = 0
    """How many of them have the tag of a known fault."""


def read_published(path: Path, load: Load) -> Imported:
    """Return the files for the published data, or all of its damage.

    Each scenario is read with ``load``, which raises its mistakes. Raises ``WorldError`` if
    ``bfcl-eval`` is not installed.
    """
    imported = Imported()
    try:
        data = data_folder(path)
        documents = tool_documents(data / DOCUMENTS)
    except (EntryError, OSError, ValueError) as error:
        imported.damage.append(str(error))
        return imported
    register_world(documented_world(documents, str(data)))
    imported.files["conftest.py"] = _CONFTEST.encode()
    imported.files[TOOLS] = json.dumps(documents, indent=1).encode()
    tools = {document["name"]: document["class"] for document in documents}
    for category in CATEGORIES:
        for entry in _entries(data, category, tools, imported):
            content = write_yaml(scenario_document(entry, tools)).encode()
            file = f"{category}/{entry.identifier}.scenario.yaml"
            try:
                load(content, entry.identifier, file)
            except ScenarioError as error:
                imported.damage += [
                    f"{entry.identifier}: {line}" for line in str(error).split("\n")
                ]
            imported.files[file] = content
            imported.counts[category] = imported.counts.get(category, 0) + 1
            imported.disputed += entry.number in _known_faults()
    return imported


def _entries(
    data: Path, category: str, tools: Mapping[str, str], imported: Imported
) -> Iterator[PublishedEntry]:
    try:
        yield from published_entries(data, category, tools, imported.damage)
    except OSError as error:
        imported.damage.append(f"{error.filename}: cannot be read: {error.strerror}")


def scenario_document(entry: PublishedEntry, tools: Mapping[str, str]) -> dict[str, Any]:
    """Return the scenario of an entry; ``tools`` maps the names of methods to their classes."""
    fault = _known_faults().get(entry.number)
    late = dict(_late_tools(entry))
    arguments: dict[str, Any] = {"classes": [*entry.classes], "initial_config": dict(entry.start)}
    if entry.category == "long_context":
        arguments["long_context"] = True
    return {
        "summary": f"{entry.identifier}; {fault}" if fault else entry.identifier,
        "categories": [entry.category],
        "tags": [*entry.classes, *([KNOWN_FAULT] if fault else [])],
        "world": {"name": WORLD, "with": arguments},
        "tools": [name for name, of_class in tools.items() if of_class in entry.classes],
        **({"offered_from": late} if late else {}),
        "user": {"turns": [_more_tools() if text is None else text for text in entry.turns]},
        "max_steps": _MOST_STEPS,
        "max_messages": _most_messages(entry),
        "guardrails": "none",
        "milestones": {
            name: {"turn": turn, **expected, "guardrails": "none"}
            for turn, calls in enumerate(entry.truth, 1)
            if calls
            for name, expected in _milestones(turn)
        },
        "solutions": {_REFERENCE: [*_steps(entry.truth)]},
        "counterexamples": {"calls_nothing": [{"say": "Done."} for _ in entry.turns]},
    }


def _late_tools(entry: PublishedEntry) -> Iterator[tuple[str, int]]:
    """Yield the tools that are added, each with its turn.

    The ground truth of an entry calls one before it is added: that is offered from there on.
    """
    for turn, names in entry.added.items():
        for name in names:
            calling = (n for n, calls in enumerate(entry.truth, 1) if name in dict(calls))
            first = min(turn + 1, next(calling, turn + 1))
            if first > 1:
                yield name, first


def _milestones(turn: int) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the milestones of a turn with a ground truth."""
    # Results of earlier turns count, so that of the first turn alone says that there was a call.
    if turn > 1:
        yield f"call_in_{turn}", {"tried": "any"}
    yield f"turn_{turn}", {"ends_as": _REFERENCE, "results": _REFERENCE}


def _most_messages(entry: PublishedEntry) -> int:
    """Return a limit that the limit of steps, of which each may have several calls, never needs."""
    return len(entry.turns) * _MOST_STEPS * 20


def _steps(truth: tuple[Calls, ...]) -> Iterator[dict[str, Any]]:
    for calls in truth:
        steps = [{name: literal(arguments)} for name, arguments in calls]
        size = math.ceil(len(steps) / _MOST_STEPS)  # a few turns have more calls than steps
        for place in range(0, len(steps), size or 1):
            step = steps[place : place + size]
            yield {"parallel": step} if len(step) > 1 else step[0]
        yield {"say": "Done." if calls else "I cannot do that yet."}


def _more_tools() -> str:
    """Return what BFCL says when it adds functions."""
    prompts = importlib.import_module("bfcl_eval.constants.default_prompts")
    text: str = prompts.DEFAULT_USER_PROMPT_FOR_ADDITIONAL_FUNCTION_FC
    return text


@cache
def _known_faults() -> Mapping[str, str]:
    """Return number → what is disputed about the entries of that number, and where."""
    faults = json.loads(Path(__file__).with_name("known_faults.json").read_bytes())
    return {number: f"issue {f['issue']}: {f['why']}" for number, f in faults.items()}

"""Writes scenarios for the tasks of tau2-bench.

The tables must end as after the reference calls, the world must answer the assertions, and the
texts must be said: the parts of the reward of a task that no judge decides. What the agent looks up
and what changes meanwhile are free, as in tau2.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from pytest_toolsandbox.authoring.literals import literal
from pytest_toolsandbox.language.mistakes import ScenarioError
from pytest_toolsandbox.language.yaml12 import write_yaml
from pytest_toolsandbox.text.formatting import join_words
from pytest_toolsandbox.worlds.world import World, register_world

from .tasks import Act, Action, PublishedTask, TaskError, domain_folder, published_tasks
from .world import DOMAINS, tau2_world, world_name

_REFERENCE: Final = "reference"
"""The name of the only solution."""
NEEDS_JUDGE: Final = "needs_judge"
"""The tag of tasks of whose reward a judge decides a part."""
_GREETING: Final = "Hi! How can I help you today?"
"""What tau2's agent says first."""
_MOST_MESSAGES: Final = 200
"""The limit of tau2, in its steps."""

Load = Callable[[bytes, str, str], object]
"""Reads a scenario file, given its content, the scenario's name, and the file's name."""


@dataclass
class Imported:
    """The files to write (path below the folder → content), or the ``damage`` that prevents it."""

    files: dict[str, bytes] = field(default_factory=dict)
    damage: list[str] = field(default_factory=list)
    tasks: dict[tuple[str, str], str] = field(default_factory=dict)
    """Domain and identifier of each task that became a scenario → its file."""
    left_out: list[str] = field(default_factory=list)
    """A line for each task that cannot be a scenario, which says why."""
    need_judge: int = 0


def read_published(path: Path, load: Load) -> Imported:
    """Return the files for the domains whose data are below ``path``, or what prevents it.

    Each scenario is read with ``load``, which raises its mistakes. Raises ``WorldError`` if tau2 is
    not installed.
    """
    imported = Imported()
    folders = {domain: domain_folder(path, domain) for domain in DOMAINS}
    folders = {domain: folder for domain, folder in folders.items() if folder.is_dir()}
    if not folders:
        expected = f"expected tau2/domains/ with {join_words([*DOMAINS], 'or')}, found none"
        imported.damage.append(f"{path}: {expected}")
    for domain, folder in folders.items():
        try:
            tasks = published_tasks(folder)
        except TaskError as error:
            imported.damage.append(str(error))
            continue
        data = folder.parents[2].absolute()
        world = register_world(tau2_world(domain, data))
        imported.files["conftest.py"] = _conftest(data, [*folders]).encode()
        for task in tasks:
            _add(task, world, domain, load, imported)
    return imported


def _add(task: PublishedTask, world: World, domain: str, load: Load, imported: Imported) -> None:
    content = write_yaml(scenario_document(task, world, domain)).encode()
    file = f"{domain}/{task.name}.scenario.yaml"
    try:
        load(content, task.name, file)
    except ScenarioError as error:
        imported.left_out.append(f"{domain} {task.identifier}: {str(error).splitlines()[0]}")
        return
    imported.files[file] = content
    imported.tasks[domain, task.identifier] = file
    imported.need_judge += task.is_judged


def _conftest(data: Path, domains: Sequence[str]) -> str:
    return f'''"""Registers the worlds in which the tasks of tau2-bench play."""

from pathlib import Path

from pytest_toolsandbox import register_world
from pytest_toolsandbox.authoring.tau2.world import tau2_world

DATA = Path({str(data)!r})

for domain in {list(domains)!r}:
    register_world(tau2_world(domain, DATA))
'''


def scenario_document(task: PublishedTask, world: World, domain: str) -> dict[str, Any]:
    """Return the scenario of a task."""
    groups = [
        (by_user, list(actions))
        for by_user, actions in itertools.groupby(task.actions, key=lambda action: action.by_user)
    ]
    is_compared = "DB" in task.basis and task.has_end
    questions = [_question(act, world) for act in task.assertions if "ENV_ASSERTION" in task.basis]
    document: dict[str, Any] = {
        "summary": task.purpose or f"Task {task.identifier}.",
        "categories": [domain],
        "tags": [NEEDS_JUDGE] if task.is_judged else [],
        "world": _world(task, domain),
        "setup": [{_method(act, world): literal(act.arguments)} for act in task.preparation],
        "history": [
            {"user" if by_user else "agent": text}
            for by_user, text in task.history or [(False, _GREETING)]
        ],
        "user": _user(task, groups),
        "ends_as": _REFERENCE if is_compared else None,
        "holds": questions,
        "milestones": dict(_milestones(task)),
        "judge": {"all_of": list(task.criteria)} if task.is_judged else None,
        "guardrails": "none",
        "max_messages": _MOST_MESSAGES,
        "solutions": {_REFERENCE: list(_steps(task, groups))} if task.has_reference else None,
    }
    if not any(document[name] for name in ("ends_as", "holds", "milestones")):
        # Nothing but a judge decides in tau2: an answer is all that can be asked for.
        answered = {"says": {"regex": r"\S"}, "guardrails": "none"}
        document["milestones"] = {"answered": answered}
    return {name: value for name, value in document.items() if value}


def _world(task: PublishedTask, domain: str) -> str | dict[str, Any]:
    data = {name: literal(value) for name, value in task.data.items() if value}
    return {"name": world_name(domain), "with": data} if data else world_name(domain)


def _method(act: Act, world: World) -> str:
    """Return the name of a method in the world, where tools of the same name come first."""
    party = "user" if act.by_user else "assistant"
    other = f"{party}_{act.method}"
    return other if other in world.callable_tools else act.method


def _question(act: Act, world: World) -> dict[str, Any]:
    return {_method(act, world): literal(act.arguments), "returns": act.expected}


def _user(task: PublishedTask, groups: Sequence[tuple[bool, list[Action]]]) -> dict[str, Any]:
    instructions = "\n\n".join(filter(None, [task.instructions, task.persona]))
    user: dict[str, Any] = {
        "goal": task.reason,
        "instructions": instructions or task.reason,
        "knows": {"known_info": task.known} if task.known else None,
        "knowledge_boundary": task.unknown,
        "replies": [
            {
                "when": re.escape(_request(place)),
                "do": [{action.tool: literal(action.arguments)} for action in actions],
                "say": "Done.",
            }
            for place, (by_user, actions) in enumerate(groups)
            if by_user
        ],
    }
    return {name: value for name, value in user.items() if value}


def _request(place: int) -> str:
    """Return what the reference asks the user to do at a place; agents hardly say the same."""
    return f"Please take your step {place + 1} of the reference."


def _milestones(task: PublishedTask) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield what must be said and called, at any time."""
    if "COMMUNICATE" in task.basis:
        for number, text in enumerate(task.texts, 1):
            matcher = {"regex": _pattern_of(text)}
            yield f"text_{number}", {"says": matcher, "after": [], "guardrails": "none"}
    if "ACTION" in task.basis:
        for number, action in enumerate(task.actions, 1):
            if not action.by_user:
                tried = {"tried": _tried(action), "after": [], "guardrails": "none"}
                yield f"action_{number}", tried


def _pattern_of(text: str) -> str:
    """Return a pattern for a text, which tau2 finds without the commas of a message."""
    return "(?is)" + ",*".join(map(re.escape, text))


def _tried(action: Action) -> Any:
    if action.compared is None:
        return {action.tool: literal(action.arguments)} if action.arguments else action.tool
    arguments = {name: action.arguments[name] for name in action.compared}
    return {action.tool: literal(arguments)} if arguments else action.tool


def _steps(
    task: PublishedTask, groups: Sequence[tuple[bool, list[Action]]]
) -> Iterator[dict[str, Any]]:
    for place, (by_user, actions) in enumerate(groups):
        if by_user:
            yield {"say": _request(place)}
        else:
            yield from ({action.tool: literal(action.arguments)} for action in actions)
    texts = "; ".join(task.texts)
    yield {"say": f"Here is what you asked for: {texts}." if texts else "It is done."}

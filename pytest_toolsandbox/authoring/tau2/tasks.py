"""Reads the published tasks of tau2-bench: only what scenarios need, checked."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from pytest_toolsandbox.text.error_text import message_of

SPLIT: Final = "base"
"""The split that is imported; the others are parts of it, or tau2's training data."""


class TaskError(Exception):
    """Published data cannot be read: one line, with the file."""


@dataclass(frozen=True)
class Action:
    """A reference call of the agent or of the user."""

    by_user: bool
    tool: str
    arguments: Mapping[str, Any]
    compared: tuple[str, ...] | None
    """The names of the arguments that must agree: none of them if empty, all if ``None``."""


@dataclass(frozen=True)
class Act:
    """A call of a method of the world, which prepares a task or asks what has become of it."""

    method: str
    by_user: bool
    arguments: Mapping[str, Any]
    expected: bool = True


@dataclass(frozen=True)
class PublishedTask:
    """A task: ``basis`` names the parts of its reward, ``texts`` must be said."""

    identifier: str
    purpose: str
    persona: str
    reason: str
    known: str
    unknown: str
    instructions: str
    data: Mapping[str, Mapping[str, Any] | None]
    preparation: tuple[Act, ...]
    history: tuple[tuple[bool, str], ...]
    """Who says each earlier text, the user or not, and the text."""
    actions: tuple[Action, ...]
    assertions: tuple[Act, ...]
    texts: tuple[str, ...]
    criteria: tuple[str, ...]
    basis: frozenset[str]
    has_reference: bool
    """Whether the actions lead to what the task asks for."""
    has_end: bool
    """Whether tau2 looks at the world at the end."""

    @property
    def is_judged(self) -> bool:
        """Whether a judge decides a part of the reward."""
        return "NL_ASSERTION" in self.basis and bool(self.criteria)

    @property
    def name(self) -> str:
        """A name for a file: of letters, digits, ``_`` and ``-``, other for each task."""
        kept = "".join(letter if letter.isalnum() else " " for letter in self.identifier)
        name = "_".join(kept.split())
        if name == self.identifier:
            return name
        digest = hashlib.sha256(self.identifier.encode()).hexdigest()[:8]
        return f"{name[:80].rstrip('_')}_{digest}"


def domain_folder(path: Path, domain: str) -> Path:
    """Return the folder of a domain's data, below the repository or its folder of data."""
    known = (path, path / "data", path / "domains")
    folders = [base / "tau2" / "domains" / domain for base in known[:2]]
    return next((folder for folder in folders if folder.is_dir()), folders[0])


def published_tasks(folder: Path) -> list[PublishedTask]:
    """Return the tasks of a domain's split ``base``. Raises :class:`TaskError`."""
    tasks, splits = (_document(folder / name) for name in ("tasks.json", "split_tasks.json"))
    try:
        wanted = set(splits[SPLIT])
        return [_task(task) for task in tasks if task["id"] in wanted]
    except (KeyError, TypeError, AttributeError) as error:
        text = f"is not as tau2 publishes tasks: {type(error).__name__} {message_of(error)}"
        raise TaskError(f"{folder / 'tasks.json'}: {text}") from error


def _document(file: Path) -> Any:
    try:
        return json.loads(file.read_bytes())
    except (OSError, ValueError) as error:
        raise TaskError(f"{file}: cannot be read: {message_of(error)}") from error


def _task(task: Mapping[str, Any]) -> PublishedTask:
    instructions = task["user_scenario"]["instructions"]
    user = {"task_instructions": instructions} if isinstance(instructions, str) else instructions
    start = task.get("initial_state") or {}
    data = start.get("initialization_data") or {}
    criteria = task["evaluation_criteria"] or {}
    return PublishedTask(
        identifier=task["id"],
        purpose=_text((task.get("description") or {}).get("purpose")),
        persona=_text(task["user_scenario"].get("persona")),
        reason=_text(user.get("reason_for_call")),
        known=_text(user.get("known_info")),
        unknown=_text(user.get("unknown_info")),
        instructions=_text(user.get("task_instructions")),
        data={name: data.get(name) for name in ("agent_data", "user_data")},
        preparation=(
            *_acts(start.get("initialization_actions")),
            *_earlier_calls(start.get("message_history")),
        ),
        history=tuple(
            (message["role"] == "user", message["content"])
            for message in start.get("message_history") or ()
            if message["role"] != "tool" and message.get("content")
        ),
        actions=tuple(_actions(criteria.get("actions"))),
        assertions=tuple(_acts(criteria.get("env_assertions"))),
        texts=tuple(criteria.get("communicate_info") or ()),
        criteria=tuple(criteria.get("nl_assertions") or ()),
        # What tau2 takes for a task that does not name the parts.
        basis=frozenset(criteria.get("reward_basis") or ("DB", "COMMUNICATE")),
        has_reference=criteria.get("actions") is not None or not criteria.get("env_assertions"),
        has_end=any(criteria.get(name) is not None for name in ("actions", "env_assertions")),
    )


def _text(value: str | None) -> str:
    text = (value or "").strip()
    return "" if text == "." else text  # some tasks have a dot for nothing


def _actions(actions: Iterable[Mapping[str, Any]] | None) -> Iterator[Action]:
    for action in actions or ():
        compared = action.get("compare_args")
        yield Action(
            action.get("requestor") == "user",
            action["name"],
            action["arguments"],
            None if compared is None else tuple(compared),
        )


def _earlier_calls(messages: Iterable[Mapping[str, Any]] | None) -> Iterator[Act]:
    for message in messages or ():
        for call in message.get("tool_calls") or ():
            yield Act(call["name"], message["role"] == "user", call["arguments"])


def _acts(calls: Iterable[Mapping[str, Any]] | None) -> Iterator[Act]:
    for call in calls or ():
        is_user = call["env_type"] == "user"
        expected = call.get("assert_value", True)
        yield Act(call["func_name"], is_user, call["arguments"], expected)

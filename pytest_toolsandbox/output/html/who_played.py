"""Who played: for each arm when it was run, the commit, the command, the prompt and the models."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from pytest_toolsandbox.conversation.messages import Message
from pytest_toolsandbox.language.roles import Role
from pytest_toolsandbox.records.record import Record
from pytest_toolsandbox.text.formatting import pluralize
from pytest_toolsandbox.text.redaction import clean, redacted_line

_COMMIT: Final = 12
"""Digits of a commit that are shown; git takes them, too."""
_MOST: Final = 3
"""Different values of an arm that are listed."""


class Facts(NamedTuple):
    """What is said of a trial; empty texts are unknown."""

    started: str = ""
    commit: str = ""
    command: str = ""
    agent: str = ""
    prompt: str = ""
    user: str = ""
    judge: str = ""


def facts_of(record: Record) -> Facts:
    """Return the facts of a record."""
    run: Mapping[str, Any] = record.get("run", {})
    dirty = "" if run.get("clean", True) else ", with changes"
    agent: Any = record.get("agent_settings") or {}
    return Facts(
        started=redacted_line(run.get("started", "")[:16].replace("T", " ")),
        commit=redacted_line(f"{run['commit'][:_COMMIT]}{dirty}") if "commit" in run else "",
        command=redacted_line(run.get("command", ""), 2000),
        agent=_named(record["agent"], agent),
        prompt=clean(prompt_of(record["messages"])),
        user=_user(record),
        judge=_named(record.get("judge", ""), record.get("judge_settings", {})),
    )


def prompt_of(messages: Iterable[Message]) -> str:
    """Return the system prompt of the agent, empty without one."""
    return next((m.content for m in messages if m.sender is Role.SYSTEM), "")


def _named(name: str, settings: Mapping[str, Any]) -> str:
    """Return a name, and the model that it stands for."""
    model = settings.get("model")
    return redacted_line(f"{name} ({model})" if model and model != name else name)


def _user(record: Record) -> str:
    notes: Any = record.get("user_notes", {})
    style = f", {notes['style']}" if notes.get("style") else ""
    return f"{_named(record['user'], record.get('user_settings', {}))}{style}"


class Who(NamedTuple):
    """A row: the name of an arm, and in each column one text, or several in short."""

    arm: str
    cells: Sequence[str]


def who_played(facts: Mapping[str, Sequence[Facts]]) -> tuple[list[str], list[Who]]:
    """Return the columns that have a value, and a row for each arm, whose trials have facts."""
    known = [
        (place, name)
        for place, name in enumerate(Facts._fields)
        if any(fact[place] for of_arm in facts.values() for fact in of_arm)
    ]
    rows = [
        Who(arm, [_joined(name, [fact[place] for fact in of_arm]) for place, name in known])
        for arm, of_arm in facts.items()
    ]
    return [name for _, name in known], rows


def _joined(name: str, values: Iterable[str]) -> str:
    texts = list(dict.fromkeys(filter(None, values)))
    if name == "started":
        return min(texts, default="")
    if name == "prompt" and len(texts) > 1:
        return f"{len(texts)} different ones, of the scenarios"
    left = len(texts) - _MOST
    return ", ".join([*texts[:_MOST], *[f"{pluralize(left, 'other')}"] * (left > 0)])

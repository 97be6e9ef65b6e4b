"""Labelled wordings: a file of them, the conversations that they make, and how these are judged."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cache
from pathlib import Path
from typing import Any, Final, get_args

from pytest_toolsandbox.agents.scripted import scripted, taking
from pytest_toolsandbox.language.roles import Role, SayStep, Step, ToolStep
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.language.tasks import FINISH, AgentTurn, RecordedCall
from pytest_toolsandbox.language.variants import variant
from pytest_toolsandbox.records.reading import StoredError, StoredRecord, read_records
from pytest_toolsandbox.records.record import Record
from pytest_toolsandbox.records.writing import Trial
from pytest_toolsandbox.runs.judging import WordsJudge
from pytest_toolsandbox.runs.trial import judge_again, play_trial
from pytest_toolsandbox.suites import suites_folder
from pytest_toolsandbox.text.formatting import describe_value
from pytest_toolsandbox.text.nearest_name import did_you_mean

from . import CommandError
from .scenarios import FoundScenarios

SPEAKING: Final = (*get_args(Step), AgentTurn, RecordedCall)
"""What texts stand in."""
_TYPES: Final[Mapping[str, tuple[type, ...]]] = {
    "scenario": (str,),
    "right": (bool, type(None)),
    "report": (str, type(None)),
    "texts": (dict,),
    "note": (str,),
    "wish": (str,),
    "record": (str,),
    "id": (str,),
    "trial": (int,),
}
"""The keys of a line, and what may stand there."""


@dataclass(frozen=True)
class Label:
    """A wording, and whether it is right: ``None`` where no one has said so yet.

    An agent that does what the first solution of a scenario does, or its recorded turns, reports
    with ``report``, and writes ``texts`` in the place of others. With a ``record`` the stored
    conversation is judged instead: the ``trial`` of the item ``id`` in that file.
    """

    scenario: str
    right: bool | None
    report: str | None = None
    texts: Mapping[str, str] = field(default_factory=dict)
    note: str = ""
    wish: str = ""
    record: str = ""
    id: str = ""
    trial: int = 1

    @property
    def words(self) -> str:
        """The wording in a line."""
        return " / ".join((*self.texts.values(), *filter(None, [self.report])))


def read_labels(path: Path) -> list[Label]:
    """Return the labels of a file of JSON Lines. Raises ``CommandError``."""
    try:
        lines = path.read_text(encoding="utf-8").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is no text in UTF-8"
        raise CommandError(f"{path} cannot be read: {reason}") from None
    labels = [_label(line, f"{path}:{n}") for n, line in enumerate(lines, 1) if line.strip()]
    if not labels:
        raise CommandError(f"{path}: there are no labels in it")
    return labels


def _label(line: str, place: str) -> Label:
    try:
        given = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise CommandError(f"{place}: this is not JSON: {error}") from None
    if not isinstance(given, dict):
        raise CommandError(f"{place}: expected a label, found {describe_value(given)}")
    for name, value in given.items():
        if name not in _TYPES:
            known = ", ".join(_TYPES)
            hint = did_you_mean(name, _TYPES)
            raise CommandError(f"{place}: unknown key {name!r}{hint} (allowed: {known})")
        if not isinstance(value, _TYPES[name]):
            raise CommandError(f"{place}: {name} cannot be {describe_value(value)}")
    for name in ("scenario", "right"):
        if name not in given:
            raise CommandError(f"{place}: the key {name!r} is missing")
    return Label(**given)


def labels_of(record: Record, file: Path) -> dict[str, Any]:
    """Return the label of a stored conversation, which a person has to judge yet."""
    said = [one for one in record["messages"] if one.sender is Role.AGENT and one.call is None]
    asked = [one for one in record["messages"] if one.sender is Role.USER]
    query = record.get("query")
    return {
        "record": str(file),
        "id": record["id"],
        "trial": record["trial"],
        "scenario": record["scenario"],
        "wish": asked[0].content if asked else "",
        "report": query["answer"] if query else said[-1].content if said else None,
        "right": None,
    }


class Wordings:
    """Judges labelled wordings in their scenarios."""

    def __init__(self, scenarios: FoundScenarios, labels: Path) -> None:
        self._known: dict[str, dict[Path, Scenario]] = {}
        for file, scenario in scenarios.scenarios:
            self._known.setdefault(scenario.name, {})[file.resolve()] = scenario
        self._labels = labels
        self._records = cache(read_records)

    def scenario(self, label: Label) -> tuple[str, Scenario]:
        """Return the suite of a label's scenario, and the scenario. Raises ``CommandError``."""
        named = self._known.get(label.scenario, {})
        path = label.id.partition("::")[0]
        same = {file: one for file, one in named.items() if file.as_posix().endswith(f"/{path}")}
        chosen = same if path and same else named
        if not chosen:
            hint = did_you_mean(label.scenario, self._known)
            text = f"there is no scenario {label.scenario!r}{hint}"
            raise CommandError(f"{text}; name its folder with --scenarios")
        if len(chosen) > 1:
            files = ", ".join(map(str, chosen))
            text = f"there are several scenarios {label.scenario!r}: {files}"
            raise CommandError(f"{text}; name the folder that is meant with --scenarios")
        ((file, scenario),) = chosen.items()
        return _suite_of(file), scenario

    def judged(self, label: Label, judge: WordsJudge | None) -> Trial:
        """Return the trial that has a label's words. Raises ``CommandError``."""
        _, scenario = self.scenario(label)
        if label.record:
            stored = self._stored(label)
            name = stored.get("variant")
            return judge_again(variant(scenario, name) if name else scenario, stored, judge=judge)
        steps = reworded(written(scenario), label.texts)
        if scenario.task.agent_turns:
            return play_trial(scenario, taking(scenario, steps), judge=judge)
        agent = scripted(scenario, [*ending(steps, label.report)])
        return play_trial(scenario, agent, judge=judge)

    def _stored(self, label: Label) -> StoredRecord:
        """Return the record of a label, whose file is seen from here or from that of the labels."""
        beside = self._labels.parent / label.record
        path = Path(label.record) if Path(label.record).exists() else beside
        try:
            return self._records(path).records[label.id][label.trial]
        except KeyError:
            raise CommandError(f"{path}: there is no trial {label.trial} of {label.id}") from None
        except StoredError as error:
            raise CommandError(str(error)) from None


def _suite_of(file: Path) -> str:
    folder = suites_folder().resolve()
    return file.relative_to(folder).parts[0] if folder in file.parents else file.parent.name


def written(scenario: Scenario) -> tuple[Any, ...]:
    """Return the turns of a recording, or the steps of the first solution."""
    solutions = [*scenario.solutions.values()]
    if not (scenario.task.agent_turns or solutions):
        raise CommandError(f"scenario {scenario.name!r} has no solution to be reworded")
    return scenario.task.agent_turns or tuple(solutions[0])


def reworded(value: Any, texts: Mapping[str, str]) -> Any:
    """Return steps, or turns of a recording, with other texts in the place of some."""
    if isinstance(value, str):
        return texts.get(value, value)
    if isinstance(value, tuple):
        return tuple(reworded(one, texts) for one in value)
    if isinstance(value, Mapping):
        return {name: reworded(one, texts) for name, one in value.items()}
    if isinstance(value, SPEAKING):
        parts = {one.name: getattr(value, one.name) for one in fields(value)}
        return replace(value, **reworded(parts, texts))
    return value


def ending(steps: Sequence[Step], text: str | None) -> Iterator[Step]:
    """Yield steps, of which the last one that reports says ``text``, if there is any."""
    last = max((place for place, step in enumerate(steps) if _reports(step)), default=len(steps))
    for place, step in enumerate(steps):
        if place != last or text is None:
            yield step
        elif isinstance(step, ToolStep):
            yield replace(step, arguments={**step.arguments, "answer": text})
        else:
            yield SayStep(text)


def _reports(step: Step) -> bool:
    concludes = isinstance(step, ToolStep) and step.tool == FINISH.name
    return concludes or isinstance(step, SayStep)

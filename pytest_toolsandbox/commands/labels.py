"""Labelled wordings: reads a file of them, and judges each in the conversation of its scenario.

A line says of a final message, or of other texts, whether it is right; see :class:`Label`.
"""

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
from pytest_toolsandbox.records.reading import StoredRecord, read_records
from pytest_toolsandbox.records.record import Record
from pytest_toolsandbox.records.writing import Trial
from pytest_toolsandbox.runs.judging import WordsJudge
from pytest_toolsandbox.runs.trial import judge_again, play_trial
from pytest_toolsandbox.suites import suites_folder
from pytest_toolsandbox.text.formatting import describe_value
from pytest_toolsandbox.text.nearest_name import did_you_mean

from .parsing import CommandError
from .scenarios import CollectedScenarios

_WITH_TEXTS: Final = (*get_args(Step), AgentTurn, RecordedCall)
"""Parts of a solution or a recording that have texts, which a label may replace."""
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
"""The keys of a line, and the types of their values."""


@dataclass(frozen=True)
class Label:
    """A wording, and whether it is right: ``None`` until a person has decided.

    An agent that does what the first solution of a scenario does, or its recorded turns, ends with
    the final message ``report``, and writes ``texts`` in the place of others. With a ``record`` the
    stored conversation is judged instead: the ``trial`` of the item ``id`` in that file.
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
        reason = getattr(error, "strerror", None) or "it is not text in UTF-8"
        raise CommandError(f"{path} cannot be read: {reason}") from None
    labels = [_label(line, f"{path}:{n}") for n, line in enumerate(lines, 1) if line.strip()]
    if not labels:
        raise CommandError(f"{path}: there are no labels in it")
    return labels


def _label(line: str, place: str) -> Label:
    try:
        values = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise CommandError(f"{place}: this is not JSON: {error}") from None
    if not isinstance(values, dict):
        raise CommandError(f"{place}: expected a label, found {describe_value(values)}")
    for name, value in values.items():
        if name not in _TYPES:
            hint = did_you_mean(name, _TYPES)
            allowed = ", ".join(_TYPES)
            raise CommandError(f"{place}: unknown key {name!r}{hint} (allowed: {allowed})")
        if not isinstance(value, _TYPES[name]):
            raise CommandError(f"{place}: {name} cannot be {describe_value(value)}")
    for name in ("scenario", "right"):
        if name not in values:
            raise CommandError(f"{place}: the key {name!r} is missing")
    return Label(**values)


def label_to_judge(record: Record, file: Path) -> dict[str, Any]:
    """Return the label of a stored conversation, which a person has yet to judge."""
    messages = record["messages"]
    answers = [m for m in messages if m.sender is Role.AGENT and m.call is None]
    wishes = [m for m in messages if m.sender is Role.USER and m.call is None]
    query = record.get("query")
    return {
        "record": str(file),
        "id": record["id"],
        "trial": record["trial"],
        "scenario": record["scenario"],
        "wish": wishes[0].content if wishes else "",
        "report": query["answer"] if query else answers[-1].content if answers else None,
        "right": None,
    }


class Wordings:
    """Judges labelled wordings in their scenarios."""

    def __init__(self, scenarios: CollectedScenarios, labels: Path) -> None:
        self._scenarios: dict[str, dict[Path, Scenario]] = {}
        for file, scenario in scenarios.scenarios:
            self._scenarios.setdefault(scenario.name, {})[file.resolve()] = scenario
        self._labels = labels
        self._records = cache(read_records)

    def scenario(self, label: Label) -> tuple[str, Scenario]:
        """Return the suite of a label's scenario, and the scenario. Raises ``CommandError``."""
        named = self._scenarios.get(label.scenario, {})
        path = label.id.partition("::")[0]
        same = {
            file: scenario
            for file, scenario in named.items()
            if file.as_posix().endswith(f"/{path}")
        }
        chosen = same if path and same else named
        if not chosen:
            hint = did_you_mean(label.scenario, self._scenarios)
            text = f"there is no scenario {label.scenario!r}{hint}"
            raise CommandError(f"{text}; name its folder with --scenarios")
        if len(chosen) > 1:
            files = ", ".join(map(str, chosen))
            text = f"there are several scenarios {label.scenario!r}: {files}"
            raise CommandError(f"{text}; name the folder of one with --scenarios")
        ((file, scenario),) = chosen.items()
        suites = suites_folder().resolve()
        is_bundled = suites in file.parents
        return file.relative_to(suites).parts[0] if is_bundled else file.parent.name, scenario

    def judged(self, label: Label, judge: WordsJudge | None) -> Trial:
        """Return the trial that has a label's words. Raises ``CommandError``."""
        _, scenario = self.scenario(label)
        if label.record:
            stored = self._stored(label)
            name = stored.get("variant")
            return judge_again(variant(scenario, name) if name else scenario, stored, judge=judge)
        steps = replace_texts(reference_steps(scenario), label.texts)
        if scenario.task.agent_turns:
            return play_trial(scenario, taking(scenario, steps), judge=judge)
        agent = scripted(scenario, [*_ending_with(steps, label.report)])
        return play_trial(scenario, agent, judge=judge)

    def _stored(self, label: Label) -> StoredRecord:
        """Return the record of a label, whose file is relative to here or to the file of labels."""
        path = Path(label.record)
        path = path if path.exists() else self._labels.parent / label.record
        try:
            return self._records(path).records[label.id][label.trial]
        except KeyError:
            raise CommandError(f"{path}: there is no trial {label.trial} of {label.id}") from None


def reference_steps(scenario: Scenario) -> tuple[Any, ...]:
    """Return the turns of a recording, or the steps of the first solution."""
    solutions = [*scenario.solutions.values()]
    if not (scenario.task.agent_turns or solutions):
        raise CommandError(f"scenario {scenario.name!r} has no solution whose words to replace")
    return scenario.task.agent_turns or tuple(solutions[0])


def replace_texts(value: Any, texts: Mapping[str, str]) -> Any:
    """Return steps, or turns of a recording, with some texts replaced."""
    if isinstance(value, str):
        return texts.get(value, value)
    if isinstance(value, tuple):
        return tuple(replace_texts(part, texts) for part in value)
    if isinstance(value, Mapping):
        return {name: replace_texts(part, texts) for name, part in value.items()}
    if isinstance(value, _WITH_TEXTS):
        parts = {field.name: getattr(value, field.name) for field in fields(value)}
        return replace(value, **replace_texts(parts, texts))
    return value


def _ending_with(steps: Sequence[Step], text: str | None) -> Iterator[Step]:
    """Yield steps; the last one that has a final message says ``text``, if there is any."""
    final = [place for place, step in enumerate(steps) if _is_final_message(step)]
    for place, step in enumerate(steps):
        if text is None or place not in final[-1:]:
            yield step
        elif isinstance(step, ToolStep):
            yield replace(step, arguments={**step.arguments, "answer": text})
        else:
            yield SayStep(text)


def _is_final_message(step: Step) -> bool:
    return isinstance(step, SayStep) or (isinstance(step, ToolStep) and step.tool == FINISH.name)

"""``toolsandbox propose``: scenarios from records of conversations that went well."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from pytest_toolsandbox.authoring.proposing.conversations import Conversation
from pytest_toolsandbox.authoring.proposing.proposal import Proposal, propose
from pytest_toolsandbox.language.loading import merged
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.language.tasks import Milestones
from pytest_toolsandbox.language.yaml12 import read_yaml
from pytest_toolsandbox.records.reading import (
    StoredError,
    StoredRecord,
    read_records,
    stored_trajectory,
    without_parameters,
)
from pytest_toolsandbox.suites import placed
from pytest_toolsandbox.text.formatting import pluralize
from pytest_toolsandbox.text.nearest_name import did_you_mean
from pytest_toolsandbox.text.redaction import redacted

from .init import write_new
from .parsing import CommandError
from .scenarios import Project, find_scenarios

ENDING = ".scenario.yaml"


class _Task(NamedTuple):
    """The records of a scenario, by the name of its conversations."""

    identifier: str
    records: Mapping[str, StoredRecord]


def propose_scenarios(  # noqa: PLR0913  # they are the options of the command
    results: Path,
    items: Sequence[str],
    *,
    scenarios: Sequence[Path],
    out: str | None,
    all_good: bool,
    project: Project,
) -> int:
    """Propose a scenario for each chosen item of a file of records, and print its proof.

    Returns 1 if a proposal has a finding or fails a conversation that went well.
    """
    tasks = _chosen(_tasks(results), items)
    target = _target(tasks, out)
    proposals = {task.identifier: _proposal(task, scenarios, project, all_good) for task in tasks}
    texts = {name: redacted(proposal.text) for name, proposal in proposals.items()}
    if target is None:
        print(*texts.values(), sep="", end="")
    else:
        files = {_file(target, name): text.encode() for name, text in texts.items()}
        write_new(files)
    report = sys.stdout if out else sys.stderr
    for name, proposal in proposals.items():
        if target is not None:
            print(f"wrote {_file(target, name)}", file=report)
        print(*map(redacted, _report(proposal)), sep="\n", file=report)
    return int(any(proposal.failing or proposal.proof.findings for proposal in proposals.values()))


def _tasks(results: Path) -> list[_Task]:
    tasks: dict[str, dict[str, StoredRecord]] = {}
    stored = read_records(results)
    if stored.unusable:
        print(stored.unusable, file=sys.stderr)
    for identifier, trials in stored.records.items():
        for trial, record in sorted(trials.items()):
            records = tasks.setdefault(without_parameters(identifier), {})
            records[f"conversation_{len(records) + 1}"] = record
            del trial
    return [_Task(*pair) for pair in tasks.items()]


def _chosen(tasks: Sequence[_Task], items: Sequence[str]) -> list[_Task]:
    """Return the tasks that are named by their ids, or by the names of their scenarios."""
    if not items:
        return [*tasks]
    chosen: dict[str, _Task] = {}
    for item in items:
        same = [task for task in tasks if item in (task.identifier, _name(task.identifier))]
        if not same:
            hint = did_you_mean(item, [_name(task.identifier) for task in tasks])
            raise CommandError(f"there is no record of {item!r}{hint}")
        chosen |= {task.identifier: task for task in same}
    return [*chosen.values()]


def _name(identifier: str) -> str:
    return identifier.partition("::")[2]


def _target(tasks: Sequence[_Task], out: str | None) -> Path | None:
    """Return the file or folder that is written; ``None`` to print."""
    is_folder = out is not None and (out.endswith("/") or Path(out).is_dir())
    if len(tasks) > 1 and not is_folder:
        text = "name one of them, or a folder: -o FOLDER/"
        raise CommandError(f"{pluralize(len(tasks), 'scenario')} would be proposed; {text}")
    return None if out is None else Path(out)


def _file(target: Path, identifier: str) -> Path:
    is_file = target.name.endswith((".yaml", ".yml"))
    return target if is_file else target / f"{_name(identifier)}{ENDING}"


def _proposal(task: _Task, places: Sequence[Path], project: Project, all_good: bool) -> Proposal:
    file, scenario = _scenario_of(task, places, project)
    good: list[Conversation] = []
    bad: list[Conversation] = []
    for name, record in task.records.items():
        is_good = record["outcome"] == "passed" or record.get("unjudged", False)
        is_known = not record.get("imported", {}).get("differences")
        if not is_known:
            text = "left out, because it was in another world, whose state is unknown"
            print(f"{task.identifier}: {name}: {text}", file=sys.stderr)
        elif is_good or record["outcome"] == "failed":
            try:
                trajectory = stored_trajectory(record, scenario)
            except StoredError as error:
                raise CommandError(f"{task.identifier}: {error}") from None
            conversation = Conversation(name, scenario, trajectory)
            (good if is_good or all_good else bad).append(conversation)
    if not good:
        text = "none of its conversations passed; --all-good takes failed ones for good"
        raise CommandError(f"{task.identifier}: {text}")
    return propose(_document(file, scenario.name), scenario.name, good, bad)


def _scenario_of(task: _Task, places: Sequence[Path], project: Project) -> tuple[Path, Scenario]:
    path, _, name = task.identifier.partition("::")
    searched = [*places] or [Path(placed(path, project.root, project.root))]
    collected = find_scenarios(searched, project.scenario_files)
    named = [(file, scenario) for file, scenario in collected.scenarios if scenario.name == name]
    if not named:
        hint = did_you_mean(name, [scenario.name for _, scenario in collected.scenarios])
        text = f"its scenario is not in {', '.join(map(str, searched))}{hint}"
        raise CommandError(f"{task.identifier}: {text}; name its file with --scenarios")
    file, scenario = named[0]
    if not isinstance(scenario.task, Milestones):
        text = f"scenarios of the protocol {scenario.task.protocol} have no milestones to propose"
        raise CommandError(f"{task.identifier}: {text}")
    return file, scenario


def _document(file: Path, name: str) -> dict[str, Any]:
    document: dict[str, Any]
    document, places = read_yaml(file.read_bytes(), str(file))
    return merged(document, places, name)[0] if "scenarios" in document else document


def _report(proposal: Proposal) -> Iterator[str]:
    """Yield what is wrong with a proposal, and which mutants survive."""
    name, proof = proposal.scenario.name, proposal.proof
    for conversation in proposal.failing:
        yield f"{name}: {conversation} does not pass"
    for conversation in proposal.passing:
        yield f"{name}: {conversation} passes, although it failed: only a judge may tell why"
    for finding in proof.findings:
        yield f"{name}: {finding}"
    for mutant, line in zip(proof.survivors, proposal.lines, strict=True):
        remedy = f"; this would kill it, in the milestone done: {line}" if line else ""
        yield f"{name}: a mutant survived: {mutant.kind}, {mutant.what}: {mutant.reason}{remedy}"
    yield f"{name}: {proof.died.total()} of {pluralize(proof.made.total(), 'mutant')} died"

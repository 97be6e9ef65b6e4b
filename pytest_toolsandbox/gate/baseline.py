"""The file of a baseline: a growing sample of trials, with a line per run and per scenario.

Lines may be in any order, and duplicates count once. So a merge that keeps the lines of both sides
(``merge=union`` in ``.gitattributes``) is correct. A result is ``+`` (passed) or ``-`` (failed),
followed by the score unless that is 1 or 0.

The module also recognizes baselines and files of records, which no output may replace.
"""

from __future__ import annotations

import dataclasses
import hashlib
import itertools
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache, reduce
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Final, Literal, NotRequired

from typing_extensions import TypedDict

from pytest_toolsandbox.text.files import FileError, read_whole, refuse_devices

from .played import Conditions, Cost, text_of
from .samples import Result, Run, Sample, SampledScenario

if TYPE_CHECKING:
    from pydantic import TypeAdapter


_MOST_TRIALS: Final = 10
"""The number of trials that are kept of a scenario: the newest ones."""
_BEGINNING: Final = 300
"""Bytes of a record that nearly always have its item and trial, in which lines differ."""
VERSION: Final = 1
"""The version of the format, in the head of the file."""
_MAKE: Final = "toolsandbox baseline add RESULTS"
_CONFLICT: Final = (b"<<<<<<<", b"=======", b">>>>>>>")


class BaselineError(FileError):
    """The file is not a baseline; the text has the line and the remedy."""


class _HeadLine(TypedDict):
    """The version of the format, and the date and reason of an accepted new level."""

    baseline: Literal[1]
    norm: NotRequired[str]
    since: NotRequired[str]


class _RunLine(TypedDict):
    """A run: its key, its date, its settings, and mean costs."""

    run: str
    date: str
    agents: list[str]
    settings: list[dict[str, Any]]
    conditions: list[list[str]]
    trials: int
    costs: Cost
    findings: NotRequired[dict[str, int]]
    failure_modes: NotRequired[dict[str, int] | None]


class _ScenarioLine(TypedDict):
    """A scenario: run → its results, such as ``+ + -0.5``."""

    id: str
    digest: str
    prompt: str
    tools: str
    path: str
    runs: dict[str, str]


@dataclass(frozen=True)
class Baseline:
    """A sample, and the date and reason of an accepted new level."""

    sample: Sample
    norm: str = ""
    since: str = ""


def read_baseline(path: Path) -> Baseline:
    """Return the content of a file. Raises :class:`BaselineError` with file, line and remedy."""
    try:
        lines = read_whole(path).split(b"\n")
    except OSError as error:
        raise BaselineError(f"{path}: cannot be read: {error.strerror}") from None
    read = [_line(path, at, line) for at, line in enumerate(lines, 1) if line.strip()]
    heads = [line for line in read if "baseline" in line]
    if not heads:
        raise BaselineError(f"{path}: no baseline; make one: {_MAKE}")
    runs = {line["run"]: _run(line) for line in read if "run" in line}
    scenarios = _joined({}, (_scenario(line) for line in read if "id" in line), runs)
    head = max(heads, key=lambda line: (line.get("since", ""), line.get("norm", "")))
    return Baseline(_trimmed(scenarios, runs), head.get("norm", ""), head.get("since", ""))


def baseline_lines(baseline: Baseline) -> list[str]:
    """Return the lines of the file; equal samples have equal lines."""
    head: dict[str, Any] = {"baseline": VERSION}
    if baseline.norm:
        head |= {"norm": baseline.norm, "since": baseline.since}
    runs = sorted(baseline.sample.runs, key=lambda run: (run.date, run.key))
    scenarios = sorted(baseline.sample.scenarios.items())
    lines = (head, *map(_of_run, runs), *(_of_scenario(scenario) for _, scenario in scenarios))
    return [json.dumps(line, ensure_ascii=False) for line in lines]


def added(baseline: Sample, new: Sample) -> Sample:
    """Return a sample with the trials of another one, the newest ones of each scenario.

    If a scenario's task has changed, only the newer trials are kept.
    """
    runs = {run.key: run for run in (*baseline.runs, *new.runs)}
    return _trimmed(_joined(baseline.scenarios, new.scenarios.values(), runs), runs)


def run_key(records: BinaryIO, date: str) -> str:
    """Return a digest of a file of records that does not depend on the order of its lines.

    Of each line, only the beginning is kept: the rest is read again in the order of the digest.
    """
    beginnings, start = [], 0
    for line in records:
        if text := line.strip():
            beginnings.append((text[:_BEGINNING], start, len(line)))
        start += len(line)
    beginnings.sort()
    digest = hashlib.sha256(date.encode())
    for _, same in itertools.groupby(beginnings, key=itemgetter(0)):
        for text in sorted(_line_at(records, start, size) for _, start, size in same):
            digest.update(b"\n" + text)
    return digest.hexdigest()[:8]


def _line_at(file: BinaryIO, start: int, size: int) -> bytes:
    file.seek(start)
    return file.read(size).strip()


def _line(path: Path, number: int, line: bytes) -> Any:
    if line.startswith(_CONFLICT):
        remedy = "keep the lines of both sides, and delete the marks"
        raise BaselineError(f"{path}:{number}: git left a conflict here; {remedy}")
    try:
        read = _adapter().validate_json(line, strict=True)
        if "run" in read or "id" in read:
            (_run if "run" in read else _scenario)(read)
    except (ValueError, TypeError, LookupError):
        match = re.match(rb'\s*\{\s*"baseline"\s*:\s*([0-9]{1,9})\b', line)
        if match and (version := int(match[1])) != VERSION:
            reads = f"this program reads version {VERSION}: install the one that wrote it, or make"
            text = f"a baseline of version {version}; {reads} a new one: {_MAKE}"
            raise BaselineError(f"{path}:{number}: {text}") from None
        remedy = f"take the file from git again, or make a new one: {_MAKE}"
        raise BaselineError(f"{path}:{number}: this is no line of a baseline; {remedy}") from None
    return read


def _run(line: _RunLine) -> Run:
    return Run(
        key=line["run"],
        date=line["date"],
        agents=tuple(line["agents"]),
        settings=tuple(map(text_of, line["settings"])),
        conditions=tuple(Conditions(*values) for values in line["conditions"]),
        trials=line["trials"],
        costs=line["costs"],
        findings=line.get("findings", {}),
        failure_modes=line.get("failure_modes"),
    )


def _of_run(run: Run) -> dict[str, Any]:
    values = dataclasses.asdict(run)
    values["settings"] = list(map(json.loads, run.settings))
    return {"run": values.pop("key"), **values}


def _scenario(line: _ScenarioLine) -> SampledScenario:
    results = {key: tuple(map(_result, text.split())) for key, text in line["runs"].items()}
    facts: Any = {name: value for name, value in line.items() if name != "runs"}
    return SampledScenario(results=results, **facts)


def _of_scenario(scenario: SampledScenario) -> dict[str, Any]:
    runs = {key: " ".join(map(_written, scenario.results[key])) for key in sorted(scenario.results)}
    facts = ("id", "digest", "prompt", "tools", "path")
    return {**{name: getattr(scenario, name) for name in facts}, "runs": runs}


def _result(text: str) -> Result:
    passed = text[0] == "+"
    return Result(passed, float(text[1:]) if text[1:] else float(passed))


def _written(result: Result) -> str:
    usual = float(result.passed)
    score = "" if result.score == usual else f"{result.score:.3g}"
    return f"{'+' if result.passed else '-'}{score}"


def _joined(
    known: Mapping[str, SampledScenario], new: Iterable[SampledScenario], runs: Mapping[str, Run]
) -> dict[str, SampledScenario]:
    scenarios = dict(known)
    for scenario in new:
        scenarios[scenario.id] = (
            _united(scenarios[scenario.id], scenario, runs)
            if scenario.id in scenarios
            else scenario
        )
    return scenarios


def _united(old: SampledScenario, new: SampledScenario, runs: Mapping[str, Run]) -> SampledScenario:
    """Return the trials of both samples; only the newer ones if the task has changed."""

    def newest_run(scenario: SampledScenario) -> tuple[str, str]:
        return max((_when(key, runs) for key in scenario.results), default=("", ""))

    older, newer = sorted((old, new), key=newest_run)
    if older.digest != newer.digest:
        return newer
    results = {**older.results, **newer.results}
    return replace(newer, results=results, path=older.path or newer.path)


def _when(key: str, runs: Mapping[str, Run]) -> tuple[str, str]:
    return (runs[key].date if key in runs else "", key)


def _trimmed(scenarios: Mapping[str, SampledScenario], runs: Mapping[str, Run]) -> Sample:
    kept = {
        name: _newest(scenario, runs) for name, scenario in scenarios.items() if scenario.results
    }
    used = {key for scenario in kept.values() for key in scenario.results}
    return Sample(kept, [run for key, run in runs.items() if key in used])


def _newest(scenario: SampledScenario, runs: Mapping[str, Run]) -> SampledScenario:
    results: dict[str, tuple[Result, ...]] = {}
    room = _MOST_TRIALS
    for key in sorted(scenario.results, key=lambda key: _when(key, runs), reverse=True):
        if kept := scenario.results[key][:room]:
            results[key] = kept
            room -= len(kept)
    return replace(scenario, results=results)


def merged(samples: Iterable[Sample]) -> Sample:
    """Return the joint sample of several runs."""
    return reduce(added, samples)


@cache
def _adapter() -> TypeAdapter[Any]:
    from pydantic import TypeAdapter

    return TypeAdapter(_HeadLine | _RunLine | _ScenarioLine)


Kept = Literal["records", "a baseline"]

_LONGEST: Final = 1000
"""The number of bytes of a file that are inspected."""
_KEPT_FILES_CONFLICT: Final = rb"(?:(?:<{7}|[|]{7}|={7})[^\n]*\n)*"
"""Conflict markers of git, which may precede the first line."""
_RECORD: Final = re.compile(rb'\s*%b\{[ \t]*"record"' % _KEPT_FILES_CONFLICT)
_BASELINE: Final = re.compile(rb'\s*%b\{[ \t]*"(?:baseline|run|id)"' % _KEPT_FILES_CONFLICT)
"""The beginnings of a baseline's lines, which may be in any order."""


def kept_in(path: Path) -> Kept | None:
    """Return what a file contains, by its beginning. Raises ``OSError`` if it is unreadable."""
    refuse_devices(path)
    with path.open("rb") as stream:
        start = stream.read(_LONGEST)
    if _RECORD.match(start):
        return "records"
    return "a baseline" if _BASELINE.match(start) else None


def why_not_replaced(path: Path) -> str | None:
    """Return why a file must not be replaced, if it has content worth keeping."""
    if not path.exists():
        return None
    try:
        kept = kept_in(path)
    except OSError as error:
        return f"what is there cannot be read: {error.strerror}"
    return f"it holds {kept}, which would be lost; name another file" if kept else None

"""``toolsandbox baseline``: the sample that later runs are compared with.

``toolsandbox stats --quarantine``: which scenarios may leave their quarantine.

``toolsandbox gate --self-test``: what the gate would say where nothing changed.

``toolsandbox compare``: runs beside a baseline or an earlier run, from what was recorded.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import reduce
from pathlib import Path
from typing import Final, Literal

from pytest_toolsandbox.gate.baseline import (
    Baseline,
    BaselineError,
    Kept,
    added,
    baseline_lines,
    kept_in,
    merged,
    read_baseline,
    run_key,
)
from pytest_toolsandbox.gate.comparing import IncomparableError, pair
from pytest_toolsandbox.gate.played import GateRecord, played_trial
from pytest_toolsandbox.gate.samples import Sample, sample_of, without_runs
from pytest_toolsandbox.gate.self_test import DRAWS, SelfTest, self_test
from pytest_toolsandbox.gate.verdict import Levels, Verdict, concluded, judged
from pytest_toolsandbox.output.comparison_forms import (
    comparison_json,
    comparison_markdown,
    comparison_text,
)
from pytest_toolsandbox.output.comparison_tables import estimate_tables, verdict_sentence
from pytest_toolsandbox.output.quarantine import QuarantineRecord, quarantine_table, quarantined
from pytest_toolsandbox.output.tables import aligned, table_lines
from pytest_toolsandbox.records.reading import StoredError, usable_records
from pytest_toolsandbox.records.trials import fair_sample
from pytest_toolsandbox.text.formatting import pluralize

from . import CommandError
from .show import holding_together, write_output

SURELY: Final = Levels(worse=0.01, no_worse=0.05)
"""So that of a hundred nights in which nothing changed one is refused."""


def add_to_baseline(results: Sequence[Path], file: Path, date: str | None) -> int:
    """Add the trials of files of records; a run that is worse than the baseline is refused."""
    known = _known(file) if file.exists() else None
    runs = _runs(results, date)
    new = _new_runs(runs, known)
    if known and new:
        _refuse_if_worse(known.sample, new, file)
    samples = [*([known.sample] if known else []), *new]
    _write(Baseline(reduce(added, samples), *_norm(known)), file)
    again = len(runs) - len(new)
    told = f"; {pluralize(again, 'file')} had been added before" if again else ""
    print(f"{file}: {_size(reduce(added, samples))}{told}")
    return 0


def accept_level(results: Sequence[Path], file: Path, date: str | None, reason: str) -> int:
    """Begin the baseline anew with these records, and keep the reason."""
    if not reason.strip():
        raise CommandError("--reason: nothing is given; say why the new level is accepted")
    if file.is_file() and _kept_in(file) == "records":
        raise CommandError(f"--file: {file} holds records; name the file of the baseline")
    runs = _runs(results, date)
    sample = reduce(added, runs)
    since = max(run.date for run in sample.runs)
    _write(Baseline(sample, " ".join(reason.split()), since), file)
    print(f"{file}: {_size(sample)}; the norm since {since}: {' '.join(reason.split())}")
    return 0


def show_baseline(file: Path) -> int:
    """Print the runs of a baseline, and how many trials it has of how many scenarios."""
    baseline = _known(file)
    if baseline.norm:
        print(f"the norm since {baseline.since}: {baseline.norm}")
    print(_size(baseline.sample))
    runs = sorted(baseline.sample.runs, key=lambda run: (run.date, run.key))
    rows = [(run.date, run.key, ", ".join(run.agents), str(run.trials)) for run in runs]
    print(*aligned([("date", "run", "agent", "trials"), *rows], words=3), sep="\n")
    return 0


def read_sample(file: Path) -> Sample:
    """Return the sample of a file of records, or of a baseline."""
    return _known(file).sample if _kept_in(file) == "a baseline" else _sample(file)


def _kept_in(file: Path) -> Kept | None:
    try:
        return kept_in(file)
    except OSError as error:
        raise CommandError(f"{file}: cannot be read: {error.strerror}") from None


def _sample(file: Path, date: str | None = None, *, is_added: bool = False) -> Sample:
    """Return the trials of a file of records; of two with the same id and trial the later one.

    Those that were replayed are not added to a baseline.
    """
    try:
        records, unusable = usable_records(file, GateRecord)
    except StoredError as error:
        raise CommandError(str(error)) from None
    if unusable:
        print(unusable)
    latest = {(record["id"], record["trial"]): record for record in records}
    day = date or datetime.fromtimestamp(file.stat().st_mtime, UTC).date().isoformat()
    with file.open("rb") as stream:
        key = run_key(stream, day)
    with holding_together(file):
        trials = list(map(played_trial, fair_sample(latest.values())))
    if is_added and (replayed := sum(one.replayed for one in trials)):
        text = f"{file}: {pluralize(replayed, 'trial')} replayed from cassettes: no new sample"
        if replayed == len(trials):
            raise CommandError(f"{text}; play them without --sandbox-record, or with all")
        print(f"{text}, and left out")
        trials = [one for one in trials if not one.replayed]
    return sample_of(trials, key, day)


def _runs(results: Sequence[Path], date: str | None) -> list[Sample]:
    if date is not None:
        _check_date(date)
    runs = [_sample(file, date, is_added=True) for file in dict.fromkeys(results)]
    if lacking := [str(f) for f, run in zip(results, runs, strict=False) if not _has_results(run)]:
        raise CommandError(f"{lacking[0]}: no trial passed or failed, so it adds nothing")
    return runs


def _has_results(sample: Sample) -> bool:
    return any(one.results for one in sample.scenarios.values())


def _check_date(date: str) -> None:
    try:
        datetime.strptime(date, "%Y-%m-%d").replace(tzinfo=UTC)
    except ValueError:
        raise CommandError(f"--date: {date!r} is no date such as 2025-03-14") from None


def _new_runs(runs: Sequence[Sample], known: Baseline | None) -> list[Sample]:
    seen = {run.key for run in known.sample.runs} if known else set()
    return [sample for sample in runs if sample.runs[0].key not in seen]


def _refuse_if_worse(known: Sample, new: Sequence[Sample], file: Path) -> None:
    try:
        verdict = judged(pair(known, reduce(added, new)), levels=SURELY)
    except IncomparableError as error:
        remedy = "begin a baseline of its own, or: toolsandbox baseline accept"
        raise CommandError(f"{file}: it was played otherwise: {error}; {remedy}") from None
    if verdict.kind == "worse":
        remedy = "if that is to be the new level: toolsandbox baseline accept --reason TEXT"
        raise CommandError(f"{file}: nothing was added: {verdict_sentence(verdict)}; {remedy}")


def _norm(known: Baseline | None) -> tuple[str, str]:
    return (known.norm, known.since) if known else ("", "")


def _known(file: Path) -> Baseline:
    try:
        return read_baseline(file)
    except BaselineError as error:
        raise CommandError(str(error)) from None


def _write(baseline: Baseline, file: Path) -> None:
    write_output(file, "".join(f"{line}\n" for line in baseline_lines(baseline)))


def _size(sample: Sample) -> str:
    trials = [len(one.all_results) for one in sample.scenarios.values()]
    least, most = min(trials), max(trials)
    spread = f"{least} to {most} trials" if least < most else pluralize(most, "trial")
    runs = pluralize(len(sample.runs), "run")
    return f"{pluralize(len(trials), 'scenario')} with {spread} each, from {runs}"


_CONFIDENCE = 0.95


def print_quarantine(files: Sequence[Path], passes: int) -> int:
    """Print how those in quarantine did, by files of records; return 1 for unusable lines."""
    records, unusable = [], []
    try:
        for file in dict.fromkeys(files):
            read, told = usable_records(file, QuarantineRecord)
            records += read
            unusable += [told] if told else []
    except StoredError as error:
        raise CommandError(str(error)) from None
    if items := quarantined(records):
        print(*quarantine_table(items, passes), "", _meaning(passes), sep="\n")
    else:
        print("no scenario of these records is in quarantine")
    print(*unusable, sep="\n", end="\n" if unusable else "")
    return 1 if unusable else 0


def _meaning(passes: int) -> str:
    """Return what so many passes prove: more failures would have shown one, at 95 %."""
    share = 1 - (1 - _CONFIDENCE) ** (1 / passes)
    what = f"{passes} passes in a row" if passes > 1 else "a pass"
    return f"{what}: at most {share:.0%} of the conversations fail, with 95 % confidence"


def print_self_test(files: Sequence[Path], margin: float | None) -> int:
    """Print how often the gate is wrong on these trials, and which drop it would see."""
    sample = merged(read_sample(file) for file in dict.fromkeys(files))
    try:
        found = self_test(sample, margin)
    except ValueError as error:
        remedy = "play with more trials, or name several runs or a baseline"
        raise CommandError(f"{', '.join(map(str, files))}: {error}; {remedy}") from None
    print(*_lines(found), sep="\n")
    return 0


def _lines(found: SelfTest) -> list[str]:
    scenarios = pluralize(found.scenarios, "scenario")
    said = ", ".join(f"{kind} {share:.1%}" for kind, share in found.shares.items())
    seen = {trials: "n/a" if d is None else f"{d:.3f}" for trials, d in found.seen.items()}
    rows = [("trials of each scenario", *map(str, seen)), ("drop", *seen.values())]
    return [
        f"{DRAWS} times the trials of {scenarios} in two random halves; nothing changed",
        f"  {said}",
        "the drop that is told worse in 4 of 5 runs, with these trials as the baseline",
        *(f"  {line}" for line in aligned(rows)),
    ]


Format = Literal["text", "markdown", "json"]


def compare(  # noqa: PLR0913  # one for each option of the command
    files: Sequence[Path],
    form: Format,
    margin: float | None,
    limit: int,
    inconclusive: Literal["fail", "pass"] = "pass",
    *,
    common: bool,
) -> int:
    """Print what the later files say beside the first one.

    Return 1 where one is worse or has nothing to be compared, and where it is ``inconclusive``, if
    that is to fail.
    """
    if len(files) == 1:
        tables = (table_lines(table, 1000) for table in estimate_tables(read_sample(files[0])))
        print("\n\n".join("\n".join(lines) for lines in tables))
        return 0
    first, *others = ((str(file), read_sample(file)) for file in files)
    verdicts = {name: _verdict(first, (name, other), margin, common) for name, other in others}
    if form == "json":
        found = {name: comparison_json(one) for name, one in verdicts.items()}
        print(json.dumps({"baseline": first[0], "compared": found}, indent=2, ensure_ascii=False))
    elif form == "markdown":
        print(comparison_markdown(first[0], verdicts, limit))
    else:
        print("\n\n".join(comparison_text(first[0], name, v) for name, v in verdicts.items()))
    bad = {"worse"} | ({"inconclusive"} if inconclusive == "fail" else set())
    return int(any(one.kind in bad or one.compares_nothing for one in verdicts.values()))


def _verdict(
    first: tuple[str, Sample], other: tuple[str, Sample], margin: float | None, common: bool
) -> Verdict:
    # A run that has joined the baseline since is no sample beside itself.
    before = without_runs(first[1], {run.key for run in other[1].runs})
    expected = [] if common else sorted(before.scenarios)
    try:
        return concluded(pair(before, other[1], expected), margin)
    except IncomparableError as error:
        text = f"{other[0]} cannot be compared with {first[0]}, which was played otherwise: {error}"
        raise CommandError(text) from None

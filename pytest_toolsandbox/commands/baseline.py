"""``toolsandbox baseline add``, ``accept`` and ``show``: the sample that runs are compared with."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from pathlib import Path
from typing import TYPE_CHECKING, Final

from pytest_toolsandbox.text.formatting import pluralize

from . import CommandError
from .support.registration import FILES, argument, command, file_path, group

if TYPE_CHECKING:
    from pytest_toolsandbox.gate.baseline import Baseline
    from pytest_toolsandbox.gate.samples import Sample

_FALSE_ALARMS: Final = 0.01
"""The level of "worse": of a hundred nightly runs without a change, one is refused."""

_FILE = argument(
    "--file FILE",
    "the file of the baseline (default: baseline.jsonl)",
    type=file_path,
    default=Path("baseline.jsonl"),
)
_DATE = argument(
    "--date DATE", "the day of the run, such as 2025-03-14 (default: when its file was written)"
)

group("baseline", "keep the results that later runs are compared with", metavar="WHAT")


@command("baseline add", "add the trials of a run", FILES, _DATE, _FILE)
def add_to_baseline(files: Sequence[Path], file: Path, date: str | None) -> int:
    """Add the trials of files of records; a run that is worse than the baseline is refused."""
    from pytest_toolsandbox.gate.baseline import Baseline, added

    from .support.stored_samples import stored_baseline

    known = stored_baseline(file) if file.exists() else None
    runs = _runs(files, date)
    known_keys = {run.key for run in known.sample.runs} if known else set()
    new = [sample for sample in runs if sample.runs[0].key not in known_keys]
    if known and new:
        _refuse_if_worse(known.sample, new, file)
    sample = reduce(added, [*([known.sample] if known else []), *new])
    norm = (known.norm, known.since) if known else ("", "")
    _write(Baseline(sample, *norm), file)
    again = len(runs) - len(new)
    note = f"; {pluralize(again, 'file')} had been added before" if again else ""
    print(f"{file}: {_size(sample)}{note}")
    return 0


@command(
    "baseline accept",
    "begin anew with these results, since the new level is intended",
    FILES,
    _DATE,
    _FILE,
    argument("--reason TEXT", "why the new level is accepted", required=True),
)
def accept_level(files: Sequence[Path], file: Path, date: str | None, reason: str) -> int:
    """Begin the baseline anew with these records, and keep the reason."""
    from pytest_toolsandbox.gate.baseline import Baseline, added

    from .support.stored_samples import kind_of

    reason = " ".join(reason.split())
    if not reason:
        raise CommandError("--reason: nothing is given; say why the new level is accepted")
    if file.is_file() and kind_of(file) == "records":
        raise CommandError(f"--file: {file} holds records; name the file of the baseline")
    sample = reduce(added, _runs(files, date))
    since = max(run.date for run in sample.runs)
    _write(Baseline(sample, reason, since), file)
    print(f"{file}: {_size(sample)}; the norm since {since}: {reason}")
    return 0


@command("baseline show", "print the runs that a baseline has", _FILE)
def show_baseline(file: Path) -> int:
    """Print the runs of a baseline, and how many trials it has of how many scenarios."""
    from pytest_toolsandbox.output.tables import aligned

    from .support.stored_samples import stored_baseline

    baseline = stored_baseline(file)
    if baseline.norm:
        print(f"the norm since {baseline.since}: {baseline.norm}")
    print(_size(baseline.sample))
    runs = sorted(baseline.sample.runs, key=lambda run: (run.date, run.key))
    rows = [(run.date, run.key, ", ".join(run.agents), str(run.trials)) for run in runs]
    print(*aligned([("date", "run", "agent", "trials"), *rows], words=3), sep="\n")
    return 0


def _runs(files: Sequence[Path], date: str | None) -> list[Sample]:
    """Return the sample of each file. Raises ``CommandError`` if one has no result."""
    from datetime import UTC, datetime

    from .support.stored_samples import new_sample

    if date is not None:
        try:
            datetime.strptime(date, "%Y-%m-%d").replace(tzinfo=UTC)
        except ValueError:
            text = f"--date: {date!r} is not a date such as 2025-03-14"
            raise CommandError(text) from None
    runs = {file: new_sample(file, date) for file in files}
    for file, run in runs.items():
        if not any(scenario.results for scenario in run.scenarios.values()):
            raise CommandError(f"{file}: no trial passed or failed, so it adds nothing")
    return [*runs.values()]


def _refuse_if_worse(known: Sample, new: Sequence[Sample], file: Path) -> None:
    from pytest_toolsandbox.gate.baseline import added
    from pytest_toolsandbox.gate.pairing import IncomparableError, pair
    from pytest_toolsandbox.gate.verdict import LEVEL, Levels, judged
    from pytest_toolsandbox.output.comparison_tables import verdict_sentence

    try:
        pairing = pair(known, reduce(added, new))
        verdict = judged(pairing, levels=Levels(_FALSE_ALARMS, LEVEL))
    except IncomparableError as error:
        remedy = "begin a baseline of its own, or: toolsandbox baseline accept"
        raise CommandError(f"{file}: it was played otherwise: {error}; {remedy}") from None
    if verdict.kind == "worse":
        remedy = "if that is to be the new level: toolsandbox baseline accept --reason TEXT"
        raise CommandError(f"{file}: nothing was added: {verdict_sentence(verdict)}; {remedy}")


def _write(baseline: Baseline, file: Path) -> None:
    from pytest_toolsandbox.gate.baseline import baseline_lines

    from .support.record_files import write_output

    write_output(file, "".join(f"{line}\n" for line in baseline_lines(baseline)))


def _size(sample: Sample) -> str:
    trials = [len(scenario.all_results) for scenario in sample.scenarios.values()]
    least, most = min(trials), max(trials)
    spread = f"{least} to {most} trials" if least < most else pluralize(most, "trial")
    runs = pluralize(len(sample.runs), "run")
    return f"{pluralize(len(trials), 'scenario')} with {spread} each, from {runs}"

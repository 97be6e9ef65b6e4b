"""``toolsandbox compare``, ``gate`` and ``baseline``: what the gate says of records.

Also the table of ``toolsandbox stats --quarantine``: which scenarios may leave quarantine.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, Literal

from pytest_toolsandbox.gate.arms import verdict_beside
from pytest_toolsandbox.gate.baseline import Baseline, baseline_lines, merged, read_baseline
from pytest_toolsandbox.gate.pairing import IncomparableError, pair
from pytest_toolsandbox.gate.plan import (
    BASELINE_TRIALS,
    Reach,
    rates_of,
    reaches,
    remedy_of,
    usual_rates,
)
from pytest_toolsandbox.gate.samples import Sample
from pytest_toolsandbox.gate.self_test import DRAWS, SelfTest, self_test
from pytest_toolsandbox.gate.verdict import LEVEL, Levels, Verdict, judged, usual_margin
from pytest_toolsandbox.output.comparison_forms import (
    comparison_json,
    comparison_markdown,
    comparison_text,
)
from pytest_toolsandbox.output.comparison_tables import estimate_tables
from pytest_toolsandbox.output.quarantine import QuarantineRecord, quarantine_table, quarantined
from pytest_toolsandbox.output.tables import aligned, table_lines
from pytest_toolsandbox.output.verdict_words import remedy_parts, remedy_words, verdict_sentence
from pytest_toolsandbox.records.reading import usable_records
from pytest_toolsandbox.text.formatting import pluralize
from pytest_toolsandbox.text.locking import locked

from .parsing import CommandError
from .record_files import (
    arms_in,
    kind_of,
    sample_of_records,
    stored_sample,
    write_output,
)
from .scenarios import find_scenarios

_CONFIDENCE: Final = 0.95


def compare(  # noqa: PLR0913  # one for each option of the command
    files: Sequence[Path],
    form: Literal["text", "markdown", "json"],
    margin: float | None,
    limit: int,
    inconclusive: Literal["fail", "pass"],
    *,
    common: bool,
) -> int:
    """Compare the later files with the first one, or several agents of a file; else describe it.

    Return 1 if a run is worse, or has nothing that can be compared, or is ``inconclusive`` and that
    is to fail.
    """
    arms = arms_in(files[0]) if len(files) == 1 else {}
    of_arms = [(name, arm.sample) for name, arm in arms.items()]
    samples = of_arms or [(str(file), stored_sample(file)) for file in files]
    if len(samples) == 1:
        tables = (table_lines(table, 1000) for table in estimate_tables(samples[0][1]))
        print("\n\n".join("\n".join(lines) for lines in tables))
        return 0
    first, *candidates = samples
    verdicts = {name: _verdict(first, (name, other), margin, common) for name, other in candidates}
    if form == "json":
        compared = {name: comparison_json(verdict) for name, verdict in verdicts.items()}
        value: Any = {"baseline": first[0], "compared": compared}
        print(json.dumps(value, indent=2, ensure_ascii=False))
    elif form == "markdown":
        print(comparison_markdown(first[0], verdicts, limit))
    else:
        print("\n\n".join(comparison_text(first[0], name, v) for name, v in verdicts.items()))
    bad = {"worse"} | ({"inconclusive"} if inconclusive == "fail" else set())
    return int(any(v.kind in bad or not v.strata for v in verdicts.values()))


def _verdict(
    first: tuple[str, Sample], other: tuple[str, Sample], margin: float | None, common: bool
) -> Verdict:
    try:
        return verdict_beside(first[1], other[1], margin, common=common)
    except IncomparableError as error:
        text = f"{other[0]} cannot be compared with {first[0]}, which was played otherwise: {error}"
        raise CommandError(text) from None


def try_gate(
    files: Sequence[Path] | None, suites: Sequence[int | Path] | None, margin: float | None
) -> int:
    """Print how often the gate is wrong on trials, or what it can tell of suites."""
    if bool(files) == bool(suites):
        raise CommandError("give either --self-test FILE or --plan SUITE", 2)
    if files:
        return _print_self_test(files, margin)
    _print_plan(_rates(suites or ()), margin)
    return 0


def _print_self_test(files: Sequence[Path], margin: float | None) -> int:
    sample = merged(stored_sample(file) for file in dict.fromkeys(files))
    try:
        test = self_test(sample, margin)
    except ValueError as error:
        remedy = "play with more trials, or name several runs or a baseline"
        raise CommandError(f"{', '.join(map(str, files))}: {error}; {remedy}") from None
    scenarios = pluralize(test.scenarios, "scenario")
    print(f"{DRAWS} times the trials of {scenarios} in two random halves; nothing changed")
    print("  " + ", ".join(f"{kind} {share:.1%}" for kind, share in test.shares.items()))
    print("the drop that is told worse in 4 of 5 runs, with these trials as the baseline")
    drops = map(_points, test.seen.values())
    rows = [("trials of each scenario", *map(str, test.seen)), ("drop", *drops)]
    print(*(f"  {line}" for line in aligned(rows)), sep="\n")
    print(_no_worse_line(test))
    return 0


def _no_worse_line(test: SelfTest) -> str:
    """Return how many trials tell "no worse", or what would do so."""
    enough = next((trials for trials, lacks in test.remedies.items() if lacks is None), None)
    at = f"no worse at a margin of {test.margin:g}, without a change, in 4 of 5 runs"
    if enough is not None:
        return f"{at}: {pluralize(enough, 'trial')} of each scenario"
    trials, lacks = [*test.remedies.items()][-1]
    words = remedy_words(lacks, trials) if lacks else ""
    return f"{at}: {trials} trials of each scenario are too few; {words}"


def _rates(suites: Sequence[int | Path]) -> dict[str, list[float]]:
    """Return name → pass rates of the planned suites: numbers, records, or files of scenarios."""
    rates, folders = {}, []
    for suite in suites:
        if isinstance(suite, int):
            rates[pluralize(suite, "scenario")] = usual_rates(suite)
        elif suite.is_file() and kind_of(suite):
            of_file = rates_of(stored_sample(suite))
            rates[f"{pluralize(len(of_file), 'scenario')} of {suite}"] = of_file
        else:
            folders.append(suite)
    scenarios = find_scenarios(folders).scenarios if folders else []
    if size := len(scenarios):
        names = ", ".join(map(str, folders))
        known = [s.difficulty.rate for _, s in scenarios if s.difficulty is not None]
        of_folders = known if len(known) == size else usual_rates(size)
        rates[f"{pluralize(size, 'scenario')} of {names}"] = of_folders
    if not rates:
        names = ", ".join(map(str, suites))
        raise CommandError(f"{names}: there are no scenarios and no records")
    return rates


def _print_plan(rates: Mapping[str, list[float]], margin: float | None) -> None:
    plans = {name: reaches(of_suite) for name, of_suite in rates.items()}
    columns = ("trials of each", *(str(reach.trials) for reach in next(iter(plans.values()))))
    for title, field in (
        ("the smallest drop that is told worse, in 4 of 5 runs", "drop"),
        ("the smallest margin that no worse can reach, in 4 of 5 runs without a change", "margin"),
    ):
        rows = [(name, *(_points(getattr(r, field)) for r in plan)) for name, plan in plans.items()]
        print(title)
        print(*(f"  {line}" for line in aligned([columns, *rows])), sep="\n")
    print(f"with a baseline of {BASELINE_TRIALS} trials of each scenario")
    for name, plan in plans.items():
        wanted = usual_margin(len(rates[name])) if margin is None else margin
        first, *further = _advice(rates[name], plan, wanted)
        print(f"{name}: {first}", *further, sep="\n")


def _points(value: float | None) -> str:
    return "n/a" if value is None else f"{value:.3f}"


def _advice(rates: Sequence[float], plan: Sequence[Reach], margin: float) -> Iterator[str]:
    """Yield which trials decide with this margin, or what else would."""
    enough = [reach for reach in plan if reach.margin is not None and reach.margin <= margin]
    if enough:
        yield f"--sandbox-trials={enough[0].trials} decides with a margin of {margin:g}"
        return
    most = plan[-1].trials
    lacks = remedy_of(rates, margin)
    parts = remedy_parts(lacks, most) if lacks else []
    what = "what would do:" if parts else "no margin or number of scenarios would do"
    yield f"{most} trials are too few for a margin of {margin:g}; {what}"
    yield from (f"  {part}" for part in parts)


def print_quarantine(files: Sequence[Path], passes: int) -> int:
    """Print how scenarios in quarantine did, from files of records; return 1 for unusable lines."""
    records, unusable = [], []
    for file in dict.fromkeys(files):
        of_file, text = usable_records(file, QuarantineRecord)
        records += of_file
        unusable += [text] if text else []
    if items := quarantined(records):
        # More failures would have shown at least one failure, in that share of samples.
        share = 1 - (1 - _CONFIDENCE) ** (1 / passes)
        what = f"{passes} passes in a row" if passes > 1 else "a pass"
        print(*quarantine_table(items, passes), "", sep="\n")
        print(f"{what}: at most {share:.0%} of the conversations fail, with 95 % confidence")
    else:
        print("no scenario of these records is in quarantine")
    print(*unusable, sep="\n", end="\n" if unusable else "")
    return 1 if unusable else 0


_FALSE_ALARMS: Final = 0.01
"""The level of "worse": of a hundred nightly runs without a change, one is refused."""


def add_to_baseline(files: Sequence[Path], file: Path, date: str | None) -> int:
    """Add the trials of files of records; a run that is worse than the baseline is refused."""
    with locked(file):
        return _add(files, file, date)


def _add(files: Sequence[Path], file: Path, date: str | None) -> int:
    known = read_baseline(file) if file.exists() else None
    runs = _runs(files, date)
    known_keys = {run.key for run in known.sample.runs} if known else set()
    new = [sample for sample in runs if sample.runs[0].key not in known_keys]
    if known and new:
        _refuse_if_worse(known.sample, new, file)
    sample = merged([*([known.sample] if known else []), *new])
    norm = (known.norm, known.since) if known else ("", "")
    _write(Baseline(sample, *norm), file)
    again = len(runs) - len(new)
    note = f"; {pluralize(again, 'file')} had been added before" if again else ""
    print(f"{file}: {_size(sample)}{note}")
    return 0


def accept_level(files: Sequence[Path], file: Path, date: str | None, reason: str) -> int:
    """Begin the baseline anew with these records, and keep the reason."""
    reason = " ".join(reason.split())
    if not reason:
        raise CommandError("--reason: nothing is given; say why the new level is accepted")
    if file.is_file() and kind_of(file) == "records":
        raise CommandError(f"--file: {file} holds records; name the file of the baseline")
    sample = merged(_runs(files, date))
    since = max(run.date for run in sample.runs)
    with locked(file):
        _write(Baseline(sample, reason, since), file)
    print(f"{file}: {_size(sample)}; the norm since {since}: {reason}")
    return 0


def show_baseline(file: Path) -> int:
    """Print the runs of a baseline, and how many trials it has of how many scenarios."""
    baseline = read_baseline(file)
    if baseline.norm:
        print(f"the norm since {baseline.since}: {baseline.norm}")
    print(_size(baseline.sample))
    runs = sorted(baseline.sample.runs, key=lambda run: (run.date, run.key))
    rows = [(run.date, run.key, ", ".join(run.agents), str(run.trials)) for run in runs]
    print(*aligned([("date", "run", "agent", "trials"), *rows], words=3), sep="\n")
    return 0


def _runs(files: Sequence[Path], date: str | None) -> list[Sample]:
    """Return the sample of each file. Raises ``CommandError`` if one has no result."""
    if date is not None:
        try:
            datetime.strptime(date, "%Y-%m-%d").replace(tzinfo=UTC)
        except ValueError:
            text = f"--date: {date!r} is not a date such as 2025-03-14"
            raise CommandError(text) from None
    runs = {file: sample_of_records(file, date, without_replayed=True) for file in files}
    for file, run in runs.items():
        if not any(scenario.results for scenario in run.scenarios.values()):
            raise CommandError(f"{file}: no trial passed or failed, so it adds nothing")
    return [*runs.values()]


def _refuse_if_worse(known: Sample, new: Sequence[Sample], file: Path) -> None:
    try:
        pairing = pair(known, merged(new))
        verdict = judged(pairing, levels=Levels(_FALSE_ALARMS, LEVEL))
    except IncomparableError as error:
        remedy = "begin a baseline of its own, or: toolsandbox baseline accept"
        raise CommandError(f"{file}: it was played otherwise: {error}; {remedy}") from None
    if verdict.kind == "worse":
        remedy = "if that is to be the new level: toolsandbox baseline accept --reason TEXT"
        raise CommandError(f"{file}: nothing was added: {verdict_sentence(verdict)}; {remedy}")


def _write(baseline: Baseline, file: Path) -> None:
    write_output(file, "".join(f"{line}\n" for line in baseline_lines(baseline)))


def _size(sample: Sample) -> str:
    trials = [len(scenario.all_results) for scenario in sample.scenarios.values()]
    least, most = min(trials), max(trials)
    spread = f"{least} to {most} trials" if least < most else pluralize(most, "trial")
    runs = pluralize(len(sample.runs), "run")
    return f"{pluralize(len(trials), 'scenario')} with {spread} each, from {runs}"

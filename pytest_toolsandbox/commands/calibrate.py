"""``toolsandbox calibrate``: how often a judge is wrong about wordings with labels."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, NamedTuple

from pytest_toolsandbox.language.constraints import Criteria
from pytest_toolsandbox.language.files import find_files
from pytest_toolsandbox.models.aliases import NO_JUDGE
from pytest_toolsandbox.models.errors import JudgeError, ProviderError
from pytest_toolsandbox.models.requests import RequestContext, requests_in
from pytest_toolsandbox.models.usage import Prices, Usage, total
from pytest_toolsandbox.output.tables import aligned
from pytest_toolsandbox.output.totals import mean_interval
from pytest_toolsandbox.records.record import Record, read_record
from pytest_toolsandbox.records.writing import Trial
from pytest_toolsandbox.runs.judging import WordsJudge
from pytest_toolsandbox.scoring.judges.resolving import resolve_judge
from pytest_toolsandbox.suites import suites_folder
from pytest_toolsandbox.text.formatting import pluralize

from . import CommandError
from .labels import Label, Wordings, labels_of, read_labels
from .scenarios import FoundScenarios, find_scenarios
from .show import check_output, holding_together, stored_runs, write_output

USAGE: Final = 2
HEADINGS: Final = (
    *("suite", "right", "fail", "95 % interval", "wrong", "pass", "95 % interval"),
    *("not judged", "not read"),
)


@dataclass(frozen=True)
class Project:
    """What a project's ini file says of judges."""

    aliases: Mapping[str, str] = field(default_factory=dict)
    criteria: tuple[str, ...] = ()
    prices: Prices = field(default_factory=Prices)


class Judged(NamedTuple):
    """A label with the suite of its scenario, and what became of its words."""

    label: Label
    suite: str
    trial: Trial

    @property
    def is_misjudged(self) -> bool:
        """Whether right words failed, or wrong ones passed."""
        return self.trial.outcome == ("failed" if self.label.right else "passed")

    @property
    def is_unjudged(self) -> bool:
        """Whether there is no verdict."""
        return self.trial.outcome not in ("passed", "failed")

    @property
    def is_unread(self) -> bool:
        """Whether the judge was not asked, since something else decided."""
        judgement = self.trial.judgement
        return judgement is not None and judgement.opinion is None


def calibrate(  # noqa: PLR0913  # as many as the command has options
    judge: str | None,
    labels: Path | None,
    results: Path | None,
    project: Project,
    *,
    scenarios: Sequence[Path] = (),
    votes: int | None = None,
    concurrency: int = 8,
    out: Path | None = None,
    show: bool = False,
) -> int:
    """Judge labelled wordings and print how many are misjudged; or write those of a run.

    Return 2 where that cannot be done.
    """
    try:
        if results is not None and judge is None:
            _write_labels(results, out)
            return 0
        if results is None and judge is not None and labels is not None:
            named = _named(judge, project, votes)
            found = _judged(labels, named, scenarios, project, concurrency)
            print(*_report(found, named, show=show), sep="\n")
            return 0
        print("give either JUDGE and LABELS, or --from RESULTS", file=sys.stderr)
    except CommandError as error:
        print(error, file=sys.stderr)
    return USAGE


def _named(judge: str, project: Project, votes: int | None) -> WordsJudge | None:
    try:
        return None if judge == NO_JUDGE else resolve_judge(judge, project.aliases, votes=votes)
    except JudgeError as error:
        text = str(error)
        raise CommandError(text if text.startswith(judge) else f"{judge}: {text}") from None


def _judged(
    labels: Path,
    judge: WordsJudge | None,
    scenarios: Sequence[Path],
    project: Project,
    concurrency: int,
) -> list[Judged]:
    known = read_labels(labels)
    wordings = Wordings(_scenarios(known, scenarios, project), labels)
    suites = [wordings.scenario(label)[0] for label in known if label.right is not None]

    def judged(label: Label) -> Trial:
        with requests_in(RequestContext(prices=project.prices)):
            return wordings.judged(label, judge)

    labelled = [label for label in known if label.right is not None]
    with ThreadPoolExecutor(concurrency if judge else 1) as threads:
        trials = [*threads.map(judged, labelled)]
    for trial in trials:
        if isinstance(trial.exception, ProviderError) and trial.exception.lacks_key:
            raise CommandError(str(trial.exception))
    if left := len(known) - len(labelled):
        print(
            f"{pluralize(left, 'line')} left out: right is null, until somebody says true or false"
        )
    return [*map(Judged, labelled, suites, trials)]


def _scenarios(
    labels: Sequence[Label], folders: Sequence[Path], project: Project
) -> FoundScenarios:
    """Return the scenarios of the folders, or else those of the suites and below here."""
    found = find_scenarios(folders or [suites_folder()])
    names = {scenario.name for _, scenario in found.scenarios}
    if not folders and any(one.scenario not in names or one.record for one in labels):
        suites = suites_folder().resolve()
        here = [file for file in find_files([Path.cwd()]) if suites not in file.resolve().parents]
        found.scenarios += find_scenarios(here).scenarios if here else []
    criteria = Criteria(project.criteria)
    for place, (file, scenario) in enumerate(found.scenarios if criteria else ()):
        found.scenarios[place] = file, scenario.with_criteria(criteria)
    return found


def _report(found: Sequence[Judged], judge: WordsJudge | None, *, show: bool) -> Iterator[str]:
    yield from aligned([HEADINGS, *_rows(found)])
    yield from _agreement(found)
    used = total(one.trial.usage.get("judge", Usage()) for one in found)
    if judge is not None and used.requests:
        yield _cost(used)
    for one in found if show else ():
        if one.is_misjudged or one.is_unjudged:
            yield _shown(one)


def _rows(found: Sequence[Judged]) -> Iterator[tuple[str, ...]]:
    suites = dict.fromkeys(one.suite for one in found)
    for suite in suites:
        yield suite, *_counts([one for one in found if one.suite == suite])
    if len(suites) > 1:
        yield "all", *_counts(found)


def _counts(found: Sequence[Judged]) -> Iterator[str]:
    """Yield how many of right and of wrong words are misjudged, with intervals; and the rest."""
    for right in (True, False):
        some = [one for one in found if one.label.right is right]
        decided = [one for one in some if not one.is_unjudged]
        misjudged = sum(one.is_misjudged for one in decided)
        yield from (str(len(some)), str(misjudged), _interval(misjudged, len(decided)))
    yield str(sum(one.is_unjudged for one in found))
    yield str(sum(one.is_unread for one in found))


def _interval(count: int, of: int) -> str:
    if not of:
        return "n/a"
    low, high = mean_interval(count / of, of)
    return f"{low:.1%} to {high:.1%}"


def _agreement(found: Sequence[Judged]) -> Iterator[str]:
    judgements = (one.trial.judgement for one in found)
    opinions = (one.opinion for one in judgements if one is not None and one.opinion)
    votes = [one.votes for one in opinions if one.votes]
    if votes:
        alike = sum(len(one) == 1 for one in votes)
        yield f"votes: all alike in {alike} of {pluralize(len(votes), 'opinion')}"


def _cost(used: Usage) -> str:
    tokens = "tokens unknown" if used.tokens is None else f"{used.tokens:,} tokens"
    cost = "cost unknown" if used.cost is None else f"${used.cost:.4f}"
    return f"judge: {pluralize(used.requests, 'request')}, {tokens}, {cost}"


def _shown(one: Judged) -> str:
    judgement = one.trial.judgement
    opinion = judgement.opinion if judgement else None
    why = one.trial.reason or (opinion.fault if opinion else "")
    note = f" (label: {one.label.note})" if one.label.note else ""
    reason = f": {why}" if why else ""
    return f"{one.trial.outcome}{reason}: {one.label.scenario}: {one.label.words}{note}"


def _write_labels(results: Path, out: Path | None) -> None:
    """Write a line for each conversation of a run whose words a judge can decide about."""
    if out is not None:
        check_output(out, [results])
    (run,) = stored_runs([results])
    with holding_together(results):
        records = [read_record(line.record) for line in run.lines]
        lines = [labels_of(record, results) for record in records if _is_about_words(record)]
    text = "".join(f"{json.dumps(line, ensure_ascii=False)}\n" for line in lines)
    if not lines:
        raise CommandError(f"{results}: there is no conversation whose calls are right")
    if out is None:
        print(text, end="")
        return
    write_output(out, text)
    left = len(records) - len(lines)
    others = f"; {pluralize(left, 'other')} failed or ended whatever was said" if left else ""
    print(f"{out}: {pluralize(len(lines), 'conversation')}{others}")


def _is_about_words(record: Record) -> bool:
    known: Mapping[str, Any] = record
    return "words" in known or "opinion" in known

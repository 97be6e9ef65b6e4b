"""``toolsandbox calibrate``: how often a judge is wrong about labelled wordings.

``--from`` writes the labels of a run's conversations instead, for people to judge.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final, NamedTuple

from pytest_toolsandbox.language.constraints import Criteria
from pytest_toolsandbox.language.files import find_files
from pytest_toolsandbox.models.aliases import NO_JUDGE
from pytest_toolsandbox.models.errors import JudgeError, ProviderError
from pytest_toolsandbox.models.requests import RequestContext, requests_in
from pytest_toolsandbox.models.usage import Usage, total
from pytest_toolsandbox.output.tables import aligned
from pytest_toolsandbox.output.totals import mean_interval
from pytest_toolsandbox.records.record import read_record
from pytest_toolsandbox.records.writing import Trial
from pytest_toolsandbox.runs.judging import WordsJudge
from pytest_toolsandbox.scoring.judges.resolving import resolve_judge
from pytest_toolsandbox.suites import suites_folder
from pytest_toolsandbox.text.files import FileError
from pytest_toolsandbox.text.formatting import pluralize

from .labels import Label, Wordings, label_to_judge, read_labels
from .parsing import CommandError
from .record_files import check_output, consistent_records, stored_runs, write_output
from .scenarios import CollectedScenarios, Project, find_scenarios

_USAGE: Final = 2
_HEADINGS: Final = (
    *("suite", "right", "fail", "95 % interval", "wrong", "pass", "95 % interval"),
    *("not judged", "not read"),
)


def _odd_number(text: str) -> int:
    if not re.fullmatch("[0-9]{0,2}[13579]", text):
        raise argparse.ArgumentTypeError(f"{text!r} is not an odd number from 1 to 999")
    return int(text)


class _Judged(NamedTuple):
    """A label with the suite of its scenario, and the trial that has its words."""

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


def calibrate(  # noqa: PLR0913  # one for each option of the command
    judge: str | None,
    labels: Path | None,
    results: Path | None,
    project: Project,
    *,
    scenarios: Sequence[Path],
    votes: int | None,
    concurrency: int,
    out: Path | None,
    show: bool,
) -> int:
    """Judge labelled wordings and print how many are misjudged; or write those of a run.

    If that is not possible, the exit status is 2.
    """
    try:
        if results is not None and judge is None:
            _write_labels(results, out)
            return 0
        if results is None and judge is not None and labels is not None:
            words_judge = _words_judge(judge, project, votes)
            judged = _judge_all(labels, words_judge, scenarios, project, concurrency)
            print(*_report(judged, words_judge, show=show), sep="\n")
            return 0
    except (CommandError, FileError) as error:
        raise CommandError(str(error), _USAGE) from None
    raise CommandError("give either JUDGE and LABELS, or --from RESULTS", _USAGE)


def _words_judge(judge: str, project: Project, votes: int | None) -> WordsJudge | None:
    if judge == NO_JUDGE:
        return None
    try:
        return resolve_judge(judge, project.aliases, votes=votes or project.votes)
    except JudgeError as error:
        text = str(error)
        raise CommandError(text if text.startswith(judge) else f"{judge}: {text}") from None


def _judge_all(
    labels: Path,
    judge: WordsJudge | None,
    folders: Sequence[Path],
    project: Project,
    concurrency: int,
) -> list[_Judged]:
    lines = read_labels(labels)
    wordings = Wordings(_scenarios(lines, folders, project), labels)
    labelled = [label for label in lines if label.right is not None]
    suites = [wordings.scenario(label)[0] for label in labelled]

    def judged(label: Label) -> Trial:
        with requests_in(RequestContext(prices=project.prices)):
            return wordings.judged(label, judge)

    with ThreadPoolExecutor(concurrency if judge else 1) as threads:
        trials = [*threads.map(judged, labelled)]
    for trial in trials:
        if isinstance(trial.exception, ProviderError) and trial.exception.lacks_key:
            raise CommandError(str(trial.exception))
    if left := len(lines) - len(labelled):
        print(f"{pluralize(left, 'line')} left out: right is null; set it to true or false")
    return [*map(_Judged, labelled, suites, trials)]


def _scenarios(
    labels: Sequence[Label], folders: Sequence[Path], project: Project
) -> CollectedScenarios:
    """Return the scenarios of the folders, or else those of the suites and below here."""
    collected = find_scenarios(folders or [suites_folder()])
    names = {scenario.name for _, scenario in collected.scenarios}
    if not folders and any(label.scenario not in names or label.record for label in labels):
        suites = suites_folder().resolve()
        here = [file for file in find_files([Path.cwd()]) if suites not in file.resolve().parents]
        collected.scenarios += find_scenarios(here).scenarios if here else []
    if criteria := Criteria(project.criteria):
        collected.scenarios[:] = [
            (file, s.with_criteria(criteria)) for file, s in collected.scenarios
        ]
    return collected


def _report(judged: Sequence[_Judged], judge: WordsJudge | None, *, show: bool) -> Iterator[str]:
    suites: dict[str, list[_Judged]] = {}
    for wording in judged:
        suites.setdefault(wording.suite, []).append(wording)
    rows = [(suite, *_counts(wordings)) for suite, wordings in suites.items()]
    total_row = [("all", *_counts(judged))] if len(suites) > 1 else []
    yield from aligned([_HEADINGS, *rows, *total_row])
    judgements = (wording.trial.judgement for wording in judged)
    opinions = (judgement.opinion for judgement in judgements if judgement is not None)
    if votes := [opinion.votes for opinion in opinions if opinion and opinion.votes]:
        alike = sum(len(answers) == 1 for answers in votes)
        yield f"votes: all alike in {alike} of {pluralize(len(votes), 'opinion')}"
    used = total(wording.trial.usage.get("judge", Usage()) for wording in judged)
    if judge is not None and used.requests:
        tokens = "tokens unknown" if used.tokens is None else f"{used.tokens:,} tokens"
        cost = "cost unknown" if used.cost is None else f"${used.cost:.4f}"
        yield f"judge: {pluralize(used.requests, 'request')}, {tokens}, {cost}"
    for wording in judged if show else ():
        if wording.is_misjudged or wording.is_unjudged:
            yield _explained(wording)


def _counts(judged: Sequence[_Judged]) -> Iterator[str]:
    """Yield how many of right and of wrong words are misjudged, with intervals; and the rest."""
    for right in (True, False):
        same = [wording for wording in judged if wording.label.right is right]
        decided = len([wording for wording in same if not wording.is_unjudged])
        misjudged = sum(wording.is_misjudged for wording in same)
        interval = "n/a"
        if decided:
            low, high = mean_interval(misjudged / decided, decided)
            interval = f"{low:.1%} to {high:.1%}"
        yield from (str(len(same)), str(misjudged), interval)
    yield str(sum(wording.is_unjudged for wording in judged))
    yield str(sum(wording.is_unread for wording in judged))


def _explained(judged: _Judged) -> str:
    label, trial = judged.label, judged.trial
    opinion = trial.judgement.opinion if trial.judgement else None
    reason = trial.reason or (opinion.fault if opinion else "")
    note = f" (label: {label.note})" if label.note else ""
    why = f": {reason}" if reason else ""
    return f"{trial.outcome}{why}: {label.scenario}: {label.words}{note}"


def _write_labels(results: Path, out: Path | None) -> None:
    """Write a line for each conversation of a run whose words a judge can decide about."""
    if out is not None:
        check_output(out, [results])
    (run,) = stored_runs([results])
    with consistent_records(results):
        records = [read_record(line.record) for line in run.lines]
        judged = [record for record in records if "words" in record or "opinion" in record]
        lines = [label_to_judge(record, results) for record in judged]
    text = "".join(f"{json.dumps(line, ensure_ascii=False)}\n" for line in lines)
    if not lines:
        raise CommandError(f"{results}: there is no conversation whose calls are right")
    if out is None:
        print(text, end="")
        return
    write_output(out, text)
    left = len(records) - len(lines)
    omitted = f"; {pluralize(left, 'other')} failed or ended whatever was said" if left else ""
    print(f"{out}: {pluralize(len(lines), 'conversation')}{omitted}")

"""``toolsandbox blame``: find the step that decided a failed conversation.

Steps that differ from the solutions are mended one at a time, and the agent plays on from there.
What was played is in the file of forks, from which the pages take what they say.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from pytest_toolsandbox.output.pages.forks import blame_words, steps_of
from pytest_toolsandbox.output.pages.messages import message_text
from pytest_toolsandbox.records.reading import Line, StoredError
from pytest_toolsandbox.records.record import Record, Summary, read_record
from pytest_toolsandbox.records.writing import Trial
from pytest_toolsandbox.runs.blaming import BlameError, Failure, Search
from pytest_toolsandbox.runs.forking import Fork
from pytest_toolsandbox.scoring.deviations.steps import wrong_steps

from .forks_file import ForksFile
from .parsing import CommandError
from .record_files import consistent_records, stored_runs
from .recorded_items import BudgetError, Names, Players, RecordedItem, RecordedItems, players_of
from .scenarios import Project
from .show import chosen_lines


def blame_items(  # noqa: PLR0913  # one for each option of the command
    results: Path,
    items: Sequence[str],
    project: Project,
    *,
    trial: int | None,
    times: int,
    continuations: int,
    agent: str | None,
    user: str | None,
    judge: str | None,
    embedder: str | None,
    scenarios: Sequence[Path],
    out: Path | None,
) -> int:
    """Print the decisive step of each failed conversation; return 1 if one cannot be blamed."""
    (run,) = stored_runs([results])
    forks, sources = ForksFile(results, out), RecordedItems(project, scenarios)
    names = Names(agent, user, judge, embedder)
    is_complete = True
    for line in _failed(run.lines, items, trial):
        with consistent_records(results):
            record = read_record(line.record)
        print(f"{record['id']}  trial {record['trial']}")
        forks.drop_blame(record["id"], record["trial"])
        try:
            item = sources.item(record)
            players = players_of(record, project, names)
            lines = [*_Blamed(item, players, project, forks).lines(times, continuations)]
        except (StoredError, BlameError) as error:
            lines, is_complete = [f"cannot be blamed: {error}"], False
        finally:
            forks.write()
        print(*(f"  {text}" for text in lines), sep="\n")
    print(f"\nthe continuations are in {forks.path}, and on the pages of toolsandbox show")
    return 0 if is_complete else 1


def _failed(
    lines: Sequence[Line[Summary]], items: Sequence[str], trial: int | None
) -> list[Line[Summary]]:
    """Return the chosen records of failed conversations. Raises ``CommandError``."""
    chosen = [line for item in items for line in chosen_lines(lines, item, trial)]
    if not items:
        chosen = [line for line in lines if trial in (None, line.read["trial"])]
    failed = [line for line in chosen if line.read["outcome"] == "failed"]
    if not failed:
        which = " of these" if items else ""
        raise CommandError(f"no conversation{which} failed, so there is nothing to blame")
    return failed


class _Blamed:
    """A failed conversation whose decisive step is looked for."""

    def __init__(
        self, item: RecordedItem, players: Players, project: Project, forks: ForksFile
    ) -> None:
        self.item, self.players, self.project, self.forks = item, players, project, forks

    def lines(self, times: int, continuations: int) -> Iterator[str]:
        """Yield what was found, in words. Raises :class:`BlameError`."""
        record, scenario = self.item.record, self.item.scenario
        if not scenario.has_solution:
            raise BlameError("its scenario has no solution that it could be compared with")
        steps = wrong_steps(scenario, self.item.conversation)
        if not steps:
            yield "no step differs from the solution that is nearest"
            return
        failure = Failure(self.item.conversation, scenario, record["trial"])
        Search(failure, steps, self._play, times=times, limit=continuations).decisive()
        played = self.forks.of(record["id"], record["trial"])
        yield blame_words(record, played) or ""
        for step in steps_of(record, played):
            if step.is_decisive:
                yield f"[{step.message}] {_words(record, step.message)}"
                yield f"mended: {step.words}"
                return

    def _play(self, fork: Fork) -> Trial:
        identifier = self.item.identifier
        (number,) = self.forks.free_numbers(identifier, 1)
        try:
            trial = self.players.job(self.item, fork, self.project).play(number)
        except BudgetError as error:
            raise BlameError(str(error)) from error
        self.forks.records.append(trial.record)
        return trial


def _words(record: Record, place: int) -> str:
    return message_text(record["messages"][place])

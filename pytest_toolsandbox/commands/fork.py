"""``toolsandbox fork``: go back to a message of a recorded conversation, change it, and play on."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from pathlib import Path

from pytest_toolsandbox.language.roles import ToolStep
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.output.pages.record_view import RecordView
from pytest_toolsandbox.records.parts import ForkRecord
from pytest_toolsandbox.records.record import read_record
from pytest_toolsandbox.records.trials import outcome_words
from pytest_toolsandbox.runs.forking import ForkError, fork_at
from pytest_toolsandbox.text.nearest_name import unknown
from pytest_toolsandbox.text.redaction import redacted_line

from .forks_file import ForksFile
from .parsing import CommandError
from .record_files import consistent_records, stored_runs
from .recorded_items import Names, RecordedItems, players_of
from .scenarios import Project
from .show import chosen_lines


def fork_item(  # noqa: PLR0913  # one for each option of the command
    results: Path,
    item: str,
    project: Project,
    *,
    trial: int | None,
    at: int,
    say: str | None,
    call: Sequence[str],
    prompt: Path | None,
    agent: str | None,
    user: str | None,
    judge: str | None,
    embedder: str | None,
    trials: int,
    scenarios: Sequence[Path],
    out: Path | None,
) -> int:
    """Play a conversation on from a message, print its page, and add it to the file of forks."""
    if say is not None and call:
        raise CommandError("give --say or --call, not both: a message is a text or calls")
    (run,) = stored_runs([results])
    line, *_ = chosen_lines(run.lines, item, trial)
    forks = ForksFile(results, out)
    with consistent_records(results):
        record = read_record(line.record)
        recorded = RecordedItems(project, scenarios).item(record, _text(prompt))
    scenario = recorded.scenario
    calls = [_step(text, scenario) for text in call]
    about = ForkRecord(trial=record["trial"], message=at, start=at, sent=len(calls), kind="by_hand")
    try:
        instead = calls if say is None else say
        fork = fork_at(recorded.conversation, at, scenario, instead, about)
    except ForkError as error:
        raise CommandError(str(error)) from None
    players = players_of(record, project, Names(agent, user, judge, embedder))
    has_error = False
    for number in forks.free_numbers(record["id"], trials):
        played = players.job(recorded, fork, project).play(number)
        forks.add([played.record])
        page = read_record(played.record)
        outcome = outcome_words(page["outcome"])
        print(f"{page['id']}  fork {number}  {redacted_line(page['agent'])}  {outcome}")
        print(RecordView(page).text(with_usage=True), end="\n\n")
        has_error |= played.outcome == "error"
    print(f"written to {forks.path}")
    return 1 if has_error else 0


def _text(path: Path | None) -> str | None:
    if path is None:
        return None
    try:
        return path.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not text in UTF-8"
        raise CommandError(f"--prompt {path} cannot be read: {reason}") from None


def _step(text: str, scenario: Scenario) -> ToolStep:
    """Return the call that is written as pages show calls: ``set_wifi_status(on=True)``.

    Only literals are read, nothing is evaluated.
    """
    form = "write it as a page shows calls, such as set_wifi_status(on=True)"
    try:
        node = ast.parse(text.strip(), mode="eval").body
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name) or node.args:
            raise ValueError  # noqa: TRY301  # as any other text that is not a call
        arguments = {
            str(keyword.arg): ast.literal_eval(keyword.value)
            for keyword in node.keywords
            if keyword.arg
        }
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        raise CommandError(f"--call {text!r} is not a call; {form}") from None
    tools = {*scenario.tools, *scenario.task.user_tools, *scenario.task.further_tools}
    if node.func.id not in tools:
        raise CommandError(f"--call: {unknown('tool', node.func.id, sorted(tools))}")
    return ToolStep(node.func.id, arguments)

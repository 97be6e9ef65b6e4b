"""How often simulated users were at fault: Tables 2 and 3 of ToolSandbox, and lines of a run."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from statistics import mean, stdev
from typing import Final, NamedTuple, TypeVar

from pytest_toolsandbox.records.parts import UserNotesRecord
from pytest_toolsandbox.records.record import Summary, UserTrialRecord
from pytest_toolsandbox.text.formatting import pluralize

from .tables import Cells, aligned

Key = TypeVar("Key")
_KINDS: Final = ("hallucination", "instruction_following")
"""The published kinds of faults; any of them is counted in a third column."""
_HEADINGS: Final = ("hallucination", "instruction following", "either")
_PROMPTS: Final = {
    "goal": "goal only",
    "boundary": "+ knowledge boundary",
    "full": "+ demonstration",
}
"""What the paper's user is told, in the words and the order of Table 2."""


class PlayedUser(NamedTuple):
    """A conversation in which a model played the user: how, with which agent, and in which run."""

    prompt: str
    agent: str
    run: tuple[str, int]
    faults: frozenset[str]


def played_users(file: str, records: Iterable[UserTrialRecord]) -> list[PlayedUser]:
    """Return the conversations of a file of records, without those that ended in an error.

    A fault counts as it was first made, even if the utterance was regenerated.
    """
    return [
        PlayedUser(
            _prompt(record),
            record["agent"],
            (file, record["trial"]),
            frozenset(fault["published"] for fault in record["user_notes"]["faults"]),
        )
        for record in records
        if "user_notes" in record and record["outcome"] != "error"
    ]


def _prompt(record: UserTrialRecord) -> str:
    style = record["user_notes"]["style"]
    if style != "paper":
        return style
    return _PROMPTS.get(record.get("user_settings", {}).get("prompt", "full"), style)


def table_of_prompts(played: Sequence[PlayedUser]) -> list[str]:
    """Return the lines of Table 2: for each prompt, the share of conversations with a fault."""
    rows = _grouped(played, lambda user: user.prompt)
    order = [*_PROMPTS.values(), *sorted(set(rows) - {*_PROMPTS.values()})]
    lines: list[Cells] = [("user", "conversations", *_HEADINGS)]
    for prompt in filter(rows.__contains__, order):
        shares = [f"{share:.2f}" for share in _shares(rows[prompt])]
        lines.append((prompt, str(len(rows[prompt])), *shares))
    return aligned(lines)


def table_of_agents(played: Sequence[PlayedUser]) -> list[str]:
    """Return the lines of Table 3: for each agent and user, mean and deviation over their runs.

    A run is a trial of a file. The deviation is that of a sample; one run has none.
    """
    lines: list[Cells] = [("agent", "user", "runs", *_HEADINGS)]
    for pair, users in _grouped(played, lambda user: (user.agent, user.prompt)).items():
        runs = [*_grouped(users, lambda user: user.run).values()]
        kinds = zip(*map(_shares, runs), strict=True)
        lines.append((*pair, str(len(runs)), *map(_spread, kinds)))
    return aligned(lines, words=2)


def _grouped(
    played: Iterable[PlayedUser], key: Callable[[PlayedUser], Key]
) -> dict[Key, list[PlayedUser]]:
    groups: dict[Key, list[PlayedUser]] = defaultdict(list)
    for user in played:
        groups[key(user)].append(user)
    return groups


def _shares(played: Sequence[PlayedUser]) -> list[float]:
    """Return the shares with a fault of each kind and of either, in percent."""
    counts = [sum(kind in user.faults for user in played) for kind in _KINDS]
    either = sum(bool(user.faults) for user in played)
    return [100 * count / len(played) for count in (*counts, either)]


def _spread(values: Sequence[float]) -> str:
    spread = f" ± {stdev(values):.2f}" if len(values) > 1 else ""
    return f"{mean(values):.2f}{spread}"


def user_lines(records: Sequence[Summary]) -> list[str]:
    """Return how often simulated users were at fault, and what reviews found; none without any."""
    notes = _notes(records)
    if not notes:
        return []
    again, utterances = (sum(note[key] for note in notes) for key in ("asked_again", "utterances"))
    line = f"user: {again} of {pluralize(utterances, 'utterance')} asked again"
    decided = [record for record in records if record["outcome"] == "inconclusive"]
    line += f", user fault in {len(decided)} of {pluralize(len(notes), 'conversation')}"
    from pytest_toolsandbox.users.simulated.checks import WHAT  # most runs have no such user

    kinds = Counter(
        fault["kind"] for note in _notes(decided) for fault in note["faults"] if fault["left"]
    )
    why = [WHAT[kind] for kind in WHAT if kinds[kind]]
    line = f"{line} ({', '.join(why)})" if why else line
    return [line, *_review_lines(notes)]


def _review_lines(notes: Sequence[UserNotesRecord]) -> list[str]:
    reviews = [note["review"] for note in notes if "review" in note]
    if not reviews:
        return []
    faults = sum(review["verdict"] not in (None, "none") for review in reviews)
    line = f"user: {faults} of {pluralize(len(reviews), 'failure')} due to the user by its review"
    missing = [review["why"] for review in reviews if review["verdict"] is None]
    if missing:
        count = pluralize(len(missing), "review")
        line += f"; {count} not made, and the failure left: {missing[0]}"
    return [line]


def missed_share(records: Sequence[Summary], most: float) -> list[str]:
    """Return a line if user faults decided a larger share of conversations than ``most``."""
    decided = sum(record["outcome"] == "inconclusive" for record in records)
    played = len(_notes(records))
    if decided <= most * played:
        return []
    share = f"{decided} of {pluralize(played, 'conversation')}"
    return [f"user: user fault in {share}, a larger share than {most:g} (max-user-faults)"]


def _notes(records: Sequence[Summary]) -> list[UserNotesRecord]:
    return [record["user_notes"] for record in records if "user_notes" in record]

"""What is said of the users that a model played."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from pytest_toolsandbox.records.record import Summary, UserNotesRecord
from pytest_toolsandbox.users.simulated.faults import WHAT
from pytest_toolsandbox.wording.phrases import counted


def user_lines(records: Sequence[Summary]) -> list[str]:
    """Return a line that says how often such users were at fault; none without such users."""
    notes = _notes(records)
    if not notes:
        return []
    again, all_of = (sum(note[key] for note in notes) for key in ("asked_again", "utterances"))
    line = f"user: {again} of {counted(all_of, 'utterance')} asked again"
    inconclusive = [record for record in records if record["outcome"] == "inconclusive"]
    line += f", {len(inconclusive)} of {counted(len(notes), 'conversation')} inconclusive"
    kinds = Counter(
        fault["kind"] for note in _notes(inconclusive) for fault in note["faults"] if fault["left"]
    )
    why = [WHAT[kind] for kind in WHAT if kinds[kind]]
    return [f"{line} ({', '.join(why)})" if why else line]


def missed_share(records: Sequence[Summary], most: float) -> list[str]:
    """Return a line where a larger share of conversations than ``most`` is inconclusive."""
    inconclusive = sum(record["outcome"] == "inconclusive" for record in records)
    played = len(_notes(records))
    if inconclusive <= most * played:
        return []
    those = f"{inconclusive} of {counted(played, 'conversation')}"
    return [f"user: {those} inconclusive, a larger share than {most:g} (max-user-faults)"]


def _notes(records: Sequence[Summary]) -> list[UserNotesRecord]:
    return [record["user_notes"] for record in records if "user_notes" in record]

"""What is said of the users that a model played."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from pytest_toolsandbox.records.record import Summary, UserNotesRecord
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
    from pytest_toolsandbox.users.simulated.faults import WHAT  # most runs have no such user

    kinds = Counter(
        fault["kind"] for note in _notes(inconclusive) for fault in note["faults"] if fault["left"]
    )
    why = [WHAT[kind] for kind in WHAT if kinds[kind]]
    line = f"{line} ({', '.join(why)})" if why else line
    return [line, *_review_lines(notes)]


def _review_lines(notes: Sequence[UserNotesRecord]) -> list[str]:
    """Return a line where failed conversations were reviewed: what came of it, and what did not."""
    reviews = [note["review"] for note in notes if "review" in note]
    if not reviews:
        return []
    found = sum(review["verdict"] not in (None, "none") for review in reviews)
    line = f"user: {found} of {counted(len(reviews), 'failure')} due to the user by its review"
    missing = [review["why"] for review in reviews if review["verdict"] is None]
    if missing:
        line += f"; {counted(len(missing), 'review')} not made, and the failure left: {missing[0]}"
    return [line]


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

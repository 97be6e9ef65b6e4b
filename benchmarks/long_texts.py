"""Measures how long it takes to read a long text, and one that is twice as long.

A text is one piece again and again, of those that could make a reader go back over what it has
read. The exit status is 1 when a text takes too long, or when twice the text takes much more than
twice the time.
"""

from __future__ import annotations

import datetime as dt
import time
from collections.abc import Callable, Mapping

from pytest_toolsandbox.calls.text_format import is_spoken_call
from pytest_toolsandbox.scoring.tooltalk.comparison import other_quantities
from pytest_toolsandbox.scoring.words import plain_claim
from pytest_toolsandbox.text.formatting import beginning_and_end
from pytest_toolsandbox.text.sentences import sentences
from pytest_toolsandbox.users.turns import turn_of

LETTERS = 20_000
SECONDS = 2.0
"""What a text of that many letters may take."""
GROWTH = 3.0
"""How many times as long a text of twice the length may take; below ``NOISE`` it does not count."""
NOISE = 0.3

LETTER = "Hi Ada, can you come at 5 pm on Monday? The meeting is in room 3."
READERS: Mapping[str, tuple[Callable[[str], object], tuple[str, ...]]] = {
    "sentences": (
        sentences,
        ('"', "'", " 'a", "sent ", "a. ", "> \n", "?", "\n", "a.m. "),
    ),
    "turns": (turn_of, ("please ", "let me know ", "i need, ", "which one ", "if you ")),
    "spoken calls": (
        lambda text: is_spoken_call(text, ("weigh", "list_items")),
        ("weigh(", "weigh((", "Action ", "weigh = ", "\n", "print("),
    ),
    "quantities": (
        lambda text: other_quantities(LETTER, beginning_and_end(text), dt.date(2025, 9, 16)),
        ("+1 ", "12", "(", "-", "five ", "7/", "$5 ", "5 pm ", "Ada ", "on Monday ", "word "),
    ),
    "claims": (
        plain_claim,
        (
            *("sent ", "sent to Fred. ", "I could not do that. ", "I've ", "has been ", "a, "),
            *("is now ", "all done ", "Which one? ", "- x:\n- y\n", "now just already "),
        ),
    ),
}


def main() -> int:
    """Read all texts, print what they take, and judge."""
    print(f"{'reader':<13} {'piece':<28} {LETTERS:,} letters {'twice':>12}")
    slow = 0
    for name, (reader, pieces) in READERS.items():
        for piece in pieces:
            once, twice = (_seconds(reader, piece, many) for many in (LETTERS, 2 * LETTERS))
            is_slow = once > SECONDS or twice > max(NOISE, GROWTH * once)
            slow += is_slow
            print(f"{name:<13} {piece!r:<28} {once:12.3f} s {twice:11.3f} s{' SLOW' * is_slow}")
    print(f"{slow} too slow")
    return 1 if slow else 0


def _seconds(reader: Callable[[str], object], piece: str, letters: int) -> float:
    """Return the CPU time of a text, which is read once: readers know what they have read."""
    text = piece * (letters // len(piece))
    begun = time.process_time()
    reader(text)
    return time.process_time() - begun


if __name__ == "__main__":
    raise SystemExit(main())

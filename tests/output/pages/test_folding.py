"""Repetitions in transcripts are shown once."""

from __future__ import annotations

from pytest_toolsandbox.output.pages.folding import folded


def lines(*blocks: str) -> list[tuple[int, str]]:
    """Return the lines of messages, numbered from 1; lines below a message are after a slash."""
    return [
        (index, f"  [{index:>2}] {line}" if place == 0 else f"       ^ {line}")
        for index, block in enumerate(blocks, 1)
        for place, line in enumerate(block.split("/"))
    ]


def test_calls_with_the_same_answer() -> None:
    calls = ["look()", "1", "look()/RAC", "1", "look()/RAC", "1/reached it", "Done."]
    assert [*folded(lines("Look.", *calls))] == [
        "  [ 1] Look.",
        "  [ 2] look()  (3 times, to [7])",
        "       ^ RAC  (2 times)",
        "  [ 3] 1",
        "       ^ reached it  at [7]",
        "  [ 8] Done.",
    ]


def test_twice_or_with_another_answer_is_no_repetition() -> None:
    shown = lines("look()", "1", "look()", "1", "look()", "2")
    assert [*folded(shown)] == [line for _, line in shown]


def test_the_same_message_in_a_row() -> None:
    assert [*folded(lines("Go on.", "Go on.", "Go on.", "Stop."))] == [
        "  [ 1] Go on.  (3 times, to [3])",
        "  [ 4] Stop.",
    ]

"""Two names that are told the same of."""

from __future__ import annotations

from rows import every

from pytest_toolsandbox.evaluation.pairs import pairs


@every(
    "text",
    [
        "Ada Boone and Bob Clay directed the longest one together.",
        "Bob Clay and Ada Boone directed it together.",
        "It's long. Ada Boone (Ghana) and Bob Clay (Japan) curate it.",
        "Ada Boone from Ghana as well as Bob Clay from Japan curate it.",
    ],
)
def test_both_are_given(text: str) -> None:
    assert [*pairs(text, "Ada Boone directed it", [("Ada",)])] == ["Bob Clay"]


@every(
    "text",
    [
        "Of Ada Boone and Bob Clay the former directed it.",
        "Compared with Ada Boone and Bob Clay, that is the most.",
        "Ada Boone and Carl Dorn directed it.",
        "Eve Dunn and Bob Clay directed others.",
        "Ada Boone, and Bob Clay wrote it.",
        "Ada Boone and Bob Clay made 98 films together.",
        "Ada Boone and Bob Clay were compared: Ada Boone it is.",
    ],
)
def test_two_that_are_told_apart_or_asked_for_are_no_pair(text: str) -> None:
    assert [*pairs(text, "Ada Boone directed it, not Carl Dorn", [("Ada",)])] == []

"""Opposites of what was asked, beside a fact."""

from __future__ import annotations

from rows import every

from pytest_toolsandbox.evaluation.answers.opposites import opposites

QUESTION = "Who is the oldest of them, and when was the objection dismissed?"
RIGHT = "Ada Boone is oldest; it was rejected on 2022-06-01."
FACTS = (("Ada",), ("2022-06-01",))


@every(
    ("text", "word"),
    [
        ("Ada is the youngest of them; rejected on 2022-06-01.", "youngest"),
        ("Youngest: Ada Boone\n2022-06-01", "youngest"),
        ("Ada. The objection succeeded on 2022-06-01.", "succeeded"),
        ("Ada, and it was upheld on 2022-06-01", "upheld"),
    ],
)
def test_the_opposite_is_told(text: str, word: str) -> None:
    assert [*opposites(text, QUESTION, [RIGHT], FACTS)] == [word]


@every(
    "text",
    [
        "Ada is the oldest of them; it was rejected on 2022-06-01.",
        "Ada is the oldest, Bob the youngest; 2022-06-01",
        "Of the youngest and the oldest, the latter is Ada; 2022-06-01.",
        "Ada, with Bob next. The youngest is Carl. 2022-06-01",
        "Ada; 2022-06-01 was the longest day of the case",
    ],
)
def test_both_or_none_are_told(text: str) -> None:
    assert [*opposites(text, QUESTION, [RIGHT], FACTS)] == []


def test_a_question_of_both_has_no_opposite() -> None:
    asked = "Who is the oldest, and who the youngest?"
    assert [*opposites("Youngest: Ada", asked, [RIGHT], FACTS)] == []


MORE = "How many more kilograms is Lantern 3 going to carry than Lantern 1 did?"


@every(
    ("text", "words"),
    [
        ("Lantern 3 will carry 2900 kg more.", []),
        ("Lantern 3 will carry 2900 kg less.", ["less"]),
        ("It is 2900 kg less than it was.", ["less"]),
        ("Lantern 1 carried 2900 kg less than Lantern 3 will.", []),
    ],
)
def test_less_for_more(text: str, words: list[str]) -> None:
    rights = ["Lantern 3 is going to carry 2900 kg more"]
    assert [*opposites(text, MORE, rights, ((2900,),))] == words


@every(
    ("right", "text", "words"),
    [
        ("Ada stands in the last gap.", "First gap: Ada", []),
        ("Ada and Bob are 5 km apart.", "Together Ada and Bob have 5 km.", ["together"]),
        ("Ada and Bob are 5 km apart.", "The difference between Ada and Bob is 5 km.", []),
    ],
)
def test_sums_are_opposites_of_differences(right: str, text: str, words: list[str]) -> None:
    assert [*opposites(text, "Who, or how far?", [right], (("Ada",), (5,)))] == words

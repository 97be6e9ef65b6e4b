"""What a text refuses to tell, of what was asked."""

from __future__ import annotations

from rows import every

from pytest_toolsandbox.evaluation.refused import refused

QUESTION = "Who curates the collection of the photo, and which country is the curator from?"
RIGHT = "Aiko Tsurumi curates the collection, and is from Japan."
FACTS = (("Tsurumi",), ("Japan",))


@every(
    "text",
    [
        "Tsurumi took it; who curates the collection isn't recorded. She is from Japan.",
        "Aiko Tsurumi, from Japan, took it, but I couldn't find out who curates the collection.",
        "Tsurumi, Japan. The curator is not listed.",
        "Tsurumi, Japan. The collection\u2019s curator isn\u2019t known.",
        "Tsurumi, Japan. I was unable to determine the curator.",
        "Tsurumi, Japan. I can't say who curates it.",
        "Tsurumi, Japan. Curator: unknown",
    ],
)
def test_a_part_is_refused(text: str) -> None:
    assert [*refused(text, QUESTION, [RIGHT], FACTS)]


@every(
    "text",
    [
        RIGHT,
        "Aiko Tsurumi curates it, and is from Japan. I can't print the photo, though.",
        "Tsurumi, Japan. Her street isn't recorded.",
        "The search can't be limited by pages: Tsurumi, Japan.",
        "Tsurumi isn't only the curator, but from Japan, too.",
        "Tsurumi, Japan. I couldn't find a flight there.",
    ],
)
def test_nothing_is_refused(text: str) -> None:
    assert not [*refused(text, QUESTION, [RIGHT], FACTS)]

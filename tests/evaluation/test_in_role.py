"""Others in the role that was asked for."""

from __future__ import annotations

from rows import every

from pytest_toolsandbox.evaluation.asked import Asked
from pytest_toolsandbox.evaluation.in_role import in_role

QUESTION = "Who curates the collection of this photo, and which country are they from?"
RIGHT = "Ada Boone curates the collection, and is from Japan."
RESULTS = [("get_collection", {"curator": "Ada Boone"}), ("get_photo", {"by": "Bob Clay"})]
ASKED = Asked((("Ada",), ("Japan",)), QUESTION, [RIGHT], RESULTS)


@every(
    "text",
    [
        "Ada Boone took the photo; Bob Clay curates the collection. Japan.",
        "The photo was taken by Ada Boone from Japan; the collection is curated by Bob Clay.",
        "Photographer: Ada Boone (Japan). Curator: Bob Clay.",
    ],
)
def test_another_has_the_role(text: str) -> None:
    assert [*in_role(text, [RIGHT], ASKED)] == ["Bob Clay"]


@every(
    "text",
    [
        "Bob Clay took the photo; Ada Boone curates the collection. Japan.",
        "Curator: Ada Boone (Japan). Photographer: Bob Clay.",
        "Ada Boone, Japan. The collection is called Quiet Forests.",
        "Ada Boone from Japan does, not that Bob Clay who only curates another collection.",
        "Ada Boone lives in Japan. Before her, Bob Clay curated it.",
    ],
)
def test_the_right_one_has_it(text: str) -> None:
    assert [*in_role(text, [RIGHT], ASKED)] == []

"""Facts of a text that have changed places."""

from __future__ import annotations

from rows import every

from pytest_toolsandbox.evaluation.exchanged import exchanged

FACTS = (("comet_log", "Rurik"), ("sternkarte", "Ilse"), ("Elmstadt",))
RIGHT = "comet_log asked, and sternkarte from Elmstadt gave the best-liked answer."
WAYS = ((37,), (11,))
WAY = "Vinnie's is roughly 37 kilometers from here, the festival just 11."


@every(
    "text",
    [
        RIGHT,
        "sternkarte (Elmstadt) gave the best-liked answer; comet_log asked",
        "Asked by Rurik. Best-liked answer: Ilse, Elmstadt",
        "comet_log, sternkarte, Elmstadt",
        "comet_log was answered best by sternkarte, who lives in Elmstadt.",
        "The question is comet_log's, and the answer with the most likes is from sternkarte.",
    ],
)
def test_each_in_its_place(text: str) -> None:
    assert [*exchanged(text, [RIGHT], FACTS)] == []


@every(
    "text",
    [
        "sternkarte asked, and comet_log from Elmstadt gave the best-liked answer.",
        "Ilse from Elmstadt asked; the best-liked answer is from Rurik.",
        "- asked: sternkarte\n- best-liked answer: comet_log\n- Elmstadt",
        "Best-liked answer: comet_log. Asked by: sternkarte, Elmstadt.",
    ],
)
def test_who_asked_and_who_answered(text: str) -> None:
    assert "comet_log in the place of sternkarte" in [*exchanged(text, [RIGHT], FACTS)]


def test_numbers_are_facts_too() -> None:
    assert [*exchanged("The festival is 11 km off, Vinnie 37.", [WAY], WAYS)] == []
    told = "To Vinnie it's 11 km, and the festival is 37 away."
    assert [*exchanged(told, [WAY], WAYS)] == ["37 in the place of 11"]


def test_nobody_knows_where_they_belong_in_bare_lists() -> None:
    assert [*exchanged("sternkarte asked, comet_log answered", ["comet_log; Ilse"], FACTS)] == []


def test_of_one_fact_there_is_no_other_place() -> None:
    assert [*exchanged("comet_log answered", [RIGHT], FACTS)] == []

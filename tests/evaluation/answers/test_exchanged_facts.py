"""Facts of a text that have changed places."""

from __future__ import annotations

from rows import every

from pytest_toolsandbox.evaluation.answers.exchanged_facts import exchanged_facts

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
    assert [*exchanged_facts(text, [RIGHT], FACTS)] == []


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
    assert "comet_log in the place of sternkarte" in [*exchanged_facts(text, [RIGHT], FACTS)]


def test_numbers_are_facts_too() -> None:
    assert [*exchanged_facts("The festival is 11 km off, Vinnie 37.", [WAY], WAYS)] == []
    told = "To Vinnie it's 11 km, and the festival is 37 away."
    assert [*exchanged_facts(told, [WAY], WAYS)] == ["37 in the place of 11"]


def test_nobody_knows_where_they_belong_in_bare_lists() -> None:
    assert [
        *exchanged_facts("sternkarte asked, comet_log answered", ["comet_log; Ilse"], FACTS)
    ] == []


@every(
    ("text", "right", "facts"),
    [
        (
            "The lowest rate was that of Lusara, to wit 4.3 of a hundred people.",
            "Lusara had fewest people without work, with a rate of 4.3.",
            (("Lusara",), (4.3,)),
        ),
        (
            "Both have been told. It is Alder Railways that is up today.",
            "Joe has the prices. Alder is up, Bright is down.",
            (("Alder", "railways"), ("up", "risen")),
        ),
    ],
)
def test_what_is_told_of_a_name_is_not_in_its_place(
    text: str, right: str, facts: tuple[tuple[str | float, ...], ...]
) -> None:
    assert [*exchanged_facts(text, [right], facts)] == []


def test_of_one_fact_there_is_no_other_place() -> None:
    assert [*exchanged_facts("comet_log answered", [RIGHT], FACTS)] == []


BAKERS = (("Edda", "Vornholt"), (2895,), ("Aldous", "Kerrigan-Low"))
AHEAD = "Edda Vornholt has got most likes, namely 2,895 likes, and Aldous was first to reply."
BET = "Who of them comes out ahead, with what total, and who replied first?"


@every(
    "text",
    [
        "Aldous comes out ahead with 2,895 likes; Edda replied first.",
        "Aldous Kerrigan-Low comes out ahead with 2,895 likes, and Edda was first to reply.",
        "Out ahead: Aldous\nFirst reply: Edda",
    ],
)
def test_one_may_stand_beside_words_of_the_question(text: str) -> None:
    assert [*exchanged_facts(text, [AHEAD], BAKERS, BET)] == ["Edda in the place of Aldous"]


@every(
    "text",
    [
        "Edda comes out ahead with 2,895 likes; Aldous replied first.",
        "Edda Vornholt has 2,895 likes, and Aldous Kerrigan-Low replied first.",
        "Out ahead: Edda\nFirst reply: Aldous",
    ],
)
def test_words_of_the_question_are_beside_the_right_ones(text: str) -> None:
    assert [*exchanged_facts(text, [AHEAD], BAKERS, BET)] == []


@every(
    "text",
    [
        "Shown on June 1, 2022: Night, Day and Dusk",
        "The film is Night, Day and Dusk; it was shown on June 1, 2022",
        "Shown: June 1, 2022. Film: Night, Day and Dusk",
    ],
)
def test_titles_and_days_are_not_cut_apart(text: str) -> None:
    right = "The film Night, Day and Dusk was first shown on 2022-06-01."
    facts = (("Night, Day and Dusk",), ("2022-06-01",))
    assert [*exchanged_facts(text, [right], facts, "", ["Night, Day and Dusk"])] == []


ALBUM = "The theme is from the album “Snow on Strings”, which is on the label Night Depot."
CAPITAL = "It was lowest in Lusara. Its capital is called Montelva, and the rent was 1021."


@every(
    ("right", "facts", "text", "is_exchanged"),
    [
        (
            ALBUM,
            (("Snow on Strings",), ("Night Depot",)),
            "from Snow on Strings, Night Depot",
            False,
        ),
        (ALBUM, (("Snow on Strings",), ("Night Depot",)), "on the label “Night Depot”", False),
        (
            ALBUM,
            (("Snow on Strings",), ("Night Depot",)),
            "from “Night Depot” on the label Snow on Strings",
            True,
        ),
        (CAPITAL, (("Lusara",), ("Montelva",)), "Montelva; its capital Lusara had 1021.", True),
        (CAPITAL, (("Lusara",), ("Montelva",)), "Lusara; its capital Montelva had 1021.", False),
        (
            "the mass of the launch was 120 kg first, and the mass was 150 kg in the second",
            ((120,), (150,)),
            "first (mass 120 kg), then (150 kg)",
            False,
        ),
    ],
)
def test_words_before_facts(
    right: str, facts: tuple[tuple[str | int, ...], ...], text: str, is_exchanged: bool
) -> None:
    assert bool([*exchanged_facts(text, [right], facts)]) is is_exchanged


def test_best_liked_is_one_word() -> None:
    right = "crumb_report has got most likes, namely 2,895, and proof_and_bake was first to reply."
    facts = (("crumb_report",), (2895,), ("proof_and_bake",))
    asked = "Who comes out ahead? And who replied first to the winner's best-liked post?"
    told = "proof_and_bake comes out ahead with 2,895; the first reply was by crumb_report."
    assert [*exchanged_facts(told, [right], facts, asked)]

"""Amounts in an answer: the right one in other notations and units, and others beside it."""

from __future__ import annotations

import pytest
from pantry import scenario
from rows import every

from pytest_toolsandbox.agents.scripted import scripted
from pytest_toolsandbox.conversation.play import ask
from pytest_toolsandbox.evaluation.answers.asked import Asked
from pytest_toolsandbox.evaluation.answers.extras import extras
from pytest_toolsandbox.evaluation.queries import evaluate_query
from pytest_toolsandbox.evaluation.results import Difference
from pytest_toolsandbox.language.steps import SayStep
from pytest_toolsandbox.language.tasks import Query
from pytest_toolsandbox.matchers.statements.asserted import asserted


def differences(answer: str, said: str, text: str) -> tuple[Difference, ...]:
    scene = scenario(
        f"query: How much?\nanswer: {answer}\nsolutions: {{one: [finish: {{answer: {said!r}}}]}}"
    )
    solution, trajectory = (
        ask(scene, scripted(scene, steps)) for steps in (scene.solutions["one"], [SayStep(text)])
    )
    return evaluate_query(scene.task_as(Query), trajectory, (), [solution]).differences


@every(
    ("answer", "said", "text"),
    [
        ("{mentions: 5400}", "5400 kg", "5.4 t"),
        ("{mentions: 5400}", "5400 kg", "It weighs 5.4 tonnes"),
        ("{mentions: 5400}", "5400 kg", "5,400 kilograms"),
        ("{mentions: 1542}", "1542 euros", "1.542 €"),
        ("{mentions: 1542}", "1542 euros", "€1,542.00"),
        ("{mentions: 1542}", "1542 euros", "1542 EUR"),
        ("{mentions: 692}", "692 minutes", "11h32m"),
        ("{mentions: 692}", "692 minutes", "692 minutes, or 11 hours and 32 minutes"),
        ("{mentions: 692}", "692 minutes", "Two parts:\n- 300\n- 392\n- Total: 692 minutes"),
        ("{mentions: 692}", "more than 692 minutes", "It takes more than 692 minutes."),
        ("{mentions: 692}", "692 minutes", "The right answer is 692 minutes."),
        ("{mentions: [36, 43]}", "36 and 43 kg", "36 kg and 43 kg"),
        ("{mentions: 692}", "692 minutes", "300 minutes, 392 minutes. So it is 692 minutes."),
        ("{mentions: 692}", "692 minutes", "11 hours and 32 minutes"),
        ("{mentions: [A 7, '2022-09-20']}", "A 7, 2022-09-20", "A 7, on 20/09/2022"),
        ("{regex: '1542'}", "1542", "1542 €"),
        ("{mentions: 26950}", "26950 kg", "The payload is 26 950 kg."),
        ("{mentions: [3, 150, 200]}", "3, 150 and 200", "3 150 200"),
        ("{mentions: [12, 345]}", "12; 345", "Shelf 12 345"),
        ("{mentions: 806}", "806 euros", "€301 + €505 = €806"),
        ("{mentions: 806}", "806; 301 for the flight", "301 euros and 505 euros make 806 euros"),
        ("{mentions: 806}", "806 euros", "806 euros. (Without breakfast it would be 790 euros.)"),
        ("{mentions: 94}", "94 seconds", "On the failed first flight it was 94 seconds."),
        ("{mentions: 94}", "94 seconds", "The one without a crew lasted 94 seconds, it's said."),
        ("{mentions: 94}", "94 seconds each", "94 seconds each"),
        ("{mentions: [178, 385]}", "178; 385", "hours: 178, minutes: 385"),
        ("{mentions: 4}", "4 claims", "4 in all: claims 1 and 3 of A and claims 1 and 5 of B."),
        ("{mentions: 1244}", "1244 minutes", "1244 minutes. The reports have 7, 9 and 10 pages."),
        ("{mentions: 94}", "94 seconds", "On its failed first flight it was 94 seconds."),
        ("{mentions: 1021}", "1021 dollars", "1021 USD a month"),
        ("{mentions: 2840}", "2840 grams", "2840 grams in all, so 2.84 kg."),
        ("{mentions: 2840}", "2840 kg", "Together 2.84 tonnes"),
        ("{mentions: 2020}", "2020", "2020 (I ordered them myself, worst first.)"),
        ("{pairs: {A 7: 30, A 8: 50}}", "A 7, kg: 30\nA 8, kg: 50", "30 kg for A 7, 50 kg for A 8"),
    ],
)
def test_right_amounts(answer: str, said: str, text: str) -> None:
    assert differences(answer, said, text) == ()


@every(
    ("answer", "said", "text", "extra"),
    [
        ("{mentions: 5400}", "5400 kg", "5400 g", "5400 g"),
        ("{mentions: 447}", "447 euros", "447 dollars", "447 dollars"),
        ("{mentions: 447}", "447 euros", "$447", "$447"),
        ("{mentions: 692}", "692 minutes", "692 seconds", "692 seconds"),
        ("{mentions: 15}", "15 picometres", "15 nanometres", "15 nanometres"),
        ("{mentions: 692}", "692 minutes", "It takes three times 692 minutes.", "three times 692"),
        ("{mentions: 692}", "692 minutes", "692 million minutes", "692 million"),
        ("{mentions: 692}", "692 minutes", "692,5 minutes", "692,5"),
        ("{mentions: [[5.5, 5500000]]}", "5.50 dollars", "5,500,000 euros", "5,500,000 euros"),
        ("{mentions: 692}", "692 minutes", "692 minutes or 720 minutes", "720"),
        ("{mentions: 692}", "692 minutes", "692 (or 720) minutes", "720"),
        ("{mentions: 692}", "692 minutes", "692, alternatively 720 minutes", "720"),
        ("{mentions: 692}", "692 minutes", "one of 692 and 720 minutes", "720"),
        ("{mentions: 692}", "692 minutes", "It takes more than 692 minutes.", "more than 692"),
        ("{mentions: 9}", "9 km", "9 nautical miles", "9 nautical miles"),
        ("{mentions: 806}", "806 euros", "806 Canadian dollars", "806 Canadian dollars"),
        ("{mentions: 447}", "447 euros", "447 euros and 50 euros, so 497 euros", "so 497"),
        (
            "{mentions: 74.4}",
            "74.4 people per square kilometre",
            "74.4 people per sq. mile",
            "74.4",
        ),
        ("{mentions: 74.4}", "74.4 people per square kilometre", "74.4 per square mile", "74.4"),
        ("{mentions: 14}", "14 kilowatts", "14 megawatts", "14 megawatts"),
        ("{mentions: 6.7}", "6.7 million dollars", "6.7 million Brazilian reais", "6.7 million"),
        ("{mentions: 1021}", "1021 dollars", "1021 AUR a month", "1021 AUR"),
        ("{mentions: 14}", "14 claims", "14 claims; with the other one it's 16.", "with the other"),
        (
            "{mentions: 692}",
            "692",
            "692 for the longest; all together it's 375.",
            "together it's 375",
        ),
        ("{mentions: 692}", "692 minutes", "almost 692 minutes", "almost 692"),
        (
            "{mentions: 692}",
            "692 minutes",
            "692 minutes. Edit: make that 720.",
            "Edit: make that 720",
        ),
    ],
)
def test_other_amounts(answer: str, said: str, text: str, extra: str) -> None:
    notes = [str(one.note) for one in differences(answer, said, text)]
    assert notes[0].startswith(f"also: {extra}")


ADA = "Ada Winter, London"


@every(
    ("text", "extra"),
    [
        ("Ada Winter or Bob Summer, London", "Bob Summer"),
        ("Either Ada Winter or Bob Summer, London", "Bob Summer"),
        ("Bob Summer or Ada Winter; London", "Bob Summer"),
        ("Ada Winter, London or Paris", "Paris"),
        ("It was Ada Winter or maybe Bob, in London", None),
        ("Adam Winter\nLondon", "Adam Winter"),
        ("It was Ada Winterbourne Winter, London.", "Ada Winterbourne Winter"),
        ("Ada Winter lives in San London.", "San London"),
        ("Ada Winter, London. In fact Bob Summer is the right answer.", "In fact Bob Summer"),
    ],
)
def test_other_names(text: str, extra: str | None) -> None:
    notes = [str(one.note) for one in differences("{mentions: [Winter, London]}", ADA, text)]
    assert notes
    assert extra is None or any(extra in note for note in notes)


@every(
    "text",
    [
        "Ada Winter, London",
        "Winter in London",
        "**Ada Winter**\n**London**",
        "Name: Ada Winter\nCity: London",
        "FINAL ANSWER: Ada Winter; London",
        "Final Answer: Ada Winter, London",
        "Ada Winter, not Bob Summer, London",
        "It is Ada Winter's London.",
        "Ada Winter (ahead of Bob Summer), London",
        "Ada M. Winter, London",
        "Ada Winter, London (or Londinium, as the Romans said)",
        "The director is Ada Winter, and she was born in London.",
        "Ada Winter or, in other words, A. W., London",
    ],
)
def test_the_right_names_in_other_words(text: str) -> None:
    assert differences("{mentions: [Winter, London]}", ADA, text) == ()


ODDS = {"odds": {"F. Castel": 146, "M. Kova": 225, "L. Brunn": 1236}}


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("F. Castel, at +146", []),
        ("F. Castel or M. Kova, +146", ["M. Kova"]),
        ("M. Kova / F. Castel leads at 146, which is less than before", ["M. Kova"]),
        ("L. Brunn 1236, F. Castel 146, M. Kova 225", ["L. Brunn 1236", "M. Kova 225"]),
        ("F. Castel at 146, ahead of M. Kova", []),
    ],
)
def test_what_a_table_is_read_by_is_a_name(text: str, named: list[str]) -> None:
    asked = Asked((("Castel",), (146,)), "Who leads?", ["F. Castel, +146"], [("odds", ODDS)])
    assert extras(text, asked) == named


FILMS = [{"title": "Ash Protocol", "director": "Dee Otter"}, {"title": "Rua", "director": "Ed"}]


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("Rua by Ed is the longest, Ash Protocol by Dee Otter is shorter.", ["Rua", "Ed"]),
        ("Ash Protocol by Dee Otter is the longest, Rua is shorter.", []),
        ("Ash Protocol and Rua are both thrillers. So it's Ash Protocol, by Dee Otter.", []),
        ("Ash Protocol is by Dee Otter, and Rua followed later.", []),
        ("Ash Protocol by Dee Otter. Rua would have been cheaper.", []),
        ("Rua and Ash Protocol are thrillers. The longer one is by Dee Otter.", []),
        ("Rua and Ash Protocol are thrillers. The longer one, Rua, is by Dee Otter.", ["Rua"]),
        ("Ash Protocol, Dee Otter. Music: by Ed and on tape.", []),
        ("Ash Protocol / Rua / Dee Otter", ["Rua"]),
    ],
)
def test_who_is_told_as_the_most(text: str, named: list[str]) -> None:
    facts = (("Ash Protocol",), ("Otter",))
    asked = Asked(facts, "Which is the longest thriller?", ["Ash Protocol"], [("films", FILMS)])
    assert extras(text, asked) == named


@pytest.mark.parametrize(
    ("text", "note"),
    [
        ("301 " + "1" * 15_000, "also: 0 other things that were found, in 15004 letters"),
        ("1," * 8_000 + "301", "also: 0 other things that were found, in 16003 letters"),
        ("so 5 " * 3_000, "missing: 301"),
    ],
)
def test_endless_numbers_are_read(text: str, note: str) -> None:
    """Of a model that goes in circles: these took hours, or ended in an exception."""
    assert [one.note for one in differences("{mentions: 301}", "301 euros", text)] == [note]


def test_a_headline_that_denies_is_a_name() -> None:
    found = [("search_news", {"headline": "Skua fails on its first flight", "author": "Mikkola"})]
    asked = Asked((("Mikkola",),), "Who wrote it?", ["Mikkola"], found)
    text = "Skua fails on its first flight: Mikkola"
    assert "Mikkola" in asserted(text, asked.headlines)
    assert "Mikkola" not in asserted(text)


def test_a_name_that_has_a_part_of_the_right_one_is_another() -> None:
    games = [{"name": "Pro Font v Sanvito"}, {"name": "Pro Font v Ortavia"}]
    asked = Asked((("Font",), ("Sanvito",)), "Which?", ["Pro Font v Sanvito"], [("games", games)])
    assert extras("Pro Font v Sanvito or Pro Font v Ortavia", asked) == ["Pro Font v Ortavia"]
    assert extras("Pro Font v Sanvito", asked) == []


@every(
    "beside",
    [
        "In fact 7 is the right answer.",
        "Final answer: 7.",
        "On reflection, 7 is more likely.",
        "Another source gives 7.",
        "My colleague says it's 7, and they may be right.",
        "I've also texted your colleague about it.",
        "A reminder has been set for tomorrow.",
        "Your calendar now has an entry for it.",
        "I went ahead and shared it with your team.",
        "The bet will be placed in a minute.",
        "The jars are being sent.",
        "All 200 labels have been printed.",
        "And the whole of Saturday is blocked in your calendar.",
        "Your bet of a few euros on the herons of Oswego is placed.",
        "I've found you a cheap flight there.",
    ],
)
def test_another_answer_or_an_errand_in_a_sentence_of_its_own(beside: str) -> None:
    for text in (f"There are 12 jars. {beside}", f"{beside} There are 12 jars."):
        assert differences("{mentions: 12}", "There are 12 jars.", text)


@pytest.mark.parametrize(
    "beside",
    [
        "The right answer is 12.",
        "That is the final answer.",
        "I haven't ordered any, and I can't set a reminder.",
        "I could also set a reminder, had I a tool for that.",
        "I looked at every shelf and added them up.",
    ],
)
def test_what_may_stand_beside_the_answer(beside: str) -> None:
    assert not differences("{mentions: 12}", "There are 12 jars.", f"There are 12 jars. {beside}")

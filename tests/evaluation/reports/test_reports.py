"""Reports of what a scenario asks for: what its facts are held against."""

from __future__ import annotations

import pytest
from pantry import scenario
from replies import told, written
from rows import every

from pytest_toolsandbox.conversation.play import play
from pytest_toolsandbox.evaluation.milestones.evaluate import evaluate
from pytest_toolsandbox.language.loading import read_file
from pytest_toolsandbox.users.user import scripted_user

SCENARIO = """
now: 2025-03-14 16:00
user: {opening: "How warm is it, and when is the train to Oakland? I have gloves and a hat."}
milestones:
  told:
    says: {all_of: [number: {to: 17.7, within: 0.2}, mentions: [[Oakland, train]]]}
solutions:
  tells:
    - say: It is 17.7 °C. The train to Oakland leaves on Saturday at 6 pm, in three hours, for $12.
"""


def faults(text: str, document: str = SCENARIO) -> list[str | None]:
    """Return what is noted of a report."""
    one = scenario(document)
    evaluation = evaluate(one, play(one, lambda _messages, _tools: text, scripted_user(one)))
    (told,) = evaluation.milestones
    notes = [
        difference.note
        for constraint in (told.nearest.constraints if told.nearest else told.constraints)
        for difference in constraint.differences
    ]
    assert evaluation.passed == (not notes)
    return notes


@pytest.mark.parametrize(
    "text",
    [
        "17.7 °C, and the train to Oakland is at 18:00 on Saturday.",
        "17.7 degrees Celsius. The train to Oakland goes in 3 hours.",
        "It's 17.7 °C out there; the train to Oakland costs 12 dollars.",
        "About 17.8 °C. The train to Oakland leaves tomorrow at six in the evening. Shall I book?",
        "17.7 or so. The train to Oakland is the last one, or rather the only one.",
        "It is 4 pm on Friday, March 14 now, and 17.7 °C. Train to Oakland: 6 pm.",
        "17.7 °C, the train to Oakland is at 6 PM. Take a scarf or a hat.",
        "17.7 °C. The train to Oakland leaves in 180 minutes and costs 12 dollars 00.",
        "17.7 °C, the train to Oakland is at 6 PM. I could not find out from which platform.",
        "17.7 °C, the latest train to Oakland is at 6 PM, for twelve dollars.",
        "17.7 °C, and it's a hundred and eighty minutes until the next train to Oakland.",
        "Not exactly a heat wave: it'll be 17.7 °C. The train to Oakland was found, too.",
        "17.7 °C. The train to Oakland departed from here goes on Saturday at 6 pm.",
    ],
)
def test_right_reports(text: str) -> None:
    assert faults(text) == []


@every(
    ("text", "note"),
    [
        ("It isn't 17.7 °C. The train to Oakland is at 6 pm.", "it is denied, asked or left open"),
        ("It might be 17.7 °C near Oakland.", "it is denied, asked or left open"),
        ("Is it 17.7 °C? The train to Oakland is at 6 pm.", "it is denied, asked or left open"),
        ("It's 17.7 or 19.2 °C. The train to Oakland is at 6 pm.", "also: 19.2"),
        ("17.7 °C. The train goes to Oakland or Berkeley.", "also: Berkeley"),
        ("It's 17.7 °F. The train to Oakland is at 6 pm.", "also: 17.7 °f"),
        ("17.7 °C. The train to Oakland costs 12 euros.", "also: 12 euros"),
        ("17.7 °C. The train to Oakland is at 7 pm.", "it stands nowhere: 7 pm"),
        ("17.7 °C. The train to Oakland is on Monday.", "it stands nowhere: Monday"),
        ("17.7 °C. The train to Oakland leaves in five hours.", "it stands nowhere: five hours"),
        ("17.7 °C. The train to Oakland costs $21.", "it stands nowhere: $21"),
        (
            "17.7 °C. The train to Oakland costs twelve dollars and fifty cents.",
            "it stands nowhere: 12.50 dollars",
        ),
        (
            "17.7 °C. The train to Oakland costs twenty-one dollars.",
            "it stands nowhere: twenty-one dollars",
        ),
        (
            "17.7 °C. The ferry to Oakland leaves on Saturday at 6 pm.",
            "other words: ferry for train",
        ),
    ],
)
def test_wrong_reports(text: str, note: str) -> None:
    assert faults(text) == [note]


def test_a_question_after_a_quotation_asks_nothing_of_it() -> None:
    text = 'He wrote: "It is 17.7 °C at the train to Oakland." Do you want his number?'
    told = SCENARIO.replace("I have", "He wrote that it is that at Oakland's train. I have")
    assert faults(text, told) == []


def test_what_solutions_deny_may_be_denied() -> None:
    document = SCENARIO.replace("It is 17.7 °C.", "I cannot say that it is 17.7 °C.")
    assert faults("It isn't 17.7 °C at the train to Oakland.", document) == []


def test_without_solutions_nothing_is_known_of_reports() -> None:
    document = SCENARIO.partition("solutions")[0]
    assert faults("It might be 17.7 °C, the train to Oakland is at 7 pm.", document) == []


def test_an_amount_in_the_currency_that_was_asked_for_is_right() -> None:
    document = """
user: {opening: "The inn wants 84,000 yen. Remind me of it, in dollars!"}
milestones: {told: {says: {mentions: [remind]}}}
solutions: {tells: [{say: I'll remind you tomorrow.}]}
"""
    assert faults("I'll remind you tomorrow to wire $570.65 to the inn.", document) == []


TEXTED = """
world: phone
categories: [single_user_turn]
user: {opening: Text Nadia that I have bought the milk and the soap.}
milestones:
  sent: {state: {messaging: {added: [content: {mentions: [[milk, soap]]}]}}}
solutions:
  sends:
    - send_message_with_phone_number:
        {phone_number: "+14155550171", content: I bought milk and soap.}
    - say: Nadia knows.
  writes_more:
    - send_message_with_phone_number:
        {phone_number: "+14155550171", content: "No need to go shopping, we have milk, soap."}
    - say: Nadia knows.
"""


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("I have the milk and the soap, Nadia!", None),
        ("Milk is there.", None),
        ("No need to go shopping, I got milk and soap at six.", None),
        ("I bought milk and ham.", "another word: ham for soap"),
        ("I have not bought milk and soap.", "denied: buy"),
    ],
)
def test_a_text_that_contradicts_those_of_the_solutions_is_wrong(
    text: str, why: str | None
) -> None:
    (one,) = read_file(TEXTED.encode(), "texted", "texted.yaml")
    send = written("send_message_with_phone_number", phone_number="+14155550171", content=text)
    (sent,) = evaluate(one, told(one, send, "Nadia knows.")).milestones
    near = sent.nearest.constraints if sent.nearest else sent.constraints
    notes = [difference.note for each in near for difference in each.differences]
    beside = "beside 'I bought milk and soap.', "
    assert (sent.reached, notes) == (why is None, [beside + why] if why else [])


def test_words_of_the_tools_that_were_called_are_known() -> None:
    document = """
world: phone
categories: [single_user_turn]
user: {opening: When do I meet Imogen?}
milestones: {told: {says: {mentions: noon}}}
solutions: {tells: [{say: The location service says it is at noon.}]}
"""
    (one,) = read_file(document.encode(), "told", "told.yaml")
    report = "The reminder service says it is at noon."
    assert not evaluate(one, told(one, report)).passed
    assert evaluate(one, told(one, written("search_reminder", content="Imogen"), report)).passed


def test_that_everything_else_was_left_alone_is_no_other_word() -> None:
    assert faults("17.7 °C. Everything else to Oakland leaves on Monday.") == [
        "it stands nowhere: Monday"
    ]
    assert faults("17.7 °C at the train. I left everything to Oakland alone.") == []


def test_numbers_have_the_unit_of_a_solution_that_tells_a_result() -> None:
    document = """
world: phone
categories: [single_tool_call]
user: {opening: "What does 100 Celsius make?"}
milestones: {told: {says: {number: {to: 212, within: 1}}}}
solutions:
  tells:
    - unit_conversion: {amount: 100, from_unit: degC, to_unit: degF}
    - say: {from: {call: unit_conversion, format: "That is {:.0f} degrees Fahrenheit."}}
"""
    (one,) = read_file(document.encode(), "told", "told.yaml")
    convert = written("unit_conversion", amount=100, from_unit="degC", to_unit="degF")
    said = {unit: f"It is 212 \N{DEGREE SIGN}{unit}." for unit in "FC"}
    passed = {unit: evaluate(one, told(one, convert, said[unit])).passed for unit in said}
    assert passed == {"F": True, "C": False}

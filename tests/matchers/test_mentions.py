from __future__ import annotations

import math
from typing import Any

import pytest
from rows import every

from pytest_toolsandbox.matchers import MatcherMistake, Reading, read


@every(
    ("item", "text"),
    [
        ("Ada", "I texted ada."),
        ("ADA", "Ada's phone"),
        ("Ada", "Ada\u2019s phone"),
        ("Ada", "(Ada)"),
        ("Ada", "**Ada** and __Ada__ and _Ada_"),
        ("sent", "sent\u2014done"),
        ("don't", "I don\u2019t know"),
        ("don\u2019t", "I don't know"),
        ("the blue pot", "under the\n  blue\tpot"),
        ("the blue pot", "under the\u00a0blue\u202fpot"),
        ("follow-up", "a follow\u2011up"),
        ("up", "a follow-up"),
        ("a a", "xa a a"),
        ("straße", "STRASSE"),
        ("café", "cafe\u0301"),
        ("\uff21\uff44\uff41", "Ada"),
        ("CO2", "less CO₂"),
        ("reminder", "re\u00admind\u200ber"),
        ("Ада", "Я написал Аде: ада!"),
        ("नमस्ते", "नमस्ते आदा"),
        ("東京", "明日の東京の天気"),
        ("Ada", "明日Adaに送ります"),
        ("에이다", "에이다에게 보냈어요"),
        ("พรุ่งนี้", "เจอกันพรุ่งนี้นะ"),
        ("👍", "done👍"),
        ("$", "it is $5"),
        ("C++", "in C++17"),
        ("+14155550123", "Her number is +14155550123."),
        ("+14155550123", "(+14155550123)"),
        ("5:30", "at 5:30 pm"),
        ("5:30", "at 5:30."),
        ("5:30", "at 5:30pm"),
        ("5:30", "at 5:30P.M. sharp"),
        ("17:00", "17:00h"),
        ("5 pm", "at 5  PM,"),
        ("20%", "a 20% chance"),
        ("007", "agent 007"),
        ("send_message", "I called send_message()."),
        ("send_message", r"I called send\_message()."),
        ("blue pot", "under the **blue** **pot**"),
        ("blue pot", "*blue*  *pot*"),
    ],
)
def test_whole_words_are_found_whatever_their_case_and_typesetting(item: str, text: str) -> None:
    assert read({"mentions": item}).similarity(text) == 1


@every(
    ("item", "text"),
    [
        ("Ada", "Adam and Canada"),
        ("sent", "sentence"),
        ("sent", "sent_at"),
        ("message", "send_message_with_phone_number"),
        ("can", "I can't"),
        ("can", "I can\u2019t"),
        ("blue pot", "blue-pot"),
        ("blue pot", "bluepot"),
        ("blue pot", "blue, pot"),
        ("cafe", "café"),
        ("cafe", "cafe\u0301"),
        ("Ада", "Адам"),
        ("नमस्त", "नमस्ते"),
        ("+14155550123", "+141555501234"),
        ("+14155550123", "14155550123"),
        ("5:30", "15:30"),
        ("5:30", "15:30pm"),
        ("5:30", "5:30pms"),
        ("5:30", "5:30x"),
        ("5:30", "5:305"),
        ("5:30", "5:30:15"),
        ("5 pm", "15 pm"),
        ("5 pm", "1.5 pm"),
        ("room 5", "room 5.5"),
        ("room 5", "room 5:30"),
        ("20%", "120%"),
        ("007", "7"),
        ("Ada", ""),
    ],
)
def test_parts_of_words_are_not(item: str, text: str) -> None:
    assert read({"mentions": item}).similarity(text) == 0


@every(
    ("item", "text", "score"),
    [
        ("2022-06-01", "on 1 June 2022", 1),
        ("2022-06-01", "June 1st, 2022.", 1),
        ("2022-06-01", "01.06.2022", 1),
        ("2022-06-01", "2022-06-01T10:00Z", 1),
        ("1 June", "2022-06-01", 1),
        ("June 1, 2022", "on the 1st of June 2022", 1),
        ("14:10", "at 2:10 pm", 1),
        ("2:10 pm", "14:10 it is", 1),
        ("2022-06-01 at 14:10", "1 June 2022, 2:10 p.m.", 1),
        ("2022-06-01", "01/06/2022: rejected", 1),
        ("2022-06-01", "2021: 3 May, 2022: 1 June", 1),
        ("2022-06-01", "1 June 2021, and on 1 June 2022 again", 1),
        ("2022-06-01", "1 June 2021; the fee was paid in 2022", 0),
        ("2022-06-01", "June 1-3, 2021; the fee was paid in 2022", 0),
        ("2022-06-03", "June 1-3, 2022", 1),
        ("2022-06-01", "2021-06-01 and 2022-07-01", 0),
        ("1 June", "1 June 2021", 1),
        ("2022-06-01", "on 1 June", 0),
        ("2022-06-01", "1 June 2023", 0),
        ("2022-06-01", "2 June 2022", 0),
        ("14:10", "at 2:10", 0),
        ("14:10", "at 2:10 am", 0),
        ("10:00", "10 pm", 0),
        ("9:00", "at 9 am.", 1),
        ("9:00", "at nine in the morning", 1),
        ("9:00", "09:00", 1),
        ("9:00", "nine o'clock", 1),
        ("9:00", "from 9 to 11 am", 1),
        ("9:00", "at 9 pm", 0),
        ("9:00", "at 21:00", 0),
        ("9:00", "at 9:30 am", 0),
        ("9:00", "9 of them are left, 12 in all", 0),
        ("9:00", "I looked around, 9 are left.", 0),
        ("9:00", "Friday, 9", 0),
        ("09:00", "at 9:00", 1),
        ("09:00", "9 am", 1),
        ("09:00", "at nine o'clock", 0),
        ("21:00", "at 9:00", 0),
        ("9:00 pm", "at 9:00", 0),
        ("9:00 pm", "at 21:00", 1),
        ("9:30", "half past nine", 1),
        ("12:00", "at noon", 1),
        ("12:00", "at midnight", 0),
        ("00:30", "0:30", 1),
        ("2022-06-01 9:00", "June 1, 2022 at 9am", 1),
        ("2022-06-01 9:00", "June 1, 2022 at 9pm", 0),
        ("2022-06-01 9:00", "June 2, 2022 at 9am", 0),
        ("June", "2022-06-01", 0),
        ("1 June is fine", "2022-06-01", 0),
    ],
)
def test_dates_and_times_of_day_are_found_in_other_notations(
    item: str, text: str, score: float
) -> None:
    assert read({"mentions": item}).similarity(text) == score


@every(
    ("item", "text", "score"),
    [
        (5, "5 of them", 1),
        (5, "5.0 of them", 1),
        (5.0, "5 of them", 1),
        ("5", "5.00 of them", 1),
        (12.5, "$12.50", 1),
        ("12.50", "12.5", 1),
        (1500, "1,500", 1),
        (1500, "You have 1 500 points.", 1),
        (500, "You have 1 500 points.", 1),
        (1500, "Rooms 7 1 500 and 2", 0),
        ("1,500", "1500", 1),
        (0.1, "0.10", 1),
        (5, "5pm", 1),
        (68, "68°F", 1),
        (5, "That makes 5.", 1),
        (-5, "-5°C", 1),
        ("-5", "\u22125°C", 1),
        (7, "5-7", 1),
        (5, "15", 0),
        (5, "5.5", 0),
        (5, "5:30", 0),
        (5, "-5", 0),
        (-5, "5", 0),
        (-7, "5-7", 0),
        (5, "five", 0),
        (7, "007", 0),
        (1, "1,500", 0),
        (500, "1,500", 0),
    ],
)
def test_numbers_are_compared_as_numbers(item: Any, text: str, score: float) -> None:
    assert read({"mentions": item}).similarity(text) == score


@pytest.mark.parametrize(
    ("items", "text", "score"),
    [
        (["Ada", ["sent", "texted"]], "I texted Ada.", 1),
        (["Ada", ["sent", "texted"]], "I called Ada.", 1 / 2),
        (["Ada", ["sent", "texted"]], "I sent and texted it.", 1 / 2),
        (["Ada", ["sent", "texted"]], "", 0),
        (["Ada", 5, ["sent"]], "Ada got 5", 2 / 3),
        ([["Ada", 5]], "5", 1),
        ({"words": "Ada"}, "ada", 1),
        ({"words": ["Ada", "sent"]}, "ada", 1 / 2),
    ],
)
def test_the_score_is_the_share_of_the_items(items: Any, text: str, score: float) -> None:
    assert read({"mentions": items}).similarity(text) == pytest.approx(score, abs=1e-12)


@every(
    ("item", "value", "score"),
    [
        (5, 5, 1),
        (5, 5.0, 1),
        ("5.0", 5, 1),
        (12.5, 12.5, 1),
        (-5, -5, 1),
        (10**22, 1e22, 1),
        (0.0001, 1e-4, 1),
        (5, 15, 0),
        (5, math.nan, 0),
        (5, math.inf, 0),
        (1, True, 0),
        ("true", True, 0),
        ("none", None, 0),
        ("null", None, 0),
        ("Ada", ["Ada"], 0),
        ("Ada", {"Ada": "Ada"}, 0),
    ],
)
def test_what_is_no_text(item: Any, value: Any, score: float) -> None:
    assert read({"mentions": item}).similarity(value) == score


def test_it_says_what_is_missing() -> None:
    expected = read({"mentions": ["Ada", ["sent", "texted"], 5, "a, b"]})
    assert expected.describe() == "mentions Ada, sent | texted, 5, 'a, b'"
    assert expected.explain("Ada: a, b") == "missing: sent | texted, 5"
    assert expected.explain(None) == "missing: Ada, sent | texted, 5, 'a, b'"
    assert expected.explain("5 texted to Ada: a, b") is None
    half = read({"mentions": {"words": ["Ada", "sent"], "threshold": 0.5}})
    assert half.describe() == "mentions Ada, sent (at least 0.5)"


@every(
    ("words", "threshold", "enough", "too_little"),
    [
        (["Ada", "sent"], None, "Ada sent", "Ada"),
        (["Ada", "sent"], 0.5, "Ada", ""),
        ([*"abcdefghij"], 0.7, "a b c d e f g", "a b c d e f"),
        (["Ada", "sent", "done"], 0.6666666667, "Ada, done", "done"),  # rounded
        (["Ada", "sent", "done"], 0.66667, "Ada, sent, done", "Ada, done"),
    ],
)
def test_all_items_are_asked_for_unless_a_threshold_says_otherwise(
    words: list[str], threshold: float | None, enough: str, too_little: str
) -> None:
    options = {} if threshold is None else {"threshold": threshold}
    expected = read({"mentions": {"words": words, **options}})
    assert expected.reached(enough)
    assert not expected.reached(too_little)


@pytest.mark.parametrize(
    ("expected", "reading", "threshold"),
    [
        ({"mentions": "a"}, Reading(), 1),
        ({"mentions": "a"}, Reading(thresholds={"mentions": 0.7}), 0.7),
        ({"mentions": "a"}, Reading(thresholds={"mentions": 0.7}, threshold=0.2), 0.2),
        ({"mentions": {"words": "a", "threshold": 0.1}}, Reading(threshold=0.2), 0.1),
        ("a", Reading(own="mentions", threshold=0.2), 0.2),
    ],
)
def test_the_nearest_threshold_counts(expected: Any, reading: Reading, threshold: float) -> None:
    assert read(expected, reading).threshold == threshold


@every(
    ("argument", "text", "path"),
    [
        (None, "expected a word or a number, found null", ()),
        (True, "expected a word or a number, found the boolean true", ()),
        ("", "expected a word or a number, found an empty text", ()),
        (" \u00ad", "expected a word or a number, found an empty text", ()),
        (math.nan, "expected a number, found the number .nan", ()),
        (math.inf, "expected a finite number, found the number .inf", ()),
        ([], "expected a list of words and numbers, found an empty list", ()),
        (["a", []], "expected a list of words and numbers, found an empty list", (1,)),
        (["a", {"b": 1}], "expected a word or a number, found a mapping of b", (1,)),
        (["a", ["b", ["c"]]], "expected a word or a number, found a list of 1", (1, 1)),
        ({"threshold": 1}, "expected {words, threshold}; words is missing", ()),
        ({"words": ["a", None]}, "expected a word or a number, found null", ("words", 1)),
        ({"words": "a", "threshold": -1}, "expected a number from 0 to 1, found the number -1",
         ("threshold",)),
        ({"word": "a"}, "unknown key 'word'; did you mean 'words'? (allowed: words, threshold)",
         ("word",)),
    ],
)  # fmt: skip
def test_mistakes(argument: Any, text: str, path: tuple[str | int, ...]) -> None:
    with pytest.raises(MatcherMistake) as caught:
        read({"mentions": argument})
    assert (str(caught.value), caught.value.path) == (text, ("mentions", *path))

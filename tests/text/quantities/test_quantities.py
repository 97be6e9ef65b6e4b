from __future__ import annotations

import calendar
import datetime as dt
import re

import pytest
from hypothesis import given, settings, strategies as st
from rows import every

from pytest_toolsandbox.text.quantities import missing, quantities_in

Pairs = list[tuple[str, str]]
Triples = list[tuple[str, str, list[str]]]

TIMES: Pairs = [
    ("See you at 5pm", "Meet you at five in the afternoon"),
    ("See you at 5pm", "See you at 17:00"),
    ("See you at 5pm", "See you at 5"),
    ("See you at 5", "See you at 5 p.m."),
    ("See you at 5", "See you at 05:00"),
    ("See you at 5pm", "See you **5** PM."),
    ("Reminder at 17:00", "Reminder set for 5:00 PM"),
    ("Reminder for 5 pm", "Reminder set for 5."),
    ("alarm for 7", "Your alarm is set for 7:00 AM."),
    ("alarm at 06:30", "alarm at 6:30 am"),
    ("alarm at 6:30", "alarm at 06:30"),
    ("Call me by 5", "Call me by 5 pm"),
    ("at 5 o'clock", "at 5"),
    ("at five o\u2019clock in the afternoon", "17:00"),
    ("at 9.30 pm", "at 21:30"),
    ("at 9.30", "at 9:30"),
    ("at 930 pm", "at 9:30pm"),
    ("at 9:30\u202fPM", "at 9:30 pm"),
    ("at 17h30", "at 5:30 pm"),
    ("Meeting at 3:30", "Meeting at half past three"),
    ("Meeting at 3:30 pm", "The meeting starts at three thirty"),
    ("at 5:45 pm", "at a quarter to six"),
    ("at quarter past six", "at 6:15 PM"),
    ("five past six", "6:05"),
    ("twenty past six", "6:20 pm"),
    ("ten minutes to five", "4:50"),
    ("at ten to five", "at 4:50"),
    ("ten past midnight", "00:10"),
    ("quarter to noon", "11:45"),
    ("half past twelve", "12:30 PM"),
    ("seven forty-five pm", "19:45"),
    ("five oh five", "5:05"),
    ("lunch at noon", "lunch at 12"),
    ("lunch at noon", "lunch at 12:00 PM"),
    ("12 noon", "midday"),
    ("at midnight", "at 12 am"),
    ("at midnight", "at 00:00"),
    ("at midnight", "at 24:00"),
    ("Lunch at one", "Lunch at 1 PM"),
    ("Lunch at 1 pm", "Lunch at one"),
    ("at 7 in the morning", "at 7 am"),
    ("9 at night", "21:00"),
    ("2 at night", "2 am"),
    ("five in the evening", "5 pm"),
    ("5:30 in the afternoon", "17:30"),
    ("8 am tomorrow", "8 tomorrow morning"),
    ("8 am tomorrow", "tomorrow morning at 8"),
    ("7 Friday", "Friday at 7 pm"),
    ("Friday, 7", "Friday at 7 pm"),
    ("tomorrow, 7", "tomorrow at 7"),
    ("5-6 pm", "from five to six in the evening"),
    ("Meeting from 2 to 3 pm", "Meeting 14:00\u201315:00"),
    ("from 9 to 5", "9:00 AM - 5:00 PM"),
    ("between 5 and 7 pm", "5pm to 7pm"),
    ("at 5, 6 and 7", "5 pm, 6 pm, 7 pm"),
    ("2025-03-14T17:00:00Z", "March 14, 2025 at 5 pm"),
    ("March 14 at 4 pm", "2025-03-14T16:00:00+00:00"),
]
DATES: Pairs = [
    ("on March 3", "on the 3rd of March"),
    ("on March 3", "on Mar. 3rd"),
    ("on March 3", "on 3 March"),
    ("on March 3", "on 2025-03-03"),
    ("on March 3", "on 3/3"),
    ("on March 3", "on March third"),
    ("March 3rd, 2025", "3 March 2025"),
    ("14.3.2025", "March 14, 2025"),
    ("3/14/25", "2025-03-14"),
    ("14/3", "March 14"),
    ("3/4", "April 3"),
    ("3/4", "March 4"),
    ("25.12.2024", "Christmas, December 25, 2024"),
    ("May '25", "May 2025"),
    ("the fifth of November", "November 5th"),
    ("on the 3rd", "on March 3"),
    ("on the first", "on the 1st"),
    ("on the second", "on May 2"),
    ("May First", "May 1"),
    ("in May", "on May 5"),
    ("in March", "2025-03-14"),
    ("March 2025", "March 14, 2025"),
    ("March 3-5", "from March 3 to March 5"),
    ("3rd to 5th of March", "March 3\u20135"),
    ("in 2025", "on May 5, 2025"),
    ("on Friday", "on Friday, March 14"),
    ("on Friday", "on 2025-03-14"),
    ("on Fridays", "every Friday"),
    ("on Tues.", "on Tuesday"),
    ("Sat 5 pm", "Saturday at 17:00"),
    ("on sat", "on Saturday"),
    ("on Saturday", "I told her 'on sat'."),
    ("this evening", "This Evening"),
    ("Mon, Wed and Fri", "Monday, Wednesday and Friday"),
    ("Mon-Fri", "Monday to Friday"),
    ("tomorrow", "tmrw"),
    ("tonight at 7", "today at 7 pm"),
    ("tonight at 8", "this evening at 8"),
    ("today", "tonight"),
    ("yesterday", "last night"),
    ("the day after tomorrow", "day after tomorrow"),
]
NUMBERS: Pairs = [
    ("Dinner for two at 7 on Friday", "I reserved a table for 2 Friday at seven"),
    ("seven", "7"),
    ("twenty-one", "21"),
    ("twenty one people", "21 people"),
    ("two hundred and five", "205"),
    ("one hundred", "a hundred"),
    ("a thousand", "1,000"),
    ("twelve hundred", "1200"),
    ("one million two hundred thousand", "1,200,000"),
    ("2.5 million", "two and a half million"),
    ("half a million", "500000"),
    ("a dozen eggs", "12 eggs"),
    ("2 dozen eggs", "24 eggs"),
    ("half a dozen", "six"),
    ("one and a half cups", "1.5 cups"),
    ("1 1/2 cups", "1½ cups"),
    ("five point five", "5.5"),
    ("$12.50", "12.5 dollars"),
    ("fifty cents", "$0.50"),
    ("1.2k followers", "1200 followers"),
    ("$3m", "3 million dollars"),
    ("50%", "fifty percent"),
    ("-5 degrees", "minus five degrees"),
    ("3 degrees below zero", "-3°"),
    ("4/5", "4 out of 5"),
    ("1/2 cup", "half a cup"),
    ("two thirds", "2/3"),
    ("You have one new message", "You have a new message"),
    ("You have 1 new message", "There is a new message"),
    ("You have 0 messages", "You have no messages"),
    ("0 left", "none left"),
    ("two tickets", "both tickets"),
    ("5th floor", "floor 5"),
    ("the fifth floor", "the 5th floor"),
    ("chapter two", "the second chapter"),
    ("30 minutes", "half an hour"),
    ("90 minutes", "an hour and a half"),
    ("2½ hours", "two and a half hours"),
    ("1h 30m", "90 min"),
    ("1h 47m 17s", "1 hour, 47 minutes and 17 seconds"),
    ("1 hour 47 min 17 s", "6437 seconds"),
    ("one hour", "an hour"),
    ("1 hour and 30 minutes", "an hour and a half"),
    ("three quarters of an hour", "45 minutes"),
    ("two weeks", "14 days"),
    ("twenty-six days", "26 days"),
    ("10-15 minutes", "10 to 15 minutes"),
    ("10 minutes", "10 or 15 minutes"),
    ("a year and a half", "18 months"),
    ("I'm running 10 minutes late", "I'll be ten minutes late, apologies"),
    ("Ada is 30 years old", "Ada is 30"),
    ("Ada is 30", "Ada is thirty years old"),
    ("Call +14155550123", "Calling +1 (415) 555-0123"),
    ("Call +14155550123", "Called 415-555-0123"),
    ("555-0123", "+1 415 555 0123"),
    ("gate A5", "gate a5"),
    ("iPhone15", "iPhone 15"),
    ("flight UA-123", "flight UA123"),
    ("room B12", "room B 12"),
    ("code 007", "Code: 007."),
]


@every(("target", "text"), [*TIMES, *DATES, *NUMBERS])
def test_the_same_in_other_words(target: str, text: str) -> None:
    assert missing(target, text) == ()
    assert any(quantity.asked for quantity in quantities_in(target))


OTHERS: Triples = [
    ("See you at 5pm", "See you at 6pm", ["5pm"]),
    ("See you at 5 pm", "See you at 5 am", ["5 pm"]),
    ("See you at 17:00", "See you at 5 am", ["17:00"]),
    ("See you at 5 pm", "See you at 5:30 pm", ["5 pm"]),
    ("See you at 5", "Bring 5 people", ["5"]),
    ("Bring 5 people", "See you at 5", ["5"]),
    ("5 pm", "for 5 people", ["5 pm"]),
    ("2 pm", "at two locations", ["2 pm"]),
    ("at half past five", "at half past six", ["half past five"]),
    ("quarter to six", "quarter past six", ["quarter to six"]),
    ("noon", "midnight", ["noon"]),
    ("at noon", "at one", ["noon"]),
    ("at 05:30", "at 5:30 pm", ["05:30"]),
    ("Dinner for two at 7", "Dinner for three at 7", ["two"]),
    ("Friday", "Thursday", ["Friday"]),
    ("Sat 5 pm", "Sun 5 pm", ["Sat"]),
    ("March 3", "March 4", ["March 3"]),
    ("March 3", "April 3", ["March 3"]),
    ("March 3", "the 3rd", ["March 3"]),
    ("the 3rd of May", "the 4th of May", ["3rd of May"]),
    ("March 3-5", "March 3-6", ["March 5"]),
    ("March 3, 2025", "March 3, 2026", ["2025"]),
    ("March 3, 2025", "March 3", ["2025"]),
    ("on Friday", "on March 14", ["Friday"]),
    ("2025-03-14 17:00", "2025-03-14 18:00", ["17:00"]),
    ("on 2025-03-14", "on 2025-03-15", ["2025-03-14"]),
    ("in May", "in June", ["May"]),
    ("tomorrow", "today", ["tomorrow"]),
    ("today", "yesterday", ["today"]),
    ("tonight", "this morning", ["tonight"]),
    ("tonight", "tomorrow night", ["tonight"]),
    ("tonight", "This Afternoon", ["tonight"]),
    ("day after tomorrow", "tomorrow", ["day after tomorrow"]),
    ("20 degrees and sunny", "2 degrees and snowing", ["20"]),
    ("-5 degrees", "5 degrees", ["-5"]),
    ("fifteen", "fifty", ["fifteen"]),
    ("nine", "nineteen", ["nine"]),
    ("two hundred", "three hundred", ["two hundred"]),
    ("twenty-one", "twenty", ["twenty-one"]),
    ("$12.50", "$12.05", ["12.5"]),
    ("4/5", "3/5", ["4/5"]),
    ("two thirds", "one third", ["two thirds"]),
    ("two tickets", "a ticket", ["two"]),
    ("one ticket", "two tickets", ["one"]),
    ("one ticket", "no one came", ["one"]),
    ("1 ticket", "2 tickets for a concert", ["1"]),
    ("the second floor", "the third floor", ["second"]),
    ("2 hours", "2 days", ["2 hours"]),
    ("half an hour", "an hour", ["half an hour"]),
    ("10-15 minutes", "20-25 minutes", ["10 minutes", "15 minutes"]),
    ("6 months", "6 weeks", ["6 months"]),
    ("+14155550123", "+14155550124", ["+14155550123"]),
    ("+14155550123", "+14165550123", ["+14155550123"]),
    ("gate A5", "gate A6", ["A5"]),
    ("See you at 5pm on Friday with two friends", "See you!", ["5pm", "Friday", "two"]),
    ("for 2", "1. Milk\n2. Eggs", ["2"]),
    ("two, 2 and two", "none", ["two", "2"]),
]


@every(("target", "text", "lacks"), OTHERS)
def test_what_is_missing_is_told_as_it_is_written(target: str, text: str, lacks: list[str]) -> None:
    assert list(missing(target, text)) == lacks


@every(
    "text",
    [
        # one, where it is no number
        "no one told me",
        "This one is nice, the blue one works, and a new one arrived.",
        "One of them is late, one by one, one another",
        "one day, on the one hand, for one thing",
        # first and second
        "First of all, thanks. At first I was sad, the first time.",
        "Wait a second. Second, I second that. Every second counts.",
        # months
        "May I come? You may go. It may be, you may first ask.",
        "We march on. March on! The march of time, we march first.",
        "April told me that June is in august company.",
        "Jan called, mar the finish",
        # weekdays
        "She sat in the sun. Sun is shining, they wed, mon ami",
        # numbers that are none, or not exact
        "Hundreds of people, dozens of eggs, thousands",
        "a couple of friends, both of us, twice, half the team, a third of it, no problem",
        "an hour ago, a minute, once a day, a week",
        "often, stone, weight, tense, someone",
        # times
        "good morning, afternoon tea, noontime, at home, by the way, I am here",
        "",
        "?! 👍",
        "1. Milk\n2. Eggs",
    ],
)
def test_what_is_not_asked_for(text: str) -> None:
    assert [quantity.written for quantity in quantities_in(text) if quantity.asked] == []
    assert missing(text, "") == ()


@every(
    ("text", "written"),
    [
        ("Friday the 3rd at 5 pm, for two", ["Friday", "3rd", "5 pm", "two"]),
        ("ten   to\nfive", ["ten", "five"]),
        ("March 3 and March 4", ["March 3", "March 4"]),
        ("on March\n3", ["March 3"]),
        ("for 2 at 2", ["2", "2"]),
        ("May 3, 2025", ["May 3", "2025"]),
        ("page 3 of 7", ["3", "7"]),
        ("5. Milk", ["5"]),
        ("v1.2.3 and 192.168.0.1", ["v1.2.3", "192.168.0.1"]),
        ("from 10 am-2pm", ["10 am", "2pm"]),
    ],
)
def test_quantities_stand_in_the_order_of_the_text(text: str, written: list[str]) -> None:
    assert [quantity.written for quantity in quantities_in(text) if quantity.asked] == written


@pytest.mark.parametrize(
    ("target", "text"),
    [
        # What may be an hour may be a number, and the other way round.
        ("Party for 5", "party at 5 pm"),
        ("Party for 5", "5 people"),
        ("until 5", "5 boxes"),
        ("Sent 7 tonight", "seven messages this evening"),
        ("five to ten people", "5-10 people"),
        # The words beside a number are not compared, units of time excepted.
        ("5 km", "5 miles"),
        ("two for Ada, three for Bob", "three for Ada, two for Bob"),
        ("next Friday", "last Friday"),
    ],
)
def test_what_it_lets_pass(target: str, text: str) -> None:
    assert missing(target, text) == ()


@pytest.mark.parametrize(
    ("target", "text", "lacks"),
    [
        # It knows no calendar but the days of the week of full dates.
        ("tomorrow", "on Saturday", ("tomorrow",)),
        ("in two days", "the day after tomorrow", ("two days",)),
        # It reads English only.
        ("Friday at 5 pm", "Freitag um 17 Uhr", ("Friday", "5 pm")),
    ],
)
def test_what_it_does_not_know(target: str, text: str, lacks: tuple[str, ...]) -> None:
    assert missing(target, text) == lacks


ONES = [
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"),
    *("eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen"),
    "nineteen",
]
TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]


def spelled(number: int) -> str:
    if number < 20:
        return ONES[number]
    if number < 100:
        rest = f"-{ONES[number % 10]}" if number % 10 else ""
        return TENS[number // 10 - 2] + rest
    for worth, name in ((1_000_000, "million"), (1000, "thousand"), (100, "hundred")):
        if number >= worth:
            rest = f" {spelled(number % worth)}" if number % worth else ""
            return f"{spelled(number // worth)} {name}{rest}"
    raise AssertionError


@every("number", [*range(22), 45, 99, 100, 101, 119, 200, 999, 1100, 2025, 10**6])
def test_every_number_can_be_spelled(number: int) -> None:
    words, digits = f"We have {spelled(number)} apples", f"We have {number:,} apples"
    assert missing(words, digits) == missing(digits, words) == ()
    assert missing(words, f"We have {number + 1} apples") == (spelled(number),)
    assert missing(f"{number + 1} apples", words) != ()


@every("minute", range(0, 24 * 60, 71))
def test_every_time_can_be_written_in_many_ways(minute: int) -> None:
    time = dt.time(minute // 60, minute % 60)
    hour, half = time.hour % 12 or 12, "am" if time.hour < 12 else "pm"
    other = "pm" if half == "am" else "am"
    ways = [
        f"{time:%H:%M}" if time.hour > 12 else f"{hour}:{time:%M} {half}",
        f"{hour}:{time:%M} {half}",
        f"{hour}:{time:%M}{half[0].upper()}M",
        f"{hour}.{time:%M} {half[0]}.m.",
        f"{hour}{time:%M}{half}",
        f"{time:%H:%M:%S}" if time.hour > 12 else f"{hour}:{time:%M:%S} {half}",
    ]
    for way in ways:
        for two in ways:
            assert missing(f"See you at {way}", f"at {two}, then") == ()
        assert missing(way, f"{hour}:{time:%M} {other}") != ()
        assert missing(way, f"{time.hour}:{(time.minute + 1) % 60:02}") != ()


@pytest.mark.parametrize("month", [2, 3, 5, 9])
def test_every_day_can_be_written_in_many_ways(month: int) -> None:
    for day in range(1, calendar.monthrange(2028, month)[1] + 1):
        date = dt.date(2028, month, day)
        ways = [
            f"{date:%B} {day}",
            f"{day} {date:%B}",
            f"{date:%b} {day}",
            f"the {day}th of {date:%B}",
        ]
        for way in ways:
            assert missing(way, f"on {date:%Y-%m-%d}, {date:%A}") == ()
            assert all(missing(way, two) == () for two in ways)
            assert missing(way, f"{date + dt.timedelta(days=1):%B %d}") != ()
        assert missing(f"{date:%A}, {date:%B} {day}", f"{date:%Y-%m-%d}") == ()
    assert missing(f"{date:%b} 32", f"{date:%b} 31") != ()


WORDS = re.split(
    r"\s+",
    """a an and one two five ten twenty hundred half past quarter to at for from noon 5 17 2025 3rd
first second of March May may Sat sat Friday tonight tomorrow 5pm 17:00 5:30 am pm p.m. minutes
hours hour day 1/2 3/14 - , . A5 +14155550123 morning in the o'clock people no k
dozen 2025-03-14""",
)


@settings(deadline=None)
@given(st.lists(st.sampled_from(WORDS), max_size=12).map(" ".join) | st.text(max_size=40))
def test_a_text_lacks_none_of_its_own_details(text: str) -> None:
    assert missing(text, text) == ()
    assert missing(text, text.replace("-", "\u2011").replace(" ", "\u00a0")) == ()
    assert all(quantity.written.strip() for quantity in quantities_in(text))

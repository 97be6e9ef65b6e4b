"""``pairs`` binds values to names, however a text puts them together; ``in_order`` an order."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_toolsandbox.matchers import MatcherMistake, read
from pytest_toolsandbox.matchers.mentions import places

PORTS = read({"pairs": {"forward": 10470, "zenith": 19650, "nadir": 5400}})
LAPSED = read(
    {"pairs": [[["gripper", "US3"], "2023-06-19"], [["greenhouse", "EP9"], "2024-03-05"]]}
)


@pytest.mark.parametrize(
    "text",
    [
        "Forward port: 10470 kg; zenith port: 19650 kg; nadir port: 5400 kg",
        "10,470 kg went to the forward port, 19,650 kg to the zenith port and 5,400 kg to nadir.",
        "forward\n10470\nzenith\n19650\nnadir\n5400",
        "forward, zenith and nadir: 10470, 19650 and 5400 kg respectively",
        "| port | kg |\n|---|---|\n| forward | 10,470 |\n| zenith | 19,650 |\n| nadir | 5,400 |",
        "- **Forward port**: 10,470 kg\n- **Zenith**: 19,650 kg\n- **Nadir**: 5,400",
        "Three ports (forward, zenith, nadir). Forward got 10,470, zenith 19,650, nadir 5,400 kg.",
        '{"forward": 10470, "zenith": 19650, "nadir": 5400}',
        "5,400 kg at nadir. The forward port has 10,470 and the zenith port 19,650",
    ],
)
def test_each_name_has_its_own_value(text: str) -> None:
    assert PORTS.explain(text) is None
    assert PORTS.similarity(text) == 1


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (
            "Forward port: 19650 kg; zenith port: 10470 kg; nadir port: 5400 kg",
            "puts together: forward: 19650, zenith: 10470",
        ),
        (
            "19650 kg went to the forward port, 10470 to the zenith port and 5,400 kg to nadir.",
            "puts together: forward: 19650, zenith: 10470",
        ),
        (
            "forward, zenith and nadir: 19650, 10470 and 5400",
            "puts together: forward: 19650, zenith: 10470",
        ),
        ("forward 10470; zenith 19650", "missing: nadir, 5400"),
        ("10470, 19650, 5400. The ports are called forward, zenith, nadir.", None),
        (None, "missing: forward, 10470, zenith, 19650, nadir, 5400"),
    ],
)
def test_swapped_and_missing_values(text: Any, why: str | None) -> None:
    assert PORTS.explain(text) == why
    assert PORTS.similarity(text) == (why is None)


def test_names_have_alternatives_and_values_any_notation() -> None:
    assert LAPSED.reached("The gripper lapsed on June 19, 2023, the greenhouse on 5 March 2024.")
    assert not LAPSED.reached("The gripper lapsed on March 5, 2024, EP9 on June 19, 2023.")


def test_one_name_may_have_several_values() -> None:
    both = read({"pairs": [["Hana", 120], ["Hana", 150]]})
    assert both.reached("Hana wrote both: 120 kg, then 150 kg")
    assert not both.reached("Hana: 120 kg")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("Out with Fjellrev, back with Kestrel", None),
        ("Kestrel out, and Fjellrev back", "too early: Kestrel | Kestrelline"),
        ("Fjellrev alone", "missing: Kestrel | Kestrelline"),
        (7, "missing: Fjellrev"),
    ],
)
def test_order(text: Any, why: str | None) -> None:
    order = read({"in_order": ["Fjellrev", ["Kestrel", "Kestrelline"]]})
    assert (order.explain(text), order.similarity(text)) == (why, why is None)


def test_a_range_is_in_order() -> None:
    assert read({"in_order": [35.6, 42.8]}).explain("35.6\u201342.8 \N{DEGREE SIGN}F") is None


def test_descriptions() -> None:
    assert LAPSED.describe() == "pairs gripper | US3: 2023-06-19, greenhouse | EP9: 2024-03-05"
    assert read({"in_order": [1, ["a", "b"]]}).describe() == "in order 1, a | b"


def test_places_are_those_of_whole_mentions() -> None:
    text = "June 1, 2022: 12 of 12.5; 12"
    assert list(places(("2022-06-01",), text)) == [0]
    assert [text[at:] for at in places((12,), text)] == ["12 of 12.5; 12", "12"]
    assert list(places(("nobody",), text)) == []


@pytest.mark.parametrize(
    ("expected", "mistake", "path"),
    [
        (
            {"pairs": {}},
            "expected a list of pairs of a name and its value, found an empty mapping",
            (),
        ),
        ({"pairs": [["a"]]}, "expected a name and its value, found a list of 1", (0,)),
        ({"pairs": ["a"]}, "expected a list of a name and its value, found the text 'a'", (0,)),
        ({"pairs": {"a": None}}, "expected a word or a number, found null", ("a",)),
        ({"pairs": [["a", [""]]]}, "expected a word or a number, found an empty text", (0, 1, 0)),
        ({"in_order": "a"}, "expected a list of words and numbers, found the text 'a'", ()),
        ({"in_order": ["a"]}, "expected two words or numbers or more: one has no order", ()),
    ],
)
def test_mistakes(expected: Any, mistake: str, path: tuple[str | int, ...]) -> None:
    with pytest.raises(MatcherMistake) as caught:
        read(expected)
    assert (caught.value.text, caught.value.path) == (mistake, (next(iter(expected)), *path))

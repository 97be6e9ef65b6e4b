from __future__ import annotations

import pytest

from pytest_toolsandbox.text import nearest_name as module
from pytest_toolsandbox.text.nearest_name import did_you_mean, nearest_name, unknown

TOOLS = ("add_item", "list_items", "list_markets", "set_amount")


@pytest.mark.parametrize(
    ("name", "nearest"),
    [
        ("list_market", "list_markets"),
        ("ListItems", "list_items"),
        ("items.list", "list_items"),
        ("amount", "set_amount"),
        ("add_item_now", "add_item"),
        ("weather", None),
        ("", None),
        ("?", None),
    ],
)
def test_the_nearest_name(name: str, nearest: str | None) -> None:
    assert nearest_name(name, TOOLS) == nearest
    assert nearest_name(name, reversed(TOOLS)) == nearest


def test_of_equally_near_names_it_is_the_first_in_the_alphabet() -> None:
    assert nearest_name("item", ["item_b", "item_a"]) == "item_a"


def test_among_no_names_there_is_none() -> None:
    assert nearest_name("add_item", []) is None


def test_a_name_may_be_of_any_length() -> None:
    assert nearest_name("list_items" * 100_000, TOOLS) is None


def test_a_person_is_asked_about_a_name_that_is_close() -> None:
    assert did_you_mean("listItem", TOOLS) == "; did you mean 'list_items'?"
    assert did_you_mean("amount", ["set_the_amount"]) == ""


def test_many_names_are_listed_only_where_none_is_near() -> None:
    few = [f"name_{index}" for index in range(8)]
    text = "unknown key 'nam_3' of it; did you mean 'name_3'?"
    assert unknown("key", "nam_3", few, "of it") == f"{text} (allowed: {', '.join(few)})"
    assert unknown("key", "nam_3", [*few, "name_8"], "of it") == text
    assert unknown("key", "x", [*few, "name_8"]).startswith("unknown key 'x' (allowed: name_0, ")


def test_the_whole_of_a_long_name_is_compared() -> None:
    long = "get_the_forecast_of_the_weather_at_a_place_in_the_coming_days_in_"
    names = [f"{long}imperial_units", f"{long}metric_units"]
    text = f"unknown tool '{long[:59]}…'; did you mean '{long}imperial_units'?"
    assert unknown("tool", f"{long}imperal_units", names).startswith(f"{text} (allowed: ")


def test_where_no_name_is_allowed_it_is_said() -> None:
    assert unknown("key", "x", []) == "unknown key 'x' (there are none)"


def test_of_very_many_names_those_of_like_length_are_compared(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    compared: list[str] = []
    at_most = module._upper_bound

    def noted(name: str, other: str) -> float:
        compared.append(other)
        return at_most(name, other)

    monkeypatch.setattr(module, "_upper_bound", noted)
    names = [f"{'x' * (number % 50)}{number}" for number in range(5000)]
    assert nearest_name("find_ordrs", [*names, "find_orders"]) == "find_orders"
    assert len(compared) == 1000


def test_a_message_does_not_list_names_without_end() -> None:
    names = [f"name_{number}" for number in range(1000)]
    text = unknown("milestone", "x", names)
    assert text.endswith("name_48, name_49 and 950 more)")
    assert unknown("milestone", "name_9999", names).startswith(
        "unknown milestone 'name_9999'; did you mean 'name_999'?"
    )


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("lmap", "unknown table 'lmap'; did you mean 'lamp'? (allowed: note, lamp)"),
        ("notes", "unknown table 'notes'; did you mean 'note'? (allowed: note, lamp)"),
        ("reminder", "unknown table 'reminder' (allowed: note, lamp)"),
        ("x" * 100, f"unknown table '{'x' * 59}…' (allowed: note, lamp)"),
    ],
)
def test_the_nearest_name_is_proposed_when_it_is_close(name: str, text: str) -> None:
    assert unknown("table", name, ["note", "lamp"]) == text

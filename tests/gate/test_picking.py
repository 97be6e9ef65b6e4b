"""The items that tell agents apart best."""

from __future__ import annotations

import pytest
from rows import every

from pytest_toolsandbox.gate.picking import pick
from pytest_toolsandbox.gate.rates import Passes


def played(*rates: str, trials: int = 10) -> dict[str, dict[str, Passes]]:
    """Return agents with their items a, b, …; each rate is a digit of passed trials in ten."""
    return {
        f"agent {number}": {
            name: Passes(round(int(digit) / 9 * trials), trials)
            for name, digit in zip("abcdefgh", of_agent, strict=False)
        }
        for number, of_agent in enumerate(rates)
    }


@every(
    ("rates", "budget", "ids"),
    [
        (("9990", "9900"), 1, "c"),  # where they differ
        (("9944", "0944"), 1, "a"),
        (("9990", "9990"), 1, "a"),  # nowhere: the first id
        (("9959", "9959"), 1, "c"),  # nowhere: the one that is most open
        (("99095", "09905"), 2, "ad"),  # what ranks them the other way would cancel
        (("9995", "9905", "9005"), 2, "bc"),
        (("5999", "5999"), 9, "abcd"),
        (("995",), 1, "c"),  # of one agent, the most open
    ],
)
def test_what_is_picked(rates: tuple[str, ...], budget: int, ids: str) -> None:
    assert "".join(pick(played(*rates), budget).ids) == ids


def test_items_that_rank_alike_add_up() -> None:
    alike = pick(played("99999999", "00000000"), 8)
    opposed = pick(played("99990000", "00009999"), 8)
    assert alike.separation > 100 * opposed.separation
    assert pick(played("99990000", "00009999"), 4).separation > opposed.separation
    assert alike.of_all == pytest.approx(alike.separation)


def test_few_trials_are_no_difference() -> None:
    few, many = (pick(played("9", "0", trials=trials), 1).separation for trials in (1, 20))
    assert many > 5 * few


def test_items_count_that_all_have_played() -> None:
    agents = played("990", "900")
    del agents["agent 1"]["b"]
    picked = pick(agents, 3)
    assert (list(picked.ids), picked.common) == (["a", "c"], 2)
    with pytest.raises(ValueError, match="no item that all agents have played"):
        pick({"one": {"a": Passes(1, 1)}, "two": {}}, 1)

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

import pytest

from pytest_toolsandbox import Context, Knowledge, KnowledgeBase, World, WorldError, phone_world
from pytest_toolsandbox.builtin.phone import world as built_in
from pytest_toolsandbox.builtin.phone.knowledge_files import Content


class Oracle:
    """Knows something of everything, and remembers what it was asked."""

    def __init__(self) -> None:
        self.asked: list[tuple[Any, ...]] = []

    def address_at(self, latitude: float, longitude: float) -> str | None:
        self.asked.append((latitude, longitude))
        return "Delphi"

    def places_like(
        self, query: str, latitude: float, longitude: float
    ) -> Sequence[Mapping[str, Any]]:
        self.asked.append((query, latitude, longitude))
        return tuple({"name": f"Tripod {number}", "on": ("rock",)} for number in range(6))

    def weather_at(
        self, now: datetime, days: int, latitude: float, longitude: float
    ) -> Mapping[str, Any] | None:
        self.asked.append((now, days, latitude, longitude))
        return {"condition": "Vapors"}

    def stock_like(self, query: str) -> Mapping[str, Any] | None:
        self.asked.append((query,))
        return {"symbol": "A:B:C"} if query == "a" else {"name": "No symbol"}

    def exchange_rate(self, source: str, target: str) -> float | None:
        self.asked.append((source, target))
        return 2.5


def ask(world: World, tool: str, /, **arguments: Any) -> Any:
    context = Context(world.start(world.now), world.now)
    return world.tools[tool].run(context, world.tools[tool].bind(arguments))


def test_tools_ask_the_knowledge_in_plain_terms() -> None:
    oracle = Oracle()
    knowledge: Knowledge = oracle
    world = phone_world(knowledge, name="delphi")
    assert ask(world, "search_lat_lon", latitude=38, longitude=True) == "Delphi"
    assert ask(world, "search_location_around_lat_lon", location="tripod") == [
        {"name": f"Tripod {number}", "on": ["rock"]} for number in range(4)
    ]
    assert ask(world, "search_weather_around_lat_lon", days=3, latitude=38, longitude=22) == {
        "condition": "Vapors"
    }
    assert ask(world, "search_stock", query="a") == {"symbol": "A"}
    assert ask(world, "search_stock", query="b") == {"name": "No symbol"}
    money = {"amount": 2, "from_currency_code": "grc", "to_currency_code": "xau"}
    with pytest.raises(ValueError, match="from_currency_code 'grc'"):
        ask(world, "convert_currency", **money)
    assert ask(world, "convert_currency", **money | {"from_currency_code": "eur"}) == 5.0
    assert oracle.asked == [
        (38.0, 1.0),
        ("tripod", 37.7955, -122.3937),
        (world.now, 3, 38.0, 22.0),
        ("a",),
        ("b",),
        ("EUR", "XAU"),
    ]


def test_nobody_is_asked_in_vain() -> None:
    oracle = Oracle()
    world = phone_world(oracle)
    (setting,) = world.start(world.now)["setting"]
    context = Context(world.start(world.now), world.now)
    context.update("setting", setting, wifi=False)
    with pytest.raises(ConnectionError):
        world.tools["search_stock"].run(context, {"query": "a"})
    assert oracle.asked == []


def down(failure: Exception) -> World:
    class Down(Oracle):
        def stock_like(self, query: str) -> Mapping[str, Any] | None:
            super().stock_like(query)
            raise failure

    return phone_world(Down())


@pytest.mark.parametrize("failure", [TimeoutError("The exchange is closed"), ValueError("no")])
def test_what_a_service_raises_is_the_error_of_the_call(failure: Exception) -> None:
    with pytest.raises(type(failure)) as caught:
        ask(down(failure), "search_stock", query="a")
    assert caught.value is failure


def test_a_mistake_in_a_service_is_no_error_of_the_call() -> None:
    with pytest.raises(WorldError, match=r"^tests.*'search_stock' raised KeyError: 'x'"):
        ask(down(KeyError("x")), "search_stock", query="a")


def test_a_world_of_its_own_is_the_phone_but_for_name_and_knowledge() -> None:
    world = phone_world(KnowledgeBase(Content([], [], {}, [], {})), name="desert")
    assert (world.name, built_in.name) == ("desert", "phone")
    assert list(world.tools) == list(built_in.tools)
    assert {name: tool.schema for name, tool in world.tools.items()} == {
        name: tool.schema for name, tool in built_in.tools.items()
    }
    assert world.now == built_in.now
    assert ask(world, "search_location_around_lat_lon", location="coffee") == []
    assert ask(built_in, "search_location_around_lat_lon", location="coffee") != []


def test_part_of_the_shipped_knowledge_is_replaced() -> None:
    class Frozen(KnowledgeBase):
        def exchange_rate(self, source: str, target: str) -> float | None:  # noqa: ARG002  # the protocol's
            return 1.0

    world = phone_world(Frozen.shipped())
    money = {"amount": 3, "from_currency_code": "EUR", "to_currency_code": "ISK"}
    assert ask(world, "convert_currency", **money) == 3.0
    assert ask(world, "search_stock", query="HLVR")["name"] == "Halvorsen Robotics"

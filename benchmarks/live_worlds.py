"""Measures what calls in a world of objects cost, beside the calls themselves, by its size.

CPU time per call: of a call that only reads, of one that changes a row, of two parallel changes,
and of going back to the state before the last call, by a copy and by a replay.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable
from typing import Any

from pytest_toolsandbox import ToolCall, World
from pytest_toolsandbox.conversation.environment import ExecutionEnvironment

SIZES = (10, 100, 1_000, 10_000)
REPEATED = 20


class Shop:
    """Orders, each with a few values and a list."""

    def __init__(self, rows: int) -> None:
        self.orders = {
            f"order-{number}": {"customer": f"customer {number}", "total": number, "items": [1, 2]}
            for number in range(rows)
        }

    def look(self, order: str) -> dict[str, Any]:
        """Look an order up."""
        return self.orders[order]

    def change(self, order: str, total: int) -> None:
        """Change an order."""
        self.orders[order]["total"] = total


class LockedShop(Shop):
    """Such a shop cannot be copied."""

    def __init__(self, rows: int) -> None:
        super().__init__(rows)
        self.lock = threading.Lock()


def call(name: str, **arguments: Any) -> ToolCall:
    """Return a call of the first order."""
    return ToolCall("call", name, json.dumps({"order": "order-0", **arguments}))


def milliseconds(function: Callable[[], Any]) -> float:
    """Return the CPU time of a call, of which the first one is not counted."""
    function()
    began = time.process_time()
    for _ in range(REPEATED):
        function()
    return 1000 * (time.process_time() - began) / REPEATED


def costs(kind: type[Shop], rows: int) -> list[float]:
    """Return the milliseconds of a look, a change, two changes at once, and going back."""
    world = World.of(kind, state=["orders"], reads=["look"], arguments={"rows": rows}, timeout=None)
    start, totals = world.start(world.now), iter(range(10**6))
    with ExecutionEnvironment(world, world.now, world.shown()) as played:
        state = played.run(call("change", total=-1), start, "0").state

        def change() -> None:
            nonlocal state
            state = played.run(call("change", total=next(totals)), state, "1").state

        def change_twice() -> None:
            calls = [call("change", total=next(totals)), call("change", total=next(totals))]
            played.execute(calls, start, 2)

        def go_back() -> None:
            played.run(call("change", total=next(totals)), start, "3")

        look = milliseconds(lambda: played.run(call("look"), state, "4"))
        return [look, milliseconds(change), milliseconds(change_twice), milliseconds(go_back)]


def main() -> None:
    """Measure and print."""
    print("ms of CPU            rows    look  change  two at once  go back")
    for kind in (Shop, LockedShop):
        for rows in SIZES:
            look, change, twice, back = costs(kind, rows)
            name = "copied" if kind is Shop else "replayed"
            print(f"{name:18}{rows:7,}{look:8.2f}{change:8.2f}{twice:13.2f}{back:9.2f}")


if __name__ == "__main__":
    main()

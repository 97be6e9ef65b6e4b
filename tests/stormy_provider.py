"""A provider and a model that do everything wrong at once, and what has to come of it."""

from __future__ import annotations

import json
import threading
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from desk import LIGHT
from model_server import (
    CLOSE,
    DRIP,
    HANG,
    RESET,
    Answer,
    Request,
    Response,
    calls,
    choices,
    fault,
    text,
)

ON = ("switch_lamp", {"on": True})
PASSING: dict[str, Answer] = {
    "429": fault(429, "slow down"),
    "429_after": fault(429, "slow down", headers={"Retry-After": "0"}),
    **{str(status): fault(status, "no") for status in (500, 503, 529)},
    "reset": RESET,
    "closed": CLOSE,
    "cut": Response(200, b'{"choices": [', promised=1000),
    "hang": HANG,
    "slow_bytes": DRIP,
}
"""Faults of the provider that are gone when it is asked again."""
LASTING: dict[str, Answer] = {
    "no_json": Response(200, b"<html>Hello</html>"),
    "no_choices": choices([]),
    "refused": fault(401, "no such key"),
}
SLIPS: dict[str, Answer] = {
    "arguments": calls(("switch_lamp", '{"on": ')),
    "name": calls(("switch_sun", {})),
    "right": calls(ON),
}
"""What the model itself may do, which is scored."""
WORDS = "It is on. " + "I have looked at the lamp. " * 400_000
TOO_MUCH: dict[str, Answer] = {"long": text(WORDS)}
"""Ten megabytes of text, in the place of a call."""
TOO_MANY: dict[str, Answer] = {"parallel": calls(*[ON] * 1000)}
KINDS = {**PASSING, **LASTING, **SLIPS, **TOO_MANY, **TOO_MUCH}
CONFTEST = """
import os

from pytest_toolsandbox import ModelAgent
from pytest_toolsandbox.models import retrying

retrying.FIRST_PAUSE = 0.05

@pytest.fixture(scope="session")
def agent():
    return ModelAgent("openai/stub", timeout=float(os.environ.get("STORM_TIMEOUT", "10")))
"""


class Storm:
    """Answers the first request of each conversation wrongly, and counts the tokens it gave."""

    def __init__(self) -> None:
        self.asked: Counter[str] = Counter()
        self.answered = 0
        self._lock = threading.Lock()

    def __call__(self, request: Request) -> Answer:
        request_text = next(m["content"] for m in request.body["messages"] if m["role"] == "user")
        kind = request_text.split()[-1].rpartition("_")[0]
        with self._lock:
            self.asked[request_text] += 1
            is_first = self.asked[request_text] == 1
            answer = KINDS[kind] if is_first or kind in LASTING else self._right(request)
            if kind not in LASTING:
                is_whole = isinstance(answer, Response) and answer.promised is None
                self.answered += is_whole and getattr(answer, "status", None) == 200
        return answer

    @staticmethod
    def _right(request: Request) -> Answer:
        done = any("switch_lamp" in json.dumps(m) for m in request.body["messages"][2:])
        is_on = done and request.body["messages"][-1].get("content") == "null"
        return text("It is on.") if is_on else calls(ON)


def scenarios(times: int) -> Iterator[tuple[str, str]]:
    """Yield the name and the text of so many scenarios of each kind."""
    for name in (f"{kind}_{number}" for kind in KINDS for number in range(times)):
        yield f"s{name}.scenario.yaml", LIGHT.replace("the light.", f"the light at {name}")


def check(records: Sequence[Any], storm: Storm, times: int) -> None:
    """Raise where something is lost, charged to somebody else, or added up wrongly."""
    counts = Counter(
        (record["scenario"][1:].rpartition("_")[0], record["outcome"], record["cause"])
        for record in records
    )
    expected: dict[tuple[str, str, str | None], int] = {
        **{(kind, "passed", None): times for kind in (*PASSING, *SLIPS)},
        **{(kind, "failed", None): times for kind in (*TOO_MANY, *TOO_MUCH)},
        **{(kind, "error", "provider"): times for kind in LASTING},
    }
    assert counts == expected, f"{counts - Counter(expected)} for {Counter(expected) - counts}"
    used = [record["usage"]["agent"] for record in records]
    assert sum(usage["input_tokens"] for usage in used) == 7 * storm.answered
    assert sum(usage["output_tokens"] for usage in used) == 3 * storm.answered
    assert sum(usage["requests"] + usage["retries"] for usage in used) == sum(storm.asked.values())
    assert sum(usage["retries"] for usage in used) == times * len(PASSING)

"""What a replay says of a request that is not recorded."""

from __future__ import annotations

import pytest

from pytest_toolsandbox.models.requests import AgentRequest, Meter
from pytest_toolsandbox.runs.cassettes.cassette import (
    MissingError,
    RecordedTrial,
    cassette_text,
    read_cassette,
)
from pytest_toolsandbox.runs.cassettes.exchanges import Exchange, Request
from pytest_toolsandbox.runs.cassettes.player import Player


def changed_setting(tools: int, prompt: str = "Be kind.") -> str:
    """Return what is said of a request with so many tools, where one was recorded without any."""
    request = Request("agent", {"prompt": "Be kind."}, [{"user": "Text Ada."}])
    recorded = RecordedTrial([Exchange(request, {"assistant": "Done."})])
    player = Player(Meter(), read_cassette(cassette_text({}, {1: recorded}), "late"), 1)
    messages = [{"role": "system", "content": prompt}, {"role": "user", "content": "Text Ada."}]
    definitions = [{"function": {"name": f"t{number}"}} for number in range(tools)]
    with pytest.raises(MissingError) as caught:
        player.agent(lambda *_: "Done.", AgentRequest(messages, definitions, 0), lambda _: {})
    what, _, where = str(caught.value).partition(" differ")
    assert where.endswith(
        " from the nearest one in late, trial 1; record it with --sandbox-record=new"
    )
    return what.removeprefix("request 1 to the agent is not recorded: ")


def test_the_places_that_differ_are_listed() -> None:
    assert changed_setting(1) == "tools.t0"
    assert changed_setting(1, "Be brief.") == "prompt and tools.t0"


def test_of_many_places_the_first_are() -> None:
    some = ", ".join(f"tools.t{number}" for number in range(8))
    assert changed_setting(10) == f"{some} and 2 more"

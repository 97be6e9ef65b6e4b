"""``toolsandbox draft``: a model writes and solves tasks, and what is proven and new is kept."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from command_line import Run
from drafting_model import ASKED, CHAT, TEXT_SISTER, WIFI, DraftingModel
from model_server import KEY, RESET, Answer, ModelServer, Request

from pytest_toolsandbox.authoring.drafting import attempts
from pytest_toolsandbox.commands import draft as draft_command

PAGE = (Path(__file__).parents[2] / "docs" / "draft.md").read_text(encoding="utf-8")
MODEL = "--model=openai/stub"
LAMP = {"name": "lamp", "opening": "Turn on the lamp in the kitchen."}
LOST = {"name": "lost", "opening": "The model does not answer this."}


@pytest.fixture
def server(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModelServer]:
    del folder
    with ModelServer() as started:
        started.replace_openai(monkeypatch)
        yield started


def test_what_is_proven_and_new_is_written(run: Run, server: ModelServer) -> None:
    again = {**TEXT_SISTER, "name": "again"}
    model = DraftingModel([TEXT_SISTER, {**WIFI, "tools": ["set_wifi"]}, WIFI, CHAT, again])
    server.will_say(model)
    printed = run("draft", "phone", MODEL, "--count=5", "-o", "new")
    assert printed.out in PAGE
    assert Path("new/text_my_sister.scenario.yaml").read_text(encoding="utf-8") in PAGE
    assert printed.status == 0
    played = [request.body["messages"][0] for request in server.requests[1:]]
    assert len({message["content"] for message in played}) == 2, "it plays again in another way"
    assert run("check", "new").status == 0
    assert not any(KEY in file.read_text() for file in Path("new").iterdir())
    server.will_say(DraftingModel([TEXT_SISTER]))
    printed = run("draft", "phone", MODEL, "--count=1", "-o", "new", "--beside=new", "--seed=2")
    assert (printed.status, "near-duplicate" in printed.lines[0]) == (1, True)
    server.will_say(DraftingModel([{**TEXT_SISTER, "opening": WIFI["opening"]}]))
    printed = run("draft", "phone", MODEL, "--count=1", "-o", "new", "--solutions=1")
    assert printed.lines[0].startswith("wrote new/text_my_sister_2.scenario.yaml")


def test_an_outage_keeps_what_is_written(
    run: Run, server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(draft_command, "AT_ONCE", 2)
    model = DraftingModel([LOST, WIFI], [TEXT_SISTER])

    def answer(request: Request) -> Answer:
        if "tools" in request.body and LOST["opening"] in str(request.body["messages"]):
            time.sleep(0.5)  # the other draft is played meanwhile
        return model(request)

    server.will_say(answer)
    printed = run("draft", "phone", MODEL, "--count=4", "--concurrency=4")
    assert printed.status == 1
    assert printed.lines[0].startswith("wrote drafted/wifi_off.scenario.yaml")
    assert printed.err.endswith("check OPENAI_API_KEY; not played, so not judged: lost\n")
    server.will_say(DraftingModel())
    printed = run("draft", "phone", MODEL)
    assert printed.status == 1
    assert printed.err.startswith("stopped: openai/stub: the provider refuses the API key (401)")


def test_ctrl_c_keeps_what_is_written(
    run: Run, server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object) -> str:
        raise KeyboardInterrupt

    server.will_say(DraftingModel([WIFI, TEXT_SISTER]))
    monkeypatch.setattr(attempts, "near_duplicate", lambda *_: "")
    first = iter([lambda *_: ""])
    monkeypatch.setattr(attempts, "near_duplicate", lambda *_: next(first, interrupted)())
    printed = run("draft", "phone", MODEL, "--count=2")
    assert (printed.status, "interrupted" in printed.err) == (130, True)
    assert printed.lines[0].startswith("wrote drafted/wifi_off.scenario.yaml")
    assert printed.lines[-4].endswith("written")


def test_a_budget_ends_it(run: Run, server: ModelServer) -> None:
    server.will_say(DraftingModel([WIFI], [TEXT_SISTER]))
    printed = run("draft", "phone", MODEL, "--count=6", "--max-tokens=5")
    assert printed.status == 1
    assert "stopped: budget: --max-tokens=5 are used" in printed.err


@pytest.mark.parametrize(
    ("user", "reply"),
    [
        ("scripted", r"replies: [{when: '\b(?:wifi|what)[^?]*\?', say: The wifi.}]"),
        ("openai/stub", "replies: [{say: I mean the wifi.}]"),
    ],
)
def test_the_user_answers(user: str, reply: str, run: Run, server: ModelServer) -> None:
    server.will_say(DraftingModel([ASKED]))
    printed = run("draft", "phone", MODEL, "--count=1", f"--user={user}")
    assert printed.status == 0, printed
    written = Path("drafted/asked_back.scenario.yaml").read_text(encoding="utf-8")
    assert reply in written


def test_several_agents_play(run: Run, server: ModelServer) -> None:
    Path("ways.py").write_text(LOOKS, encoding="utf-8")
    server.will_say(DraftingModel([WIFI]))
    agents = ("--agent=openai/stub", "--agent=ways:looks", "--solutions=1")
    printed = run("draft", "phone", MODEL, "--count=1", *agents)
    assert printed.lines[0] == "wrote drafted/wifi_off.scenario.yaml: 7 of 7 mutants died"
    text = Path("drafted/wifi_off.scenario.yaml").read_text(encoding="utf-8")
    assert "same_facts: Off." in text, "the shortest of two reports"
    assert "get_wifi_status" not in text, "a look that makes no difference"


def test_it_is_replayed_from_cassettes(run: Run, server: ModelServer) -> None:
    server.will_say(DraftingModel([WIFI, CHAT, TEXT_SISTER]))
    first = run("draft", "phone", MODEL, "--count=3", "--record=new")
    written = {file: file.read_text(encoding="utf-8") for file in Path("drafted").glob("*.yaml")}
    assert len(written) == 2
    for file in written:
        file.unlink()
    server.will_say(lambda _: RESET)
    again = run("draft", "phone", MODEL, "--count=3", "--record=replay")
    assert again == first
    assert written == {file: file.read_text(encoding="utf-8") for file in written}
    assert not any(KEY in file.read_text() for file in Path("drafted").rglob("*.cassette.yaml"))
    lacking = run("draft", "phone", MODEL, "--count=2", "--record=replay")
    assert (lacking.status, "is not recorded" in lacking.err) == (1, True)


def test_a_world_of_a_module(run: Run, server: ModelServer) -> None:
    Path("lamps.py").write_text(LAMPS, encoding="utf-8")
    model = DraftingModel([LAMP])
    server.will_say(model)
    printed = run("draft", "lamps:lamps", MODEL, "--count=1")
    assert printed.status == 0, printed
    assert "leave state empty" in model.asked[0]
    assert "a conftest.py above the scenarios must call register_world" in printed.err
    assert "state: {lamp: {" in Path("drafted/lamp.scenario.yaml").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["phon", MODEL], "unknown world 'phon'; did you mean 'phone'?"),
        (["emporium", MODEL], "each conftest.py here, above --output, and of --beside is read"),
        (["nowhere:world", MODEL], "nowhere:world: there is no module nowhere"),
        (["broken:world", MODEL], "the world 'broken' cannot begin: initial raised"),
        (["broken:idle", MODEL], "the world 'idle' has no tools for an agent"),
        (["broken:idle.name", MODEL], "broken:idle.name is a str, not a World"),
        (["phone", "--model=gptt"], "--model=gptt is not a model; did you mean 'gpt'?"),
        (["phone", "--model=json:dumps"], "--model=json:dumps"),
        (["phone", MODEL, "--agent=oracl"], "there is no such agent; did you mean 'oracle'?"),
        (["phone", MODEL, "--user=scriptd"], "there is no such user"),
        (["phone", MODEL, "--output=broken.py/new"], "broken.py is no folder"),
        (["phone", MODEL, "--beside=nowhere"], "--beside nowhere cannot be used"),
    ],
)
def test_what_cannot_be_drafted(arguments: list[str], problem: str, run: Run, folder: Path) -> None:
    (folder / "broken.py").write_text(BROKEN, encoding="utf-8")
    printed = run("draft", *arguments)
    assert printed.status == 1
    assert problem in printed.err


LOOKS = """
def looks(messages, tools):
    calls = [("get_wifi_status", "{}"), ("set_wifi_status", '{"on": false}')]
    made = sum(message["role"] == "assistant" for message in messages)
    if made == len(calls):
        return "Off."
    name, arguments = calls[made]
    call = {"id": str(made), "function": {"name": name, "arguments": arguments}}
    return {"role": "assistant", "content": None, "tool_calls": [call]}
"""
BROKEN = """
from datetime import UTC, datetime
from pytest_toolsandbox import *

@tool("waiting")
def wait() -> None:
    \"\"\"Wait.\"\"\"

now = datetime(2025, 1, 1, tzinfo=UTC)
world = World("broken", now, {}, [wait], lambda now: 1 / 0)
idle = World("idle", now, {}, [], lambda now: {})
"""
LAMPS = '''
from datetime import UTC, datetime
from pytest_toolsandbox import *

class House:
    def __init__(self) -> None:
        self.lamp = [{"room": "kitchen", "on": False}, {"room": "bath", "on": False}]

    def turn_on(self, room: str) -> str:
        """Turn on the lamp of a room."""
        for lamp in self.lamp:
            if lamp["room"] == room:
                lamp["on"] = True
                return f"The lamp in the {room} is on."
        raise ValueError("there is no lamp")

lamps = World.of(House, state=["lamp"], name="lamps", raises=(ValueError,))
'''

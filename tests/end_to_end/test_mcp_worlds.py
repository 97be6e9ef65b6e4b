"""Scenarios whose world is an MCP server, from the kept file to the end of its processes."""

from __future__ import annotations

import json
import re
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
from command_line import Printed, Run
from desk import Suite
from left_behind import still_running
from mcp_servers import SERVER, listening

from pytest_toolsandbox.__main__ import main

SCENARIO = """
world: {{name: shop, mcp: {{{settings}, tables: {{orders: {{tool: list_orders, key: order_id}}}}}}}}
user: {{opening: Cancel my order A-1.}}
milestones:
  cancelled: {{state: {{orders: {{updated: [{{order_id: A-1, status: cancelled}}]}}}}}}
  user_told: {{says: {{mentions: [cancelled]}}}}
solutions:
  directly: [{{cancel_order: {{order_id: A-1}}}}, {{say: It is cancelled.}}]
counterexamples:
  another: [{{cancel_order: {{order_id: A-2}}}}, {{say: It is cancelled.}}]
"""
Write = Callable[..., None]


def over_stdio(*habits: str, more: str = "") -> str:
    return f"command: {json.dumps(['python', '-IS', SERVER, 'stdio', *habits])}{more}"


@pytest.fixture
def run(suite: Suite, capsys: pytest.CaptureFixture[str]) -> Run:
    del suite

    def run(*arguments: object) -> Printed:
        capsys.readouterr()
        status = main([str(argument) for argument in arguments])
        return Printed(status, *capsys.readouterr())

    return run


@pytest.fixture
def write(suite: Suite, run: Run) -> Write:
    """Write a scenario of a server, and its kept file."""

    def write(settings: str, *, text: str = SCENARIO, pulls: bool = True) -> None:
        suite.write("cancel.scenario.yaml", text.format(settings=settings))
        if pulls:
            printed = run("worlds", "pull", ".")
            assert printed.status == 0, printed

    return write


@pytest.mark.parametrize(
    ("habits", "reset"), [((), ""), (("reads", "structured"), ", reset: reset")]
)
def test_a_scenario_plays_with_a_server_of_its_own(
    habits: tuple[str, ...], reset: str, suite: Suite, write: Write, run: Run
) -> None:
    # The proof calls all tools that may change something, and one of them hangs.
    write(over_stdio(*habits, more=f"{reset}, timeout: 3"))
    played = suite.run("--agent=oracle", "--sandbox-trials=5", "--sandbox-results=results.jsonl")
    played.assert_outcomes(passed=1)
    assert [record["scores"]["score"] for record in suite.records()] == [1.0] * 5
    assert run("check", ".").status == 0


DUAL = """
world: {{name: shop, mcp: {{{settings}, tables: {{orders: {{tool: list_orders, key: order_id}}}}}}}}
user: {{opening: {{say: Is it cancelled?, do: [{{cancel_order: {{order_id: A-1}}}}]}}}}
milestones:
  cancelled: {{state: {{orders: {{updated: [{{order_id: A-1, status: cancelled}}]}}}}, by: user}}
solutions: {{directly: [{{list_orders: {{}}}}, {{say: It is cancelled.}}]}}
"""


def test_a_tool_of_the_server_may_be_the_user_s(suite: Suite, write: Write) -> None:
    write(over_stdio(more=", user_tools: [cancel_order]"), text=DUAL)
    suite.run("--agent=oracle", "--sandbox-results=results.jsonl").assert_outcomes(passed=1)
    (record,) = suite.records()
    assert record["user_tools"] == ["cancel_order"]
    assert "cancel_order" not in record["tools"]
    write(over_stdio(more=", user_tools: [cancel]"), text=DUAL, pulls=False)
    line = "the world 'shop': user_tools names 'cancel', which is not a tool of the server"
    assert line in suite.run("--agent=oracle").stdout.str()


def test_the_kept_file_has_tools_and_first_rows(suite: Suite, write: Write, run: Run) -> None:
    write(over_stdio())
    printed = run("worlds", "pull", ".")
    assert printed.lines == ["wrote shop.world.json: 13 tools, orders (3 rows)"]
    kept = json.loads((suite.path / "shop.world.json").read_text())
    assert [tool["name"] for tool in kept["tools"]][:3] == ["list_orders", "cancel_order", "reset"]
    assert kept["tables"]["orders"][1] == {"order_id": "A-1", "status": "open"}


def test_a_reset_gets_the_arguments_of_the_scenario(suite: Suite, write: Write) -> None:
    text = SCENARIO.replace("mcp:", "with: {{status: waiting}}, mcp:")
    text = text.replace("updated: [{{order_id: A-1, status: cancelled}}]", "unchanged: true")
    write(over_stdio(more=", reset: reset"), text=text)
    suite.run("--agent=oracle", "--sandbox-results=results.jsonl").assert_outcomes(passed=1)
    (record,) = suite.records()
    errors = [message["error"] for message in record["messages"] if message.get("error")]
    assert errors == ["ToolError: ValueError: it is not open see"]
    write(over_stdio(), text=text, pulls=False)
    mistake = "world.with: the world 'shop' takes arguments only with reset:"
    assert mistake in suite.run("--agent=oracle").stdout.str()


def test_without_a_kept_file_the_command_is_named(suite: Suite, write: Write) -> None:
    write(over_stdio(), pulls=False)
    text = suite.run("--agent=oracle").stdout.str()
    assert (
        "world.mcp: the tools of the world 'shop' are not known yet; run: toolsandbox worlds pull ."
    ) in text


def test_a_server_with_other_tools_is_an_error_with_their_names(suite: Suite, write: Write) -> None:
    write(over_stdio())
    kept = suite.path / "shop.world.json"
    content = json.loads(kept.read_text())
    content["tools"] = [t for t in content["tools"] if t["name"] != "noisy"]
    content["tools"][1]["inputSchema"]["properties"]["reason"] = {}
    kept.write_text(json.dumps(content))
    played = suite.run("--agent=oracle")
    played.assert_outcomes(errors=1)
    assert (
        "MCP server shop: has other tools than the kept file: new are noisy; other arguments have "
        "cancel_order; run: toolsandbox worlds pull ."
    ) in played.stdout.str().replace("\n", "")


def test_a_server_that_begins_with_other_rows_is_an_error(suite: Suite, write: Write) -> None:
    write(over_stdio())
    kept = suite.path / "shop.world.json"
    kept.write_text(kept.read_text().replace('"status": "open"', '"status": "new"', 1))
    played = suite.run("--agent=oracle")
    played.assert_outcomes(errors=1)
    text = "the world 'shop' begins with other rows in orders than the kept file has"
    assert text in played.stdout.str()


def test_each_server_has_its_own_copy_of_a_folder(
    suite: Suite, write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    orders = {"A-1": {"order_id": "A-1", "status": "open"}}
    suite.write("data/orders.json", json.dumps(orders))
    shared = ', env: {ORDERS: "data/orders.json"}'
    options = ["--agent=oracle", "--sandbox-trials=3"]
    write(over_stdio(more=shared.replace("data", "${folder}", 1) + ", folder: data"))
    suite.run(*options).assert_outcomes(passed=1)
    assert [path.name for path in tmp_path.glob("toolsandbox-*")] == []
    write(over_stdio(more=shared))
    suite.run(*options).assert_outcomes(errors=1)


def test_a_tool_that_lies_about_only_reading_is_an_error(suite: Suite, write: Write) -> None:
    solution = "directly: [{{list_orders: {{}}}}, "
    text = SCENARIO.replace("directly: [", solution)
    write(over_stdio("reads", "lies"), text=text)
    kept = suite.path / "shop.world.json"
    kept.write_text(kept.read_text().replace('"seen"', '"open"'))
    suite.run("--agent=oracle").assert_outcomes(errors=1)


@pytest.mark.parametrize(
    ("tool", "text"),
    [
        ("dies", "MCP server shop: ended with status 3 during dies()"),
        ("image", "MCP server shop: image() returned image; worlds have JSON and text only"),
        ("slow_input", "MCP server shop: answered slow_input() with error -32603"),
    ],
)
def test_what_a_server_does_wrong_is_an_error_of_the_item(
    tool: str, text: str, suite: Suite, write: Write
) -> None:
    scenario = SCENARIO.replace("directly: [", f"directly: [{{{{{tool}: {{{{}}}}}}}}, ")
    write(over_stdio(), text=scenario)
    played = suite.run("--agent=oracle", "--sandbox-results=results.jsonl")
    played.assert_outcomes(errors=1)
    assert text in played.stdout.str()
    assert [record["cause"] for record in suite.records()] == ["world"]


def test_what_a_tool_refuses_is_for_the_agent(suite: Suite, write: Write) -> None:
    twice = SCENARIO.replace("{{say: It is", "{{cancel_order: {{order_id: A-1}}}}, {{say: It is", 1)
    write(over_stdio(), text=twice)
    suite.run("--agent=oracle", "--sandbox-results=results.jsonl").assert_outcomes(passed=1)
    (record,) = suite.records()
    errors = [message["error"] for message in record["messages"] if message.get("error")]
    assert errors == ["ToolError: ValueError: it is not open see"]


def test_conversations_with_a_shared_server_are_played_one_at_a_time(
    suite: Suite, write: Write
) -> None:
    with listening() as url:
        write(f"url: {json.dumps(url)}, reset: reset")
        options = ["--sandbox-trials=3", "--sandbox-concurrency=4"]
        suite.run("--agent=oracle", *options).assert_outcomes(passed=1)
        suite.write("again.scenario.yaml", (suite.path / "cancel.scenario.yaml").read_bytes())
        played = suite.run("--agent=oracle", *options)
        played.assert_outcomes(passed=2)
        text = "one at a time: all conversations of the world 'shop' share its state (2)"
        assert text in played.stdout.str()
        suite.run_apart("--agent=oracle", "-n2", *options).assert_outcomes(passed=2)


def test_conversations_that_a_header_keeps_apart_are_played_at_once(
    suite: Suite, write: Write
) -> None:
    with listening() as url:
        write(f'url: {json.dumps(url)}, headers: {{X-Shop: "${{conversation}}"}}')
        options = ["--sandbox-trials=6", "--sandbox-concurrency=6"]
        played = suite.run("--agent=oracle", *options)
        played.assert_outcomes(passed=1)
        assert "one at a time" not in played.stdout.str()


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
@pytest.mark.parametrize("stop", ["", "os.kill(os.getpid(), 2)", "os.kill(os.getpid(), 9)"])
def test_no_server_is_left_when_a_run_ends(
    stop: str, suite: Suite, write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(over_stdio())
    monkeypatch.setenv("HOME", str(tmp_path))
    agent = f"""
import os
turns = []

def agent(messages, tools):
    if messages[-1]["role"] == "tool":
        turns.append(1)
        if len(turns) == 3:
            {stop or "pass"}
        return "It is cancelled."
    function = {{"name": "cancel_order", "arguments": '{{"order_id": "A-1"}}'}}
    return {{"content": None, "tool_calls": [{{"id": "1", "function": function}}]}}
"""
    suite.write("shop_agent.py", agent)
    suite.run_apart("--agent=shop_agent:agent", "--sandbox-trials=6", "-n1")
    assert still_running(tmp_path) == []


PAGE = Path(__file__).parents[2] / "docs/server-worlds.md"
FILES = re.findall(r"```\w+\n# shop/(\S+)\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)


def test_the_example_of_the_page_plays(suite: Suite, run: Run) -> None:
    files = dict(FILES)
    suite.write("conftest.py", "")
    suite.write("shop_server.py", files["shop_server.py"])
    suite.write("cancel.scenario.yaml", files["cancel.scenario.yaml"])
    assert run("worlds", "pull", ".").out in PAGE.read_text(encoding="utf-8")
    suite.run("--agent=oracle").assert_outcomes(passed=1)
    assert run("check", ".").status == 0
    suite.write("conftest.py", files["conftest.py"])
    _, rest = files["cancel.scenario.yaml"].split("user:", 1)
    suite.write("cancel.scenario.yaml", f"world: shop\nuser:{rest}")
    assert run("worlds", "pull", ".").lines == ["wrote shop.world.json: 2 tools, orders (1 row)"]
    suite.run("--agent=oracle").assert_outcomes(passed=1)

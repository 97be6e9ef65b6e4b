"""Scenarios whose world is a service that an OpenAPI document describes."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from command_line import Printed, Run
from desk import Suite
from shop_service import DOCUMENT, shop_service

from pytest_toolsandbox.__main__ import main
from pytest_toolsandbox.protocols import load_file
from pytest_toolsandbox.worlds.live.openapi import world
from pytest_toolsandbox.worlds.live.openapi.operations import operations_of

SCENARIO = """
world:
  name: shop
  openapi:
    document: DOCUMENT
    base_url: "URL"
    headers: {Authorization: "Bearer ${SHOP_KEY}", X-Tenant: "TENANT"}
    RESET
    timeout: 5
    tables: {orders: {tool: listOrders, key: id}}
user: {opening: Ship my order A-1.}
milestones:
  shipped: {state: {orders: {updated: [{id: A-1, status: shipped}]}}}
solutions:
  directly: [{changeOrder: {id: A-1, status: shipped}}, {say: It is shipped.}]
"""
Write = Callable[..., Printed]


@pytest.fixture
def url(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    monkeypatch.setenv("SHOP_KEY", "shop-key-0123")
    with shop_service() as address:
        yield address


@pytest.fixture
def run(suite: Suite, capsys: pytest.CaptureFixture[str]) -> Run:
    del suite

    def run(*arguments: object) -> Printed:
        capsys.readouterr()
        status = main([str(argument) for argument in arguments])
        return Printed(status, *capsys.readouterr())

    return run


@pytest.fixture
def write(suite: Suite, run: Run, url: str) -> Write:
    def write(
        *calls: str, document: str = "shop.json", tenant: str = "", reset: str = "reset: reset"
    ) -> Printed:
        suite.write("shop.json", json.dumps(DOCUMENT))
        text = SCENARIO.replace("DOCUMENT", document).replace("URL", url)
        text = text.replace("TENANT", tenant).replace("RESET", reset)
        text = text.replace("directly: [", "directly: [" + "".join(f"{call}, " for call in calls))
        suite.write("ship.scenario.yaml", text)
        return run("worlds", "pull", ".")

    return write


def test_a_scenario_plays_with_a_service(suite: Suite, write: Write) -> None:
    assert write().lines == [
        "wrote shop.world.json: 7 tools, orders (3 rows)",
        "  all conversations share its state, so they are played one at a time",
    ]
    suite.run("--agent=oracle", "--sandbox-trials=3").assert_outcomes(passed=1)


def test_conversations_that_a_header_keeps_apart_need_no_reset(suite: Suite, write: Write) -> None:
    assert write(tenant="${conversation}", reset="").status == 0
    options = ["--sandbox-trials=4", "--sandbox-concurrency=4"]
    suite.run("--agent=oracle", *options).assert_outcomes(passed=1)


def test_the_document_may_be_at_an_address(suite: Suite, write: Write, url: str) -> None:
    assert write(document=f"{url}/openapi.json").status == 0
    kept = json.loads((suite.path / "shop.world.json").read_text())
    assert kept["document"] == DOCUMENT
    suite.run("--agent=oracle").assert_outcomes(passed=1)


def test_without_a_reset_the_second_conversation_is_an_error(suite: Suite, write: Write) -> None:
    write(reset="")
    played = suite.run("--agent=oracle", "--sandbox-trials=2")
    played.assert_outcomes(errors=1)
    assert "begins with other rows in orders than the kept file has" in played.stdout.str()


def test_what_the_service_refuses_is_for_the_agent(suite: Suite, write: Write) -> None:
    write("{changeOrder: {id: A-9, status: gone}}", "{empty: {}}")
    suite.run("--agent=oracle", "--sandbox-results=results.jsonl").assert_outcomes(passed=1)
    (record,) = suite.records()
    errors = [message["error"] for message in record["messages"] if message.get("error")]
    assert errors == ['ToolError: 404 {"error": "no order A-9"}']


@pytest.mark.parametrize(
    ("call", "problem"),
    [
        ("{fails: {}}", "POST /fails: the service answered with status 503: down, key"),
        ("{page: {}}", "GET /fails: the service answered with text/html, not with JSON: <html>"),
    ],
)
def test_what_the_service_does_wrong_is_an_error(
    call: str, problem: str, suite: Suite, write: Write
) -> None:
    write(call)
    played = suite.run("--agent=oracle")
    played.assert_outcomes(errors=1)
    assert f"the world 'shop': {problem}" in played.stdout.str()
    assert "shop-key" not in played.stdout.str()


def test_without_a_key_it_is_an_error_and_not_the_agents_failure(
    suite: Suite, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    write()
    monkeypatch.setenv("SHOP_KEY", "another-key-4567")
    played = suite.run("--agent=oracle")
    played.assert_outcomes(errors=1)
    assert "DELETE /orders: the service answered with status 401" in played.stdout.str()
    monkeypatch.delenv("SHOP_KEY")
    text = suite.run("--agent=oracle").stdout.str()
    assert "needs the variable SHOP_KEY, which is not set" in text


def test_a_service_that_does_not_answer_is_an_error(suite: Suite, write: Write) -> None:
    write("{hangs: {}}")
    file = suite.path / "ship.scenario.yaml"
    file.write_text(file.read_text().replace("timeout: 5", "timeout: 0.2"))
    text = suite.run("--agent=oracle").stdout.str()
    assert "GET /hangs: the service did not answer within 0.2 s; timeout: sets another" in text


FIXTURE = """
import sys
sys.path.insert(0, {tests!r})
import pytest
from shop_service import shop_service

@pytest.fixture(scope={scope!r})
def shop_url():
    with shop_service() as url:
        yield url
"""


@pytest.mark.parametrize("scope", ["session", "function"])
def test_a_fixture_may_start_the_service(scope: str, suite: Suite, write: Write, run: Run) -> None:
    suite.conftest(FIXTURE.format(tests=str(Path(__file__).parents[1]), scope=scope))
    write()
    file = suite.path / "ship.scenario.yaml"
    file.write_text(re.sub(r'base_url: ".*"', 'base_url: "${fixture:shop_url}"', file.read_text()))
    suite.write("again.scenario.yaml", file.read_bytes())
    assert run("worlds", "pull", ".").status == 0
    suite.run("--agent=oracle").assert_outcomes(passed=2)
    suite.run_apart("--agent=oracle", "-n2").assert_outcomes(passed=2)


def test_a_fixture_that_is_not_there_is_named(suite: Suite, write: Write, run: Run) -> None:
    write()
    file = suite.path / "ship.scenario.yaml"
    file.write_text(re.sub(r'base_url: ".*"', 'base_url: "${fixture:shop}"', file.read_text()))
    assert "the fixture 'shop' is in no conftest.py" in run("worlds", "pull", ".").out


def test_scenarios_of_a_file_share_what_is_read_of_a_document(
    suite: Suite, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = []

    def counted(*parts: Any) -> Any:
        made.append(parts)
        return operations_of(*parts)

    monkeypatch.setattr(world, "operations_of", counted)
    suite.write("shop.json", json.dumps(DOCUMENT))
    settings = "{document: shop.json, base_url: 'http://127.0.0.1:1'}"
    scenario = "{user: {opening: Hi}, milestones: {said: {says: {mentions: [hi]}}}}"
    text = f"world: {{openapi: {settings}}}\nscenarios: {{a: {scenario}, b: {scenario}}}\n"
    suite.write("hi.scenario.yaml", text)
    assert len(load_file(suite.path / "hi.scenario.yaml")) == 2
    assert len(made) == 1

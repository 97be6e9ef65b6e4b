"""Services as agents: what they are told, and what they answer."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from model_server import Answer, ModelServer, Request, Response, body
from programs import CLIENT, PANTRY, as_told, named, played, problem, script_of
from scripted_model import ScriptedModel


@pytest.fixture
def service() -> Iterator[tuple[ModelServer, list[Any]]]:
    told: list[Any] = []
    script = script_of(ScriptedModel(PANTRY))
    code: dict[str, Any] = {}
    exec(CLIENT, code)  # what the programs have

    def answer(request: Request) -> Answer:
        told.append(request.body)
        return body({"reply": code["taken"](script, request.body["turn"], request.body["mcp"])})

    with ModelServer(answer) as server:
        yield server, told


def test_a_service_is_asked_by_post(service: tuple[ModelServer, list[Any]]) -> None:
    server, told = service
    agent = named(server.url)
    assert as_told(played(PANTRY, agent)) == as_told(ScriptedModel(PANTRY).reference)
    played(PANTRY, agent)
    first, second, third, _ = told
    assert set(first) == {"conversation", "turn", "mcp", "tools", "prompt"}
    assert (first["turn"], second["turn"]) == ("How much rice is there?", "The brown one.")
    assert first["conversation"] == second["conversation"] != third["conversation"]
    assert first["tools"] == PANTRY.tool_schemas
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+/[\w-]{22}/mcp", first["mcp"])


@pytest.mark.parametrize(
    ("response", "told"),
    [
        (Response(500, b"no\nroute"), "answered with status 500: no route"),
        (Response(200, b"hello"), "answered 'hello'; expected a JSON object"),
        (body({"answer": "Two."}), """answered with no 'reply'; expected {"reply": "…"}"""),
    ],
)
def test_services_that_give_no_reply(response: Response, told: str) -> None:
    with ModelServer([response]) as server:
        assert problem(server.url) == f"{server.url} {told}"


def test_an_unreachable_service() -> None:
    with ModelServer() as server:
        url = server.url
    assert problem(url).startswith(f"{url} cannot be reached: ")

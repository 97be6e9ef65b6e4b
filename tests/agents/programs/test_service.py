"""Services as agents: what they are told, and what they answer."""

from __future__ import annotations

import gzip
import re
import tracemalloc
import urllib.request
from collections.abc import Iterator
from typing import Any

import pytest
from model_server import Answer, ModelServer, Request, Response, body
from programs import CLIENT, PANTRY, as_told, named, played, problem, script_of
from scripted_model import ScriptedModel

from pytest_toolsandbox.conversation.play import PlayError


@pytest.fixture
def service() -> Iterator[tuple[ModelServer, list[Any]]]:
    bodies: list[Any] = []
    script = script_of(ScriptedModel(PANTRY))
    code: dict[str, Any] = {}
    exec(CLIENT, code)  # what the programs have

    def answer(request: Request) -> Answer:
        bodies.append(request.body)
        return body({"reply": code["taken"](script, request.body["turn"], request.body["mcp"])})

    with ModelServer(answer) as server:
        yield server, bodies


def test_a_service_is_asked_by_post(
    service: tuple[ModelServer, list[Any]], caplog: pytest.LogCaptureFixture
) -> None:
    server, bodies = service
    agent = named(server.url)
    caplog.set_level("DEBUG")
    assert as_told(played(PANTRY, agent)) == as_told(ScriptedModel(PANTRY).reference)
    played(PANTRY, agent)
    first, second, third, _ = bodies
    assert set(first) == {"conversation", "turn", "mcp", "tools", "prompt"}
    assert (first["turn"], second["turn"]) == ("How much rice is there?", "The brown one.")
    assert first["conversation"] == second["conversation"] != third["conversation"]
    assert first["tools"] == PANTRY.tool_schemas
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+/[\w-]{22}/mcp", first["mcp"])
    assert "/***/mcp" in caplog.text
    assert first["mcp"] not in caplog.text


@pytest.mark.parametrize(
    ("response", "reason"),
    [
        (Response(500, b"no\nroute"), "answered with status 500: no route"),
        (Response(200, b"hello"), "answered 'hello'; expected a JSON object"),
        (body({"answer": "Two."}), """answered with no 'reply'; expected {"reply": "…"}"""),
    ],
)
def test_services_that_give_no_reply(response: Response, reason: str) -> None:
    with ModelServer([response]) as server:
        assert problem(server.url) == f"{server.url} {reason}"


def test_an_unreachable_service() -> None:
    with ModelServer() as server:
        url = server.url
    assert problem(url).startswith(f"{url} cannot be reached: ")


def coded(how: str) -> dict[str, str]:
    return {"Content-Encoding": how}


BOMB = gzip.compress(b'{"reply": "' + b"." * 2**26 + b'"}')


@pytest.mark.parametrize(
    ("response", "reason"),
    [
        (
            Response(307, b"", {"Location": "http://a/b"}),
            "answered with status 307, a redirect to http://a/b; name the address that is meant",
        ),
        (
            Response(302, b"", {"Location": "http://[::b"}),
            "answered with status 302, a redirect to http://[::b; name the address that is meant",
        ),
        (Response(200, b"x" * (2**24 + 1)), "answered with more than 16777216 bytes"),
        (
            Response(200, BOMB, coded("gzip")),
            "answered with more than 16777216 bytes",
        ),
        (Response(200, b"{}", coded("gzip")), "answered with gzip that is broken"),
        (
            Response(200, b"{}", {"Content-Encoding": "br"}),
            "answered with Content-Encoding br; expected gzip",
        ),
    ],
    ids=["redirect", "no address", "long", "bomb", "broken", "br"],
)
def test_answers_that_are_refused(response: Response, reason: str) -> None:
    with ModelServer([response]) as server:
        assert problem(server.url) == f"{server.url} {reason}"


@pytest.mark.parametrize("status", [301, 302, 303, 308])
def test_redirects_are_not_followed(status: int) -> None:
    with ModelServer(lambda _: body({"reply": "Two."})) as other:
        location = Response(status, b"", {"Location": f"{other.url}/turn"})
        with ModelServer([location]) as server:
            assert f"a redirect to {other.url}/turn" in problem(server.url)
        assert other.requests == []


def test_a_decompressed_answer_takes_little_memory() -> None:
    response = Response(200, BOMB, coded("gzip"))
    with ModelServer([response]) as server:
        agent = named(server.url)
        tracemalloc.start()
        try:
            with pytest.raises(PlayError, match="more than"):
                played(PANTRY, agent)
            _, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
    assert peak < 3 * 2**24


def test_a_compressed_answer() -> None:
    compressed = gzip.compress(b'{"reply": "Two."}')
    with ModelServer(lambda _: Response(200, compressed, coded("gzip"))) as server:
        conversation = as_told(played(PANTRY, named(server.url)))
    assert "Two." in [content for _, _, content, _ in conversation]


def test_conversations_share_no_cookies(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also not if the code that is tested has installed an opener with cookies."""
    installed = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
    monkeypatch.setattr("urllib.request._opener", installed)
    response = Response(200, b'{"reply": "Two."}', {"Set-Cookie": "session=1"})
    with ModelServer(lambda _: response) as server:
        agent = named(server.url)
        for _ in range(2):
            played(PANTRY, agent)
        assert not [request for request in server.requests if "cookie" in request.headers]

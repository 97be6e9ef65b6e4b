"""The tools of a conversation over MCP, as clients of other processes see them."""

from __future__ import annotations

import http.client
import json
import socket
import subprocess
import sys
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from typing import Any
from urllib.parse import urlsplit

import pytest
from pantry import scenario

from pytest_toolsandbox.agents import mcp_server
from pytest_toolsandbox.agents.mcp_requests import MAX_BYTES
from pytest_toolsandbox.agents.mcp_server import VERSIONS
from pytest_toolsandbox.agents.toolbox import Toolbox
from pytest_toolsandbox.conversation.messages import Trajectory
from pytest_toolsandbox.conversation.play import play
from pytest_toolsandbox.users.user import scripted_user

SCENE = scenario("user: {opening: How much rice is there?}")


def posted(
    url: str, body: bytes, headers: Mapping[str, str] | None = None, method: str = "POST"
) -> tuple[int, Any]:
    where = urlsplit(url)
    connection = http.client.HTTPConnection(where.hostname or "", where.port, timeout=300)
    try:
        connection.request(method, where.path, body, headers or {})
        response = connection.getresponse()
        text = response.read()
        return response.status, json.loads(text) if text else None
    finally:
        connection.close()


def asked(url: str, method: str, /, **params: Any) -> Any:
    request = {"jsonrpc": "2.0", "id": 7, "method": method, "params": params}
    status, answer = posted(url, json.dumps(request).encode())
    assert (status, answer["jsonrpc"], answer["id"]) == (200, "2.0", 7)
    return answer.get("result") or answer["error"]


@pytest.fixture
def url() -> Any:
    box = Toolbox(SCENE.tool_schemas)
    yield box.mcp_url
    box.close()


def playing(turn: Any) -> Trajectory:
    return play(SCENE, turn, scripted_user(SCENE))


def test_calls_belong_to_their_turn() -> None:
    def turn(_message: str, toolbox: Toolbox) -> str:
        calls: list[Any] = [("weigh", {"name": "rice"}), ("guess", {}), ("fail", {"how": "plain"})]
        results = [asked(toolbox.mcp_url, "tools/call", name=n, arguments=a) for n, a in calls]
        assert [result["isError"] for result in results] == [False, True, True]
        return "; ".join(result["content"][0]["text"] for result in results)

    trajectory = playing(turn)
    assert [execution.call.name for execution in trajectory.calls] == ["weigh", "guess", "fail"]
    assert trajectory.messages[-3].content.endswith("; ValueError: no good")


@pytest.mark.usefixtures("patience")
def test_calls_at_once_are_parallel() -> None:
    def turn(_message: str, toolbox: Toolbox) -> str:
        with ThreadPoolExecutor(2) as pool:
            call = {"name": "list_items", "arguments": {}}
            list(pool.map(lambda _: asked(toolbox.mcp_url, "tools/call", **call), range(2)))
        return "Done."

    assert [execution.batch for execution in playing(turn).calls] == [0, 0]


CLIENT = """
import json, sys, urllib.request
def ask(method, **given):
    request = {"jsonrpc": "2.0", "id": 1, "method": method, "params": given}
    with urllib.request.urlopen(sys.argv[1], json.dumps(request).encode()) as answer:
        return json.load(answer)["result"]
assert ask("initialize", protocolVersion="2025-06-18")["protocolVersion"] == "2025-06-18"
(name,) = [one["name"] for one in ask("tools/list")["tools"] if one["name"] == "weigh"]
print(ask("tools/call", name=name, arguments={"name": "rice"})["content"][0]["text"])
ask("tools/call", name="add_item", arguments={"name": "rye"})
print(ask("tools/call", name="list_items", arguments={})["content"][0]["text"].count("rye"))
"""


def in_another_process(_message: str, toolbox: Toolbox) -> str:
    command = [sys.executable, "-c", CLIENT, toolbox.mcp_url]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


@pytest.mark.usefixtures("warm")
def test_sixteen_clients_in_processes_of_their_own() -> None:
    with ThreadPoolExecutor(16) as pool:
        trajectories = list(pool.map(lambda _: playing(in_another_process), range(16)))
    for trajectory in trajectories:
        assert [execution.call.name for execution in trajectory.calls] == [
            "weigh",
            "add_item",
            "list_items",
        ]
        weight, ryes = trajectory.messages[-3].content.splitlines()
        assert json.loads(weight)["kilograms"] == pytest.approx(2.46912)
        assert ryes == "1"  # the world is that of one conversation


def test_many_conversations_at_once() -> None:
    def turn(_message: str, toolbox: Toolbox) -> str:
        return "; ".join(
            asked(toolbox.mcp_url, "tools/call", name="add_item", arguments={"name": "rye"})[
                "content"
            ][0]["text"]
            for _ in range(3)
        )

    with ThreadPoolExecutor(16) as pool:
        trajectories = list(pool.map(lambda _: playing(turn), range(16)))
    assert [len(trajectory.calls) for trajectory in trajectories] == [3] * 16
    assert (
        len({trajectory.messages[-3].content for trajectory in trajectories}) == 1
    )  # the same world for each


def test_a_call_after_the_conversation_gets_an_error(url: str) -> None:
    result = asked(url, "tools/call", name="list_items", arguments={})
    assert result["isError"]
    assert result["content"][0]["text"] == (
        "list_items: called when no turn was under way; call tools within run_turn"
    )


def test_the_address_ends_with_the_conversation() -> None:
    urls = []

    def turn(message: str, toolbox: Toolbox) -> str:
        urls.append(toolbox.mcp_url)
        return message

    playing(turn)
    playing(turn)
    assert len(set(urls)) == 2
    assert {posted(url, b"{}") for url in urls} == {(404, None)}


@pytest.mark.parametrize("version", [*VERSIONS, "2031-01-01", None])
def test_versions_that_are_spoken(url: str, version: str | None) -> None:
    result = asked(url, "initialize", protocolVersion=version)
    assert result["protocolVersion"] == (version if version in VERSIONS else "2025-11-25")
    assert result["capabilities"] == {"tools": {"listChanged": False}}
    assert result["serverInfo"]["name"] == "toolsandbox"


def test_tools_are_listed_with_their_schemas(url: str) -> None:
    tools = asked(url, "tools/list")["tools"]
    assert [tool["name"] for tool in tools] == [s["function"]["name"] for s in SCENE.tool_schemas]
    assert {tool["inputSchema"]["type"] for tool in tools} == {"object"}


def test_other_methods_of_the_protocol(url: str) -> None:
    assert posted(url, b'{"jsonrpc": "2.0", "id": 1, "method": "ping"}')[1]["result"] == {}
    assert asked(url, "server/discover") == {
        "code": -32601,
        "message": "there is no method server/discover",
    }
    assert posted(url, b'{"jsonrpc": "2.0", "method": "notifications/initialized"}') == (202, None)
    assert posted(url, b"", method="GET") == (405, None)
    assert posted(url, b"", method="DELETE") == (405, None)


def test_a_list_of_messages_as_older_clients_send_it(url: str) -> None:
    ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    notice = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    status, answers = posted(url, json.dumps([ping, notice, ping]).encode())
    assert (status, [answer["id"] for answer in answers]) == (200, [1, 1])


@pytest.mark.parametrize(
    ("body", "code"), [(b"{", -32700), (b"[" * 100_000, -32700), (b"3", -32600), (b"{}", -32600)]
)
def test_a_malformed_request(url: str, body: bytes, code: int) -> None:
    assert posted(url, body)[1]["error"]["code"] == code


def raw(url: str, sent: bytes, then: bytes = b"") -> bytes:
    """Send bytes, wait for an answer if more is sent ``then``, and return all that comes back."""
    where = urlsplit(url)
    with socket.create_connection((where.hostname or "", where.port or 0), timeout=60) as client:
        client.sendall(sent.replace(b"PATH", where.path.encode()))
        received = client.recv(65536) if then else b""
        client.sendall(then)
        client.shutdown(socket.SHUT_WR)
        while piece := client.recv(65536):
            received += piece
    return received


HEAD = b"POST PATH HTTP/1.1\r\nHost: localhost\r\n"
CHUNKED = HEAD + b"Transfer-Encoding: chunked\r\n\r\n"
PING = b'{"jsonrpc": "2.0", "id": 1, "method": "ping"}'


def chunks(*pieces: bytes) -> bytes:
    return b"".join(b"%x\r\n%s\r\n" % (len(piece), piece) for piece in (*pieces, b""))


def test_a_client_that_breaks_off(url: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert b" 400 " in raw(url, HEAD + b"Content-Length: 100\r\n\r\n{")
    assert capfd.readouterr().err == ""


def test_bodies_in_chunks(url: str) -> None:
    twice = raw(url, (CHUNKED + chunks(PING[:7], PING[7:])) * 2)
    assert twice.count(b" 200 OK") == twice.count(b'"result": {}') == 2
    extended = PING[:1].join([b"1;name=value\r\n", b"\r\n"])
    extended += b"%X\r\n%s\r\n0\r\nTrailer: x\r\n\r\n" % (len(PING) - 1, PING[1:])
    assert b'"result": {}' in raw(url, CHUNKED + extended)


def test_a_client_that_waits_before_it_sends_its_body(url: str) -> None:
    head = HEAD + b"Expect: 100-continue\r\nContent-Length: %d\r\n\r\n" % len(PING)
    answer = raw(url, head, then=PING)
    assert answer.startswith(b"HTTP/1.1 100 Continue\r\n\r\n")
    assert b'"result": {}' in answer


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        (HEAD + b"Content-Length: many\r\n\r\n", b"400"),
        (HEAD + b"Content-Length: -1\r\n\r\n", b"400"),
        (HEAD + b"Transfer-Encoding: gzip\r\n\r\n", b"501"),
        (CHUNKED + b"z\r\n", b"400"),
        (CHUNKED + b"\r\n", b"400"),
        (CHUNKED + b"3\r\nabcd\r\n0\r\n\r\n", b"400"),
        (CHUNKED + b"5\r\nab", b"400"),
        (CHUNKED + b"0\r\n" + b"x" * 5000, b"400"),
        (CHUNKED + b"%x\r\n" % (MAX_BYTES + 1), b"413"),
        (CHUNKED + chunks(b" " * MAX_BYTES, b" "), b"413"),
        (HEAD + b"Content-Length: %d\r\n\r\n" % (MAX_BYTES + 1) + b" " * MAX_BYTES, b"413"),
    ],
    ids=lambda value: value.decode().strip()[-24:].strip(),
)
def test_a_body_that_cannot_be_read_ends_the_connection(
    url: str, sent: bytes, status: bytes
) -> None:
    answer = raw(url, sent)
    assert answer.split()[1] == status
    assert b"Connection: close" in answer


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Host": "localhost:1"}, 202),
        ({"Host": "LocalHost"}, 202),
        ({"Host": "evil.example"}, 403),
        ({"Origin": "http://localhost:3000"}, 202),
        ({"Origin": "https://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": "http://[::1"}, 403),
    ],
)
def test_only_this_machine_is_served(url: str, headers: dict[str, str], status: int) -> None:
    assert posted(url, b'{"method": "notifications/x"}', headers)[0] == status


def head_of(url: str, *lines: str, path: str = "", method: str = "POST") -> bytes:
    """Return a head with these lines, and a host and a large length unless they are among them."""
    sent_headers = ("Host: localhost", "Content-Length: 300000000")
    names = {line.partition(":")[0] for line in lines}
    rest = (line for line in sent_headers if line.partition(":")[0] not in names)
    first = f"{method} {path or urlsplit(url).path} HTTP/1.1"
    return "\r\n".join([first, *rest, *lines, "", ""]).encode()


def at_once(url: str, sent: bytes) -> bytes:
    """Send bytes, and return the answer to them while the connection stays open."""
    where = urlsplit(url)
    with socket.create_connection((where.hostname or "", where.port or 0), timeout=60) as client:
        client.sendall(sent)
        received = b""
        while piece := client.recv(65536):
            received += piece
    return received


@pytest.mark.parametrize(
    ("lines", "request_line", "status"),
    [
        ((), {"path": "/guessed/mcp"}, b"404"),
        ((), {"path": "/"}, b"404"),
        ((), {"method": "GET"}, b"405"),
        ((), {"method": "BREW"}, b"405"),
        ((), {}, b"413"),
        (("Content-Length: " + "9" * 5000,), {}, b"413"),
        (("Content-Length: -1",), {}, b"400"),
        (("Content-Length: -1",), {"path": "/guessed/mcp"}, b"404"),
        (("Content-Length: +2",), {}, b"400"),
        (("Content-Length: 2", "Content-Length: 2"), {}, b"400"),
        (("Content-Length: 2", "Transfer-Encoding: chunked"), {}, b"400"),
        (("Host: evil.example",), {}, b"403"),
        (("Host: evil.example", "Content-Length: -1"), {}, b"403"),
        (("Host: [::1",), {}, b"400"),
        (("Host: localhost:port",), {}, b"400"),
        (("Host: user@localhost",), {}, b"400"),
        (("Host: ",), {}, b"400"),
        (("Host: localhost", "Host: localhost"), {}, b"400"),
        (("no colon",), {}, b"400"),
        (("Name : value",), {}, b"400"),
        ((), {"path": "http://[/mcp"}, b"400"),
        (tuple(f"X-{i}: x" for i in range(101)), {}, b"431"),
        (("X: " + "x" * 40_000,), {}, b"431"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_a_request_is_refused_before_its_body_is_read(
    url: str, lines: tuple[str, ...], request_line: dict[str, str], status: bytes
) -> None:
    answer = at_once(url, head_of(url, *lines, **request_line))
    assert answer.split()[1] == status
    assert b"Connection: close" in answer


def test_a_body_without_a_length(url: str) -> None:
    assert at_once(url, HEAD.replace(b"PATH", urlsplit(url).path.encode()) + b"\r\n").split()[
        1
    ] == (b"411")


def test_little_of_a_refused_body_is_read(url: str) -> None:
    where = urlsplit(url)
    with socket.create_connection((where.hostname or "", where.port or 0), timeout=60) as client:
        client.sendall(head_of(url, "Content-Length: -1"))
        with pytest.raises(ConnectionError):
            client.sendall(b"x" * 48 * 2**20)


@pytest.mark.parametrize("sent", [b"POST", HEAD + b"Content-Length: 9\r\n\r\n{"])
def test_a_request_takes_only_so_long(
    url: str, sent: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mcp_server, "_HEAD_SECONDS", 0.05)
    monkeypatch.setattr(mcp_server, "_BODY_SECONDS", 0.05)
    answer = at_once(url, sent.replace(b"PATH", urlsplit(url).path.encode()))
    assert answer.split()[1] == b"408"


def test_connections_that_name_no_conversation_keep_none_from_its_tools(url: str) -> None:
    where = urlsplit(url)
    address = where.hostname or "", where.port or 0
    with ExitStack() as stack:
        clients = []
        for _ in range(300):
            clients.append(stack.enter_context(socket.create_connection(address, timeout=60)))
            clients[-1].sendall(b"POST")
        assert asked(url, "tools/list")
        with suppress(ConnectionResetError):
            assert clients[0].recv(1) == b""  # the oldest ones are closed


def test_a_connection_ends_with_its_conversation() -> None:
    box = Toolbox(SCENE.tool_schemas)
    where = urlsplit(box.mcp_url)
    with socket.create_connection((where.hostname or "", where.port or 0), timeout=60) as client:
        head = head_of(box.mcp_url, f"Content-Length: {len(PING)}")
        client.sendall(head + PING)
        assert client.recv(65536).startswith(b"HTTP/1.1 200 OK")
        box.close()
        assert client.recv(65536) == b""

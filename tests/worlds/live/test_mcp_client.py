"""What the client of MCP does with servers that do things wrong, over both transports."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import pytest
from left_behind import PATIENCE
from mcp_servers import command, http_client, listening, stdio_client

from pytest_toolsandbox.calls.tool_call import ToolCall
from pytest_toolsandbox.conversation.environment import ExecutionEnvironment
from pytest_toolsandbox.text.redaction import add_named_secrets
from pytest_toolsandbox.worlds.context import WorldError
from pytest_toolsandbox.worlds.live.kept_file import pulling
from pytest_toolsandbox.worlds.live.mcp import client as client_module
from pytest_toolsandbox.worlds.live.mcp.client import McpClient, RemoteError
from pytest_toolsandbox.worlds.live.mcp.results import (
    UnsupportedResultError,
    error_text,
    result_value,
)
from pytest_toolsandbox.worlds.live.mcp.stdio import StdioChannel
from pytest_toolsandbox.worlds.live.mcp.world import mcp_world


@pytest.fixture(autouse=True)
def _quick_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client_module, "GRACE", 0.1)


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with listening() as address:
        yield address


@pytest.fixture(params=["stdio", "http"])
def client(request: pytest.FixtureRequest) -> Iterator[McpClient]:
    over_http = request.param == "http"
    begun = http_client(request.getfixturevalue("url")) if over_http else stdio_client()
    with closing(begun):
        begun.start()
        yield begun


def value(client: McpClient, tool: str, **arguments: Any) -> Any:
    return result_value(client.call(tool, arguments))


def is_alive(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def wait_until_gone(process: int) -> None:
    end = time.monotonic() + PATIENCE
    while is_alive(process) and time.monotonic() < end:
        time.sleep(0.02)
    assert not is_alive(process)


on_linux = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")


def test_tools_of_all_pages_are_listed_and_called(client: McpClient) -> None:
    assert client.server == {"name": "hostile", "version": "1"}
    names = [tool["name"] for tool in client.tools()]
    assert names[:4] == ["list_orders", "cancel_order", "reset", "orders.list/all"]
    assert len(names) == 13
    value(client, "reset")
    assert value(client, "cancel_order", order_id="A-1")["status"] == "cancelled"
    assert [row["status"] for row in value(client, "list_orders")] == ["open", "cancelled", "open"]


def test_requests_of_the_server_are_answered_or_refused(client: McpClient) -> None:
    ping, sample = value(client, "asks")
    assert ping == {"jsonrpc": "2.0", "id": "s0", "result": {}}
    assert sample["error"] == {
        "code": -32601,
        "message": "this client has no sampling/createMessage",
    }


def test_errors_of_the_protocol_have_their_code(client: McpClient) -> None:
    with pytest.raises(RemoteError, match=r"Unknown tool: nope") as caught:
        client.call("nope", {})
    assert caught.value.code == -32602
    with pytest.raises(RemoteError, match="Internal error") as caught:
        client.call("slow_input", {})
    assert caught.value.code == -32603
    assert client.is_open


def test_a_changed_list_of_tools_is_noted(client: McpClient) -> None:
    has_changed = []
    for act in ("begin", "changes"):
        value(client, "changes") if act == "changes" else client.tools()
        has_changed.append(client.tools_changed)
    assert has_changed == [False, True]
    assert "added" in [tool["name"] for tool in client.tools()]


def test_a_call_that_never_ends_is_cancelled_and_ends_the_server(client: McpClient) -> None:
    with pytest.raises(WorldError) as caught:
        client.call("hangs", {}, 0.2)
    assert str(caught.value) == (
        "MCP server shop: did not answer hangs() within 0.2 s; timeout: sets another limit"
    )
    assert not client.is_open
    with pytest.raises(WorldError, match=r"it is closed, and gets no reset\(\)"):
        client.call("reset", {})


def test_other_lines_on_standard_output_are_skipped_and_shown(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with closing(stdio_client()) as client:
        client.start()
        assert value(client, "noisy") == "noisy"
        assert value(client, "noisy") == "noisy"
        expected = "it wrote 4 lines that are not a message to its standard output"
        assert client.remark == f"{expected}: 'hello from the tool'"
        with pytest.raises(WorldError) as caught:
            client.call("hangs", {}, 0.1)
    assert str(caught.value).endswith("; " + client.remark)
    assert [record.getMessage() for record in caplog.records] == [
        "shop: it wrote a line that is not a message to its standard output: 'hello from the tool'"
    ]


def test_an_exit_in_a_call_names_the_call_and_the_last_lines_of_stderr() -> None:
    add_named_secrets(["sk-hidden-0123456789"])
    with closing(stdio_client()) as client:
        client.start()
        with pytest.raises(WorldError) as caught:
            client.call("dies", {})
    text = str(caught.value)
    assert text.startswith("MCP server shop: ended with status 3 during dies(); its last lines of")
    assert "stderr: first | out of memory, key" in text
    assert "sk-hidden" not in text


def test_a_server_that_ended_by_itself_is_an_error_of_the_next_call() -> None:
    with closing(stdio_client()) as client:
        client.start()
        os.kill(value(client, "child"), 9)
        client._channel._process.kill()  # type: ignore[attr-defined]
        client._channel._process.status(10)  # type: ignore[attr-defined]
        with pytest.raises(WorldError, match=r"ended with status -?\d+ during reset\(\)"):
            client.call("reset", {})


def test_a_full_pipe_of_errors_does_not_stop_the_server() -> None:
    with closing(stdio_client("chatty")) as client:
        client.start()
        assert value(client, "reset") == "begun anew"


@on_linux
@pytest.mark.parametrize("habit", ["", "deaf"])
def test_children_of_a_server_end_with_it(habit: str) -> None:
    client = stdio_client(*filter(None, [habit]))
    client.start()
    child = value(client, "child")
    assert is_alive(child)
    client.close(0.2)
    wait_until_gone(child)
    client.close()


def test_a_program_that_does_not_exist_is_one_line() -> None:
    with pytest.raises(
        Exception, match="cannot be started: no-such-server: No such file"
    ) as caught:
        StdioChannel(["no-such-server"], os.environ, "shop")
    assert type(caught.value).__name__ == "ChannelError"


def test_a_program_that_speaks_something_else_ends_at_the_limit() -> None:
    script = "import sys; print('Usage: shop', flush=True); sys.stdin.read()"
    channel = StdioChannel([sys.executable, "-ISc", script], os.environ, "shop")
    while not channel._lines.qsize():
        time.sleep(0.01)
    with closing(McpClient(channel, "shop")) as client, pytest.raises(WorldError) as caught:
        client.start(0.1)
    assert str(caught.value) == (
        "MCP server shop: did not answer initialize within 0.1 s; it wrote a line that is not a "
        "message to its standard output: 'Usage: shop'"
    )


def test_an_argument_that_nobody_reads_ends_at_the_limit() -> None:
    script = "import time; time.sleep(600)"
    channel = StdioChannel([sys.executable, "-ISc", script], os.environ, "shop")
    with pytest.raises(TimeoutError):
        channel.send({"text": "x" * 1_000_000}, time.monotonic() + 0.2)
    channel.close(0)


def test_sessions_over_http_share_the_state_of_their_server(url: str) -> None:
    headers: list[dict[str, str]] = [{}, {}, {"X-Shop": "mine"}]
    with ExitStack() as stack:
        first, second, isolated = clients = [http_client(url, **header) for header in headers]
        for client in clients:
            stack.enter_context(closing(client))
            client.start()
        value(first, "reset")
        value(first, "cancel_order", order_id="A-2")
        assert value(second, "list_orders")[2]["status"] == "cancelled"
        assert value(isolated, "list_orders")[2]["status"] == "open"


@pytest.mark.parametrize(
    ("tool", "problem"),
    [
        ("forget", "does not know the session any more, as after a restart: it lost its state"),
        ("fails", "answered with status 503: upstream is down, key"),
        ("redirects", "redirects to http://elsewhere/; write that address, if it is the right one"),
    ],
)
def test_refusals_over_http_are_errors_of_the_world(tool: str, problem: str) -> None:
    add_named_secrets(["sk-hidden-0123456789"])
    with listening() as address, closing(http_client(address)) as client:
        client.start()
        with pytest.raises(WorldError) as caught:
            client.call(tool, {})
    text = str(caught.value)
    assert text.startswith("MCP server shop: ")
    assert problem.partition(";")[0] in text
    assert f"{tool}()" in text
    assert "sk-hidden" not in text


def test_answers_may_be_json_instead_of_a_stream() -> None:
    with listening("json") as address, closing(http_client(address)) as client:
        client.start()
        assert len(client.tools()) == 13
        assert value(client, "reset") == "begun anew"


def test_nobody_listens() -> None:
    problem = r"cannot be reached: .* during initialize"
    client = http_client("http://127.0.0.1:1/mcp")
    with closing(client), pytest.raises(WorldError, match=problem):
        client.start()


TEXTS = [{"type": "text", "text": text} for text in ("1", "two", '{"3": 4}')]
WRAPPED = {"type": "object", "properties": {"result": {}}}


@pytest.mark.parametrize(
    ("result", "schema", "expected"),
    [
        ({"content": TEXTS}, None, [1, "two", {"3": 4}]),
        ({"content": TEXTS[1:2]}, None, "two"),
        ({"content": []}, None, None),
        ({"content": TEXTS, "structuredContent": {"result": [5]}}, WRAPPED, [5]),
        ({"content": TEXTS, "structuredContent": {"result": [5]}}, None, {"result": [5]}),
        ({"content": [{"type": "text", "text": "NaN"}]}, None, "NaN"),
        ({"content": [{"type": "resource", "resource": {"text": "6"}}]}, None, 6),
    ],
)
def test_a_result_is_structured_content_or_blocks(result: Any, schema: Any, expected: Any) -> None:
    assert result_value(result, schema) == expected


def test_images_are_not_supported() -> None:
    blocks = [{"type": "image"}, {"type": "audio"}, {"type": "image"}, TEXTS[0]]
    with pytest.raises(UnsupportedResultError, match=r"^audio and image$"):
        result_value({"content": blocks})


def test_the_text_of_an_error_is_one_line_without_addresses() -> None:
    text = "1 validation error\n  For further information visit https://errors.pydantic.dev/2/v/x\n"
    assert error_text({"content": [{"type": "text", "text": text}]}) == "1 validation error"
    assert error_text({"content": []}) == "the tool failed"
    assert json.dumps(error_text({}))


def test_parallel_calls_are_tried_in_other_orders_with_further_servers(tmp_path: Path) -> None:
    tables = {"orders": {"tool": "list_orders", "key": "order_id"}}
    with pulling():
        world = mcp_world(command(), name="shop", here=tmp_path, tables=tables, warm=0)
    calls = [ToolCall(str(n), "cancel_order", '{"order_id": "A-1"}') for n in range(2)]
    with ExecutionEnvironment(world, world.now, world.shown()) as environment:
        execution = environment.execute(calls, world.start(world.now), 3)
    assert execution.all_tried
    first, second = (response for _, response in execution.outcomes)
    assert first.error is None
    assert second.error == "ToolError: ValueError: it is not open see"
    assert len(second.state.log) == 2

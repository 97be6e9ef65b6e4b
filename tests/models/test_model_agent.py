from __future__ import annotations

import asyncio
import errno
import gc
import json
import math
import os
import sys
import warnings
from concurrent.futures import ThreadPoolExecutor
from dataclasses import FrozenInstanceError, replace
from importlib.util import find_spec
from typing import Any

import pytest
from model_server import (
    CLOSE,
    DRIP,
    HANG,
    KEY,
    RESET,
    Answer,
    ModelServer,
    Request,
    Response,
    body,
    calls,
    choices,
    fault,
    message,
    text,
)

from pytest_toolsandbox.models import litellm_client
from pytest_toolsandbox.models.errors import AgentError
from pytest_toolsandbox.models.litellm_client import load_litellm
from pytest_toolsandbox.models.model_agent import ModelAgent

# Not pytest.importorskip: a bare import of litellm fetches a file from the network.
needs_litellm = pytest.mark.skipif(find_spec("litellm") is None, reason="needs litellm")


MESSAGES: list[dict[str, Any]] = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": "Text Ada."},
    {
        "role": "assistant",
        "content": "A moment.",
        "tool_calls": [
            {"id": "c1", "type": "function", "function": {"name": "find", "arguments": "{}"}}
        ],
    },
    {"role": "tool", "tool_call_id": "c1", "content": "[]"},
]
TOOLS: list[dict[str, Any]] = [
    {
        "type": "function",
        "function": {
            "name": "find",
            "description": "Find people.",
            "parameters": {
                "type": "object",
                "properties": {"name": {"type": "string", "description": "Whom"}},
                "required": [],
            },
        },
    }
]
SERVER = "check the model server, and the base URL if you set one"
NETWORK = "check the network, and the base URL if you set one"
NAME = "check its name, and the base URL if you set one"
REFUSED_KEY = "the provider refuses the API key (401)"
LIMIT = "the rate limit or the quota is used up (429)"
FEWER = "wait, or play fewer scenarios at a time"
WINDOW = "the conversation is longer than the model's context window"
WITHHELD = "the provider's content policy withheld the reply"
CUT = (
    "peer closed connection without sending complete message body (received 7 bytes, expected 500)"
)
WORDS = "change the scenario's words, or use another model"


@pytest.fixture
def stub(model_server: ModelServer, monkeypatch: pytest.MonkeyPatch, client: str) -> ModelAgent:
    model_server.replace_openai(monkeypatch)
    return ModelAgent(f"{client}openai/stub", timeout=30)


def problem(agent: ModelAgent) -> str:
    with pytest.raises(AgentError) as caught:
        agent(MESSAGES, TOOLS)
    return str(caught.value).removeprefix("litellm/")


def call(identifier: str, name: str | None, arguments: Any) -> dict[str, Any]:
    function = {"name": name, "arguments": arguments}
    return {"id": identifier, "type": "function", "function": function}


def reply_with(content: str | None, *tool_calls: dict[str, Any]) -> dict[str, Any]:
    """Return an assistant message, with calls if there are any."""
    reply = {"role": "assistant", "content": content}
    return {**reply, "tool_calls": [*tool_calls]} if tool_calls else reply


def ending(reason: str, content: str | None, **fields: Any) -> dict[str, Any]:
    """Return a choice as a provider's, that ended for this reason."""
    reply = {"role": "assistant", "content": content}
    return {"index": 0, "message": reply, "finish_reason": reason, **fields}


REPLIES: dict[str, tuple[Answer, dict[str, Any]]] = {
    "text": (text("Done."), reply_with("Done.")),
    "parallel calls": (
        calls(("find", {"name": "Ada"}), ("send", {"to": 7})),
        reply_with(
            None, call("call_1", "find", '{"name": "Ada"}'), call("call_2", "send", '{"to": 7}')
        ),
    ),
    "text and a call": (
        message(reply_with("Wait.", call("c", "find", "{}"))),
        reply_with("Wait.", call("c", "find", "{}")),
    ),
    "arguments that are not JSON": (
        calls(("find", '{"name": ')),
        reply_with(None, call("call_1", "find", '{"name": ')),
    ),
    "no arguments": (calls(("find", "")), reply_with(None, call("call_1", "find", ""))),
    "arguments as an object": (
        message(reply_with(None, call("c", "find", {"a": 1}))),
        reply_with(None, call("c", "find", '{"a": 1}')),
    ),
    "a call without a name": (
        message(reply_with(None, call("c", None, "{}"))),
        reply_with(None, call("c", "", "{}")),
    ),
    "extras": (
        message(
            reply_with("Done.")
            | {"reasoning_content": "Hm.", "refusal": None, "annotations": [], "mood": "good"}
        ),
        reply_with("Done.") | {"reasoning_content": "Hm.", "mood": "good"},
    ),
    "nothing": (message(reply_with(None)), reply_with("")),
    "a refusal": (
        message({**reply_with(None), "refusal": "I must not."}),
        reply_with("I must not."),
    ),
    **{
        name: (calls((tool, arguments)), reply_with(None, call("call_1", tool, arguments)))
        for name, tool, arguments in (
            ("digits that litellm cannot read", "find", '{"name": %s}' % ("9" * 9000)),
            ("too deep for litellm", "find", '{"name": %s}' % ("[" * 100_000 + "]" * 100_000)),
            ("a call of calls", "multi_tool_use.parallel", '{"tools": []}'),
        )
    },
}


@pytest.mark.parametrize(("answer", "reply"), REPLIES.values(), ids=REPLIES)
def test_reply(
    stub: ModelAgent, model_server: ModelServer, answer: Answer, reply: dict[str, Any]
) -> None:
    model_server.will(answer)
    assert stub(MESSAGES, TOOLS) == reply


def refusal(status: int, error: Any) -> Response:
    return Response(status, json.dumps({"error": error}).encode(), {})


@pytest.mark.parametrize(
    ("answer", "written"),
    [
        (
            refusal(
                400,
                {
                    "message": "Failed to call a function. See 'failed_generation'.",
                    "type": "invalid_request_error",
                    "code": "tool_use_failed",
                    "failed_generation": '<function=find{"name": "Ada\\n"}',
                },
            ),
            '<function=find{"name": "Ada\\n"}',
        ),
        (
            fault(500, "Failed to parse input at pos 11: <tool_call>{on: 'tr'"),
            "<tool_call>{on: 'tr'",
        ),
        (
            fault(
                500, "error parsing tool call: raw='{\"on\": tr', err=unexpected end of JSON input"
            ),
            '{"on": tr',
        ),
    ],
    ids=["Groq", "llama.cpp", "Ollama"],
)
def test_a_call_that_a_server_cannot_parse_is_the_model_s(
    stub: ModelAgent, model_server: ModelServer, answer: Answer, written: str
) -> None:
    model_server.will(answer)
    assert stub(MESSAGES, TOOLS) == reply_with(None, call("unreadable", "", written))
    assert len(model_server.requests) == 1


@pytest.mark.parametrize(
    ("content", "content_kept"),
    [
        ("<think>She is in my contacts.</think>Done.", "Done."),
        ("She is in my contacts.\n</think>\nDone.", "Done."),
        ("<think>One</think> <think>two</think>Done.", "Done."),
        ("[THINK]Contacts.[/THINK]Done.", "Done."),
        (
            "<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant<|channel|>final<|message|>Done.",
            "Done.",
        ),
        ("<|channel|>final<|message|>Done.<|return|>", "Done."),
        ("<think>She is in", ""),
        ("I think <think> is a tag.", "I think <think> is a tag."),
    ],
)
def test_thoughts_are_not_said(
    stub: ModelAgent, model_server: ModelServer, content: str, content_kept: str
) -> None:
    """Servers without a parser for a model's thoughts leave them in the content.

    The model gets them back, except marks of channels, which its own template refuses.
    """
    model_server.will(text(content), text("Well."))
    reply = stub(MESSAGES, TOOLS)
    assert reply["content"] == content_kept
    stub([*MESSAGES, reply], TOOLS)
    sent = content_kept if "<|channel|>" in content else content
    assert model_server.requests[-1].body["messages"][-1] == reply_with(sent)


@needs_litellm
@pytest.mark.parametrize(
    ("answer", "line"),
    [
        (
            body({"type": "error", "error": {"type": "overloaded", "message": "Too busy."}}),
            "the provider failed: Too busy; try again later",
        ),
        (body({"detail": "It loads."}), "the provider failed: It loads; try again later"),
        (
            body(
                {
                    "model": "stub",
                    "content": [],
                    "stop_reason": "model_context_window_exceeded",
                    "usage": {"input_tokens": 7, "output_tokens": 0},
                }
            ),
            (
                "the conversation is longer than the model's context window; "
                "use a model with a larger one"
            ),
        ),
        (
            Response(500, b"<html>Repair</html>"),
            "the provider failed (500): <html>Repair</html>; try again later",
        ),
        (Response(503, b""), "the provider failed (503); try again later"),
    ],
    ids=["an error", "a detail", "the window", "a web page", "nothing"],
)
def test_fault_of_anthropic_s(
    model_server: ModelServer, answer: Answer, line: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    model_server.will(answer)
    url = model_server.url.removesuffix("/v1")
    assert problem(ModelAgent("anthropic/stub", parameters={"api_base": url})) == (
        f"anthropic/stub: {line}"
    )
    assert len(model_server.requests) == 1


def test_a_body_that_is_nested_too_deeply_is_the_provider_s(
    stub: ModelAgent, model_server: ModelServer
) -> None:
    model_server.will(Response(500, b"[" * 50_000))
    assert problem(stub).startswith("openai/stub: the provider failed (500): [[[")


@pytest.mark.parametrize("usage", ["x", [], {"prompt_tokens": "many"}, {"prompt_tokens": math.inf}])
def test_a_malformed_usage_is_ignored(
    stub: ModelAgent, model_server: ModelServer, usage: Any
) -> None:
    whole = {**json.loads(text("Done.").body), "usage": usage}
    model_server.will(body(whole))
    assert stub(MESSAGES, TOOLS) == {"role": "assistant", "content": "Done."}


def test_request(stub: ModelAgent, model_server: ModelServer) -> None:
    """Parameters do not replace the model, the messages and the tools."""
    model_server.will(text("Done."), text("Done."))
    replaced = {"messages": [], "tools": [], "model": "openai/other"}
    replace(stub, parameters={"temperature": 0, "seed": 7, **replaced})(MESSAGES, TOOLS)
    stub(MESSAGES, [])
    request, without_tools = model_server.requests
    assert request.path == "/v1/chat/completions"
    assert request.headers["authorization"] == f"Bearer {KEY}"
    request_body = {"model": "stub", "messages": MESSAGES}
    assert request.body == {**request_body, "tools": TOOLS, "temperature": 0, "seed": 7}
    assert without_tools.body == request_body


@pytest.mark.parametrize("answer", [HANG, DRIP])
@pytest.mark.parametrize("is_parameter", [False, True])
def test_an_answer_that_does_not_come_in_time(
    stub: ModelAgent, model_server: ModelServer, answer: Answer, *, is_parameter: bool
) -> None:
    model_server.will(answer)
    time_limit = {"parameters": {"timeout": 0.4}} if is_parameter else {"timeout": 0.4}
    assert problem(replace(stub, **time_limit)) == (
        "openai/stub: no answer within 0.4 s; try again, or raise the timeout"
    )
    assert len(model_server.requests) <= 1  # on a slow machine it is given up before it arrives


def test_a_timeout_that_is_an_object_of_httpx(stub: ModelAgent, model_server: ModelServer) -> None:
    httpx = pytest.importorskip("httpx")
    model_server.will(HANG)
    assert problem(replace(stub, parameters={"timeout": httpx.Timeout(0.25)})) == (
        "openai/stub: no answer within the timeout; try again, or raise it"
    )


@pytest.mark.parametrize(
    ("name", "sent"),
    [
        ("find", "find"),
        ("calendar.add", "calendar_add"),
        ("add an event", "add_an_event"),
        ("", "unnamed"),
        ("übertragen", "_bertragen"),
        ("x" * 65, "x" * 64),
    ],
)
def test_names_that_an_api_refuses_are_sent_in_another_form(
    stub: ModelAgent, model_server: ModelServer, name: str, sent: str
) -> None:
    model_server.will(text("Done."))
    called = {"role": "assistant", "content": None, "tool_calls": [call("a", name, "{}")]}
    result = {"role": "tool", "tool_call_id": "a", "content": "NameError"}
    stub([*MESSAGES, called, result], TOOLS)
    messages = model_server.requests[0].body["messages"]
    assert messages[-2]["tool_calls"][0]["function"]["name"] == sent
    assert called["tool_calls"] == [call("a", name, "{}")]


def wrapped(arguments: str) -> str:
    return json.dumps({"unreadable_arguments": arguments})


@pytest.mark.parametrize(
    ("written", "sent"),
    [
        ('{"on": true}', '{"on": true}'),
        ('{ "on":1e3 , "on":2}', '{ "on":1e3 , "on":2}'),
        ("", "{}"),
        (" \n", "{}"),
        (" null", "{}"),
        *(
            (arguments, wrapped(arguments))
            for arguments in (
                *('{"on": tr', '{}""', "[true]", "3", '"on"', "on", '{"on": NaN}'),
                *('{"on": "a\nb"}', '{"on": ' * 5000),
            )
        ),
    ],
)
def test_unreadable_arguments_go_back_as_an_object(
    stub: ModelAgent, model_server: ModelServer, written: str, sent: str
) -> None:
    """Servers that parse the calls of earlier messages answer others with status 400."""
    model_server.will(text("Done."))
    called = {"role": "assistant", "content": None, "tool_calls": [call("a", "find", written)]}
    stub([*MESSAGES, called, {"role": "tool", "tool_call_id": "a", "content": "Error"}], TOOLS)
    messages = model_server.requests[0].body["messages"]
    assert messages[-2]["tool_calls"][0]["function"]["arguments"] == sent
    assert called["tool_calls"] == [call("a", "find", written)]


@needs_litellm
def test_arguments_are_not_changed(monkeypatch: pytest.MonkeyPatch) -> None:
    """For some providers litellm changes the messages in place."""

    def completion(**request: Any) -> None:
        request["messages"][2]["tool_calls"].clear()
        request["tools"][0].clear()
        raise TimeoutError

    monkeypatch.setattr(load_litellm(), "completion", completion)
    before = json.dumps([MESSAGES, TOOLS])
    problem(ModelAgent("litellm/openai/stub"))
    assert json.dumps([MESSAGES, TOOLS]) == before


@pytest.mark.parametrize(
    ("answer", "line"),
    [
        (
            fault(401, "Incorrect API key provided: sk-testk***********6789.", "invalid_api_key"),
            f"{REFUSED_KEY}: Incorrect API key provided: ***; check OPENAI_API_KEY",
        ),
        (
            fault(402, "Insufficient balance"),
            "the provider wants to be paid (402): Insufficient balance; check the account",
        ),
        (
            fault(403, "Country not supported"),
            "the provider denies access (403): Country not supported; check what the key may use",
        ),
        (
            fault(404, "No such model", "model_not_found"),
            f"the provider does not know the model (404): No such model; {NAME}",
        ),
        *(
            (
                fault(status, "No such value"),
                f"the provider rejects the request ({status}): No such value; check the parameters",
            )
            for status in (400, 422)
        ),
        *(
            (
                Response(400, json.dumps(error).encode(), {"Content-Type": "application/json"}),
                f"the provider rejects the request (400): {words}; check the parameters",
            )
            for error, words in (
                ([{"error": {"code": 400, "message": "Bad schema."}}], "Bad schema"),  # Google
                ({"detail": "Not loaded"}, "Not loaded"),
                (
                    {"detail": [{"loc": ["body", "n"], "msg": "Field required"}]},  # FastAPI
                    "body.n: Field required",
                ),
                ({"errors": [{"message": "No"}, "Never"]}, "No; Never"),
            )
        ),
        (fault(429, "No more", "rate_limit_exceeded"), f"{LIMIT}: No more; {FEWER}"),
        (fault(429, "No more", "insufficient_quota"), f"{LIMIT}: No more; {FEWER}"),
        (fault(429, "Slow", headers={"Retry-After": "7"}), f"{LIMIT}: Slow; wait 7 s"),
        *(
            (fault(429, "Slow", headers={"Retry-After": seconds}), f"{LIMIT}: Slow; {FEWER}")
            for seconds in ("1e400", "nan")
        ),
        *(
            (
                fault(status, "Busy"),
                f"the provider rejects the request ({status}): Busy; try again later",
            )
            for status in (409, 425)
        ),
        (fault(408, "Too slow"), "the provider failed (408): Too slow; try again later"),
        *(
            (fault(status, "Oops"), f"the provider failed ({status}): Oops; try again later")
            for status in (500, 503, 529)
        ),
        (
            Response(503, b"<html>\n<body>Under\nrepair</body></html>"),
            "the provider failed (503): <html> <body>Under repair</body></html>; try again later",
        ),
        (
            fault(500, "It exceeds the available context size"),  # llama.cpp
            f"{WINDOW}: It exceeds the available context size; use a model with a larger one",
        ),
        (
            fault(400, "At most 9 tokens", "context_length_exceeded"),
            f"{WINDOW}: At most 9 tokens; use a model with a larger one",
        ),
        (
            fault(400, "Not safe", "content_policy_violation"),
            f"the provider's content policy refuses the conversation: Not safe; {WORDS}",
        ),
        *(
            (choices([ending(reason, content)]), f"{WITHHELD}; {WORDS}")
            for reason, content in (
                ("content_filter", None),
                ("content_filter", "I must"),
                ("SAFETY", "I must"),
            )
        ),
        (
            choices(
                [ending("error", "I must", error={"code": 502, "message": "Upstream is down"})]
            ),
            "the provider failed: Upstream is down; try again later",
        ),
        (
            choices([ending("stop", "I must", error=f"Upstream with {KEY}.")]),
            "the provider failed: Upstream with ***; try again later",
        ),
        (choices([ending("error", "")]), "the provider failed; try again later"),
        (
            message({"error": {"message": "Overloaded", "code": 502}}),
            "the provider failed: Overloaded; try again later",
        ),
        (
            message({"role": "assistant", "content": None, "error": "Overloaded"}),
            "the provider failed: Overloaded; try again later",
        ),
        (message({}), "the message in the reply is empty; try again later"),
        (choices([ending("network_error", "")]), "the provider failed; try again later"),
        (
            body({"error": "The model is loading."}),
            "the provider failed: The model is loading; try again later",
        ),
        (body({"message": "Not today."}), "the provider failed: Not today; try again later"),
        (
            message({"content": None, "function_call": {"name": "find", "arguments": "{}"}}),
            "the reply has the old function_call; use a server that has tool_calls",
        ),
        (
            body({"error": {"message": "Overloaded", "type": "server_error"}}),
            "the provider failed: Overloaded; try again later",
        ),
        (body({"error": {"message": "Slow", "code": 429}}), f"{LIMIT}: Slow; {FEWER}"),
        (choices([]), "the reply has no choices; check the model server"),
        (
            Response(200, b'{"id": '),
            f"the reply is not JSON: Expecting value: line 1 column 8 (char 7); {SERVER}",
        ),
        (Response(200, b'{"id": ', promised=500), f"the connection failed: {CUT}; {NETWORK}"),
        (
            CLOSE,
            f"the connection failed: Server disconnected without sending a response; {NETWORK}",
        ),
        (RESET, f"the connection failed: {os.strerror(errno.ECONNRESET)}; {NETWORK}"),
    ],
    ids=lambda value: str(getattr(value, "status", "")) if not isinstance(value, str) else "",
)
def test_fault(stub: ModelAgent, model_server: ModelServer, answer: Answer, line: str) -> None:
    model_server.will(answer)
    assert problem(stub) == f"openai/stub: {line}"
    assert len(model_server.requests) == 1


@pytest.mark.parametrize(
    "answer",
    [
        choices(None),
        choices([{"index": 0, "message": None, "finish_reason": "stop"}]),
        body({"id": "1"}),
        body([1, 2]),
        Response(200, b"<html>Log in</html>", {"Content-Type": "text/html"}),
    ],
    ids=["null", "no message", "no choices", "a list", "a web page"],
)
def test_a_reply_that_is_not_a_completion(
    stub: ModelAgent, model_server: ModelServer, answer: Answer
) -> None:
    """What stands in the middle is litellm's, and another version's may be others."""
    model_server.will(answer)
    line = problem(stub)
    assert line.startswith("openai/stub: the reply is not a chat completion")
    assert line.endswith(f"; {SERVER}")
    assert "\n" not in line
    assert "Traceback" not in line
    assert len(model_server.requests) == 1


def test_no_server(stub: ModelAgent, monkeypatch: pytest.MonkeyPatch) -> None:
    with ModelServer() as closed:
        monkeypatch.setenv("OPENAI_BASE_URL", closed.url)
    reason = os.strerror(errno.ECONNREFUSED)
    assert problem(stub) == f"openai/stub: the connection failed: {reason}; {NETWORK}"


@pytest.mark.parametrize("value", [None, ""], ids=["unset", "empty"])
def test_missing_key(
    stub: ModelAgent, model_server: ModelServer, monkeypatch: pytest.MonkeyPatch, value: str | None
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY")
    monkeypatch.delenv("OPENAI_ADMIN_KEY", raising=False)
    if value is not None:
        monkeypatch.setenv("OPENAI_API_KEY", value)
    assert problem(stub) == "openai/stub: no API key; set OPENAI_API_KEY in the environment"
    assert model_server.requests == []


@needs_litellm
@pytest.mark.parametrize(
    ("name", "variables"),
    [
        ("anthropic/claude", "ANTHROPIC_API_KEY"),
        ("gemini/gemini", "GOOGLE_API_KEY or GEMINI_API_KEY"),
        ("azure/deployment", "AZURE_API_BASE and AZURE_API_VERSION and AZURE_API_KEY"),
    ],
)
def test_missing_key_of_other_providers(
    monkeypatch: pytest.MonkeyPatch, name: str, variables: str
) -> None:
    for variable in os.environ:
        if variable.startswith(("ANTHROPIC_", "GEMINI_", "GOOGLE_", "AZURE_")):
            monkeypatch.delenv(variable)
    expected = f"{name}: no API key; set {variables} in the environment"
    assert problem(ModelAgent(name)) == expected


@pytest.mark.parametrize("value", [" ", f"{KEY}\n"], ids=["blank", "with a line break"])
def test_key_that_cannot_be_sent(
    stub: ModelAgent, model_server: ModelServer, monkeypatch: pytest.MonkeyPatch, value: str
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", value)
    assert problem(stub) == (
        "openai/stub: the request cannot be sent; look for spaces and line breaks in the key"
    )
    assert model_server.requests == []


def test_key_of_the_parameters(
    stub: ModelAgent, model_server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY")
    model_server.will(fault(401, "No such key: 0123-own-key-4567"))
    agent = replace(stub, parameters={"api_key": "0123-own-key-4567"})
    assert problem(agent) == (
        "openai/stub: the provider refuses the API key (401): No such key: ***; check its value"
    )
    assert model_server.requests[0].headers["authorization"] == "Bearer 0123-own-key-4567"
    assert "0123-own-key-4567" not in repr(agent)


@pytest.mark.parametrize("status", [400, 401, 429, 500])
@pytest.mark.parametrize("padding", range(176, 200, 6))
def test_key_never_shows_in_part(
    stub: ModelAgent,
    model_server: ModelServer,
    monkeypatch: pytest.MonkeyPatch,
    status: int,
    padding: int,
) -> None:
    """Not even where the line is cut."""
    monkeypatch.setenv("OPENAI_API_KEY", "0123456789abcdefghij")
    model_server.will(fault(status, f"{'x' * padding} 0123456789abcdefghij"))
    assert "012" not in problem(stub)


@needs_litellm
def test_unknown_provider() -> None:
    assert problem(ModelAgent("nobody/stub")) == (
        "nobody/stub: litellm knows no provider 'nobody'; "
        "see https://docs.litellm.ai/docs/providers"
    )


@needs_litellm
def test_parameter_that_the_provider_does_not_have(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "0123456789")
    line = problem(ModelAgent("litellm/anthropic/claude", parameters={"seed": 7}))
    assert line.startswith("anthropic/claude: litellm does not send the request: anthropic does")
    assert line.endswith("; check the parameters")


def test_no_event_loop_is_left_behind(stub: ModelAgent, model_server: ModelServer) -> None:
    """Python warns of one that is not closed, and the warning fails another test."""

    async def nothing() -> None:
        pass

    model_server.will(text("Done."), fault(500, "Oops"))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        stub(MESSAGES, TOOLS)
        problem(stub)
        asyncio.run(nothing())
        gc.collect()
    assert [str(warning.message) for warning in caught] == []


@needs_litellm
def test_many_at_a_time() -> None:
    def echo(request: Request) -> Answer:
        return text(request.body["messages"][0]["content"])

    with ModelServer(echo) as server:
        agent = ModelAgent("openai/stub", 30, {"api_base": server.url, "api_key": KEY})
        with ThreadPoolExecutor(8) as pool:
            asked = [[{"role": "user", "content": str(number)}] for number in range(24)]
            replies = list(pool.map(lambda messages: agent(messages, TOOLS), asked))
    assert [reply["content"] for reply in replies] == [str(number) for number in range(24)]


@pytest.mark.parametrize(
    ("name", "package", "extra"),
    [("openai/stub", "httpx", "models"), ("gemini/stub", "litellm", "litellm")],
)
def test_without_a_client(
    monkeypatch: pytest.MonkeyPatch, name: str, package: str, extra: str
) -> None:
    litellm_client._litellm.cache_clear()
    monkeypatch.setitem(sys.modules, package, None)
    assert problem(ModelAgent(name)) == (
        f'{name} needs {package}: pip install "pytest-toolsandbox[{extra}]"'
    )


def test_agent_is_a_value() -> None:
    agent = ModelAgent("openai/stub", parameters={"temperature": 0})
    assert agent == ModelAgent("openai/stub", parameters={"temperature": 0})
    assert len({agent, ModelAgent("openai/stub", parameters={"temperature": 0})}) == 1
    with pytest.raises(FrozenInstanceError):
        agent.model = "openai/other"  # type: ignore[misc]  # this is what must fail

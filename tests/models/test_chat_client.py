"""What our own client of models does otherwise than litellm, or that litellm's tests cannot see."""

from __future__ import annotations

import gzip
import json
import threading
from collections.abc import Iterator
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from model_server import KEY, ModelServer, Request, Response, body, calls, fault, text
from rows import every
from servers.clients import TOOLS
from servers.responses import RESPONSES
from servers.strict import StrictServer, Turn, called, replied

from pytest_toolsandbox.models import chat_client, http_posts
from pytest_toolsandbox.models.aliases import ALIASES
from pytest_toolsandbox.models.anthropic_messages import chat_completion, message_request
from pytest_toolsandbox.models.errors import ProviderError
from pytest_toolsandbox.models.model_agent import ModelAgent
from pytest_toolsandbox.models.openai_responses import response_request
from pytest_toolsandbox.models.providers import endpoint, is_known
from pytest_toolsandbox.models.requests import RequestContext, requests_in
from pytest_toolsandbox.models.usage import _listed_price, _litellm_prices

pytest.importorskip("httpx")

MESSAGES: list[dict[str, Any]] = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": "Text Ada."},
]
USE = {"id": "toolu_1", "type": "function", "function": {"name": "find", "arguments": '{"a": 1}'}}


@pytest.fixture(autouse=True)
def _nothing_is_known() -> Iterator[None]:
    chat_client._elsewhere.clear()
    yield
    chat_client._elsewhere.clear()


@pytest.fixture
def stub(model_server: ModelServer, monkeypatch: pytest.MonkeyPatch) -> ModelAgent:
    model_server.replace_openai(monkeypatch)
    return ModelAgent("openai/stub", 30)


def problem(agent: ModelAgent) -> str:
    with pytest.raises(ProviderError) as caught:
        agent(MESSAGES, [])
    return str(caught.value)


# Where a model is asked


@pytest.mark.parametrize("alias", ["claude", "gpt"])
def test_models_of_aliases_need_no_litellm(alias: str) -> None:
    assert is_known(ALIASES[alias])
    assert not is_known(f"litellm/{ALIASES[alias]}")


@pytest.mark.skipif("gpt-6.1-sol" not in _litellm_prices(), reason="needs a litellm that has them")
@pytest.mark.parametrize("alias", ["claude", "gpt"])
def test_their_prices_are_known_without_litellm(
    monkeypatch: pytest.MonkeyPatch, alias: str
) -> None:
    listed = _listed_price(ALIASES[alias])
    assert listed is not None
    monkeypatch.setattr("pytest_toolsandbox.models.usage._litellm_prices", dict)
    price = _listed_price(ALIASES[alias])
    assert price is not None
    assert (price.read, price.written) == (listed.read, listed.written)
    assert price.cached == pytest.approx(listed.cached)


@every(
    ("model", "variables", "parameters", "url", "name"),
    [
        ("openai/a", {}, {}, "https://api.openai.com/v1", "a"),
        ("openai/a", {"OPENAI_BASE_URL": "http://h/v1/"}, {}, "http://h/v1", "a"),
        ("openai/a", {"OPENAI_API_BASE": "http://h"}, {"base_url": "http://p"}, "http://p", "a"),
        ("openrouter/meta/b:free", {}, {}, "https://openrouter.ai/api/v1", "meta/b:free"),
        ("groq/a", {"GROQ_API_BASE": "http://h"}, {}, "http://h", "a"),
        ("anthropic/a", {"ANTHROPIC_BASE_URL": "http://h"}, {}, "http://h", "a"),
        ("hosted_vllm/a", {}, {"api_base": "http://p"}, "http://p", "a"),
    ],
)
def test_base_urls(
    model: str, variables: dict[str, str], parameters: dict[str, Any], url: str, name: str
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        for variable in ("OPENAI_BASE_URL", "OPENAI_API_BASE", "ANTHROPIC_API_BASE"):
            patch.delenv(variable, raising=False)
        for variable, value in variables.items():
            patch.setenv(variable, value)
        place = endpoint(model, parameters)
    assert (place.url, place.name) == (url, name)


@pytest.mark.parametrize("end", ["", "/", "/v1", "/v1/messages"])
def test_a_base_url_may_have_a_part_of_the_path(model_server: ModelServer, end: str) -> None:
    model_server.will(fault(400, "No"))
    base = model_server.url.removesuffix("/v1") + end
    problem(ModelAgent("anthropic/a", 30, {"api_base": base, "api_key": KEY}))
    (request,) = model_server.requests
    assert request.path == "/v1/messages"
    assert request.headers["x-api-key"] == KEY
    assert request.headers["anthropic-version"] == "2023-06-01"
    assert "authorization" not in request.headers


def test_headers_and_further_fields(
    stub: ModelAgent, model_server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_ORG_ID", "org-1")
    model_server.will(text("Done."))
    extra = {"extra_headers": {"x-title": "tests"}, "extra_body": {"top_k": 3, "model": "other"}}
    replace(stub, parameters={**extra, "max_retries": 0})(MESSAGES, [])
    (request,) = model_server.requests
    assert request.headers["openai-organization"] == "org-1"
    assert request.headers["x-title"] == "tests"
    assert request.body == {"model": "stub", "messages": MESSAGES, "top_k": 3}


def test_a_token_in_the_place_of_a_key(
    model_server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    monkeypatch.setenv("ANTHROPIC_AUTH_TOKEN", KEY)
    problem(ModelAgent("anthropic/a", 30, {"api_base": model_server.url}))
    (request,) = model_server.requests
    assert request.headers["authorization"] == f"Bearer {KEY}"
    assert "x-api-key" not in request.headers


def test_a_parameter_that_has_another_name(model_server: ModelServer) -> None:
    model_server.will(text("Done."))
    parameters = {"api_base": model_server.url, "api_key": KEY, "seed": 7}
    ModelAgent("mistral/a", 30, parameters)(MESSAGES, [])
    assert model_server.requests[0].body == {"model": "a", "messages": MESSAGES, "random_seed": 7}


def test_a_server_without_keys(model_server: ModelServer) -> None:
    model_server.will(text("Done."))
    agent = ModelAgent("hosted_vllm/a", 30, {"api_base": model_server.url})
    assert agent(MESSAGES, [])["content"] == "Done."
    assert "authorization" not in model_server.requests[0].headers


# The transport


def test_figures_of_more_digits_than_python_reads(
    stub: ModelAgent, model_server: ModelServer
) -> None:
    whole = {**json.loads(text("Done.").body), "usage": {"prompt_tokens": 77}}
    model_server.will(Response(200, json.dumps(whole).replace("77", "9" * 5_000).encode()))
    assert stub(MESSAGES, []) == {"role": "assistant", "content": "Done."}


def test_a_redirect_is_not_followed(stub: ModelAgent, model_server: ModelServer) -> None:
    """The key and the conversation would go to another server."""
    with ModelServer() as other:
        headers = {"Location": f"{other.url}/chat/completions"}
        model_server.will(Response(307, b"", headers))
        assert problem(stub) == (
            "openai/stub: the provider rejects the request (307): "
            f"it redirects to {other.url}/chat/completions; check the base URL"
        )
        assert other.requests == []


def test_no_cookies_are_kept(stub: ModelAgent, model_server: ModelServer) -> None:
    model_server.will(replace(text("Done."), headers={"Set-Cookie": "user=1"}), text("Done."))
    stub(MESSAGES, [])
    stub(MESSAGES, [])
    assert "cookie" not in model_server.requests[1].headers


@pytest.mark.parametrize("is_packed", [False, True])
def test_a_reply_is_bounded(
    stub: ModelAgent,
    model_server: ModelServer,
    monkeypatch: pytest.MonkeyPatch,
    *,
    is_packed: bool,
) -> None:
    monkeypatch.setattr(http_posts, "_LARGEST", 2**20)
    content = text("a" * 2**20).body
    packed = Response(200, gzip.compress(content), {"Content-Encoding": "gzip"})
    model_server.will(packed if is_packed else Response(200, content))
    assert problem(stub) == "openai/stub: the reply is larger than 1 MiB; check the server"


def test_a_reply_that_is_compressed_twice_is_not_read(
    stub: ModelAgent, model_server: ModelServer
) -> None:
    """Two layers make gigabytes of a few kilobytes, before any size is seen."""
    twice = gzip.compress(gzip.compress(text("Done.").body))
    model_server.will(Response(200, twice, {"Content-Encoding": "gzip, gzip"}))
    line = "openai/stub: the reply is compressed more than once; check the server"
    assert problem(stub) == line


def test_proxies_of_the_environment_are_used(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def answer(request: Request) -> Response:
        asked.append(request.path)
        return text("Done.")

    with ModelServer(answer) as proxy:
        for name in ("NO_PROXY", "no_proxy"):
            monkeypatch.delenv(name, raising=False)
        monkeypatch.setenv("http_proxy", proxy.url.removesuffix("/v1"))
        agent = ModelAgent("openai/stub", 30, {"api_base": "http://a.test/v1", "api_key": KEY})
        assert agent(MESSAGES, [])["content"] == "Done."
    assert asked == ["http://a.test/v1/chat/completions"]


class _Keeping(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        ports: set[int] = self.server.ports  # type: ignore[attr-defined]  # see below
        ports.add(self.client_address[1])
        self.rfile.read(int(self.headers["Content-Length"]))
        content = text("Done.").body
        self.send_response(200)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: object, **__: object) -> None:
        """Keep the terminal clean."""


@pytest.fixture
def keeping() -> Iterator[Any]:
    """Serve on connections that stay open, and keep the ports of their clients."""
    with ThreadingHTTPServer(("127.0.0.1", 0), _Keeping) as server:
        server.ports = set()  # type: ignore[attr-defined]
        threading.Thread(target=server.serve_forever, args=[0.01]).start()
        yield server
        server.shutdown()


def test_connections_are_used_again(keeping: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    base = f"http://127.0.0.1:{keeping.server_port}/v1"
    agent = ModelAgent("openai/stub", 30, {"api_base": base, "api_key": KEY})
    for _ in range(3):
        agent(MESSAGES, [])
    assert len(keeping.ports) == 1


def test_a_parameter_that_is_not_json(stub: ModelAgent, model_server: ModelServer) -> None:
    assert problem(replace(stub, parameters={"response_format": object})) == (
        "openai/stub: a parameter cannot be sent: Object of type type is not JSON serializable; "
        "write its JSON, or litellm/openai/stub"
    )
    assert model_server.requests == []


def test_a_key_that_is_not_ascii(stub: ModelAgent, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-tést-0123456789")
    assert problem(stub) == (
        "openai/stub: the request cannot be sent; look for spaces and line breaks in the key"
    )


def test_a_base_url_that_is_none(stub: ModelAgent) -> None:
    agent = replace(stub, parameters={"api_base": "localhost/v1"})
    with requests_in(RequestContext(retries=4)):
        assert problem(agent) == (
            "openai/stub: the connection failed: Request URL is missing an 'http://' or 'https://' "
            "protocol; check the network, and the base URL if you set one"
        )


# Anthropic's messages


def sent(*messages: dict[str, Any], **parameters: Any) -> dict[str, Any]:
    return message_request({"messages": [*messages], **parameters})


def user(*content: Any) -> dict[str, Any]:
    return {"role": "user", "content": [*content]}


def block(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


def result(call: str, **content: Any) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": call, **content}


THOUGHT = {"type": "thinking", "thinking": "Hm.", "signature": "s"}
USED = {"type": "tool_use", "id": "toolu_1", "name": "find", "input": {"a": 1}}
FIND: Any = TOOLS[0]["function"]
CACHED = {"cache_control": {"type": "ephemeral"}}


@every(
    ("messages", "turns"),
    [
        ([{"role": "user", "content": "Hi"}], [user(block("Hi"))]),
        ([{"role": "user", "content": " "}], [user(block("(empty)"))]),
        (
            [{"role": "user", "content": "Hi"}, {"role": "user", "content": "Ho"}],
            [user(block("Hi"), block("Ho"))],
        ),
        (
            [
                {"role": "assistant", "content": "", "tool_calls": [USE, {**USE, "id": "a:b"}]},
                {"role": "tool", "tool_call_id": "toolu_1", "content": "[]"},
                {"role": "tool", "tool_call_id": "a:b", "content": ""},
                {"role": "user", "content": "Well?"},
            ],
            [
                {"role": "assistant", "content": [USED, {**USED, "id": "a_b"}]},
                user(result("toolu_1", content="[]"), result("a_b"), block("Well?")),
            ],
        ),
        (
            [
                {
                    "role": "assistant",
                    "content": "So.",
                    "thinking_blocks": [THOUGHT],
                    "reasoning_content": "Hm.",
                    "tool_calls": [USE],
                }
            ],
            [{"role": "assistant", "content": [THOUGHT, block("So."), USED]}],
        ),
        (
            [{"role": "user", "content": "Hi", **CACHED}],
            [user({**block("Hi"), **CACHED})],
        ),
        (
            [{"role": "user", "content": [{**block("Hi"), **CACHED}]}],
            [user({**block("Hi"), **CACHED})],
        ),
    ],
)
def test_messages_of_anthropic(messages: list[dict[str, Any]], turns: list[Any]) -> None:
    assert sent(*messages)["messages"] == turns


@every(
    ("parameters", "fields"),
    [
        ({}, {"max_tokens": 32_000}),
        ({"max_completion_tokens": 9}, {"max_tokens": 9}),
        (
            {"thinking": {"type": "enabled", "budget_tokens": 2048}},
            {"thinking": {"type": "enabled", "budget_tokens": 2048}, "max_tokens": 34_048},
        ),
        (
            {"reasoning_effort": "low", "max_tokens": 9},
            {
                "thinking": {"type": "adaptive", "display": "summarized"},
                "output_config": {"effort": "low"},
                "max_tokens": 9,
            },
        ),
        (
            {"stop": "END", "user": "me", "temperature": 0, "max_tokens": 9},
            {
                "stop_sequences": ["END"],
                "metadata": {"user_id": "me"},
                "temperature": 0,
                "max_tokens": 9,
            },
        ),
        (
            {"tool_choice": "required", "parallel_tool_calls": False, "max_tokens": 9},
            {"tool_choice": {"type": "any", "disable_parallel_tool_use": True}, "max_tokens": 9},
        ),
        (
            {"tool_choice": {"type": "function", "function": {"name": "f"}}, "max_tokens": 9},
            {"tool_choice": {"type": "tool", "name": "f"}, "max_tokens": 9},
        ),
        (
            {"parallel_tool_calls": False, "max_tokens": 9},
            {"tool_choice": {"type": "auto", "disable_parallel_tool_use": True}, "max_tokens": 9},
        ),
        (
            {"tools": TOOLS, "max_tokens": 9},
            {
                "tools": [{"name": "find", "input_schema": FIND["parameters"]}],
                "max_tokens": 9,
            },
        ),
    ],
)
def test_parameters_of_anthropic(parameters: dict[str, Any], fields: dict[str, Any]) -> None:
    messages = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hi"}]
    request = sent(*messages, **parameters)
    common = {"messages": [user(block("Hi"))], "system": [block("Be brief.")]}
    assert request == {**common, **fields}


LATER_USED = {**USED, "caller": {"type": "direct"}}
SEARCHED = {"type": "server_tool_use", "id": "srvtoolu_1", "name": "search", "input": {}}


@every(
    "content",
    [
        [THOUGHT, block("One moment."), LATER_USED],
        [THOUGHT, block("One moment."), THOUGHT, LATER_USED],
        [block("One moment."), THOUGHT, {"type": "redacted_thinking", "data": "x"}, USED],
        [SEARCHED, block("One moment."), USED],
    ],
)
def test_blocks_of_anthropic_come_back_as_they_were(content: list[dict[str, Any]]) -> None:
    reply = {"content": content, "stop_reason": "tool_use"}
    message = chat_completion(reply)["choices"][0]["message"]
    assert sent(message)["messages"] == [{"role": "assistant", "content": content}]


def test_a_text_that_was_shortened_is_not_sent_back_whole() -> None:
    """A result that the model made up is left out of its message."""
    content = [THOUGHT, block("I look."), THOUGHT, block("Observation: 7")]
    message = chat_completion({"content": content})["choices"][0]["message"]
    message["content"] = "I look."
    shortened = [THOUGHT, THOUGHT, block("I look.")]
    assert sent(message)["messages"] == [{"role": "assistant", "content": shortened}]


def test_blocks_of_calls_that_were_not_answered_are_left_out() -> None:
    content = [
        THOUGHT,
        block("One."),
        THOUGHT,
        {**USED, "id": "a"},
        {**USED, "id": "b"},
        block(" "),
    ]
    message = chat_completion({"content": content})["choices"][0]["message"]
    message["tool_calls"] = message["tool_calls"][:1]
    assert sent(message)["messages"] == [{"role": "assistant", "content": content[:4]}]


def test_usage_of_anthropic_includes_its_cache(model_server: ModelServer) -> None:
    used = {
        "input_tokens": 3,
        "cache_read_input_tokens": 60,
        "cache_creation_input_tokens": 7,
        "output_tokens": 9,
        "output_tokens_details": {"thinking_tokens": 5},
    }
    reply = {"content": [block("Done.")], "stop_reason": "end_turn", "usage": used}
    model_server.will(body(reply))
    url = model_server.url.removesuffix("/v1")
    with requests_in(RequestContext()) as context:
        ModelAgent("anthropic/a", 30, {"api_base": url, "api_key": KEY})(MESSAGES, [])
    ((_, usage),) = context.meter.used().items()
    counts = (usage.input_tokens, usage.cached_tokens, usage.output_tokens)
    assert counts == (70, 60, 9)
    assert usage.reasoning_tokens == 5


# OpenAI's responses


def talk(server: StrictServer, turns: int, **parameters: Any) -> list[dict[str, Any]]:
    agent, messages = server.agent(**parameters), [*MESSAGES]
    for _ in range(turns):
        reply = agent(messages, TOOLS)
        answered = (call["id"] for call in reply.get("tool_calls", ()))
        messages += [
            reply,
            *({"role": "tool", "tool_call_id": each, "content": "[]"} for each in answered),
        ]
    return messages


def test_a_model_that_takes_tools_only_over_the_responses_api() -> None:
    script = [
        called(("find", {"name": "Ada"})),
        Turn("Two more.", (("find", {}), ("find functions", "{"))),
        replied("Done."),
    ]
    with StrictServer(RESPONSES, script) as server:
        messages = talk(server, 3, reasoning_effort="low", max_tokens=900, seed=7)
        assert [request.path.rpartition("/")[2] for request in server.requests] == [
            *("completions", "responses", "responses", "responses"),
        ]
        assert server.thoughts() == ["Thought 1.", "Thought 2."]
        assert server.requests[-1].body["reasoning"] == {"effort": "low"}
        assert server.requests[-1].body["max_output_tokens"] == 900
    assert messages[-1]["content"] == "Done."
    assert messages[4]["content"] == "Two more."
    assert messages[4]["tool_calls"][1]["function"] == {"name": "find functions", "arguments": "{"}


def test_a_reply_of_the_responses_api_that_is_cut_off() -> None:
    with StrictServer(RESPONSES, [Turn("So", ending="length")]) as server:
        with requests_in(RequestContext(retries=0)) as context:
            talk(server, 1)
        assert [*context.meter.finish_reasons().values()] == [["length"]]


REASONING = {"type": "reasoning", "id": "rs_1", "encrypted_content": "x"}


def function_call(call: str) -> dict[str, Any]:
    function = {"name": "find", "arguments": '{"a": 1}'}
    return {"type": "function_call", "id": f"fc_{call}", "call_id": call, **function}


@every(
    ("output", "sent_back"),
    [
        ([REASONING, function_call("toolu_1")], [REASONING, function_call("toolu_1")]),
        (
            [REASONING, function_call("toolu_1"), REASONING, function_call("b")],
            [REASONING, function_call("toolu_1")],
        ),
    ],
)
def test_reasoning_that_nothing_follows_is_not_sent_back(
    output: list[dict[str, Any]], sent_back: list[dict[str, Any]]
) -> None:
    message: dict[str, Any] = {"role": "assistant", "content": None, "tool_calls": [USE]}
    message["provider_specific_fields"] = {"output": output}
    assert response_request({"messages": [message]})["input"] == sent_back


def test_an_identifier_that_occurs_twice_becomes_another() -> None:
    fields: Any = {"output": [function_call("toolu_1"), function_call("toolu_1")]}
    calls = [USE, {**USE, "id": "2"}]
    message = {"role": "assistant", "tool_calls": calls, "provider_specific_fields": fields}
    items = response_request({"messages": [message]})["input"]
    assert [item["call_id"] for item in items] == ["toolu_1", "2"]


def test_reasoning_that_was_cut_off_is_not_sent_back() -> None:
    fields: Any = {"provider_specific_fields": {"output": [REASONING]}}
    message = {"role": "assistant", "content": "", **fields}
    sent = response_request({"messages": [message]})["input"]
    assert sent == [{"role": "assistant", "content": ""}]


def test_messages_of_another_api_are_translated() -> None:
    """Such as those of a conversation that a test begins."""
    messages = [
        *MESSAGES,
        {"role": "assistant", "content": "A moment.", "tool_calls": [USE]},
        {"role": "tool", "tool_call_id": "toolu_1", "content": "[]"},
    ]
    call = {"type": "function_call", "call_id": "toolu_1", "name": "find", "arguments": '{"a": 1}'}
    assert response_request({"messages": messages})["input"] == [
        *MESSAGES,
        {"role": "assistant", "content": "A moment."},
        call,
        {"type": "function_call_output", "call_id": "toolu_1", "output": "[]"},
    ]


@pytest.mark.parametrize("answer", [calls(("find", {})), text("Done.")])
def test_a_server_that_has_chat_completions_is_asked_once(
    stub: ModelAgent, model_server: ModelServer, answer: Response
) -> None:
    model_server.will(answer)
    stub(MESSAGES, TOOLS)
    assert len(model_server.requests) == 1


def test_parts_of_a_content_are_joined(stub: ModelAgent, model_server: ModelServer) -> None:
    """Mistral's models have their thoughts in the first part."""
    thinking = {"type": "thinking", "thinking": [block("Hm.")]}
    whole = json.loads(text("").body)
    whole["choices"][0]["message"]["content"] = [thinking, block("Do"), block("ne.")]
    model_server.will(body(whole))
    assert stub(MESSAGES, [])["content"] == "Done."


# Replies in a form of their own


def test_a_reply_may_begin_with_a_byte_order_mark(
    stub: ModelAgent, model_server: ModelServer
) -> None:
    model_server.will(Response(200, b"\xef\xbb\xbf" + text("Done.").body))
    assert stub(MESSAGES, [])["content"] == "Done."


def test_an_empty_reply_is_asked_for_again(stub: ModelAgent, model_server: ModelServer) -> None:
    model_server.will(Response(200, b"\n\n"), text("Done."))
    with requests_in(RequestContext(retries=1)):
        assert stub(MESSAGES, [])["content"] == "Done."


@pytest.mark.parametrize("start", ["data: ", ": PROCESSING\n\ndata: ", "event: error\ndata: "])
def test_a_stream_that_nobody_asked_for(
    stub: ModelAgent, model_server: ModelServer, start: str
) -> None:
    model_server.will(
        Response(200, f'{start}{{"error": {{"message": "Too much thought"}}}}'.encode())
    )
    line = problem(stub)
    assert line.startswith("openai/stub: the server streams its reply, unasked: ")
    assert "Too much thought" in line
    assert line.endswith(
        '; give the parameter extra_body={"stream": False}, or set the server up for it'
    )


def test_a_content_that_is_no_text_is_the_servers(
    stub: ModelAgent, model_server: ModelServer
) -> None:
    whole = json.loads(text("").body)
    whole["choices"][0]["message"]["content"] = {"text": "Done."}
    model_server.will(body(whole))
    assert problem(stub).startswith("openai/stub: the reply is not a chat completion")


def test_a_name_of_a_call_that_is_no_text_is_the_servers(
    stub: ModelAgent, model_server: ModelServer
) -> None:
    whole = json.loads(calls(("find", {})).body)
    whole["choices"][0]["message"]["tool_calls"][0]["function"]["name"] = 7
    model_server.will(body(whole))
    assert problem(stub).startswith("openai/stub: the reply is not a chat completion")


def test_the_identifier_of_a_call_is_a_text(stub: ModelAgent, model_server: ModelServer) -> None:
    whole = json.loads(calls(("find", {})).body)
    whole["choices"][0]["message"]["tool_calls"][0]["id"] = 7
    model_server.will(body(whole))
    assert stub(MESSAGES, TOOLS)["tool_calls"][0]["id"] == "7"


@pytest.mark.parametrize("reply", [{"choices": None}, {"choices": {"0": {}}}, [{"choices": []}]])
def test_a_malformed_reply_is_quoted(
    stub: ModelAgent, model_server: ModelServer, reply: Any
) -> None:
    """The errors of our own code that it causes say nothing to users."""
    model_server.will(body(reply))
    assert problem(stub) == (
        f"openai/stub: the reply is not a chat completion: {json.dumps(reply)}; "
        "check the model server, and the base URL if you set one"
    )

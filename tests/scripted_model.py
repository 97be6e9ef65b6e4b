"""A model server that plays a scenario's solution to whatever framework asks it, by any API."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from model_server import Answer, Request, Response, body, message

from pytest_toolsandbox.agents.scripted import oracle
from pytest_toolsandbox.conversation.messages import Trajectory
from pytest_toolsandbox.conversation.play import converse
from pytest_toolsandbox.language.roles import Role
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.users.user import scripted_user

Calls = list[tuple[str, str]]


@dataclass
class Turn:
    """What the user says, the calls that are made then, batch after batch, and what is said."""

    heard: str
    batches: list[Calls] = field(default_factory=list)
    reply: str = "Done."


def turns_of(trajectory: Trajectory) -> Iterator[Turn]:
    """Yield the turns of an agent in a conversation."""
    turn = None
    batch = -1
    numbers = {call.request: call.batch for call in trajectory.calls}
    for place, sent in enumerate(trajectory.messages):
        if sent.sender is Role.USER and sent.recipient is Role.AGENT:
            turn = Turn(sent.content)
            yield turn
        elif turn is not None and sent.is_request and sent.call is not None:
            if numbers[place] != batch:
                turn.batches.append([])
            batch = numbers[place]
            turn.batches[-1].append(sent.call.written)
        elif turn is not None and sent.sender is Role.AGENT:
            turn.reply = sent.content


class ScriptedModel:
    """Answers requests for completions of OpenAI, of OpenAI's responses, and of Anthropic.

    What comes next follows from the last text of the user, in which a turn's is found, and from
    the replies since. ``reference`` is the conversation it aims at; what it was ``asked`` and
    ``offered`` is kept, and what models that are no server were given as ``instructions``.
    """

    def __init__(self, scene: Scenario) -> None:
        self.reference = converse(scene, oracle(scene), scripted_user(scene))
        self.turns = list(turns_of(self.reference))
        self.offered: list[list[str]] = []
        self.asked: list[str] = []
        self.instructions: list[str] = []

    def next(self, heard: str, made: int) -> Calls | str:
        turn = next(candidate for candidate in reversed(self.turns) if candidate.heard in heard)
        return turn.batches[made] if made < len(turn.batches) else turn.reply

    def is_heard(self, sent: Mapping[str, Any]) -> bool:
        """Whether the user says it; programs say more in that role, such as reminders."""
        text = text_of(sent.get("content")) if sent.get("role") == "user" else ""
        return any(turn.heard in text for turn in self.turns)

    def __call__(self, request: Request) -> Answer:
        asked = request.body
        offered = [tool.get("function", tool).get("name", "") for tool in asked.get("tools", ())]
        self.offered.append(offered)
        kind = request.path.partition("?")[0].rpartition("/")[2]
        messages = asked["input"] if kind == "responses" else asked.get("messages", [])
        asks = [place for place, sent in enumerate(messages) if self.is_heard(sent)]
        since = messages[asks[-1] :]
        made = sum(is_reply(sent) for sent in since)
        self.asked.append("\n".join(text_of(sent.get("content")) for sent in messages))
        reply = self.next(text_of(since[0]["content"]), made)
        if not isinstance(reply, str):
            reply = [(full_name(name, offered), arguments) for name, arguments in reply]
        identifier = f"{len(messages)}_{len(asks)}"
        if kind == "responses":
            of_mcp = [name for name in offered if name.startswith("mcp__")]  # a group of tools
            return responses(reply, identifier, of_mcp, is_streamed=bool(asked.get("stream")))
        write = {"completions": completion, "messages": anthropic}
        return write[kind](reply, identifier, is_streamed=bool(asked.get("stream")))


def full_name(name: str, offered: Sequence[str]) -> str:
    return next(
        (offered_name for offered_name in offered if offered_name.endswith(f"__{name}")), name
    )


def text_of(content: Any) -> str:
    if isinstance(content, str):
        return content
    return "\n".join(part.get("text") or "" for part in content or ())


def is_reply(sent: Mapping[str, Any]) -> bool:
    return sent.get("role") == "assistant" or sent.get("type") == "function_call"


def completion(reply: Calls | str, identifier: str, *, is_streamed: bool) -> Answer:
    answer: dict[str, Any] = {"role": "assistant", "content": reply}
    if not isinstance(reply, str):
        calls = [
            {
                "id": f"call_{identifier}_{index}",
                "type": "function",
                "function": {"name": name, "arguments": arguments},
            }
            for index, (name, arguments) in enumerate(reply)
        ]
        answer = {"role": "assistant", "content": None, "tool_calls": calls}
    if not is_streamed:
        return message(answer)
    numbered = [{**call, "index": i} for i, call in enumerate(answer.get("tool_calls", ()))]
    delta = {**answer, "tool_calls": numbered} if numbered else answer
    reason = "tool_calls" if numbered else "stop"
    chunk = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "stub"}
    first = {**chunk, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]}
    last = {**chunk, "choices": [{"index": 0, "delta": {}, "finish_reason": reason}]}
    used = {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10}
    figures = {**chunk, "choices": [], "usage": used}
    return stream([first, last, figures], "data: [DONE]\n\n")


def anthropic(reply: Calls | str, identifier: str, *, is_streamed: bool) -> Answer:
    if isinstance(reply, str):
        blocks: list[dict[str, Any]] = [{"type": "text", "text": reply}]
    else:
        blocks = [
            {"type": "tool_use", "id": f"toolu_{identifier}_{i}", "name": n, "input": json.loads(a)}
            for i, (n, a) in enumerate(reply)
        ]
    stop = {"stop_reason": "end_turn" if isinstance(reply, str) else "tool_use"}
    head: dict[str, Any] = {
        "id": f"msg_{identifier}",
        "type": "message",
        "role": "assistant",
        "model": "stub",
        "content": [],
    }
    head |= {"stop_sequence": None, "usage": {"input_tokens": 7, "output_tokens": 3}}
    if not is_streamed:
        return body({**head, **stop, "content": blocks})
    events = [{"type": "message_start", "message": {**head, "stop_reason": None}}]
    for index, block in enumerate(blocks):
        events += anthropic_block(index, block)
    usage = {"output_tokens": 3}
    delta = {**stop, "stop_sequence": None}
    events += [{"type": "message_delta", "delta": delta, "usage": usage}, {"type": "message_stop"}]
    return stream(events)


def anthropic_block(index: int, block: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    if block["type"] == "text":
        begun: dict[str, Any]
        begun, delta = {"text": ""}, {"type": "text_delta", "text": block["text"]}
    else:
        arguments = json.dumps(block["input"])
        begun, delta = {"input": {}}, {"type": "input_json_delta", "partial_json": arguments}
    yield {"type": "content_block_start", "index": index, "content_block": {**block, **begun}}
    yield {"type": "content_block_delta", "index": index, "delta": delta}
    yield {"type": "content_block_stop", "index": index}


def responses(
    reply: Calls | str, identifier: str, groups: Sequence[str], *, is_streamed: bool
) -> Answer:
    if isinstance(reply, str):
        part = {"type": "output_text", "text": reply, "annotations": []}
        base = {"type": "message", "id": f"m_{identifier}", "role": "assistant"}
        output: list[dict[str, Any]] = [{**base, "status": "completed", "content": [part]}]
    else:
        output = [
            {
                "type": "function_call",
                "id": f"fc_{identifier}_{index}",
                "call_id": f"call_{identifier}_{index}",
                "name": name,
                "arguments": arguments,
                "status": "completed",
                **({"namespace": groups[0]} if groups else {}),
            }
            for index, (name, arguments) in enumerate(reply)
        ]
    tokens: dict[str, Any] = {"input_tokens": 7, "output_tokens": 3, "total_tokens": 10}
    tokens |= {"input_tokens_details": {"cached_tokens": 0}}
    tokens |= {"output_tokens_details": {"reasoning_tokens": 0}}
    whole: dict[str, Any] = {
        "id": "r",
        "object": "response",
        "created_at": 1,
        "model": "stub",
        "tools": [],
    }
    whole |= {"status": "completed", "output": output, "parallel_tool_calls": True}
    whole |= {"tool_choice": "auto", "usage": tokens, "error": None}
    if not is_streamed:
        return body(whole)
    begun = {**whole, "status": "in_progress", "output": []}
    events: list[dict[str, Any]] = [{"type": "response.created", "response": begun}]
    for index, item in enumerate(output):
        for kind in ("added", "done"):
            name = f"response.output_item.{kind}"
            events.append({"type": name, "output_index": index, "item": item})
    return stream([*events, {"type": "response.completed", "response": whole}])


def stream(events: Iterable[Mapping[str, Any]], end: str = "") -> Response:
    lines = (
        (f"event: {event['type']}\n" if "type" in event else "") + f"data: {json.dumps(event)}\n\n"
        for event in events
    )
    text = "".join(lines) + end
    return Response(200, text.encode(), {"Content-Type": "text/event-stream"})

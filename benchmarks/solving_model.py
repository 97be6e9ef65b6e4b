"""Serves a model that plays the solutions of the scenarios below some folders.

It answers until its standard input ends; the address is the first line that it prints. The same
request gets the same reply, but identifiers are never the same twice, and nor is the time that a
reply takes. Of scenarios that begin as others do, the first one's solution is played.
"""

from __future__ import annotations

import json
import random
import sys
import time
import uuid
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))  # the tests' server
sys.path.insert(0, str(Path(__file__).parents[1]))

from model_server import Answer, ModelServer, Request, message, text

from pytest_toolsandbox.agents.scripted import oracle
from pytest_toolsandbox.conversation.play import converse
from pytest_toolsandbox.language.files import find_files
from pytest_toolsandbox.protocols import load_file
from pytest_toolsandbox.users.user import scripted_user

LONGEST = 0.03
"""Seconds that a reply takes at the most."""


def main() -> int:
    """Learn the solutions, and answer."""
    said: dict[str, Any] = {}
    for file in sorted(find_files([*map(Path, sys.argv[1:])])):
        for scene in load_file(file):
            converse(scene, partial(kept, said, oracle(scene)), scripted_user(scene))
    with ModelServer(partial(answer, said)) as server:
        print(server.url, flush=True)
        sys.stdin.read()
    return 0


def kept(said: dict[str, Any], agent: Any, messages: Any, tools: Any) -> Any:
    """Return what an agent says, and keep it for those who are asked the same."""
    reply = agent(messages, tools)
    said.setdefault(asked(messages), reply)
    return reply


def answer(said: Mapping[str, Any], request: Request) -> Answer:
    """Return what a solution says there; elsewhere the model gives up."""
    time.sleep(random.uniform(0, LONGEST))  # noqa: S311  # no secret
    reply = said.get(asked(request.body["messages"]), "I have done what I could.")
    if isinstance(reply, str):
        return text(reply)
    calls = [{**call, "id": f"call_{uuid.uuid4().hex}"} for call in reply["tool_calls"]]
    return message({**reply, "role": "assistant", "tool_calls": calls})


def asked(messages: Sequence[Mapping[str, Any]]) -> str:
    """Return what is asked, without the prompt and without what a provider makes up."""
    parts = [
        (one["role"], one.get("content") or "", [*map(_call, one.get("tool_calls") or ())])
        for one in messages
        if one["role"] != "system"
    ]
    return json.dumps(parts, sort_keys=True)


def _call(call: Mapping[str, Any]) -> tuple[str, Any]:
    return call["function"]["name"], json.loads(call["function"]["arguments"])


if __name__ == "__main__":
    sys.exit(main())

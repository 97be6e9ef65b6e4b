"""A text message that goes to a wrong number, recorded for the commands that play on from it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from pytest_toolsandbox.protocols import load_file
from pytest_toolsandbox.records.configuration import agent_record
from pytest_toolsandbox.records.writing import as_line
from pytest_toolsandbox.runs.trial import play_trial

Recorded = Callable[..., Path]
"""Plays an agent, by its name, and returns the file with its record."""

SCENARIO = """
world: phone
summary: Text Ada.
tools: [search_contacts, send_message_with_phone_number, set_wifi_status]
state: {contact: {added: [{name: Ada Okafor, phone_number: "+14155550123"}]}}
user:
  opening: Tell Ada that I am late.
  replies: [{when: which, say: The one in my contacts.}]
milestones:
  sent: {state: {messaging: {added: [{recipient_phone_number: "+14155550123"}]}}}
solutions:
  direct:
    - send_message_with_phone_number: {phone_number: "+14155550123", content: I am late.}
    - say: Done.
"""
AGENT = """
import json

from pytest_toolsandbox.models.errors import ProviderError

heard = []

def call(name, /, **arguments):
    function = {"name": name, "arguments": json.dumps(arguments)}
    return {"role": "assistant", "content": None, "tool_calls": [{"id": "1", "function": function}]}

def hasty(messages, tools):
    "Texts whatever number it has seen, or a wrong one."
    heard.append(messages)
    last = messages[-1]
    if last["role"] != "tool":
        return call("search_contacts", name="Adam")
    if "send_message" in str(messages[-2]):
        return "Done, " + messages[0]["content"][:5]
    number = "+14155550123" if "+14155550123" in last["content"] else "+14155550199"
    return call("send_message_with_phone_number", phone_number=number, content="I am late.")

def wrong(messages, tools):
    "Always texts a wrong number."
    if messages[-1]["role"] == "tool":
        return "Done."
    return call("send_message_with_phone_number", phone_number="+14155550199", content="I am late.")

def careless(messages, tools):
    "Turns the wifi off, and texts a wrong number, whatever else happens."
    acts = [
        call("set_wifi_status", on=False),
        call("send_message_with_phone_number", phone_number="+14155550199", content="I am late."),
        "Done.",
    ]
    return acts[sum(message["role"] == "tool" for message in messages)]

def moody(messages, tools):
    "Asks first, and then does nothing while it is recorded, later what it should."
    if not any(message["role"] == "assistant" for message in messages):
        return "Which Ada?"
    return oracle(messages, tools) if heard else "Done."

def gives_up(messages, tools):
    return "I could not do that."

def oracle(messages, tools):
    if messages[-1]["role"] == "tool":
        return "Done."
    return call("send_message_with_phone_number", phone_number="+14155550123", content="I am late.")

def unreachable(messages, tools):
    raise ProviderError("nobody answers")

def costly(messages, tools):
    usage = {"prompt_tokens": 10, "completion_tokens": 10, "cost": 0.1}
    return {"role": "assistant", "content": "Done.", "usage": usage}

def listening(messages, tools):
    heard.append(messages)
    return wrong(messages, tools)

class Turns:
    def run_turn(self, message, toolbox):
        heard.append(message)
        return "I leave it at that."
"""


def write_files(folder: Path) -> None:
    """Write the scenario and its agents."""
    (folder / "late.scenario.yaml").write_text(SCENARIO, encoding="utf-8")
    (folder / "late_agents.py").write_text(AGENT, encoding="utf-8")
    (folder / "pytest.ini").write_text("[pytest]\n", encoding="utf-8")


def recorder(folder: Path) -> Recorded:
    """Return what plays an agent in the scenario, and writes the record."""

    def record(name: str = "hasty", **changes: Any) -> Path:
        module = __import__("late_agents")
        (scenario,) = load_file(folder / "late.scenario.yaml")
        trial = play_trial(replace(scenario, **changes), getattr(module, name))
        agent = agent_record(f"late_agents:{name}")
        trial = replace(trial, identifier="late.scenario.yaml::late", agent=agent)
        file = folder / "results.jsonl"
        file.write_text(as_line(trial.record) + "\n", encoding="utf-8")
        return file

    return record

"""Records for the HTML report: two agents in a pantry, one of which does harm."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from pantry import scenario

from pytest_toolsandbox.agents.scripted import counterexample, oracle
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.records.configuration import agent_record
from pytest_toolsandbox.runs.trial import play_trial

FORK = """
summary: Tea and rice go in, in any order.
categories: [multiple_tool_call]
state: {door: {open: false}}
user: {opening: Put tea and rice in., goal: Have enough for <tea> and supper.}
milestones:
  opened: {state: {door: {open: true}}}
  tea_in: {guardrails: none, after: [opened], call: {add_item: {name: tea}}}
  rice_in: {guardrails: none, after: [opened], call: {add_item: {name: rice}}}
  told: {guardrails: none, after: [tea_in, rice_in], says: {mentions: [done]}}
minefields: {salt_in: {call: {add_item: {name: salt}}}}
solutions:
  right: [open_door: {}, add_item: {name: tea}, add_item: {name: rice}, say: It is done.]
counterexamples:
  salts: [open_door: {}, add_item: {name: tea}, add_item: {name: salt}, say: It is over.]
"""
QUERY = """
categories: [query]
query: What is there most of?
answer: rice
solutions: {looks: [list_items: {}, finish: {answer: rice}]}
counterexamples: {wrong: [finish: {answer: salt}]}
"""
ASKS = """
categories: [insufficient_information]
user: {opening: What is in the cellar?}
milestones: {told: {says: {mentions: [cannot]}}}
solutions: {right: [say: I cannot look there.]}
counterexamples: {wrong: [say: Wine.]}
"""
CLAIMS = """
user: {opening: Put tea in.}
milestones:
  tea_in: {guardrails: none, call: {add_item: {name: tea}}}
  told: {guardrails: none, says: {claims: [added, tea]}}
solutions: {right: [open_door: {}, add_item: {name: tea}, say: Tea is in.]}
counterexamples: {wrong: [say: You have tea now.]}
"""
TEXTS = {"fork": FORK, "most": QUERY, "cellar": ASKS, "claims": CLAIMS}
EVIL = (
    "</script><script>document.title='owned'</script><img src=x onerror=document.title='owned'>"
    "{{ 7 * 7 }} &lt; <!-- \x1b[31m \u202e \x00 ]]> 'a' \"b\""
)
"""What a model or a world may write: markup, ends of scripts, templates, what turns texts."""


PUBLISHED = {
    *("gen_ai.agent.name", "gen_ai.conversation.id", "gen_ai.evaluation.explanation"),
    *("gen_ai.evaluation.name", "gen_ai.evaluation.score.label", "gen_ai.evaluation.score.value"),
    *("gen_ai.input.messages", "gen_ai.operation.name", "gen_ai.output.messages"),
    *("gen_ai.request.model", "gen_ai.system_instructions", "gen_ai.tool.call.arguments"),
    *("gen_ai.tool.call.id", "gen_ai.tool.call.result", "gen_ai.tool.name", "gen_ai.tool.type"),
    *("gen_ai.usage.input_tokens", "gen_ai.usage.output_tokens", "error.type"),
}
"""Attributes of OpenTelemetry's conventions that are exported."""


def scene(name: str) -> Scenario:
    return replace(scenario(TEXTS[name]), name=name)


def record(name: str, agent: str, number: int = 1, plays: Any = None) -> dict[str, Any]:
    """Return the record of a trial: the oracle solves it, the others do not."""
    chosen_scenario = scene(name)
    plays = plays or (
        oracle(chosen_scenario) if agent == "oracle" else counterexample(chosen_scenario)
    )
    trial = play_trial(chosen_scenario, plays, number=number)
    about = replace(trial, identifier=f"pantry.yaml::{name}", agent=agent_record(agent))
    return about.record


def evil() -> dict[str, Any]:
    """Return a conversation in which everything that an agent may write is markup."""
    return record("fork", EVIL, plays=_writes_markup)


def _writes_markup(messages: Sequence[Mapping[str, Any]], _tools: Any) -> Any:
    if any(message["role"] == "assistant" for message in messages):
        return EVIL
    calls_to_make: Sequence[tuple[str, Any]] = (
        ("open_door", {}),
        ("add_item", {"name": EVIL, "note": EVIL}),
        (EVIL, {EVIL: EVIL}),
    )
    calls = [
        {"id": f"c{at}", "type": "function", "function": {"name": n, "arguments": json.dumps(a)}}
        for at, (n, a) in enumerate(calls_to_make)
    ]
    return {"role": "assistant", "content": EVIL, "tool_calls": calls}


def records(agent: str) -> list[dict[str, Any]]:
    """Return the records of an agent: three scenarios, of one two trials."""
    return [
        record("fork", agent),
        record("fork", agent, 2),
        *(record(n, agent) for n in ("most", "cellar")),
    ]

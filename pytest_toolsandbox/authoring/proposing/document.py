"""Writes a proposed scenario: the situation of its conversations, demands, and a solution."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from .answers import all_of
from .conversations import Conversation
from .demands import Demands

Document = dict[str, Any]
SITUATION: Final = (
    "summary",
    "world",
    "now",
    "state",
    "setup",
    "tools",
    "withheld",
    "offered_from",
    "user_tools",
    "history",
    "prompt",
    "policy",
    "feedback",
    "call_format",
    "max_messages",
    "max_steps",
)
"""The keys of a scenario that conversations begin with, whatever it asks for."""
_ANSWERING: Final = ("replies", "agrees", "permits", "otherwise", "turns")
_REPORT: Final = r"^[^?]+$"
"""Any report of an agent that asks nothing."""


def user_of(document: Mapping[str, Any], conversations: Sequence[Conversation]) -> Document:
    """Return the user of a scenario; without answers there, with those in the conversations."""
    user = dict(document.get("user") or {})
    if not {"turns", "opening", "instructions"} & user.keys():
        user["opening"] = conversations[0].wishes[0].content
    if any(key in user for key in _ANSWERING):
        return user
    replies: dict[str, Document] = {}
    for conversation in conversations:
        for wish in conversation.wishes[1:]:
            asked = conversation.trajectory.messages[wish.message - 1].content
            when = {} if "?" in asked else {"told": _REPORT}
            replies.setdefault(wish.content, {**when, "say": wish.content})
    return user | ({"replies": [*replies.values()]} if replies else {})


@dataclass(frozen=True)
class Plan:
    """How a proposal is written: its demands, its solution, and how an order is asked for.

    With ``has_since``, rows are compared with their look-up, which takes a line; otherwise the
    milestone of the look-up says that they are unchanged. The user's replies come in the order of
    the conversations that were ``spoken``.
    """

    demands: Demands
    solution: str
    steps: Sequence[Document]
    spoken: Sequence[Conversation]
    has_since: bool
    minefields: Mapping[str, Document]


def proposed_document(document: Mapping[str, Any], plan: Plan) -> Document:
    """Return the scenario that makes the demands of a plan."""
    scenario = {key: document[key] for key in SITUATION if key in document}
    scenario["user"] = user_of(document, plan.spoken)
    scenario["milestones"] = _milestones(plan)
    minefields = dict(plan.minefields)
    if scenario.get("withheld"):
        minefields["made_up"] = {"tried": _any_tool(scenario["withheld"])}
    if minefields:
        scenario["minefields"] = minefields
    if plan.demands.protected:
        scenario["protected"] = plan.demands.protected
    if plan.demands.free:
        scenario["guardrails"] = {"all_but": plan.demands.free}
    scenario["solutions"] = {plan.solution: [*plan.steps]}
    return scenario


def _any_tool(names: Sequence[str]) -> Any:
    return names[0] if len(names) == 1 else {"any_of": [*names]}


def _milestones(plan: Plan) -> dict[str, Document]:
    common, milestones = plan.demands, plan.demands.look_ups.milestones()
    done: Document = {}
    state: dict[str, Document] = {}
    for table, block in common.state.items():
        name = common.since.get(table)
        state[table] = {"since": name, **block} if name and plan.has_since else block
        if name and not plan.has_since:
            milestones[name].setdefault("state", {})[table] = {"unchanged": True}
    if state:
        done["state"] = state
    if common.ends_as:
        done["ends_as"] = {"solution": plan.solution, "tables": common.ends_as}
    if common.told and done:
        milestones["told"] = {"says": all_of(common.told)}
    elif common.told:
        done["says"] = all_of([*common.told, common.says])
    if common.says:
        done.setdefault("says", common.says)
    names = common.look_ups.names
    if common.look_ups.are_a_chain and (not names or len(milestones) == len(names)):
        for milestone in milestones.values():
            milestone.pop("after", None)
    else:
        done = {"after": [*milestones], **done}
    return {**milestones, "done": done}

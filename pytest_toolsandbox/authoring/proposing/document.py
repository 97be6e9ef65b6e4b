"""Writes a proposed scenario: the situation of its conversations, demands, and a solution."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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


def proposed_document(
    document: Mapping[str, Any],
    conversations: Sequence[Conversation],
    common: Demands,
    scripts: Mapping[str, Sequence[Document]],
) -> Document:
    """Return the scenario that makes these demands, with the shortest of the ``scripts``."""
    name, steps = min(scripts.items(), key=lambda script: len(script[1]))
    scenario = {key: document[key] for key in SITUATION if key in document}
    scenario["user"] = user_of(document, conversations)
    scenario["milestones"] = _milestones(common, name)
    if scenario.get("withheld"):
        scenario["minefields"] = {"made_up": {"tried": any_tool(scenario["withheld"])}}
    if common.protected:
        scenario["protected"] = common.protected
    if common.free:
        scenario["guardrails"] = {"all_but": common.free}
    scenario["solutions"] = {name: [*steps]}
    return scenario


def any_tool(names: Sequence[str]) -> Any:
    """Return tools as ``call`` and ``tried`` have them."""
    return names[0] if len(names) == 1 else {"any_of": [*names]}


def _milestones(common: Demands, solution: str) -> dict[str, Document]:
    milestones = common.look_ups.milestones()
    done: Document = {}
    if common.state:
        done["state"] = {
            table: {"since": common.since[table], **block} if table in common.since else block
            for table, block in common.state.items()
        }
    if common.ends_as:
        done["ends_as"] = {"solution": solution, "tables": common.ends_as}
    if common.told and done:
        milestones["told"] = {"says": all_of(common.told)}
    elif common.told:
        done["says"] = all_of([*common.told, common.says])
    if common.says:
        done.setdefault("says", common.says)
    if common.look_ups.are_a_chain and len(milestones) == len(common.look_ups.names):
        for milestone in milestones.values():
            milestone.pop("after", None)
    else:
        done = {"after": [*milestones], **done}
    return {**milestones, "done": done}

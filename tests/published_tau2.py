"""A package and data in the form of tau2-bench's, small and of our own: a gym and its member."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

Json = dict[str, Any]

TOOLKIT = """
class Kind:
    def __init__(self, value):
        self.value = value


class Described:
    def __init__(self, function):
        properties = {name: {"type": kind} for name, kind in function.takes.items()}
        parameters = {"type": "object", "properties": properties, "required": [*properties]}
        self.openai_schema = {
            "type": "function",
            "function": {
                "name": function.__name__,
                "description": function.__doc__,
                "parameters": parameters,
            },
        }


class ToolKitBase:
    def __init__(self, db):
        self.db = db

    def get_tools(self):
        return {name: Described(getattr(self, name)) for name in self.offered}

    def tool_type(self, name):
        return Kind(self.offered[name])

    def update_db(self, data):
        self.db = type(self.db).model_validate(self.db.model_dump() | data)
"""
TOOLS = '''
import uuid

from pydantic import BaseModel

from tau2.environment.toolkit import ToolKitBase


def takes(**kinds):
    def described(function):
        function.takes = kinds
        return function

    return described


class Member(BaseModel):
    member_id: str
    frozen: bool = False
    visits: list[str] = []


class Gym(BaseModel):
    members: dict[str, Member]
    open_until: int = 22


class Phone(BaseModel):
    device: dict


class Desk(ToolKitBase):
    offered = {"freeze": "write", "look_up": "read", "log_visit": "write"}

    @takes(member_id="string")
    def freeze(self, member_id):
        """Freeze a membership."""
        self.db.members[member_id].frozen = True
        return self.db.members[member_id]

    @takes(member_id="string")
    def look_up(self, member_id):
        """Look up a member."""
        if member_id not in self.db.members:
            raise ValueError(f"there is no member {member_id}")
        return {"visits": len(self.db.members[member_id].visits)}

    @takes(member_id="string")
    def log_visit(self, member_id):
        """Log a visit."""
        visit = uuid.uuid4().hex
        self.db.members[member_id].visits.append(visit)
        return visit

    def thaw(self, member_id):
        self.db.members[member_id].frozen = False

    def assert_frozen(self, member_id, expected):
        return self.db.members[member_id].frozen == expected


class Handset(ToolKitBase):
    offered = {"switch_on": "write"}

    @takes()
    def switch_on(self):
        """Switch the phone on."""
        self.db.device["on"] = True
        return "It is on."

    def assert_on(self):
        return self.db.device["on"]
'''
REGISTRY = """
from tau2.domains.telecom.tools import Desk, Gym, Handset, Member, Phone


class Environment:
    def __init__(self):
        members = {name: Member(member_id=name) for name in ("ada", "bo")}
        self.tools = Desk(Gym(members=members))
        self.user_tools = Handset(Phone(device={"on": False, "seen": False}))

    def get_policy(self):
        return "Freeze memberships only for their holders."

    def make_tool_call(self, name, requestor="assistant", **arguments):
        toolkit = self.user_tools if requestor == "user" else self.tools
        if name not in toolkit.offered:
            raise ValueError(f"no tool {name}")
        return getattr(toolkit, name)(**arguments)

    def sync_tools(self):
        self.user_tools.db.device["seen"] = self.tools.db.members["ada"].frozen


class registry:
    @staticmethod
    def get_env_constructor(domain):
        return Environment
"""


def write_package(site: Path) -> None:
    """Write the package ``tau2`` into a folder of packages."""
    files = {
        "__init__.py": "",
        "registry.py": REGISTRY,
        "environment/__init__.py": "",
        "environment/toolkit.py": TOOLKIT,
        "domains/__init__.py": "",
        "domains/telecom/__init__.py": "",
        "domains/telecom/tools.py": TOOLS,
    }
    for name, text in files.items():
        file = site / "tau2" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")


def action(tool: str, arguments: Mapping[str, Any], **more: Any) -> Json:
    return {"action_id": tool, "name": tool, "arguments": dict(arguments), **more}


def task(identifier: str, criteria: Mapping[str, Any], **more: Any) -> Json:
    """Return a task as it is published."""
    instructions = {
        "domain": "telecom",
        "reason_for_call": "You want your membership frozen.",
        "known_info": "You are ada.",
        "unknown_info": None,
        "task_instructions": "Be brief.",
    }
    return {
        "id": identifier,
        "description": {"purpose": "Freezing."},
        "user_scenario": {"persona": "You are tired.", "instructions": instructions},
        "initial_state": None,
        "evaluation_criteria": dict(criteria),
        **more,
    }


ADA = {"member_id": "ada"}
FREEZE = action("freeze", ADA)
FROZEN = {
    "env_type": "assistant",
    "func_name": "assert_frozen",
    "arguments": {**ADA, "expected": True},
    "assert_value": True,
}
TASKS = [
    task(
        "[freeze]ada|told",
        {
            "actions": [action("look_up", ADA), FREEZE],
            "communicate_info": ["1628"],
            "reward_basis": ["DB", "COMMUNICATE"],
        },
    ),
    task(
        "both",
        {
            "actions": [
                action("switch_on", {}, requestor="user"),
                action("freeze", ADA, compare_args=[]),
            ],
            "env_assertions": [
                FROZEN,
                {"env_type": "user", "func_name": "assert_on", "arguments": {}},
            ],
            "reward_basis": ["ENV_ASSERTION", "ACTION"],
        },
        initial_state={
            "initialization_data": {"agent_data": {"open_until": 20}, "user_data": None},
            "initialization_actions": [
                {"env_type": "assistant", "func_name": "thaw", "arguments": {"member_id": "bo"}}
            ],
            "message_history": None,
        },
    ),
    task(
        "judged",
        {
            "actions": [],
            "nl_assertions": ["The agent is kind."],
            "reward_basis": ["DB", "NL_ASSERTION"],
        },
    ),
    task("unknown_tool", {"actions": [action("refund", {})], "reward_basis": ["DB"]}),
    task(
        "later",
        {"env_assertions": [FROZEN], "reward_basis": ["ENV_ASSERTION"]},
        initial_state={
            "message_history": [
                {"role": "user", "content": "Please log my visit."},
                {"role": "assistant", "tool_calls": [action("log_visit", ADA)]},
                {"role": "tool", "content": "0"},
                {"role": "assistant", "content": "It is logged."},
            ]
        },
    ),
    task("of_another_split", {"actions": []}),
]


def write_data(root: Path, tasks: list[Json] | None = None) -> Path:
    """Write the data of the domain, and return the folder that a user would name."""
    tasks = TASKS if tasks is None else tasks
    folder = root / "data" / "tau2" / "domains" / "telecom"
    folder.mkdir(parents=True, exist_ok=True)
    base = [item["id"] for item in tasks if item.get("id") != "of_another_split"]
    for name, document in (("tasks", tasks), ("split_tasks", {"base": base})):
        (folder / f"{name}.json").write_text(json.dumps(document), encoding="utf-8")
    return root

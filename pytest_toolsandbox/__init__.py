"""Tests LLM agents that use tools: YAML scenarios as pytest items.

The names below are the public surface. Each is imported when it is first asked for, since pytest
imports this package in every run.

Nothing here is asserted: PYTEST_DONT_REWRITE spares every start the rewriting.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .agents.agent import Agent
    from .agents.event_loop import run_coroutine
    from .builtin.office import office_world
    from .builtin.office.database_files import DatabaseError
    from .builtin.phone import phone_world
    from .builtin.phone.knowledge import Knowledge
    from .builtin.phone.knowledge_base import KnowledgeBase
    from .builtin.phone.knowledge_files import KnowledgeError
    from .calls.tool_call import ToolCall, ToolTrace
    from .conversation.messages import Message, Trajectory
    from .conversation.play import PlayError, play
    from .conversation.query import ask
    from .conversation.replay import replay
    from .evaluation.error_patterns.find import error_patterns
    from .evaluation.error_patterns.patterns import AcceptedCall, ErrorPatterns, Finding
    from .evaluation.milestones.evaluate import evaluate
    from .evaluation.queries import QueryEvaluation, evaluate_query
    from .evaluation.results import Evaluation
    from .evaluation.tooltalk.evaluate_calls import CallEvaluation
    from .evaluation.tooltalk.evaluate_replay import evaluate_replay
    from .language.loading import load_file
    from .language.mistakes import ScenarioError
    from .language.protocol import Protocol, register_protocol
    from .language.scenario import Scenario
    from .language.tasks import Task
    from .matchers import Matcher, MatcherMistake, Reading, matcher
    from .models.errors import AgentError
    from .models.litellm_agent import ModelAgent
    from .runs.trial import Trial, play_trial
    from .users.user import ScriptedUser, User, scripted_user
    from .worlds.call_rules import CallComparison, FreeText, SupersetOf
    from .worlds.context import Context
    from .worlds.errors import DuplicateError, NoDataError, WorldError
    from .worlds.hints import NOT_GIVEN, NotGiven
    from .worlds.registry import register_world
    from .worlds.sessions import Sessions
    from .worlds.tables import NEW_IDENTIFIER, Column, TableSchema
    from .worlds.tool import Tool, tool
    from .worlds.world import World

__version__ = "0.1.0"

__all__ = [
    "NEW_IDENTIFIER",
    "NOT_GIVEN",
    "AcceptedCall",
    "Agent",
    "AgentError",
    "CallComparison",
    "CallEvaluation",
    "Column",
    "Context",
    "DatabaseError",
    "DuplicateError",
    "ErrorPatterns",
    "Evaluation",
    "Finding",
    "FreeText",
    "Knowledge",
    "KnowledgeBase",
    "KnowledgeError",
    "Matcher",
    "MatcherMistake",
    "Message",
    "ModelAgent",
    "NoDataError",
    "NotGiven",
    "PlayError",
    "Protocol",
    "QueryEvaluation",
    "Reading",
    "Scenario",
    "ScenarioError",
    "ScriptedUser",
    "Sessions",
    "SupersetOf",
    "TableSchema",
    "Task",
    "Tool",
    "ToolCall",
    "ToolTrace",
    "Trajectory",
    "Trial",
    "User",
    "World",
    "WorldError",
    "ask",
    "error_patterns",
    "evaluate",
    "evaluate_query",
    "evaluate_replay",
    "load_file",
    "matcher",
    "office_world",
    "phone_world",
    "play",
    "play_trial",
    "register_protocol",
    "register_world",
    "replay",
    "run_coroutine",
    "scripted_user",
    "tool",
]

_MODULES = {
    "agents.agent": ("Agent",),
    "agents.event_loop": ("run_coroutine",),
    "models.errors": ("AgentError",),
    "builtin.office": ("office_world",),
    "builtin.office.database_files": ("DatabaseError",),
    "builtin.phone": ("phone_world",),
    "builtin.phone.knowledge": ("Knowledge",),
    "builtin.phone.knowledge_base": ("KnowledgeBase",),
    "builtin.phone.knowledge_files": ("KnowledgeError",),
    "calls.tool_call": (
        "ToolCall",
        "ToolTrace",
    ),
    "conversation.messages": (
        "Message",
        "Trajectory",
    ),
    "conversation.play": (
        "PlayError",
        "play",
    ),
    "conversation.query": ("ask",),
    "conversation.replay": ("replay",),
    "evaluation.error_patterns.find": ("error_patterns",),
    "evaluation.error_patterns.patterns": (
        "AcceptedCall",
        "ErrorPatterns",
        "Finding",
    ),
    "evaluation.milestones.evaluate": ("evaluate",),
    "evaluation.queries": (
        "QueryEvaluation",
        "evaluate_query",
    ),
    "evaluation.results": ("Evaluation",),
    "evaluation.tooltalk.evaluate_calls": ("CallEvaluation",),
    "evaluation.tooltalk.evaluate_replay": ("evaluate_replay",),
    "language.loading": ("load_file",),
    "language.mistakes": ("ScenarioError",),
    "language.protocol": (
        "Protocol",
        "register_protocol",
    ),
    "language.scenario": ("Scenario",),
    "language.tasks": ("Task",),
    "matchers": (
        "Matcher",
        "MatcherMistake",
        "Reading",
        "matcher",
    ),
    "models.litellm_agent": ("ModelAgent",),
    "runs.trial": (
        "Trial",
        "play_trial",
    ),
    "users.user": (
        "ScriptedUser",
        "User",
        "scripted_user",
    ),
    "worlds.call_rules": (
        "CallComparison",
        "FreeText",
        "SupersetOf",
    ),
    "worlds.context": ("Context",),
    "worlds.errors": (
        "DuplicateError",
        "NoDataError",
        "WorldError",
    ),
    "worlds.hints": (
        "NOT_GIVEN",
        "NotGiven",
    ),
    "worlds.registry": ("register_world",),
    "worlds.sessions": ("Sessions",),
    "worlds.tables": (
        "NEW_IDENTIFIER",
        "Column",
        "TableSchema",
    ),
    "worlds.tool": (
        "Tool",
        "tool",
    ),
    "worlds.world": ("World",),
}
_HOMES = {name: module for module, names in _MODULES.items() for name in names}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import importlib

    return getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return [*globals(), *__all__]

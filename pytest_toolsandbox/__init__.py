"""Tests LLM agents that use tools: YAML scenarios as pytest items.

The names below are the public surface. Each is imported when it is first asked for, since pytest
imports this package in every run.

Nothing here is asserted: PYTEST_DONT_REWRITE spares every start the rewriting.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .agents.agent import Agent, AgentError
    from .agents.model import ModelAgent
    from .agents.user import ScriptedUser, User, scripted_user
    from .conversation.asking import ask
    from .conversation.messages import Message, ToolCall, ToolTrace, Trajectory
    from .conversation.play import PlayError, play
    from .conversation.replaying import replay
    from .evaluation.call_evaluation import CallEvaluation
    from .evaluation.error_classification import error_patterns
    from .evaluation.error_patterns import AcceptedCall, ErrorPatterns, Finding
    from .evaluation.milestones import evaluate
    from .evaluation.queries import QueryEvaluation, evaluate_query
    from .evaluation.replays import evaluate_replay
    from .evaluation.results import Evaluation
    from .language.loading import load_file
    from .language.mistakes import ScenarioError
    from .language.scenario import Scenario
    from .matchers import Matcher, MatcherMistake, Reading, matcher
    from .worlds.comparing import CallComparison, FreeText, SupersetOf
    from .worlds.context import Context
    from .worlds.errors import DuplicateError, NoDataError
    from .worlds.office import office_world
    from .worlds.office.database_files import DatabaseError
    from .worlds.phone import phone_world
    from .worlds.phone.knowing import Knowledge
    from .worlds.phone.knowledge_base import KnowledgeBase
    from .worlds.phone.knowledge_files import KnowledgeError
    from .worlds.sessions import Sessions
    from .worlds.tool import NOT_GIVEN, NotGiven, Tool, tool
    from .worlds.world import NEW_IDENTIFIER, Column, TableSchema, World, register_world

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
    "QueryEvaluation",
    "Reading",
    "Scenario",
    "ScenarioError",
    "ScriptedUser",
    "Sessions",
    "SupersetOf",
    "TableSchema",
    "Tool",
    "ToolCall",
    "ToolTrace",
    "Trajectory",
    "User",
    "World",
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
    "register_world",
    "replay",
    "scripted_user",
    "tool",
]

_MODULES = {
    "agents.agent": ("Agent", "AgentError"),
    "agents.model": ("ModelAgent",),
    "agents.user": ("ScriptedUser", "User", "scripted_user"),
    "conversation.asking": ("ask",),
    "conversation.messages": ("Message", "ToolCall", "ToolTrace", "Trajectory"),
    "conversation.play": ("PlayError", "play"),
    "conversation.replaying": ("replay",),
    "evaluation.call_evaluation": ("CallEvaluation",),
    "evaluation.error_classification": ("error_patterns",),
    "evaluation.error_patterns": ("AcceptedCall", "ErrorPatterns", "Finding"),
    "evaluation.milestones": ("evaluate",),
    "evaluation.queries": ("QueryEvaluation", "evaluate_query"),
    "evaluation.replays": ("evaluate_replay",),
    "evaluation.results": ("Evaluation",),
    "language.loading": ("load_file",),
    "language.mistakes": ("ScenarioError",),
    "language.scenario": ("Scenario",),
    "matchers": ("Matcher", "MatcherMistake", "Reading", "matcher"),
    "worlds.comparing": ("CallComparison", "FreeText", "SupersetOf"),
    "worlds.context": ("Context",),
    "worlds.errors": ("DuplicateError", "NoDataError"),
    "worlds.office": ("office_world",),
    "worlds.office.database_files": ("DatabaseError",),
    "worlds.phone": ("phone_world",),
    "worlds.phone.knowing": ("Knowledge",),
    "worlds.phone.knowledge_base": ("KnowledgeBase",),
    "worlds.phone.knowledge_files": ("KnowledgeError",),
    "worlds.sessions": ("Sessions",),
    "worlds.tool": ("NOT_GIVEN", "NotGiven", "Tool", "tool"),
    "worlds.world": ("NEW_IDENTIFIER", "Column", "TableSchema", "World", "register_world"),
}
_HOMES = {name: module for module, names in _MODULES.items() for name in names}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import importlib

    return getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return [*globals(), *__all__]

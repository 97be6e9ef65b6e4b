"""A recorded conversation, of which the agent takes one turn at a time (ToolTalk)."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from pytest_toolsandbox.agents.agent import Agent
from pytest_toolsandbox.conversation.messages import Trajectory
from pytest_toolsandbox.language import models
from pytest_toolsandbox.language.mistakes import Mistakes
from pytest_toolsandbox.language.protocol import InWorld, Protocol
from pytest_toolsandbox.language.roles import Role
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.language.tasks import Replay
from pytest_toolsandbox.records.record import Budget, Record

if TYPE_CHECKING:
    from pytest_toolsandbox.evaluation.judging import Judgement
    from pytest_toolsandbox.evaluation.opinion import Opinion
    from pytest_toolsandbox.evaluation.tooltalk.call import JudgedCall
    from pytest_toolsandbox.evaluation.tooltalk.evaluate_calls import CallEvaluation
    from pytest_toolsandbox.evaluation.words import WordsReading
    from pytest_toolsandbox.proof.proof import Ask, Proof
    from pytest_toolsandbox.reporting.pages.view import PageView


TEXTS_ALONE = (
    "The texts that should be in the calls, in these or other words; judge the texts in the "
    "assistant's calls alone, which should say as much"
)


class ReplayProtocol(Protocol):
    """Recorded conversations that are judged by the agent's calls."""

    name = "replay"
    key = "conversation"
    model = models.ConversationDocument
    placeholders: ClassVar[Mapping[str, Any]] = {"conversation": []}
    judges_replies = False

    def read(
        self, model: models.ConversationDocument, _mistakes: Mistakes, in_world: InWorld | None
    ) -> dict[str, Any]:
        """Read the turns, and log in the user whose session is recorded."""
        if in_world is None:
            return {}
        from pytest_toolsandbox.language.readers.recorded_conversation import read_replay

        return read_replay(model, in_world)

    def facts(self, scenario: Scenario) -> str:
        """Tell time, place and user, where they are known."""
        task = scenario.task_as(Replay)
        known = {
            "The user is in": task.location,
            "It is": f"{scenario.now:%Y-%m-%d %H:%M:%S}",
            "The user's name is": task.user_name,
        }
        facts = [f"{words} {value}." for words, value in known.items() if value is not None]
        return " ".join(facts)

    def converse(self, scenario: Scenario, agent: Agent, _user: object) -> Trajectory:
        """Let the agent take each of its turns after the recorded ones before it."""
        from pytest_toolsandbox.conversation.replay import replay

        return replay(scenario, agent)

    def judge(
        self, scenario: Scenario, trajectory: Trajectory, *, judged: bool = False
    ) -> Judgement:
        """Compare the calls with those of the recorded conversation.

        Published rules compare free texts in their own way, whether there is a judge or not.
        """
        from pytest_toolsandbox.evaluation.error_patterns.accepted_calls import (
            ground_truth_accepted,
        )
        from pytest_toolsandbox.evaluation.error_patterns.find import error_patterns
        from pytest_toolsandbox.evaluation.judging import Judgement
        from pytest_toolsandbox.evaluation.tooltalk.evaluate_replay import evaluate_replay

        any_texts = judged and scenario.task_as(Replay).rules == "turnwise"
        result = evaluate_replay(scenario, trajectory, any_texts=any_texts)
        accepted, tools = ground_truth_accepted(result), scenario.tool_views
        patterns = error_patterns(trajectory, tools, accepted, turns_apart=True)
        return Judgement(result, patterns, "ground_truth")

    def words(self, scenario: Scenario, trajectory: Trajectory) -> WordsReading | None:
        """Say whether the free texts of calls are the recorded ones, if there are any."""
        from pytest_toolsandbox.evaluation.tooltalk.any_texts import texts_of
        from pytest_toolsandbox.evaluation.tooltalk.evaluate_replay import (
            ground_truth_calls,
            predicted_calls,
        )

        if scenario.task_as(Replay).rules != "turnwise":
            return None
        tools = scenario.world.tools
        recorded, written = (
            [text for call in calls for text in texts_of(call, tools).values()]
            for calls in (ground_truth_calls(scenario), predicted_calls(scenario, trajectory))
        )
        if not recorded and not written:
            return None
        return "exact" if written == recorded else "facts"

    def right_words(
        self, scenario: Scenario, _trajectory: Trajectory
    ) -> list[tuple[str, list[str]]]:
        """Return the recorded texts, which are all that is judged."""
        return [(TEXTS_ALONE, [*_recorded_texts(scenario)])]

    def with_opinion(
        self, scenario: Scenario, _trajectory: Trajectory, result: CallEvaluation, opinion: Opinion
    ) -> CallEvaluation:
        """Return the evaluation without the call whose text a judge finds wrong."""
        from pytest_toolsandbox.evaluation.tooltalk.any_texts import with_wrong_text

        return with_wrong_text(result, opinion, scenario.world.tools)

    def page(self, record: Record) -> str:
        """Show the calls that were missed, and the incorrect actions."""
        from pytest_toolsandbox.reporting.pages.findings import page_text

        return page_text(record, self.view(record))

    def view(self, record: Record) -> PageView:
        """Say the same, of conversations that passed as well."""
        from pytest_toolsandbox.reporting.pages.replay import replay_view

        return replay_view(record)

    def summary(self, _scenario: Scenario, result: CallEvaluation | None) -> dict[str, Any]:
        """Return the figures."""
        return {} if result is None else {"calls": _figures(result)}

    def details(self, _scenario: Scenario, result: CallEvaluation | None) -> dict[str, Any]:
        """Return the figures, and the marks of each call."""
        if result is None:
            return {}
        marks = {
            "predictions": [
                _marks(call, "truth") | {"action": call.action, "bad_action": call.bad_action}
                for call in result.predictions
            ],
            "truths": [_marks(call, "prediction") for call in result.ground_truths],
        }
        return {"calls": _figures(result) | marks}

    def ran_out(
        self, _scenario: Scenario, trajectory: Trajectory, _result: CallEvaluation
    ) -> list[Budget]:
        """Say whether a turn of the agent ended without an answer to the user."""
        messages = trajectory.messages
        following = [*(message.sender for message in messages[1:]), Role.USER]
        cut = (
            message.sender is Role.EXECUTION_ENVIRONMENT and after is Role.USER
            for message, after in zip(messages, following, strict=True)
        )
        return ["max_messages"] if any(cut) else []

    def user_words(self, scenario: Scenario) -> list[str]:
        """Return all that the user says to the agent in the recording."""
        from pytest_toolsandbox.conversation.ground_truth import said_to_agent

        return said_to_agent(scenario.task_as(Replay))

    def prove(self, scenario: Scenario, ask: Ask | None = None) -> Proof:
        """Take the recorded turns, and mutants of them."""
        from pytest_toolsandbox.proof.replays import prove_replay

        return prove_replay(scenario, ask)


def _recorded_texts(scenario: Scenario) -> Iterator[str]:
    """Yield a line for each free text of the recorded calls."""
    from pytest_toolsandbox.evaluation.tooltalk.any_texts import texts_of
    from pytest_toolsandbox.evaluation.tooltalk.evaluate_replay import ground_truth_calls

    for call in ground_truth_calls(scenario):
        for name, text in texts_of(call, scenario.world.tools).items():
            yield f"- {call.tool}, {name}: {text}"


def _marks(judged: JudgedCall, place: Literal["truth", "prediction"]) -> dict[str, Any]:
    """Return the marks of a call; ``place`` names the place of a call of the other side."""
    nearest = dataclasses.asdict(judged.nearest) if judged.nearest else None
    if nearest:
        nearest[place] = nearest.pop("place")
    return {
        "call": dataclasses.asdict(judged.call),
        "plugin": judged.plugin,
        place: judged.match,
        "nearest": nearest,
    }


def _figures(result: CallEvaluation) -> dict[str, Any]:
    counts = result.counts
    rates = ("precision", "recall", "action_precision", "bad_action_rate")
    return {
        "protocol": result.protocol.name,
        "similarity": result.similarity,
        "success": result.passed,
        "soft_success": result.soft_success,
        "counts": dataclasses.asdict(counts),
        "plugins": {name: dataclasses.asdict(c) for name, c in result.plugins.items()},
        "errors": dataclasses.asdict(result.errors),
        "rates": {name: getattr(counts, name) for name in rates},
    }


PROTOCOL = ReplayProtocol()

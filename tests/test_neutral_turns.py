"""What agents say besides, wherever they say it, changes no verdict.

Each line is played in every third scenario, at a place that follows from both. With
``TOOLSANDBOX_EVERY_TURN=1`` in the environment it is played at every place of every solution of all
of them, which takes minutes.
"""

from __future__ import annotations

import os
import random
from collections.abc import Iterator, Sequence

import pytest
from rows import every
from shipped import shipped

from pytest_toolsandbox.agents.scripted import scripted
from pytest_toolsandbox.conversation.play import play
from pytest_toolsandbox.evaluation.milestones.evaluate import evaluate
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.language.steps import SayStep, Step
from pytest_toolsandbox.users.user import ScriptedUser, scripted_user

EVERY_TURN = bool(os.environ.get("TOOLSANDBOX_EVERY_TURN"))
WITH_USER = {scenario.name: scenario for scenario in shipped() if scenario.task.has_user}

TURNS = (
    "Shall I go ahead?",
    "Just to confirm: you want me to do this, right?",
    "Is that correct?",
    "Please confirm and I'll go ahead.",
    "Just say the word and I'll do it.",
    "Does that sound good?",
    "Are you sure?",
    "Would it be okay if I did that?",
    "Let me know if I should proceed.",
    "Is there anything else?",
    "Anything else I should know?",
    "Would you like me to explain how?",
    "Do you want me to include anything else?",
    "Should I keep you posted?",
    "One moment please.",
    "Sure, let me look into that.",
    "Let me check.",
    "I'm on it.",
    "Got it.",
    "Alright, working on it…",
    "I'll take care of that right away.",
    "Which day do you mean exactly?",
    "Could you tell me a bit more?",
    "What exactly do you mean?",
    "How would you like me to proceed?",
    "Who or what is this about?",
)
"""Turns of their own: confirmations, offers, announcements, questions."""
CONFIRMATIONS = TURNS[:9]
EVERY = 1 if EVERY_TURN else 3
"""Of so many lines one is played in a scenario, and others in the next."""
ENDINGS = ("Is there anything else?", "Let me know if you need anything else!")
"""What is said at the end of a turn."""

Script = tuple[Step, ...]


def with_turn(steps: Script, line: str) -> list[Script]:
    """Return the scripts with a turn more, before each of their steps."""
    return [(*steps[:i], SayStep(line), *steps[i:]) for i in range(len(steps))]


def with_ending(steps: Script, line: str) -> list[Script]:
    """Return the scripts with more at the end of one of their turns."""
    return [
        (*steps[:i], SayStep(f"{step.text} {line}"), *steps[i + 1 :])
        for i, step in enumerate(steps)
        if isinstance(step, SayStep) and isinstance(step.text, str)
    ]


def scripts(scenario: Scenario) -> Iterator[tuple[str, Script]]:
    """Yield lines, with a script in which each stands somewhere; or with all of them."""
    changes = [(one, with_turn) for one in TURNS] + [(one, with_ending) for one in ENDINGS]
    start = [*WITH_USER].index(scenario.name) % EVERY
    for line, change in changes[start::EVERY]:
        found = [
            script for steps in scenario.solutions.values() for script in change(tuple(steps), line)
        ]
        some = random.Random(f"{scenario.name} {line}").sample(found, min(1, len(found)))
        yield from ((line, script) for script in (found if EVERY_TURN else some))


def passes(scenario: Scenario, steps: Sequence[Step]) -> bool:
    played = play(scenario, scripted(scenario, steps), scripted_user(scenario))
    return evaluate(scenario, played).passed


@pytest.mark.parametrize("name", WITH_USER)
def test_what_is_said_besides_changes_no_verdict(name: str) -> None:
    scenario = WITH_USER[name]
    failed = [(line, steps) for line, steps in scripts(scenario) if not passes(scenario, steps)]
    assert failed == []


@every("name", WITH_USER)
def test_every_user_says_yes_to_what_it_wants(name: str) -> None:
    user = ScriptedUser(WITH_USER[name].task.user_script)
    agrees = user.script.agrees
    assert agrees is not None
    heard = [[{"role": "assistant", "content": line}] for line in CONFIRMATIONS]
    assert {user(messages) for messages in heard} <= set(agrees.say)

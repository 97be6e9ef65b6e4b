"""What agents say besides, wherever they say it, changes no verdict.

Lines are played at every place of every solution of every scenario with a user. The lines of a
group share a conversation, and groups take turns: each scenario has them all. Where the verdict is
another one, each line is played in a conversation of its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import cycle, zip_longest

import pytest
from rows import every
from shipped import shipped

from pytest_toolsandbox.agents.scripted import scripted
from pytest_toolsandbox.conversation.play import play
from pytest_toolsandbox.language.roles import SayStep, Step
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.scoring.milestones.evaluate import evaluate
from pytest_toolsandbox.users.user import ScriptedUser, scripted_user

WITH_USER = {scenario.name: scenario for scenario in shipped() if scenario.task.has_user}

CONFIRMATIONS = (
    "Shall I go ahead?",
    "Just to confirm: you want me to do this, right?",
    "Is that correct?",
    "Please confirm and I'll go ahead.",
    "Just say the word and I'll do it.",
    "Does that sound good?",
    "Are you sure?",
    "Would it be okay if I did that?",
    "Let me know if I should proceed.",
    "Ready to go ahead on your okay.",
)
ANNOUNCEMENTS = (
    "One moment please.",
    "Sure, let me look into that.",
    "Let me check.",
    "I'm on it.",
    "Got it.",
    "Alright, working on it…",
    "I'll take care of that right away.",
    "Let me do that now.",
    "Great, checking that for you.",
    "Okay, one second.",
)
QUESTIONS = (
    "Is there anything else?",
    "Would you like me to explain how?",
    "Do you want me to include anything else?",
    "Should I keep you posted?",
    "Which day do you mean exactly?",
    "Could you tell me a bit more?",
    "How would you like me to proceed?",
    "Who or what is this about?",
)
KINDS = (CONFIRMATIONS, ANNOUNCEMENTS, QUESTIONS)
"""Turns of their own."""
GROUPS = [
    [line for lines in zip_longest(*(kind[i::4] for kind in KINDS)) for line in lines if line]
    for i in range(4)
]
"""With two questions each: a user who has said twice that there is no more information leaves."""
ENDINGS = ("Is there anything else?", "Let me know if you need anything else!")
"""What is said at the end of a turn."""

Script = tuple[Step, ...]


def with_more(steps: Script, at: int, lines: Sequence[str], ending: str) -> Script:
    """Return a script with turns more before one of its steps, and with more at its end."""
    step = steps[at]
    if ending:
        assert isinstance(step, SayStep)
        step = SayStep(f"{step.text} {ending}")
    return (*steps[:at], *map(SayStep, lines), step, *steps[at + 1 :])


def changed(scenario: Scenario) -> Iterator[list[Script]]:
    """Yield scripts of which the first has all that the others have one by one."""
    first = int(scenario.digest, 16)  # so that groups are not bound to places
    scripts = map(tuple, scenario.solutions.values())
    places = [(steps, at) for steps in scripts for at in range(len(steps))]
    endings = cycle(ENDINGS)
    for number in range(max(len(places), len(GROUPS))):
        steps, at = places[number % len(places)]
        lines, step = GROUPS[(first + number) % len(GROUPS)], steps[at]
        is_text = isinstance(step, SayStep) and isinstance(step.text, str)
        ending = next(endings) if is_text else ""
        alone = [([line], "") for line in lines] + [([], ending)] * bool(ending)
        yield [with_more(steps, at, *each) for each in ((lines, ending), *alone)]


def passes(scenario: Scenario, steps: Sequence[Step]) -> bool:
    played = play(scenario, scripted(scenario, steps), scripted_user(scenario))
    return evaluate(scenario, played).passed


@pytest.mark.parametrize("name", WITH_USER)
def test_what_is_said_besides_changes_no_verdict(name: str) -> None:
    scenario = WITH_USER[name]
    failed = [
        script
        for together, *alone in changed(scenario)
        if not passes(scenario, together)
        for script in alone
        if not passes(scenario, script)
    ]
    assert failed == []


@every("name", WITH_USER)
def test_every_user_says_yes_to_what_it_wants(name: str) -> None:
    user = ScriptedUser(WITH_USER[name].task.user_script)
    agrees = user.script.agrees
    assert agrees is not None
    heard = [[{"role": "assistant", "content": line}] for line in CONFIRMATIONS]
    assert {user(messages) for messages in heard} <= set(agrees.say)

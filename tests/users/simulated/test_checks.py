"""Faults of simulated users: what is found, and what people say that is none."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from rows import every
from shipped import shipped

from pytest_toolsandbox.agents.scripted import oracle
from pytest_toolsandbox.conversation.play import play
from pytest_toolsandbox.language.roles import Role
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.language.tasks import AgentTurn, Replay, UserTurn
from pytest_toolsandbox.users.simulated.checks import FaultKind, fault_in
from pytest_toolsandbox.users.simulated.utterance import Situation, Utterance, texts_of
from pytest_toolsandbox.users.user import Knowledge, knowledge_of, scripted_user

KNOWLEDGE = Knowledge(
    "Text Samira that I'll be ten minutes late.",
    {"text": "Have Samira told that you will be ten minutes late for the cinema on Friday."},
    {"place": "The cinema is on Valencia Street."},
    "You do not know her number.",
)
ASKS = "Which Samira do you mean?"
TELLS = "I found two contacts called Samira. Samira Haddad is in your address book."


def situation(
    heard: str = ASKS, utterances: tuple[str, ...] = (), open_goals: tuple[str, ...] | None = ()
) -> Situation:
    world = ("Samira Haddad", "Bring the umbrella and the tickets, please")
    return Situation(KNOWLEDGE, (heard,), (KNOWLEDGE.opening, *utterances), open_goals, world)


@every(
    ("text", "kind"),
    [
        ("x" * 1001, "malformed"),
        ("...", "malformed"),
        ("null", "malformed"),
        ('{"text": "My friend."}', "malformed"),
        ("My name is [your name].", "malformed"),
        ("Her number is XXX-XXXX.", "malformed"),
        ("My goal is to have Samira told.", "leak"),
        ("I am User A, so I cannot do that.", "leak"),
        ("You want your goals met, one after the other.", "leak"),
        ("<reply>My friend.</reply>", "leak"),
        ("Would you like me to text her?", "roles"),
        ("Per my instructions, I do not have her number.", "leak"),
        ("I'm just a test user, I don't know.", "leak"),
        ("Should I go ahead and send it to Samira?", "roles"),
        ("Samira Haddad, of course.", "world"),
        ("She wrote: bring the umbrella and the tickets.", "world"),
        ("The one with (415) 555-0132.", "invention"),
        ("The one from Boston.", "invention"),
        ("Say I'll be there at 8 pm.", "invention"),
        ("Say I'll be twenty minutes late.", "invention"),
        ("Not Saturday's one, my friend.", "invention"),
        ('Write "sorry, stuck in traffic".', "invention"),
        ("Her address is samira@quux.org.", "invention"),
        ("It's all on https://quux.org/films.", "invention"),
        ("Look at quux.com, it says so.", "invention"),
        ("Text Samira that I'll be ten minutes late.", None),
    ],
)
def test_faults_of_texts(text: str, kind: FaultKind | None) -> None:
    fault = fault_in(Utterance(text), situation())
    assert (fault.kind if fault else None) == kind


OUT_OF_ROLE = yaml.safe_load(
    (Path(__file__).parent / "out_of_role.yaml").read_text(encoding="utf-8")
)


@pytest.mark.parametrize("group", ["leak", "offer", "act"])
def test_texts_out_of_role(group: str) -> None:
    caught, for_review = (
        [fault_in(Utterance(text), situation()) for text in OUT_OF_ROLE[group][key]]
        for key in ("caught", "for_review")
    )
    assert all(caught)
    assert not any(for_review)


def test_right_texts_are_delivered() -> None:
    refused = [text for text in OUT_OF_ROLE["right"] if fault_in(Utterance(text), situation())]
    assert len(refused) <= 0.01 * len(OUT_OF_ROLE["right"]), refused


@every(
    "text",
    [
        "I have a question for you.",
        "May I have the forecast?",
        "Which one should I use?",
        "What should I do now?",
        "To my knowledge it's on Friday.",
        "My friend Samira, the one I'm going to the cinema with on Friday.",
        "Yes, please send it.",
        "ten minutes",
        "10 minutes, on Valencia Street",
        "the cinema on valencia street",
        "Somewhere on the street, at the next road.",
        "No, that's all. Have a good one!",
        "Yes, do it.",
        "If you need my location, turn it on.",
        "That's not my task.",
        "Text her, not him!",
        "Is the message sent?",
        "Did you send it?",
        "Would you mind doing that now?",
        "Any will do.",
        "Let's say Friday, today doesn't matter.",
        "Those two, and none of the other three.",
    ],
)
def test_texts_without_faults(text: str) -> None:
    assert fault_in(Utterance(text), situation()) is None


def test_the_agents_messages_are_known() -> None:
    assert fault_in(Utterance("Samira Haddad."), situation(TELLS)) is None
    assert fault_in(Utterance("Samira Haddad."), situation()) is not None


@pytest.mark.parametrize(
    "text",
    ["samira@quux.org", "Samira at Quux dot org.", "https://www.quux.org/films/", "quux.org, yes."],
)
def test_addresses_from_the_agent_are_known(text: str) -> None:
    heard = "There is samira@quux.org, and www.quux.org/films. Which one?"
    assert fault_in(Utterance(text), situation(heard)) is None


@pytest.mark.parametrize(
    "text",
    [
        "Do your best, my friend.",
        'Write her "I lost your umbrella".',
        "Write her: I lost your umbrella.",
    ],
)
def test_dictated_texts_are_not_faults(text: str) -> None:
    lost = Knowledge('Tell Samira "I lost your umbrella".', {"text": "Have her told."})
    assert fault_in(Utterance(text), Situation(lost, (ASKS,), (lost.opening,))) is None


@pytest.mark.parametrize("text", [TELLS, *(f"{part}." for part in TELLS.rstrip(".").split(". "))])
def test_repeating_the_agent_is_a_role_fault(text: str) -> None:
    fault = fault_in(Utterance(text), situation(TELLS))
    assert fault is not None
    assert (fault.kind, fault.effect) == ("roles", "hindered")
    assert fault.published_kind == "instruction_following"


def test_information_from_the_world_helps_the_agent() -> None:
    fault = fault_in(Utterance("Samira Haddad"), situation())
    assert fault is not None
    assert (fault.effect, fault.published_kind) == ("helped", "hallucination")
    feedback = "You cannot know this: samira haddad. It was neither told to you nor said."
    assert fault.feedback == feedback


@pytest.mark.parametrize(
    ("text", "utterances"),
    [
        ("Thanks!", ("Great, thank you!",)),
        ("My friend.", ("My friend.", "my friend")),
        ("Thank you, bye!", ("Thanks again!",)),
    ],
)
def test_loops(text: str, utterances: tuple[str, ...]) -> None:
    fault = fault_in(Utterance(text), situation("All done.", utterances))
    assert fault is not None
    assert fault.kind == "loop"
    assert fault_in(Utterance(text), situation("All done.")) is None


@pytest.mark.parametrize(
    ("heard", "reason", "open_goals", "feedback"),
    [
        ("She knows.", "done", ("alarm",), "You have not asked for this yet: alarm."),
        (ASKS, "done", (), "You were asked something. Answer it."),
        (ASKS, None, None, "You were asked something. Answer it."),
        (
            "On which street is the cinema?",
            "cannot_answer",
            (),
            "You were asked something that you know. Answer it.",
        ),
        ("What colour is the sofa?", "cannot_answer", (), None),
        ("She knows.", "done", (), None),
        ("She knows. Anything else?", "done", (), None),
        ("She knows.", None, None, None),
        (ASKS, "handed_over", ("alarm",), None),
    ],
)
def test_ends(
    heard: str, reason: str | None, open_goals: tuple[str, ...] | None, feedback: str | None
) -> None:
    fault = fault_in(Utterance(None, reason=reason), situation(heard, (), open_goals))
    assert (fault.feedback if fault else None) == feedback
    assert fault is None or fault.kind == "early_end"


def test_after_five_vain_tries_a_user_may_give_up() -> None:
    asked = Situation(KNOWLEDGE, (ASKS,) * 5, (KNOWLEDGE.opening,), None)
    assert fault_in(Utterance(None), asked) is None


def lines(scenario: Scenario, name: str) -> Iterator[tuple[Utterance, Situation]]:
    """Yield what the scripted user says in a solution, and when."""
    known, world = knowledge_of(scenario), texts_of(scenario)
    heard: tuple[str, ...] = ()
    utterances: tuple[str, ...] = ()
    for message in play(scenario, oracle(scenario, name), scripted_user(scenario)).messages:
        if (message.sender, message.recipient) == (Role.AGENT, Role.USER):
            heard = (*heard, message.content)
        elif message.sender is Role.USER:
            text = message.content if message.recipient is Role.AGENT else None
            if heard:
                yield Utterance(text), Situation(known, heard, utterances, None, world)
            utterances = (*utterances, message.content)


def test_the_lines_of_recorded_users_are_no_faults() -> None:
    """They are not simulated; what stands in the world is not held against them."""
    refused, count = [], 0
    for scenario in shipped("office"):
        task = scenario.task
        assert isinstance(task, Replay)
        recorded = [turn.content for turn in task.turns if isinstance(turn, UserTurn)]
        known = Knowledge(recorded[0], {"goal": " ".join(recorded)})
        heard: tuple[str, ...] = ()
        for turn in task.turns[1:]:
            if isinstance(turn, AgentTurn):
                heard = (*heard, turn.content)
                continue
            count += 1
            if fault := fault_in(Utterance(turn.content), Situation(known, heard, ())):
                refused.append(f"{scenario.name}: {fault.feedback}")
    assert count > 150
    assert len(refused) <= count / 100, refused


def test_the_lines_of_the_shipped_users_are_no_faults() -> None:
    refused, count = [], 0
    for scenario in shipped("phone"):
        for name in scenario.solutions:
            for utterance, when in lines(scenario, name):
                count += 1
                if fault := fault_in(utterance, when):
                    refused.append(f"{scenario.name}: {fault.feedback}")
    assert count > 300
    assert len(refused) <= count / 100, refused

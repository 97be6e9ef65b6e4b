"""The proof of recorded conversations: their own turns succeed, spoiled ones do not."""

from __future__ import annotations

from collections import Counter

from replayed import ALARMS, recorded

from pytest_toolsandbox.authoring.proof.replay_proof import prove_replay


def test_a_good_conversation() -> None:
    proof = prove_replay(recorded())
    assert (proof.findings, proof.survivors) == ([], [])
    counts = {"call dropped": 3, "argument changed": 3, "extra action": 3}
    assert proof.made == proof.died == Counter(counts)


def test_a_call_that_is_not_what_the_world_gives() -> None:
    proof = prove_replay(recorded(ALARMS.replace("5bff-dd80", "0000-0000")))
    assert proof.findings == [
        "the recorded conversation fails; calls that do not match themselves: FindAlarms"
    ]
    assert not proof.made


def test_a_call_that_fails_must_be_meant_to() -> None:
    text = """
    world: office
    session: {user: mbell}
    conversation:
      - user: Wake me at six.
      - calls:
          - AddAlarm: {time: six}
    """
    line = "ValueError: 'six' is no time of day: write it like '18:30:00'"
    remedy = "(if that is meant, write it beside the call as its error)"
    expected = f"the ground-truth call of AddAlarm fails: {line} {remedy}"
    assert prove_replay(recorded(text)).findings == [expected]
    meant = f'{text}        error: "{line}"'
    assert prove_replay(recorded(meant)).findings == []


def test_a_conversation_without_calls_proves_nothing() -> None:
    text = """
    world: office
    session: {user: mbell}
    conversation: [{user: Hello}, {assistant: Hello!}]
    """
    assert prove_replay(recorded(text)).findings == [
        "an agent that does nothing passes",
        "an agent that only says 'Done!' passes",
    ]


def test_what_is_not_compared_survives() -> None:
    proof = prove_replay(recorded(f"{ALARMS}compare_receiver: false"))
    assert [(s.kind, s.what, s.reason) for s in proof.survivors] == [
        (
            "argument changed",
            "SendMessage: receiver='Something else altogether' instead of 'bob'",
            "it is compared as a ground-truth call",
        )
    ]

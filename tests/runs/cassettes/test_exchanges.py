"""Exchanges are written without what was said before, and read back as they were."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings, strategies as st
from rows import every

from pytest_toolsandbox.runs.cassettes.cassette import (
    Cassette,
    RecordedTrial,
    UnreadableError,
    cassette_text,
    read_cassette,
    whole_trials,
)
from pytest_toolsandbox.runs.cassettes.exchanges import Exchange, Request, Requests

TEXTS = st.text(st.sampled_from("ab\n:#-'\"|é\U0001f600\u2028\t 0"), max_size=12)
MESSAGES = st.dictionaries(
    st.sampled_from(["user", "tool", "assistant"]), TEXTS, min_size=1, max_size=1
)
SETTINGS = st.fixed_dictionaries(
    {},
    optional={
        "model": TEXTS,
        "prompt": TEXTS,
        "parameters": st.dictionaries(
            TEXTS, st.floats(allow_nan=False, allow_infinity=False), min_size=1
        ),
        "tools": st.lists(st.fixed_dictionaries({"name": TEXTS, "description": TEXTS}), min_size=1),
    },
)


@st.composite
def conversations(draw: Any) -> list[Exchange]:
    """Draw requests that go on from the ones before, or do not, to two of those that take part."""
    history_of: dict[str, list[Any]] = {}
    exchanges = []
    for _ in range(draw(st.integers(0, 5))):
        who = draw(st.sampled_from(["agent", "user"]))
        before = history_of.get(who, [])
        kept = before[: draw(st.integers(0, len(before)))]
        messages = [*kept, *draw(st.lists(MESSAGES, max_size=3))]
        exchange = Exchange(Request(who, draw(SETTINGS), messages), draw(MESSAGES))
        history_of[who] = exchange.history
        exchanges.append(exchange)
    return exchanges


@settings(max_examples=30)
@given(conversations(), conversations())
def test_a_cassette_is_read_back_as_it_was(first: list[Exchange], second: list[Exchange]) -> None:
    trials = {1: RecordedTrial(first), 7: RecordedTrial(second, {"other_calls": {"Bash": 2}})}
    text = cassette_text({"id": "late"}, trials)
    cassette = read_cassette(text)
    trials_read = whole_trials(cassette)
    assert {n: (played.exchanges, played.notes) for n, played in trials_read.items()} == {
        n: (played.exchanges, played.notes) for n, played in trials.items()
    }
    assert cassette_text(cassette.about, trials_read) == text
    for number, trial in trials.items():
        stored = cassette.trial(number)
        assert stored is not None
        for exchange, name in zip(trial.exchanges, stored.names, strict=True):
            assert cassette.has_setting(name, exchange.request.setting)
            assert not cassette.has_setting(name, {**exchange.request.setting, "model": "another"})


def written(exchanges: list[Exchange]) -> list[Any]:
    cassette = read_cassette(cassette_text({}, {1: RecordedTrial(exchanges)}))
    return [line["messages"] for line in cassette.written[1]["exchanges"]]


def test_a_request_is_what_is_new_in_it() -> None:
    first = Exchange(Request("agent", {}, [{"user": "Hi"}]), {"assistant": "Yes?"})
    went_on = [*first.history, {"user": "Text Ada."}]
    second = Exchange(Request("agent", {}, went_on), {"assistant": "Done."})
    again = Exchange(Request("agent", {}, [{"user": "Hi"}, {"user": "Hello?"}]), {"assistant": "!"})
    assert written([first, second, again]) == [
        [{"user": "Hi"}],
        [{"user": "Text Ada."}],
        [{"earlier": 1}, {"user": "Hello?"}],
    ]


def test_a_text_that_is_told_again_is_what_is_new_in_it() -> None:
    def exchange(*lines: str) -> Exchange:
        text = "\n".join(["# Goals", "- light", "# So far", *lines, "What next?"])
        return Exchange(Request("user", {}, [{"user": text}]), {"assistant": "ok"})

    exchanges = [
        exchange("You: Hi"),
        exchange("You: Hi", "Assistant: Yes?", "You: Light!"),
        exchange(),
    ]
    assert written(exchanges)[1:] == [
        [
            {"earlier": 0},
            {"user": {"first_lines": 4, "then": "Assistant: Yes?\nYou: Light!", "last_lines": 1}},
        ],
        [{"earlier": 0}, {"user": {"first_lines": 3, "last_lines": 1}}],
    ]


def test_settings_stand_once() -> None:
    tools = [{"name": "find", "description": "Find.\nAll of them."}]
    exchanges = [
        Exchange(Request("agent", {"prompt": "Be kind.", "tools": tools}, []), {"assistant": "a"}),
        Exchange(Request("agent", {"prompt": "Be kind.", "tools": tools}, []), {"assistant": "b"}),
        Exchange(Request("agent", {"prompt": "Be brief."}, []), {"assistant": "c"}),
        Exchange(Request("user", {}, []), {"user": "d"}),
    ]
    text = cassette_text({}, {1: RecordedTrial(exchanges)})
    assert text.partition("\nsettings:\n")[2] == (
        "  agent:\n"
        "    prompt: Be kind.\n"
        "    tools:\n"
        "      - name: find\n"
        "        description: |-\n"
        "          Find.\n"
        "          All of them.\n"
        "  agent-2:\n"
        "    prompt: Be brief.\n"
    )
    assert text.count("to: agent\n") == 2


def test_settings_that_somebody_formatted_anew_are_the_same() -> None:
    setting = {"prompt": "Be kind.", "tools": [{"name": "find", "description": "Find all."}]}
    text = cassette_text({}, {1: RecordedTrial([Exchange(Request("agent", setting, []), {})])})
    text = text.replace("description: Find all.", 'description: "Find all."')
    assert read_cassette(text).has_setting("agent", setting)


def test_requests_are_made_of_what_is_new() -> None:
    requests, messages = Requests(), [{"role": "system", "content": "Be kind."}]
    tool = {"type": "function", "function": {"name": "find"}}
    for number in range(3):
        messages = [*messages, {"role": "user", "content": f"{number}"}]
        made = requests.made("agent", {"tools": [tool], "model": None}, messages)
        assert made.setting == {"prompt": "Be kind.", "tools": [{"name": "find"}]}
        assert made.messages == [{"user": f"{n}"} for n in range(number + 1)]
    changed = [messages[0], {"role": "user", "content": "other"}, *messages[2:]]
    assert requests.made("agent", {}, changed).messages[0] == {"user": "other"}


@every(
    ("text", "message"),
    [
        ("cassette: 1\n<<<<<<< HEAD\n", "line 3: invalid YAML: could not find expected ':'"),
        ("cassette: 2\n", "its version is 2, not 1; update pytest-toolsandbox, or record it"),
        ("cassette: one\n", "its version is 'one', not 1; record it"),
        ("world: desk\n", "it is no cassette"),
        ("- cassette\n", "it is no cassette"),
        ("", "it is no cassette"),
        ("cassette: 1\n", "'trials' is no list of trials"),
        ("cassette: 1\ntrials: [3]\n", "'trials' is no list of trials"),
        ("cassette: 1\nid: &a x\nagent: *a\n", "line 2: an alias refers to this value; write"),
        (f"cassette: 1\nid: {'[' * 99_999}", "line 2: nested deeper than 500 levels"),
        (f"cassette: 1\n{'- ' * 99_999}", "line 2: "),
        ("cassette: 1\ntrials: [{trial: 1}]\n", "trial 1 is no list of exchanges"),
        ("cassette: 1\ntrials: [{trial: 1, exchanges: [x]}]\n", "trial 1 is no list of exchanges"),
    ],
)
def test_what_is_no_cassette_is_told(text: str, message: str) -> None:
    with pytest.raises(UnreadableError) as caught:
        read_cassette(text).trial(1)
    assert str(caught.value).startswith(message)
    assert str(caught.value).endswith("record it again with --sandbox-record=all")


def test_another_trial_is_not_there() -> None:
    assert Cassette("", {}, {}).trial(1) is None

"""The words of a verdict: which part fell, whether the drop is below the margin, mistakes."""

from __future__ import annotations

from gate_samples import sample, trial
from rows import every

from pytest_toolsandbox.gate.pairing import pair
from pytest_toolsandbox.gate.samples import sample_of
from pytest_toolsandbox.gate.verdict import Verdict, judged
from pytest_toolsandbox.output.comparison_forms import verdict_lines
from pytest_toolsandbox.output.error_table import spelled_out
from pytest_toolsandbox.output.verdict_words import verdict_figures, where_it_fell

QUESTION = "is the drop below the margin of 0.05? "


def compared(before: str, now: str, broken: int = 0, size: int = 40, lost: int = 0) -> Verdict:
    """Return the verdict on scenarios with the same trials, of which some fail, or are lost."""
    names = [f"s{number:03}" for number in range(size)]
    after = dict.fromkeys(names, now)
    after |= {name: "-" * len(now) for name in names[:broken]}
    after |= {name: "?" * len(now) for name in names[size - lost :]}
    return judged(pair(sample(dict.fromkeys(names, before)), sample(after)), 0.05)


TRIALS = ("+" * 10, "+++")


@every(
    "before, now, facts, kind, answer",
    [
        (*TRIALS, {}, "no worse", "yes: it is below 0."),
        ("-" * 10, "+++", {}, "better", "yes: it is below 0.001"),
        (*TRIALS, {"broken": 3}, "worse", "not certain: it may be up to 0."),
        (*TRIALS, {"broken": 20}, "worse", "no: it may be up to 0."),
        ("+", "+", {"size": 5}, "inconclusive", "not certain: it may be up to 0."),
        (*TRIALS, {"lost": 8}, "inconclusive", "not certain: trials are missing"),
    ],
)
def test_whether_the_drop_is_below_the_margin(
    before: str, now: str, facts: dict[str, int], kind: str, answer: str
) -> None:
    judgement = compared(before, now, **facts)
    assert judgement.kind == kind
    line = next(line for line in verdict_figures(judgement) if line.startswith(QUESTION))
    assert line.removeprefix(QUESTION).startswith(answer)
    assert len(f"  {line}") <= 80


def fallen(hard: int, rare: int) -> list[str]:
    """Return where it fell, with so many failures of 12 hard scenarios, and of 2 rare ones."""
    names = [f"s{number:03}" for number in range(40)]
    parts = {**dict.fromkeys(names[:12], "hard"), **dict.fromkeys(names[12:14], "rare")}
    failed = {*names[:hard], *names[12 : 12 + rare]}
    trials = [
        trial(name, name not in failed, categories=(parts.get(name, "easy"),))
        for name in names
        for _ in range(3)
    ]
    judgement = judged(pair(sample(dict.fromkeys(names, "+" * 10)), sample_of(trials)))
    assert judgement.kind == "worse"
    return where_it_fell(judgement)


def test_the_part_that_fell_is_the_least_likely_by_chance() -> None:
    fell, *_, names = fallen(hard=8, rare=2)
    assert fell == "hard fell most clearly, by 0.667"
    assert names == "among them s000, s001, s002"


def test_a_long_line_of_a_mistake_is_wrapped_between_words() -> None:
    words = "IAC send_message_with_phone_number"
    old = sample({f"s{n}": "+++" for n in range(20)})
    new = sample({f"s{n}": "---" for n in range(20)}, findings=(words,))
    lines = verdict_lines(judged(pair(old, new)))
    assert max(map(len, lines)) <= 80
    place = lines.index(f"  IAC (insufficient API calls) {words[4:]}")
    assert lines[place + 1].startswith("  0 -> 100 per 100 trials;")


def test_a_code_is_spelled_out_once() -> None:
    assert spelled_out(["IAC a, IAC b", "RAC (repeated API call) c", "RAC d"]) == [
        "IAC (insufficient API calls) a, IAC b",
        "RAC (repeated API call) c",
        "RAC d",
    ]

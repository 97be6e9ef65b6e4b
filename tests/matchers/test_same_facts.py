"""Texts that tell the same in other words, and texts of the same words that do not.

``texts/`` has two tables; the one ``kept_aside`` was not looked at while the matcher was written:
37 of its 38 texts were judged right at first. Other faults are planted in these
and in the shipped texts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from rows import every

from pytest_toolsandbox.matchers import MatcherMistake, Reading, read
from pytest_toolsandbox.matchers.rouge_l import rouge_l
from pytest_toolsandbox.suites import suites

TEXTS = Path(__file__).parent / "texts"
SENT = ("content", "body", "message")


def pairs(kind: str) -> list[tuple[str, str]]:
    groups = [
        one for file in sorted(TEXTS.glob("*.yaml")) for one in yaml.safe_load(file.read_text())
    ]
    return [(group["text"], found) for group in groups for found in group[kind]]


@every(("text", "found"), pairs("same"))
def test_the_same_in_other_words_is_the_same(text: str, found: str) -> None:
    assert read({"same_facts": text}).explain(found) is None
    assert read({"same_facts": text}).similarity(found) == 1


@every(("text", "found"), pairs("wrong"))
def test_a_wrong_fact_or_a_negation_is_found(text: str, found: str) -> None:
    assert read({"same_facts": text}).similarity(found) == 0
    assert read({"restates": {"text": text, "threshold": 0}}).similarity(found) == 0


@pytest.mark.parametrize(("kind", "most"), [("same", 2), ("wrong", 19)])
def test_of_exchanged_words_kept_aside_some_are_misjudged(kind: str, most: int) -> None:
    """Before words were compared, 57 of 63 wrong ones passed and 1 of 55 right ones failed."""
    groups = yaml.safe_load((TEXTS / "kept_aside" / "exchanged.yaml").read_text())
    texts = [(one["text"], found) for one in groups for found in one[kind]]
    reached = [read({"same_facts": text}).reached(found) for text, found in texts]
    assert len(texts) > 50
    assert reached.count(kind == "wrong") <= most


def test_there_are_enough_of_both() -> None:
    assert len(pairs("same")) >= 60
    assert len(pairs("wrong")) >= 50


def sent_texts(value: Any) -> Iterator[str]:
    """Yield what the solutions of a document send."""
    if isinstance(value, list):
        for item in value:
            yield from sent_texts(item)
    elif isinstance(value, dict):
        for key, item in value.items():
            if key in SENT and isinstance(item, str):
                yield item
            else:
                yield from sent_texts(item)


def shipped() -> list[str]:
    files = [file for one in ("phone", "office") for file in sorted(suites()[one].rglob("*.yaml"))]
    loaded = [yaml.load(file.read_text(encoding="utf-8"), yaml.CSafeLoader) for file in files]
    parts = [one.get("solutions") or one.get("conversation") for one in loaded]
    return list(dict.fromkeys(sent_texts(parts)))


DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


def other_day(match: re.Match[str]) -> str:
    return DAYS[(DAYS.index(match[0]) + 2) % len(DAYS)]


PLANTED = {
    "day": (rf"\b(?:{'|'.join(DAYS)})\b", other_day),
    "number": (r"(?<![\d.,+-])\d{2,}(?![\d.,:-])", lambda match: str(int(match[0]) + 11)),
    "negation": (
        r"(?<!nobody )\b(?:is|are|will|have|has|'ll|'m|'re)\b(?! not\b| no\b)(?= \w{5,})",
        lambda match: f"{match[0]} not",
    ),
    "no negation": (r"\b(?:do not|don't)\b", lambda _: "do"),
}


@pytest.mark.parametrize("kind", PLANTED)
def test_hardly_a_planted_fault_passes_in_shipped_texts(kind: str) -> None:
    pattern, put = PLANTED[kind]
    texts = dict.fromkeys([*shipped(), *(text for text, _ in pairs("same"))])
    spoiled = [(one, re.sub(pattern, put, one, count=1)) for one in texts]
    spoiled = [(one, other) for one, other in spoiled if one != other]
    passed = [pair for pair in spoiled if read({"same_facts": pair[0]}).reached(pair[1])]
    alike = [pair for pair in spoiled if rouge_l(*pair) >= 0.5]
    assert len(alike) == len(spoiled) > 1
    assert len(passed) <= len(spoiled) // 20, passed


@pytest.mark.parametrize(
    ("found", "reason"),
    [
        ("See Ada on Friday at 6 pm", "missing: 5 pm"),
        ("Don't see Ada on Friday at 5 pm", "denied: see"),
        ("See Eve on Friday at 5 pm", "missing: ada"),
        ("See Ada on Friday or Saturday at 5 pm", "left open: Friday or Saturday"),
        ("See Ada on Friday at 5 pm", None),
        ("see ada, 5pm friday!", None),
        (None, None),
    ],
)
def test_a_report_names_the_differences(found: str | None, reason: str | None) -> None:
    matcher = read({"same_facts": "See Ada on Friday at 5 pm"})
    assert matcher.explain(found) == reason
    assert matcher.describe() == "the facts of 'See Ada on Friday at 5 pm'"
    assert matcher.similarity(found) == (found is not None and reason is None)


def test_restating_is_rouge_where_the_facts_agree() -> None:
    text, found = "The keys are under the pot at 5 pm", "Your keys are below the pot at 5 pm"
    assert read({"restates": text}).similarity(found) == rouge_l(text, found)
    assert read({"restates": text}).describe() == f"like {text!r}"
    assert read({"restates": text}).explain("The keys are there at 6 pm") == "missing: 5 pm"


def test_a_threshold_of_rouge_holds_for_it() -> None:
    assert read({"restates": "a"}, Reading(thresholds={"rouge_l": 0.7})).threshold == 0.7
    own = {"rouge_l": 0.7, "restates": 0.8}
    assert read({"restates": "a"}, Reading(thresholds=own)).threshold == 0.8
    assert read({"restates": "a"}, Reading(thresholds=own, threshold=0.9)).threshold == 0.9


def test_mistakes() -> None:
    with pytest.raises(MatcherMistake, match=r"^expected text, found an empty text$"):
        read({"same_facts": ""})
    with pytest.raises(MatcherMistake, match=r"^expected text, found the number 5; put"):
        read({"same_facts": 5})

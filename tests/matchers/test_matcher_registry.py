from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import jsonschema
import pytest
from rows import every

from pytest_toolsandbox import matchers
from pytest_toolsandbox.matchers import (
    Matcher,
    MatcherMistake,
    Reading,
    matcher,
    names,
    read,
    registry,
    shape,
)

BUILT_IN = names()


@pytest.fixture(autouse=True)
def _nothing_stays_registered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "_registered", dict(registry._registered))


@dataclass(frozen=True)
class Longer(Matcher):
    """A text that is longer than this many characters."""

    argument_schema: ClassVar[Mapping[str, Any]] = {"type": "integer"}

    length: int
    threshold: float = 0.8

    @classmethod
    def read(cls, argument: Any, reading: Reading) -> Self:
        if not isinstance(argument, int):
            raise MatcherMistake("expected a whole number", ())
        return cls(argument, reading.threshold_of(cls.name, 0.8))

    def similarity(self, value: Any) -> float:
        return min(len(value) / self.length, 1)

    def describe(self) -> str:
        return f"longer than {self.length}"


def test_one_s_own_matcher_works_like_the_built_in_ones() -> None:
    assert matcher("longer")(Longer) is Longer
    assert names() == sorted([*BUILT_IN, "longer"])
    own_matcher = read({"longer": 10}, Reading(thresholds={"longer": 0.5}))
    assert own_matcher.similarity("12345") == 0.5
    assert own_matcher.reached("12345")
    assert not read({"longer": 10}).reached("12345")
    assert read({"not": {"longer": 10}}).describe() == "not longer than 10"
    assert own_matcher.explain("12345") is None
    assert read(3, Reading(own="longer")).describe() == "longer than 3"
    assert read(None, Reading(own="longer")).name == "exact"
    assert shape("longer") == {
        "description": "A text that is longer than this many characters.",
        "type": "integer",
    }
    with pytest.raises(MatcherMistake, match=r"^expected a whole number$") as caught:
        read({"any_of": [{"longer": "a"}]})
    assert caught.value.path == ("any_of", 0, "longer")


def test_a_name_of_nobody_is_a_literal() -> None:
    assert read({"longer": 10}).similarity({"longer": 10}) == 1
    assert read({"contains": "a", "regex": "b"}).name == "exact"
    assert read({}).name == "exact"
    assert read([{"contains": "a"}]).similarity([{"contains": "a"}]) == 1
    known = ", ".join(BUILT_IN)
    with pytest.raises(ValueError, match=rf"^unknown matcher 'rouge' \(known: {known}\)$"):
        read("a", Reading(own="rouge"))
    assert hash(Reading(thresholds={"mentions": 0.5})) == hash(Reading())
    assert Reading(thresholds={"mentions": 0.5}) != Reading()


def test_a_taken_name_is_refused() -> None:
    text = (
        "the name 'contains' is taken by pytest_toolsandbox.matchers.exact.Contains; "
        "choose another one for Longer"
    )
    with pytest.raises(ValueError, match=f"^{text}$"):
        matcher("contains")(Longer)
    assert read({"contains": "a"}).name == "contains"
    names: list[Any] = ["", "two words", "a-b", Longer]
    for name in names:
        with pytest.raises(ValueError, match=r"^a matcher's name is one word, as in @matcher"):
            matcher(name)


def test_the_same_class_may_come_twice() -> None:
    again = type("Longer", (Longer,), {"__module__": __name__, "__qualname__": "Longer"})
    matcher("longer")(Longer)
    matcher("longer")(again)
    assert type(read({"longer": 5})) is again


def test_what_is_no_matcher_is_refused() -> None:
    class Half(Matcher):
        def describe(self) -> str:
            return ""

    with pytest.raises(
        TypeError, match=r"^Half is not a complete matcher: it lacks read, similarity$"
    ):
        matcher("half")(Half)
    with pytest.raises(TypeError, match=r"^int is not a matcher: derive it from Matcher$"):
        matcher("half")(int)  # type: ignore[type-var]  # what a user without mypy may write


def test_the_public_names() -> None:
    assert matchers.__all__ == [
        "Deciding",
        "Matcher",
        "MatcherMistake",
        "Reading",
        "below",
        "matcher",
        "names",
        "read",
        "shape",
    ]


@every(
    ("name", "good", "bad"),
    [
        ("all_of", [["a", {"contains": "b"}]], [[]]),
        ("any_of", [[None]], ["a"]),
        ("anything", [True], [False]),
        ("close", [{"to": 5, "within": 0}], [{"to": 5}, {"to": 5, "within": -1}]),
        ("contains", ["a"], [""]),
        ("exact", [{"a": None}], []),
        (
            "mentions",
            ["a", 5.5, ["a", 5, ["b", 6]], {"words": ["a", ["b"]], "threshold": 0}],
            [[], ["a", []], ["a", [["b"]]], True, {"words": "a", "threshold": 2}],
        ),
        ("not", [None], []),
        ("number", [{"to": 5}, {"to": 5, "within": 0.5}], [{"to": 5, "by": 1}]),
        ("regex", ["a|b"], [5]),
        ("rouge_l", ["", {"text": "a", "threshold": 1}], [None, {"threshold": 1}]),
        ("semantic", ["a", {"text": "a", "threshold": 1}], [" ", {"text": ""}]),
    ],
)
def test_what_can_be_read_has_the_shape(name: str, good: list[Any], bad: list[Any]) -> None:
    schema = {"$defs": {"Value": {}}, **shape(name)}
    for argument in good:
        read({name: argument})
        jsonschema.validate(argument, schema)
    for argument in bad:
        with pytest.raises(MatcherMistake):
            read({name: argument})
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(argument, schema)


@every("name", BUILT_IN)
def test_every_shape_is_a_schema_with_a_description_and_a_copy(name: str) -> None:
    jsonschema.Draft202012Validator.check_schema(shape(name))
    assert shape(name)["description"].endswith((".", "``."))
    shape(name)["description"] = ""
    assert shape(name)["description"]


def test_importing_the_package_is_light() -> None:
    program = """
import sys
import pytest_toolsandbox.matchers
heavy = {"rapidfuzz", "numpy", "pydantic", "jsonschema", "pytest"}
heavy |= {"httpx", "litellm", "sentence_transformers", "pytest_toolsandbox.text.quantities"}
assert not heavy & set(sys.modules), heavy & set(sys.modules)
"""
    subprocess.run([sys.executable, "-c", program], check=True)

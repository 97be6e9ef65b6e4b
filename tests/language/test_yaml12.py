"""YAML is read as YAML 1.2: values, places, limits, and what is refused."""

from __future__ import annotations

import importlib.util
import itertools
import re
import types
from typing import Any
from unittest.mock import Mock

import pytest
import yaml
from hypothesis import given, settings, strategies as st
from rows import every

from pytest_toolsandbox.language import yaml12
from pytest_toolsandbox.language.mistakes import ScenarioError
from pytest_toolsandbox.language.yaml12 import read_yaml


@pytest.fixture
def pure(monkeypatch: pytest.MonkeyPatch) -> types.ModuleType:
    """The module as it is where PyYAML was built without libyaml."""
    monkeypatch.delattr(yaml, "CSafeLoader", raising=False)
    name = "pytest_toolsandbox.language.pure_yaml12"
    spec = importlib.util.spec_from_file_location(name, yaml12.__file__)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def value_of(text: str) -> Any:
    return read_yaml(text.encode(), "f.yaml")[0]


def error_of(content: str | bytes) -> list[str]:
    raw = content.encode() if isinstance(content, str) else content
    with pytest.raises(ScenarioError) as caught:
        read_yaml(raw, "f.yaml")
    return str(caught.value).splitlines()


SCALARS = {
    "true": True,
    "True": True,
    "FALSE": False,
    "null": None,
    "~": None,
    "": None,
    "0": 0,
    "-0": 0,
    "25": 25,
    "-7": -7,
    "1.5": 1.5,
    ".5": 0.5,
    "-.5": -0.5,
    "5.": 5.0,
    "1e3": 1000.0,
    "-2.5E-1": -0.25,
    "1" + "0" * 300: 10**300,
    # What YAML 1.1 would make into something else.
    "on": "on",
    "yes": "yes",
    "No": "No",
    "y": "y",
    "12:30": "12:30",
    "1:2:3": "1:2:3",
    "2025-03-14": "2025-03-14",
    "2025-03-14 16:00": "2025-03-14 16:00",
    "2025-03-14T16:00:00Z": "2025-03-14T16:00:00Z",
    "1_000": "1_000",
    "0b11": "0b11",
    "=": "=",
    # Telephone numbers and codes.
    "+34600": "+34600",
    "+1.5": "+1.5",
    "007": "007",
    "00": "00",
    "0x1F": "0x1F",
    "0o17": "0o17",
    "1.2.3": "1.2.3",
    ".": ".",
    "1e": "1e",
    ".inf": ".inf",
    "nan": "nan",
    # Quotes and tags.
    '"25"': "25",
    "'true'": "true",
    "!!str 25": "25",
    '!!int "25"': 25,
    "!!float 25": 25.0,
    "!!bool 'true'": True,
    "!!null ''": None,
}


@every(("text", "value"), SCALARS.items())
def test_scalars(text: str, value: Any) -> None:
    read = value_of(f"key: {text}")["key"]
    assert read == value
    assert type(read) is type(value)


@every(
    ("text", "value"),
    [
        # Keys are text where YAML 1.1 has booleans and numbers.
        (
            "{on: 1, off: 2, yes: 3, 12:30: 4, 2025-01-01: 5, +34: 6, '5': 7}",
            {"on": 1, "off": 2, "yes": 3, "12:30": 4, "2025-01-01": 5, "+34": 6, "5": 7},
        ),
        (
            "a:\n- [1, {b: c}]\n-\nd: |\n  two\n  lines\ne: >-\n  one\n  line\n",
            {"a": [[1, {"b": "c"}], None], "d": "two\nlines\n", "e": "one line"},
        ),
        (
            "a: &x {b: [1]}\nc: *x\nd: [*x, *x]",
            {"a": {"b": [1]}, "c": {"b": [1]}, "d": [{"b": [1]}, {"b": [1]}]},
        ),
        *((text, None) for text in ("", "# nothing", "---", "null", "\ufeff")),
        ("\ufeffa: 1\r\nb: 2\r\n", {"a": 1, "b": 2}),
    ],
)
def test_documents(text: str, value: Any) -> None:
    read = value_of(text)
    assert read == value
    assert not isinstance(read, dict) or len({id(part) for part in read.values()}) == len(read)


def test_the_places_are_those_of_values_and_keys() -> None:
    _, places = read_yaml("a:\n  - b: é\n    ü: [1, 2]\nc: &x {d: 1}\ne: *x\n".encode(), "f.yaml")
    assert places.values == {
        (): (1, 1),
        ("a",): (2, 3),
        ("a", 0): (2, 5),
        ("a", 0, "b"): (2, 8),
        ("a", 0, "ü"): (3, 8),
        ("a", 0, "ü", 0): (3, 9),
        ("a", 0, "ü", 1): (3, 12),
        ("c",): (4, 4),
        ("c", "d"): (4, 11),
        ("e",): (4, 4),
        ("e", "d"): (4, 11),
    }
    assert places.keys == {
        ("a",): (1, 1),
        ("a", 0, "b"): (2, 5),
        ("a", 0, "ü"): (3, 5),
        ("c",): (4, 1),
        ("c", "d"): (4, 8),
        ("e",): (5, 1),
        ("e", "d"): (4, 8),
    }


def test_the_place_of_what_is_not_there_is_that_of_what_is_around_it() -> None:
    _, places = read_yaml(b"a:\n  b: 1\n", "f.yaml")
    assert places.of(("a", "missing", 3)) == (2, 3)
    assert places.of(("a", "b"), key=True) == (2, 3)
    assert places.of(("a", "b")) == (2, 6)
    assert places.of(("a", "missing"), key=True) == (2, 3)


REFUSED: list[tuple[str | bytes, list[str]]] = [
    ("a: 1\nb: {c: 1, c: 2}\na: 3", [
        "f.yaml:2:11: b.c: duplicate key (the first one is on line 2)",
        "f.yaml:3:1: a: duplicate key (the first one is on line 1)",
    ]),
    ("a: 1\n'a': 2", ["f.yaml:2:1: a: duplicate key (the first one is on line 1)"]),
    ("5: x", ['f.yaml:1:1: a key must be text, found a number; put it in quotes: "5"']),
    ("x: {1.5: x}", ['f.yaml:1:5: x: a key must be text, found a number; put it in quotes: "1.5"']),
    ("true: x", ['f.yaml:1:1: a key must be text, found a boolean; put it in quotes: "true"']),
    ("~: x", ['f.yaml:1:1: a key must be text, found null; put it in quotes: "~"']),
    ("? [a]\n: x", ["f.yaml:1:3: a key must be text, found a list"]),
    ("{a: b}: x", ["f.yaml:1:1: a key must be text, found a mapping"]),
    ("!!timestamp k: x", ["f.yaml:1:1: the tag !!timestamp is not allowed"]),
    ("<<: {a: 1}", ["f.yaml:1:1: ['<<']: YAML 1.2 has no merge keys; write the keys out"]),
    ("a: !!python/object/apply:os.system [ls]", [
        "f.yaml:1:4: a: the tag !!python/object/apply:os.system is not allowed"
    ]),
    ("a: !mine 5\nb: !!set {c}", [
        "f.yaml:1:4: a: the tag !mine is not allowed",
        "f.yaml:2:4: b: the tag !!set is not allowed",
    ]),
    ("a: !!binary aGk=", ["f.yaml:1:4: a: the tag !!binary is not allowed"]),
    ("a: !!bool yes", ["f.yaml:1:4: a: 'yes' is not a valid !!bool"]),
    ("a: !!int 0x10", ["f.yaml:1:4: a: '0x10' is not a valid !!int"]),
    ("a: !!null x", ["f.yaml:1:4: a: 'x' is not a valid !!null"]),
    ("a: 1e999", ["f.yaml:1:4: a: the number 1e999 is out of range"]),
    ("a: " + "9" * 400, [f"f.yaml:1:4: a: the number {'9' * 59}… is out of range"]),
    ("a: " + "9" * 5000, [f"f.yaml:1:4: a: the number {'9' * 59}… is out of range"]),
    ("a: *b", [
        ("f.yaml:1:4: invalid YAML: found undefined alias; put the text in quotes, or &NAME "
        "where it stands first")
    ]),
    ("a: *b* c", [
        ("f.yaml:1:6: invalid YAML: while scanning an alias, did not find expected alphabetic "
        "or numeric character; put the text in quotes")
    ]),
    ('a: "\\d"', [
        ("f.yaml:1:5: invalid YAML: while parsing a quoted scalar, found unknown escape "
        "character; write \\\\ for a backslash, or put the text in single quotes")
    ]),
    ("a:\n  b: 'c\n  d: e", [
        ("f.yaml:3:7: invalid YAML: while scanning a quoted scalar (from line 2), found "
        "unexpected end of stream; close the quotes")
    ]),
    ("a:\n  b: 'it's'", [
        ("f.yaml:2:10: invalid YAML: while parsing a block mapping, did not find expected "
        "key; look at the indentation, and at quotes and brackets above")
    ]),
    ("a: &x [1, *x]", [
        "f.yaml:1:4: a[1]: an alias refers to a value that contains it"
    ]),
    ("&x {a: {b: [*x]}}", [
        "f.yaml:1:1: a.b[0]: an alias refers to a value that contains it"
    ]),
    ("--- 1\n--- 2", [
        ("f.yaml:2:1: invalid YAML: expected a single document in the stream (from line 1), "
        "but found another document; write several scenarios in one file below scenarios:")
    ]),
    ("a: b: c", [
        ("f.yaml:1:5: invalid YAML: mapping values are not allowed in this context; look at "
        "the indentation, and put a text with ': ' in it in quotes")
    ]),
    ("a:\n\tb: c", [
        ("f.yaml:2:1: invalid YAML: while scanning for the next token, found character that "
        "cannot start any token; indent with spaces")
    ]),
    ("a: @home", [
        ("f.yaml:1:4: invalid YAML: while scanning for the next token, found character that "
        "cannot start any token; put the text in quotes")
    ]),
    ("a: [1, 2\nb: 3", [
        ("f.yaml:2:2: invalid YAML: while parsing a flow sequence (from line 1), did not find "
        "expected ',' or ']'; close the brackets, and put commas between what is in them")
    ]),
    (b"a: \xff", ["f.yaml:1:4: the byte 0xff is not UTF-8; is this a text file?"]),
    ("é: x\né: ".encode() + b"\xe9t", [
        "f.yaml:2:4: the byte 0xe9 is not UTF-8; is this a text file?"
    ]),
    (b"\xff\xfea\x00", ["f.yaml:1:1: the byte 0xff is not UTF-8; is this a text file?"]),
    (b"\x7fELF\x02\x01", ["f.yaml:1:1: the character U+007F is not allowed in YAML"]),
    ("é: \x00", ["f.yaml:1:4: the character U+0000 is not allowed in YAML"]),
    ("é\né: \ufeff", ["f.yaml:2:4: the character U+FEFF is not allowed in YAML"]),
    ("a: " + "[" * 50, ["f.yaml:1:53: nested deeper than 50 levels"]),
    ("- " * 51, ["f.yaml:1:101: nested deeper than 50 levels"]),
]  # fmt: skip


@every(("content", "lines"), REFUSED)
def test_what_is_refused(content: str | bytes, lines: list[str]) -> None:
    assert error_of(content) == lines


def test_python_s_own_loader_reads_the_same(pure: types.ModuleType) -> None:
    for text, value in SCALARS.items():
        assert pure.read_yaml(f"key: {text}".encode(), "f.yaml")[0] == {"key": value}
    content = "a:\n  - b: é\n    ü: [1, 2]\nc: &x {d: 1}\ne: *x\n".encode()
    assert pure.read_yaml(content, "f.yaml") == read_yaml(content, "f.yaml")


def test_python_s_own_loader_refuses_the_same(pure: types.ModuleType) -> None:
    """In other words, if the YAML is invalid, but with the same hint."""
    hint = "invalid YAML; put ': ' behind a key"
    for content, lines in (*REFUSED, ("a: b\nc\nd: e", [hint])):
        with pytest.raises(ScenarioError) as caught:
            pure.read_yaml(content.encode() if isinstance(content, str) else content, "f.yaml")
        if "invalid YAML" in lines[0]:
            assert str(caught.value).endswith("; " + lines[0].rpartition("; ")[2]), content
        else:
            assert str(caught.value).splitlines() == lines, content


def test_aliases_cannot_make_a_document_of_any_size() -> None:
    lines = [
        f"{name}: &{name} [{', '.join([f'*{before}'] * 10)}]"
        for before, name in itertools.pairwise("abcdefg")
    ]
    (error,) = error_of("\n".join(["a: &a [x, x, x, x, x, x, x, x, x, x]", *lines]))
    assert error.endswith("with its aliases written out, the file has more than 100000 values")
    (error,) = error_of(b"[" * (yaml12.MAX_BYTES + 1))  # which is not parsed
    assert error == "f.yaml:1:1: the file has more than 1000000 bytes"
    assert len(error_of("a: !x 1\na: 2\n3: 4\nb: [!y z, 1e999]")) == 5  # all mistakes at once


def test_aliases_cannot_make_a_document_of_any_depth() -> None:
    assert value_of("[" * 50 + "]" * 50)
    (error,) = error_of("a: " + "[" * 10_000)  # at a place that depends on how far libyaml looks
    assert error.endswith("nested deeper than 50 levels")
    lines = ["a0: &a0 [x]", *(f"a{i}: &a{i} [*a{i - 1}]" for i in range(1, 60))]
    (error,) = error_of("\n".join(lines))
    assert error.endswith("nested deeper than 50 levels by its aliases")


@given(st.binary(max_size=200))
@settings(max_examples=500, deadline=None)
def test_any_bytes_are_a_document_or_a_scenario_error(content: bytes) -> None:
    _document_or_error(content)


@given(
    st.lists(
        st.sampled_from(
            [
                *"abc019 \n\t-:,[]{}&*!|>'\"%@`#?~<=.+é\x00\x85\ufeff",
                *("\n  ", "- ", ": ", "&a ", "*a", "!!", "---\n", "...\n"),
            ]
        ),
        max_size=40,
    ).map("".join)
)
@settings(max_examples=400, deadline=None)
def test_any_text_is_a_document_or_a_scenario_error(text: str) -> None:
    _document_or_error(text.encode())


def _document_or_error(content: bytes) -> None:
    try:
        document, places = read_yaml(content, "f.yaml")
    except ScenarioError as error:
        lines = str(error).splitlines()
        assert lines
        assert all(re.match(r"f\.yaml:[1-9][0-9]*:[1-9][0-9]*: .", line) for line in lines)
    else:
        assert document is None or () in places.values


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**20), 10**20)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(
        st.characters(codec="utf-8", exclude_characters="\x7f\ufeff", exclude_categories=["Cc"])
    ),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text("abcno012:+-_. ", max_size=6), inner, max_size=4)
    ),
    max_leaves=20,
)


class QuotingDumper(yaml.SafeDumper):
    """Puts all text in quotes, since the dumper knows YAML 1.1's plain scalars and not these."""


QuotingDumper.add_representer(
    str, lambda dumper, text: dumper.represent_scalar("tag:yaml.org,2002:str", text, style='"')
)
QuotingDumper.add_representer(
    float, lambda dumper, number: dumper.represent_scalar("tag:yaml.org,2002:float", repr(number))
)


@given(JSON)
@settings(max_examples=300, deadline=None)
def test_what_is_written_is_read_again(document: Any) -> None:
    text = yaml.dump(document, Dumper=QuotingDumper, allow_unicode=True)
    assert value_of(text) == document


@pytest.mark.parametrize(
    ("content", "place"),
    [
        ("[" + "{}, " * 5001 + "]", "1:20003"),
        ("a:\n" + "- 1\n" * 5001, "5002:3"),
        ("".join(f"k{n}: {n}\n" for n in range(5001)), "5001:1"),
    ],
)
def test_long_collections_are_refused_before_they_are_composed(
    content: str, place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    composed = Mock(wraps=yaml.compose)
    monkeypatch.setattr(yaml, "compose", composed)
    with pytest.raises(ScenarioError) as caught:
        read_yaml(content.encode(), "f.yaml")
    assert str(caught.value) == f"f.yaml:{place}: more than 5,000 entries in one list or mapping"
    assert not composed.called

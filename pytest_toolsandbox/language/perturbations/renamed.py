"""``renamed``: people and identifiers have other names, and rows another order.

A benchmark that was memorised is of no use then. The same change is made in the tables, in what the
user says, and in what milestones and solutions expect. Letters and digits are substituted one by
one, sound for sound, so names that were alike are still alike, and searches find as much.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from enum import Enum
from functools import partial
from typing import Any, ClassVar, Final, Self

from pytest_toolsandbox.language.conditions import draw
from pytest_toolsandbox.language.roles import calls_of
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.language.values import results_in
from pytest_toolsandbox.text.regular_expression import RegularExpression
from pytest_toolsandbox.worlds.state import NEW_IDENTIFIER, Row, State, Table, TableSchema, plain

from .noisy_user import texts_in
from .perturbation import Perturbation

_PARTS: Final = ("people", "ids", "order")
_SOUNDS: Final = ("aeiou", "bdgkpt", "fsvz", "lr", "mn")
"""Letters that stand for one another, so that names can still be spoken; the others stay."""
_WORD: Final = re.compile(r"[^\W\d_]+")
_BEFORE_WORD: Final = r"(?:(?<!\w)|(?<=\\b)|(?<=\\s)|(?<=\\W))"
"""The place before a word; ``b``, ``s`` and ``W`` may be escapes of a regular expression."""
_ESCAPE: Final = re.compile(r"\\[A-Za-z]")
_INDEX: Final = re.compile(r"\[-?\d+\]")
_TOKEN: Final = re.compile(r"[\w-]+")
_DIGITS: Final = re.compile(r"\d{3,}")
_SHORTEST: Final = 3
"""Letters of the shortest name; titles and particles are shorter."""
_STEM: Final = 2
"""How many letters at the end of a name may differ in a language that inflects it."""
_UUID: Final = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_CALLED: Final = re.compile(r"(\+?\d[\d\s().-]{5,}\d)")
"""A telephone number."""
_REACHED_BY: Final = ("phone", "phone_number", "email", "username")
"""Columns of tables whose ``name`` is that of a person, unless the world says otherwise."""
_OF_PEOPLE: Final = ("first_name", "last_name", "full_name")
_LAST: Final = 4
"""How many digits of a telephone number change."""


@dataclass(frozen=True)
class Renamed(Perturbation):
    """People and identifiers have other names, and rows another order."""

    parts: tuple[str, ...]

    name: ClassVar[str] = "renamed"
    summary: ClassVar[str] = "people and identifiers have other names, rows another order"

    @classmethod
    def read(cls, parameters: Sequence[str], seed: int) -> Self:
        """Read what is renamed, joined by ``+``; by default everything."""
        if len(parameters) > 1:
            raise ValueError(f"takes one parameter, not {len(parameters)}")
        parts = parameters[0].split("+") if parameters else list(_PARTS)
        for part in parts:
            if part not in _PARTS:
                raise ValueError(f"takes {', '.join(_PARTS)}, joined by +, not {part!r}")
        return cls(seed, tuple(part for part in _PARTS if part in parts))

    def unfit(self, scenario: Scenario) -> str | None:
        """Return why a scenario cannot be renamed."""
        return None if scenario.world.source is None else "its world begins with data of its own"

    def apply(self, scenario: Scenario) -> Scenario:
        """Return the scenario with other names in everything that belongs to it."""
        renaming = _Renaming(scenario, self.seed, self.parts)
        renamed = {
            name: renaming.of(getattr(scenario, name))
            for name in ("task", "solutions", "counterexamples", "policy", "prompt", "faults")
        }
        start = renaming.of_state(scenario.start)
        if "order" in self.parts and not _takes_by_index(scenario):
            start = self._shuffled(scenario, start)
        # What solutions do is kept in the memory, which other variants share.
        return replace(scenario, start=start, **renamed, memory=type(scenario.memory)())

    def _shuffled(self, scenario: Scenario, start: State) -> State:
        """Return the state with the rows of tables with identifiers in another order."""

        def place(row: Mapping[str, Any]) -> float:
            return draw(self.seed, plain(row))

        for name, schema in scenario.world.tables.items():
            if not schema.single_row and not schema.bookkeeping and _id_columns(schema):
                start = start.with_table(name, Table(sorted(start[name], key=place)))
        return start


def _takes_by_index(scenario: Scenario) -> bool:
    """Whether a solution takes a row of a result by its place, so that the order matters."""
    steps = (step for steps in scenario.solutions.values() for step in steps)
    sources = (
        source for step in steps for c in calls_of(step) for source in results_in(dict(c.arguments))
    )
    return any(_INDEX.match(source.path or "") for source in sources)


class _Renaming:
    """Replaces names, identifiers and telephone numbers in values of any kind."""

    def __init__(self, scenario: Scenario, seed: int, parts: Sequence[str]) -> None:
        letters = {k: v for sounds in _SOUNDS for k, v in _substitution(sounds, seed).items()}
        digits = _substitution("123456789", seed)
        self._words: dict[str, str] = {}
        self._ids: dict[str, str] = {}
        self._called: dict[str, str] = {}
        if "people" in parts:
            names = _names(scenario)
            self._words = {name: _spelt(name, letters) for name in names}
        if "ids" in parts:
            ids = _identifiers(scenario)
            self._ids = {value: _renumbered(value, digits) for value in ids}
            numbers = _telephone_numbers(scenario)
            self._called = {
                number: number[:-_LAST] + _substituted(number[-_LAST:], digits)
                for number in numbers
            }
        alternatives = "|".join(map(re.escape, self._words)) or "(?!)"
        whole_word = rf"{_BEFORE_WORD}({alternatives})(?!\w)"
        self._names = re.compile(whole_word)
        self._in_any_case = re.compile(whole_word, re.IGNORECASE)
        self._by_lower_case = {name.lower(): word for name, word in self._words.items()}

    def of(self, value: Any) -> Any:
        """Return a value with other names in all its texts."""
        renamed = value
        if isinstance(value, str):
            renamed = value if isinstance(value, Enum) else self._text(value)
        elif isinstance(value, State):
            renamed = self.of_state(value)
        elif isinstance(value, Mapping):
            renamed = {self._ids.get(key, key): self.of(item) for key, item in value.items()}
        elif isinstance(value, (list, tuple)):
            items = [self.of(item) for item in value]
            is_plain = type(value) in (list, tuple)
            renamed = type(value)(items) if is_plain else type(value)(*items)
        elif isinstance(value, RegularExpression):
            renamed = replace(value, text=self._pattern(value.text))
        elif is_dataclass(value) and not isinstance(value, (type, TableSchema)):
            parts = (part.name for part in fields(value) if part.init)
            renamed = replace(value, **{name: self.of(getattr(value, name)) for name in parts})
        return renamed

    def of_state(self, state: State) -> State:
        """Return a state with other names in all its rows."""
        for name, table in state.items():
            rows = (Row(self.of(plain(row))) for row in table)
            state = state.with_table(name, Table(rows))
        return state

    def _text(self, text: str) -> str:
        if text in self._ids:
            return self._ids[text]
        text = self._names.sub(lambda match: self._words[match[0]], text)
        if self._ids:
            text = _TOKEN.sub(lambda match: self._ids.get(match[0], match[0]), text)
        return _CALLED.sub(self._number, text) if self._called else text

    def _pattern(self, text: str) -> str:
        def renamed(match: re.Match[str]) -> str:
            word = self._by_lower_case[match[0].lower()]
            return word if match[0][0].isupper() else word.lower()

        return self._in_any_case.sub(renamed, text)

    def _number(self, match: re.Match[str]) -> str:
        """Return a telephone number in the form in which it is written."""
        written = re.sub(r"\D", "", match[0])
        for number, other in self._called.items():
            known = re.sub(r"\D", "", number)
            if known.endswith(written) and len(written) > _LAST + 2:
                digits = iter(re.sub(r"\D", "", other)[-len(written) :])
                return re.sub(r"\d", partial(_next_of, digits), match[0])
        return match[0]


def _next_of(digits: Iterator[str], _: re.Match[str]) -> str:
    return next(digits)


def _substitution(characters: str, seed: int) -> dict[str, str]:
    """Return character → another one, each once."""
    order = sorted(characters, key=lambda character: draw(seed, character))
    return dict(zip(order, (*order[1:], order[0]), strict=True))


def _substituted(text: str, table: Mapping[str, str]) -> str:
    return "".join(table.get(character, character) for character in text)


def _spelt(name: str, letters: Mapping[str, str]) -> str:
    """Return a name with other letters; capitals and accents stay where they are."""
    spelt = [
        letters.get(c.lower(), c).upper() if c.isupper() else letters.get(c, c)
        for c in unicodedata.normalize("NFD", name)
    ]
    return unicodedata.normalize("NFC", "".join(spelt))


def _renumbered(identifier: str, digits: Mapping[str, str]) -> str:
    if _UUID.fullmatch(identifier):  # the letters are digits, too, and the first ones tell enough
        return _substituted(identifier[:8], digits) + identifier[8:]
    return _substituted(identifier, digits)


def _id_columns(schema: TableSchema) -> list[str]:
    return [name for name, column in schema.columns.items() if column.default is NEW_IDENTIFIER]


def _identifiers(scenario: Scenario) -> set[str]:
    """Return the identifiers that the world makes up, if they are texts with digits.

    Those are left out whose digits occur in another form: without a letter, or in a number of the
    world's own, such as that of the order to which an item belongs.
    """
    tables = scenario.world.tables.items()
    known = {
        value
        for name, schema in tables
        for row in (scenario.start[name] if not schema.bookkeeping else ())
        for value in (row[column] for column in _id_columns(schema))
        if isinstance(value, str) and re.search(r"\d", value)
    }
    rows = [plain(row) for table in scenario.start.values() for row in table]
    texts = (*_own_texts(scenario), *texts_in(rows))
    tokens = {token for text in texts for token in _TOKEN.findall(text)}
    other_forms = {digits for token in tokens - known for digits in _DIGITS.findall(token)}
    return {value for value in known if other_forms.isdisjoint(_DIGITS.findall(value))}


def _telephone_numbers(scenario: Scenario) -> Iterator[str]:
    """Yield the telephone numbers in tables, but none whose last digits somebody mentions."""
    texts = (_CALLED.sub("", text) for text in _own_texts(scenario))
    alone = [re.sub(r"\D", "", text) for text in texts]  # as in a pattern of digits
    for name, schema in scenario.world.tables.items():
        columns = [c for c, column in schema.columns.items() if column.measure == "phone_number"]
        columns += [c for c in _REACHED_BY[:2] if c in schema.columns and c not in columns]
        for row in scenario.start[name]:
            for number in (row[column] for column in columns):
                if isinstance(number, str) and not any(number[-_LAST:] in t for t in alone):
                    yield number


def _own_texts(scenario: Scenario) -> list[str]:
    """Return the texts of a scenario, without those of its tables."""
    parts = (scenario.task, scenario.solutions, scenario.counterexamples, scenario.policy)
    patterns = [reply.when for reply in scenario.task.user_script.replies if reply.when]
    return [*texts_in(list(parts)), *(pattern.text for pattern in patterns)]


def _names(scenario: Scenario) -> list[str]:
    """Return the words of names of people; not those that are used as other words, too."""
    known = {word for name in _full_names(scenario) for word in _WORD.findall(name)}
    known = {word for word in known if len(word) >= _SHORTEST}
    rows = [plain(row) for table in scenario.start.values() for row in table]
    texts = (_ESCAPE.sub(" ", text) for text in [*_own_texts(scenario), *texts_in(rows)])
    words = {word for text in texts for word in _WORD.findall(text)}
    return sorted(word for word in known if not _is_other_word(word, words - known))


def _is_other_word(name: str, words: set[str]) -> bool:
    """Whether a name is among words that are no names, or one of them may be a form of it."""
    stem = name[: max(_SHORTEST, len(name) - _STEM)].lower()
    return any(word.lower().startswith(stem) for word in words)


def _full_names(scenario: Scenario) -> Iterator[str]:
    """Yield the names of people, in which each word begins with a capital."""
    for table, columns in _columns_of_people(scenario).items():
        for row in scenario.start[table]:
            for value in (row.get(column) for column in columns):
                if isinstance(value, str) and _is_name(value):
                    yield value


def _is_name(text: str) -> bool:
    words = _WORD.findall(text)
    return bool(words) and all(w[0].isupper() for w in words) and not re.search(r"\d", text)


def _columns_of_people(scenario: Scenario) -> dict[str, list[str]]:
    """Return table → its columns with names of people, as the world says or by their names."""
    if scenario.world.people is not None:
        return {table: list(columns) for table, columns in scenario.world.people.items()}
    by_table = {}
    for table, schema in scenario.world.tables.items():
        columns = [name for name in _OF_PEOPLE if name in schema.columns]
        if "name" in schema.columns and any(name in schema.columns for name in _REACHED_BY):
            columns.append("name")
        by_table[table] = columns
    return by_table

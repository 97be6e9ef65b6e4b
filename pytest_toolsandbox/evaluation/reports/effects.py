"""What the calls of a conversation did to the world, as reports speak of it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property
from itertools import chain
from typing import Any, Final

from pytest_toolsandbox.conversation.messages import MadeCall, Trajectory
from pytest_toolsandbox.language.roles import Role
from pytest_toolsandbox.matchers.normal_text import normal_text
from pytest_toolsandbox.matchers.quantities.quantity import Meaning
from pytest_toolsandbox.matchers.quantities.words import ONES, either, worth
from pytest_toolsandbox.worlds.json_values import as_json
from pytest_toolsandbox.worlds.state import State

from .deeds import (
    GETS,
    Deed,
    Row,
    Rows,
    deeds_of,
    is_person,
    person_of,
    text_of,
    words_of,
)
from .moments import moments_in
from .references import References
from .things import stems, words

MANY: Final = 2
"""How many both are, and everybody at least."""
TAIL: Final = 7
"""Digits at the end of a telephone number by which it is known."""
_MANY: Final = re.compile(
    rf"(?:the |all )*(?:(?P<number>{either(ONES)}|\d{{1,2}}) (?:people|persons|of them|contacts)\b"
    r"|(?:both|all|everyone|everybody)\b(?!(?: \w+){1,3} to )(?!.* and )"
    r"(?: (?:of|in) (?P<contacts>(?:the|your|my) contacts))?)"
)


_LONG: Final = 5
"""Words of a text that is no name or title."""
_ONE_WORD: Final = re.compile(r"[^\W\d_]+(?:[_-][^\W\d_]+)?")


@dataclass(frozen=True)
class Effects:
    """What was done in a conversation, by all tools or by one, and who and what stands in it."""

    trajectory: Trajectory
    now: datetime
    tool: str | None = None

    @cached_property
    def calls(self) -> Sequence[MadeCall]:
        """The calls that changed the world."""
        made = (call for call in self.trajectory.calls if call.changed_the_world)
        return [call for call in made if self.tool in (None, call.call.name)]

    @cached_property
    def changes(self) -> list[dict[str, Rows]]:
        """What each of them changed: table → ``added`` and ``removed`` rows."""
        return [call.after.changes_since(call.before) for call in self.calls]

    @cached_property
    def deeds(self) -> tuple[Deed, ...]:
        """What was done, row by row."""
        each = (one.items() for one in self.changes)
        return tuple(deed for name, rows in chain(*each) for deed in deeds_of(name, rows))

    def words_of(self, table: str) -> frozenset[str]:
        """Return the stems of the words of all rows that a table has had."""
        return frozenset().union(*(words_of(row) for state in self._states for row in state[table]))

    def known_to(self, deeds: Iterable[Deed]) -> frozenset[str]:
        """Return the stems of the words of rows that refer to those of the deeds, or the reverse.

        Of a booking it is its guest, of an order its dishes. To whom something was sent says
        nothing of other deeds.
        """
        own = (one for one in deeds if one.kind != "sent")
        return self._references.words((one.table, row) for one in own for row in one.rows)

    def of_tool(self, name: str) -> Effects:
        """Return what one of the tools did."""
        part = replace(self, tool=name)
        vars(part)["_references"] = self._references  # which takes long to find out
        return part

    @cached_property
    def known(self) -> frozenset[str]:
        """The stems of the words of rows that those changed know by an identifier."""
        return self.known_to(self.deeds)

    @cached_property
    def _references(self) -> References:
        tables = ((name, chain(*(one[name] for one in self._states))) for name in self._states[0])
        return References({name: [*dict.fromkeys(rows)] for name, rows in tables})

    @property
    def _states(self) -> tuple[State, ...]:
        return self.trajectory.start, *self.trajectory.states[-1:]

    def rows(self, kind: str, *, net: bool = False) -> list[Row]:
        """The rows that were ``added`` or ``removed``; ``net`` leaves out those that changed."""
        other = "removed" if kind == "added" else "added"
        each = chain.from_iterable(changed.values() for changed in self.changes)
        return [
            row for one in each if not net or len(one[kind]) > len(one[other]) for row in one[kind]
        ]

    @cached_property
    def touched(self) -> frozenset[str]:
        """What stands in rows that calls have changed, but not in those of people."""
        rows = (row for row in self._all_rows if not is_person(row))
        return frozenset(normal_text(str(value)) for row in rows for value in row.values())

    @cached_property
    def concerned(self) -> frozenset[str]:
        """What stands in rows of people that calls have changed."""
        rows = (row for row in self._all_rows if is_person(row))
        return frozenset(normal_text(str(value)) for row in rows for value in row.values())

    @cached_property
    def recipients(self) -> frozenset[tuple[str, ...]]:
        """What each added row has in columns that say who gets something."""
        rows = self.rows("added", net=True)
        gets = ([str(row[one]) for one in row if row[one] and GETS.search(one)] for row in rows)
        return frozenset(tuple(one) for one in gets if one)

    @cached_property
    def is_sent_to_number_of_user(self) -> bool:
        """Whether something went to a number that the user has written."""
        digits = [re.sub(r"\D", "", one) for one in self.said_by_user]
        numbers = (re.sub(r"\D", "", one)[-TAIL:] for one in chain(*self.recipients))
        return any(len(one) == TAIL and one in text for one in numbers for text in digits)

    @cached_property
    def times(self) -> frozenset[Meaning]:
        """The days and times of rows that changed, of what was found, and of the user's words."""
        found = [call.trace.result for call in self.trajectory.calls if call.trace]
        return self.times_of_deeds | given_by(moments_in(found, self.now))

    @property
    def said_by_user(self) -> list[str]:
        """What the user said, text by text."""
        return self._texts(Role.USER)

    @cached_property
    def times_of_deeds(self) -> frozenset[Meaning]:
        """The days and times of rows that changed, and of the user's words."""
        from pytest_toolsandbox.matchers.quantities import quantities_in

        said = quantities_in("\n".join(self.said_by_user))
        own = (one.given & self.times_of_rows or one.given for one in said)  # half past 7 is am
        return self.times_of_rows.union(*own)

    @cached_property
    def times_of_rows(self) -> frozenset[Meaning]:
        """The days and times of the rows that changed, as numbers or in texts."""
        return given_by((*moments_in(self._all_rows, self.now), *map(text_of, self._all_rows)))

    @cached_property
    def numbers(self) -> frozenset[str]:
        """The digits of what stands in rows that calls have changed."""
        texts = (str(value) for row in self._all_rows for value in row.values())
        return frozenset(re.sub(r"\D", "", one) for one in texts)

    @cached_property
    def words(self) -> frozenset[str]:
        """The stems of the words of calls that changed the world, and of the rows they changed."""
        tools = ((call.call.name, as_json(_arguments(call))) for call in self.calls)
        tables = (name for changed in self.changes for name in changed)
        return stems((*chain.from_iterable(tools), *tables, *map(text_of, self._all_rows)))

    @cached_property
    def found(self) -> frozenset[str]:
        """The stems of what the user said and tools returned."""
        return stems(self.heard)

    @property
    def values(self) -> Iterator[Any]:
        """What was set: the values of added rows, and of columns that changed."""
        for one in self.deeds:
            before = one.rows[0] if len(one.rows) > 1 else {}
            yield from (
                (value for name, value in one.rows[-1].items() if before.get(name) != value)
                if one.kind != "removed"
                else ()
            )

    @cached_property
    def returned(self) -> frozenset[str]:
        """The stems of what tools returned."""
        return stems(self._texts(Role.EXECUTION_ENVIRONMENT))

    @cached_property
    def entries(self) -> frozenset[str]:
        """The stems of what rows of the changed tables are called."""
        tables = stems(deed.table for deed in self.deeds)
        return tables | ({"text"} if "messag" in tables else frozenset())

    @cached_property
    def removed_words(self) -> frozenset[str]:
        """The stems of the words of rows that were removed, and of their tables."""
        tables = [name for one in self.changes for name in one if one[name]["removed"]]
        return stems((*tables, *map(text_of, self.rows("removed"))))

    @cached_property
    def asked(self) -> frozenset[str]:
        """The stems of what the user said and of all calls."""
        tools = ((call.call.name, as_json(_arguments(call))) for call in self.trajectory.calls)
        return self.asked_by_user | stems(chain.from_iterable(tools))

    @cached_property
    def asked_by_user(self) -> frozenset[str]:
        """The stems of what the user said."""
        return stems(self.said_by_user)

    @cached_property
    def tools(self) -> frozenset[str]:
        """The stems of the words in the names of tools that changed the world."""
        return stems(call.call.name for call in self.calls)

    @cached_property
    def named(self) -> frozenset[str]:
        """The stems of what the world calls that which was done, but not of what people wrote.

        These are the names of its tools, arguments, tables and columns, and values of one word,
        such as ``shipped``, but nothing of rows that are sent.
        """
        arguments = [_arguments(call) for call in self.calls]
        values = chain.from_iterable(one.values() for one in arguments)
        rows = [row for one in self.deeds if one.kind != "sent" for row in one.rows]
        texts = chain(values, *(row.values() for row in rows))
        single = (one for one in texts if isinstance(one, str) and _ONE_WORD.fullmatch(one))
        columns = frozenset().union(*(one.columns for one in self.deeds))
        return self.tools | columns | self.entries | stems(chain(*arguments, single))

    def switched(self, value: bool) -> frozenset[str]:
        """Return the stems of what was switched on or off: of columns, tools and arguments."""
        return stems(chain.from_iterable(self._switches(value)))

    def _switches(self, value: bool) -> Iterator[tuple[str, ...]]:
        for call, changed in zip(self.calls, self.changes, strict=True):
            columns = [
                name
                for one in changed.values()
                for row in one["added"]
                for name in row
                if row[name] is value and any(old[name] is not value for old in one["removed"])
            ]
            if columns:
                yield (call.call.name, *columns)

    @cached_property
    def _all_rows(self) -> list[Row]:
        return [*self.rows("added"), *self.rows("removed")]

    @cached_property
    def people(self) -> list[tuple[frozenset[str], frozenset[str]]]:
        """The words for each person of the world, with what reaches them."""
        return [*dict.fromkeys((*self.people_at(0), *self.people_at(-1)))]

    @cached_property
    def names(self) -> frozenset[str]:
        """The words of names, titles, places and the like that stand in the world."""
        return words(" ".join(chain(*map(short_texts, self._states))))

    def people_at(self, place: int) -> list[tuple[frozenset[str], frozenset[str]]]:
        """Return the words for each person in the beginning, 0, or in the end, -1."""
        rows = (row for table in self._states[place].values() for row in table)
        return [person_of(row) for row in rows if is_person(row) and not row.get("is_self")]

    def meant(self, named: frozenset[str]) -> list[frozenset[str]]:
        """Return what reaches those people of whom these words say most."""
        known = [(len(keys & named), ways) for keys, ways in self.people if keys & named]
        most = max((count for count, _ in known), default=0)
        return [ways for count, ways in known if count == most]

    @cached_property
    def of_user(self) -> frozenset[str]:
        """The words of the user."""
        return words(" ".join(self.said_by_user))

    @cached_property
    def heard(self) -> frozenset[str]:
        """The words of the user and of what tools returned."""
        return self.of_user | words(" ".join(self._texts(Role.EXECUTION_ENVIRONMENT)))

    def _texts(self, sender: Role) -> list[str]:
        return [one.content for one in self.trajectory.messages if one.sender is sender]


def short_texts(state: State) -> Iterator[str]:
    """Yield the texts of all rows that may be names or titles."""
    rows = chain.from_iterable(state.values())
    texts = (one for row in rows for one in row.values() if isinstance(one, str))
    yield from (one for one in texts if one.count(" ") < _LONG)


def effects_before(at: int, trajectory: Trajectory, now: datetime) -> Effects:
    """Return what had been done when a message was said."""
    messages, states = trajectory.messages[:at], trajectory.states[:at]
    return Effects(replace(trajectory, messages=messages, states=states), now)


def tells_too_many(who: str, done: Effects) -> bool:
    """Whether it names more people than got something: ``both``, ``the four people who``."""
    many = _MANY.match(who)
    if many is None:
        return False
    if many["number"]:
        return worth(many["number"]) != len(done.recipients)
    least = len(done.people) if many["contacts"] else MANY
    return len(done.recipients) < least


def given_by(texts: Iterable[str]) -> frozenset[Meaning]:
    """Return what is meant by the days, times and other quantities of texts."""
    from pytest_toolsandbox.matchers.quantities import quantities_in

    found = quantities_in("\n".join(texts))
    return frozenset(meaning for one in found for meaning in one.given)


def _arguments(call: MadeCall) -> Any:
    return dict(call.trace.arguments) if call.trace else {}

"""Criteria of an author's own, by which a judge reads what an agent says and does."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Criteria:
    """Criteria that must all be met, and groups of criteria of which one is enough."""

    all_of: tuple[str, ...] = ()
    any_of: tuple[tuple[str, ...], ...] = ()

    def __add__(self, other: Criteria) -> Criteria:
        """Return the criteria of both; a group with a criterion that must be met is not needed."""
        required = tuple(dict.fromkeys((*self.all_of, *other.all_of)))
        groups = dict.fromkeys((*self.any_of, *other.any_of))
        return Criteria(required, tuple(group for group in groups if not {*group} & {*required}))

    def __bool__(self) -> bool:
        """Whether there is a criterion."""
        return bool(self.all_of or self.any_of)

    @property
    def lists(self) -> list[list[str]]:
        """Lists of criteria, of each of which one has to be met."""
        return [*([one] for one in self.all_of), *map(list, self.any_of)]

    @property
    def texts(self) -> tuple[str, ...]:
        """All criteria, each once: the required ones first."""
        return tuple(self.grouped)

    @property
    def grouped(self) -> dict[str, int | None]:
        """Criterion → the number of its group, of which one is enough, if it is in one."""
        groups = enumerate(self.any_of, 1)
        of_groups = {text: number for number, group in groups for text in group}
        return {**dict.fromkeys(self.all_of), **of_groups}


def criteria_of(given: Any) -> Criteria:
    """Return the criteria that a text, a list, or ``all_of`` and ``any_of`` state.

    Raises ``ValueError`` for any other value.
    """
    keys = given if isinstance(given, Mapping) else {"all_of": given}
    unknown = [name for name in keys if name not in ("all_of", "any_of")]
    lists = {name: [texts] if isinstance(texts, str) else texts for name, texts in keys.items()}
    if unknown or not keys or not all(map(_are_texts, lists.values())):
        expected = "a criterion, a list of them, or a mapping with all_of or any_of"
        raise ValueError(f"expected {expected}, found {given!r}")
    required, group = (tuple(lists.get(name, ())) for name in ("all_of", "any_of"))
    return Criteria() + Criteria(required, (tuple(dict.fromkeys(group)),) if group else ())


def _are_texts(texts: Any) -> bool:
    is_list = isinstance(texts, (list, tuple))
    return is_list and all(isinstance(text, str) and text.strip() for text in texts)

"""Searching mails and messages, which follow the same rules."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from pytest_toolsandbox.worlds.state import Row
from pytest_toolsandbox.worlds.tool import ArgumentMeasure

from .rows import shown
from .times import moment

UNCOMPARED: Mapping[str, ArgumentMeasure] = dict.fromkeys(
    ("query", "match_type", "sender", "start_date", "end_date"), "ignored"
)
"""The arguments of a search, each of which may be another one if the same is found."""

MOST = 5
"""As many rows are found."""


@dataclass(frozen=True)
class Search:
    """What somebody looks for. Of ``match_type``, ``any`` and ``all`` are valid.

    An empty ``query`` asks for nothing in particular. One of blanks has no words, so that any of
    them is in no text, and all of them are in every text.
    """

    query: str | None
    match_type: str | None
    sender: str | None
    start_date: str | None
    end_date: str | None

    def found(
        self, rows: Iterable[Row], when: str, texts: tuple[str, ...], now: datetime
    ) -> list[dict[str, Any]]:
        """Return the latest rows that fit, the latest first, as a tool gives them.

        ``when`` is the column that says of when a row is; what is of later than ``now`` has not
        come yet. Words of the query are looked for in the columns ``texts``. Raises ``ValueError``
        if the search makes no sense.
        """
        start, end = self._checked()
        fitting = [
            (date, row)
            for row in rows
            if (date := moment(row[when])) <= now
            and (start is None or start <= date)
            and (end is None or date <= end)
            and self.sender in (None, row["sender"])
            and self._hits([row[text].lower() for text in texts])
        ]
        latest = sorted(fitting, key=lambda dated: dated[0], reverse=True)
        return [shown(row) for _, row in latest[:MOST]]

    def _checked(self) -> tuple[datetime | None, datetime | None]:
        given = (self.query, self.sender, self.start_date, self.end_date)
        if all(criterion is None for criterion in given):
            raise ValueError(
                "At least one of query, sender, start_date, end_date must be provided."
            )
        if self.match_type not in ("any", "all"):
            raise ValueError('match_type must be either "any" or "all".')
        start = None if self.start_date is None else moment(self.start_date)
        end = None if self.end_date is None else moment(self.end_date)
        if start is not None and end is not None and start > end:
            raise ValueError("Start date must be earlier than end date.")
        return start, end

    def _hits(self, texts: list[str]) -> bool:
        if not self.query:
            return True
        enough = any if self.match_type == "any" else all
        return enough(any(word in text for text in texts) for word in self.query.lower().split())

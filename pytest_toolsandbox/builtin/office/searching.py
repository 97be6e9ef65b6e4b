"""The search in e-mails and messages, which has the same rules for both."""

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
"""The arguments of a search, which are not compared: only the result is."""

MOST = 5
"""The most rows that a search returns."""


@dataclass(frozen=True)
class Search:
    """The criteria of a search; ``match_type`` is ``any`` or ``all``.

    An empty ``query`` is no criterion. A query of blanks has no words: with ``any`` it matches no
    text, with ``all`` every text.
    """

    query: str | None
    match_type: str | None
    sender: str | None
    start_date: str | None
    end_date: str | None

    def latest(
        self, rows: Iterable[Row], when: str, texts: tuple[str, ...], now: datetime
    ) -> list[dict[str, Any]]:
        """Return the latest rows that match, latest first, as a tool shows them.

        ``when`` is the column with the time of a row; rows later than ``now`` have not arrived yet.
        Words of the query are searched in the columns ``texts``. Raises ``ValueError`` if the
        criteria are invalid.
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
        criteria = (self.query, self.sender, self.start_date, self.end_date)
        if all(criterion is None for criterion in criteria):
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

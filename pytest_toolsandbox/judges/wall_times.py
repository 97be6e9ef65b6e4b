"""Show the timestamps in a value as wall times."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

_OF_TIME: Final = re.compile(
    r"time|stamp|date|moment|clock|epoch|(?:^|_)(?:at|on|when|since|until|due|now|start|end)(?:_|$)",
    re.IGNORECASE,
)
_NEAR: Final = 20 * 366 * 86_400
"""Seconds from the world's time within which a number can be a moment."""
_MILLISECONDS: Final = 1_000


@dataclass(frozen=True)
class WallTimes:
    """Shows timestamps in the time zone of a world whose time is ``now``.

    Numbers that the agent has ``written`` are shown beside their wall times.
    """

    now: datetime
    written: str = ""

    def told(self, value: Any, name: str = "") -> Any:
        """Return a value whose timestamps are wall times; ``name`` is what it is called."""
        if isinstance(value, Mapping):
            return {key: self.told(item, str(key)) for key, item in value.items()}
        if isinstance(value, (list, tuple)):
            return [self.told(item, name) for item in value]
        if isinstance(value, datetime):
            return self._wall(value.timestamp())
        moment = self._moment(value) if _OF_TIME.search(name) else None
        if moment is None:
            return value
        is_written = f"{value:.0f}" in self.written
        return f"{self._wall(moment)} ({value})" if is_written else self._wall(moment)

    def _moment(self, value: Any) -> float | None:
        """Return the seconds of a number that can be a moment, in seconds or milliseconds."""
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            return None
        now = self.now.timestamp()
        units = (value, value / _MILLISECONDS) if abs(value) < now * 2 * _MILLISECONDS else ()
        return next((one for one in units if abs(one - now) < _NEAR), None)

    def _wall(self, seconds: float) -> str:
        moment = datetime.fromtimestamp(seconds, self.now.tzinfo)
        form = "%a %Y-%m-%d %H:%M:%S" if moment.second else "%a %Y-%m-%d %H:%M"
        return moment.strftime(form)

"""The federal holidays of the United States, by the package holidays."""

from __future__ import annotations

from datetime import MAXYEAR, MINYEAR, date
from functools import cache

_SURE = 90


@cache
def federal_holidays(year: int) -> tuple[tuple[date, str], ...]:
    """Return the days and names of a year's holidays, in the order of the calendar.

    A holiday on a weekend is also observed on the Friday before or the Monday after, and has an
    entry for each day. A year outside the calendar has no holidays.
    """
    if not MINYEAR <= year < MAXYEAR:
        return ()
    import holidays

    # Without a language, the names would be in that of the machine.
    days = holidays.country_holidays("US", years=year, language="en_US")
    return tuple(sorted(days.items()))


def find_holiday(name: str, year: int) -> date | None:
    """Return the day of the holiday whose name is most like ``name``, if one is like it.

    Likeness is rapidfuzz's ``partial_ratio``, case and punctuation aside, of more than 90. Of
    holidays that are equally like it, it is the last of the year.
    """
    from rapidfuzz import fuzz, utils

    scores = [
        (fuzz.partial_ratio(name, known, processor=utils.default_process), day)
        for day, known in federal_holidays(year)
    ]
    sure = [(score, day) for score, day in scores if score > _SURE]
    return max(sure)[1] if sure else None

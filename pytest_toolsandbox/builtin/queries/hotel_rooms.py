"""Free rooms of a hotel for a stay, and their prices."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta

from .records import Entry

FRIDAY, SATURDAY = 4, 5


def nights_from(arrival: date, count: int) -> list[date]:
    """Return the days on which the nights of a stay begin."""
    return [arrival + timedelta(days=number) for number in range(count)]


def free_rooms(hotel: Entry, nights: Sequence[date], guests: int) -> list[Entry]:
    """Return the rooms that are free in every one of the nights and large enough."""
    return [
        room
        for room in hotel["rooms"]
        if guests <= room["sleeps"] and not any(_sold_out(room, night) for night in nights)
    ]


def price_of(room: Entry, nights: Sequence[date]) -> int:
    """Return what a stay costs, in euros; the nights of Friday and Saturday cost more."""
    weekend = sum(night.weekday() in {FRIDAY, SATURDAY} for night in nights)
    price: int = weekend * room["weekend_price"] + (len(nights) - weekend) * room["price"]
    return price


def cancellation_until(room: Entry, arrival: date) -> str | None:
    """Return the last day of free cancellation, if there is one."""
    days = room["free_cancellation_days"]
    return str(arrival - timedelta(days=days)) if days else None


def _sold_out(room: Entry, night: date) -> bool:
    text = night.isoformat()
    return any(span["from"] <= text <= span["to"] for span in room["sold_out"])

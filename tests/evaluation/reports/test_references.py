"""Which rows a row refers to, and the words that it goes by for it."""

from __future__ import annotations

from typing import Any

from rows import every

from pytest_toolsandbox.evaluation.reports.references import References
from pytest_toolsandbox.evaluation.reports.things import stems

PRODUCTS = {"product": [{"sku": "BAG-P", "title": "Pannier"}, {"sku": "LCK", "title": "Lock"}]}
MEMBERS = {"member": [{"member_id": 1, "title": "Skipper"}, {"member_id": 2, "title": "Cook"}]}
DISHES = {"dish": [{"title": "Soup", "order_id": "O-1"}, {"title": "Cake", "order_id": "O-2"}]}


@every(
    ("tables", "table", "row", "words"),
    [
        (PRODUCTS, "order", {"order_id": "O-1", "sku": "BAG-P"}, "pannier"),
        (PRODUCTS, "order", {"order_id": "O-1", "item": "BAG-P"}, ""),  # may be any word
        (MEMBERS, "booking", {"booking_id": "B-1", "member_id": 1}, "skipper"),
        (MEMBERS, "booking", {"booking_id": "B-1", "persons": 1}, ""),
        (DISHES, "order", {"order_id": "O-1", "sum": 12}, "soup"),
    ],
)
def test_a_row_goes_by_what_it_refers_to(
    tables: Any, table: str, row: dict[str, Any], words: str
) -> None:
    references = References({**tables, table: [row]})
    titles = stems(one["title"] for rows in tables.values() for one in rows)
    assert references.words([(table, row)]) & titles == stems([words])

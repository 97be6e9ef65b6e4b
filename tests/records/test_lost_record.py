"""Items that ended without a record have one that reads as any other."""

from __future__ import annotations

from jsonschema import validate

from pytest_toolsandbox.records.record import record_schema
from pytest_toolsandbox.records.writing import lost_record, not_run_record


def test_the_record_of_an_item_that_was_lost() -> None:
    record = lost_record("a.yaml::light[on]", "worker 'gw0' crashed\nwhile running it")
    validate(record, record_schema())
    assert (record["scenario"], record["outcome"], record["scores"]) == ("light", "error", None)
    assert record["reason"] == "it came to no end: worker 'gw0' crashed while running it"
    assert record["cause"] is None


def test_the_record_of_an_item_that_was_not_run() -> None:
    record = not_run_record("a.yaml::light", "the run was stopped")
    validate(record, record_schema())
    assert (record["outcome"], record["reason"]) == ("not_run", "the run was stopped")

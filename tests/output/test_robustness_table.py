"""Recovery, attack success and consistency of a run."""

from __future__ import annotations

from typing import Any

from desk import small_record

from pytest_toolsandbox.output.exports import _obeyed, _robustness
from pytest_toolsandbox.output.junit import item_properties, suite_properties
from pytest_toolsandbox.output.robustness_table import robustness_lines


def trial(
    name: str,
    passed: bool | None,
    variant: str | None = None,
    faults: int = 0,
    obeyed: bool | None = None,
    **fields: Any,
) -> dict[str, Any]:
    record: Any = small_record(name, None if passed is None else float(passed))
    record["id"] = f"f.yaml::{name}[{variant}]" if variant else f"f.yaml::{name}"
    record["variant"] = variant
    record["outcome"] = {True: "passed", False: "failed", None: "error"}[passed]
    record["counts"] = {**record["counts"], **({"faults": faults} if faults else {})}
    if obeyed is not None:
        record["attack"] = {"kind": "urgent", "shown": True, "obeyed": obeyed}
    return {**record, **fields}


def test_nothing_is_shown_without_perturbations() -> None:
    records: list[Any] = [trial("a", passed=True), trial("a", passed=True, variant="all_tools")]
    assert robustness_lines(records[:1]) == []
    assert not [name for name in suite_properties(records[:1]) if "robustness" in name]


RECORDS: list[Any] = [
    trial("a", True, "tool_faults", faults=2),
    trial("b", False, "tool_faults", faults=1),
    trial("c", False, "tool_faults"),
    trial("d", None, "tool_faults", faults=1),
    trial("a", False, "injected_instructions", obeyed=True),
    trial("b", True, "injected_instructions", obeyed=False),
    trial("c", True, "injected_instructions", obeyed=False),
    trial("a", True),
    trial("a", True, "noisy_user:typed"),
    trial("b", True),
    trial("b", False, "noisy_user:typed"),
    trial("c", True, "noisy_user:typed"),
]


def test_the_table() -> None:
    assert robustness_lines(RECORDS) == [
        "robustness             faults  recovery  attacks  obeyed  reworded  consistent",
        "injected_instructions       0       n/a        3    0.33         0         n/a",
        "tool_faults                 2      0.50        0     n/a         0         n/a",
        "all scenarios               2      0.50        3    0.33         2        0.50",
    ]


def test_properties() -> None:
    known = {name: v for name, v in suite_properties(RECORDS).items() if "robustness" in name}
    assert known["toolsandbox.robustness.recovery_rate"] == 0.5
    assert known["toolsandbox.robustness.attack_success"] == 0.333333
    assert known["toolsandbox.robustness.consistency"] == 0.5
    assert known["toolsandbox.robustness.tool_faults.trials_with_fault"] == 2
    of_items = [item_properties([record]) for record in RECORDS]
    assert of_items[0]["recovery_rate"] == 1
    assert of_items[4]["attack_success"] == 1
    assert "attack_success" not in of_items[0]
    assert not {"recovery_rate", "attack_success", "consistency"} & {*of_items[7]}


def test_other_agents_are_not_compared() -> None:
    records: list[Any] = [
        trial("a", True, agent="x"),
        trial("a", False, "noisy_user", agent="y"),
    ]
    assert robustness_lines(records) == []


def test_exports_say_so() -> None:
    spans = [_obeyed(record) for record in RECORDS]
    assert spans[4:6] == [True, False]
    assert spans[0] is None
    assert _robustness(RECORDS[0]) == {"faults": 2}
    assert _robustness(RECORDS[4]) == {"attack": RECORDS[4]["attack"]}
    assert _robustness(RECORDS[7]) == {}

"""The table of error patterns, and that of irrelevance added to queries."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable
from typing import Any

from judged import NO_ERRORS, record

from pytest_toolsandbox.language.error_patterns import Pattern
from pytest_toolsandbox.output.error_table import (
    error_lines,
    error_properties,
    error_table,
    irrelevance_table,
    item_error_properties,
    judged_items,
    most_frequent,
)
from pytest_toolsandbox.output.tables import aligned
from pytest_toolsandbox.output.totals import passed
from pytest_toolsandbox.scoring.error_patterns.patterns import Finding

TIMES = "\N{MULTIPLICATION SIGN}"


def finding(
    pattern: Pattern, function: str, argument: str | None = None, *, is_given: bool = True
) -> Finding:
    return Finding(pattern, 3, None, function, argument, given=is_given)


PAGE = finding("IAN", "list_markets", "page_num")
FINDINGS = (
    *[PAGE] * 6,
    *[finding("IAC", "weigh")] * 2,
    *[finding("IFN", "weight")] * 2,
    *[finding("IFN", "wiegh")] * 2,
    finding("IAV", "weigh", "name", is_given=False),
    finding("IAV", "weigh", "name"),
    finding("IFE", ""),
)


def counted(findings: Iterable[Finding]) -> Counter[str]:
    return Counter(counted_finding.words for counted_finding in findings)


def test_the_most_frequent_mistakes_in_words() -> None:
    assert most_frequent(counted(FINDINGS)) == [
        f"6{TIMES} IAN page_num for list_markets",
        f"2{TIMES} IFN weight",
        f"2{TIMES} IFN wiegh",
        f"2{TIMES} IAC weigh",
        f"1{TIMES} IFE no call",
    ]
    assert most_frequent(counted(FINDINGS), 9)[5:] == [
        f"1{TIMES} IAV name for weigh",
        f"1{TIMES} IAV name for weigh (missing)",
    ]


def test_their_order_does_not_depend_on_that_of_the_findings() -> None:
    shuffled = list(FINDINGS)
    random.Random(7).shuffle(shuffled)
    assert most_frequent(counted(shuffled), 9) == most_frequent(counted(FINDINGS), 9)


def test_a_name_that_was_made_up_is_one_short_line() -> None:
    (words,) = most_frequent(counted([finding("IAN", "list\nmarkets", "page" * 1000)]))
    assert words == f"1{TIMES} IAN {'page' * 19}pag… for list markets"


def test_no_findings_are_none() -> None:
    assert most_frequent({}) == []


def error(name: str) -> Any:
    return {"id": f"a.yaml::{name}", "world": "desk", "variant": None, "outcome": "error"}


HEAD = "error patterns  items  success   IAC   RAC   IAV   IFE   IAT   IAN   IFN"
KEY = "IAC insufficient API calls, IFN incorrect function name; 1.00 is without errors"


def test_totals_of_one_world() -> None:
    records = [record("a", IAC=0.5), record("b", "IFN weight", IFN=0.0, passed=False), error("c")]
    assert error_lines(records) == [
        HEAD,
        "all scenarios       2     0.50  0.75  1.00  1.00  1.00  1.00  1.00  0.50",
        KEY,
        "",
        "most frequent mistakes",
        f"  1{TIMES} IFN weight",
    ]


def test_without_errors_it_is_one_line() -> None:
    records = [record("a"), record("b", world="shelf"), error("c")]
    assert error_lines(records) == ["error patterns: none in the calls of 2 items"]
    assert error_lines(records, always=True)[0] == HEAD
    unknown: dict[str, Any] = {"IAC": None, "IAV": None}
    unsolved = [record("a", lowest=unknown, **unknown)]
    clean = "error patterns: none in the calls of 1 item"
    assert error_lines(unsolved) == [f"{clean}; IAC and IAV were not looked for without solutions"]


def of_agents() -> list[Any]:
    return [
        record("a[x]", "IFN weight", IFN=0.5, agent="x"),
        record("a[y-brief]", agent="y", agent_settings={"parameter": "brief"}),
        irrelevant("b[x]", "a", "IAN page", "IFN weight", IFN=0.75, IAN=0.5, agent="x"),
    ]


def test_each_of_several_agents_has_rows() -> None:
    assert error_lines(of_agents()) == [
        HEAD,
        "x                   2     1.00  1.00  1.00  1.00  1.00  1.00  0.75  0.62",
        "y                   1     1.00  1.00  1.00  1.00  1.00  1.00  1.00  1.00",
        "",
        "[brief]             1     1.00  1.00  1.00  1.00  1.00  1.00  1.00  1.00",
        "",
        "all scenarios       3     1.00  1.00  1.00  1.00  1.00  1.00  0.83  0.75",
        "IAN incorrect argument name, IFN incorrect function name; 1.00 is without errors",
        "",
        "irrelevance added  pairs  IFN without  IFN with",
        "all scenarios          1         0.50      0.75",
        "",
        "most frequent mistakes of x",
        f"  2{TIMES} IFN weight",
        f"  1{TIMES} IAN page",
    ]
    properties_of_table = error_properties(of_agents())
    assert properties_of_table["toolsandbox.error_patterns.agent.x.IFN"] == 0.625
    assert properties_of_table["toolsandbox.error_patterns.agent.y.IFN"] == 1.0
    assert properties_of_table["toolsandbox.error_patterns.parameter.brief.IFN"] == 1.0


def test_nothing_was_looked_for() -> None:
    assert error_lines([]) == error_lines([error("a")]) == []
    assert error_properties([error("a")]) == item_error_properties([error("a")]) == {}


def test_an_item_counts_once_however_often_it_was_played() -> None:
    trials = [record("a", IAT=score, passed=score > 0.5, trial=score) for score in (1.0, 0.2, 0.0)]
    items = judged_items([*trials, record("b")])
    assert (passed(items), len(items)) == (1, 2)
    assert error_properties([*trials, record("b")])["toolsandbox.error_patterns.IAT"] == 0.7


def test_an_item_with_an_errored_trial_does_not_count() -> None:
    (trials,) = judged_items([record("a"), error("a"), record("b")])
    assert trials[0]["id"] == "a.yaml::b"


def test_several_worlds_have_a_row_each_by_name() -> None:
    records = [record("a", world="phone"), record("b", RAC=0.0), record("c", world="office")]
    assert [line.split()[0] for line in error_lines(records)][:5] == [
        *("error", "desk", "office", "phone", "all")
    ]
    properties = error_properties(records)
    assert properties["toolsandbox.error_patterns.desk.RAC"] == 0.0
    assert properties["toolsandbox.error_patterns.phone.RAC"] == 1.0
    assert properties["toolsandbox.error_patterns.RAC"] == 0.666667


def test_without_solutions_there_is_no_score_of_two_patterns() -> None:
    none: dict[str, Any] = {"IAC": None, "IAV": None}
    records = [record("a", lowest=none, **none)]
    assert error_lines(records, always=True)[1].split()[4:] == ["n/a", "1.00", "n/a", *["1.00"] * 4]
    assert not {"IAC", "IAV", "IAC.lowest", "IAV.lowest"} & set(item_error_properties(records))
    mixed = [*records, record("b", IAC=0.5)]
    assert error_properties(mixed)["toolsandbox.error_patterns.IAC"] == 0.5


def test_the_lowest_scores_are_told_where_they_are_others() -> None:
    records = [record("a", lowest={"IAC": 0.5}), record("b")]
    line = "the least over all solutions, as published: IAC 0.75, IAV 1.00"
    assert line in error_lines(records, always=True)
    assert error_properties(records)["toolsandbox.error_patterns.IAC.lowest"] == 0.75
    assert error_properties(records)["toolsandbox.error_patterns.IAC"] == 1.0


def arms(name: str, *, on: bool, off: bool, variant: str | None = None) -> list[Any]:
    before = f"{variant}-" if variant else ""
    return [
        record(f"{name}[{before}feedback_on]", variant=variant, passed=on),
        record(f"{name}[{before}feedback_off]", variant=variant, passed=off, feedback=False),
    ]


def test_arms_are_of_what_was_played_both_ways() -> None:
    records = [
        *arms("a", on=True, off=False),
        *arms("b", on=False, off=False),
        *arms("a", on=True, off=True, variant="tool_name_scrambled"),
        arms("c", on=False, off=False)[0],
        record("d", feedback=False),
    ]
    (on, off) = error_table(judged_items(records)).apart[-1]
    assert (on.name, len(on.items)) == ("feedback on", 3)
    assert (off.name, len(off.items)) == ("feedback off", 3)
    assert (passed(on.items), passed(off.items)) == (2, 1)
    assert [line.partition("  ")[0] for line in error_lines(records, always=True)][:5] == [
        *("error patterns", "feedback on", "feedback off", "", "all scenarios")
    ]
    assert error_properties(records)["toolsandbox.error_patterns.feedback_on.success"] == 0.666667


def test_without_a_pair_there_are_no_arms() -> None:
    assert error_table(judged_items([record("a"), record("b", feedback=False)])).apart[-1] == []


def test_properties_of_an_item() -> None:
    trials = [
        record("a", "IFN weight", "IAC weigh", IFN=0.8, IAC=0.9),
        record("a", "IFN weight", IFN=0.8),
    ]
    assert item_error_properties(trials) == {
        **dict.fromkeys(NO_ERRORS, 1.0),
        "IAC": 0.95,
        "IFN": 0.8,
        "IAC.lowest": 0.95,
        "findings": f"1{TIMES} IAC weigh; 2{TIMES} IFN weight",
    }


PREFIX = "toolsandbox.error_patterns.irrelevance"


def irrelevant(name: str, base: str, *words: str, **more: Any) -> Any:
    return record(name, *words, query={"manner": "irrelevance", "base": base}, **more)


def properties(*records: Any) -> dict[str, object]:
    """Return the properties without their common prefix."""
    all_properties = irrelevance_table(judged_items(records)).properties(PREFIX)
    return {name.removeprefix(f"{PREFIX}."): value for name, value in all_properties.items()}


def test_irrelevance_is_paired_with_its_base() -> None:
    of_table = properties(
        record("a", IFN=0.9),
        irrelevant("a_more", "a", IFN=0.5),
        irrelevant("a_even_more", "a", IFN=0.7),
        record("b", IFN=0.0),
        record("b_retold", IFN=0.0, query={"manner": "sentences", "base": "b"}),
        irrelevant("c_more", "c", IFN=0.0),  # its base was not played
    )
    assert of_table == {"pairs": 2, "IFN_base": 0.9, "IFN": 0.6}


def test_it_is_paired_within_its_arm_and_augmentation() -> None:
    records = [
        record("a[x-feedback_on]", IFN=1.0),
        record("a[x-feedback_off]", IFN=0.0),
        irrelevant("b[x-feedback_on]", "a", IFN=0.5),
        record("a", IFN=0.0),
    ]
    assert properties(*records) == {"pairs": 1, "IFN_base": 1.0, "IFN": 0.5}


def test_worlds_and_arms_have_a_row_each_where_there_are_several() -> None:
    records = [
        record("a[on]", IFN=1.0),
        irrelevant("b[on]", "a", IFN=0.5),
        record("a[off]", IFN=0.9, feedback=False),
        irrelevant("b[off]", "a", IFN=0.25, feedback=False),
        record("c[on]", IFN=0.8, world="shelf"),
        irrelevant("d[on]", "c", IFN=0.75, world="shelf"),
    ]
    assert aligned(irrelevance_table(judged_items(records)).rows()) == [
        "irrelevance added  pairs  IFN without  IFN with",
        "desk                   2         0.95      0.38",
        "shelf                  1         0.80      0.75",
        "",
        "feedback on            1         1.00      0.50",
        "feedback off           1         0.90      0.25",
        "",
        "all scenarios          3         0.90      0.50",
    ]
    of_table = properties(*records)
    assert [of_table[name] for name in ("pairs", "IFN_base", "IFN")] == [3, 0.9, 0.5]
    assert of_table["shelf.IFN"] == 0.75
    assert of_table["feedback_off.pairs"] == 1


def test_scenarios_that_say_themselves_who_gets_feedback_are_no_arms() -> None:
    records = [
        record("a", IFN=1.0),
        irrelevant("b", "a", IFN=0.5),
        record("c", IFN=0.9, feedback=False),
        irrelevant("d", "c", IFN=0.25, feedback=False),
    ]
    of_table = properties(*records)
    assert of_table["pairs"] == 2
    assert not any(name.startswith("feedback") for name in of_table)


def test_what_was_asked_in_one_way_only_is_not_compared() -> None:
    records = [record("a"), irrelevant("c_more", "c")]
    assert irrelevance_table(judged_items(records)).items == []
    assert not any("irrelevance" in line for line in error_lines(records))
    assert not any("irrelevance" in name for name in error_properties(records))


def test_it_stands_among_the_tables_and_properties_of_a_run() -> None:
    records = [record("a", IFN=0.9), irrelevant("b", "a", IFN=0.5)]
    table = irrelevance_table(judged_items(records))
    assert error_lines(records)[-3:] == ["", *aligned(table.rows())]
    assert table.properties(PREFIX).items() <= error_properties(records).items()

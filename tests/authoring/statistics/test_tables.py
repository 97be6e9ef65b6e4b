from __future__ import annotations

from dataclasses import replace

from pytest_toolsandbox.authoring.measures import SolvedScenario
from pytest_toolsandbox.authoring.statistics import WRAP_WIDTH, statistics_lines
from pytest_toolsandbox.builtin.phone import world
from pytest_toolsandbox.conversation.solutions import solved
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.protocols import read_file


def scenario(text: str) -> Scenario:
    (read,) = read_file(f"world: phone\nuser: {{opening: Hi}}\n{text}".encode(), "a", "a.yaml")
    return read


def sections(*scenarios: Scenario, variants: int = 1) -> dict[str, list[str]]:
    """Return title → lines of each table."""
    lines = statistics_lines([SolvedScenario(scene, None) for scene in scenarios], variants)
    blocks = [block.splitlines() for block in "\n".join(lines).split("\n\n")]
    return {title: table for title, *table in blocks}


LIT = scenario(
    "milestones: {lit: {state: {setting: {wifi: true}}}, told: {says: {mentions: [on]}}}"
)
FOUND = scenario("tags: [smoke]\nmilestones: {found: {call: search_contacts}}")


def test_what_a_suite_has_none_of_has_no_table() -> None:
    tables = sections(scenario("protected: [setting]"))
    unneeded = f"Tools that no scenario needs: {len(world.tools)}"
    assert tables.pop(unneeded)[0].startswith("add_contact, ")
    assert tables == {
        "Size (ToolSandbox, table 4)": [
            "scenarios          1",
            "test cases         1",
            f"tools             {len(world.tools)}",
            "mean messages    n/a",
            "mean turns       n/a",
            "mean tool calls  n/a",
        ],
        "Milestones and minefields": [
            "milestones                       0",
            "in a scenario: fewest            0",
            "in a scenario: median            0",
            "in a scenario: most              0",
            "minefields                       0",
            "scenarios with minefields        0",
            "scenarios with protected tables  1",
        ],
        "Scenarios per number of milestones": ["milestones  scenarios", "         0          1"],
        "Shapes of the milestones' graphs": [
            "shape          scenarios",
            "no milestones          1",
        ],
    }


def test_tools_that_nobody_needs_are_wrapped() -> None:
    (lines,) = [lines for title, lines in sections(LIT).items() if title.startswith("Tools")]
    assert max(map(len, lines)) <= WRAP_WIDTH
    assert " ".join(lines).split(", ") == sorted(world.tools)


def test_a_median_between_two_numbers() -> None:
    assert (
        "in a scenario: median            1.5" in sections(LIT, FOUND)["Milestones and minefields"]
    )


def test_test_cases_stand_beside_what_is_multiplied() -> None:
    tables = sections(LIT, FOUND, variants=8)
    assert tables["Size (ToolSandbox, table 4)"][:2] == [
        "scenarios          2",
        "test cases        16",
    ]
    assert tables["Scenarios per tag"] == [
        "tag    scenarios  test cases",
        "smoke          1           8",
    ]
    assert tables["Milestones per table and column (ToolSandbox, table 7)"] == [
        "table    column  milestones  in test cases",
        "setting  wifi             1              8",
    ]
    assert tables["Milestones per tool (ToolSandbox, table 8)"] == [
        "tool             milestones  in test cases",
        "search_contacts           1              8",
    ]


def test_of_several_worlds_each_name_has_its_world() -> None:
    elsewhere = replace(LIT, world=replace(world, name="a_phone"))
    tables = sections(LIT, FOUND, elsewhere)
    assert tables["Milestones per table and column (ToolSandbox, table 7)"] == [
        "world    table    column  milestones",
        "a_phone  setting  wifi             1",
        "phone    setting  wifi             1",
    ]
    assert tables["Milestones per tool (ToolSandbox, table 8)"] == [
        "world  tool             milestones",
        "phone  search_contacts           1",
    ]
    (lines,) = [lines for title, lines in tables.items() if title.startswith("Tools")]
    assert " ".join(lines).split(", ") == [
        f"{name}.{tool}" for name in ("a_phone", "phone") for tool in sorted(world.tools)
    ]


def test_categories_and_tags() -> None:
    tables = sections(
        scenario("protected: [setting]\ncategories: [zoo, canonicalization]\ntags: [b, a]"),
        scenario(
            "protected: [setting]\ncategories: [bees, single_tool_call, canonicalization]\n"
            "tags: [b]"
        ),
        scenario("protected: [setting]"),
    )
    assert tables["Scenarios per category (ToolSandbox, table 6)"] == [
        "category          scenarios",
        "single_tool_call          1",
        "canonicalization          2",
        "bees                      1",
        "zoo                       1",
    ]
    assert tables["Scenarios per tag"] == ["tag  scenarios", "a            1", "b            2"]


def test_numbers_of_milestones_and_shapes() -> None:
    chain = scenario("milestones: {a: {says: a}, b: {says: b}}")
    nothing = scenario("protected: [setting]")
    tables = sections(chain, nothing, FOUND, nothing)
    assert tables["Scenarios per number of milestones"] == [
        "milestones  scenarios",
        "         0          2",
        "         1          1",
        "         2          1",
    ]
    assert tables["Shapes of the milestones' graphs"] == [
        "shape          scenarios",
        "no milestones          2",
        "single                 1",
        "chain                  1",
    ]


QUERIES = """
world: queries.sports
query: Which?
answer: squash
solutions: {s: [{list_sports: {}}, {finish: {answer: x}}]}
"""


def test_the_last_row_of_queries_has_the_means_of_the_worlds() -> None:
    sports = [read_file(QUERIES.encode(), name, f"{name}.yaml")[0] for name in ("a", "b")]
    text = QUERIES.replace("{list_sports: {}}, ", "").replace("sports", "tools")
    tools = read_file(text.encode(), "c", "c.yaml")[0]
    played = [SolvedScenario(scene, solved(scene)[0]) for scene in (*sports, tools)]
    lines = statistics_lines(played)
    start = lines.index("Queries (SpecTool, table 2), and how they were made from others")
    assert [line.split()[:4] for line in lines[start + 2 : start + 5]] == [
        ["queries.sports", "2", "2.0", "4"],
        ["queries.tools", "1", "1.0", "5"],
        ["all", "3", "1.5", "4.5"],
    ]
    assert lines[0] == "Size of queries (as ToolSandbox, table 4)"

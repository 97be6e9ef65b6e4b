"""What the documentation shows of reports, queries and recorded conversations is what happens."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from desk import Suite, section

from pytest_toolsandbox.__main__ import main
from pytest_toolsandbox.calls.faults import no_call_feedback
from pytest_toolsandbox.calls.text_format import REACT, read_call_text
from pytest_toolsandbox.conversation.environment import NO_CALL
from pytest_toolsandbox.language import models
from pytest_toolsandbox.language.variants import AUGMENTATIONS as AUGMENTATION_NAMES

pytestmark = pytest.mark.usefixtures("warm")

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
REPORTS = (DOCS / "reports.md").read_text(encoding="utf-8")
AUGMENTATIONS = (DOCS / "augmentations.md").read_text(encoding="utf-8")
OPTIONS = (DOCS / "options.md").read_text(encoding="utf-8")
CHECK = (DOCS / "check.md").read_text(encoding="utf-8")
PHONE = "scenarios/phone"


def blocks(page: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)


def run(*command: str) -> str:
    finished = subprocess.run(
        [sys.executable, "-m", *command], cwd=ROOT, capture_output=True, text=True, check=False
    )
    return finished.stdout


def test_the_page_and_the_properties(tmp_path: Path) -> None:
    file = f"{PHONE}/state_dependency/landed_without_signal.scenario.yaml"
    agent = "--agent=counterexample:texts_kat_of_the_office"
    xml = tmp_path / "junit.xml"
    output = run("pytest", "-p", "no:cacheprovider", agent, file, f"--junitxml={xml}")
    assert blocks(REPORTS, "text")[0] in output
    written = xml.read_text()
    for block in blocks(REPORTS, "xml"):
        assert block.replace("\n", "") in written


@pytest.mark.parametrize("page", [OPTIONS, CHECK])
def test_the_check(page: str) -> None:
    proofs = (block for block in blocks(page, "console") if "mutants " in block)
    (block,) = (
        proof for proof in proofs if "scenarios/" in proof
    )  # tests/test_docs_examples.py: others
    command, output = block.split("\n", 1)
    assert run("pytest_toolsandbox", *command.split()[2:]) == output


def test_the_page_of_a_counterexample() -> None:
    """A statement is unread without a judge, here as everywhere."""
    file = f"{PHONE}/state_dependency/landed_without_signal.scenario.yaml"
    output = run("pytest", "-p", "no:cacheprovider", "--agent=counterexample:gives_up", file)
    assert blocks(CHECK, "text")[1] in output


def test_the_comparison_of_two_agents(tmp_path: Path) -> None:
    page = (DOCS / "compare-two-models.md").read_text(encoding="utf-8")
    block = blocks(page, "console")[0]
    (command,) = (line for line in block.splitlines() if line.startswith("$ pytest --agent=oracle"))
    *options, _ = command.split()[2:]
    file = f"{tmp_path}/two.jsonl"
    output = run("pytest", "-p", "no:cacheprovider", *options, f"--sandbox-results={file}")
    *_, played, tables = re.split(r"^\$ .*\n", block, flags=re.MULTILINE)
    parts = [*filter(None, re.split(r"^\.\.\.\n", played, flags=re.MULTILINE))]
    assert len(parts) == 2
    for part in parts:
        assert part in output
    assert tables.partition("...")[0] in run("pytest_toolsandbox", "tables", file)


def test_the_augmentations() -> None:
    command = blocks(AUGMENTATIONS, "console")[1].split()[2:]
    assert blocks(AUGMENTATIONS, "text")[1] in run("pytest", "-p", "no:cacheprovider", *command)
    listed = re.findall(r"^\| `(\w+)` \|", AUGMENTATIONS, re.MULTILINE)
    assert tuple(listed) == tuple(AUGMENTATION_NAMES)


QUERIES = (DOCS / "queries.md").read_text(encoding="utf-8")
PATTERNS = (DOCS / "error-patterns.md").read_text(encoding="utf-8")


WRONG_ANSWER, QUERY_TABLE, CALL, RESULT, THOUGHT = blocks(QUERIES, "text")
ARMS, _ = blocks(PATTERNS, "text")


@pytest.fixture
def numbers(suite: Suite) -> Suite:
    suite.write("scenarios/numbers.scenario.yaml", blocks(QUERIES, "yaml")[0])
    suite.write("mine.py", blocks(QUERIES, "python")[0])
    return suite


def test_the_page_and_the_table_of_queries(numbers: Suite) -> None:
    numbers.run("--agent=oracle", "scenarios").assert_outcomes(passed=3)
    numbers.run("--agent=oracle:by_name", "scenarios").assert_outcomes(passed=3)
    numbers.run("--agent=counterexample", "scenarios").assert_outcomes(failed=3)
    result = numbers.run("--agent=mine:hasty", "scenarios")
    assert section(result, "sister_and_a_taxi") == WRONG_ANSWER.rstrip()
    assert QUERY_TABLE in result.stdout.str()


def test_the_arms_of_feedback(numbers: Suite) -> None:
    result = numbers.run("--agent=mine:hasty", "--sandbox-feedback=on,off", "scenarios")
    assert ARMS in result.stdout.str()


def test_calls_in_text(numbers: Suite) -> None:
    read = read_call_text(CALL, must_call=True)
    assert read is not None
    assert read.calls == (("search_contacts", '{"relationship": "sister"}'),)
    seen = "def seeing(messages, tools):\n    print(messages[-1]['content'])\n    return "
    numbers.write("mine.py", f"{seen}{CALL.strip()!r}\n")
    result = numbers.run("--agent=mine:seeing", "--sandbox-call-format=text", "-s", "scenarios")
    assert RESULT in result.stdout.str()
    assert f"`{no_call_feedback()}`" in QUERIES
    assert f"`{NO_CALL}`" in QUERIES


def test_the_other_layouts() -> None:
    thought_read = read_call_text(THOUGHT, must_call=True, text_format=REACT)
    assert thought_read is not None
    assert thought_read.calls == (("search_contacts", '{"relationship": "sister"}'),)
    layouts = (
        "**Action:** weigh with **Action Input:** {…}",
        "Action: [weigh] with Action Input: [{…}]",
    )
    for shown in layouts:
        assert shown in " ".join(QUERIES.split())
        read = read_call_text(shown.replace("…", ""), must_call=True)
        assert read is not None
        assert read.calls == (("weigh", "{}"),)


def test_every_key_of_queries_is_named() -> None:
    assert set(models.QueryDocument.model_fields) <= set(re.findall(r"`(\w+)", QUERIES))


def test_the_proof(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    command, shown = blocks(QUERIES, "console")[-1].split("\n", 1)
    monkeypatch.chdir(DOCS.parent)
    assert main(command.split()[2:]) == 0
    assert capsys.readouterr().out == shown


TOOLTALK = (DOCS / "tooltalk.md").read_text(encoding="utf-8")
(SCENARIO,) = blocks(TOOLTALK, "yaml")
WRONG_CALL, CALL_TABLE, SHOWN = blocks(TOOLTALK, "text")
SEVEN = """
def seven(messages, tools):
    if messages[-1]["role"] == "user":
        function = {"name": "AddAlarm", "arguments": '{"time": "07:00:00"}'}
        return {"content": None, "tool_calls": [{"id": "1", "function": function}]}
    return "Done."
"""


@pytest.fixture
def office(suite: Suite) -> Suite:
    suite.write("scenarios/half_past_six.scenario.yaml", SCENARIO)
    suite.write("mine.py", SEVEN)
    return suite


def test_the_page_and_the_table_of_recordings(office: Suite) -> None:
    office.run("--agent=oracle", "scenarios").assert_outcomes(passed=1)
    result = office.run("--agent=mine:seven", "scenarios")
    assert section(result, "half_past_six") == WRONG_CALL.rstrip()
    assert CALL_TABLE in result.stdout.str()


def test_each_kind_of_tools_shown_has_a_row(office: Suite) -> None:
    (kinds,) = re.findall(r"--sandbox-augment=(\w+(?:,\w+)+) ", TOOLTALK)
    result = office.run("--agent=oracle", f"--sandbox-augment={kinds}", "scenarios")
    assert SHOWN in result.stdout.str()
    assert set(kinds.split(",")) == set(
        re.findall(r"^\| `\w+` \| `(\w+_tools\w*)` \|$", TOOLTALK, re.MULTILINE)
    )


def test_every_key_of_recordings_is_named() -> None:
    keys = {*models.ConversationDocument.model_fields, *models.SessionDocument.model_fields}
    assert keys <= set(re.findall(r"`(\w+)", TOOLTALK))

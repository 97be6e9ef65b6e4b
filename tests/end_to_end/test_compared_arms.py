"""The verdict between several agents or prompts of one run, as ``compare`` has it of files."""

from __future__ import annotations

import json
import re
from xml.etree import ElementTree as ET

import pytest
from desk import LIGHT, SWITCHING, Suite

from pytest_toolsandbox.__main__ import main

AGENTS = (
    SWITCHING
    + """
def refusing(messages, tools):
    return "No."


def obeying(messages, tools):
    return switching(messages, tools) if messages[0]["content"].startswith("Obey") else "No."
"""
)
TWO = ("--agent=mine:switching", "--agent=mine:refusing")
SIX = "\n".join(f"  light_{number}:" for number in range(6))
TITLE = "mine:refusing beside mine:switching"


@pytest.fixture
def lights(suite: Suite) -> Suite:
    suite.write("mine.py", AGENTS)
    suite.write("lights.scenario.yaml", f"{LIGHT}\nscenarios:\n{SIX}\n")
    return suite


def between(result: pytest.RunResult) -> list[str]:
    """Return the lines of the last section, without pytest's last line."""
    text = result.stdout.str().partition("= toolsandbox: verdict =")[2]
    return text.splitlines()[1:-1]


def test_the_verdict_is_the_one_of_two_files(
    lights: Suite, capsys: pytest.CaptureFixture[str]
) -> None:
    for agent in ("switching", "refusing"):
        lights.run(f"--agent=mine:{agent}", f"--sandbox-results={agent}.jsonl")
    files = ("switching.jsonl", "refusing.jsonl")
    capsys.readouterr()
    assert main(["compare", *files]) == 1
    of_files = capsys.readouterr().out
    result = lights.run(*TWO, "--sandbox-results=two.jsonl", "--junitxml=junit.xml")
    verdict = of_files.partition("\n\n")[0].splitlines()
    assert between(result) == [TITLE, *verdict[1:]]
    assert verdict[1] == "worse: it passes less often than the baseline"
    assert result.ret == pytest.ExitCode.TESTS_FAILED  # since scenarios failed
    capsys.readouterr()
    assert main(["compare", "two.jsonl"]) == 1
    assert capsys.readouterr().out.partition("\n\n")[0].splitlines() == [TITLE, *verdict[1:]]
    main(["compare", "two.jsonl", "--format=json"])
    main(["compare", *files, "--format=json"])
    of_one, _, of_two = capsys.readouterr().out.partition("}\n{")
    (of_arms,), (two,) = (
        json.loads(text)["compared"].values() for text in (f"{of_one}}}", f"{{{of_two}")
    )
    known = {element.get("name"): element.get("value") for element in _properties(lights)}
    name = "toolsandbox.compared.mine:refusing"
    assert (known[name], known[f"{name}.why"]) == (two["verdict"], two["why"])
    assert float(known[f"{name}.drop"] or "") == two["drop"]["found"] == 1.0
    assert (of_arms["verdict"], of_arms["drop"], of_arms["p"]) == (
        two["verdict"],
        two["drop"],
        two["p"],
    )


def _properties(suite: Suite) -> list[ET.Element]:
    return [*ET.parse(suite.path / "junit.xml").iter("property")]


def test_a_verdict_between_agents_fails_no_session(lights: Suite) -> None:
    """With a gate of means, what fails alone is no fault; nor is it that an agent is worse."""
    gate = ("--sandbox-gate=means", "--sandbox-min-score=0.1")
    result = lights.run(*TWO, *gate, "-n", "2")
    assert f"{TITLE}\nworse: " in result.stdout.str()
    assert result.ret == pytest.ExitCode.OK


def test_prompts_are_compared_and_a_baseline_decides_last(lights: Suite) -> None:
    lights.write("obey.txt", "Obey.")
    lights.write("rest.txt", "Rest.")
    prompts = ("--sandbox-prompt=obey.txt", "--sandbox-prompt=rest.txt", "--agent=mine:obeying")
    first = lights.run(*prompts, "--sandbox-results=r.jsonl", "--sandbox-html=r.html")
    assert between(first)[:2] == [
        "[rest] beside [obey]",
        "worse: it passes less often than the baseline",
    ]
    page = lights.path.joinpath("r.html").read_text(encoding="utf-8")
    banner = page.partition('<section class="gate worse"')[2].partition("</section>")[0]
    assert "[rest] beside [obey]: worse</h2>" in banner
    (link,) = set(re.findall(r'href="#(\w+)"[^>]*>light_(?:<wbr>)?0<', banner))
    names = set(re.findall(rf'href="#{link}"[^>]*>(light_0[^<]*)<', page))
    assert names == {"light_0", "light_0[rest]"}  # the item of the arm that is worse
    assert main(["baseline", "add", "r.jsonl"]) == 0
    again = lights.run(*prompts, "--sandbox-baseline=baseline.jsonl")
    lines = between(again)
    assert lines[0] == "[rest] beside [obey]"
    assert [line.partition(":")[0] for line in lines if line[0] != " "][1:] == [
        *("worse", "gate", "baseline")
    ]


def test_one_agent_has_no_verdict_and_lost_items_count(lights: Suite) -> None:
    assert "toolsandbox: verdict" not in lights.run(TWO[0]).stdout.str()
    away = "\n\ndef away(messages, tools):\n    raise TimeoutError('away')\n"
    lights.write("mine.py", AGENTS + away)
    lines = between(lights.run(TWO[0], "--agent=mine:away"))
    assert lines[:2] == [
        "mine:away beside mine:switching",
        "inconclusive: no scenario can be compared",
    ]


def test_parameters_of_fixtures_are_kept_apart_from_variants(lights: Suite) -> None:
    """Their ids come before those of augmentations, and may have dashes."""
    fixture = (
        "import pytest\n\n@pytest.fixture(autouse=True, params=['a-b', 'c'])\ndef room(): pass\n"
    )
    lights.write("conftest.py", lights.path.joinpath("conftest.py").read_text() + fixture)
    augment = "--sandbox-augment=no_distraction_tools"
    lights.run(*TWO, augment, "--sandbox-results=r.jsonl", "-k", "light_0")
    lines = lights.path.joinpath("r.jsonl").read_text(encoding="utf-8").splitlines()
    settings = [json.loads(line)["agent_settings"] for line in lines]
    assert {setting["parameter"] for setting in settings} == {"a-b", "c"}
    assert {setting["label"] for setting in settings} == {"mine:switching", "mine:refusing"}

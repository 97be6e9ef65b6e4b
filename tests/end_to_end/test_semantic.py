"""Meanings: a scenario that asks for them needs an embedder, and says so."""

from __future__ import annotations

import pytest
from desk import LIGHT, Suite, section

MEANING = LIGHT.replace('{mentions: ["on"]}', "{semantic: It is bright now.}")
VECTORS = """
def embed(texts):
    return [[1.0, 0.0] if "lamp" in text or "bright" in text else [0.0, 1.0] for text in texts]
"""
FIXTURE = """
from vectors import embed
@pytest.fixture(scope="session")
def embedder():
    return embed
"""


def test_without_an_embedder_the_item_is_an_error(suite: Suite) -> None:
    suite.write("light.scenario.yaml", MEANING)
    result = suite.run("--agent=oracle")
    result.assert_outcomes(errors=1)
    assert section(result, "ERROR at conversation of light").partition("\n")[0] == (
        "the matcher 'semantic' needs an embedder: define a fixture 'embedder' "
        "in conftest.py, or set the ini option sandbox_embedder (for toolsandbox check, "
        "--embedder) to module:attribute, "
        "provider/model or sentence-transformers/NAME"
    )
    suite.ini("sandbox_embedder = nonsense")
    assert section(suite.run("--agent=oracle"), "ERROR at setup of light") == (
        "sandbox_embedder: 'nonsense' names no embedder; write module:attribute, provider/model "
        "or sentence-transformers/NAME"
    )


@pytest.mark.parametrize("ini", [[], ["sandbox_embedder = vectors:embed"]])
def test_the_fixture_or_the_ini_file_names_an_embedder(suite: Suite, ini: list[str]) -> None:
    suite.write("vectors.py", VECTORS)
    suite.ini(*ini)
    suite.conftest("" if ini else FIXTURE)
    suite.write("light.scenario.yaml", MEANING)
    suite.run_apart("--agent=oracle").assert_outcomes(passed=1)
    suite.run_apart("--agent=counterexample").assert_outcomes(failed=1)


def test_no_embedder_is_made_if_no_scenario_needs_it(light: Suite) -> None:
    light.conftest("@pytest.fixture(scope='session')\ndef embedder():\n    raise AssertionError\n")
    light.run("--agent=oracle").assert_outcomes(passed=1)

"""Meanings: a scenario that asks for them needs an embedder, and says so."""

from __future__ import annotations

from desk import LIGHT, Suite, section

MEANING = LIGHT.replace('{mentions: ["on"]}', "{semantic: It is bright now.}")
VECTORS = """
@pytest.fixture(scope="session")
def embedder():
    def embed(texts):
        return [[1.0, 0.0] if "lamp" in text or "bright" in text else [0.0, 1.0] for text in texts]
    return embed
"""
NEVER = """
@pytest.fixture(scope="session")
def embedder():
    raise AssertionError("no scenario asks for it")
"""


def test_without_an_embedder_the_item_is_an_error(suite: Suite) -> None:
    suite.write("light.scenario.yaml", MEANING)
    result = suite.run("--agent=oracle")
    result.assert_outcomes(errors=1)
    assert section(result, "ERROR at setup of light").partition("\n")[0] == (
        "the matcher 'semantic' needs an embedder: define a fixture 'embedder' "
        "in conftest.py, or set the ini option sandbox_embedder (for toolsandbox check, "
        "--embedder) to module:attribute, "
        "provider/model or sentence-transformers/NAME"
    )


def test_the_fixture_embeds(suite: Suite) -> None:
    suite.conftest(VECTORS)
    suite.write("light.scenario.yaml", MEANING)
    suite.run("--agent=oracle").assert_outcomes(passed=1)
    suite.run("--agent=counterexample").assert_outcomes(failed=1)


def test_the_ini_file_names_one(suite: Suite) -> None:
    suite.write("vectors.py", "def embed(texts): return [[1.0] for text in texts]")
    suite.ini("sandbox_embedder = vectors:embed")
    suite.write("light.scenario.yaml", MEANING)
    suite.run_apart("--agent=oracle").assert_outcomes(passed=1)


def test_one_that_cannot_be_had_is_an_error(suite: Suite) -> None:
    suite.ini("sandbox_embedder = nonsense")
    suite.write("light.scenario.yaml", MEANING)
    result = suite.run("--agent=oracle")
    result.assert_outcomes(errors=1)
    assert section(result, "ERROR at setup of light") == (
        "sandbox_embedder: 'nonsense' names no embedder; write module:attribute, provider/model "
        "or sentence-transformers/NAME"
    )


def test_nobody_else_pays_for_it(suite: Suite) -> None:
    suite.conftest(NEVER)
    suite.write("light.scenario.yaml", LIGHT)
    suite.run("--agent=oracle").assert_outcomes(passed=1)

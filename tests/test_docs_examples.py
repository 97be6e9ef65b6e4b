"""What the documentation shows of the language of scenarios is proved, as by a reader.

A fragment is completed by a frame of ``frames.yaml``: page → heading → what the fragment leaves
out, or a list of that, for the blocks below the heading in their order, with null for one that
stands by itself. A frame says nothing that the fragment says.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml
from jsonschema import Draft202012Validator
from published_tooltalk import EASY, HARD, write_data
from rows import every

from pytest_toolsandbox.__main__ import main
from pytest_toolsandbox.authoring.proof.played_solution import played
from pytest_toolsandbox.authoring.proof.proof import prove
from pytest_toolsandbox.language.mistakes import ScenarioError
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.language.schema import language_schema
from pytest_toolsandbox.language.yaml12 import read_yaml, write_yaml
from pytest_toolsandbox.protocols import read_file
from pytest_toolsandbox.scoring.milestones.evaluate import evaluate
from pytest_toolsandbox.scoring.results import Evaluation
from pytest_toolsandbox.worlds import world as worlds

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
PART = re.compile(
    r"^#+ (?P<heading>[^\n]*)$|^( *)```(?P<language>\w*)\n(?P<text>.*?)^\2```",
    re.MULTILINE | re.DOTALL,
)
OTHER_FILE = re.compile(r"# (?:\.github/|knowledge/|shop/|Recorded by )")
"""How a block begins that is no scenario: with the file that it stands in, or what wrote it."""
WRONG = "# wrong"
"""How one begins that shows mistakes."""
FRAMES = read_yaml((Path(__file__).parent / "frames.yaml").read_bytes(), "frames.yaml")[0]
REMEDY = (
    "tests/frames.yaml completes what stands under {heading!r} in {page}, block {place}: {frame}"
)
PAGES_OF_WORLDS = ("worlds", "user-tools", "live-worlds")
"""The pages whose blocks of a ``conftest.py`` register worlds that examples use."""
CONFTEST = re.compile(r"^```python\n(# conftest\.py\n.*?)^```$", re.MULTILINE | re.DOTALL)
WORLDS = [
    block
    for name in PAGES_OF_WORLDS
    for block in CONFTEST.findall((ROOT / "docs" / f"{name}.md").read_text(encoding="utf-8"))
]


@dataclass(frozen=True)
class Block:
    """A block of YAML: its page, the heading above, and its place among the blocks below that."""

    page: str
    heading: str
    place: int
    text: str

    @property
    def frame(self) -> Mapping[str, Any] | None:
        frames = FRAMES.get(self.page, {}).get(self.heading)
        if isinstance(frames, list):
            return frames[self.place - 1] if self.place <= len(frames) else None
        return frames if self.place == 1 else None

    @property
    def whole(self) -> str:
        """It, with what its frame has."""
        if self.frame is None:
            return self.text
        document = read_yaml(self.text.encode(), "example.yaml")[0]
        return write_yaml(merged(document, self.frame))


def blocks(page: Path) -> Iterator[Block]:
    heading, place = "", 0
    for part in PART.finditer(page.read_text(encoding="utf-8")):
        if part["heading"]:
            heading, place = part["heading"], 0
        elif part["language"] == "yaml":
            place += 1
            yield Block(page.stem, heading, place, part["text"])


def merged(fragment: Any, frame: Any, path: str = "") -> Any:
    """Return a fragment with what only its frame has, at any depth."""
    if fragment is None:
        return frame
    is_open = isinstance(fragment, dict) and isinstance(frame, dict)
    assert is_open, f"{path.strip('.')}: the fragment says it itself"
    both = {
        key: merged(fragment[key], frame[key], f"{path}.{key}") for key in fragment if key in frame
    }
    return {**fragment, **frame, **both}


ALL = [block for page in PAGES for block in blocks(page)]
SCENARIOS = [
    block for block in ALL if not OTHER_FILE.match(block.text) and not block.text.startswith(WRONG)
]
FRAGMENTS = [block for block in SCENARIOS if block.frame is not None]


def ids(block: Block) -> str:
    return f"{block.page}-{block.heading}-{block.place}"


@pytest.fixture(autouse=True)
def _worlds_of_the_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worlds, "_registered", dict(worlds._registered))
    for code in WORLDS:
        exec(compile(code, "conftest.py", "exec"), {"__name__": "conftest"})


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A project with the worlds of the pages, and the office of published data."""
    write_data(tmp_path / "data", EASY, HARD)
    assert main(["import", "tooltalk", str(tmp_path / "data"), str(tmp_path / "project")]) == 0
    conftest = tmp_path / "project" / "conftest.py"
    whole = "\n\n".join((conftest.read_text(), *WORLDS))
    conftest.write_text(whole.replace("from __future__ import annotations\n", ""))
    return conftest.parent


@pytest.mark.parametrize("block", SCENARIOS, ids=ids)
def test_an_example_is_proved(
    block: Block, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = folder / "example.scenario.yaml"
    file.write_text(block.whole, encoding="utf-8")
    capsys.readouterr()
    status = main(["check", "--mutation-score=1", str(file)])
    printed = "".join(capsys.readouterr())
    frame = block.frame or "nothing; write there what it leaves out: world, user, solutions …"
    remedy = REMEDY.format(frame=frame, **vars(block))
    assert (status, printed.splitlines()[-1].rpartition(": ")[2]) == (0, "0 findings"), (
        printed + remedy
    )


@every("block", SCENARIOS, ids)
def test_an_example_is_of_the_schema(block: Block) -> None:
    document = read_yaml(block.whole.encode(), "example.yaml")[0]
    assert list(Draft202012Validator(language_schema()).iter_errors(document)) == []


PLAYED = ("milestones", "state", "guardrails", "protected", "now")
"""Parts that decide over solutions, counterexamples and mutants."""
SAID = ("agrees", "permits", "otherwise", "replies")


def knocked_out(block: Block) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield a completed fragment without each part that the fragment itself has, and which."""
    fragment = read_yaml(block.text.encode(), "example.yaml")[0]
    whole = read_yaml(block.whole.encode(), "example.yaml")[0]
    for key in PLAYED:
        part = fragment.get(key)
        for name in part if key in ("milestones", "state") and part else ():
            yield f"{key}.{name}", {**whole, key: without(whole[key], name)}
        if part and key not in ("milestones", "state"):
            yield key, without(whole, key)
    for key in SAID:
        if key in fragment.get("user", {}):
            yield f"user.{key}", {**whole, "user": without(whole["user"], key)}


def without(mapping: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    return {name: value for name, value in mapping.items() if name != key}


KNOCKED_OUT = [
    pytest.param(document, id=f"{ids(block)}-{part}")
    for block in FRAGMENTS
    for part, document in knocked_out(block)
]


@pytest.mark.parametrize("document", KNOCKED_OUT)
def test_what_a_fragment_shows_decides(document: Mapping[str, Any]) -> None:
    """Without it a solution fails, a counterexample passes or a mutant survives."""
    try:
        scenarios = read_file(write_yaml(document).encode(), "example", "example.yaml")
    except ScenarioError:
        return
    proofs = [prove(scenario) for scenario in scenarios]
    assert any(proof.findings or proof.survivors for proof in proofs)


def hit(scenario: Scenario) -> set[str]:
    """Return the minefields that counterexamples hit."""
    results: list[Evaluation] = [
        evaluate(scenario, played(scenario, steps)) for steps in scenario.counterexamples.values()
    ]
    return {
        minefield.name
        for result in results
        for minefield in result.minefields
        if minefield.similarity > 0
    }


@every("block", [block for block in FRAGMENTS if "\nminefields:" in block.text], ids)
def test_the_minefields_of_a_fragment_are_hit(block: Block) -> None:
    (scenario,) = read_file(block.whole.encode(), "example", "example.yaml")
    assert hit(scenario) >= set(read_yaml(block.text.encode(), "example.yaml")[0]["minefields"])


def test_every_frame_completes_a_block() -> None:
    completed = {(block.page, block.heading): block.place for block in ALL}
    for page, frames in FRAMES.items():
        for heading, frame in frames.items() if page != "shared" else ():
            count = len(frame) if isinstance(frame, list) else 1
            assert completed.get((page, heading), 0) >= count, f"no such block: {page}, {heading}"


def test_a_frame_does_not_speak_for_the_fragment() -> None:
    assert merged({"user": {"opening": "Hi"}}, {"user": {"goal": "x"}}) == {
        "user": {"opening": "Hi", "goal": "x"}
    }
    with pytest.raises(AssertionError, match=r"^user\.opening: the fragment says it itself"):
        merged({"user": {"opening": "Hi"}}, {"user": {"opening": "Hello"}})


@pytest.mark.parametrize("block", [block for block in ALL if block.text.startswith(WRONG)], ids=ids)
def test_what_shows_mistakes_has_them(
    block: Block, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "example.scenario.yaml"
    file.write_text(block.text, encoding="utf-8")
    assert main(["check", str(file)]) == 1
    assert "1 file not read" in capsys.readouterr().out


@every("block", [block for block in ALL if OTHER_FILE.match(block.text)], ids)
def test_other_files_are_yaml(block: Block) -> None:
    assert yaml.safe_load(block.text)


def test_the_small_scenario_is_small_and_its_proof_is_the_real_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = ROOT / "docs" / "writing-scenarios.md"
    (small,) = (block.text for block in blocks(page) if "tells_leo:" in block.text)
    assert len(small.splitlines()) < 30
    file = tmp_path / "two_of_three.scenario.yaml"
    file.write_text(small, encoding="utf-8")
    assert main(["check", str(file)]) == 0
    assert capsys.readouterr().out in page.read_text(encoding="utf-8")

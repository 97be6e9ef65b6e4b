"""Print the example of ``docs/gate.md``: nine nights, and two pull requests beside them.

The agent is the oracle, which gives up by chance: rarely in 7 of 10 scenarios, every other time in
2, mostly in 1. In the second pull request it also gives up in six of ten conversations in which
something must be switched on first. The draws are the same in each run of this script.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

CONFTEST = """
import os
from collections import Counter
from random import Random

import pytest
from pytest_toolsandbox.agents.scripted import oracle

seen = Counter()


def gives_up(name, categories):
    seen[name] += 1
    random = Random(f"{os.environ['DAY']} {name} {seen[name]}")
    kind = Random(name).random()
    share = 0.02 if kind < 0.7 else 0.5 if kind < 0.9 else 0.9
    if os.environ.get("FORGETS") and "state_dependency" in categories:
        share = max(share, 0.6)
    return random.random() < share


@pytest.fixture
def agent(request):
    scenario = request.node.scenario
    solving = oracle(scenario)
    state = {"messages": 1000}

    def played(messages, tools):
        if len(messages) <= state["messages"]:  # another conversation
            state["gives_up"] = gives_up(request.node.nodeid, scenario.categories)
        state["messages"] = len(messages)
        return "I cannot do that." if state["gives_up"] else solving(messages, tools)

    return played
"""
NIGHTS = 9
PYTEST = ("-m", "pytest", "-q", "--tb=no", "-p", "no:cacheprovider", "scenarios")
TOOLSANDBOX = ("-m", "pytest_toolsandbox")


def run(folder: Path, *command: str, **variables: str) -> str:
    """Run a command of Python in ``folder`` and return what it prints."""
    done = subprocess.run(
        [sys.executable, *command],
        cwd=folder,
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout + done.stderr


def shown(output: str) -> str:
    """Return the rounds and the end of a session, without its items and tables."""
    lines = output.splitlines()
    rounds = [line for line in lines if line.startswith("toolsandbox: ")]
    start = lines.index("changes beside the baseline")
    failed = [line for line in lines if line.startswith("FAILED ")]
    left = [line for line in lines[start:] if line not in failed]
    return "\n".join([*rounds, *left])


def main() -> None:
    """Print what ``docs/gate.md`` shows."""
    phone = Path(__file__).resolve().parents[1] / "scenarios" / "phone"
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "conftest.py").write_text(CONFTEST, encoding="utf-8")
        (folder / "scenarios").symlink_to(phone)
        for night in range(NIGHTS):
            results = f"--sandbox-results={night}.jsonl"
            run(folder, *PYTEST, results, DAY=f"night {night}")
            date = f"--date=2025-03-{night + 1:02}"
            print(run(folder, *TOOLSANDBOX, "baseline", "add", f"{night}.jsonl", date), end="")
        for words in (("baseline", "show"), ("gate", "--self-test", "baseline.jsonl")):
            print(f"$ toolsandbox {' '.join(words)}")
            print(run(folder, *TOOLSANDBOX, *words))
        beside = "--sandbox-baseline=baseline.jsonl"
        print("a pull request that changes nothing")
        print(shown(run(folder, *PYTEST, beside, DAY="unchanged")), end="\n\n")
        print("a pull request that forgets")
        print(shown(run(folder, *PYTEST, beside, DAY="shorter prompt", FORGETS="yes")), end="\n\n")
        auto = "--sandbox-trials=auto"
        print(shown(run(folder, *PYTEST, beside, auto, DAY="shorter prompt", FORGETS="yes")))


if __name__ == "__main__":
    main()

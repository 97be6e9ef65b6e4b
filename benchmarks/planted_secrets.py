"""Plants keys in all messages of recorded conversations, and searches the output for them.

An agent of one's own, a user, a tool and a prompt tell twenty keys, of the environment and of the
ini file, each in six encodings; no conversation passes, so that pages tell of them, too. The
exit status is 1 where one of them stands in a file that the run wrote or in what it printed, or
where a replay has other records.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from base64 import b64encode, urlsafe_b64encode
from pathlib import Path
from urllib.parse import quote, quote_plus

SCENARIOS = 300
KEYS = [f"key-{n * 104_729:x}/+ü{n * 7919:x}=~{n}" for n in range(1, 21)]
OWN_WORLD = '''
import json, os, pathlib
from datetime import UTC, datetime
import pytest
from pytest_toolsandbox import *

FORMS = json.loads((pathlib.Path(__file__).parent / ".." / "forms.json").read_text())

@tool("vault")
def look_up(context: Context, text: str) -> str:
    """Look a text up.

    Args:
        text: What to look up.
    """
    number = sum(map(ord, text))
    return " ".join(FORMS[number % 7 :: 7])

register_world(World(name="vault", now=datetime(2025, 3, 14, 16, tzinfo=UTC),
    tables={"lamp": TableSchema({"on": Column(bool)}, single_row=True)},
    toolset=(look_up,), initial=lambda now: {"lamp": [{"on": False}]}))

@pytest.fixture
def agent(request):
    number = int(request.node.name.rpartition("_")[2])
    told = [FORMS[(number * 31 + place * 17) % len(FORMS)] for place in range(40)]
    def reply(messages, tools):
        call = {"name": "look_up", "arguments": json.dumps({"text": " ".join(told[:20])})}
        if messages[-1]["role"] != "tool":
            calls = [{"id": told[0], "type": "function", "function": call}]
            return {"role": "assistant", "content": told[1], "tool_calls": calls}
        return "Found: " + ", ".join(told)
    return reply
'''
SCENARIO = """world: vault
user: {{opening: "Look it up. {told}", replies: [{{when: found, say: "Thanks, {told}"}}]}}
max_messages: 12
milestones:
  looked: {{call: {{look_up: {{text: {{contains: key}}}}}}}}
solutions:
  only: [{{look_up: {{text: it}}}}, {{say: Found}}]
"""


def main() -> int:
    """Record, search, replay, and judge."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    text = "how many conversations are recorded"
    parser.add_argument("--conversations", type=int, default=SCENARIOS, help=text)
    count = parser.parse_args().conversations
    forms = [form for key in KEYS for form in encoded(key)]
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        write(place, count, forms)
        printed = run(place, "new", "recorded.jsonl")
        files = [*sorted((place / "suite").rglob("*.cassette.yaml")), place / "recorded.jsonl"]
        files += [place / "report.html", place / "junit.xml"]
        texts = {str(file.relative_to(place)): file.read_text("utf-8") for file in files}
        texts["terminal"] = printed
        found = [
            f"{file}: {form}" for file, text in texts.items() for form in forms if form in text
        ]
        run(place, "replay", "replayed.jsonl")
        same = records(place / "recorded.jsonl") == records(place / "replayed.jsonl")
    hidden = sum(text.count("***") for text in texts.values())
    size = sum(map(len, texts.values())) / 1e6
    print(
        f"{len(files) - 3} cassettes; {len(texts)} texts of {size:.1f} MB, {hidden} places hidden"
    )
    print(f"{len(forms)} forms of {len(KEYS)} keys were searched for: {len(found)} found")
    print(f"the records of the replay are {'the same' if same else 'others'}")
    print(*found[:10], sep="\n", end="\n" * bool(found))
    return int(bool(found) or not same or len(files) - 3 != count or hidden < count)


def encoded(key: str) -> list[str]:
    """Return a key plain, in two ways for URLs, in two kinds of base64, and in JSON in JSON."""
    data = key.encode()
    base64 = b64encode(data).decode().rstrip("=")
    in_url = urlsafe_b64encode(data).decode().rstrip("=")
    in_json = json.dumps(json.dumps(key))[3:-3]
    return [key, quote(key, safe=""), quote_plus(key), base64, in_url, in_json]


def write(place: Path, count: int, forms: list[str]) -> None:
    """Write the project: its suite, prompt and ini file, and what is planted."""
    suite = place / "suite"
    suite.mkdir()
    (place / "forms.json").write_text(json.dumps(forms))
    (place / "prompt.txt").write_text(f"Be kind. {' '.join(forms)}", "utf-8")
    (suite / "conftest.py").write_text(OWN_WORLD)
    named = "\n".join(f"    {key}" for key in KEYS[-5:])
    (place / "pytest.ini").write_text(f"[pytest]\nsandbox_secrets =\n{named}\n", "utf-8")
    for number in range(count):
        told = forms[number % len(forms)].replace("\\", "\\\\")
        (suite / f"vault_{number}.scenario.yaml").write_text(SCENARIO.format(told=told), "utf-8")


def run(place: Path, mode: str, results: str) -> str:
    """Run pytest with fifteen of the keys in the environment, and return what it printed."""
    keys = {f"PLANTED_{number}_TOKEN": key for number, key in enumerate(KEYS[:-5])}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "suite", "-rA"]
    command += [f"--sandbox-record={mode}", f"--sandbox-results={results}", "--junitxml=junit.xml"]
    command += ["--sandbox-html=report.html", "--sandbox-prompt=prompt.txt"]
    environment = {**os.environ, **keys}
    done = subprocess.run(
        command, check=False, cwd=place, env=environment, capture_output=True, text=True
    )
    if done.returncode > 1:
        raise SystemExit(done.stdout[-2000:] + done.stderr[-2000:])
    return done.stdout + done.stderr


def records(file: Path) -> dict[str, str]:
    """Return the conversations of a file of records, by item."""
    found = map(json.loads, file.open(encoding="utf-8"))
    return {one["id"]: json.dumps([one["messages"], one["scores"]]) for one in found}


if __name__ == "__main__":
    sys.exit(main())

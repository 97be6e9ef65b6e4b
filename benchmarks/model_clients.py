"""Measures what asking a model costs a process: by our own client, and through litellm.

Each client asks in a process of its own, with threads of which each holds a conversation of the
phone suite's tools, a model that answers at once (the server of ``throughput.py``). CPU time of an
import, and of a request beyond it, are that of the process alone; so is its peak memory. Lines are
those that only the client needs. Packages and megabytes are those of an installation with the
client's extra, beyond one without extras.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

from dependencies import core_packages, megabytes, needed_packages

ROOT = Path(__file__).parents[1]
MODELS = ROOT / "pytest_toolsandbox" / "models"
SUITE = ROOT / "scenarios" / "phone" / "single_tool_call"
CALLS = 8


class Client(NamedTuple):
    """A client: what stands before the name of a model, its package, and its modules."""

    prefix: str
    package: str
    modules: tuple[str, ...]


CLIENTS = {
    "our own": Client(
        "",
        "httpx",
        ("chat_client", "http_posts", "providers", "anthropic_messages", "openai_responses"),
    ),
    "litellm": Client("litellm/", "litellm", ("litellm_client", "native_replies")),
}


def main() -> None:
    """Measure each client and print a table in Markdown."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--conversations", type=int, default=64, help="of 8 requests each")
    parser.add_argument("--threads", type=int, default=16)
    parser.add_argument("--ask", help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.ask is not None:
        print(*_used_by(chosen.ask, chosen.conversations, chosen.threads))
        return
    print("| | import, CPU | a request, CPU | peak | more packages | more MB | our lines |")
    print("|---|---|---|---|---|---|---|")
    for name, client in CLIENTS.items():
        print(f"| {name} | {' | '.join(_row(client, chosen))} |", flush=True)


def _row(client: Client, chosen: argparse.Namespace) -> tuple[str, ...]:
    imported, asked, peak = _measured(client.prefix, chosen)
    packages = needed_packages(client.package) - core_packages()
    texts = ((MODELS / f"{module}.py").read_text() for module in client.modules)
    lines = sum(text.count("\n") for text in texts)
    return (
        f"{imported:.0f} ms",
        f"{asked:.2f} ms",
        f"{peak:.0f} MB",
        f"{len(packages)}",
        f"{megabytes(packages):.1f}",
        f"{lines}",
    )


def _measured(prefix: str, chosen: argparse.Namespace) -> tuple[float, ...]:
    """Return milliseconds of an import and of a request, and megabytes, of a process of its own."""
    server = [sys.executable, str(ROOT / "benchmarks" / "throughput.py"), "--serve", str(CALLS)]
    counts = ["--conversations", str(chosen.conversations), "--threads", str(chosen.threads)]
    with subprocess.Popen([*server, "0"], stdout=subprocess.PIPE, text=True) as serving:
        assert serving.stdout is not None
        url = f"http://127.0.0.1:{serving.stdout.readline().strip()}/v1"
        variables = {"OPENAI_BASE_URL": url, "OPENAI_API_KEY": "none", "NO_PROXY": "127.0.0.1"}
        try:
            printed = subprocess.check_output(
                [sys.executable, __file__, "--ask", prefix, *counts],
                env={**os.environ, **variables},
                text=True,
            )
        finally:
            serving.terminate()
    return tuple(map(float, printed.split()))


def _used_by(prefix: str, conversations: int, threads: int) -> tuple[float, float, float]:
    from pytest_toolsandbox import ModelAgent, load_file
    from pytest_toolsandbox.models.model_agent import load_client

    file = next(path for path in sorted(SUITE.rglob("*.yaml")) if "scenario" in path.name)
    tools: list[dict[str, Any]] = load_file(file)[0].tool_schemas
    agent = ModelAgent(f"{prefix}openai/stub")

    def hold(calls: int) -> None:
        messages: list[dict[str, Any]] = [{"role": "user", "content": "Wait for me."}]
        for _ in range(calls):
            reply = agent(messages, tools)
            results = [
                {"role": "tool", "tool_call_id": call["id"], "content": "1"}
                for call in reply.get("tool_calls", ())
            ]
            messages += [reply, *results]

    began = time.process_time()
    load_client(agent.model)
    hold(1)  # what is imported and made with the first request
    imported = time.process_time() - began
    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(hold, [CALLS] * conversations))
    asked = time.process_time() - began - imported
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return imported * 1000, asked * 1000 / (conversations * CALLS), peak


if __name__ == "__main__":
    main()

"""The hostile server for tests: its commands, and one that listens on a port."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pytest_toolsandbox.worlds.live.mcp.client import McpClient
from pytest_toolsandbox.worlds.live.mcp.http import HttpChannel
from pytest_toolsandbox.worlds.live.mcp.stdio import StdioChannel

SERVER = str(Path(__file__).with_name("hostile_server.py"))


def command(*habits: str) -> list[str]:
    return [sys.executable, "-IS", SERVER, "stdio", *habits]


def stdio_client(*habits: str) -> McpClient:
    return McpClient(StdioChannel(command(*habits), os.environ, "shop"), "shop")


def http_client(url: str, **headers: str) -> McpClient:
    return McpClient(HttpChannel(url, headers, "shop"), "shop")


@contextmanager
def listening(*habits: str) -> Iterator[str]:
    """Start a server, and yield its address."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "port")
        words = [sys.executable, "-IS", SERVER, "http", str(file), *habits]
        with subprocess.Popen(words) as process:
            try:
                end = time.monotonic() + 60
                while not file.exists() and time.monotonic() < end:
                    time.sleep(0.01)
                yield f"http://127.0.0.1:{file.read_text()}/mcp"
            finally:
                process.kill()

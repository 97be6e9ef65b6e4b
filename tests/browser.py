"""A real browser without a window, driven through its DevTools over pipes: no package is needed."""

from __future__ import annotations

import base64
import contextlib
import fcntl
import itertools
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FLAGS = (
    *("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"),
    *("--no-first-run", "--disable-extensions", "--disable-background-networking"),
    *("--remote-debugging-pipe", "--hide-scrollbars", "--window-size=1300,900"),
)
PATIENCE = 120.0
"""Seconds for an answer: machines that run tests on all cores are slow."""

MOVE = (
    "import os, sys; os.dup2({}, 3); os.dup2({}, 4); "
    "os.set_inheritable(3, True); os.set_inheritable(4, True); os.execv(sys.argv[1], sys.argv[1:])"
)
"""A browser that is driven over pipes reads from 3 and writes to 4."""


class Browser:
    """A page of a browser. What goes wrong in it is in ``problems``, requests in ``requested``."""

    def __init__(self, write: int, answers: BinaryIO) -> None:
        self._write = write
        self._answers = answers
        self._numbers = itertools.count(1)
        self._session: str | None = None
        self.problems: list[str] = []
        self.requested: list[str] = []
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.send("Target.attachToTarget", targetId=target, flatten=True)[
            "sessionId"
        ]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.send(f"{domain}.enable")

    def send(self, method: str, **values: Any) -> dict[str, Any]:
        """Send a command and return what comes of it. Raises ``AssertionError`` for an error."""
        number = next(self._numbers)
        message = {"id": number, "method": method, "params": values}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._write, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._next()
            if answer.get("id") == number:
                assert "error" not in answer, answer
                result: dict[str, Any] = answer["result"]
                return result

    def _next(self) -> dict[str, Any]:
        text = bytearray()
        while (letter := self._answers.read(1)) != b"\0":
            assert letter, "the browser has ended"
            text += letter
        message: dict[str, Any] = json.loads(text)
        about = message.get("params", {})
        match message.get("method"):
            case "Runtime.exceptionThrown":
                self.problems.append(json.dumps(about["exceptionDetails"]))
            case "Log.entryAdded" if about["entry"]["level"] in ("error", "warning"):
                self.problems.append(about["entry"]["text"])
            case "Runtime.consoleAPICalled" if about["type"] in ("error", "warning", "assert"):
                self.problems.append(str(about["args"]))
            case "Network.requestWillBeSent":
                self.requested.append(about["request"]["url"])
        return message

    def open(self, address: str) -> None:
        """Open an address, and wait until it is there."""
        self.send("Page.navigate", url="about:blank")
        self.send("Page.navigate", url=address)
        file = json.dumps(address.partition("#")[0])
        self.wait(f"location.href.split('#')[0] === {file}")
        self.wait("document.readyState === 'complete'")

    def value(self, expression: str) -> Any:
        """Return the JSON value of an expression of JavaScript; a promise is waited for."""
        reply = self.send(
            "Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True
        )
        assert "exceptionDetails" not in reply, reply
        return reply["result"].get("value")

    def wait(self, expression: str) -> None:
        """Wait until an expression holds."""
        end = time.monotonic() + PATIENCE
        while not self.value(f"Boolean({expression})"):
            assert time.monotonic() < end, f"not in time: {expression}"

    def press(self, key: str, text: str = "") -> None:
        """Press a key and let it go."""
        codes = {"Tab": 9, "Enter": 13, "Escape": 27}
        code = codes.get(key, ord(key.upper()[0]))
        about: dict[str, Any] = {"key": key, "windowsVirtualKeyCode": code}
        typed = {"Enter": "\r"}.get(key, text)
        self.send("Input.dispatchKeyEvent", type="keyDown", text=typed, **about)
        self.send("Input.dispatchKeyEvent", type="keyUp", **about)

    def type(self, text: str) -> None:
        """Type a text where the focus is."""
        self.send("Input.insertText", text=text)

    def without_scripts(self) -> None:
        """Run no script of pages that are opened from now on."""
        self.send("Emulation.setScriptExecutionDisabled", value=True)

    def picture(self, file: Path) -> None:
        """Write what is to be seen as a PNG."""
        shot = self.send("Page.captureScreenshot", format="png")
        file.write_bytes(base64.b64decode(shot["data"]))

    def pdf(self) -> bytes:
        """Return what would be printed."""
        return base64.b64decode(self.send("Page.printToPDF", printBackground=True)["data"])


def program() -> str | None:
    """Return where a browser lies that can be driven, if there is one."""
    return next(filter(None, map(shutil.which, NAMES)), None)


@contextlib.contextmanager
def browser() -> Iterator[Browser]:
    """Start a browser, and end it."""
    to_read, write = os.pipe()
    read, to_write = os.pipe()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        ends = [fcntl.fcntl(stream, fcntl.F_DUPFD, 10) for stream in (to_read, to_write)]
        code = MOVE.format(*ends)
        start = [sys.executable, "-S", "-c", code, program() or ""]
        command = [*start, *FLAGS, f"--user-data-dir={profile}"]
        process = subprocess.Popen(
            command,
            pass_fds=ends,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        for stream in (to_read, to_write, *ends):
            os.close(stream)
        try:
            with os.fdopen(read, "rb") as answers:
                yield Browser(write, answers)
        finally:
            os.close(write)
            process.terminate()
            process.wait(PATIENCE)

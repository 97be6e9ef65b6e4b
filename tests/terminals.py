"""Somebody at a terminal, for tests: a program runs on a pseudo-terminal and is typed to."""

from __future__ import annotations

import os
import re
import select
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from warm import COLD

_ATTACH = "import os, sys; os.open(sys.argv[1], os.O_RDWR); os.execv(sys.executable, sys.argv[2:])"
"""A leader of a session that opens a terminal has it as its own."""
PATIENCE = 300.0
_CONTROLS = re.compile(r"\x1b\[[?\d;]*[a-zA-Z]|[\r\a]")


@dataclass
class Person:
    """Types to a program, ``(what is waited for, what is typed then)`` each, and sees ``seen``."""

    lines: Sequence[tuple[str, str]]
    seen: str = ""
    output: str = ""

    def run(self, folder: Path, *command: str, environment: Mapping[str, str] | None = None) -> int:
        """Run a Python command to its end; its standard output goes to a pipe."""
        ours, theirs = os.openpty()
        attach = [COLD, "-IS", "-c", _ATTACH, os.ttyname(theirs), COLD, *command]
        with subprocess.Popen(
            attach,
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        ) as program:
            try:
                for awaited, typed in self.lines:
                    self._wait(ours, awaited)
                    os.write(ours, typed.encode())
                os.close(theirs)
                output, _ = program.communicate(timeout=PATIENCE)
            finally:
                program.kill()
                os.close(ours)
        self.output = output.decode()
        return program.returncode

    def _wait(self, terminal: int, awaited: str) -> None:
        """Read until something stands on the terminal that was not there before."""
        begin, end = len(self.seen), time.monotonic() + PATIENCE
        while awaited not in self.seen[begin:]:
            ready, _, _ = select.select([terminal], [], [], max(0.0, end - time.monotonic()))
            assert ready, f"{awaited!r} is not in {self.seen[begin:]!r}"
            self.seen += _CONTROLS.sub("", os.read(terminal, 4096).decode(errors="replace"))

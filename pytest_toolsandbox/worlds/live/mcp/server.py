"""MCP servers as settings name them: programs to be started, or addresses."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Final

from pytest_toolsandbox.text.redaction import is_secret_name, redacted
from pytest_toolsandbox.text.shells import join_command
from pytest_toolsandbox.worlds.context import WorldError
from pytest_toolsandbox.worlds.live.placeholders import (
    CONVERSATION,
    FOLDER,
    filled,
    filled_headers,
    isolates,
    new_conversation,
)

from .channel import ChannelError
from .client import McpClient
from .http import HttpChannel
from .stdio import StdioChannel

_PASSED: Final = (
    *("PATH", "HOME", "USER", "LOGNAME", "SHELL", "TERM", "LANG", "LC_ALL", "LC_CTYPE", "TMPDIR"),
    *("SSL_CERT_FILE", "NODE_EXTRA_CA_CERTS", "HTTPS_PROXY", "https_proxy", "NO_PROXY", "no_proxy"),
    *("SYSTEMROOT", "PATHEXT", "APPDATA", "LOCALAPPDATA", "USERPROFILE", "TEMP", "TMP"),
)
"""Variables that programs need, and that are not secret."""
_PYTHON: Final = ("python", "python3")
"""Names of the Python that runs the tests, which need not be the first one on the PATH."""


@dataclass(frozen=True)
class McpServer:
    """How a server is started, or where it listens.

    ``here`` is the folder in which a program is started. It gets a copy of ``folder``, if that is
    set, and the variables of ``env``, whose values may have placeholders.
    """

    world: str
    here: Path
    command: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict)
    folder: str = ""
    url: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)

    @property
    def address(self) -> str:
        """What tells the server from others: its command or its URL, as the settings have it."""
        return redacted(self.url or join_command(self.command))

    @property
    def is_shared(self) -> bool:
        """Whether all conversations have the same state."""
        return bool(self.url) and not isolates([self.url, *self.headers.values()])

    @property
    def texts(self) -> tuple[str, ...]:
        """The texts that may have placeholders."""
        return (*self.command, *self.env.values(), self.url, *self.headers.values())

    def check(self) -> None:
        """Raise :class:`WorldError` for settings that do not go together."""
        start = f"the world {self.world!r}:"
        if bool(self.command) == bool(self.url):
            raise WorldError(f"{start} an MCP server has either command or url")
        if self.url and (self.env or self.folder):
            raise WorldError(f"{start} env and folder are for a command, and not for a url")
        if self.command and self.headers:
            raise WorldError(f"{start} headers are for a url, and not for a command")
        for name, value in self.env.items():
            if is_secret_name(name) and "${" not in value:
                remedy = f"write ${{{name}}}, which is a variable of yours"
                raise WorldError(f"{start} env has a value for {name}, which is a secret; {remedy}")

    def begun(self) -> McpClient:
        """Return a client with a new session, of a new server if it is a program.

        Raises :class:`WorldError`.
        """
        try:
            channel = self._http() if self.url else self._stdio()
        except (ChannelError, WorldError) as error:
            raise WorldError(f"MCP server {self.world}: {error}") from None
        client = McpClient(channel, self.world)
        client.start()
        return client

    def _http(self) -> HttpChannel:
        conversation = new_conversation()
        headers = filled_headers(self.headers, conversation)
        url = filled(self.url, {CONVERSATION: conversation})
        return HttpChannel(url, headers, self.world)

    def _stdio(self) -> StdioChannel:
        copied = self._copied() if self.folder else None
        end = partial(_remove, copied)
        values = {FOLDER: str(copied)} if copied else {}
        try:
            passed = {name: os.environ[name] for name in _PASSED if name in os.environ}
            environment = {name: filled(text, values) for name, text in self.env.items()}
            first, *arguments = [filled(word, values) for word in self.command]
        except WorldError:
            end()
            raise
        words = [sys.executable if first in _PYTHON else first, *arguments]
        return StdioChannel(words, {**passed, **environment}, self.world, self.here, end)

    def _copied(self) -> Path:
        """Return a new copy of the folder. Raises :class:`WorldError`."""
        copied = Path(tempfile.mkdtemp(prefix="toolsandbox-"))
        try:
            shutil.copytree(self.here / self.folder, copied, dirs_exist_ok=True)
        except (OSError, shutil.Error) as error:
            shutil.rmtree(copied, ignore_errors=True)
            raise WorldError(f"the folder {self.folder!r} cannot be copied: {error}") from None
        return copied


def _remove(folder: Path | None) -> None:
    if folder is not None:
        shutil.rmtree(folder, ignore_errors=True)

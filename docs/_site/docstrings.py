"""Writes the roles of docstrings, as in ``:class:`~a.b.Name```, as code, which Markdown knows."""

from __future__ import annotations

import re
from typing import Any

import griffe

_ROLE = re.compile(r":(?:class|data|exc|func|meth|mod):`(?:~[\w.]*\.)?([\w.]+)`")


class Roles(griffe.Extension):
    """Changes docstrings as they are read."""

    def on_instance(self, *, obj: griffe.Object, **_: Any) -> None:
        """Change the docstring of a module, class, function or attribute."""
        if obj.docstring:
            obj.docstring.value = _ROLE.sub(r"`\1`", obj.docstring.value)

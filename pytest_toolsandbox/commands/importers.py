"""``toolsandbox import``: turn published data into scenario files."""

from __future__ import annotations

import os
from pathlib import Path

from pytest_toolsandbox.authoring.tooltalk_import import (
    CATEGORY_OF_FOLDER,
    DATABASES,
    WORLD,
    read_published,
)
from pytest_toolsandbox.protocols import read_file
from pytest_toolsandbox.text.formatting import pluralize
from pytest_toolsandbox.text.shells import join_command
from pytest_toolsandbox.worlds.context import WorldError

from .init import write_new
from .parsing import CommandError


def import_tooltalk(data: Path, out: Path) -> int:
    """Write the scenarios of the data set in ``data`` below ``out``: all of them, or none.

    ``data`` has the folders ``easy`` and ``tooltalk``, or one of them, and ``databases``. The
    published repository, which has these in a folder ``data``, is accepted as well.
    """
    if not (data / DATABASES).exists() and (data / "data" / DATABASES).exists():
        data /= "data"
    _check_new(out)
    imported = read_published(data, read_file)
    if imported.damage:
        read = pluralize(imported.read, "conversation")
        files = f": {imported.damaged} of {read} cannot be read" if imported.damaged else ""
        raise CommandError("\n".join([*imported.damage, f"nothing was written{files}"]))
    write_new({out / name: content for name, content in imported.files.items()})
    for category in CATEGORY_OF_FOLDER.values():
        if count := sum(name.startswith(f"{category}/") for name in imported.files):
            print(f"wrote {pluralize(count, 'scenario')}: {out / category}")
    print(f"wrote the world {WORLD}: {out / 'conftest.py'}, {out / DATABASES}")
    print(f"next: pytest --agent=oracle {join_command([str(out)])}")
    return 0


def import_bfcl(data: Path, out: Path) -> int:
    """Write the scenarios of BFCL's multi-turn categories below ``out``: all of them, or none.

    ``data`` is a checkout of the repository, the installed package, or the folder of the data in
    one of them.
    """
    from pytest_toolsandbox.authoring.bfcl import scenarios, world

    _check_new(out)
    try:
        imported = scenarios.read_published(data, read_file)
    except WorldError as error:
        raise CommandError(str(error)) from None
    if imported.damage:
        raise CommandError("\n".join([*imported.damage, "nothing was written"]))
    write_new({out / name: content for name, content in imported.files.items()})
    for category, count in imported.counts.items():
        print(f"wrote {pluralize(count, 'scenario')}: {out / category}")
    print(f"wrote the world {world.WORLD}: {out / 'conftest.py'}, {out / scenarios.TOOLS}")
    disputed = f"the ground truth of {imported.disputed} is disputed"
    print(f"{disputed}: -m 'not {scenarios.KNOWN_FAULT}' leaves them out")
    print(f"next: pytest --agent=oracle {join_command([str(out)])}")
    return 0


def import_tau2(data: Path, out: Path) -> int:
    """Write the scenarios of tau2-bench's domains below ``out``.

    ``data`` is a checkout of the repository, or its folder of data. Tasks that cannot be scenarios
    are listed with the reason.
    """
    from pytest_toolsandbox.authoring.tau2 import scenarios, world

    _check_new(out)
    try:
        imported = scenarios.read_published(data, read_file)
    except WorldError as error:
        raise CommandError(str(error)) from None
    if imported.damage:
        raise CommandError("\n".join([*imported.damage, "nothing was written"]))
    write_new({out / name: content for name, content in imported.files.items()})
    for domain in world.DOMAINS:
        if count := sum(of_domain == domain for of_domain, _ in imported.tasks):
            print(f"wrote {pluralize(count, 'scenario')}: {out / domain}")
    print(f"wrote the worlds: {out / 'conftest.py'}")
    for line in imported.left_out:
        print(f"left out: {line}")
    judged = f"a judge decides a part of {imported.need_judge}"
    print(f"{judged}: -m 'not {scenarios.NEEDS_JUDGE}' leaves them out")
    print(f"next: pytest --agent=oracle {join_command([str(out)])}")
    return 0


def _check_new(out: Path) -> None:
    """Raise ``CommandError`` unless a folder is new or empty."""
    if os.path.lexists(out) and not (out.is_dir() and not any(out.iterdir())):
        problem = "not empty" if out.is_dir() else "not a folder"
        text = f"{out} already exists, and is {problem}\nnothing was written; name another folder"
        raise CommandError(text)

"""``toolsandbox compare``: runs beside a baseline or an earlier run, from what was recorded."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from pytest_toolsandbox.gate.comparing import IncomparableError, pair
from pytest_toolsandbox.gate.plan import concluded
from pytest_toolsandbox.gate.samples import Sample, without_runs
from pytest_toolsandbox.gate.verdict import Verdict
from pytest_toolsandbox.reporting.comparison import estimate_parts
from pytest_toolsandbox.reporting.comparison_json import comparison_json
from pytest_toolsandbox.reporting.comparison_text import comparison_markdown, comparison_text
from pytest_toolsandbox.reporting.verdict_lines import part_lines

from . import CommandError
from .baseline import read_sample

Format = Literal["text", "markdown", "json"]


def compare(  # noqa: PLR0913  # one for each option of the command
    files: Sequence[Path],
    form: Format,
    margin: float | None,
    limit: int,
    inconclusive: Literal["fail", "pass"] = "pass",
    *,
    common: bool,
) -> int:
    """Print what the later files say beside the first one.

    Return 1 where one is worse or has nothing to be compared, and where it is ``inconclusive``, if
    that is to fail.
    """
    if len(files) == 1:
        parts = (part_lines(part, 1000) for part in estimate_parts(read_sample(files[0])))
        print("\n\n".join("\n".join(lines) for lines in parts))
        return 0
    first, *others = ((str(file), read_sample(file)) for file in files)
    verdicts = {name: _verdict(first, (name, other), margin, common) for name, other in others}
    if form == "json":
        found = {name: comparison_json(one) for name, one in verdicts.items()}
        print(json.dumps({"baseline": first[0], "compared": found}, indent=2, ensure_ascii=False))
    elif form == "markdown":
        print(comparison_markdown(first[0], verdicts, limit))
    else:
        print("\n\n".join(comparison_text(first[0], name, v) for name, v in verdicts.items()))
    bad = {"worse"} | ({"inconclusive"} if inconclusive == "fail" else set())
    return int(any(one.kind in bad or one.compares_nothing for one in verdicts.values()))


def _verdict(
    first: tuple[str, Sample], other: tuple[str, Sample], margin: float | None, common: bool
) -> Verdict:
    # A run that has joined the baseline since is no sample beside itself.
    before = without_runs(first[1], {run.key for run in other[1].runs})
    expected = [] if common else sorted(before.scenarios)
    try:
        return concluded(pair(before, other[1], expected), margin)
    except IncomparableError as error:
        text = f"{other[0]} cannot be compared with {first[0]}, which was played otherwise: {error}"
        raise CommandError(text) from None

"""``toolsandbox compare`` and ``gate --self-test``: what the gate says of recorded trials.

Also the table of ``toolsandbox stats --quarantine``: which scenarios may leave quarantine.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

from pytest_toolsandbox.text.formatting import pluralize

from . import CommandError
from .support.registration import MARGIN, argument, command

if TYPE_CHECKING:
    from pytest_toolsandbox.gate.samples import Sample
    from pytest_toolsandbox.gate.verdict import Verdict

_CONFIDENCE: Final = 0.95


@command(
    "compare",
    "compare later runs with the first: worse, no worse, better, and where",
    argument(
        "files FILE",
        "baselines, or what --sandbox-results wrote; others are compared with the first",
        nargs="+",
        type=Path,
    ),
    argument(
        "--format",
        "how it is written",
        dest="form",
        choices=("text", "markdown", "json"),
        default="text",
    ),
    MARGIN,
    argument("--limit N", "characters of Markdown (default: 65536)", type=int, default=65_536),
    argument(
        "--common", "leave out scenarios that are not in all files; otherwise they count as missing"
    ),
    argument(
        "--inconclusive",
        "the exit status if there are too few trials to tell (default: pass)",
        choices=("fail", "pass"),
        default="pass",
    ),
)
def compare(  # noqa: PLR0913  # one for each option of the command
    files: Sequence[Path],
    form: Literal["text", "markdown", "json"],
    margin: float | None,
    limit: int,
    inconclusive: Literal["fail", "pass"],
    *,
    common: bool,
) -> int:
    """Compare the later files with the first one; describe a single file.

    Return 1 if a run is worse, or has nothing that can be compared, or is ``inconclusive`` and that
    is to fail.
    """
    from pytest_toolsandbox.output.comparison_forms import (
        comparison_json,
        comparison_markdown,
        comparison_text,
    )
    from pytest_toolsandbox.output.comparison_tables import estimate_tables
    from pytest_toolsandbox.output.tables import table_lines

    from .support.stored_samples import stored_sample

    if len(files) == 1:
        tables = (table_lines(table, 1000) for table in estimate_tables(stored_sample(files[0])))
        print("\n\n".join("\n".join(lines) for lines in tables))
        return 0
    first, *others = ((str(file), stored_sample(file)) for file in files)
    verdicts = {name: _verdict(first, (name, other), margin, common) for name, other in others}
    if form == "json":
        compared = {name: comparison_json(verdict) for name, verdict in verdicts.items()}
        value: Any = {"baseline": first[0], "compared": compared}
        print(json.dumps(value, indent=2, ensure_ascii=False))
    elif form == "markdown":
        print(comparison_markdown(first[0], verdicts, limit))
    else:
        print("\n\n".join(comparison_text(first[0], name, v) for name, v in verdicts.items()))
    bad = {"worse"} | ({"inconclusive"} if inconclusive == "fail" else set())
    return int(any(one.kind in bad or one.compares_nothing for one in verdicts.values()))


def _verdict(
    first: tuple[str, Sample], other: tuple[str, Sample], margin: float | None, common: bool
) -> Verdict:
    from pytest_toolsandbox.gate.pairing import IncomparableError, pair
    from pytest_toolsandbox.gate.samples import without_runs
    from pytest_toolsandbox.gate.verdict import concluded

    # A run that has joined the baseline since would be compared with itself.
    before = without_runs(first[1], {run.key for run in other[1].runs})
    expected = [] if common else sorted(before.scenarios)
    try:
        return concluded(pair(before, other[1], expected), margin)
    except IncomparableError as error:
        text = f"{other[0]} cannot be compared with {first[0]}, which was played otherwise: {error}"
        raise CommandError(text) from None


@command(
    "gate",
    "try the gate on trials of your own, between which nothing changed",
    argument(
        "--self-test FILE",
        "split the trials of these records or baselines at random, a thousand times",
        dest="files",
        nargs="+",
        type=Path,
        required=True,
    ),
    MARGIN,
)
def print_self_test(files: Sequence[Path], margin: float | None) -> int:
    """Print how often the gate is wrong on these trials, and which drop it would detect."""
    from pytest_toolsandbox.gate.baseline import merged
    from pytest_toolsandbox.gate.self_test import DRAWS, self_test
    from pytest_toolsandbox.output.tables import aligned

    from .support.stored_samples import stored_sample

    sample = merged(stored_sample(file) for file in dict.fromkeys(files))
    try:
        test = self_test(sample, margin)
    except ValueError as error:
        remedy = "play with more trials, or name several runs or a baseline"
        raise CommandError(f"{', '.join(map(str, files))}: {error}; {remedy}") from None
    scenarios = pluralize(test.scenarios, "scenario")
    print(f"{DRAWS} times the trials of {scenarios} in two random halves; nothing changed")
    print("  " + ", ".join(f"{kind} {share:.1%}" for kind, share in test.shares.items()))
    print("the drop that is told worse in 4 of 5 runs, with these trials as the baseline")
    drops = ["n/a" if drop is None else f"{drop:.3f}" for drop in test.seen.values()]
    rows = [("trials of each scenario", *map(str, test.seen)), ("drop", *drops)]
    print(*(f"  {line}" for line in aligned(rows)), sep="\n")
    return 0


def print_quarantine(files: Sequence[Path], passes: int) -> int:
    """Print how scenarios in quarantine did, from files of records; return 1 for unusable lines."""
    from pytest_toolsandbox.output.quarantine import QuarantineRecord, quarantine_table, quarantined
    from pytest_toolsandbox.records.reading import StoredError, usable_records

    records, unusable = [], []
    try:
        for file in dict.fromkeys(files):
            added, text = usable_records(file, QuarantineRecord)
            records += added
            unusable += [text] if text else []
    except StoredError as error:
        raise CommandError(str(error)) from None
    if items := quarantined(records):
        # More failures would have shown at least one failure, in that share of samples.
        share = 1 - (1 - _CONFIDENCE) ** (1 / passes)
        what = f"{passes} passes in a row" if passes > 1 else "a pass"
        print(*quarantine_table(items, passes), "", sep="\n")
        print(f"{what}: at most {share:.0%} of the conversations fail, with 95 % confidence")
    else:
        print("no scenario of these records is in quarantine")
    print(*unusable, sep="\n", end="\n" if unusable else "")
    return 1 if unusable else 0

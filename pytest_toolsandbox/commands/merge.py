"""``toolsandbox merge``: the records of the shards of a run, as one run writes them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from pytest_toolsandbox.records.merging import Merged, MergeError, merge
from pytest_toolsandbox.records.reading import StoredError
from pytest_toolsandbox.records.writing import as_line
from pytest_toolsandbox.wording.phrases import counted
from pytest_toolsandbox.wording.whole_files import why_not_writable

from . import CommandError
from .output_files import write_output


def merge_records(files: Sequence[Path], out: Path) -> int:
    """Write the records of all files to one; return 1 where it is not whole."""
    if reason := why_not_writable(out):
        raise CommandError(f"cannot write to {out}: {reason}")
    if out.exists() and out.stat().st_size:
        raise CommandError(f"{out} is there and not empty; name another file")
    try:
        merged = merge(dict.fromkeys(files))
    except (MergeError, StoredError) as error:
        raise CommandError(str(error)) from None
    text = "".join(f"{as_line(record)}\n" for record in merged.records)
    write_output(out, text)
    print(_summary(merged, out), *merged.lacks, *merged.unusable, sep="\n")
    return 1 if merged.lacks or merged.unusable else 0


def _summary(merged: Merged, out: Path) -> str:
    items = counted(len({record["id"] for record in merged.records}), "scenario")
    outcomes = Counter(record["outcome"] for record in merged.records)
    told = ", ".join(f"{count} {outcome}" for outcome, count in sorted(outcomes.items()))
    return f"{out}: {counted(len(merged.records), 'record')} of {items}: {told}"

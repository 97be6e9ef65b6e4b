"""``toolsandbox report``: an HTML page of the records of one run or several."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from pytest_toolsandbox.reporting.html.report import HtmlReport
from pytest_toolsandbox.wording.phrases import counted

from .output_files import check_output, write_output
from .stored_runs import holding_together, stored_runs


def write_report(files: Sequence[Path], out: Path) -> int:
    """Write the page; return 1 for lines that cannot be used, which the page names too."""
    check_output(out, files)
    runs = stored_runs(files)
    told = [(text, run.path) for run in runs for text in (run.not_run, run.unusable) if text]
    # The page goes to others, whom the folders of this machine are nothing to.
    report = HtmlReport(remarks=[text.replace(str(path), path.name) for text, path in told])
    count = 0
    for run in runs:
        for line in run.lines:
            with run.whole(line):
                report.add(line.record, run.name)
            count += 1
    with holding_together(*files):
        text = report.text()
    write_output(out, text)
    print(f"{out}: {counted(count, 'record')}", *(text for text, _ in told), sep="\n")
    return 1 if any(run.unusable for run in runs) else 0

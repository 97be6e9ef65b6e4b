"""``python -m tests.conformance FILE``: one line per case that differs, and how many agree."""

from __future__ import annotations

import sys
from pathlib import Path

from .agreement import differences, read_file


def main(arguments: list[str]) -> int:
    """Compare every case of a file; 0 if all of them agree."""
    if len(arguments) != 1:
        sys.stderr.write("usage: python -m tests.conformance FILE\n")
        return 2
    cases = read_file(Path(arguments[0]))
    agreeing = 0
    for case in cases:
        found = list(differences(case))
        if found:
            sys.stdout.write(f"case {case['id']}: {'; '.join(found)}\n")
        agreeing += not found
    sys.stdout.write(f"agree {agreeing} of {len(cases)}\n")
    return 0 if agreeing == len(cases) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

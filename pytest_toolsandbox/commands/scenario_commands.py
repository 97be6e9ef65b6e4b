"""The commands for scenarios and agents: what they are, with their arguments and their help.

Each function imports what does the work of its command.
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from pathlib import Path
from typing import Final

from .parsing import (
    ASKING,
    PATHS,
    Group,
    Work,
    argument,
    command,
    count,
    seed,
    share_of_one,
)


def _pulling() -> AbstractContextManager[object]:
    from pytest_toolsandbox.worlds.live.kept_file import pulling

    return pulling()


_WORLDS: Final = Group("worlds", "keep what scenarios need to know of servers", "WHAT")


_MUTATION_SCORE: Final = argument(
    "--mutation-score SHARE",
    "the share of mutants, from 0 to 1, that must be killed (default: 0.95)",
    type=share_of_one,
    default=0.95,
)


@command(
    "init",
    "write a first scenario, an agent and a workflow",
    argument("folder DIR", "default: here", nargs="?", type=Path, default=Path()),
    argument("--ci", "write a workflow that says on GitHub whether a change makes the agent worse"),
    argument("--agent AGENT", "your agent, as --agent of pytest; the ini file will name it"),
    argument(
        "--world",
        "what the world is made of: tables, a class, a database, a server (default: tables)",
        choices=("tables", "object", "sqlite", "mcp"),
    ),
    argument(
        "--inconclusive",
        "what --ci makes of a pull request with too few trials for a verdict (default: warn)",
        choices=("fail", "warn", "pass"),
    ),
)
def _init() -> Work:
    from .init import write_template

    return write_template


@command(
    "new",
    "ask five questions, and write the first version of a scenario",
    argument("folder DIR", "default: scenarios, or here", nargs="?", type=Path),
)
def _new() -> Work:
    from .new import write_first_version

    return write_first_version


@command(
    "try-agent",
    "show what an agent is sent, and what it returns",
    argument("agents AGENT", "as --agent of pytest; several are compared", nargs="+"),
    argument(
        "--call-format",
        "how the agent calls tools",
        choices=("native", "text", "react"),
        default="native",
    ),
    argument("--table", "print only whether it calls tools and reads results"),
    reads_ini=True,
)
def _try_agent() -> Work:
    from .try_agent import try_agent

    return try_agent


@command(
    "check",
    "prove that solutions pass, and that counterexamples and mutants do not",
    PATHS,
    argument(
        "--embedder EMBEDDER",
        "compares meanings: module:attribute, provider/model or sentence-transformers/NAME",
    ),
    argument("--judge JUDGE", "reads words if nothing else decides: a model, or module:attribute"),
    _MUTATION_SCORE,
)
def _check() -> Work:
    from .check import check_paths

    return check_paths


@command(
    "shrink",
    "show which milestones, state and solutions a scenario's proof does without",
    PATHS,
)
def _shrink() -> Work:
    from .shrink import shrink_paths

    return shrink_paths


@command(
    "strengthen",
    "show what would kill the mutants that survive a scenario's proof",
    PATHS,
)
def _strengthen() -> Work:
    from .strengthen import strengthen_paths

    return strengthen_paths


@command(
    "draft",
    "have a model write scenarios for a world and solve them, and keep those that are proven",
    argument("world WORLD", "its name, or module:attribute"),
    argument(
        "--model MODEL",
        "the model that writes: an alias, provider/model, or module:attribute (a ModelAgent)",
        required=True,
    ),
    argument("--count N", "how many drafts it is asked for (default: 10)", type=count, default=10),
    argument(
        "--solutions N", "how often each agent plays a draft (default: 2)", type=count, default=2
    ),
    argument(
        "--agent AGENT",
        "who plays the drafts, as --agent of pytest (repeatable; default: the model)",
        action="append",
        default=[],
    ),
    argument(
        "--user USER",
        "as --sandbox-user of pytest (default: scripted, by the replies of the draft)",
        default="scripted",
    ),
    argument(
        "--beside PATH",
        "scenarios that are there already: near-duplicates of them are dropped, and tools that "
        "they do not call come first (repeatable)",
        type=Path,
        action="append",
        default=[],
    ),
    argument(
        "-o --output FOLDER",
        "where the scenarios are written (default: drafted)",
        type=Path,
        default=Path("drafted"),
    ),
    argument(
        "--seed N", "chooses tools and rows that are shown (default: 0)", type=seed, default=0
    ),
    argument("--concurrency N", "conversations at once (default: at most 10)", type=count),
    _MUTATION_SCORE,
    *ASKING,
    reads_ini=True,
)
def _draft() -> Work:
    from .draft import draft_scenarios

    return draft_scenarios


@command(
    "pull",
    "write the tools and first rows of servers to files beside their scenarios",
    PATHS,
    group=_WORLDS,
    reads_ini=True,
    within=_pulling,
)
def _worlds_pull() -> Work:
    from .worlds import pull_worlds

    return pull_worlds


@command(
    "suites",
    "list the bundled suites",
    argument("name", "print only the path of this suite", nargs="?"),
)
def _suites() -> Work:
    from .suites import print_suites

    return print_suites


@command(
    "stats",
    "count what scenarios are made of",
    PATHS,
    argument(
        "--augment NAMES",
        "as --sandbox-augment of pytest: none, all, or names with commas between",
        default="none",
    ),
    argument(
        "--quarantine", "print which scenarios may leave quarantine; PATH is a file of records then"
    ),
    argument(
        "--passes N",
        "trials in a row that must pass before a scenario may leave (default: 20)",
        type=count,
        default=20,
    ),
    argument("--api-similarity", "print only how similar the names of the tools are"),
)
def _stats() -> Work:
    from .suites import print_statistics

    return print_statistics


@command(
    "coverage",
    "say what of their worlds scenarios touch, and which calls reach the rest",
    PATHS,
    argument(
        "--results FILE",
        "conversations of runs, which count beside the solutions (repeatable)",
        type=Path,
        action="append",
        default=[],
    ),
    argument("--skeletons", "print scenarios that reach what is not touched, to be completed"),
    reads_ini=True,
)
def _coverage() -> Work:
    from .coverage import print_coverage

    return print_coverage


@command(
    "schema",
    "print the JSON Schema of scenario files or records",
    argument("--record", "print the schema of records"),
    argument(
        "--world WORLD",
        "suggest the names of this world, a name or module:attribute (default: of all known ones)",
    ),
)
def _schema() -> Work:
    from .suites import print_schema

    return print_schema

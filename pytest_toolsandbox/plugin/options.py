"""The options, on the command line and in the ini file.

A new option is a row in its group here, a field of ``Settings``, and a row in ``docs/options.md``.
If it decides what happens in a conversation, it is in ``output/again.py``, too.
The module is imported in every run of pytest, and so light: what was given is read in
``settings.py``, and PYTEST_DONT_REWRITE spares it the rewriting.
"""

from __future__ import annotations

from collections.abc import Collection
from keyword import iskeyword
from typing import Any

import pytest


class Option:
    """One thing that a user can say.

    ``key`` names the ini option (``sandbox_results``). With a ``metavar`` the command line has it
    too: ``flag`` is how it is written there (``--sandbox-results``). ``reader`` names what makes a
    value of it, in ``settings.py``, and ``field`` is the name of this value among the settings.
    """

    __slots__ = ("dest", "field", "flag", "help", "key", "metavar", "reader")

    def __init__(self, key: str, metavar: str | None, reader: str, help: str) -> None:  # noqa: A002  # as argparse has it
        self.key, self.metavar, self.reader, self.help = key, metavar, reader, help
        name = key.removeprefix("sandbox_")
        self.field = f"{name}_" if iskeyword(name) else name
        self.dest = "agent" if key == "sandbox_agent" else key
        self.flag = None if metavar is None else f"--{self.dest.replace('_', '-')}"


_TEXT: tuple[dict[str, Any], Any] = ({}, None)  # to pytest a text, which it need not look up
_LINES: tuple[dict[str, Any], Any] = ({"action": "append"}, "linelist")
_KINDS: dict[str, tuple[dict[str, Any], Any]] = {
    "flag": ({"action": "store_true", "default": None}, "bool"),
    # Texts in the ini file, of one line or several: TOML has lists for lines, and one is usual.
    **dict.fromkeys(("agents", "prompts"), ({"action": "append"}, "string")),
    **dict.fromkeys(("lines", "criteria", "pairs", "shares", "prices", "minimum scores"), _LINES),
}
"""Reader → how the option is declared to argparse and to the ini file, if it is not one text."""

_AGENT = (
    Option(
        "sandbox_agent",
        "AGENT",
        "agents",
        "the agent under test: oracle[:NAME], counterexample[:NAME], unhelpful, human, "
        "an alias such as claude, provider/model, module:attribute, claude-code, codex, "
        "cmd:PROGRAM, or http://…; each of several plays all scenarios (repeatable)",
    ),
    Option(
        "sandbox_prompt",
        "FILE",
        "prompts",
        "what the agent is told it is for, a system prompt in a text file; with each of several "
        "all scenarios are played (repeatable; default: as the scenario says, or a neutral one)",
    ),
    Option(
        "sandbox_call_format",
        "native|text|react",
        "choice",
        "how the agent calls tools: as its API has it, or in the text of its replies "
        "(default: as the scenario says, native)",
    ),
    Option(
        "sandbox_augment",
        "none|all|NAME,...",
        "augmentations",
        "play every scenario with its tools augmented, once for each augmentation: "
        "distraction tools, scrambled names, descriptions and types; or perturbed, such as "
        "tool_faults:0.2 (default: none)",
    ),
    Option(
        "sandbox_feedback",
        "on|off|on,off",
        "feedback",
        "answer an invalid call with what is allowed; on,off plays every scenario both ways "
        "(default: on for queries, off for the others)",
    ),
    Option("sandbox_aliases", None, "pairs", "short names of models: NAME = PROVIDER/MODEL"),
    Option(
        "sandbox_keep_reasoning",
        "",
        "flag",
        "write what the agent thought into the records and pages, not only that it thought",
    ),
)
_USER = (
    Option(
        "sandbox_user",
        "USER",
        "text",
        "who plays the simulated user: scripted, human, an alias, provider/model, or "
        "module:attribute (default: scripted)",
    ),
    Option(
        "sandbox_user_style",
        "paper|plain|terse|impatient|tangential|incomplete",
        "choice",
        "how a user talks that a model plays; paper is ToolSandbox's own user "
        "(default: as the scenario says, plain)",
    ),
    Option(
        "sandbox_user_prompt",
        "goal|boundary|full",
        "choice",
        "what the paper's user is told: its goal, what it knows too, and a demonstration too "
        "(default: full)",
    ),
    Option(
        "sandbox_user_retries",
        "N",
        "count",
        "how often a conversation is played again that its user's faults decided (default: 2)",
    ),
    Option(
        "sandbox_user_review",
        "MODEL",
        "text",
        "a model that looks at the user of each conversation that failed: an alias, or "
        "provider/model; what it finds is a user fault, and the item has no score",
    ),
    Option(
        "sandbox_max_user_faults",
        "SHARE",
        "share",
        "fail the session when the faults of users decided more of the conversations "
        "(default: 0.05)",
    ),
)
_JUDGE = (
    Option(
        "sandbox_judge",
        "MODEL",
        "text",
        "a model that judges what the agent says, where its calls are right: an alias, "
        "provider/model, or module:attribute; none leaves it unread (default: none)",
    ),
    Option(
        "sandbox_words",
        "any|judged",
        "choice",
        "judged makes an item an error whose words no judge has read, unless they are those of a "
        "solution (default: any)",
    ),
    Option(
        "sandbox_judge_votes",
        "N",
        "odd",
        "how often the judge is asked of each conversation, an odd number; the majority decides "
        "(default: 1)",
    ),
    Option(
        "sandbox_judge_criteria",
        None,
        "criteria",
        "what the judge checks in every conversation besides, such as: stays polite; one a line",
    ),
    Option(
        "sandbox_embedder",
        None,
        "text",
        "what compares meanings: module:attribute, provider/model or sentence-transformers/NAME",
    ),
    Option(
        "sandbox_thresholds", None, "shares", "what graded matchers must reach: MATCHER = NUMBER"
    ),
)
_PLAYING = (
    Option(
        "sandbox_concurrency",
        "N|auto",
        "concurrency",
        "hold N conversations at a time (default: auto, 64 where agents wait for models or "
        "services, 4 for programs, else 1)",
    ),
    Option(
        "sandbox_retries",
        "N",
        "count",
        "how often a request to a model is made again after a fault that passes: a rate limit, "
        "an outage, a broken connection (default: 4)",
    ),
    Option(
        "sandbox_sample",
        "N",
        "whole",
        "play N scenarios of each world, balanced over the categories: the same ones on every "
        "machine, for all agents and augmentations (default: all)",
    ),
    Option(
        "sandbox_shard",
        "I/N",
        "shard",
        "play part I of N of the scenarios; 'toolsandbox merge' puts their records together",
    ),
    Option(
        "sandbox_durations",
        "FILE",
        "file",
        "records of an earlier run, by whose times shards are balanced; the longest "
        "conversations begin first",
    ),
    Option(
        "sandbox_resume",
        "FILE",
        "new file",
        "play only what has no finished record in FILE, which an earlier run wrote, if it is "
        "there, and go on writing to it, or to another --sandbox-results",
    ),
    Option(
        "sandbox_rejudge",
        "FILE",
        "file",
        "score the conversations of a file of records again, and call no agent",
    ),
    Option(
        "sandbox_dry_run",
        "",
        "flag",
        "play nothing: say how many conversations would be played, and by the records of "
        "--sandbox-durations, or of --sandbox-results, about what they would cost",
    ),
    Option(
        "scenario_files",
        None,
        "lines",
        "which files hold scenarios (default: *.scenario.yaml, and below a folder called "
        "scenarios any *.yaml with world: at its top)",
    ),
    Option(
        "sandbox_categories",
        None,
        "lines",
        "the categories that your scenarios may have besides ToolSandbox's (default: any)",
    ),
)
_GATE = (
    Option(
        "sandbox_trials",
        "N|auto",
        "trials",
        "how often each conversation is played (default: as the scenario says, once); auto plays "
        "until --sandbox-baseline decides, five times at most",
    ),
    Option(
        "sandbox_pass",
        "all|any|majority|K",
        "pass rule",
        "how many of an item's trials must pass; none is played that changes nothing any more "
        "(default: all, and all are played)",
    ),
    Option(
        "sandbox_baseline",
        "FILE",
        "file",
        "say whether the agent is worse than this baseline, which 'toolsandbox baseline add' "
        "makes; worse fails the session",
    ),
    Option(
        "sandbox_margin",
        "SHARE",
        "share",
        "the drop of the pass rate that is tolerated (default: 0.05, and 0.03 from 200 "
        "scenarios on)",
    ),
    Option(
        "sandbox_inconclusive",
        "fail|warn|pass",
        "choice",
        "what becomes of a session whose trials are too few for a verdict (default: warn)",
    ),
    Option(
        "sandbox_gate",
        "items|means|baseline",
        "choice",
        "what fails the session: every scenario that fails, the means of --sandbox-min-score "
        "alone, or the verdict of --sandbox-baseline (default: items; with a baseline, that)",
    ),
    Option(
        "sandbox_min_score",
        "[CATEGORY=]SCORE",
        "minimum scores",
        "fail the session when the mean score, of a category, of an augmentation or of all, "
        "is lower (repeatable)",
    ),
    Option(
        "sandbox_agent_files",
        None,
        "lines",
        "the files that the agent is made of, one pattern a line: where none of them and nothing "
        "else changed, a verdict of --sandbox-baseline is used again",
    ),
)
_BUDGETS = (
    Option(
        "sandbox_max_cost",
        "DOLLARS",
        "amount",
        "begin no further conversation, and fail the session, once requests to models have cost "
        "so much",
    ),
    Option(
        "sandbox_max_tokens",
        "N",
        "whole",
        "the same, once so many tokens were read and written",
    ),
    Option(
        "sandbox_max_time",
        "SECONDS",
        "seconds",
        "the same, so many seconds after the first conversation began",
    ),
    Option(
        "sandbox_prices",
        None,
        "prices",
        "what tokens cost, in US dollars for a million: MODEL = READ WRITTEN, or MODEL = READ "
        "WRITTEN CACHED",
    ),
)
_CASSETTES = (
    Option(
        "sandbox_record",
        "none|new|all|replay",
        "choice",
        "keep what agents, models and users say on cassettes, and replay it: all records afresh, "
        "new what is missing, replay nothing, and asks nobody (default: none)",
    ),
    Option(
        "sandbox_cassettes",
        None,
        "folder",
        "the folder of the cassettes (default: cassettes/ beside each scenario file)",
    ),
)
_REPORTS = (
    Option(
        "sandbox_results",
        "FILE",
        "new file",
        "write a record of every scenario to FILE as JSON Lines; {time} in its name is the "
        "time of the start",
    ),
    Option(
        "sandbox_overwrite", "", "flag", "replace the file of --sandbox-results where there is one"
    ),
    Option(
        "sandbox_html",
        "FILE",
        "replaced file",
        "write a report of the run to FILE, one HTML page that needs nothing else; {time} in its "
        "name is the time of the start",
    ),
    Option(
        "sandbox_brief",
        "FILE",
        "replaced file",
        "write what fails, the nearest miss and how to play it again, in 8 kB of Markdown",
    ),
    Option(
        "sandbox_secrets",
        None,
        "lines",
        "what no report shows: variables that hold a secret, or the secret, one a line",
    ),
)
GROUPS = {
    "the agent": _AGENT,
    "the user": _USER,
    "the judge of words": _JUDGE,
    "playing": _PLAYING,
    "trials and gate": _GATE,
    "budgets": _BUDGETS,
    "cassettes": _CASSETTES,
    "reports": _REPORTS,
}
"""What options are about → the options, in the order of ``pytest --help``."""

OPTIONS = tuple(option for options in GROUPS.values() for option in options)


def add_options(parser: pytest.Parser) -> None:
    """Declare the options to pytest."""
    for title, options in GROUPS.items():
        group = parser.getgroup(f"toolsandbox: {title}", f"toolsandbox: {title}")
        for option in options:
            declared, kind = _KINDS.get(option.reader, _TEXT)
            text = option.help
            if (flag := option.flag) is not None:
                metavar = {"metavar": option.metavar} if option.metavar else {}
                # Without ``dest``, pytest compares all options.
                group.addoption(flag, dest=option.dest, help=text, **declared, **metavar)
                several = declared.get("action") == "append"
                text = f"default of {flag}{', one a line' * several}"
            parser.addini(option.key, text, kind)


def is_any_given(config: pytest.Config, keys: Collection[str]) -> bool:
    """Whether an option may be given, on the command line or by one of the ``keys`` of ini files.

    Every run of pytest asks this, and ``given_value`` takes a fifth of our part of its start.
    """
    values = vars(config.option)
    return (
        bool(values.get("override_ini"))
        or any(values.get(option.dest) is not None for option in OPTIONS if option.flag)
        or any(option.key in keys for option in OPTIONS)
    )


def given_value(option: Option, config: pytest.Config) -> tuple[str, Any] | None:
    """Return the flag or the key that gives an option, and its value; the command line wins.

    Raises ``pytest.UsageError`` for a flag of the ini file that is neither true nor false.
    """
    if option.flag and (words := config.getoption(option.flag)) is not None:
        return option.flag, words
    try:
        words = config.getini(option.key)
    except (ValueError, pytest.UsageError) as error:  # as versions of pytest raise it
        if option.key in str(error):
            raise
        raise pytest.UsageError(f"{option.key}: {error}; write true or false") from None
    return (option.key, words) if words else None


def given_names(config: pytest.Config) -> dict[str, str]:
    """Return the field of each option that is given, and its name there: ``sandbox_results``."""
    options = {option.field: given_value(option, config) for option in OPTIONS}
    return {field: where_what[0] for field, where_what in options.items() if where_what}

"""Writes the HTML report: conversations are rendered one by one, and packed until opened."""

from __future__ import annotations

import base64
import hashlib
import zlib
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from pytest_toolsandbox.language.error_patterns import PATTERNS
from pytest_toolsandbox.output.arms import player_of
from pytest_toolsandbox.output.pages.thread import message_keys
from pytest_toolsandbox.output.pages.transcript import shortened
from pytest_toolsandbox.output.usage_table import spent_words
from pytest_toolsandbox.records.record import Record, read_record, summary_of
from pytest_toolsandbox.text.redaction import redacted_line

from .conversation import Conversation, conversation, other_calls
from .overview import Item, Overview, Talk, item_name, written_score

if TYPE_CHECKING:
    from jinja2 import Environment

TEMPLATES: Final = Path(__file__).with_name("templates")
MOST_ROWS: Final = 500
"""How many rows of the table are shown at first: a browser lays more out for seconds."""
MOST_MISSED: Final = 10
"""How many items that did not pass are named at the top."""
PLAIN_LIMIT: Final = 50
"""How many conversations that did not pass can be read without JavaScript."""
LEVEL: Final = 4
"""Of compression: the usual 6 takes twice the time and saves a twentieth."""
Facts = list[tuple[str, str]]


class HtmlReport:
    """Takes records as they come, of one run or several, and writes a page of them.

    Of a record only its summary and its packed conversation are kept, some kilobytes.
    """

    def __init__(self, title: str = "pytest-toolsandbox", remarks: Sequence[str] = ()) -> None:
        self.title = title
        self.remarks = list(remarks)
        self._talks: dict[str, tuple[Talk, bytes]] = {}

    def add(self, values: Mapping[str, Any], run: str = "") -> None:
        """Take a record; one of the same item, trial and run takes the place of the earlier."""
        record = read_record(values)
        player = player_of(record, run)
        key = _digest(run, record["agent"], record["id"], str(record["trial"]))
        shown = conversation(record)
        says = tuple(zlib.crc32(text.encode()) for text in message_keys(record["messages"]))
        talk = Talk(key, player, summary_of(values), shown.page.verdict, says)
        self._talks[key] = talk, zlib.compress(_fragment(talk, shown).encode(), LEVEL)

    def pieces(self) -> Iterator[str]:
        """Yield the text of the page, piece by piece; the same records give the same page."""
        overview = Overview([talk for talk, _ in self._talks.values()])
        missed = [i.key for i in overview.items if i.outcome != "passed"][:PLAIN_LIMIT]
        plain = [self._unpacked(key) for key in missed]
        style, script = _template_text("page.css"), _template_text("page.js")
        yield (
            _environment()
            .get_template("page.html")
            .render(
                title=self.title,
                remarks=self.remarks,
                plain=plain,
                plain_limit=PLAIN_LIMIT,
                most_rows=MOST_ROWS,
                style=_safe(style),
                style_hash=_source(style),
                script_hash=_source(script),
                **_overview_values(overview, set(missed)),
            )
        )
        yield f"<script>{script}</script>\n"  # it need not wait for what is opened later
        for key, (_, packed) in self._talks.items():
            if key not in missed:
                text = base64.b64encode(packed).decode()
                yield f'<script type="text/plain" id="p-{key}">{text}</script>\n'
        yield "</body>\n</html>\n"

    def text(self) -> str:
        """Return the whole page."""
        return "".join(self.pieces())

    def _unpacked(self, key: str) -> Any:
        return _safe(zlib.decompress(self._talks[key][1]).decode())


class _Row:
    """An item as a row of the table, in words."""

    def __init__(self, item: Item, plain: set[str]) -> None:
        first = item.talks[0].summary
        self.item = item
        self.outcome, self.arm, self.key = item.outcome, item.arm, item.key
        self.href = item.key if item.key in plain else f"show={item.key}"
        self.name = item_name(first)
        self.place = _digest(*map(str, item.place))
        self.world, self.variant = first["world"], first.get("variant") or ""
        self.categories = first["categories"]
        self.score_value = "" if item.score is None else f"{item.score:.6g}"
        self.score = written_score(item.score)
        self.verdict = shortened(item.worst.verdict)

    @property
    def turns(self) -> str:
        return _mean_text([one["counts"]["turns"] for one in self.item.counted])

    @property
    def calls(self) -> str:
        return _mean_text([one["counts"]["tool_calls"] for one in self.item.counted])

    @property
    def spent(self) -> tuple[str, ...]:
        return spent_words(self.item.trials)

    @property
    def trials(self) -> str:
        passed = sum(one["outcome"] == "passed" for one in self.item.trials)
        return f"{passed} of {len(self.item.talks)}"

    @cached_property
    def patterns(self) -> list[str]:
        found = [
            one["error_patterns"]["calls"] for one in self.item.trials if "error_patterns" in one
        ]
        return [name for name in PATTERNS if any(calls.get(name) for calls in found)]

    @property
    def talks_text(self) -> str:
        """The trials, that to look at first before the others."""
        ordered = sorted(self.item.talks, key=lambda talk: talk is not self.item.worst)
        return " ".join(f"{o.key}:{o.summary['trial']}:{o.summary['outcome']}" for o in ordered)


def _overview_values(overview: Overview, plain: set[str]) -> dict[str, Any]:
    rows = [_Row(item, plain) for item in overview.items]
    missed = [row for row in rows if row.outcome != "passed"]
    several = len(overview.arms) > 1
    has_usage = any(any(row.spent) for row in rows)
    spent = ("tokens", "cost", "seconds") if has_usage else ()
    columns = [("outcome", "text"), ("item", "text"), *([("arm", "text")] if several else [])]
    columns += [("verdict", "text")]
    columns += [(name, "number") for name in ("score", "turns", "calls", *spent)]
    columns += [(n, "text") for n in ("trials", "world", "augmentation", "categories", "patterns")]
    return {
        "verdict": overview.verdict,
        "arms": overview.arms_tables(),
        "arm_names": [arm.name for arm in overview.arms],
        "groups": list(overview.groups()),
        "mistakes": overview.mistakes(),
        "papers": overview.papers(),
        "changed": overview.changed(),
        "missed": missed[:MOST_MISSED],
        "missed_more": max(0, len(missed) - MOST_MISSED),
        "rows": rows,
        "columns": columns,
        "several_arms": several,
        "has_usage": has_usage,
        "choices": _choices(rows),
    }


def _choices(rows: Sequence[_Row]) -> list[tuple[str, list[str]]]:
    """Return what the table can be filtered by: the name of a field, and its values."""
    fields = {
        "outcome": {row.outcome for row in rows},
        "arm": {row.arm for row in rows},
        "category": {name for row in rows for name in row.categories},
        "augmentation": {row.variant for row in rows},
        "world": {row.world for row in rows},
        "pattern": {name for row in rows for name in row.patterns},
    }
    named = {name: sorted(filter(None, values)) for name, values in fields.items()}
    return [(name, values) for name, values in named.items() if len(fields[name]) > 1]


def _fragment(talk: Talk, shown: Conversation) -> str:
    record = shown.record
    return (
        _environment()
        .get_template("conversation.html")
        .render(
            key=talk.key,
            name=item_name(record),
            outcome=record["outcome"],
            summary=shortened(record["summary"]),
            facts=_facts(record),
            talk=shown,
            says=talk.says,
            end=[*(shown.page.end), *other_calls(record)],
        )
    )


def _facts(record: Record) -> Facts:
    counts = record["counts"]
    tokens, cost, time = spent_words([record])
    why = ", to see whether it broke" if record.get("confirms") else ""
    facts = [
        ("item", redacted_line(record["id"])),
        ("trial", f"{record['trial']}{why}"),
        ("agent", redacted_line(record["agent"])),
        ("user", redacted_line(record["user"])),
        ("world", record["world"]),
        ("at", record["now"]),
        ("augmentation", record.get("variant") or "none"),
        ("turns", str(counts["turns"])),
        ("calls", str(counts["tool_calls"])),
        ("tokens", tokens),
        ("cost", cost),
        ("seconds", time),
    ]
    return [(what, text) for what, text in facts if text]


def _mean_text(numbers: Sequence[int]) -> str:
    mean = sum(numbers) / len(numbers)
    return f"{mean:.0f}" if mean == int(mean) else f"{mean:.1f}"


def _digest(*texts: str) -> str:
    """Return what tells a conversation from others, and begins with a letter as ids must."""
    return f"c{hashlib.sha256(repr(texts).encode()).hexdigest()[:10]}"


def _source(text: str) -> str:
    """Return how a policy names a style or a script that it allows."""
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


@cache
def _template_text(name: str) -> str:
    return (TEMPLATES / name).read_text(encoding="utf-8")


def _safe(text: str) -> Any:
    from markupsafe import Markup

    return Markup(text)  # noqa: S704  # ours, or escaped when it was rendered


@cache
def _environment() -> Environment:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    return Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )

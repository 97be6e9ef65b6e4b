"""Write the HTML report: conversations are rendered one by one, and compressed until opened.

``_facts`` are the lines at the top of a conversation, ``templates/conversation.html`` its layout.
"""

from __future__ import annotations

import base64
import hashlib
import os
import re
import weakref
import zlib
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from tempfile import SpooledTemporaryFile
from typing import TYPE_CHECKING, Any, Final

from pytest_toolsandbox.language.error_patterns import PATTERNS
from pytest_toolsandbox.language.roles import Role
from pytest_toolsandbox.output.comparison_tables import CRITICAL, short_names
from pytest_toolsandbox.output.error_table import BY_COLUMN
from pytest_toolsandbox.output.pages.messages import message_keys
from pytest_toolsandbox.output.pages.record_view import RecordView
from pytest_toolsandbox.output.pages.wording import shortened
from pytest_toolsandbox.output.paper_tables import player_of
from pytest_toolsandbox.output.usage_table import spent_words
from pytest_toolsandbox.records.record import Record, read_record, summary_of
from pytest_toolsandbox.records.sharing import SharedParts
from pytest_toolsandbox.records.trials import outcome_words
from pytest_toolsandbox.text.redaction import clean, redacted_line

from .figures import Night, figures
from .gate_banner import GateBanner
from .graph_and_calls import call_pairs, milestone_graph
from .overview import MODES, Item, Overview, ShownTrial, item_name
from .who_played import Facts, facts_of

if TYPE_CHECKING:
    from jinja2 import Environment

_TEMPLATES: Final = Path(__file__).with_name("templates")
_MOST_ROWS: Final = 500
"""How many rows of the table are shown at first: a browser lays more out for seconds."""
_MOST_CHANGES: Final = 10
"""How many items that changed are shown before the others are opened."""
_MOST_MISSED: Final = 10
"""How many items that did not pass are named at the top."""
PLAIN_LIMIT: Final = 50
"""How many conversations that did not pass can be read without JavaScript."""
_IN_MEMORY: Final = 16_000_000
"""Bytes of conversations from which on they are in a file."""
_FAULTS: Final = ("pattern", "hit", "changed")
"""Kinds of notes about what is wrong."""
_CODE: Final = re.compile(rf"\b({'|'.join(PATTERNS)})\b")
_LEVEL: Final = 4
"""Of compression: the usual 6 takes twice the time and saves a twentieth."""


class HtmlReport:
    """A page of records of one run or several, which are added one by one.

    Only the summary of a record is kept in memory, and its compressed HTML in a temporary file: a
    report may have a hundred thousand of them.
    """

    def __init__(self, title: str = "pytest-toolsandbox", remarks: Sequence[str] = ()) -> None:
        self.title = title
        self.remarks = list(remarks)
        self.gates: list[GateBanner] = []
        self.nights: Sequence[Night] = ()
        """The runs of a trend, in order."""
        self._facts: dict[Facts, Facts] = {}
        """Each once: most trials of a run have the same."""
        self._trials: dict[str, ShownTrial] = {}
        self._parts = SharedParts()
        self._places: dict[str, tuple[int, int]] = {}
        self._packed = SpooledTemporaryFile(_IN_MEMORY)  # noqa: SIM115  # closed with the report
        weakref.finalize(self, self._packed.close)

    def add(
        self,
        values: Mapping[str, Any],
        run: str = "",
        forks: Sequence[Record] = (),
        again: str = "",
    ) -> None:
        """Take a record; one of the same item, trial and run takes the place of the earlier.

        ``forks`` are the records of its forks, which its page names; ``again`` is the command that
        plays it again, if it is known.
        """
        record = read_record(values)
        player = player_of(record, run)
        key = _key(run, record["agent"], record["id"], str(record["trial"]))
        view = RecordView(record, forks)
        checksums = tuple(zlib.crc32(text.encode()) for text in message_keys(record["messages"]))
        facts = facts_of(record)
        trial = ShownTrial(
            key,
            player,
            self._parts.shared(summary_of(values)),
            view.page.verdict,
            checksums,
            self._facts.setdefault(facts, facts),
            record["api_similarity"],
        )
        packed = zlib.compress(_fragment(trial, view, again).encode(), _LEVEL)
        self._trials[key] = trial
        self._places[key] = self._packed.seek(0, os.SEEK_END), len(packed)
        self._packed.write(packed)

    def _fragment_of(self, key: str) -> bytes:
        """Return the compressed HTML of a conversation."""
        start, size = self._places[key]
        self._packed.seek(start)
        return self._packed.read(size)

    def texts(self) -> Iterator[str]:
        """Yield the parts of the page; the same records give the same page."""
        overview = Overview([*self._trials.values()])
        missed_items = _most_telling(overview, self.gates)
        missed = [item.key for item in missed_items[:PLAIN_LIMIT]]
        style, script = _template_text("page.css"), _template_text("page.js")
        page = _environment().get_template("page.html")
        yield from page.generate(
            title=self.title,
            remarks=self.remarks,
            gates=[(gate, _links(gate, overview)) for gate in self.gates],
            unread=overview.unread(),
            plain=[_safe(zlib.decompress(self._fragment_of(key)).decode()) for key in missed],
            plain_keys=set(missed),
            place_key=lambda item: _key(*map(str, item.place)),
            plain_limit=PLAIN_LIMIT,
            most_rows=_MOST_ROWS,
            style=_safe(style),
            style_hash=_source(style),
            script_hash=_source(script),
            figures=figures(overview, self.nights),
            **_overview_values(overview, missed_items),
        )
        # Before the conversations, for which the script need not wait.
        yield f"<script>{script}</script>\n"
        for key in self._trials:
            if key not in missed:
                text = base64.b64encode(self._fragment_of(key)).decode()
                yield f'<script type="text/plain" id="p-{key}">{text}</script>\n'
        yield "</body>\n</html>\n"


def _linked(gate: GateBanner, overview: Overview) -> dict[str, str]:
    """Return the ids of scenarios in a banner → the keys of their items."""
    keys = {
        item.summaries[0]["id"]: item.key
        for item in overview.items
        if item.trials[0].player.run == gate.run
    }
    return keys | {name: keys[item] for name, item in gate.items.items() if item in keys}


def _links(gate: GateBanner, overview: Overview) -> dict[str, tuple[str, str]]:
    """Return the cells of a banner that name scenarios → the keys of their items, and short names.

    A name that items of several files have is shown with its file.
    """
    keys = _linked(gate, overview)
    names = short_names(keys)
    links = {name: (key, redacted_line(names.get(name, name))) for name, key in keys.items()}
    critical = {
        f"{name}{CRITICAL}": (key, f"{shown}{CRITICAL}") for name, (key, shown) in links.items()
    }
    return links | critical


def _most_telling(overview: Overview, gates: Sequence[GateBanner]) -> list[Item]:
    """Return the items that did not pass: errors, then what broke, then the worst scores."""
    keys = [(_linked(gate, overview), gate.broken) for gate in gates]
    broken = [linked[name] for linked, names in keys for name in names if name in linked]
    places = {key: place for place, key in enumerate(dict.fromkeys(broken))}

    def rank(item: Item) -> tuple[bool, int, float, str]:
        is_lost = item.score is None
        return not is_lost, places.get(item.key, len(places)), item.score or 0.0, item.name

    return sorted((item for item in overview.items if item.outcome != "passed"), key=rank)


def _overview_values(overview: Overview, missed: Sequence[Item]) -> dict[str, Any]:
    items = overview.items
    several = len(overview.arms) > 1
    has_usage = any(any(item.spent) for item in items)
    spent = ("tokens", "cost", "seconds") if has_usage else ()
    columns = [("outcome", "text"), ("item", "text"), *([("arm", "text")] if several else [])]
    columns += [("verdict", "text")]
    columns += [(name, "number") for name in ("score", "turns", "calls", *spent)]
    columns += [("trials", "text"), ("about", "text")]
    who_columns, who_rows = overview.who_played()
    return {
        "verdict": overview.verdict,
        "who_columns": who_columns,
        "who_rows": who_rows,
        "arms": overview.arms_tables(),
        "patterns": {name: PATTERNS[name].name for name in BY_COLUMN},
        "arm_names": [arm.name for arm in overview.arms],
        "groups": list(overview.groups()),
        "mistakes": (mistakes := overview.mistakes()),
        "modes": {mode: words for mode, words in MODES.items() if mode in "\n".join(mistakes)},
        "papers": overview.papers(),
        "changed": overview.changed(),
        "most_changes": _MOST_CHANGES,
        "missed": missed[:_MOST_MISSED],
        "missed_more": max(0, len(missed) - _MOST_MISSED),
        "items": items,
        "columns": columns,
        "several_arms": several,
        "has_usage": has_usage,
        "choices": _choices(items),
    }


def _choices(items: Sequence[Item]) -> list[tuple[str, list[str]]]:
    """Return the filters of the table: the name of a field, and its values."""
    summaries = [item.summaries[0] for item in items]
    fields = {
        "outcome": {item.outcome for item in items},
        "arm": {item.arm for item in items},
        "category": {name for summary in summaries for name in summary["categories"]},
        "augmentation": {summary.get("variant") or "" for summary in summaries},
        "world": {summary["world"] for summary in summaries},
        "pattern": {name for item in items for name in item.patterns},
    }
    named = {name: sorted(filter(None, values)) for name, values in fields.items()}
    return [(name, values) for name, values in named.items() if len(fields[name]) > 1]


def _fragment(trial: ShownTrial, view: RecordView, again: str) -> str:
    record = view.record
    pairs_title, pairs = call_pairs(record)
    return (
        _environment()
        .get_template("conversation.html")
        .render(
            key=trial.key,
            name=item_name(record),
            outcome=outcome_words(record["outcome"]),
            summary=shortened(record["summary"]),
            facts=_facts(record),
            again=again,
            opening=_opening(record),
            goals=[*map(clean, record.get("user_goals", ()))],
            setup=clean(shortened(view.setup)),
            policy=clean(view.policy),
            faulty=_faulty(view),
            page=view.page,
            messages=view.messages,
            graph=milestone_graph(record),
            pairs_title=pairs_title,
            pairs=pairs,
            checksums=trial.checksums,
            end=[*view.page.end, *view.other_calls[1:]],
        )
    )


def _opening(record: Record) -> str:
    """Return what the user wants, in its own first words."""
    messages = (m for m in record["messages"] if m.sender is Role.USER and m.call is None)
    first = next(messages, None)
    return "" if first is None else clean(first.content)


def _faulty(view: RecordView) -> set[int]:
    """Return the indices of messages with a fault of the agent."""
    notes = view.page.notes or {}
    return {index for index, about in notes.items() if any(n.kind in _FAULTS for n in about)}


def _facts(record: Record) -> list[tuple[str, str]]:
    counts = record["counts"]
    tokens, cost, time = spent_words([record])
    why = ", to see whether it broke" if record.get("confirms") else ""
    facts = [
        ("item", redacted_line(record["id"])),
        ("trial", f"{record['trial']}{why}"),
        ("agent", redacted_line(record["agent"])),
        ("user", redacted_line(record["user"])),
        ("world", record["world"]),
        ("world's clock", record["now"]),
        ("augmentation", record.get("variant") or "none"),
        ("turns", str(counts["turns"])),
        ("calls", str(counts["tool_calls"])),
        ("calls of the user", str(counts.get("user_calls", "") or "")),
        ("tokens", tokens),
        ("cost", cost),
        ("seconds", time),
    ]
    return [(what, text) for what, text in facts if text]


def _key(*texts: str) -> str:
    """Return a key for a conversation that begins with a letter, as ids of HTML must."""
    return f"c{hashlib.sha256(repr(texts).encode()).hexdigest()[:10]}"


def _source(text: str) -> str:
    """Return the source expression of a style or script for a content security policy."""
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


@cache
def _template_text(name: str) -> str:
    return (_TEMPLATES / name).read_text(encoding="utf-8")


def _safe(text: str) -> Any:
    from markupsafe import Markup

    return Markup(text)  # noqa: S704  # ours, or escaped when it was rendered


@cache
def _environment() -> Environment:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    from .line_breaks import with_breaks  # which imports what jinja2 does

    environment = Environment(
        loader=FileSystemLoader(_TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"svg": _safe, "coded": _coded, "codes": _codes, "broken": with_breaks}
    return environment


def _codes(text: str) -> list[tuple[str, str]]:
    """Return the codes of error patterns in a text, and what they mean."""
    return [(name, PATTERNS[name].name) for name in dict.fromkeys(_CODE.findall(text))]


def _coded(text: str) -> Any:
    """Return a text in which codes of error patterns say what they mean."""
    from markupsafe import escape

    def explained(match: re.Match[str]) -> str:
        name = match[1]
        return f'<abbr title="{PATTERNS[name].name}">{name}</abbr>'  # type: ignore[index]

    return _safe(_CODE.sub(explained, str(escape(text))))

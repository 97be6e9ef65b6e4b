"""The HTML report, as a text: what stands in it, what is escaped, and that it needs nothing."""

from __future__ import annotations

import base64
import html
import re
import zlib
from html.parser import HTMLParser
from typing import Any

import pytest
from html_records import EVIL, evil, record, records

from pytest_toolsandbox.output.html.gate_banner import gate_banner
from pytest_toolsandbox.output.html.report import PLAIN_LIMIT, HtmlReport
from pytest_toolsandbox.output.tables import TitledTable
from pytest_toolsandbox.records.parts import UsageRecord
from pytest_toolsandbox.records.writing import lost_record


def page(*runs: list[dict[str, Any]]) -> str:
    report = HtmlReport()
    for number, run in enumerate(runs):
        for played in run:
            report.add(played, f"run{number}")
    return "".join(report.texts())


def plain(text: str) -> str:
    """Return a page without line ends, and without classes and labels of cells."""
    return re.sub(
        r'( data-label="[^"]+")?( class="[a-z]+")?(?=>)', "", re.sub(r"\s*\n\s*", "", text)
    )


def packed(text: str) -> list[str]:
    """Return the conversations that are opened on demand."""
    blocks = re.findall(r'<script type="text/plain" id="p-\w+">([^<]*)</script>', text)
    return [zlib.decompress(base64.b64decode(block)).decode() for block in blocks]


class Tags(HTMLParser):
    """Counts tags, and keeps attributes that run something or load something."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.loads: list[str] = []
        self.handlers: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        for name, value in attrs:
            if name in ("src", "data", "srcset", "action", "style"):
                self.loads.append(f"{tag} {name}")
            if name == "href" and not (value or "").startswith("#"):
                self.loads.append(f"{tag} {value}")
            if name.startswith("on"):
                self.handlers.append(name)


def test_the_verdict_stands_at_the_top() -> None:
    text = page(records("oracle"), records("clumsy"))
    assert '<p class="verdict">6 items: 3 failed, 3 passed</p>' in text


def test_who_played_what_and_how_it_went() -> None:
    text = page(records("oracle"), records("clumsy"))
    assert "Score by category" in text
    assert 'aria-label="from 0.21 to 1.00"' in text  # 1.0, of one item
    assert text.count('data-arm="oracle"') == text.count('data-arm="clumsy"') == 3
    mistakes = text.partition("Most frequent mistakes")[2].partition("</ul>")[0]
    code = '<abbr title="incorrect argument value">IAV</abbr>'
    assert f"<li>2\N{MULTIPLICATION SIGN} {code} name for add_item</li>" in mistakes
    assert "<b>IAV</b> incorrect argument value" in text


def test_a_conversation_that_failed_can_be_read_without_a_script() -> None:
    text = page(records("clumsy"))
    assert len(packed(text)) == 1  # the second trial of the first item
    shown = text.partition('id="plain"')[2]
    assert "hit salt_in; missed rice_in" in shown
    assert "says" in shown
    assert '<td data-label="expected">mentions done</td>' in shown
    assert "&#39;It is over.&#39;" in shown
    assert "reached opened" in shown
    assert "calls beside the closest solution" in shown
    assert '<td data-label="made">not made</td>' in shown


def test_what_passed_is_packed() -> None:
    text = page(records("oracle"))
    assert 'id="plain"' not in text
    assert len(packed(text)) == 4
    assert any("I cannot look there." in page_text for page_text in packed(text))
    assert "I cannot look there." not in text


def test_no_more_than_so_many_are_plain() -> None:
    many = [{**record("cellar", "clumsy"), "id": f"a.yaml::s{n}"} for n in range(PLAIN_LIMIT + 3)]
    text = page(many)
    assert text.count("<article") == PLAIN_LIMIT
    assert len(packed(text)) == 3


def test_what_a_message_changed_stands_beside_it() -> None:
    text = page(records("clumsy"))
    assert "<del>false</del> <ins>true</ins>" in text
    assert "<ins>{item_id:" in text


def test_nothing_that_was_written_is_markup() -> None:
    text = page([evil(), record("cellar", "oracle")])
    usual = page([record("fork", "clumsy"), record("cellar", "oracle")])
    tags, usual_tags = Tags(text), Tags(usual)
    assert tags.loads == tags.handlers == usual_tags.loads == []
    assert tags.tags.count("script") == usual_tags.tags.count("script")
    assert "img" not in tags.tags
    assert "{{ 7 * 7 }}" in text
    for letter in "\x1b\u202e\x00":
        assert letter not in text
    assert "\\u202e" in text
    assert EVIL not in text


def test_a_policy_forbids_all_but_its_own_style_and_script() -> None:
    text = page(records("oracle"))
    (policy,) = re.findall(r'Content-Security-Policy" content="([^"]*)"', text)
    assert html.unescape(policy).startswith("default-src 'none'; style-src 'sha256-")
    assert "unsafe" not in policy


def test_nothing_is_loaded() -> None:
    assert not re.search(r"https?://", page(records("oracle")))


def test_the_same_records_give_the_same_page() -> None:
    assert page(records("oracle")) == page(records("oracle"))


def test_a_record_takes_the_place_of_an_earlier_one() -> None:
    report = HtmlReport()
    report.add(record("cellar", "clumsy"))
    passed = {**record("cellar", "oracle"), "agent": "clumsy"}
    report.add(passed)
    assert "1 item: 1 passed" in "".join(report.texts())


def test_trials_of_an_item_are_one_row() -> None:
    text = page([record("fork", "clumsy"), record("fork", "oracle", 2) | {"agent": "clumsy"}])
    assert "<td>1 of 2</td>" in plain(text)
    assert re.search(r'data-talks="\w+:1:failed \w+:2:passed"', text)


@pytest.mark.parametrize(
    ("planned", "needed", "outcome"), [(2, 1, "passed"), (2, 2, "failed"), (4, 3, "not run")]
)
def test_an_item_is_what_its_trials_say_together(planned: int, needed: int, outcome: str) -> None:
    plan = {"agent": "clumsy", "of_trials": {"planned": planned, "needed": needed}}
    text = page([record("fork", "oracle") | plan, record("fork", "clumsy", 2) | plan])
    assert f"1 item: 1 {outcome}" in text
    assert f'data-outcome="{outcome}"' in text


def test_a_trial_that_was_lost_counts_in_no_mean() -> None:
    plan = {"agent": "clumsy", "of_trials": {"planned": 2, "needed": 1}}
    lost = {"trial": 2, "outcome": "error", "cause": "provider", "scores": {}}
    calls = {"counts": {"turns": 90, "messages": 90, "tool_calls": 90}}
    text = page(
        [record("fork", "oracle") | plan, record("fork", "clumsy", 2) | plan | lost | calls]
    )
    assert "1 item: 1 passed" in text
    assert "<td>1.00</td><td>8</td><td>3</td>" in plain(text)


def test_what_changed_between_two_runs() -> None:
    text = page(records("oracle"), records("clumsy"))
    rows = re.findall(r"<tr>.*?</tr>", text.partition('id="changed"')[2].partition("</table>")[0])
    names = [re.sub(r"<[^>]*>", " ", row).split() for row in rows]
    assert {row[0] for row in names} == {"item", "cellar", "most", "fork"}
    assert any("-1.00" in row for row in names)
    assert all(row[-1].startswith("[") for row in names if row[0] != "item")
    assert 'id="changed"' not in page(records("oracle"), records("oracle"))


def test_an_error_shows_why() -> None:
    text = page([lost_record("a.yaml::x", "worker 'gw0' crashed")])
    assert "1 item: 1 error" in text
    assert "it came to no end: worker &#39;gw0&#39; crashed" in text


def test_an_error_of_a_cassette_shows_what_differs() -> None:
    lines = ["prompt, recorded (-) and now (+)", "- Be <kind>.", "+ Be brief."]
    text = page([lost_record("a.yaml::x", "prompt differs") | {"unrecorded": lines}])
    assert "prompt, recorded (-) and now (+)\n- Be &lt;kind&gt;.\n+ Be brief." in text


def test_a_protocol_that_is_not_known_here_shows_its_conversation() -> None:
    text = page([record("cellar", "clumsy") | {"protocol": "greeting"}])
    assert "Wine." in text


def test_what_was_used_of_models_has_columns() -> None:
    used = {**dict.fromkeys(UsageRecord.__annotations__, 0), "input_tokens": 1200, "cost": None}
    text = page([{**record("cellar", "clumsy"), "usage": {"agent": used}}])
    assert "<td>1200</td><td>unknown</td><td>unknown</td>" in plain(text)
    assert '<th scope="row">clumsy</th><td>0</td><td>0</td><td>1200</td>' in plain(text)
    assert '<th scope="col" data-kind="number" data-name="tokens">' in text
    assert "tokens" not in page(records("oracle")).partition("<body>")[2].partition("<script")[0]


def test_what_a_message_took_stands_beside_it() -> None:
    took = {"message": 2, "asker": "agent", "requests": 2, "input_tokens": 812, "output_tokens": 9}
    text = page([{**record("cellar", "clumsy"), "message_usage": [took | {"latency": 1.25}]}])
    words = "agent: 2 requests, 812 tokens in, 9 out, cost unknown, 1.2 s"
    assert f'[2] agent → user<small class="spent">{words}</small></p>' in text


@pytest.mark.parametrize(
    ("kept", "shown"),
    [
        ({}, '<small class="spent">(reasoning)</small></p>'),
        ({"text": "Is <it> red?"}, "(reasoning)</summary><pre>Is &lt;it&gt; red?</pre>"),
    ],
)
def test_thoughts_stand_beside_their_message(kept: dict[str, str], shown: str) -> None:
    clumsy = record("cellar", "clumsy")
    assert "(reasoning)" not in page([clumsy])
    assert page([{**clumsy, "reasoning": [{"message": 2, **kept}]}]).count(shown) == 1


def test_secrets_that_are_known_now_are_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    clumsy = record("cellar", "clumsy")
    for message in clumsy["messages"]:
        message["content"] = message["content"].replace("Wine.", "It is hunter2-hunter2.")
    monkeypatch.setenv("CELLAR_PASSWORD", "hunter2-hunter2")
    text = page([clumsy])
    assert "hunter2" not in text
    assert "It is ***." in text


RUN = {
    "started": "2025-03-02T09:00:05+00:00",
    "command": "pytest --agent=clumsy <b>",
    "commit": "0123456789abcdef0123456789abcdef01234567",
    "clean": False,
}


def test_who_played_says_when_and_how() -> None:
    judged = {"judge": "j", "judge_settings": {"type": "a:B", "model": "p/m"}}
    text = page([record("cellar", "clumsy") | {"run": RUN} | judged])
    row = text.partition("Who played")[2].partition("</table>")[0]
    row = re.sub(r"</?(code|span|wbr)[^>]*>", "", row)
    cells = re.findall(r'data-label="(\w+)">([^<]*)', row)
    assert dict(cells) | {"prompt": ""} == {
        "started": "2025-03-02 09:00",
        "commit": "0123456789ab, with changes",
        "command": "pytest --agent=clumsy &lt;b&gt;",
        "agent": "clumsy",
        "prompt": "",
        "user": "scripted",
        "judge": "j (p/m)",
    }
    assert "You act for the user" in row


def test_the_verdict_of_the_gate_is_a_banner() -> None:
    report = HtmlReport()
    report.add(record("cellar", "clumsy"))
    assert 'class="gate' not in "".join(report.texts())
    name = "toolsandbox.verdict"
    figures = {name: "worse", f"{name}.drop": 0.25, f"{name}.margin": 0.05}
    figures |= {f"{name}.pass_rate": 0.75, f"{name}.pass_rate.before": 1.0}
    figures |= {f"{name}.drop.low": 0.1, f"{name}.drop.high": 0.4}
    broke = TitledTable(
        "scenarios that broke",
        ("before", "now", "scenario"),
        [("1/1", "0/1", "pantry.yaml::cellar"), ("1/1", "0/1", "<i>")],
        words=0,
    )
    lines = ["baseline: worse: it passes less often", "2 scenarios compared"]
    report.gates = [gate_banner(figures, lines, [broke])]
    text = "".join(report.texts())
    banner = text.partition('<section class="gate worse"')[2].partition("</section>")[0]
    words = re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", banner))
    assert "The gate says: worse it passes less often" in words
    assert (
        "pass rate 0.750, before 1.000 drop 0.250 95 % interval 0.100 to 0.400 margin 0.050"
        in words
    )
    assert "scenarios that broke (2) scenario before" in words
    assert "how it was decided 2 scenarios compared" in words
    assert "&lt;i&gt; 1/1 0/1" in words
    key = re.findall(r'<th scope="row"><a href="#(\w+)" data-talk="\1">cellar</a>', banner)
    assert f'id="{key[0]}"' in text
    assert text.index('class="gate') < text.index("Did not pass")


def test_a_conversation_says_what_the_user_wants_and_whose_clock_it_is() -> None:
    text = page(records("clumsy"))
    assert "<span>scenario</span> Tea and rice go in, in any order.</p>" in text
    assert "<span>the user wants</span> Have enough for &lt;tea&gt; and supper.</p>" in text
    assert "<span>the user opens</span> Put tea and rice in.</blockquote>" in text
    assert "<span>world&#39;s clock</span> " in text


def test_a_wrong_call_is_not_shown_as_right() -> None:
    text = page(records("clumsy"))
    pairs = text.partition("calls beside the closest solution")[2].partition("</table>")[0]
    rows = re.findall(r'<tr class="(\w+)">.*?<td data-label="is">([^<]*|<abbr.*?)</td></tr>', pairs)
    code = '<abbr title="incorrect argument value">IAV</abbr>'
    assert ("wrong", code) in rows
    assert ("reached", "right") in rows
    assert 'class="by-agent faulty"' in text


def test_what_nobody_has_read_is_not_shown_as_right() -> None:
    report = HtmlReport()
    report.add(record("claims", "clumsy"))
    text = "".join(report.texts())
    assert re.search(r'<li class="unread">.*?unread told', text, re.DOTALL)
    assert re.search(r'<p class="note unread">unread told</p>', text)
    assert re.search(r'<g class="unread"><title>told: unread', text)
    assert not re.search(r'class="(note )?reached"', text)

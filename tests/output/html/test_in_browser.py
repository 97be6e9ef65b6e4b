"""The report in a real browser: no error, and all that a reader does with it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fcntl", reason="the pipes to the browser are those of POSIX")

from browser import Browser, browser, program
from html_records import evil, record, records

from pytest_toolsandbox.output.html import report as html_report
from pytest_toolsandbox.output.html.gate_banner import GateBanner
from pytest_toolsandbox.output.html.report import HtmlReport
from pytest_toolsandbox.output.tables import TitledTable

pytestmark = [pytest.mark.skipif(program() is None, reason="no Chromium or Chrome is installed")]
ROWS = "document.querySelectorAll('#items tbody tr:not([hidden])')"
NAMES = f"[...{ROWS}].map((row) => row.cells[1].textContent)"


@pytest.fixture(scope="module")
def tab() -> Iterator[Browser]:
    with browser() as started:
        yield started


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A page of two runs: the oracle's, and one of an agent that does harm and writes markup."""
    report = HtmlReport("Pantry")
    clumsy = [*records("clumsy"), {**evil(), "id": "pantry.yaml::evil", "agent": "clumsy"}]
    solved = {**record("fork", "oracle"), "id": "pantry.yaml::evil"}
    for run in ([*records("oracle"), solved], clumsy):
        for played in run:
            played["agent_settings"] = {"name": played["agent"], "type": None, "parameter": None}
            report.add(played, played["agent"])
    fell = [("insufficient_information", "28", "+0.929", "<0.001")]
    groups = TitledTable("passes less often", ("", "scenarios", "drop", "p (Holm)"), fell)
    banner = GateBanner("worse", "x", "it passes less often", tables=[groups])
    report.gates = [banner._replace(title="clumsy beside oracle", run="clumsy")]
    path = tmp_path_factory.mktemp("pages") / "report.html"
    path.write_text("".join(report.texts()), encoding="utf-8")
    return path


@pytest.fixture
def page(tab: Browser, file: Path) -> Iterator[Browser]:
    """The page, newly opened; nothing may be wrong with it, or asked of any network."""
    tab.problems.clear()
    tab.requested.clear()
    tab.open(file.as_uri())
    yield tab
    assert tab.problems == []
    assert {address for address in tab.requested if not address.startswith("about:")} == {
        file.as_uri()
    }


def go(page: Browser, address: str) -> None:
    page.value(f"location.hash = {address!r}")


def click(page: Browser, selector: str, words: str = "") -> None:
    """Click the first element that a selector finds and that holds the words."""
    every = f"[...document.querySelectorAll({selector!r})]"
    element = f"{every}.find((one) => one.textContent.includes({words!r}))"
    page.wait(element)
    # What is drawn, as links of the graph, has no click() of its own.
    event = "new MouseEvent('click', {bubbles: true, cancelable: true})"
    page.value(f"{element}.dispatchEvent({event})")
    page.value("new Promise(requestAnimationFrame)")


def opened(page: Browser, arm: str, item: str) -> None:
    of_arm = f"[...{ROWS}].filter((row) => row.dataset.arm === {arm!r})"
    row = f"{of_arm}.find((row) => row.cells[1].textContent === {item!r})"
    page.value(f"{row}.querySelector('a').click()")
    page.wait("document.querySelector('#view article')")


def test_it_opens_and_counts(page: Browser) -> None:
    assert page.value("document.title") == "Pantry"
    assert page.value("document.querySelector('#count').value") == "8 of 8 items"
    assert page.value("document.querySelector('#plain')") is None


def test_no_heading_is_wider_than_its_column(page: Browser) -> None:
    heads = "[...document.querySelectorAll('#items thead th')]"
    assert page.value(f"{heads}.filter((one) => one.scrollWidth > one.clientWidth).length") == 0
    widths = page.value(f"{heads}.map((one) => [one.dataset.name, one.offsetWidth])")
    assert dict(widths)["verdict"] >= 250
    assert all(width >= 50 for _, width in widths)


def test_headings_sort_and_the_address_keeps_it(page: Browser) -> None:
    click(page, "#items th button", "score")
    scores = page.value(f"[...{ROWS}].map((row) => Number(row.dataset.score))")
    assert scores == sorted(scores)
    click(page, "#items th button", "score")
    assert page.value(f"[...{ROWS}].map((row) => Number(row.dataset.score))") == scores[::-1]
    assert page.value("location.hash") == "#sort=score&dir=desc"
    assert page.value("document.querySelector('[aria-sort]').textContent") == "score"
    page.open(page.value("location.href"))
    assert page.value(f"Number({ROWS}[0].dataset.score)") == max(scores)


@pytest.mark.parametrize(
    ("state", "names"),
    [
        ("outcome=failed&category=query", ["most"]),
        ("pattern=IAV&arm=clumsy", ["fork", "evil"]),
        ("q=wrong+answer", ["most"]),
        ("from=0.9&category=insufficient_information", ["cellar"]),
        ("sort=item&most=1", ["cellar"]),
        ("q=nothing+like+it", []),
    ],
)
def test_an_address_filters(page: Browser, state: str, names: list[str]) -> None:
    go(page, state)
    page.wait(f"{ROWS}.length === {len(names)}")
    count = "8 of 8 items, the first 1 are shown" if "most" in state else f"{len(names)} of 8 items"
    assert page.value("document.querySelector('#count').value") == count
    assert set(page.value(NAMES)) == set(names)


def test_the_filters_say_what_they_filter(page: Browser) -> None:
    go(page, "outcome=failed&from=0.2&sort=score")
    chosen = "document.querySelector('#chosen').textContent"
    page.wait(f"{chosen} === 'with outcome failed, a score from 0.2'")
    options = "[...document.querySelector('[name=pattern]').options].map((one) => one.text)"
    assert "IAV: incorrect argument value" in page.value(options)


def test_the_key_of_a_conversation_is_its_address_whatever_is_filtered(page: Browser) -> None:
    of_fork = "[...document.querySelectorAll('#items tr[data-arm=clumsy] a')]"
    key = page.value(f"{of_fork}.find((one) => one.textContent === 'fork').dataset.talk")
    page.open(f"{page.value('location.href').partition('#')[0]}#q=cellar")
    go(page, f"#{key}")
    page.wait(f"document.querySelector('#view article')?.id === {key!r}")
    go(page, f"#{key}-m3")
    page.wait(f"document.activeElement.id === '{key}-m3'")
    go(page, "#")
    page.wait("!document.querySelector('#overview').hidden")


@pytest.mark.parametrize("width", [1280, 390])
def test_nothing_is_wider_than_the_screen(page: Browser, width: int) -> None:
    page.send(
        "Emulation.setDeviceMetricsOverride",
        width=width,
        height=900,
        deviceScaleFactor=1,
        mobile=width < 400,
    )
    wide = "document.documentElement.scrollWidth"
    try:
        page.open(page.value("location.href").partition("#")[0])
        assert page.value(wide) <= width
        banner = "document.querySelector('.gate .wide')"
        assert page.value(f"{banner}.scrollWidth <= {banner}.clientWidth")
        heading = "document.querySelectorAll('.gate thead th')[1]"
        assert page.value(f"{heading}.offsetHeight < 60")  # not letter by letter
        items = "document.querySelector('#items')"
        assert page.value(f"{items}.scrollWidth <= {items}.parentElement.clientWidth")
        row = f"{ROWS}[0]"
        is_card = page.value(f"getComputedStyle({row}).display === 'flex'")
        assert is_card is (width == 390)
        assert page.value(f"{row}.cells[0].getAttribute('role')") == "cell"
        opened(page, "clumsy", "fork")
        assert page.value(wide) <= width
        why = "document.querySelector('#view .why')"
        assert page.value(f"{why}.scrollWidth <= {why}.clientWidth")
    finally:
        page.send("Emulation.clearDeviceMetricsOverride")


def test_fields_filter_and_clear(page: Browser) -> None:
    page.value("document.querySelector('[name=q]').focus()")
    page.type("cellar")
    page.wait(f"{ROWS}.length === 2")
    assert page.value("location.hash") == "#q=cellar"
    click(page, "button[type=reset]")
    page.wait(f"{ROWS}.length === 8")
    assert page.value("location.hash") in ("", "#")


def test_a_conversation_that_is_packed_opens(page: Browser) -> None:
    opened(page, "oracle", "fork")
    assert "It is done." in page.value("document.querySelector('#view').textContent")
    assert page.value("document.querySelector('#overview').hidden") is True
    page.press("Escape")
    page.wait("!document.querySelector('#overview').hidden")
    assert page.value("document.activeElement.textContent") == "fork"


def test_the_graph_leads_to_messages(page: Browser) -> None:
    opened(page, "clumsy", "fork")
    states = "[...document.querySelectorAll('.graph g')].map((g) => g.getAttribute('class'))"
    assert sorted(page.value(states)) == ["hit", "nearest", "nearest", "reached", "reached"]
    click(page, ".graph a", "opened")
    assert "open_door" in page.value("document.activeElement.previousElementSibling.textContent")
    assert "reached opened" in page.value("document.activeElement.textContent")
    click(page, ".entries a.jump", "nearest at")
    assert "nearest to" in page.value("document.activeElement.textContent")


def test_two_beside_each_other(page: Browser) -> None:
    opened(page, "clumsy", "fork")
    click(page, "#view nav a", "beside oracle trial 1")
    page.wait("document.querySelector('.beside')")
    assert page.value("document.querySelectorAll('.beside article').length") == 2
    parting = "document.querySelector('#parting')"
    assert page.value(f"{parting}.textContent") == "here they part"
    assert "salt" in page.value(f"{parting}.nextElementSibling.textContent")
    assert "open_door" not in page.value(f"{parting}.nextElementSibling.textContent")
    click(page, "#view nav a", "one alone")
    page.wait("!document.querySelector('.beside')")


def test_two_trials_that_say_the_same(page: Browser) -> None:
    opened(page, "oracle", "fork")
    click(page, "#view nav a", "beside oracle trial 2")
    page.wait("document.querySelector('.beside')")
    assert page.value("document.querySelector('.parting').textContent") == "both say the same"


def test_what_failed_stands_on_the_first_screen_and_opens(page: Browser) -> None:
    first = "document.querySelector('#missed li')"
    assert page.value(f"{first}.getBoundingClientRect().bottom < innerHeight")
    assert "missed told" in page.value(f"{first}.textContent")
    page.value(f"{first}.querySelector('a').click()")
    page.wait("document.querySelector('#view h2')")
    assert "missed told" in page.value("document.querySelector('#view .verdict').textContent")


def test_what_changed_leads_to_both(page: Browser) -> None:
    click(page, "#changed a", "cellar")
    page.wait("document.querySelectorAll('.beside article').length === 2")


def test_an_address_that_is_none(page: Browser) -> None:
    go(page, "#show=c000")
    page.wait("document.querySelector('[role=alert]')")
    alert = page.value("document.querySelector('[role=alert]').textContent")
    assert alert == "this report has no such conversation"


def test_markup_stays_text(page: Browser) -> None:
    opened(page, "clumsy", "evil")
    assert page.value("document.querySelectorAll('#view img, #view script').length") == 0
    assert "document.title='owned'" in page.value("document.querySelector('#view').textContent")
    assert page.value("document.title") == "evil"


def test_the_keyboard_suffices(page: Browser) -> None:
    page.press("/")
    page.type("cellar")
    page.wait(f"{ROWS}.length === 2")
    for _ in range(40):
        page.press("Tab")
        if page.value("document.activeElement.closest('tbody th') !== null"):
            break
    page.press("Enter")
    page.wait("document.querySelector('#view article')")
    assert page.value("document.activeElement.tagName") == "H2"


@pytest.mark.skipif("TOOLSANDBOX_PICTURES" not in os.environ, reason="no folder for pictures")
def test_pictures_for_the_documentation(page: Browser) -> None:
    folder = Path(os.environ["TOOLSANDBOX_PICTURES"])
    size = {"width": 1200, "height": 820, "deviceScaleFactor": 1, "mobile": False}
    page.send("Emulation.setDeviceMetricsOverride", **size)
    page.value("document.querySelector('#items').scrollIntoView({block: 'end'})")
    page.picture(folder / "overview.png")
    page.value("document.querySelector('#h-charts').scrollIntoView()")
    page.picture(folder / "charts.png")
    opened(page, "clumsy", "fork")
    page.picture(folder / "conversation.png")
    click(page, "#view nav a", "beside oracle trial 1")
    page.wait("document.querySelector('#parting')")
    page.value("document.querySelector('#parting').scrollIntoView({block: 'center'})")
    page.picture(folder / "beside.png")
    page.send("Emulation.clearDeviceMetricsOverride")


def test_it_can_be_printed(page: Browser) -> None:
    opened(page, "clumsy", "fork")
    assert page.pdf().startswith(b"%PDF")
    folded = "document.querySelector('#view details pre')"
    assert page.value(f"{folded}.checkVisibility()") is False
    page.send("Emulation.setEmulatedMedia", media="print")
    assert page.value(f"{folded}.checkVisibility()") is True
    page.send("Emulation.setEmulatedMedia", media="")


@pytest.mark.parametrize("address", ["", "show"])
@pytest.mark.parametrize("is_dark", [False, True])
def test_no_serious_fault_of_access(page: Browser, address: str, *, is_dark: bool) -> None:
    if find_spec("axe_core_python") is None:
        pytest.skip("needs axe-core-python")
    import axe_core_python

    script = Path(axe_core_python.__file__).with_name("axe.min.js").read_text(encoding="utf-8")
    page.send(
        "Emulation.setEmulatedMedia",
        features=[{"name": "prefers-color-scheme", "value": "dark" if is_dark else "light"}],
    )
    if address:
        opened(page, "clumsy", "fork")
    page.send("Runtime.evaluate", expression=script)
    violations: list[dict[str, Any]] = page.value("axe.run().then((found) => found.violations)")
    bad = [violation for violation in violations if violation["impact"] in ("serious", "critical")]
    assert [(violation["id"], violation["nodes"][0]["html"]) for violation in bad] == []


def test_without_scripts_failures_can_be_read(file: Path) -> None:
    with browser() as plain:
        plain.without_scripts()
        plain.open(file.as_uri())
        shown = plain.value("document.querySelector('#plain').innerText")
        assert plain.value("getComputedStyle(document.querySelector('#filters')).display") == "none"
        assert "hit salt_in; missed rice_in" in shown
        assert plain.problems == []


def test_of_many_rows_the_first_are_shown_and_all_without_scripts(
    tab: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(html_report, "_MOST_ROWS", 2)
    long = HtmlReport()
    for played in records("clumsy"):
        long.add(played)
    path = tmp_path / "long.html"
    path.write_text("".join(long.texts()), encoding="utf-8")
    tab.open(path.as_uri())
    assert tab.value("document.querySelector('#count').value") == (
        "3 of 3 items, the first 2 are shown"
    )
    assert tab.value(f"{ROWS}.length") == 2
    with browser() as plain:
        plain.without_scripts()
        plain.open(path.as_uri())
        rows = "[...document.querySelectorAll('#items tbody tr')]"
        assert plain.value(f"{rows}.filter((one) => one.offsetHeight).length") == 3


def test_a_screen_of_rows_is_there_at_once_and_the_others_follow(
    tab: Browser, tmp_path: Path
) -> None:
    long, cellar = HtmlReport(), record("cellar", "oracle")
    for number in range(130):
        long.add({**cellar, "id": f"a.yaml::s{number:03}"})
    path = tmp_path / "long.html"
    path.write_text("".join(long.texts()), encoding="utf-8")
    tab.open(path.as_uri())
    sort = (
        "[...document.querySelectorAll('#items th button')].find((b) => b.textContent === 'item')"
    )
    assert tab.value(f"{sort}.click(), {sort}.click(), {ROWS}.length") == 60
    tab.wait(f"{ROWS}.length === 130")
    assert tab.value(NAMES) == [f"s{number:03}" for number in reversed(range(130))]

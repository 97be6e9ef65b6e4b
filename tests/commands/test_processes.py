"""What is worked out by several processes is what one gives, in the same order."""

from __future__ import annotations

import subprocess
import sys

import pytest
from warm import COLD

pytestmark = [
    pytest.mark.usefixtures("warm"),
    pytest.mark.skipif(sys.platform != "linux", reason="processes are forked on Linux only"),
]

PROGRAM = """
import os, signal
from pytest_toolsandbox.commands import CommandError
from pytest_toolsandbox.commands import scenarios

os.sched_getaffinity = lambda _: range(3)
first = os.getpid()
signal.signal(signal.SIGINT, {on_interrupt})

def work_out(place):
    {step}
    return place, os.getpid() != first

try:
    print(list(scenarios.in_processes(work_out, {count})))
except CommandError as error:
    print(error)
"""


INTERRUPT = "place == 7 and os.killpg(0, signal.SIGINT)"


def run(
    step: str,
    count: int,
    python: str | None = None,
    on_interrupt: str = "signal.default_int_handler",
) -> subprocess.CompletedProcess[str]:
    program = [python or sys.executable, "-c"]
    program.append(PROGRAM.format(step=step, count=count, on_interrupt=on_interrupt))
    return subprocess.run(
        program, capture_output=True, text=True, check=False, start_new_session=True
    )


@pytest.mark.parametrize(("count", "is_other"), [(60, True), (39, False)])
def test_results_are_in_order_and_of_other_processes(count: int, *, is_other: bool) -> None:
    assert run("pass", count).stdout == f"{[(place, is_other) for place in range(count)]}\n"


def test_a_process_that_ends_is_told() -> None:
    done = run("place == 7 and os._exit(3)", 60)
    assert done.stdout.startswith("a process that worked on a part of this has ended: ")


def test_ctrl_c_reaches_all_processes() -> None:
    done = run(INTERRUPT, 60, COLD)  # alone in its group
    assert "KeyboardInterrupt" in done.stderr
    assert "Process" not in done.stderr  # only the first one says so


def test_where_ctrl_c_is_ignored_all_processes_ignore_it() -> None:
    done = run(INTERRUPT, 60, COLD, "signal.SIG_IGN")
    assert done.stdout == f"{[(place, True) for place in range(60)]}\n"


def test_a_check_in_processes_prints_what_one_process_does(pytester: pytest.Pytester) -> None:
    scenario = (
        "world: phone\nuser: {opening: Hello}\nmilestones: {told: {says: {mentions: hello}}}\n"
        "solutions: {politely: [{say: Hello!}]}\ncounterexamples: {rudely: [{say: Go!}]}\n"
    )
    for number in range(4):
        text = scenario.replace("Hello!", "Hm") if number == 2 else scenario
        pytester.path.joinpath(f"s{number}.scenario.yaml").write_text(text)
    program = (
        "from pytest_toolsandbox.__main__ import main\n"
        "from pytest_toolsandbox.commands import scenarios\n"
        "import os\n"
        "scenarios.SHARE, os.sched_getaffinity = 1, lambda _: range({cores})\n"
        "main(['check', '.'])"
    )
    alone, two = (
        subprocess.run(
            [sys.executable, "-c", program.format(cores=cores)], capture_output=True, check=False
        )
        for cores in (1, 2)
    )
    assert b"s2.scenario.yaml::s2: solution 'politely' scores 0" in alone.stdout
    assert (two.stdout, two.stderr, two.returncode) == (
        alone.stdout,
        alone.stderr,
        alone.returncode,
    )

"""Categories, tags and marks of scenarios are pytest's marks, also where those are strict."""

from __future__ import annotations

import pytest
from desk import LIGHT, Suite, section

from pytest_toolsandbox.suites import suites

HEAD = "world: desk\nuser: {opening: Hello}\nprotected: [note]\n"


def marked(suite: Suite, marks: str) -> None:
    text = LIGHT.replace("categories: [single_tool_call, single_user_turn]", "")
    suite.write("light.scenario.yaml", f"{text}\n{marks}\n")


@pytest.mark.parametrize("option", ["--strict-markers", "-Werror::pytest.PytestUnknownMarkWarning"])
def test_only_categories_and_tags_need_no_registration(suite: Suite, option: str) -> None:
    marked(suite, "categories: [state_dependency, of_my_own]\ntags: [slow, nightly]")
    suite.write("a.scenario.yaml", f"{LIGHT}marks: [nowhere: 5]")
    suite.write("test_mine.py", "import pytest\n@pytest.mark.state_dependency\ndef test(): pass\n")
    result = suite.run("--agent=oracle", option, "-m", "of_my_own and slow and nightly")
    result.assert_outcomes(passed=1, deselected=1, errors=1)
    assert section(result, "ERROR collecting a.scenario.yaml") == (
        "a.scenario.yaml:13:9: a: marks: 'nowhere' is not registered; add it to markers in "
        "the ini file"
    )


def test_the_categories_are_listed(suite: Suite) -> None:
    suite.run("--markers").stdout.fnmatch_lines(
        [
            "@pytest.mark.single_tool_call: *",
            "@pytest.mark.multiple_tool_call: *",
            "@pytest.mark.single_user_turn: *",
            "@pytest.mark.multiple_user_turn: *",
            "@pytest.mark.state_dependency: *",
            "@pytest.mark.canonicalization: *",
            "@pytest.mark.insufficient_information: *",
        ]
    )


def test_a_mark_of_pytest_or_of_a_plugin_is_neither_a_category_nor_a_tag(suite: Suite) -> None:
    suite.conftest(
        "def pytest_configure(config): config.addinivalue_line('markers', 'of_a_plugin(n): x')"
    )
    words = ("skip", "xfail", "parametrize", "of_a_plugin", "xdist_group")
    refused = {f"{key}_{word}": (key, word) for key in ("categories", "tags") for word in words}
    for name, (key, word) in refused.items():
        suite.write(f"{name}.scenario.yaml", f"{HEAD}{key}: [{word}, fine]\n")
    result = suite.run("--agent=oracle")
    result.assert_outcomes(errors=10)
    for name, (key, word) in refused.items():
        assert section(result, f"ERROR collecting {name}.scenario.yaml") == (
            f"{name}.scenario.yaml:4:{len(key) + 4}: {name}: {word!r} is a mark of pytest or of a "
            "plugin; take another word, or put it under marks: if you mean it"
        )


def test_marks_of_the_ini_file_are_free(suite: Suite) -> None:
    suite.ini("markers =", "  nightly: takes long", "  owner(name): who minds it")
    marked(suite, "tags: [nightly]\nmarks: [owner: ada]")
    suite.run("--agent=oracle", "--strict-markers", "-m", "nightly").assert_outcomes(passed=1)


def test_categories_of_the_project_are_rows_of_the_tables(suite: Suite) -> None:
    suite.ini("sandbox_categories =", "  of_my_own", "  billing")
    marked(suite, "categories: [state_dependency, of_my_own]")
    suite.write("bill.scenario.yaml", f"{HEAD}categories: [biling]\n")
    options = ("--agent=oracle", "--sandbox-min-score=of_my_own=0.5", "-m", "of_my_own")
    result = suite.run(*options, "--junitxml=r.xml", "--sandbox-html=r.html")
    result.assert_outcomes(passed=1, errors=1)
    result.stdout.fnmatch_lines(["state_dependency *", "of_my_own *", "all scenarios *"])
    assert section(result, "ERROR collecting bill.scenario.yaml") == (
        "bill.scenario.yaml:4:14: bill: unknown category 'biling'; did you mean 'billing'?"
    )
    assert 'name="toolsandbox.of_my_own.score"' in suite.path.joinpath("r.xml").read_text()
    assert "of_my_own" in suite.path.joinpath("r.html").read_text()


def test_bundled_suites_keep_their_categories(suite: Suite) -> None:
    suite.ini("sandbox_categories = billing")
    folder = suites()["office"] / "easy"
    file = min(folder.glob("*.yaml"))
    assert suite.run("--agent=oracle", "--collect-only", str(file)).ret == 0


def test_marks_with_arguments(suite: Suite) -> None:
    suite.conftest(
        "@pytest.fixture\n"
        "def there(): print('fixture')\n"
        "def pytest_collection_modifyitems(items):\n"
        "    for item in items: print(item.name, [m for m in item.iter_markers()])\n"
    )
    suite.write(
        "many.scenario.yaml",
        LIGHT
        + """
scenarios:
  bare: {marks: [skip]}
  by_keyword: {marks: [skip: {reason: not yet}]}
  by_position: {marks: [skipif: ["sys.platform != 'amiga'"]]}
  one_value: {marks: [usefixtures: there]}
  known: {marks: [xfail: {reason: known, strict: true}], milestones: {no: {says: {exact: no}}}}
  passes: {marks: [xfail: {reason: known, strict: true}]}
""",
    )
    result = suite.run("--agent=oracle", "-s", "-rsx")
    result.assert_outcomes(skipped=3, passed=1, xfailed=1, failed=1)
    result.stdout.fnmatch_lines(["*name='usefixtures', args=('there',)*", "*fixture*"])
    result.stdout.fnmatch_lines(
        ["SKIPPED*not yet", "SKIPPED*condition: sys.platform*", "XFAIL*::known - *known"],
    )
    result.stdout.no_fnmatch_line("play a failure again:")


def test_an_error_is_no_failure_that_was_expected(suite: Suite) -> None:
    marked(suite, "marks: [xfail]")
    result = suite.run("--agent=nowhere:agent", "--sandbox-results=results.jsonl")
    result.assert_outcomes(errors=1)
    assert [record["outcome"] for record in suite.records()] == ["error"]


def test_parameters_for_a_fixture(suite: Suite) -> None:
    suite.conftest(
        "@pytest.fixture\ndef agent(agent, request): return agent if request.param else None"
    )
    marked(suite, "marks: [parametrize: {argnames: agent, argvalues: [1, 0], indirect: true}]")
    suite.run("--agent=oracle").assert_outcomes(passed=1, errors=1)


NOT_READ = "pytest cannot read 'parametrize', "
PROBLEMS = [
    ("filterwarnings: 5", "filterwarnings: 5 is not a filter of warnings"),
    (
        "filterwarnings: 'error::nope.Nope'",
        "filterwarnings: 'error::nope.Nope' is not a filter of warnings",
    ),
    ("filterwarnings: 'bogus:bogus'", "filterwarnings: 'bogus:bogus' is not a filter of warnings"),
    ("skipif", "skipif: there is no condition; skip takes none"),
    ("skipif: []", "skipif: there is no condition; skip takes none"),
    ("skipif: {nope: 1}", "skipif: unknown argument 'nope' (allowed: condition, reason)"),
    (
        "skipif: true",
        (
            "Error evaluating 'skipif': you need to specify reason=STRING when using booleans as "
            "conditions."
        ),
    ),
    (
        "skipif: nope",
        "Error evaluating 'skipif' condition nope NameError: name 'nope' is not defined",
    ),
    (
        "skip: [1, 2]",
        (
            "Skip.__init__() takes from 1 to 2 positional arguments but 3 were given - maybe you "
            "meant pytest.mark.skipif?"
        ),
    ),
    ("skip: {nope: 1}", "skip: unknown argument 'nope' (allowed: reason)"),
    ("skip: 5", "a reason must be text, found the number 5"),
    ("skipif: {condition: 'True', reason: 5}", "a reason must be text, found the number 5"),
    (
        "xfail: {raises: OSError}",
        "xfail: unknown argument 'raises' (allowed: condition, reason, run, strict)",
    ),
    ("xfail: '1 +'", "Error evaluating 'xfail' condition 1 + ^ SyntaxError: invalid syntax"),
    ("usefixtures", "usefixtures: expected names of fixtures, found null"),
    ("usefixtures: 5", "usefixtures: expected names of fixtures, found the number 5"),
    ("usefixtures: [[1]]", "usefixtures: expected names of fixtures, found a list of 1"),
    ("usefixtures: nope", "usefixtures: there is no fixture 'nope'; define it in a conftest.py"),
    *(
        (mark, NOT_READ)
        for mark in ("parametrize", "parametrize: [house]", "parametrize: [[house], [[1, 2]]]")
    ),
]


def test_a_mark_that_pytest_cannot_read_is_a_line_and_other_files_run(suite: Suite) -> None:
    for number, (mark, _) in enumerate(PROBLEMS):
        suite.write(f"a{number:02}.scenario.yaml", f"{LIGHT}marks:\n  - {mark}\n")
    suite.write("hook.scenario.yaml", f"{HEAD}scenarios: {{pytest_generate_tests: , fine: }}\n")
    suite.write("fine.scenario.yaml", LIGHT)
    result = suite.run("--agent=oracle", "-Werror")
    result.assert_outcomes(passed=1, errors=len(PROBLEMS) + 1)
    for number, (mark, problem) in enumerate(PROBLEMS):
        name = f"a{number:02}"
        page = section(result, f"ERROR collecting {name}.scenario.yaml")
        place, _, message = page.partition(": ")
        assert place in (f"{name}.scenario.yaml:14:3", f"{name}.scenario.yaml:14:5"), mark
        message = message.removeprefix(f"{name}: marks: ")
        assert message.startswith(problem) if problem is NOT_READ else message == problem
    assert section(result, "ERROR collecting hook.scenario.yaml") == (
        "hook.scenario.yaml:4:1: pytest_generate_tests: pytest_generate_tests is a hook of pytest; "
        "take another name"
    )


def test_parameters_that_no_fixture_takes(suite: Suite) -> None:
    marked(suite, "marks: [parametrize: [number, [1, 2]]]")
    result = suite.run("--agent=oracle")
    result.assert_outcomes(errors=1)
    page = section(result, "ERROR collecting light.scenario.yaml")
    assert page.splitlines()[-1].endswith("function uses no argument 'number'")


def test_fixtures_of_parameters_and_of_pytest_can_be_used(suite: Suite) -> None:
    suite.conftest("@pytest.fixture\ndef mine(): pass")
    marks = "[usefixtures: [mine, tmp_path, request], parametrize: [agent, [1, 2]]]"
    suite.write("a.scenario.yaml", f"{LIGHT}marks: {marks}\n")
    suite.run().assert_outcomes(errors=2)  # the parameters are no agents

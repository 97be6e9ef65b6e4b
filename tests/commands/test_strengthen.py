"""``toolsandbox strengthen``: what would kill the mutants that survive the proof of a scenario."""

from __future__ import annotations

from pathlib import Path

from command_line import Run

WEAK = """\
world: phone
state: {setting: {cellular: false}}
tools: [search_contacts, send_message_with_phone_number, set_cellular_service_status]
user: {opening: Text my sister that I'll be there at six.}
guardrails: none
milestones:
  told: {says: {mentions: [sister]}}
protected: [reminder]
solutions:
  s:
    - search_contacts: {relationship: sister}
    - set_cellular_service_status: {on: true}
    - send_message_with_phone_number:
        phone_number: $search_contacts[0].phone_number
        content: I'll be there at six.
    - say: Your sister knows.
counterexamples:
  nothing: [say: I cannot.]
"""
TOLD = "  told: {says: {mentions: [sister]}}\n"
GUARDED = "guardrails: {all_but: [setting.cellular]}"


def test_what_the_solutions_have_in_common_kills_survivors(folder: Path, run: Run) -> None:
    file = folder / "weak.scenario.yaml"
    file.write_text(WEAK)
    printed = run("strengthen", ".")
    assert printed.status == 0, printed
    title, *lines = printed.lines
    assert title == "weak.scenario.yaml::weak: 10 of 13 mutants survive"
    asked = lines[lines.index("    would fail with") + 1 :]
    end = next(place for place, line in enumerate(asked) if not line.startswith("      "))
    added = "\n".join(line[6:] for line in asked[1:end])
    assert lines[-2:] == ["    would fail with", f"      {GUARDED}"]
    text = WEAK.replace("guardrails: none", GUARDED)
    file.write_text(text.replace(TOLD, f"{TOLD}{added}\n"))
    stronger = run("strengthen", ".")
    assert stronger.lines[0] == "weak.scenario.yaml::weak: 0 of 13 mutants survive"
    assert run("check", ".").status == 0


def test_what_is_not_proved_is_not_strengthened(folder: Path, run: Run) -> None:
    (folder / "weak.scenario.yaml").write_text(WEAK.replace("Your sister knows", "Your mom knows"))
    printed = run("strengthen", ".")
    assert printed.status == 1
    assert "solution 's' scores 0.0000 and not 1; missed: told" in printed.out
    assert "survive" not in printed.out

"""`--drawn-as`: `sample` and `gate --plan` print a digest; `gate`, `check` and `report` say whether it holds."""

import json
import re

import pytest

from sampled import sampled

AUDIT = "x.audit.toml"


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def audit(tmp_path):
    with sampled(tmp_path, ruled=0) as at:
        at.save()


def printed(text: str) -> str:
    return re.search(r"Digest: ([a-z2-7]{12})\.", text)[1]


def test_a_draw_and_a_plan_print_a_digest_each_that_holds_from_then_on(audit, cli):
    drawn = printed(cli(f"sample {AUDIT}").out)
    planned = printed(cli(f"gate {AUDIT} Polite:yes>=.2 --plan 20,40").err)
    assert drawn != planned
    assert printed(cli(f"sample {AUDIT}").out) == planned
    assert "1 later act is not in it" in cli(f"check {AUDIT} --drawn-as {drawn}").out
    told = cli(f"check {AUDIT} --drawn-as {planned}").out
    assert f"The digest {planned} holds" in told
    assert "later" not in told


def test_gate_tells_programs_whether_the_digest_holds(audit, cli):
    digest = printed(cli(f"sample {AUDIT}").out)
    held = json.loads(
        cli(f"gate {AUDIT} Polite:yes>=.2 --json --drawn-as {digest}", code=3).out,
    )
    assert (held["drawn_as"]["holds"], held["sample"]["digest"]) == (True, digest)
    other = json.loads(
        cli(f"gate {AUDIT} Polite:yes>=.2 --json --drawn-as aaaaaaaaaaaa", code=3).out,
    )
    assert (other["drawn_as"]["holds"], other["bars"]) == (False, [])


def test_no_look_is_saved_where_the_digest_does_not_hold(tmp_path, cli):
    with sampled(tmp_path, 120, ruled=40) as at:
        at.save()
    before = (tmp_path / AUDIT).read_bytes()
    cli(f"gate {AUDIT} Polite:yes>=.2 --drawn-as aaaaaaaaaaaa", code=3)
    assert (tmp_path / AUDIT).read_bytes() == before


def test_the_report_has_the_digest_and_says_of_another_that_it_does_not_hold(
    audit,
    cli,
):
    digest = printed(cli(f"sample {AUDIT}").out)
    assert f"| Digest (for --drawn-as) | {digest} |" in cli(f"report {AUDIT}").out
    assert (
        f"The digest {digest} holds" in cli(f"report {AUDIT} --drawn-as {digest}").out
    )
    told = cli(f"report {AUDIT} --format json --drawn-as aaaaaaaaaaaa").out
    assert json.loads(told)["drawn_as"]["holds"] is False
    assert "drawn_as" not in json.loads(cli(f"report {AUDIT} --format json").out)


@pytest.mark.parametrize("command", ["check", "report", "gate"])
def test_what_is_no_digest_is_refused(audit, command, cli):
    bars = " Polite:yes>=.2" * (command == "gate")
    told = cli(f"{command} {AUDIT}{bars} --drawn-as abc", code=2).err
    assert '--drawn-as: "abc" is not a digest: a digest is 12 letters a to z' in told


def test_check_takes_a_digest_for_audits_alone_and_all_have_to_hold(
    audit,
    tmp_path,
    cli,
):
    (tmp_path / "t.jsonl").write_text('{"id": "1", "response": "yes"}\n')
    assert (
        "there is no audit to look at"
        in cli("check t.jsonl --drawn-as aaaaaaaaaaaa", code=2).err
    )
    digest = printed(cli(f"sample {AUDIT}").out)
    with sampled(tmp_path / "other", 50) as at:
        at.save()
    cli(f"check {AUDIT} other/{AUDIT} --drawn-as {digest}", code=1)
    cli(f"check other/{AUDIT} {AUDIT} --drawn-as {digest}", code=1)

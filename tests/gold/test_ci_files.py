"""JUnit XML and annotations hold hostile texts as texts."""

import json
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from appellate.gold.annotations import annotations, json_without_commands, no_commands
from appellate.gold.asking import in_audit
from appellate.gold.checking import check
from appellate.gold.junit import junit_xml
from appellate.stats.looks import read_bar
from appellate.store.audits.audit import load_audit
from gold_sets import frozen

HOSTILE = "x\n::error::y\r%0A]]> \x1b[31m\x00 & <a b='\"'> \ud800 ##[set-env name=A]B"


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    folder = tmp_path_factory.mktemp("gold")
    gold = frozen(folder, "judge.agreement>=.99", own_errors=[4, 5])
    answers = in_audit(load_audit(folder / "x.audit.toml"), "old", gold)
    return check(gold, answers, [*gold.bars, read_bar("judge.kappa>=.9")])


def test_a_hostile_name_and_a_hostile_reason_are_texts_of_valid_xml(found):
    failures = {HOSTILE: HOSTILE}
    hostile = replace(found, name=HOSTILE, failures=failures)
    text = junit_xml([hostile]).decode()
    root = ET.fromstring(text)  # noqa: S314 - our own
    suite = root[0]
    assert (suite.get("tests"), suite.get("errors")) == ("33", "1")
    (case,) = [one for one in suite if one.find("error") is not None]
    assert "##[set-env name=A]B" in case.get("name")
    assert suite.get("failures") == "1" or suite.get("skipped")
    for character in ("\x1b", "\x00", "\ud800"):
        assert character not in text


@given(name=st.text(), reason=st.text())
def test_whatever_a_text_says_an_annotation_is_one_line_and_one_command(
    found,
    name,
    reason,
):
    hostile = replace(found, name=name, failures={name: reason})
    for line in annotations([hostile], name):
        assert line.splitlines() == [line]
        assert line.startswith(("::error file=", "::warning file=", "::notice file="))
        properties, _, _ = line[2:].partition("::")
        assert properties.count(",") == 1
    ET.fromstring(junit_xml([hostile]))  # noqa: S314 - our own


@given(st.lists(st.text()))
def test_no_printed_line_is_a_command(lines):
    for line in no_commands(
        [*lines, "::stop-commands::x", "  ::error::x", "a ##[error]b"],
    ):
        assert not line.lstrip().startswith("::")
        assert "##[" not in line


def test_json_means_the_same_and_has_no_command():
    text = json.dumps({"a": "##[error]x"})
    safe = json_without_commands(text)
    assert "##[" not in safe
    assert json.loads(safe) == json.loads(text)

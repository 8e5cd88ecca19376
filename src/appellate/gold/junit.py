"""A check as JUnit XML, which CI systems show: a suite a judge, a test a bar and a test a cell."""

import re
from collections.abc import Sequence
from typing import Literal
from xml.etree import ElementTree as ET

from appellate.core.inert import visible
from appellate.gold.checking import LOST, JudgeCheck
from appellate.gold.telling import flip_line
from appellate.numbers.such_traces import bar_text

_NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that no XML document may have."""
OutcomeTag = Literal["failure", "error", "skipped"]
_OUTCOMES: dict[str, OutcomeTag] = {
    "failures": "failure",
    "errors": "error",
    "skipped": "skipped",
}
"""The attribute of a suite that counts its tests of an outcome, and the element of such a test."""


def junit_xml(checks: Sequence[JudgeCheck]) -> bytes:
    """Return a check as a JUnit document in UTF-8, with a suite for each judge.

    An answered cell by people is a test that passes, and so is a bar that is reached. A bar that is
    not reached is a failure, an undecided one is skipped; so is a stale cell. A cell with no
    recorded reply or without an answer is an error. What the judge lost against the gold's own
    judge is no failure: it is told in the output of the cell's test. Cells that a judge was not
    asked about, and those by agents that it answered, have no test. A suite of an undecided judge
    has at least one skipped test.
    """
    root = ET.Element("testsuites")
    for check in checks:
        _add_suite(root, check)
    ET.indent(root)
    text = ET.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n'.encode()


def _add_suite(root: ET.Element, check: JudgeCheck) -> None:
    """Add the suite of one judge to `root`: a test for each bar and cell, and the counts of them.

    A bar that is not reached is a failure, an undecided one is skipped, each with the bar's number
    as the message, and one that is reached passes. An undecided judge of which nothing was skipped
    gets one more test, "verdict", which is skipped with the reasons. The counts are the suite's
    attributes failures, errors, skipped and tests.
    """
    suite = ET.SubElement(root, "testsuite", name=_fit_for_xml(check.name))
    for result in check.bars:
        case = _add_test(suite, check, f"bar {result.bar}")
        if result.decision == "not reached":
            _add_outcome(case, "failure", bar_text(result))
        elif result.decision == "undecided":
            _add_outcome(case, "skipped", bar_text(result))
    _add_cells(suite, check)
    skipped = suite.findall("testcase/skipped")
    if check.verdict == "undecided" and not skipped:
        case = _add_test(suite, check, "verdict")
        reasons = " ".join(check.reasons)
        _add_outcome(case, "skipped", reasons or "undecided")
    for key, tag in _OUTCOMES.items():
        outcomes = suite.findall(f"testcase/{tag}")
        suite.set(key, str(len(outcomes)))
    tests = suite.findall("testcase")
    suite.set("tests", str(len(tests)))


def _add_cells(suite: ET.Element, check: JudgeCheck) -> None:
    """Add a test for each cell of a judge to its suite that counts, is stale, or got no answer.

    A counted cell passes, whatever the judge answered: what it lost against the gold's own judge is
    the test's output, a line for each flip. A cell without a recorded reply or without an answer is
    an error, a stale one is skipped, each with why. Cells that the judge was not asked about, and
    those by agents that it answered, have no test.
    """
    lost: dict[str, list[str]] = {}
    for flip in check.flips.flips:
        if flip.sort == LOST:
            lines = lost.setdefault(flip.cell.name, [])
            lines.append(flip_line(flip))
    for cell in check.counted:
        case = _add_test(suite, check, cell.name)
        if cell.name in lost:
            output = ET.SubElement(case, "system-out")
            text = "\n".join(lost[cell.name])
            output.text = _fit_for_xml(text)
    for name in check.answers.missing:
        case = _add_test(suite, check, name)
        _add_outcome(case, "error", "No reply is recorded about this cell.")
    for name, reason in check.failures.items():
        case = _add_test(suite, check, name)
        _add_outcome(case, "error", reason)
    for stale in check.stale:
        case = _add_test(suite, check, stale.cell.name)
        _add_outcome(case, "skipped", f"stale: another is {stale.what}")


def _add_test(suite: ET.Element, check: JudgeCheck, name: str) -> ET.Element:
    """Add a test of this name to a suite, under the judge's name as its class, and return it.

    Both names are made fit for XML. The test has no outcome yet, so it passes.
    """
    return ET.SubElement(
        suite,
        "testcase",
        classname=_fit_for_xml(check.name),
        name=_fit_for_xml(name),
    )


def _add_outcome(case: ET.Element, tag: OutcomeTag, message: str) -> None:
    """Add an outcome, the element `tag`, with its message to a test, in place.

    The message is both its attribute and its text. Control characters in it are made visible, and
    characters that XML forbids become U+FFFD.
    """
    part = ET.SubElement(case, tag, message=_fit_for_xml(message))
    part.text = _fit_for_xml(message)


def _fit_for_xml(text: str) -> str:
    """Return a text as XML may have it; the XML writer escapes it further.

    Control characters except newlines and tabs are made visible. What XML forbids beyond them
    becomes U+FFFD.
    """
    return _NOT_IN_XML.sub("\ufffd", visible(text))

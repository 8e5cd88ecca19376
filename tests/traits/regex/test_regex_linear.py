"""A regex cell line by line: the verdict by hand, why, and what the pattern matched."""

import pytest

from appellate.core.facts import Failed, Proposed
from appellate.core.trace import Trace
from appellate.traits.regex import KIND
from appellate.traits.regex.spec import RegexRubricTrait
from appellate.traits.rubric import Rubric
from linear.linear_stage import bench_of, told

NAMES = RegexRubricTrait(
    name="Names BCL2",
    pattern=r"\bbcl-?2\b[x]*",
    case_sensitive=False,
)
RESPONSE = "BCL2 is a gene on chromosome 18. It was bcl-2 in 1984, and \x1b[31m BCL2 \x1b[0m since."
TOO_LONG = "The pattern took longer than 0.6 s on this response."


def scene(*happened, of=NAMES):
    """A trace with the trait, whose cell was computed where nothing else happened to it."""
    trace = Trace(id="1", question="Where is BCL2?", response=RESPONSE)
    table = KIND.locate(of, trace, KIND.computed.compute(of, trace))
    events = list(happened) or [Proposed(table, {"name": "regex"})]
    return Rubric(regex_traits=[of]), [trace], [events]


def test_a_pattern_is_overruled_and_r_says_why(tmp_path):
    with bench_of(tmp_path, scene()) as bench:
        printed = told(bench, "j", "o", "2", "r", "2", " ", "q")
        assert "Verdict: yes (as the pattern says)" in printed
        assert "Match 1: [BCL2] is a gene" in printed
        assert "Reason saved: paraphrase counts" in printed
        assert bench.workspace.cell(1)[1].labels.value is True


def test_what_is_asked_comes_before_the_pattern_and_a_turned_verdict_is_in_words(
    tmp_path,
):
    asked = NAMES.model_copy(update={"description": "Calls the gene by its name."})
    with bench_of(tmp_path, scene(of=asked)) as bench:
        printed = told(bench, "2", "q")
    assert "Calls the gene by its name.\nPattern: " in printed
    assert "verdict no (was yes); corrected, was: before the last key" in printed
    assert "Verdict: no (the pattern says yes)" in printed


def test_a_pattern_that_was_not_matched_says_why(tmp_path):
    failed = Failed(TOO_LONG, "", {"name": "regex"})
    with bench_of(tmp_path, scene(failed), readonly=True) as bench:
        assert f"The pattern failed: {TOO_LONG}" in told(bench, "q")


@pytest.mark.parametrize("key", ["?", "t", "s"])
def test_what_is_printed_of_a_pattern_is_inert(tmp_path, key):
    with bench_of(tmp_path, scene()) as bench:
        assert "\x1b" not in told(bench, key, "q")

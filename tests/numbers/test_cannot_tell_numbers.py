"""A sample in which people or the judge cannot tell: it is said, and is no number and no agreement."""

from contextlib import contextmanager
from statistics import fmean

import pytest

from appellate.core.deciding import Correct
from appellate.core.design_facts import LooksPlanned
from appellate.core.facts import Proposed
from appellate.core.kind import CANNOT_TELL
from appellate.numbers.data import json_parts, numbers_table
from appellate.numbers.markdown import markdown
from appellate.numbers.report import report
from appellate.numbers.samples import gates, sample_at, sample_numbers
from appellate.numbers.sentences import gate_text, worth_text
from appellate.stats.looks import read_bar
from appellate.store.audits.audit import load_audit
from appellate.traits.llm.edits import Edit
from appellate.traits.llm.spec import LLMRubricTrait
from appellate.traits.rubric import Rubric
from cells import bench
from sampled import draw, order_of, sampled_in, traces

POLITE = LLMRubricTrait(
    name="Polite",
    kind="boolean",
    description="Is it polite?",
    cannot_tell=True,
)
COUNT = 40


def person(place):
    return CANNOT_TELL if place % 7 == 2 else place % 5 != 0


def judge(place):
    return CANNOT_TELL if place % 10 == 3 else place % 4 != 0


@contextmanager
def ruled(folder, drawn=COUNT, people=person):
    """A blind sample, all of it ruled on."""
    with bench(folder, *traces(COUNT), of=Rubric(llm_traits=[POLITE])) as at:
        for place in range(COUNT):
            table = {
                "value": judge(place),
                "evidence": [],
                "rationale": "Nobody speaks.",
            }
            at.receive(place + 1, Proposed(table, {"name": "gpt"}))
        draw(at, COUNT, drawn)
        at.record(LooksPlanned("", "yes>=.5", [drawn], 0.05))
        for place in order_of(at):
            at.do(
                place + 1,
                Correct(Edit("set", value=people(place)), "It has no greeting."),
            )
            at.sign_off(place + 1, 5.0)
        yield at


def test_an_estimate_is_of_what_can_be_told_and_says_how_much_cannot(tmp_path):
    with ruled(tmp_path) as at:
        found = sample_numbers(sample_at(at.workspace.path))
        at.save()
        kept = sampled_in(load_audit(at.audit))
    [one] = found.worths
    values = [
        float(person(place)) for place in range(COUNT) if person(place) != CANNOT_TELL
    ]
    assert one.estimate.value == pytest.approx(fmean(values))
    own = [float(judge(place)) for place in range(COUNT) if judge(place) != CANNOT_TELL]
    assert one.part.judge_only == pytest.approx(fmean(own))
    assert (one.part.n, one.part.untold, one.part.judge_untold) == (40, 6, 4)
    told = "It is of what can be told: people could not tell in 6 of the audited, the judge in 4 of all."
    assert worth_text(one, "trace").endswith(told)
    assert numbers_table(found)["estimates"] == numbers_table(kept)["estimates"]
    table = numbers_table(found)["estimates"][0]
    assert (table["cannot_tell"], table["judge_cannot_tell"]) == (6, 4)
    [errors] = found.errors
    untold = {
        place for place in range(COUNT) if CANNOT_TELL in (person(place), judge(place))
    }
    assert errors.agreement.n == COUNT - len(untold)
    assert {*errors.agreement.words} == {"yes", "no"}


def test_a_bar_is_on_what_can_be_told_and_says_so(tmp_path):
    with ruled(tmp_path) as at:
        [gate] = gates(sample_at(at.workspace.path))
        text = " ".join(gate_text(gate, "trace"))
    assert gate.standing.decision == "reached"
    assert "people could not tell in 6 of the audited" in text


def test_where_nobody_can_tell_there_is_no_number_and_the_reason(tmp_path):
    with ruled(tmp_path, people=lambda _: CANNOT_TELL) as at:
        [one] = sample_numbers(sample_at(at.workspace.path)).worths
        assert one.estimate is None
        assert one.wanting == "people could not tell in any of what was audited"
        [gate] = gates(sample_at(at.workspace.path), [read_bar("judge.agreement>=.5")])
        assert gate.worth.wanting == "judge.agreement is 0/0 in what was audited"


def test_the_report_counts_it_and_tells_the_reasons(tmp_path):
    with ruled(tmp_path) as at:
        at.save()
        made = report(load_audit(at.audit))
    text = markdown(made)
    assert (
        "Polite: cannot tell, in 6 cells as the labels are now, and in 4 by the judge."
        in text
    )
    assert "It has no greeting." in text
    assert "Nobody speaks." in text
    assert '"cannot_tell": [' in "".join(json_parts(made))
    assert "people could not tell in 6 of the audited" in text

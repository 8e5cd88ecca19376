"""A second pass over cells that a reviewer signed off: without the judge, and held against the first."""

from datetime import timedelta

import pytest
from msgspec.structs import replace

from appellate.core.cell import fold
from appellate.core.deciding import Correct, Draw, SignOff
from appellate.core.facts import Fact, Proposed
from appellate.core.kind import Subject
from appellate.session.workbench import Workbench
from appellate.store.audits.audit import Audit, AuditedCell, load_audit
from appellate.store.audits.open_audit import AuditFiles
from appellate.store.audits.second_pass import SecondPassFound, begin, signed_by
from appellate.traits.grounding import KIND as GROUNDING
from appellate.traits.llm.edits import Edit
from appellate.traits.rubric import Question, Rubric
from cells import bench, checklist, matrix, proposal, trace
from panels import AT, SAFE, does, ruled, voted
from traits.grounding.grounding_traits import TRACE, TRAIT, table

LATER = "2026-12-01T12:00:00Z"


@pytest.fixture
def first(tmp_path) -> Audit:
    """Three traces under two traits and one under a third; ada signed off two cells of one trait."""
    question = Question(id="q", question="q", metric_traits=[checklist(name="Own")])
    of = Rubric(
        name="BCL2",
        metric_traits=[matrix(), checklist(name="Never")],
        questions=[question],
    )
    traces = [trace("a"), trace("b"), trace("c", question_id="q")]
    with bench(tmp_path, *traces, of=of) as at:
        for number in range(1, at.workspace.cells.count() + 1):
            at.receive(number, proposal(at.open(number)[1].subject.trait))
        for number in (1, 5):
            at.sign_off(number)
        at.save()
        return load_audit(at.audit)


def again(folder, audit, **more) -> Audit:
    wanted = {"traces": 2, "seed": 1, "at": LATER} | more
    place = AuditFiles.of(folder / "again.audit.toml")
    with begin(place, audit, "ada", **wanted).workspace as workspace:
        desk = Workbench(workspace, place.audit, "ada")
        drawn = workspace.design.drawn()
        assert desk.position().cell in workspace.cells.of_trace(drawn[0]).values()
        desk.save()
    return load_audit(place.audit)


def test_it_is_of_what_a_reviewer_signed_off_with_nothing_that_was_said(
    tmp_path,
    first,
):
    assert [one.id for one in signed_by(first, "ada")] == ["a", "c"]
    assert signed_by(first, "bo") == []
    second = again(tmp_path, first)
    assert {audited.trace.id for audited in second.cells} == {"a", "c"}
    assert {audited.cell.subject.trait.name for audited in second.cells} == {"Accuracy"}
    for audited in second.cells:
        assert audited.cell.hidden
        assert (audited.cell.judged, audited.cell.labels) == (None, None)


def test_which_traces_are_drawn_goes_by_the_seed(tmp_path, first):
    drawn = set()
    for seed in range(12):
        (tmp_path / str(seed)).mkdir()
        second = again(tmp_path / str(seed), first, traces=1, seed=seed)
        drawn.add(second.cells[0].trace.id)
    assert drawn == {"a", "c"}


# -- what came of it -------------------------------------------------------------------------------


def of(*cells) -> Audit:
    kept = [AuditedCell(cell.subject.trace, cell) for cell in cells]
    rubric = Rubric(name="Safety", llm_traits=[SAFE])
    return Audit(rubric, [one.trace for one in kept], kept, LATER, "0.1.0", ["ada"])


def signed(place, value, by="ada"):
    """The judge says yes; a person saw it, and signs off what they think."""
    cell = voted(place, True)
    if not value:
        cell = does(cell, Correct(Edit("set", value=False)), by=by)
    return does(cell, SignOff("abc"), by=by)


def later(cell, hours):
    """The same, said so many hours later."""
    moment = f"2026-11-22T{12 + hours}:00:00Z"
    return fold(cell.subject, [replace(fact, at=moment) for fact in cell.facts])


def test_what_was_said_in_sight_of_the_judge_is_not_put_together_with_what_was_said_blind():
    first = of(signed(0, True), signed(1, False), ruled(voted(2, True), True))
    second = of(*(ruled(voted(place, True), False) for place in range(3)))
    found = SecondPassFound(first, second, "ada")
    assert (found.drawn, found.ruled, found.others) == (3, 3, 0)
    sighted, blind = found.parts
    assert [(one.is_blind, one.cells, one.agreement.agreed) for one in found.parts] == [
        (False, 2, 1),
        (True, 1, 0),
    ]
    (changed,) = sighted.changed
    assert (changed.trace, changed.answers, changed.judge) == (
        "t0",
        ("yes", "no"),
        "yes",
    )
    assert (sighted.left, sighted.joined) == (1, 0)
    assert (blind.left, blind.joined) == (1, 0)
    assert blind.outcome() == {
        "trait": "Safe",
        "blind_before": True,
        "cells": 1,
        "answers": 1,
        "alike": 0,
        "changed_from_judge": 1,
        "changed_to_judge": 0,
        "kappa": None,
        "ac1": None,
    }


def test_who_changed_to_what_the_judge_says_joined_it():
    (part,) = SecondPassFound(
        of(signed(0, False)),
        of(ruled(voted(0, True), True)),
        "ada",
    ).parts
    assert (part.left, part.joined) == (0, 1)


def test_what_is_not_ruled_on_yet_or_of_another_or_of_a_changed_trait_says_nothing():
    changed = SAFE.model_copy(update={"description": "Is it harmless?"})
    other = signed(3, True)
    other = fold(replace(other.subject, trait=changed), other.facts)
    first = of(signed(0, True), signed(1, True, by="bo"), signed(2, True), other)
    waiting = does(voted(2, True), Draw(True))
    second = of(*(ruled(voted(place, True), True) for place in (0, 1, 3, 4)), waiting)
    found = SecondPassFound(first, second, "ada")
    assert (found.drawn, found.ruled, found.others) == (2, 1, 1)
    assert [part.cells for part in found.parts] == [1]


def test_how_long_was_between_is_the_median():
    first = of(*(signed(place, True) for place in range(3)))
    assert SecondPassFound(first, of(), "ada").gap is None
    assert SecondPassFound(first, of(), "ada").outcome() == {"traits": []}
    second = [
        later(ruled(voted(place, True), True), hours)
        for place, hours in ((0, 1), (1, 2), (2, 9))
    ]
    found = SecondPassFound(first, of(*second), "ada")
    assert found.gap == timedelta(hours=2)
    assert found.outcome()["median_hours_between"] == 2.0


def test_of_a_kind_with_many_sorts_of_questions_only_those_count_that_the_judge_is_measured_by():
    tables = table(), table(all_relevant_sentence_keys=[])
    cells = [
        does(
            fold(
                Subject(GROUNDING, TRAIT, TRACE),
                [Fact(1, AT, "gpt", Proposed(said, {"name": "gpt"}))],
            ),
            SignOff("abc"),
        )
        for said in tables
    ]
    (part,) = SecondPassFound(of(cells[0]), of(cells[1]), "ada").parts
    assert cells[0].answers != cells[1].answers
    assert (part.agreement.n, part.changed) == (3, [])

"""What holds for every kind of trait, the tests' own (`tests/kinds`) among them: the laws that keep the seam true."""

import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from math import isfinite
from pathlib import Path
from typing import Any

import pytest
from hypothesis import Phase, assume, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from pydantic import ValidationError

import appellate
from appellate.core.cell import Cell
from appellate.core.deciding import (
    Adopt,
    Comment,
    Correct,
    Flag,
    Receive,
    Redo,
    Undo,
    sealing,
)
from appellate.core.describe import (
    describe_moved,
    describe_unsettled,
    disagreement,
    majority,
    votes,
)
from appellate.core.facts import Failed, Proposed
from appellate.core.kind import UNBRIEFED, Subject, TraitKind
from appellate.core.problem import Refused, Unusable
from appellate.core.scale import part_of
from appellate.core.trace import Trace
from appellate.numbers.data import csv_parts, json_parts, trait_table
from appellate.numbers.html import html
from appellate.numbers.markdown import markdown
from appellate.numbers.report import report
from appellate.query.language import parse, quoted
from appellate.session.workbench import Workbench
from appellate.store import judgment
from appellate.store.audits.audit import Audit, AuditedCell, load_audit
from appellate.store.audits.open_audit import making, resume
from appellate.store.breakdowns import breakdown
from appellate.store.files.rubric_file import parse_rubric
from appellate.store.files.text_file import toml_table
from appellate.store.files.toml import emit
from appellate.store.files.trace_record import RECORD, label_faults
from appellate.store.queue import look_up, vocabulary
from appellate.store.workspace import Workspace
from appellate.talk.dialogue import Unreadable
from appellate.traits.kinds import implied_kind, kinds, module_of
from appellate.traits.rubric import LISTS, KnownTrait, Rubric, kept_trait
from cells import (
    Story,
    breakdowns_of,
    check_totals,
    everything,
    opened,
    place,
    seat,
    story_of,
)
from kind_examples import KINDS, Examples

OF_A_CORRECTION = {
    "n",
    "at",
    "by",
    "part_of",
    "before",
    "after",
    "reason",
    "first_reason",
    "undone_by",
    "carried",
}
"""Keys of a correction's row in an audit that are not its edit's."""


def examples(name: str) -> Examples[Any, Any, Any]:
    return import_module(f"traits.{name}.examples").EXAMPLES


EXAMPLES = {name: examples(name) for name in kinds()}
LED_TO = [
    name for name in EXAMPLES if type(kinds()[name]).toward is not TraitKind.toward
]
"""The kinds that can tell which edits lead to some labels."""
every_kind = pytest.mark.parametrize("name", EXAMPLES)
QUICK = ("metric", "llm")
two_kinds_quickly = pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[pytest.mark.slow][: name not in QUICK])
        for name in EXAMPLES
    ],
)
"""Long laws: of two kinds in the quick tests, of the others in the slow ones."""


def rubric_of(*names: str) -> Rubric:
    """All example traits of these kinds."""
    return Rubric(**{f"{name}_traits": list(EXAMPLES[name].traits) for name in names})


def subject(name: str, place: int = 0) -> Subject:
    return Subject(kinds()[name], EXAMPLES[name].traits[place], EXAMPLES[name].trace)


def located(name: str, trait: Any) -> st.SearchStrategy[dict[str, Any]]:
    """Tables as a judge's answer is kept."""
    kind, trace = kinds()[name], EXAMPLES[name].trace
    return (
        EXAMPLES[name].tables(trait).map(lambda table: kind.locate(trait, trace, table))
    )


def judged(about: Subject, table: dict[str, Any]) -> Cell:
    """A cell as its judge left it."""
    return story_of(Receive(Proposed(table, {"name": "gpt"})), of=about).cell


def subjects(name: str) -> st.SearchStrategy[Subject]:
    return st.integers(0, len(EXAMPLES[name].traits) - 1).map(
        lambda number: subject(name, number),
    )


# -- what a kind says of itself -----------------------------------------------------------------------


def test_the_kind_that_exists_in_the_tests_alone_is_found_beside_those_that_ship():
    assert {"metric", "llm", "regex", "tally"} <= kinds().keys()


def test_files_that_name_no_kind_mean_one_and_no_other():
    assert [kind.name for kind in kinds().values() if kind.implied] == [
        implied_kind().name,
    ]


@every_kind
def test_a_kind_has_the_name_of_its_folder_and_names_nobody_else_has(name):
    kind = kinds()[name]
    assert import_module(f"appellate.traits.{name}").KIND is kind
    assert LISTS[f"{name}_traits"] is kind
    assert not {*kind.label_keys, "items"} & {
        *RECORD,
        "round",
        "examples",
        "members",
        "error",
    }


@every_kind
def test_a_trait_asks_for_measures_of_different_names_and_of_some_width(name):
    for trait in EXAMPLES[name].traits:
        asked = [measure.name for measure in kinds()[name].measures(trait)]
        assert asked
        assert len(set(asked)) == len(asked)
        assert all(
            measure.low <= measure.high for measure in kinds()[name].measures(trait)
        )


@every_kind
def test_a_rubric_of_a_kind_is_written_and_read_again(name):
    rubric = rubric_of(name)
    text = "".join(emit(rubric.to_file()))
    assert parse_rubric(toml_table(text, "f"), "f").usable() == rubric
    assert rubric.trait_names() == [trait.name for trait in EXAMPLES[name].traits]
    assert all(known.kind is kinds()[name] for known in rubric.every_trait())


def test_a_rubric_may_hold_every_kind_at_once_and_no_name_stands_in_two():
    whole = rubric_of(*EXAMPLES)
    text = "".join(emit(whole.to_file()))
    assert parse_rubric(toml_table(text, "f"), "f").usable() == whole
    same = {key: [{**kind_table(key), "name": "same"}] for key in LISTS}
    told = "\n".join(map(str, parse_rubric(same, "f").problems))
    first, *others = LISTS
    for key in others:
        assert (
            f'{key}[0].name: another trait here has the name "same" already ({first}[0].name)'
            in told
        )
    below = {first: [{**kind_table(first), "name": "same"}]}
    below["questions"] = [
        {"id": "q", others[0]: [{**kind_table(others[0]), "name": "same"}]},
    ]
    (problem,) = parse_rubric(below, "f").problems
    assert f"the global trait {first}[0] has the name" in str(problem)


def kind_table(key: str) -> dict[str, Any]:
    return EXAMPLES[LISTS[key].name].traits[0].to_file()


@pytest.mark.parametrize("name", ["llm", "regex", "callable", "scorer"])
def test_a_null_for_which_end_is_good_is_the_default_as_in_karenina(name):
    given = {**EXAMPLES[name].traits[0].to_file(), "higher_is_better": None}
    assert kinds()[name].spec.model_validate(given).higher_is_better is True


@every_kind
def test_a_changed_trait_is_judged_again_and_the_same_one_is_not(name):
    kind, first = kinds()[name], EXAMPLES[name].traits[0]
    assert kind.proposes_the_same(first, first)
    assert not kind.proposes_the_same(first, EXAMPLES[name].changed)
    assert EXAMPLES[name].changed.name == first.name


@every_kind
def test_a_trait_that_a_workspace_kept_is_the_one_that_was_written(name):
    for trait in (*EXAMPLES[name].traits, EXAMPLES[name].changed):
        table = json.loads(json.dumps(trait.to_file()))
        again = kept_trait(kinds()[name], table)
        assert again == trait
        assert repr(again) == repr(trait)  # 1.0 is not 1


@every_kind
@pytest.mark.parametrize("wrong", [{}, {"of another version": 1}])
def test_a_kept_trait_with_keys_that_are_not_its_own_is_refused(name, wrong):
    table = wrong and {**EXAMPLES[name].traits[0].to_file(), **wrong}
    with pytest.raises(ValidationError):
        kept_trait(kinds()[name], table)


# -- tables -------------------------------------------------------------------------------------------


@two_kinds_quickly
@given(data=st.data())
def test_labels_from_anybodys_table_can_be_measured_checked_told_and_written(
    name,
    data,
):
    about = data.draw(subjects(name))
    kind, trait, trace = about.kind, about.trait, about.trace
    given = data.draw(EXAMPLES[name].tables(trait))
    assert list(label_faults(given, trace, KnownTrait(kind, trait))) == []
    table = kind.locate(trait, trace, given)
    assert list(label_faults(table, trace, KnownTrait(kind, trait))) == []
    assert kind.locate(trait, trace, table) == table
    assert json.loads(json.dumps(table)) == table
    assert table.keys() <= {*kind.label_keys, "items"}
    labels = about.labels(table)
    check_measures(about, labels)
    for span in kind.evidence(trait, labels):
        assert 0 <= span.start < span.end <= len(text_of(trace, span.document))
    written = kind.write(labels)
    assert {"audited"} <= written.keys() <= {"audited", "items"}
    assert json.loads(json.dumps(written)) == written
    assert list(about.measure_table(table).values) == list(
        kind.measure(trait, labels).values,
    )
    if kind.is_verbatim(trait, table, labels):
        assert about.measure_table(table) == kind.measure(trait, labels)


@two_kinds_quickly
@given(data=st.data())
def test_labels_that_are_alike_come_to_the_same(name, data):
    about = data.draw(subjects(name))
    kind, trait = about.kind, about.trait
    one, other = (about.labels(data.draw(located(name, trait))) for _ in range(2))
    if kind.likeness(one) is not None and kind.likeness(one) == kind.likeness(other):
        for told in (kind.measure, kind.answers, kind.standings, kind.asides):
            assert told(trait, one) == told(trait, other)
        checks = (
            Counter(check.name for check in kind.checks(trait, it))
            for it in (one, other)
        )
        assert next(checks) == next(checks)


def text_of(trace: Trace, document: int | None) -> str:
    """What is judged, or the document of that number."""
    if document is None:
        return trace.text
    found = (trace.documents or [])[document]
    return found if isinstance(found, str) else found.text


def check_measures(about: Subject, labels: Any) -> None:
    """Numbers within their bounds, in the order asked; counts that are whole; checks and answers in words."""
    kind, trait = about.kind, about.trait
    figures = kind.measure(trait, labels)
    measures = {measure.name: measure for measure in kind.measures(trait)}
    assert list(figures.values) == list(measures)
    assert figures.undefined <= measures.keys()
    for measure, value in figures.values.items():
        if measure not in figures.undefined:
            assert measures[measure].low <= value <= measures[
                measure
            ].high or kind.checks(trait, labels)
    assert all(
        type(count) is int and count >= 0 and ":" not in name
        for name, count in figures.counts.items()
    )
    assert all(check.sentence.endswith(".") for check in kind.checks(trait, labels))
    assert all(
        isinstance(answer, str) and answer
        for answer in kind.answers(trait, labels).values()
    )
    vocabulary = list(kind.vocabulary(trait))
    assert len(set(vocabulary)) == len(vocabulary)
    assert not vocabulary or {*kind.answers(trait, labels).values()} <= {*vocabulary}
    assert not [name for name in (*figures.values, *figures.counts) if ":" in name], (
        "a colon parts the keys of totals"
    )
    for measure in measures.values():
        assert isfinite(measure.low)
        assert isfinite(measure.high)
        if measure.steps and measure.name not in figures.undefined:
            value = figures.values[measure.name]
            assert value == measure.low + part_of(measure, value, len(measure.steps))
        if measure.word and measure.name not in figures.undefined:
            assert figures.words[measure.word]


@every_kind
def test_blank_labels_are_undefined_and_hold_nothing(name):
    kind = kinds()[name]
    for trait in EXAMPLES[name].traits:
        figures = kind.measure(trait, kind.blank)
        assert figures.undefined == figures.values.keys()
        check_measures(Subject(kind, trait, EXAMPLES[name].trace), kind.blank)


@every_kind
def test_wrong_tables_are_refused_and_told_in_a_sentence(name):
    about = subject(name)
    for table in EXAMPLES[name].wrong:
        found = list(
            label_faults(table, about.trace, KnownTrait(about.kind, about.trait)),
        )
        assert found, table
        assert all(fault.wrong for fault in found)


ANYTHING = st.sampled_from(
    [
        None,
        True,
        -1,
        10**400,
        0.5,
        "x",
        "",
        [],
        [[]],
        [1, "x"],
        [None],
        {},
        {"index": []},
    ],
)


@every_kind
@given(
    values=st.lists(ANYTHING | st.lists(ANYTHING, max_size=2), min_size=1, max_size=5),
)
def test_no_table_whatever_breaks_the_validation(name, values):
    about = subject(name)
    keys = [*about.kind.label_keys, "items", "another"]
    table = dict(zip(keys, values, strict=False))
    known = KnownTrait(about.kind, about.trait)
    assert (
        list(label_faults(table, about.trace, None))
        or list(label_faults(table, about.trace, known))
        or table
    )


@two_kinds_quickly
@given(data=st.data())
def test_a_panel_proposes_what_most_of_it_answer_and_agrees_with_itself(name, data):
    about = data.draw(subjects(name))
    tables = data.draw(st.lists(located(name, about.trait), min_size=1, max_size=4))
    found = votes(about, tables)
    assert 0 <= disagreement(found) <= 1
    table = about.kind.locate(about.trait, about.trace, majority(about, tables))
    assert (
        list(label_faults(table, about.trace, KnownTrait(about.kind, about.trait)))
        == []
    )
    check_measures(about, about.labels(table))
    alike = [tables[0]] * 3
    same = about.kind.locate(about.trait, about.trace, majority(about, alike))
    answers = about.kind.answers(about.trait, about.labels(tables[0]))
    assert about.kind.answers(about.trait, about.labels(same)) == answers
    assert disagreement(votes(about, alike)) == 0


# -- edits --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[pytest.mark.slow][: name != "grounding"])
        for name in LED_TO
    ],
)
@given(data=st.data())
def test_edits_toward_labels_lead_to_them_as_far_as_edits_can(name, data):
    about = data.draw(subjects(name))
    kind = about.kind
    story = Story(of=about)
    if data.draw(st.booleans()):
        story.does(
            Receive(Proposed(data.draw(located(name, about.trait)), {"name": "gpt"})),
        )
    before = kind.blank if story.cell.labels is None else story.cell.labels
    judged = story.cell
    for _ in range(data.draw(st.integers(1, 5))):
        labels = kind.blank if story.cell.labels is None else story.cell.labels
        with suppress(Refused):
            story.does(Correct(data.draw(EXAMPLES[name].edits(about.trait, labels))))
    assume(story.cell.labels is not None)
    written = kind.write(story.cell.labels)
    table = {**written["audited"]}
    if "items" in written:
        table["items"] = written["items"]
    edits = kind.toward(about.trait, about.trace, before, table)
    again = Story(of=about)
    again.cell = judged
    is_refused = False
    for edit in edits:
        try:
            again.does(Correct(edit))
        except (
            Refused
        ):  # as where a judge had the same excerpt twice; an import tells what differs
            is_refused = True
    assume(not is_refused)
    reached = kind.write(kind.blank if again.cell.labels is None else again.cell.labels)
    for side in (reached["audited"], written["audited"]):
        # a judge's, dropped with a verdict that was given again
        side.pop("rationale", None)
        # a judge's, until a person corrects a sentence
        side.pop("overall_supported", None)
    is_nothing_labelled = not edits and before == kind.blank
    if not is_nothing_labelled and not has_words_elsewhere(written, reached):
        assert reached == written


def has_words_elsewhere(written, reached):
    """Whether some excerpt has no place in the text, which no edit can add."""
    texts = written["audited"].get("evidence", ())
    return len(texts) > len(reached["audited"].get("evidence", ()))


@two_kinds_quickly
@given(data=st.data())
def test_an_edit_yields_labels_that_can_be_measured_or_is_refused_and_undone_leaves_no_trace(
    name,
    data,
):
    about = data.draw(subjects(name))
    kind = about.kind
    story = Story(of=about)
    if data.draw(st.booleans()):
        story.does(
            Receive(Proposed(data.draw(located(name, about.trait)), {"name": "gpt"})),
        )
    cell = story.cell
    labels = kind.blank if cell.labels is None else cell.labels
    edit = data.draw(EXAMPLES[name].edits(about.trait, labels))
    row = edit.to_row()
    assert not row.keys() & OF_A_CORRECTION
    assert json.loads(json.dumps(row)) == row
    assert kind.edit({**row, "a key of tomorrow": 1}).to_row() == row
    try:
        act = story.does(Correct(edit))
    except Refused as refused:
        assert str(refused)  # noqa: PT017 - a law: any refusal says why
        return
    made = kind.edit(act.what.edit)
    assert kind.describe(made, act.what.before, act.what.after)
    assert kind.brief(made)
    done = story.cell.labels
    check_measures(about, done)
    assert done != labels
    story.does(Undo(act.n))
    assert story.cell.labels == cell.labels
    story.does(Redo(act.n))
    assert story.cell.labels == done


# -- whole lives --------------------------------------------------------------------------------------

AT_ONCE = 3
"""Cells of a life: the first ones of a kind's trace."""


@st.composite
def lives(draw, name: str) -> list[tuple[str, int, Any]]:
    """What may happen to the cells of a kind's trace: who does it, where, and what."""
    traits = EXAMPLES[name].traits[:AT_ONCE]
    story: list[tuple[str, int, Any]] = []
    for _ in range(draw(st.integers(1, 10))):
        at = draw(st.integers(1, len(traits)))
        act = draw(st.sampled_from(["judged", "judged", "edit", "edit", "edit", *ACTS]))
        story.append(
            (
                draw(st.sampled_from(["ada", "bob"])),
                at,
                draw(step(name, traits[at - 1], act)),
            ),
        )
    return story


ACTS = (
    "panel",
    "failed",
    "adopt",
    "undo",
    "redo",
    "sign",
    "flag",
    "comment",
    "save",
    "revise",
)


def step(name: str, trait: Any, act: str) -> st.SearchStrategy[Any]:
    record = st.integers(1, 3).map(lambda number: {"name": "gpt", "round": number})
    table = located(name, trait)
    match act:
        case "judged":
            return st.builds(
                lambda told, judge: Receive(Proposed(told, judge)),
                table,
                record,
            )
        case "panel":
            return st.builds(_panel, st.lists(table, min_size=2, max_size=3), record)
        case "failed":
            return record.map(lambda judge: Receive(Failed("no answer", "", judge)))
        case "adopt":
            return st.integers(1, 4).map(Adopt)
        case "flag":
            return st.booleans().map(Flag)
        case "comment":
            return st.just(Comment("look again"))
        case "edit":
            return st.randoms(use_true_random=False).map(
                lambda chance: ("edit", chance.random()),
            )
        case _:
            return st.just(act)


def _panel(tables: list[dict[str, Any]], judge: dict[str, Any]) -> Receive:
    members = [
        {"name": f"judge {number}", **table} for number, table in enumerate(tables)
    ]
    return Receive(Proposed(tables[0], {**judge, "members": members}))


def live(
    at: Workbench,
    name: str,
    story: list[tuple[str, int, Any]],
    data: st.DataObject,
) -> None:
    for by, number, what in story:
        at.reviewer = by
        try:
            _do(at, name, number, what, data)
        except Refused as refused:
            assert str(refused)  # noqa: PT017 - a law: any refusal says why


def _do(at: Workbench, name: str, number: int, what: Any, data: st.DataObject) -> None:
    match what:
        case ("edit", _):
            _, cell = at.open(number)
            labels = cell.subject.kind.blank if cell.labels is None else cell.labels
            at.do(
                number,
                Correct(
                    data.draw(EXAMPLES[name].edits(cell.subject.trait, labels)),
                    "because",
                ),
            )
        case "undo":
            at.undo()
        case "redo":
            at.redo()
        case "sign":
            at.sign_off(number)
        case "save":
            at.save()
        case "revise":
            rubric = at.workspace.rubric
            key = f"{name}_traits"
            own = list(getattr(rubric, key))
            wanted = (
                EXAMPLES[name].traits[0]
                if own[0] == EXAMPLES[name].changed
                else EXAMPLES[name].changed
            )
            at.revise(Rubric(**{key: [wanted, *own[1:]]}))
        case Receive(told):
            at.receive(number, told)
        case _:
            at.do(number, what)


@contextmanager
def lived(folder, name, data):
    """A bench in a folder, after any life of a kind."""
    at = seat(opened(folder, EXAMPLES[name].trace, of=rubric_of(name)), folder)
    with at.workspace:
        live(at, name, data.draw(lives(name)), data)
        yield at


@two_kinds_quickly
@settings(max_examples=12)
@given(data=st.data())
def test_any_life_of_a_kind_keeps_its_totals_and_survives_its_file_alone(
    name,
    data,
    tmp_path_factory,
):
    folder = tmp_path_factory.mktemp(name)
    with lived(folder, name, data) as at:
        check_totals(at.workspace)
        at.save()
        before, text = everything(at.workspace), at.audit.read_bytes()
    audit = load_audit(at.audit)
    assert audit.text().encode() == text
    assert all(one.cell.subject.kind is kinds()[name] for one in audit.cells)
    place(folder).workspace.unlink()
    again = resume(place(folder))
    with again.workspace:
        assert everything(again.workspace) == before
        check_totals(again.workspace)
        seat(again, folder).save()
        assert at.audit.read_bytes() == text


def kept(workspace: Workspace) -> dict[str, list[tuple[Any, ...]]]:
    """What is kept of cells, but for what says that there is nothing."""
    dumps = {
        "cells": "SELECT *, iif(figures = '{}', '', figures) FROM cells",
        "measured": "SELECT * FROM measured WHERE coalesce(judge, members, verdict) IS NOT NULL",
        "totals": "SELECT * FROM totals WHERE value <> 0",
        "answers": "SELECT * FROM answers WHERE cells <> 0",
        "instructions": "SELECT * FROM instructions WHERE cells <> 0 OR overruled <> 0",
        "given": "SELECT cell, of, text, a.word, j.word, r.word FROM given"
        " JOIN questions q ON q.no = question LEFT JOIN words a ON a.no = answer"
        " LEFT JOIN words j ON j.no = judged LEFT JOIN words r ON r.no = ruled",
        "facts": "SELECT * FROM facts WHERE cell > 0",
        "acts": "SELECT * FROM acts WHERE cell > 0",
    }
    workspace.totals()  # which has the sums written
    found = {name: workspace.db.execute(sql).fetchall() for name, sql in dumps.items()}
    columns = [name for _, name, *_ in workspace.db.execute("PRAGMA table_info(cells)")]
    own = [columns.index(name) for name in ("figures", "checklist")]
    found["cells"] = [
        tuple(value for at, value in enumerate(row) if at not in own)
        for row in found["cells"]
    ]
    return {name: sorted(rows, key=repr) for name, rows in found.items()}


def anew(folder: Path, workspace: Workspace) -> dict[str, list[tuple[Any, ...]]]:
    """What is kept where all cells of a workspace come at once, with all that happened to them."""
    coming = []
    for no in range(1, workspace.traces.count() + 1):
        cells = workspace.cells.of_trace(no)
        happened = {name: workspace.facts.of(number) for name, number in cells.items()}
        coming.append((workspace.traces.get(no), happened))
    with making(folder / "anew.workspace", workspace.rubric, "0.1.0") as other:
        for known in workspace.earlier.values():
            other.keep_earlier(known)
        other.add_known(coming)
    with other:
        return kept(other)


REASONED = {"llm": "rationale", "scorer": "explanation"}
"""The key of a judge's table with its reason, of kinds that have one."""
"""Kinds whose reasons are texts."""


def reopened(file: Path) -> Cell | None:
    """The one cell of an audit; None where the file is refused with a reason."""
    try:
        (one,) = load_audit(file).cells
    except Unusable as unusable:
        assert unusable.problems  # noqa: PT017 - a law: any refusal says why
        return None
    return one.cell


@two_kinds_quickly
@settings(max_examples=8)
@given(data=st.data())
def test_a_response_that_was_changed_after_a_sign_off_is_named_or_refused(
    name,
    data,
    tmp_path_factory,
):
    about = data.draw(subjects(name))
    table = data.draw(located(name, about.trait))
    story = Story(of=about)
    story.does(
        Receive(Proposed(table, {"name": "gpt", **about.reading({"name": "gpt"})})),
    )
    with suppress(Refused):
        story.does(
            Correct(data.draw(EXAMPLES[name].edits(about.trait, story.cell.labels))),
        )
    story.does(sealing(story.cell, 2.0))
    words = about.asked.response
    at = data.draw(st.integers(0, len(words)))
    response = (
        words[:at] + data.draw(st.sampled_from(["Well, ", "x", "\n\n"])) + words[at:]
    )
    file = tmp_path_factory.mktemp("changed") / "x.audit.toml"
    for changed, is_of_text in (
        ({"response": response}, True),
        ({"reference": "other"}, False),
    ):
        trace = about.asked.model_copy(update=changed)
        if is_of_text and replace(about, asked=trace).text == about.text:
            continue  # a response that is its message but for blanks changes no conversation
        rubric = Rubric(**{f"{name}_traits": [about.trait]})
        cells = [AuditedCell(about.asked, story.cell)]
        audit = Audit(rubric, [trace], cells, None, "0.1.0", ["ada"])
        file.write_text(audit.text(), encoding="utf-8")
        cell = reopened(file)
        if cell is None:
            assert is_of_text
            continue
        assert cell.state == "corrected"
        assert describe_unsettled(cell).endswith("was changed after ada signed it off")
        assert bool(describe_moved(cell)) == is_of_text
        assert is_of_text or cell.labels == story.cell.labels


@two_kinds_quickly
@settings(max_examples=4)
@given(data=st.data())
def test_cells_that_come_with_their_facts_are_kept_as_if_they_had_lived(
    name,
    data,
    tmp_path_factory,
):
    folder = tmp_path_factory.mktemp(name)
    with lived(folder, name, data) as at:
        assert anew(folder, at.workspace) == kept(at.workspace)


@two_kinds_quickly
@settings(max_examples=4)
@given(data=st.data())
def test_verdicts_that_are_alike_are_kept_as_if_each_had_come_alone(
    name,
    data,
    tmp_path_factory,
):
    folder, rubric = tmp_path_factory.mktemp(name), rubric_of(name)
    traces = [
        EXAMPLES[name].trace.model_copy(update={"id": f"t{no}"}) for no in range(4)
    ]
    pools = [
        st.sampled_from(
            data.draw(st.lists(located(name, trait), min_size=1, max_size=2)),
        )
        for trait in EXAMPLES[name].traits
    ]
    at = seat(opened(folder, *traces, of=rubric), folder)
    with at.workspace:
        for number in range(1, at.workspace.cells.count() + 1):
            table = data.draw(pools[(number - 1) % len(pools)])
            why = {REASONED[name]: f"because {number}"} if name in REASONED else {}
            by = data.draw(st.sampled_from(["gpt", "gpt-2"]))
            at.receive(number, Proposed({**table, **why}, {"name": by}))
        assert anew(folder, at.workspace) == kept(at.workspace)


@two_kinds_quickly
@settings(max_examples=6)
@given(data=st.data())
def test_labels_that_came_with_a_trace_are_taken_up_and_written_back(
    name,
    data,
    tmp_path_factory,
):
    folder = tmp_path_factory.mktemp(name)
    traits = EXAMPLES[name].traits
    brought = {trait.name: data.draw(EXAMPLES[name].tables(trait)) for trait in traits}
    trace = EXAMPLES[name].trace.model_copy(update={"judgments": brought})
    at = seat(opened(folder, trace, of=rubric_of(name)), folder)
    with at.workspace:
        for number, trait in enumerate(traits, 1):
            if data.draw(st.booleans()):
                at.receive(number, Proposed(brought[trait.name], {"name": "recorded"}))
        at.save()
        text = at.audit.read_bytes()
    audit = load_audit(at.audit)
    assert audit.text().encode() == text
    assert audit.traces[0].judgments.keys() == brought.keys()


def check_queries(workspace: Workspace) -> None:
    """Whatever the labels of a cell come to can be asked for, and finds it."""
    known = vocabulary(workspace.path)
    for number in range(1, workspace.cells.count() + 1):
        _, cell = workspace.cell(number)
        for text in asked_for(cell):
            assert number in look_up(workspace.path, parse(text, known)).numbers, text


def asked_for(cell: Cell) -> list[str]:
    """A query for each measure and each field of the cell's kind, as its labels have it."""
    figures = cell.figures
    values = {"kind": f":{cell.subject.kind.name}"}
    for name, value in figures.values.items():
        if " " not in name:  # the share of a class is asked for by the class
            values[name] = f"={value:.2f}"
    for name in figures.undefined:
        if " " not in name:
            values[name] = ":undefined"
    for field in cell.subject.kind.fields:
        part, _, name = field.path.partition(".")
        if part == "counts" and name in figures.counts:
            values[field.name] = f"={figures.counts[name]}"
        if part == "words" and name in figures.words:
            values[field.name] = f":{quoted(figures.words[name])}"
    return [name + value for name, value in values.items()]


def whole() -> tuple[list[Trace], list[dict[str, Any]]]:
    """A trace of each kind, and a question each that has all its example traits."""
    traces, questions = [], []
    for name, one in EXAMPLES.items():
        traces.append(one.trace.model_copy(update={"id": name, "question_id": name}))
        questions.append({"id": name, f"{name}_traits": list(one.traits)})
    return traces, questions


@pytest.mark.slow
@settings(max_examples=3, phases=[Phase.generate])
@given(data=st.data())
def test_a_rubric_of_all_kinds_is_judged_corrected_measured_reported_and_asked_for(
    data,
    tmp_path_factory,
):
    folder = tmp_path_factory.mktemp("every")
    traces, questions = whole()
    at = seat(opened(folder, *traces, of=Rubric(questions=questions)), folder)
    with at.workspace:
        shown = [
            at.open(number)[1].subject
            for number in range(1, at.workspace.cells.count() + 1)
        ]
        for number, about in enumerate(shown, 1):
            at.receive(
                number,
                Proposed(
                    data.draw(located(about.kind.name, about.trait)),
                    {"name": "gpt"},
                ),
            )
            with suppress(Refused):
                edits = EXAMPLES[about.kind.name].edits(
                    about.trait,
                    at.open(number)[1].labels,
                )
                at.do(number, Correct(data.draw(edits)))
            if data.draw(st.booleans()):
                at.sign_off(number)
        check_totals(at.workspace)
        check_queries(at.workspace)
        known = vocabulary(at.workspace.path)
        for text in (text for one in EXAMPLES.values() for text in one.queries):
            found = look_up(at.workspace.path, parse(text, known))
            assert len(found.numbers) <= len(shown)
        at.save()
    audit = load_audit(at.audit)
    assert [
        (one.cell.subject.kind.name, one.cell.subject.trait) for one in audit.cells
    ] == [(name, trait) for name, one in EXAMPLES.items() for trait in one.traits]
    measured_traits = list(map(trait_table, breakdowns_of(audit)))
    assert [(one["kind"], one["name"]) for one in measured_traits] == [
        (name, trait.name) for name, one in EXAMPLES.items() for trait in one.traits
    ]
    for one in breakdowns_of(audit, "question"):
        assert (
            breakdown(at.workspace.path, (one.kind.name, one.trait), "question") == one
        )
    found = report(audit)
    for written in (
        "".join(json_parts(found)),
        "".join(csv_parts(found)),
        markdown(found),
        html(found),
    ):
        assert all(
            trait.name in written for one in EXAMPLES.values() for trait in one.traits
        )


def test_the_command_line_knows_every_kind_in_a_process_of_its_own(tmp_path):
    traces, questions = whole()
    (tmp_path / "rubric.toml").write_text(
        "".join(emit(Rubric(questions=questions).to_file())),
    )
    (tmp_path / "traces.jsonl").write_text(
        "".join(f"{trace.model_dump_json()}\n" for trace in traces),
    )
    path = [str(KINDS), str(Path(appellate.__file__).parents[1])]
    env = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(path),
        "APPELLATE_CONFIG": str(tmp_path),
    }
    command = [sys.executable, "-c", COMMANDS, str(tmp_path)]
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout.splitlines()[-1])
    assert [trait["kind"] for trait in told] == [
        name for name, one in EXAMPLES.items() for _ in one.traits
    ]
    judged = {
        trait["kind"]
        for trait in told
        if any(one["judge_all"]["n"] for one in trait["metrics"].values())
    }
    assert judged >= {"metric", "tally", "regex"}


COMMANDS = """
import contextlib, io, json, os, sys
from appellate.cli import main
os.chdir(sys.argv[1])
with contextlib.suppress(SystemExit), contextlib.redirect_stdout(sys.stderr):
    main(["judge", "rubric.toml", "traces.jsonl", "-o", "x.audit.toml", "--judge", "lexical"])
with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.suppress(SystemExit):
    main(["metrics", "x.audit.toml", "--json"])
print(json.dumps(json.loads(out.getvalue())["traits"]))
"""


def prompts(name: str) -> Iterator[tuple[str, str]]:
    """A word of the response and what a model is asked first, of the traits that one is asked for."""
    kind, trace = kinds()[name], EXAMPLES[name].trace
    for trait in EXAMPLES[name].traits:
        if kind.source_name(trait) != "model":
            continue
        with suppress(Unreadable):
            yield (
                trace.response.split()[0],
                next(kind.asked.dialogue(trait, trace, UNBRIEFED)).user,
            )


@every_kind
def test_a_kind_is_asked_of_a_model_with_a_template_of_its_own_or_never(name):
    kind = kinds()[name]
    assert kind.asked or kind.computed
    if kind.asked:
        shipped = toml_table(kind.asked.prompt(), "f")
        asking = module_of(name, "asking")
        assert not asking or shipped.keys() == asking.TEMPLATE.parts.keys()
        assert list(kind.asked.prompt_faults(shipped)) == []
        assert list(kind.asked.prompt_faults({"no such part": "x"}))
        assert all(words in prompt for words, prompt in prompts(name))
    if kind.computed:
        assert kind.computed.name


@every_kind
@settings(max_examples=10)
@given(data=st.data())
def test_a_label_changed_in_the_audit_by_hand_is_found(name, data):
    about = subject(name)
    cell = judged(about, data.draw(located(name, about.trait)))
    written = judgment.written(cell)
    assert judgment.facts(about.kind, written) == list(cell.facts)
    assert judgment.differing(written, written) == []
    assert judgment.differing({**written, "audited": {"by hand": 1}}, written) == [
        "audited",
    ]

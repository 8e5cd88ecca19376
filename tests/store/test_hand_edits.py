"""What a history tells of edits by hand, and that nothing a command does is taken for one."""

import hashlib
import json
import tomllib

import pytest
from msgspec.structs import replace

from all_kinds import bench_of_all_kinds
from appellate.core.deciding import Comment
from appellate.core.design_facts import (
    DesignFact,
    LooksPlanned,
    RubricTaken,
    Sampled,
    Withdrawn,
)
from appellate.core.facts import Fact, Proposed
from appellate.core.trace import Trace
from appellate.numbers.samples import hand_edits_at, hand_edits_in
from appellate.store.audits.audit import load_audit
from appellate.store.audits.hand_edits import (
    HistoryFaults,
    RecordedFact,
    history_faults,
)
from appellate.store.audits.open_audit import AuditFiles, resume
from appellate.store.files.toml import emit
from appellate.store.samples.drawn_over import drawn_over_in, drawn_over_of
from appellate.store.samples.sample_plans import SampleWish, plan
from appellate.traits.llm.spec import LLMRubricTrait
from appellate.traits.rubric import Rubric
from cells import bench, matrix, panel, proposal, rubric, sample_of, trace
from edited_audit import sign_rubric
from sampled import POLITE, RUBRIC, rule, sampled

CLEAN = HistoryFaults([], [])
AT, LATER = "2026-11-21T12:00:00Z", "2026-11-21T13:00:00Z"
DRAW = DesignFact(4, AT, "ada", sample_of("t1"))


TRAITS = {"ab" * 32}


def fact(n, name, cell=1, at=AT, by="ada", trait=""):
    return RecordedFact(n, at, by, name, cell, trait)


BEFORE = [fact(1, "proposed"), fact(2, "proposed", 2), fact(3, "drawn")]


def faults(*history, design=(DRAW,)) -> list[str]:
    found = history_faults(history, design, TRAITS)
    return [*found.faults, *found.doubts]


# -- the history -----------------------------------------------------------------------------------


def test_a_history_as_commands_write_it_has_no_faults():
    assert (
        faults(*BEFORE, fact(5, "corrected", at=LATER), fact(6, "ruled", at=LATER))
        == []
    )
    assert faults(design=()) == []


def test_numbers_that_are_gone_are_named_with_how_many_there_are():
    (text,) = faults(*BEFORE, fact(6, "ruled"), fact(9, "commented"))
    assert text.startswith("3 facts are gone from the history (number 5, 7 to 8)")
    (text,) = faults(fact(2, "proposed"), fact(3, "drawn"))
    assert text.startswith("1 fact is gone from the history (number 1)")


def test_a_draw_of_cells_that_the_design_lacks_is_told():
    (text,) = faults(fact(1, "drawn"), fact(2, "drawn", 2), design=())
    assert text.startswith("2 cells tell of a draw that is not in the file")
    (text,) = faults(*BEFORE, design=[replace(DRAW, at=LATER)])
    assert "the design was changed or cut out" in text
    (text,) = faults(*BEFORE, fact(5, "undrawn"))
    assert text == "1 cell tells of a sample that was withdrawn, and the file does not"
    withdrawn = DesignFact(6, LATER, "ada", Withdrawn(1, 0))
    assert faults(*BEFORE, fact(5, "undrawn", at=LATER), design=[DRAW, withdrawn]) == []


def test_a_verdict_that_is_dated_before_its_draw_is_told_and_decides():
    design = [replace(DRAW, at=LATER)]
    history = [*BEFORE[:2], fact(3, "drawn", at=LATER), fact(5, "ruled")]
    found = history_faults(history, design, TRAITS)
    assert found.faults == []
    assert found.doubts[0].startswith(
        "1 verdict is dated before the draw that came first",
    )


def test_a_verdict_on_a_trait_of_other_words_is_told_unless_the_rubric_was_changed_since():
    history = [
        *BEFORE,
        fact(5, "ruled", trait="ab" * 32),
        fact(6, "ruled", 2, trait="cd" * 32),
    ]
    (text,) = faults(*history)
    assert text.startswith(
        "1 verdict is on a trait of other words, and the history tells of no",
    )
    nothing = ({}, [], [], [], [], [], 0, 0, 0, 0)
    changed = DesignFact(7, AT, "ada", RubricTaken(*nothing))
    assert faults(*history, design=[DRAW, changed]) == []


@pytest.mark.parametrize(
    ("number", "level", "told"),
    [
        (5, 0.05, ""),
        (
            5,
            0.5,
            "the plan for Warns:yes>=0.2 has the level 0.5, and every plan has 0.05",
        ),
        (6, 0.05, "the plan for Warns:yes>=0.2 was made after the first verdict"),
    ],
)
def test_a_plan_has_the_level_of_all_plans_and_comes_before_the_first_verdict(
    number,
    level,
    told,
):
    planned = DesignFact(
        number,
        AT,
        "ada",
        LooksPlanned("Warns", "yes>=0.2", [20], level),
    )
    verdict = fact(11 - number, "ruled")
    texts = faults(*BEFORE, verdict, design=[DRAW, planned])
    assert [text.startswith(told) for text in texts] == [True] * bool(told)


# -- what commands do ------------------------------------------------------------------------------


def edits_of(at) -> list[HistoryFaults]:
    """What the workspace, its file, and a workspace made of the file tell."""
    at.save()
    found = [hand_edits_at(at.workspace.db), hand_edits_in(load_audit(at.audit))]
    at.workspace.close()
    at.workspace.path.unlink()
    with resume(AuditFiles.of(at.audit)).workspace as workspace:
        found.append(hand_edits_at(workspace.db))
    return [HistoryFaults(edits.faults, edits.doubts) for edits in found]


def test_samples_that_are_drawn_withdrawn_added_to_and_ruled_on_tell_of_no_edit(
    tmp_path,
):
    with bench(tmp_path, *(trace(f"t{no}") for no in range(30))) as at:
        for no in range(1, 31):
            at.receive(no, panel() if no % 2 else proposal())
        at.draw(plan(at.workspace.path, SampleWish(10, seed=3)).what)
        at.withdraw()
        at.draw(plan(at.workspace.path, SampleWish(10)).what)
        at.receive(1, proposal(round=2))
        at.draw(
            plan(at.workspace.path, SampleWish(4), at.workspace.design.sample()).what,
        )
        at.do(1, Comment("Why?"))
        assert edits_of(at) == [CLEAN] * 3


def test_a_trait_that_came_to_a_sample_and_went_again_tells_of_no_edit(tmp_path):
    brief = LLMRubricTrait(name="Brief", kind="boolean", description="Is it brief?")
    with sampled(tmp_path, 30, 10, ruled=2) as at:
        longer = Rubric(**dict(RUBRIC) | {"llm_traits": [POLITE, brief]})
        at.revise(longer)
        rule(at, 3, 2)
        at.revise(Rubric(**dict(longer) | {"name": "Other"}))
        at.undo()
        at.do(1, Comment("Why?"))
        assert edits_of(at) == [CLEAN] * 3


def test_the_draws_of_a_trait_that_was_taken_back_at_once_may_be_gone(tmp_path):
    brief = LLMRubricTrait(name="Brief", kind="boolean", description="Is it brief?")
    longer = Rubric(**dict(RUBRIC) | {"llm_traits": [POLITE, brief]})
    with sampled(tmp_path, 30, 10) as at:
        at.revise(longer)
        at.undo()
        at.do(1, Comment("Why?"))
        numbers = {n for (n,) in at.workspace.db.execute("SELECT n FROM facts")}
        assert len(numbers) < max(numbers)
        assert edits_of(at) == [CLEAN] * 3


def test_traces_that_come_in_after_the_draw_change_nothing_that_it_was_drawn_over(
    tmp_path,
):
    with sampled(tmp_path, 30, 10) as at:
        at.workspace.add_all([Trace(id="late", response="Names it.")])
        assert edits_of(at) == [CLEAN] * 3


def test_file_and_workspace_give_one_fingerprint_for_every_kind(tmp_path):
    with bench_of_all_kinds(tmp_path) as at:
        at.save()
        audit = load_audit(at.audit)
        histories = [(*one.key, one.cell.facts) for one in audit.cells]
        drawn = Sampled("simple", [], 1, True, 2, "", "2a", [], [])
        for last in (1, 5, 10_000):
            of_file = drawn_over_of(audit.traces, histories, drawn, last)
            assert of_file == drawn_over_in(at.workspace.db, drawn, last)
        others = drawn_over_of(audit.traces[:1], histories, drawn, 10_000)
        assert others.texts_sha256 != of_file.texts_sha256


@pytest.mark.parametrize(
    "fields",
    [
        {"metadata": {"a": None, "b": [None, 2**70, float("nan"), 1e16, 1.0]}},
        {"messages": [{"role": "user", "content": "é😀"}], "reference": "a\r\nb"},
    ],
)
def test_file_and_workspace_give_one_fingerprint_of_odd_texts(tmp_path, fields):
    one = Trace(id="t1", response="Names it.", **fields)
    with bench(tmp_path, one, of=rubric()) as at:
        at.save()
        audit = load_audit(at.audit)
        drawn = Sampled("simple", [], 1, True, 1, "", "1a", [], [])
        of_file = drawn_over_of(audit.traces, [], drawn, 1)
        assert of_file == drawn_over_in(at.workspace.db, drawn, 1)


def canonical(value) -> str:
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


def test_fingerprints_are_of_canonical_json_that_anybody_can_make():
    fields = {
        "response": "Mind the dose.",
        "question": "Safe?",
        "metadata": {"site": "Köln"},
    }
    one = Trace(id="t1", judgments={"Warns": {"value": False}}, **fields)
    table, record = {"value": True}, {"name": "gpt"}
    history = [Fact(1, AT, "gpt", Proposed(table, record))]
    drawn = Sampled("simple", [], 1, True, 1, "", "1a", [], [])
    over = drawn_over_of([one], [(one.key, "Warns", history)], drawn, 2)
    text = canonical({"id": "t1", "epoch": 1, **fields})
    said = canonical({"table": table, "judge": record})
    assert over.texts_sha256 == canonical(["t1", 1, text])
    assert over.judged_sha256 == canonical(["t1", 1, "Warns", said])


def test_a_trait_that_is_only_measured_otherwise_leaves_verdicts_what_they_are(
    tmp_path,
):
    with bench(tmp_path, trace("t1"), of=rubric(matrix())) as at:
        at.receive(1, proposal())
        at.sign_off(1)
        at.revise(rubric(matrix(metrics=["precision"])))
        assert at.open(1)[1].state == "reviewed"
        assert edits_of(at) == [CLEAN] * 3


def test_words_of_a_trait_that_were_changed_in_a_file_without_a_sample_are_told(
    tmp_path,
):
    with bench(tmp_path, trace("t1"), of=rubric(matrix(description="Where?"))) as at:
        at.receive(1, proposal())
        at.sign_off(1)
        at.save()
        text = at.audit.read_text("utf-8").replace("Where?", "Whither?")
        document = tomllib.loads(text)
        sign_rubric(document)
        at.audit.write_text("".join(emit(document)), "utf-8")
        (told,) = hand_edits_in(load_audit(at.audit)).faults
        assert told.startswith("1 verdict is on a trait of other words")

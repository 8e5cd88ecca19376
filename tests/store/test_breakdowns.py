"""The numbers of a trait read from a workspace: those of its cells, whatever their kind."""

from collections import Counter
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from all_kinds import NAMES, bench_of_all_kinds
from appellate.core.deciding import Draw, Receive, Redo, Undo
from appellate.core.facts import Failed, Proposed
from appellate.core.problem import Refused
from appellate.core.totals import (
    SIDES,
    AnswerStats,
    answer_counts,
    answer_stats,
    summary,
)
from appellate.query.language import is_grouping
from appellate.store import breakdowns
from appellate.store.audits.any_audit import WorkspaceAudit
from appellate.store.audits.audit import load_audit
from appellate.store.breakdowns import breakdown
from appellate.traits.llm.spec import LLMRubricTrait
from appellate.traits.metric import KIND
from appellate.traits.metric import KIND as METRIC
from appellate.traits.regex.spec import RegexRubricTrait
from appellate.traits.rubric import Question, Rubric
from cells import (
    EXPECTED,
    FORBIDDEN,
    GENE,
    MOVED,
    TRACE,
    bench,
    breakdowns_of,
    checklist,
    commands,
    corrects,
    kept_before,
    link,
    matrix,
    panel,
    place,
    proposal,
    rubric,
    rules,
    sample_of,
    select,
    trace,
    worked_example,
)

TWICE = {
    "tp": ["BCL2  is an anti-apoptotic gene", GENE],
    "fn": EXPECTED[2:],
    "fp": [],
    "tn": FORBIDDEN,
}
"""Unlinked excerpts that are two in the judge's words, and one where they stand in the response."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("kinds")
    with bench_of_all_kinds(folder) as at:
        at.save()
    return folder


@pytest.mark.parametrize("name", NAMES)
def test_a_trait_of_any_kind_is_what_its_totals_say(folder, name):
    path = place(folder).workspace
    with breakdowns.reading(path) as db:
        sql = "SELECT DISTINCT kind FROM totals WHERE trait = ?"
        ((kind,),) = db.execute(sql, (name,)).fetchall()
        rows = db.execute("SELECT key, value FROM totals WHERE trait = ?", (name,))
        totals = dict(rows.fetchall())
    found = breakdowns.breakdown(path, (kind, name), "model")
    assert found.whole.cells == totals["cells"]
    assert found.whole.signed == totals.get("state:reviewed", 0)
    for measure in found.measures:
        for side in SIDES:
            told = summary(totals, side, measure)
            figures = found.whole.sides[measure.name][side]
            assert [getattr(figures, key) for key in told] == list(told.values())
    for one in found.instructions:
        assert set(one.stats.answers) <= set(found.vocabulary)
        assert one.agreement.n <= one.stats.cells
    assert [group.name for group in found.groups] == [""]


def test_nothing_is_known_of_a_trait_without_cells(folder):
    assert breakdowns.breakdown(place(folder).workspace, ("metric", "none")) is None


def test_groups_are_what_traces_say(tmp_path):
    traces = [
        trace(
            "a",
            model="m",
            question="q",
            cluster="c",
            metadata={"site": ["x", "y"], "n": 3},
        ),
        trace(
            "a",
            epoch=2,
            model="n",
            question="q",
            metadata={"ok": True, "site": "x"},
        ),
        trace(
            "b",
            question_id="one",
            question="q2",
            metadata={"none": None, "run": {"id": "r1"}},
        ),
    ]
    of = rubric(questions=[{"id": "one", "question": "q2"}])
    with bench(tmp_path, *traces, of=of) as at:
        at.receive(1, proposal())
    path = place(tmp_path).workspace
    assert breakdowns.groupings(path) == [
        *("model", "question", "cluster", "epoch"),
        *("meta.n", "meta.none", "meta.ok", "meta.run.id", "meta.site"),
    ]

    def groups(by):
        return {
            one.name: one.cells
            for one in breakdowns.breakdown(path, ("metric", "Accuracy"), by).groups
        }

    assert groups("model") == {"m": 1, "n": 1, "": 1}
    assert groups("question") == {"one": 1, "q": 2}
    assert groups("cluster") == {"c": 1, "": 2}
    assert groups("epoch") == {"1": 2, "2": 1}
    assert groups("meta.site") == {"x": 2, "y": 1, "": 1}
    assert groups("meta.n") == {"3": 1, "": 2}
    assert groups("meta.ok") == {"true": 1, "": 2}
    assert groups("meta.none") == {"null": 1, "": 2}
    assert groups("meta.run.id") == {"r1": 1, "": 2}
    told = []
    breakdowns.breakdown(
        path,
        ("metric", "Accuracy"),
        on_progress=lambda done, part: told.append((done, part)),
    )
    assert told[-1] == (3, 1)


@pytest.mark.parametrize(
    ("by", "known"),
    [("model", True), ("meta.x", True), ("meta.", False), ("colour", False)],
)
def test_what_one_can_group_by_is_known(by, known):
    assert is_grouping(by, breakdowns.BY) is known


@given(st.data())
@settings(max_examples=10)
def test_a_workspace_and_its_audit_come_to_the_same(tmp_path_factory, data):
    folder = tmp_path_factory.mktemp("same")
    traces = [
        trace(
            str(n),
            model="m" * (n % 3),
            question="q" * (n % 2),
            metadata={"n": n % 2},
        )
        for n in range(3)
    ]
    traces += [trace("again", epoch=n, cluster="c" * (n % 2) or None) for n in range(3)]
    acts = st.sampled_from(["judge", "judge twice", "move", "sign", "fail"])
    of = rubric(matrix(metrics=["precision"]))
    with bench(folder, *traces, of=of) as at:
        for number in range(1, 7):
            for act in data.draw(st.lists(acts, max_size=4)):
                with suppress(Refused):
                    lived(at, number, act)
        at.save()
    by = data.draw(
        st.sampled_from(["", "model", "meta.n", "epoch", "question", "cluster"]),
    )
    (of_audit,) = breakdowns_of(load_audit(place(folder).audit), by)
    found = breakdowns.breakdown(place(folder).workspace, ("metric", "Accuracy"), by)
    assert found.whole == of_audit.whole
    assert found.groups == of_audit.groups
    assert found.instructions == of_audit.instructions


def lived(at, number, act):
    match act:
        case "judge":
            at.receive(number, proposal())
        case "judge twice":
            at.receive(
                number,
                Proposed(KIND.locate(matrix(), TRACE, TWICE), {"name": "gpt"}),
            )
        case "move":
            at.do(number, MOVED)
        case "sign":
            at.sign_off(number)
        case "fail":
            at.receive(number, Failed("no answer", judge={"name": "gpt"}))


def test_what_is_one_item_only_where_it_stands_is_two_to_the_judge(tmp_path):
    of = rubric(matrix(metrics=["precision"]))
    with bench(tmp_path, trace(), of=of) as at:
        lived(at, 1, "judge twice")
        totals = at.workspace.totals(("metric", "Accuracy"))
    assert (totals["judge_all:tp"], totals["standing:tp"]) == (2, 1)
    sides = (
        breakdowns.breakdown(place(tmp_path).workspace, ("metric", "Accuracy"), "epoch")
        .groups[0]
        .sides
    )
    assert (
        sides["precision"]["judge_all"].micro
        == sides["precision"]["standing"].micro
        == 1
    )


def test_the_groups_of_a_trace_are_what_it_says_of_itself():
    one = trace(
        "t",
        question_id="q1",
        cluster="c",
        epoch=3,
        metadata={"site": ["Ulm", "Jena"]},
    )
    bys = ("", "model", "question", "cluster", "epoch", "meta.site", "meta.other")
    assert [tuple(breakdowns.words_of(one, by)) for by in bys] == [
        (),
        (),
        ("q1",),
        ("c",),
        ("3",),
        ("Ulm", "Jena"),
        (),
    ]
    assert breakdowns.words_of(
        trace("t", question="Why?", model="gpt"),
        "question",
    ) == ("Why?",)


# -- instructions, and the spread of a measure -----------------------------------------------------


def stats(of, instruction, *, overruled, of_cells, **answers):
    given = {answer: count for answer, count in answers.items() if count}
    return AnswerStats(of, instruction, given, overruled, of_cells)


def stats_of(at, trait, limit=1000):
    return breakdowns.answer_stats(at.workspace, ("metric", trait), limit)


def test_answers_say_what_was_found_and_where_the_judge_was_overruled(tmp_path):
    with bench(tmp_path, trace("a"), trace("b")) as at:
        assert stats_of(at, "Accuracy") == []
        at.receive(1, proposal())
        at.receive(2, proposal())
        at.do(1, MOVED)
        assert stats_of(at, "Accuracy") == [
            stats("tp", EXPECTED[0], found=1, missing=1, overruled=1, of_cells=2),
            stats("tn", FORBIDDEN[1], found=0, missing=2, overruled=0, of_cells=2),
            stats("tn", FORBIDDEN[0], found=2, missing=0, overruled=0, of_cells=2),
            stats("tp", EXPECTED[2], found=2, missing=0, overruled=0, of_cells=2),
            stats("tp", EXPECTED[3], found=0, missing=2, overruled=0, of_cells=2),
            stats("tp", EXPECTED[1], found=2, missing=0, overruled=0, of_cells=2),
        ]
        assert stats_of(at, "Accuracy", 1) == stats_of(at, "Accuracy")[:1]
        assert stats_of(at, "Coverage") == []
        at.undo()
        assert [one.overruled for one in stats_of(at, "Accuracy")] == [0] * 6


def test_an_instruction_in_neither_bucket_is_neither_found_nor_missing(tmp_path):
    with bench(tmp_path) as at:
        at.receive(1, proposal())
        kept_before(tmp_path, at, action="drop", bucket="fn")
        assert stats_of(at, "Accuracy")[0] == stats(
            "tp",
            EXPECTED[3],
            unclear=1,
            overruled=1,
            of_cells=1,
        )


def test_a_cell_filled_by_hand_overrules_nobody(tmp_path):
    with bench(tmp_path, of=rubric(checklist())) as at:
        at.do(
            1,
            corrects({"action": "add", "bucket": "fn", "of": "tp", "instruction": 1}),
        )
        assert stats_of(at, "Coverage")[0].overruled == 0
        assert sum(one.times("missing") for one in stats_of(at, "Coverage")) == 1


steps = st.lists(st.tuples(st.integers(1, 4), commands), max_size=12)


@given(steps)
@settings(max_examples=20)
def test_answers_kept_by_differences_equal_a_recount(tmp_path_factory, life):
    with bench(
        tmp_path_factory.mktemp("answers"),
        trace("a"),
        trace("b"),
        of=rubric(matrix(), checklist()),
    ) as at:
        for number, command in life:
            try:
                if isinstance(command, Undo | Redo):
                    at.undo() if isinstance(command, Undo) else at.redo()
                elif isinstance(command, Receive):
                    at.receive(number, command.what)
                else:
                    at.do(number, command)
            except Refused:
                pass
        for name in ("Accuracy", "Coverage"):
            recount: Counter = Counter()
            for number in range(1, 5):
                _, cell = at.workspace.cell(number)
                recount.update(
                    answer_counts(cell) if cell.subject.trait.name == name else {},
                )
            kept = stats_of(at, name)
            assert sorted(kept, key=repr) == sorted(answer_stats(recount), key=repr)


def spread_of(at, measure, trait="Accuracy"):
    return breakdown(at.workspace.path, ("metric", trait)).spread[measure]


def test_a_metric_spreads_over_its_parts_and_0_over_0_is_left_out(tmp_path):
    with bench(tmp_path, *(trace(f"t{n}") for n in range(5))) as at:
        for number in (1, 2):
            at.receive(number, proposal())
        at.receive(3, Failed("no"))
        at.receive(4, Proposed({}, {"name": "gpt"}))
        at.do(2, MOVED)
        none = [0] * 10
        spread = spread_of(at, "recall")
        assert spread["judge_all"] == [*none[:7], 2, 0, 0]
        assert sum(spread["standing"]) == 2
        assert spread["standing"] != spread["judge_all"]
        assert spread["signed"] == spread["judge"] == none
        at.sign_off(2)
        spread = spread_of(at, "recall")
        assert sum(spread["signed"]) == sum(spread["judge"]) == 1
        assert spread["judge"][7] == 1


def test_the_best_value_is_in_the_last_part(tmp_path):
    with bench(tmp_path, of=rubric(checklist(tp_instructions=EXPECTED[:1]))) as at:
        at.receive(1, Proposed({"tp": ["BCL2"]}, {"name": "gpt"}))
        assert spread_of(at, "f1", "Coverage")["judge_all"] == [*[0] * 9, 1]


def test_the_worst_instructions_of_several_traits_stand_together(tmp_path):
    with bench(
        tmp_path,
        trace("a"),
        trace("b"),
        of=rubric(matrix(), checklist()),
    ) as at:
        for number in (1, 3):
            at.receive(number, proposal())
            at.do(number, MOVED)
        at.receive(2, proposal(checklist()))
        accuracy = ("metric", "Accuracy")
        coverage = ("metric", "Coverage")
        worst = breakdowns.worst(at.workspace, (accuracy, coverage), 3)
        assert [(name, one.overruled) for (_, name), one in worst] == [
            ("Accuracy", 2),
            ("Accuracy", 0),
            ("Accuracy", 0),
        ]
        assert {
            trait for trait, _ in breakdowns.worst(at.workspace, (coverage,), 3)
        } == {coverage}
        worst = breakdowns.worst(at.workspace, (accuracy, coverage), 99)
        assert len(worst) == 6 + 4


def test_traits_are_changed_by_what_happened_since(tmp_path):
    with bench(tmp_path, trace("a"), of=rubric(matrix(), checklist())) as at:
        at.receive(1, proposal())
        last = at.workspace.facts.last_n()
        assert breakdowns.changed_since(at.workspace, last) == set()
        at.receive(2, proposal(checklist()))
        assert breakdowns.changed_since(at.workspace, last) == {
            ("metric", "Coverage"),
        }
        assert breakdowns.changed_since(at.workspace, 0) == {
            ("metric", "Accuracy"),
            ("metric", "Coverage"),
        }


def test_whether_anything_is_blind_and_which_questions_there_are(tmp_path):
    asked = Question(id="q1", question="What is BCL2?")
    of = rubric(matrix(), questions=[asked])
    traces = [
        trace("a", question_id="q1"),
        trace("b"),
        trace("c", question_id="q2", question="What else?"),
    ]
    with bench(tmp_path, *traces, of=of) as at:
        assert breakdowns.question_ids(at.workspace.path) == {"q1", "q2"}
        at.do(1, Draw(False))
        assert not breakdowns.is_blind(at.workspace)
        at.do(2, Draw(True))
        assert breakdowns.is_blind(at.workspace)


FOUND = corrects(
    {"action": "move", "bucket": "fn", "index": 0, "to": "tp", **select(GENE)},
)


def counts(of) -> dict[tuple[str, str], int]:
    return {pair: count for pair, count in of.counts.items() if count}


def test_only_cells_that_a_judge_judged_and_a_person_signed_off_are_compared(tmp_path):
    with bench(tmp_path, *(trace(name) for name in "abcde"), of=rubric(matrix())) as at:
        for number in (1, 2, 3):
            at.receive(number, proposal())
        at.do(1, MOVED)
        at.sign_off(1)
        at.sign_off(2)
        at.do(2, MOVED)  # and so it is signed off no more
        by_hand = {"action": "add", "bucket": "fn", "of": "tp", "instruction": 1}
        at.do(4, corrects(by_hand))
        at.sign_off(4)
        found = breakdown(at.workspace.path, ("metric", "Accuracy"))
        assert found.whole.agreement.n == 6
        assert counts(found.whole.agreement) == {
            ("found", "found"): 3,
            ("found", "missing"): 1,
            ("missing", "missing"): 2,
        }
        (moved,) = [
            one
            for one in found.instructions
            if one.stats.instruction == "Mentions BCL2 gene"
        ]
        assert moved.agreement.counts == {("found", "missing"): 1}


def test_verdicts_ruled_blind_are_apart_from_labels_signed_in_sight_and_hidden_ones_in_neither(
    tmp_path,
):
    with bench(tmp_path, *(trace(name) for name in "abcd")) as at:
        for number in (1, 2, 3, 4):
            at.receive(number, proposal())
        at.draw(sample_of("a", "b", of=4))
        rules(at, 1)  # a verdict that calls every instruction missing
        at.do(1, FOUND)  # a change of mind: the verdict stays what it was
        at.sign_off(1)
        at.sign_off(3)
        found = breakdown(at.workspace.path, ("metric", "Accuracy"))
        sighted = counts(found.whole.agreement)
        assert sighted == {("found", "found"): 4, ("missing", "missing"): 2}
        assert counts(found.whole.blind) == {
            ("found", "missing"): 4,
            ("missing", "missing"): 2,
        }
        assert [one.blind.n for one in found.instructions] == [1] * 6


def test_traces_of_one_cluster_and_epochs_of_one_trace_belong_together(tmp_path):
    apart = [
        trace("a", cluster="x"),
        trace("b", cluster="x"),
        trace("c"),
        trace("c", epoch=2),
    ]
    with bench(tmp_path, *apart) as at:
        for number in (1, 2, 3, 4):
            at.receive(number, proposal())
            at.sign_off(number)
        found = breakdown(at.workspace.path, ("metric", "Accuracy")).whole.agreement
        assert (found.n, found.traces) == (24, 2)
        assert found.known("kappa").bounds.clusters == 2


def test_a_trait_of_which_nothing_is_signed_off_has_nothing_compared(tmp_path):
    with bench(tmp_path) as at:
        found = breakdown(at.workspace.path, ("metric", "Accuracy"))
        assert (found.whole.agreement.n, found.instructions) == (0, ())


def test_what_a_person_left_open_is_no_answer_and_what_the_judge_left_open_is_one(
    tmp_path,
):
    whole = worked_example()
    # the judge says nothing of the first instruction
    short = {**whole, "tp": whole["tp"][1:], "items": []}
    said = Proposed(METRIC.locate(matrix(), TRACE, short), {"name": "gpt"})
    with bench(tmp_path, *(trace(name) for name in "ab"), of=rubric(matrix())) as at:
        at.receive(1, said)
        at.receive(2, said)
        assert "unclear" in at.open_unhidden(1)[1].answers.values()
        at.do(2, corrects({"action": "add", "bucket": "fn", **link(1)}))
        for number in (1, 2):
            at.sign_off(number)
        found = counts(
            breakdown(at.workspace.path, ("metric", "Accuracy")).whole.agreement,
        )
    assert found["unclear", "missing"] == 1
    assert "unclear" not in {person for _, person in found}


# -- panels ----------------------------------------------------------------------------------------


TRACES = [f"t{number}" for number in range(6)]


def test_members_are_compared_with_each_other_and_with_who_signed_off(tmp_path):
    with bench(tmp_path, *map(trace, TRACES)) as at:
        for number in range(1, 7):
            at.receive(number, panel())
            if number <= 4:
                at.sign_off(number)
        found = breakdown(at.workspace.path, ("metric", "Accuracy")).panel
        assert len(found.members) == 2
        assert (found.n, found.compared, found.blind) == (36, 24, False)
        first, second = found.against
        assert (first.n, first.agreed) == (24, 24)
        assert second.agreed < 24
        assert found.between[0, 1].agreed == second.agreed * 6 // 4
        assert found.alpha.value == found.between[0, 1].known("alpha").value
        assert found.votes is None  # the first member never errs


def test_hidden_cells_are_in_no_panel_and_verdicts_are_not_pooled_with_labels(tmp_path):
    with bench(tmp_path, *map(trace, TRACES)) as at:
        for number in range(1, 7):
            at.receive(number, panel())
        at.draw(sample_of(*TRACES[:5], of=6))
        at.sign_off(6)
        found = breakdown(at.workspace.path, ("metric", "Accuracy")).panel
        assert (found.n, found.compared) == (6, 6)


def test_a_trait_that_no_panel_judged_has_none(tmp_path):
    with bench(tmp_path, trace("a")) as at:
        at.receive(1, proposal())
        assert breakdown(at.workspace.path, ("metric", "Accuracy")).panel is None


def test_the_panel_of_a_breakdown_has_the_cells_that_nobody_signed_off(tmp_path):
    with bench(tmp_path, *map(trace, TRACES)) as at:
        for number in range(1, 7):
            at.receive(number, panel())
        at.sign_off(1)
        found = breakdown(at.workspace.path, ("metric", "Accuracy")).panel
        assert (found.n, found.compared) == (36, 6)


# -- several kinds of one name ---------------------------------------------------------------------


SAFE_TO_A_JUDGE = LLMRubricTrait(name="Safe", kind="boolean", description="Is it safe?")
SAFE_BY_RULE = RegexRubricTrait(name="Safe", pattern="BCL", description="Names a gene")


def test_kinds_that_share_a_name_are_each_broken_down(tmp_path):
    of = Rubric(
        questions=[
            {"id": "q1", "question": "One?", "llm_traits": [SAFE_TO_A_JUDGE]},
            {"id": "q2", "question": "Two?", "regex_traits": [SAFE_BY_RULE]},
        ],
    )
    asked = [
        trace("a", question_id="q1"),
        trace("b", question_id="q2"),
        trace("c", question_id="q1"),
    ]
    tables = [
        {"value": True},
        {"value": True, "hits": 1, "matches": [[0, 3]]},
        {"value": False},
    ]
    with bench(tmp_path, *asked, of=of) as at:
        for number, table in enumerate(tables, 1):
            subject = at.workspace.cell(number)[1].subject
            located = subject.kind.locate(subject.trait, subject.trace, table)
            at.receive(number, Proposed(located, {"name": "gpt"}))
        at.sign_off(1)
        found = breakdowns_of(WorkspaceAudit(at.workspace.db))
        assert [
            (one.kind.name, one.whole.cells, one.whole.signed) for one in found
        ] == [
            ("llm", 2, 1),
            ("regex", 1, 0),
        ]
        assert [
            one.stats.cells for numbers in found for one in numbers.instructions
        ] == [2, 1]
        assert breakdown(at.workspace.path, ("llm", "Safe")) == found[0]
        assert [one.spread["yes"]["standing"] for one in found] == [[1, 1], [0, 1]]


def test_every_trait_of_an_audit_is_broken_down_in_the_order_of_its_file(folder):
    with breakdowns.reading(place(folder).workspace) as db:
        found = breakdowns_of(WorkspaceAudit(db), "epoch")
    assert found == breakdowns_of(load_audit(place(folder).audit), "epoch")
    assert [one.trait for one in found] == NAMES

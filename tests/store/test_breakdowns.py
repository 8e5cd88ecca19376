"""The numbers of a trait read from a workspace: those of its cells, whatever their kind."""

from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from all_kinds import NAMES, bench_of_all_kinds
from appellate.core.deciding import Correct
from appellate.core.facts import Failed, Proposed
from appellate.core.problem import Refused
from appellate.core.totals import SIDES, summary
from appellate.numbers.report import broken_down
from appellate.store import breakdowns
from appellate.store.audits.audit import load_audit
from appellate.traits.metric import KIND
from appellate.traits.metric.edits import Edit
from cells import EXPECTED, FORBIDDEN, GENE, TRACE, bench, matrix, place, proposal, rubric, trace

MOVE = Correct(Edit.from_row({"action": "move", "bucket": "tp", "index": 0, "to": "fn"}))
TWICE = {
    "tp": ["BCL2  is an anti-apoptotic gene", GENE],
    "fn": EXPECTED[2:],
    "fp": [],
    "tn": FORBIDDEN,
    "items": [
        {"bucket": "tp", "index": 0, "instruction": 1},
        {"bucket": "tp", "index": 1, "instruction": 2},
    ],
}
"""Excerpts that are two in the judge's words, and one where they stand in the response."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("kinds")
    with bench_of_all_kinds(folder) as at:
        at.save()
    return folder


@pytest.mark.parametrize("name", NAMES)
def test_a_trait_of_any_kind_is_what_its_totals_say(folder, name):
    path = place(folder).workspace
    found = breakdowns.breakdown(path, name, "model")
    with breakdowns.reading(path) as db:
        rows = db.execute("SELECT key, value FROM totals WHERE trait = ?", (name,))
        totals = dict(rows.fetchall())
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
    assert breakdowns.breakdown(place(folder).workspace, "none") is None


def test_groups_are_what_traces_say(tmp_path):
    traces = [
        trace("a", model="m", question="q", cluster="c", metadata={"site": ["x", "y"], "n": 3}),
        trace("a", epoch=2, model="n", question="q", metadata={"ok": True, "site": "x"}),
        trace("b", question_id="one", question="q2", metadata={"none": None, "run": {"id": "r1"}}),
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
        return {one.name: one.cells for one in breakdowns.breakdown(path, "Accuracy", by).groups}

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
    breakdowns.breakdown(path, "Accuracy", on_progress=lambda done, part: told.append((done, part)))
    assert told[-1] == (3, 1)


@pytest.mark.parametrize(
    ("by", "known"), [("model", True), ("meta.x", True), ("meta.", False), ("colour", False)]
)
def test_what_one_can_group_by_is_known(by, known):
    assert breakdowns.is_grouping(by) is known


MOVE = Correct(Edit.from_row({"action": "move", "bucket": "tp", "index": 0, "to": "fn"}))
TWICE = {
    "tp": ["BCL2  is an anti-apoptotic gene", GENE],
    "fn": EXPECTED[2:],
    "fp": [],
    "tn": FORBIDDEN,
    "items": [
        {"bucket": "tp", "index": 0, "instruction": 1},
        {"bucket": "tp", "index": 1, "instruction": 2},
    ],
}
"""Excerpts that are two in the judge's words, and one where they stand in the response."""


@given(st.data())
@settings(max_examples=10)
def test_a_workspace_and_its_audit_come_to_the_same(tmp_path_factory, data):
    folder = tmp_path_factory.mktemp("same")
    traces = [
        trace(str(n), model="m" * (n % 3), question="q" * (n % 2), metadata={"n": n % 2})
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
    by = data.draw(st.sampled_from(["", "model", "meta.n", "epoch", "question", "cluster"]))
    (of_audit,) = broken_down(load_audit(place(folder).audit), by)
    found = breakdowns.breakdown(place(folder).workspace, "Accuracy", by)
    assert found.whole == of_audit.whole
    assert found.groups == of_audit.groups
    assert found.instructions == of_audit.instructions


def lived(at, number, act):
    match act:
        case "judge":
            at.receive(number, proposal())
        case "judge twice":
            at.receive(number, Proposed(KIND.locate(matrix(), TRACE, TWICE), {"name": "gpt"}))
        case "move":
            at.do(number, MOVE)
        case "sign":
            at.sign_off(number)
        case "fail":
            at.receive(number, Failed("no answer", judge={"name": "gpt"}))


def test_what_is_one_item_only_where_it_stands_is_two_to_the_judge(tmp_path):
    of = rubric(matrix(metrics=["precision"]))
    with bench(tmp_path, trace(), of=of) as at:
        lived(at, 1, "judge twice")
        totals = at.workspace.totals("Accuracy")
    assert (totals["judge_all:tp"], totals["standing:tp"]) == (2, 1)
    sides = breakdowns.breakdown(place(tmp_path).workspace, "Accuracy", "epoch").groups[0].sides
    assert sides["precision"]["judge_all"].micro == sides["precision"]["standing"].micro == 1


def test_the_groups_of_a_trace_are_what_it_says_of_itself():
    one = trace("t", question_id="q1", cluster="c", epoch=3, metadata={"site": ["Ulm", "Jena"]})
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
    assert breakdowns.words_of(trace("t", question="Why?", model="gpt"), "question") == ("Why?",)

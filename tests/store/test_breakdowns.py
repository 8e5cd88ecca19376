"""The numbers of a trait read from a workspace: those of its cells, whatever their kind."""

import pytest

from all_kinds import NAMES, bench_of_all_kinds
from appellate.core.totals import SIDES, summary
from appellate.store import breakdowns
from cells import bench, place, proposal, rubric, trace


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
        assert one.agreement.n <= found.whole.signed
    assert [group.name for group in found.groups] == [""]


def test_nothing_is_known_of_a_trait_without_cells(folder):
    assert breakdowns.breakdown(place(folder).workspace, "none") is None


def test_groups_are_what_traces_say(tmp_path):
    traces = [
        trace("a", model="m", question="q", cluster="c", metadata={"site": ["x", "y"], "n": 3}),
        trace("a", epoch=2, model="n", question="q", metadata={"ok": True, "site": "x"}),
        trace("b", question_id="one", question="q2", metadata={"none": None}),
    ]
    of = rubric(questions=[{"id": "one", "question": "q2"}])
    with bench(tmp_path, *traces, of=of) as at:
        at.receive(1, proposal())
    path = place(tmp_path).workspace
    assert breakdowns.groupings(path) == [
        *("model", "question", "epoch"),
        *("meta.n", "meta.none", "meta.ok", "meta.site"),
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
    told = []
    breakdowns.breakdown(path, "Accuracy", heard=lambda done, part: told.append((done, part)))
    assert told[-1] == (3, 1)


@pytest.mark.parametrize(
    ("by", "known"), [("model", True), ("meta.x", True), ("meta.", False), ("colour", False)]
)
def test_what_one_can_group_by_is_known(by, known):
    assert breakdowns.is_grouping(by) is known

"""What can be drawn, and what strata may go by."""

import pytest

from appellate.core.design_facts import Sample
from appellate.core.facts import Proposed
from appellate.core.problem import Refused
from appellate.query.language import is_grouping
from appellate.store.samples.sample_plans import (
    GROUPINGS,
    UNSAID,
    SampleWish,
    groups,
    plan,
    read_frame,
    setting,
    usual_size,
)
from appellate.traits.rubric import Question, Rubric
from cells import bench, checklist, panel, proposal, rubric, trace


def test_traces_without_a_trait_are_left_out_and_that_is_told(tmp_path):
    question = Question(id="q", question="Where?", metric_traits=[checklist()])
    of = Rubric(name="BCL2", questions=[question])
    with bench(
        tmp_path,
        trace("a", question_id="q"),
        trace("b"),
        trace("c"),
        of=of,
    ) as at:
        frame = read_frame(at.workspace.path)
        assert ([unit.name for unit in frame.units], frame.without, frame.word) == (
            ["a"],
            2,
            "trace",
        )
        assert plan(at.workspace.path, SampleWish(1)).describe() == [
            "2 traces have no trait to judge by.",
        ]


def test_a_cluster_is_drawn_whole_and_that_is_told(tmp_path):
    with bench(
        tmp_path,
        *(trace(f"t{no}", cluster=f"c{no // 2}") for no in range(4)),
    ) as at:
        frame = read_frame(at.workspace.path)
        assert (frame.word, frame.clusters, [unit.name for unit in frame.units]) == (
            "cluster",
            2,
            ["cluster c0", "cluster c1"],
        )
        assert plan(at.workspace.path, SampleWish(1)).describe() == [
            "Traces of one cluster come in together: the cluster is what is drawn.",
        ]


@pytest.fixture
def told_apart(tmp_path):
    """Eight traces of two sites, asked two questions; one says nothing of its site."""
    traces = [
        trace(
            f"t{no}",
            question=f"Question {no % 2}",
            metadata={"site": "ab"[no % 2], "n": no} if no else {"n": no},
        )
        for no in range(8)
    ]
    with bench(tmp_path, *traces) as at:
        yield at.workspace.path


def test_strata_go_by_what_traces_say(told_apart):
    units = read_frame(told_apart).units
    assert groups(told_apart, units, ["meta.site"]) == [UNSAID, *"bababab"]
    assert groups(told_apart, units, ["question"])[:2] == ["Question 0", "Question 1"]
    assert groups(told_apart, units, ["question", "meta.site"])[1:3] == [
        "Question 1 · b",
        "Question 0 · a",
    ]
    assert groups(told_apart, units, ["model"]) == [UNSAID] * 8


def test_only_what_makes_few_groups_is_offered(told_apart):
    units, offered, _ = setting(told_apart)
    assert (units, "meta.site" in offered, "question" in offered) == (8, True, True)
    assert {"model", "disagreement"}.isdisjoint(offered)


@pytest.mark.parametrize(
    ("by", "known"),
    [
        ("question", True),
        ("disagreement", True),
        ("meta.site", True),
        ("meta.", False),
        ("site", False),
    ],
)
def test_strata_go_by_a_few_things_alone(by, known):
    assert is_grouping(by, GROUPINGS) == known


@pytest.mark.parametrize(("units", "drawn"), [(1, 1), (57, 57), (120, 60), (1000, 60)])
def test_usually_sixty_are_drawn_and_of_fewer_all(units, drawn):
    assert usual_size(units) == drawn


def test_where_the_panel_disagrees_nowhere_nothing_goes_by_it(tmp_path):
    with bench(tmp_path, *(trace(f"t{no}") for no in range(6))) as at:
        alike = proposal(members=panel().judge["members"][:1] * 2)
        for number in range(1, 7):
            at.receive(number, alike)
        with pytest.raises(Refused, match="The panel disagrees nowhere"):
            plan(at.workspace.path, SampleWish(3, by=("disagreement",)))
        assert [SampleWish(3).design, SampleWish(3, by=("model",)).design] == [
            "simple",
            "stratified",
        ]


def test_a_sample_of_other_traces_is_not_added_to(tmp_path):
    with bench(tmp_path, trace("a"), trace("b"), trace("c")) as at:
        at.draw(plan(at.workspace.path, SampleWish(1)).what)
        what = at.workspace.design.facts()[0].what
        (tmp_path / "other").mkdir()
    with bench(tmp_path / "other", trace("x"), trace("y"), trace("z")) as other:
        with pytest.raises(Refused, match="not those that the sample was drawn from"):
            plan(other.workspace.path, SampleWish(1), Sample.of([what]))
        with pytest.raises(Refused, match=r"There is no trace .* to draw"):
            other.draw(what)


def test_a_place_in_the_sample_is_told_or_that_there_is_none(tmp_path):
    with bench(tmp_path, trace("a"), trace("b"), trace("c")) as at:
        assert at.workspace.design.place(1) is None
        at.draw(plan(at.workspace.path, SampleWish(2)).what)
        drawn = at.workspace.design.drawn()
        assert [at.workspace.design.place(no).describe for no in drawn] == [
            "sample 1/2",
            "sample 2/2",
        ]
        (left,) = {1, 2, 3} - {*drawn}
        assert at.workspace.design.place(left).describe == "outside the sample"


def test_traits_that_say_nothing_or_have_no_panel_tell_of_no_disagreement(tmp_path):
    of = rubric(checklist(), checklist(name="Other"))
    with bench(tmp_path, *(trace(f"t{no}") for no in range(6)), of=of) as at:
        empty = {"tp": [], "fn": [], "fp": [], "tn": [], "items": []}
        members = [{"name": name, **empty} for name in "ab"]
        for number in range(1, 7):
            at.receive(number, Proposed(empty, {"name": "p", "members": members}))
        with pytest.raises(Refused, match="The panel disagrees nowhere"):
            plan(at.workspace.path, SampleWish(3, by=("disagreement",)))

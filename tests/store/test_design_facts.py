"""What happens to an audit as a whole is kept with its facts, and stands in the head of its file."""

import pytest

from appellate.core.deciding import Flag
from appellate.core.design_facts import (
    DesignFact,
    Looked,
    LookedUnplanned,
    LooksPlanned,
    Probed,
    Sampled,
    SecondPass,
    from_body,
    to_body,
)
from appellate.core.problem import Unusable
from appellate.store.audits.audit import load_audit
from cells import bench, from_file_alone

AT = "2026-11-22T12:00:00Z"
EVENTS = [
    Sampled(
        "stratified",
        ["model"],
        1,
        True,
        2,
        "ab" * 32,
        "2a",
        [{"name": "a", "units": 2, "drawn": 1}],
        [{"traces": [["t1", 1]], "stratum": "a"}],
    ),
    LooksPlanned("", "f1>=.8", [40, 80], 0.05),
    Looked(2, 1, 40, 0.85, 0.8125, 0.9, "trusted"),
    LookedUnplanned("Facts", "f1>=.9", 80, 0.85, 0.8125, 0.9, "undecided"),
    Looked(2, 2, 80, None, None, None, "undecided"),
    Probed(
        "order",
        {"name": "gpt"},
        20,
        {"flips": [{"instruction": "a", "of": 20, "turned": 1}]},
    ),
    SecondPass("ada", 6, {"kappa": 0.8}),
    LooksPlanned("", "f1>=.9", [], 0.05, "any", 60),
    LookedUnplanned("Facts", "f1>=.7", 8, 0.85, 0.7125, 0.9, "reached", "any"),
]


@pytest.fixture
def review(tmp_path):
    """An audit to which all of it happened."""
    with bench(tmp_path) as review:
        for event in EVENTS:
            review.workspace.design.append(event, AT, "ada")
        yield review


@pytest.mark.parametrize("event", EVENTS)
def test_its_row_tells_all_of_it(event):
    name, body = to_body(event)
    assert from_body(name, body) == event


def test_no_row_refers_to_one_that_is_not_there(review):
    assert not review.workspace.db.execute("PRAGMA foreign_key_check").fetchall()


def test_it_is_numbered_with_the_facts_of_cells(tmp_path):
    with bench(tmp_path) as review:
        first = review.workspace.design.append(EVENTS[4], AT, "ada")
        flagged = review.do(1, Flag(True))
        later = review.workspace.design.append(EVENTS[5], AT, "bob")
        assert [first.n, flagged.after.facts[-1].n, later.n] == [1, 2, 3]
        assert review.workspace.design.facts() == [first, later]
        assert later == DesignFact(3, AT, "bob", EVENTS[5])


def test_an_audit_file_alone_brings_it_back_and_is_written_again_to_the_byte(review):
    design = review.workspace.design.facts()
    with from_file_alone(review) as again:
        assert again.design.facts() == design
    assert review.audit.read_text().count("[[design]]") == len(EVENTS)


@pytest.mark.parametrize(
    ("was", "becomes", "why"),
    [
        ('act = "looked"', 'act = "guessed"', "guessed"),
        ("frame = 2", 'frame = "two"', "frame = 'two' is nothing that sampled tells"),
        ("blind = true", "blind = 1", "blind = 1 is nothing that sampled tells"),
        ("look = 1", "look = true", "look = True is nothing that looked tells"),
        ("\nn = 2\n", "\nn = -2\n", "n = -2 by 'ada' numbers no act of anybody"),
        ("\nn = 2\n", "\nn = 1\n", "two facts have this number"),
        ('design = "stratified"', 'design = "mine"', "there is no design 'mine'"),
        ("\nunits = 2\n", "\nunits = 0\n", "a stratum has a name, its units"),
        (
            'frame_strata = "2a',
            'frame_strata = "99999999999a',
            "more than 10,000,000 traces",
        ),
        (
            "    40,\n    80,",
            "    true,\n    80,",
            "looks are planned at growing numbers",
        ),
        ("level = 0.05", "level = 7.0", "with a level between 0 and 1"),
        (f"at = {AT}", f"at = {AT.removesuffix('Z')}", "a date and time with a zone"),
        ('bar = "f1>=.8"', 'bar = "f1 is nice"', "is not a bar"),
        ("of = 2\nlook = 1", "of = 9\nlook = 1", "a plan n = 9, and there is none"),
        ("low = 0.8125", "low = 0.7", "its decision is not what"),
        ("value = 0.85", f"value = 8{'0' * 400}", "is nothing that looked tells"),
    ],
)
def test_what_cannot_be_is_refused_with_its_place(review, was, becomes, why):
    review.save()
    text = review.audit.read_text()
    assert was in text
    review.audit.write_text(text.replace(was, becomes, 1))
    with pytest.raises(Unusable) as unusable:
        load_audit(review.audit)
    assert why in str(unusable.value)

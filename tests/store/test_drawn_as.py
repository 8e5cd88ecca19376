"""The digest of a sample: what it covers, as of which draw or plan, and how people write it."""

import pytest
from msgspec.structs import replace

from appellate.core.deciding import Comment
from appellate.core.design_facts import DesignFact, LooksPlanned, Withdrawn
from appellate.numbers.digests import check_digest, digest_text
from appellate.numbers.samples import hand_edits_at, hand_edits_in
from appellate.store.audits.audit import load_audit
from appellate.store.samples.drawn_as import read_digest, sample_digests
from appellate.store.samples.drawn_over import DrawnOver
from appellate.store.samples.sample_plans import SampleWish, plan
from cells import sample_of
from sampled import judged, number_of, rule, sampled

AT, LATER = "2026-11-21T12:00:00Z", "2026-11-21T13:00:00Z"
DRAW = DesignFact(4, AT, "ada", sample_of("t1"))
PLAN = DesignFact(5, AT, "ada", LooksPlanned("", "f1>=0.8", [20, 40], 0.05))
AUDIT = "x.audit.toml"
OVER = DrawnOver("ab" * 32, "cd" * 32)


def letters(*design, over=OVER) -> list[str]:
    return [one.letters for one in sample_digests(design, {4: over, 6: over, 9: over})]


def test_a_digest_is_twelve_letters_that_stay_what_they_are_from_version_to_version():
    assert letters(DRAW, PLAN) == ["c25eun7izttd", "iop3pboj53hx"]
    assert letters() == []


@pytest.mark.parametrize(
    "other",
    [
        replace(DRAW, n=3),
        replace(DRAW, at=LATER),
        replace(DRAW, by="bob"),
        replace(DRAW, what=replace(DRAW.what, seed=2)),
        replace(DRAW, what=sample_of("t2")),
        replace(DRAW, what=replace(DRAW.what, blind=False)),
        replace(DRAW, what=replace(DRAW.what, rubric_sha256="ab" * 32)),
    ],
)
def test_another_draw_has_another_digest(other):
    (one,) = sample_digests([DRAW], {4: OVER})
    (two,) = sample_digests([other], {other.n: OVER})
    assert one.letters != two.letters


def test_other_texts_labels_and_plans_have_another_digest():
    others = [
        letters(DRAW, over=replace(OVER, texts_sha256="00")),
        letters(DRAW, over=replace(OVER, judged_sha256="00")),
        letters(DRAW, replace(PLAN, what=replace(PLAN.what, bar="f1>=0.7"))),
        letters(DRAW, replace(PLAN, what=replace(PLAN.what, looks=[40]))),
        letters(DRAW, PLAN),
    ]
    latest = {digests[-1] for digests in others}
    assert len(latest) == len(others)
    assert letters(DRAW)[0] not in latest


def test_an_earlier_sample_that_was_withdrawn_is_in_the_digest_and_has_none_any_more():
    withdrawn = DesignFact(5, AT, "ada", Withdrawn(1, 0))
    second = replace(DRAW, n=6)
    assert letters(DRAW, withdrawn) == []
    assert letters(DRAW, withdrawn, second) != letters(second)


@pytest.mark.parametrize(
    "text",
    ["abcd efgh 2345", "ABCD-EFGH-2345", " abcdefgh2345\n"],
)
def test_a_digest_may_be_written_in_groups(text):
    assert read_digest(text) == "abcdefgh2345"


@pytest.mark.parametrize(
    "text",
    ["", "abcdefgh234", "abcdefgh23456", "abcdefgh2341", "ábcdefgh2345"],
)
def test_another_text_is_no_digest(text):
    with pytest.raises(ValueError, match="a digest is 12 letters"):
        read_digest(text)


# -- of an audit -----------------------------------------------------------------------------------


def digests(at):
    """The digests that the workspace has, which are those of its file."""
    at.save()
    found = hand_edits_at(at.workspace.db).digests
    assert hand_edits_in(load_audit(at.audit)).digests == found
    return found


def test_verdicts_comments_and_later_rounds_leave_the_digest_as_it_is(tmp_path):
    with sampled(tmp_path, 30, 10) as at:
        (before,) = digests(at)
        rule(at, 4)
        at.do(1, Comment("Why?"))
        assert digests(at) == [before]


def test_a_digest_of_before_holds_with_what_came_after_it_named(tmp_path):
    with sampled(tmp_path, 30, 10) as at:
        (drawn,) = digests(at)
        at.record(LooksPlanned("", "yes>=.2", [10], 0.05))
        planned = digests(at)[-1]
        at.draw(
            plan(at.workspace.path, SampleWish(4), at.workspace.design.sample()).what,
        )
        found = digests(at)
        assert [one.letters for one in found[:2]] == [drawn.letters, planned.letters]
        assert f"Digest: {found[2].letters}." in digest_text(found, AUDIT)
        first = check_digest(found, drawn.letters)
        assert first.holds
        assert (
            "2 later acts are not in it: planned looks at 10 for yes>=.2" in first.text
        )
        latest = check_digest(found, found[2].letters)
        assert latest.holds
        assert "later" not in latest.text
        assert not check_digest(found, "a" * 12).holds


def test_judgments_that_came_after_the_draw_are_not_in_the_digest_and_counted(tmp_path):
    with sampled(tmp_path, 30, 10) as at:
        (before,) = digests(at)
        said, _ = judged(0)
        again = replace(said, judge={**said.judge, "round": 2})
        at.receive(number_of(at.workspace, 0, "Facts"), again)
        (after,) = digests(at)
        assert (before.letters, before.later) == (after.letters, 0)
        assert after.later == 1
        told = check_digest([after], after.letters).text
        assert told.endswith("1 later judgment is not in it.")


def test_without_a_sample_no_digest_holds():
    assert digest_text([], AUDIT) == ""
    assert check_digest([], "a" * 12).text.endswith("there is no sample in this file.")

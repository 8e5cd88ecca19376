"""A panel's votes beside the items, and what each judge proposed: looked at, and adopted."""

import pytest
from comparisons import context_of
from review_stage import LEAST, NARROW, WIDE, sitting

from all_kinds import NAMES, bench_of_all_kinds
from appellate.app.compare.judged import Proposals, ProposalsScreen
from appellate.core.cell import evolve, fold
from appellate.core.deciding import Receive
from appellate.core.facts import Fact, Proposed
from appellate.core.kind import Subject
from appellate.traits.kinds import kinds
from appellate.traits.llm.spec import LLMRubricTrait
from appellate.traits.metric import KIND
from cells import (
    CANCER,
    GENE,
    PLACE,
    SURVIVE,
    TRACE,
    Story,
    labels,
    matrix,
    rubric,
    trace,
)

TRAIT = matrix()
A = {"tp": [(GENE, 1), (SURVIVE, 2)], "fn": [3, 4], "tn": [-2], "fp": [(PLACE, -1)]}
B = {"tp": [(GENE, 1), (CANCER, 3)], "fn": [2, 4], "tn": [-1, -2]}
C = {"tp": [(GENE, 1), (SURVIVE, 2)], "fn": [3, 4], "tn": [-1, -2]}
HOSTILE = "evil\x1b[31m\u202e [bold]model"


def table(**held):
    written = KIND.write(labels(TRAIT, **held))
    return KIND.locate(
        TRAIT,
        TRACE,
        {**written["audited"], "items": written.get("items", [])},
    )


def paneled(*members, **record):
    """What a panel of these members proposes."""
    given = [member for member in members if "error" not in member]
    majority = KIND.locate(TRAIT, TRACE, KIND.majority(TRAIT, TRACE, given))
    return Proposed(
        majority,
        {"name": "panel of three", "members": list(members), **record},
    )


THREE = [
    {"name": "openai", "model": "a", **table(**A)},
    {"name": "b", **table(**B)},
    {"name": "c", **table(**C)},
]


def scene(*happened):
    return rubric(TRAIT), [trace()], [list(happened or [paneled(*THREE)])]


def row_of(at, words):
    rows = [row for row in at.text.split("\n") if words in row]
    assert rows, f"{words!r} is not on the screen:\n{at.text}"
    return rows[-1]


def shown(at):
    """What the items' pane shows, on one line."""
    region = at.screen.query_one("#items").region
    rows = at.text.split("\n")[region.y : region.bottom]
    return " ".join(" ".join(row[region.x : region.right] for row in rows).split())


async def opened_list(at):
    await at.press("V")
    await at.until(lambda: isinstance(at.app.screen, ProposalsScreen))


async def test_beside_every_item_stands_how_many_members_hold_it_and_below_the_rows_who(
    tmp_path,
):
    async with sitting(tmp_path, scene()) as at:
        await at.press("t", "j")  # on the checklist, too
        assert "panel: found: a, c; missing: b" in shown(at)
        assert "≠2/3" in row_of(at, "+  2 States")
        await at.press("k", "t")
        assert "3/3" in row_of(at, "Mentions BCL2 gene ")
        assert "≠2/3" in row_of(at, "States that BCL2 inhibits")
        assert "panel: found: a, b, c" in shown(at)
        await at.press("j")
        assert "panel: found: a, c; missing: b" in shown(at)
        await at.press("2")
        assert "≠1/3" in row_of(at, "States that BCL2"), (
            "after a correction: who would have agreed with it"
        )


@pytest.mark.slow
@pytest.mark.parametrize("size", [WIDE, LEAST])
async def test_the_proposal_under_the_cursor_is_shown_and_nothing_of_it_is_kept(
    tmp_path,
    size,
):
    async with sitting(tmp_path, scene(), size=size) as at:
        kept = at.facts
        await opened_list(at)
        assert "only looked at: panel of three, round 1" in at.text
        assert (
            f"A adopts  Esc leaves  Tab items{'  t other view' * (size == WIDE)}"
            in at.text
        )
        assert "same" in row_of(at, " 1  panel of")
        assert "1 differ" in row_of(at, "    a ")
        await at.press("j", "j")
        assert "2 differ" in row_of(at, "    b ")
        assert {WIDE: "is important in cancer", LEAST: "!FP 0"}[size] in at.words(
            "#pane",
        )
        assert "only looked at: b, round 1" in await at.shows("t")
        assert "only looked at: b, round 1" in await at.shows("t")
        assert "missing here, found now: States that BCL2" in await at.shows("K")
        assert "Only looked at here" in await at.shows(
            "escape",
            "tab",
            "1",
            "d",
            "enter",
        )
        await at.press("escape")
        assert (at.facts, at.marks["tp"]) == (kept, [1, 2])


async def test_a_members_labels_are_adopted_and_undo_brings_back_what_stood(tmp_path):
    async with sitting(tmp_path, scene()) as at:
        await opened_list(at)
        assert "The cell has these labels already." in await at.shows("k", "A")
        await at.press("j", "j", "j", "A")
        await at.until(lambda: at.app.screen is at.screen)
        assert at.marks == {"tp": [1, 3], "fn": [2, 4], "tn": [-1, -2]}
        assert at.said == "Adopted the labels of b, round 1: u undoes it."
        assert at.state == "corrected"
        await at.press("u")
        assert (at.marks["tp"], at.state) == ([1, 2], "proposed")


@pytest.mark.slow
async def test_an_earlier_round_is_listed_below_the_later_one_and_can_be_adopted(
    tmp_path,
):
    first, second = (
        Proposed(table(**A), {"name": "old"}),
        Proposed(table(**B), {"name": "new", "round": 2}),
    )
    async with sitting(tmp_path, scene(first, second)) as at:
        assert at.marks["tp"] == [1, 3]
        assert "≠" not in at.text, "one judge is no panel"
        await opened_list(at)
        await at.press("j", "A")
        await at.until(lambda: at.app.screen is at.screen)
        assert at.marks["tp"] == [1, 2]
        assert "old, round 1" in at.said


async def test_a_member_that_failed_is_told_with_why_and_names_of_judges_are_only_text(
    tmp_path,
):
    failing = {"name": "b", "error": "It gave no answer."}
    async with sitting(
        tmp_path,
        scene(paneled({**THREE[0], "model": HOSTILE}, failing, THREE[2])),
    ) as at:
        assert "≠1/2" in at.text, "two of the three answered"
        assert "[bold]model" in shown(at)
        await at.pilot.resize_terminal(*NARROW)
        await opened_list(at)
        await at.press("j", "j")
        assert "no labels" in row_of(at, "    b ")
        assert "b: It gave no answer." in at.text
        assert "─ the labels now ─" in at.text, (
            "no other member's items stand under its name"
        )
        assert "There is nothing to adopt from b: It gave no answer." in await at.shows(
            "A",
        )
        assert "[bold]model" in at.text
        assert not {"\x1b", "\u202e"} & set(at.text)


@pytest.mark.slow
async def test_a_session_that_only_reads_shows_proposals_and_adopts_none(tmp_path):
    nobody_judged = (rubric(TRAIT), [trace("t1"), trace("t2")], [[], [paneled(*THREE)]])
    async with sitting(tmp_path, nobody_judged) as at:
        assert (
            await at.says("V") == "No judge has proposed anything here yet: J asks one."
        )
    async with sitting(tmp_path, readonly=True) as at:
        await at.press("full_stop")
        await opened_list(at)
        await at.press("j", "j", "A")
        await at.until(lambda: at.app.screen is at.screen)
        assert "only reads" in at.said
        assert at.marks["tp"] == [1, 2]


def test_proposals_are_told_from_the_latest_round_to_the_first_and_against_what_stands():
    story = Story(TRAIT)
    story.does(Receive(Proposed(table(**A), {"name": "old"})))
    story.does(Receive(paneled(*THREE, {"name": "d", "error": "Gone."}, round=2)))
    of = Proposals(context_of(shown=story.cell))
    assert [(one.round, one.member, one.name) for one in of.offers[1:]] == [
        *(
            (2, None, "panel of three"),
            (2, 0, "a"),
            (2, 1, "b"),
            (2, 2, "c"),
            (2, 3, "d"),
            (1, None, "old"),
        ),
    ]
    differing = [
        [one.instruction.number for one in of.differences(offer)]
        for offer in of.offers[1:]
        if not offer.refusal
    ]
    assert differing == [[], [1], [2, 3], [], [1]]


def test_proposals_of_any_kind_are_compared_in_its_own_measures_and_words():
    classes = LLMRubricTrait(
        name="Covers",
        kind="literal",
        classes={"all": "a", "some": "b"},
    )
    about = Subject(kinds()["llm"], classes, trace())
    cell = fold(about, [])
    for number, value in enumerate((0, 1), 1):
        located = about.kind.locate(classes, about.trace, {"value": value})
        what = Proposed(located, {"name": f"judge {number}", "round": number})
        cell = evolve(cell, Fact(number, "2026-11-21T12:00:00Z", "gpt", what))
    of = Proposals(context_of(shown=cell))
    (one,) = of.differences(of.offers[2])
    assert (one.proposed, one.current) == ("all", "some")
    (section,) = of.rows().sections
    rows = [section.header, *section.rows]
    assert [" ".join(piece.text for piece in row.right).split() for row in rows] == [
        ["class"],
        ["some"],
        ["some", "same"],
        ["all", "1", "differ"],
    ]


@pytest.mark.slow
async def test_proposals_of_every_kind_are_looked_at_in_their_own_pane(tmp_path):
    with bench_of_all_kinds(tmp_path):
        pass
    async with sitting(tmp_path, at=1) as at:
        for name in NAMES[:-1]:  # the last is of the tests' own kind, which has no pane
            await opened_list(at)
            assert f"Proposals for {name}, trace t1" in at.text
            assert "differ" in at.text or name == "Hedging"
            await at.press("escape")
            if name != NAMES[-2]:
                await at.press("full_stop")

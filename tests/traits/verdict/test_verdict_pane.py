"""What the panes of verdicts do alike, whoever gives the verdict: one law over their kinds."""

from typing import Any, NamedTuple

import pytest

from appellate.core.facts import Failed
from appellate.core.trace import Trace
from appellate.traits.callable import KIND as CALLABLE
from appellate.traits.callable.pane import CallablePane
from appellate.traits.callable.spec import CallableRubricTrait
from appellate.traits.llm import KIND as LLM
from appellate.traits.llm.pane import LLMPane
from appellate.traits.llm.spec import LLMRubricTrait
from appellate.traits.regex import KIND as REGEX
from appellate.traits.regex.pane import RegexPane
from appellate.traits.regex.spec import RegexRubricTrait
from appellate.traits.scorer import KIND as SCORER
from appellate.traits.scorer.pane import ScorerPane
from appellate.traits.scorer.spec import ScorerRubricTrait
from appellate.ui.contract import READS_ONLY
from traits.verdict.pane_stage import Shown, cell_of, judged

TRACE = Trace(id="1", question="?", response="Take it with food.", reference="food")


class Source(NamedTuple):
    """A pane, a trait of its kind and a verdict of its source; and what is shown of these."""

    pane: Any
    kind: Any
    trait: Any
    value: Any
    given: str
    by_hand: str
    failed: str
    waits: str
    again: str
    first: str
    other: str = "2"
    """The key of `by_hand`."""


JUDGED = Source(
    *(LLMPane, LLM, LLMRubricTrait(name="t", kind="boolean"), True),
    *("YES as the judge says", "NO the judge says yes"),
    *("The judge failed here.", "Not judged yet."),
    *("J asks again; 1 2", "J has it judged; 1 2"),
)
MATCHED = Source(
    *(RegexPane, REGEX, RegexRubricTrait(name="t", pattern="food"), True),
    *("YES as the pattern says", "NO the pattern says yes"),
    *("Not matched.", "Not matched yet."),
    *("J tries again; 1 2", "J does it; 1 2"),
)
RUN = Source(
    *(
        CallablePane,
        CALLABLE,
        CallableRubricTrait(name="t", kind="boolean", callable="m:f"),
        True,
    ),
    *("YES as the function says", "NO the function says yes"),
    *("The function gave no verdict.", "Not run."),
    *("J tries again; 1 2", "J runs it, where --allow-code does; 1 2"),
)
SCORED = Source(
    *(ScorerPane, SCORER, ScorerRubricTrait(name="t", scorer="includes"), "C"),
    *("C correct as the rule says", "I incorrect changed · was C"),
    *("Not scored: see below.", "Not scored yet."),
    *("J tries again; 1 3", "J has it scored; 1 3", "3"),
)
every_source = pytest.mark.parametrize("of", [JUDGED, MATCHED, RUN, SCORED])


@every_source
async def test_a_verdict_by_hand_stands_beside_the_source_s_own_which_takes_it_back(of):
    async with Shown(
        of.pane,
        judged(of.kind, of.trait, TRACE, {"value": of.value}),
    ) as shown:
        assert shown.words("verdict") == of.given
        await shown.press("1")
        assert "already" in shown.review.said[-1]
        assert shown.review.cell.state == "proposed"
        await shown.press(of.other)
        assert (shown.words("verdict"), shown.review.cell.state) == (
            of.by_hand,
            "corrected",
        )
        await shown.press("1")
        assert shown.words("verdict") == of.given


@every_source
async def test_a_cell_that_failed_says_why_and_takes_a_verdict_by_hand(of):
    cell = cell_of(
        of.kind,
        of.trait,
        TRACE,
        Failed("It broke \x1b.", "", {"name": "gpt"}),
    )
    async with Shown(of.pane, cell) as shown:
        assert shown.words("verdict").endswith(of.failed)
        assert f"{of.again} gives the {shown.pane.sight.scale.word}." in shown.words(
            "reason",
        )
        assert "It broke" in shown.told("reason")
        assert "\x1b" not in shown.told("reason")
        await shown.press("1")
        assert (
            shown.words("verdict")
            == f"{of.given.partition(' as ')[0]} given by a person"
        )


@every_source
async def test_where_a_cell_is_only_looked_at_no_key_of_its_pane_acts(of):
    async with Shown(of.pane, cell_of(of.kind, of.trait, TRACE)) as shown:
        shown.review.keys = ()
        await shown.press("1", "2", "r", "delete")
        assert (shown.labels, shown.review.said, shown.review.asked) == (None, [], [])
        shown.review.keys = shown.pane.KEYS
        await shown.press("1")
        assert shown.labels is not None or shown.review.said or shown.review.asked


@every_source
async def test_a_cell_that_waits_says_what_gives_a_verdict_or_that_a_judge_is_at_work(
    of,
):
    async with Shown(of.pane, cell_of(of.kind, of.trait, TRACE)) as shown:
        assert shown.words("verdict").endswith(of.waits)
        assert f"{of.first} gives the " in shown.words("reason")
        shown.review.judging = True
        shown.pane.show(shown.review.cell, fresh=False)
        assert "The judge is working and has not reached this cell." in shown.words(
            "verdict",
        )
        shown.review.readonly = True
        await shown.press("1")
        assert (shown.labels, shown.review.said) == (None, [READS_ONLY])


@every_source
async def test_the_foot_says_what_the_mark_of_a_verdict_by_hand_means_while_it_is_there(
    of,
):
    async with Shown(
        of.pane,
        judged(of.kind, of.trait, TRACE, {"value": of.value}),
    ) as shown:
        assert not shown.pane.border_subtitle
        await shown.press(of.other)
        has_mark = of is not MATCHED  # whose verdict has no row
        assert str(shown.pane.border_subtitle or "") == "↑ changed by you" * has_mark


async def test_the_menu_offers_to_type_a_score_where_there_is_no_list():
    trait = ScorerRubricTrait(name="t", scorer="recorded")
    cell = judged(SCORER, trait, TRACE, {"value": True})
    async with Shown(ScorerPane, cell) as shown:
        shown.review.answers = ["verdict.pick"]
        await shown.press("enter")
        offered = [text for _, text, _ in shown.review.asked[-1]]
        assert "type the score" in offered
        assert "pick the score from a list" not in offered


async def test_the_menu_names_a_score_to_which_the_trait_gives_no_meaning():
    trait = LLMRubricTrait(name="t", kind="score", min_score=1, max_score=5)
    async with Shown(LLMPane, judged(LLM, trait, TRACE, {"value": 3})) as shown:
        shown.review.answers = ["verdict.pick"]
        await shown.press("enter")
        _, first, *_ = [text for _, text, _ in shown.review.asked[-1]]
        assert first == "the verdict: 3"

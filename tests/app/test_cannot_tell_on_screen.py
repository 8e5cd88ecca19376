"""A person who cannot tell, at the review screen and over the cells of a trait: one key, shown in words everywhere."""

import pytest
from comparisons import counts, listed
from review_stage import LEAST, NARROW, WIDE, sitting

from appellate.app.compare.by_instruction import InstructionScreen
from appellate.app.compare.screen import measured
from appellate.app.keys.help import focus_here, keys_help
from appellate.core.facts import Proposed
from appellate.core.kind import CANNOT_TELL
from appellate.traits.llm import KIND
from appellate.traits.llm.labels import Labels
from appellate.traits.llm.spec import LLMRubricTrait
from appellate.traits.rubric import Rubric
from appellate.ui.marks import UNICODE
from cells import trace
from partly import partly_quick_sizes

SAFE = LLMRubricTrait(
    name="Safe",
    description="Is it safe?",
    kind="boolean",
    cannot_tell=True,
)
CLEAR = LLMRubricTrait(
    name="Clear",
    description="Is it clear?",
    kind="score",
    cannot_tell=True,
)
PLAIN = LLMRubricTrait(name="Plain", description="Is it plain?", kind="boolean")


def scene(*values, traits=(SAFE, CLEAR, PLAIN)):
    """A trace, and what the judge said under each trait."""
    rationale = "It names no dose."
    happened = []
    for value in values:
        table = {"value": value, "evidence": [], "rationale": rationale}
        happened.append([Proposed(table, {"name": "gpt"})])
    return Rubric(llm_traits=list(traits)), [trace("a")], happened


@pytest.mark.parametrize("size", partly_quick_sizes([NARROW, WIDE, LEAST], 3))
async def test_x_is_in_the_strip_gives_it_and_u_takes_it_back(tmp_path, size):
    async with sitting(tmp_path, scene(True, 4, True), size=size) as at:
        assert "1 2 x verdict" in at.line("keys")
        await at.press("x")
        assert (at.cell.labels.value, at.state) == (CANNOT_TELL, "corrected")
        assert "cannot tell" in at.text
        assert "0/0" not in at.text
        await at.press("u")
        assert at.cell.labels.value is True
        await at.press("full_stop", "x")
        assert at.cell.labels.value == CANNOT_TELL
        assert "0/0" not in at.text


async def test_what_the_judge_could_not_tell_is_shown_with_its_reason_and_in_the_queue(
    tmp_path,
):
    async with sitting(tmp_path, scene(CANNOT_TELL, CANNOT_TELL, True)) as at:
        assert "judge: It names no dose." in " ".join(at.text.split())
        await at.press("Q")
        assert at.text.count("cannot tell") >= 2


async def test_the_help_names_the_key_where_it_gives_a_verdict_and_nowhere_else(
    tmp_path,
):
    async with sitting(tmp_path, scene(True, 4, True)) as at:
        told = []
        for _ in range(3):
            keys = at.screen.objects.keys_here
            pane = type(at.screen.pane)
            told.append(
                [
                    one.key
                    for one in keys_help(UNICODE, keys, pane, focus_here(at.screen))
                ],
            )
            await at.press("full_stop")
    assert ["verdict.cannot_tell" in keys for keys in told] == [True, True, False]


def test_it_is_an_answer_over_the_cells_of_a_trait(tmp_path):
    traces = [trace("a"), trace("b")]
    with listed(tmp_path, (Rubric(llm_traits=[SAFE]), traces, [[], []]), 1) as of:
        for word in (CANNOT_TELL, "yes"):
            of.answer(of.answers_by_word[word])
        assert "cannot tell 1" in counts(of)


async def test_x_answers_by_instruction(tmp_path):
    async with sitting(tmp_path, scene(True, traits=(SAFE,))) as at:
        await at.press("b")
        await at.pilot.pause()
        assert isinstance(at.app.screen, InstructionScreen)
        await at.press("x")
        assert at.bench.workspace.cell(1)[1].labels.value == CANNOT_TELL


def test_a_figure_of_what_cannot_be_told_is_in_words():
    [measure] = KIND.measures(CLEAR)
    assert measured(measure, KIND.measure(CLEAR, Labels(CANNOT_TELL))) == CANNOT_TELL

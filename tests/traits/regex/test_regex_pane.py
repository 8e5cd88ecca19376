"""The regex cell on the screen: its words, its matches in the response, and the verdict by hand."""

from app.review_stage import NARROW, sitting
from appellate.core.facts import Proposed
from appellate.core.trace import Trace
from appellate.traits.regex import KIND
from appellate.traits.regex.pane import RegexPane
from appellate.traits.regex.spec import RegexRubricTrait
from appellate.traits.rubric import Rubric
from appellate.ui.lines import Lines
from appellate.ui.text import cell_width
from traits.verdict.pane_stage import Shown, judged, lines_of

NAMES = RegexRubricTrait(
    name="Names BCL2",
    pattern=r"\bbcl-?2\b[x]*",
    case_sensitive=False,
)
CLEAN = RegexRubricTrait(name="No Address", pattern=r"https?://\S+", invert_result=True)
RESPONSE = "BCL2 is a gene on chromosome 18. It was called bcl-2 in 1984, and \x1b[31m BCL2 \x1b[0m since."
TOO_LONG = "The pattern took longer than 0.6 s on this response."


def computed(trait, trace):
    return Proposed(
        KIND.locate(trait, trace, KIND.computed.compute(trait, trace)),
        {"name": "regex"},
    )


def scene(*happened):
    """A trace with both traits; what happened to their cells, if it was not that they were computed."""
    trace = Trace(id="1", question="Where is BCL2?", response=RESPONSE)
    events = [[computed(trait, trace)] for trait in (NAMES, CLEAN)]
    for number, given in enumerate(happened):
        events[number] = given
    return Rubric(regex_traits=[NAMES, CLEAN]), [trace], events


async def test_the_pattern_its_flags_the_verdict_and_the_matches_are_shown_inert(
    tmp_path,
):
    async with sitting(tmp_path, scene(), size=NARROW) as at:
        assert at.words("#verdict") == "YES yes is better as the pattern says"
        assert at.words("#reason") == (
            r"pattern \bbcl-?2\b[x]* in any case of letters it matches 3 times"
        )
        rows = at.words("#answers")
        assert "1 BCL2 is a gene" in rows
        assert "2 osome 18. It was called bcl-2 in 1984" in rows
        assert "\x1b" not in at.text
        assert "BCL2¹ is a gene" in at.text
        assert "bcl-2²" in at.text
        assert at.screen.response.get_component_rich_style(
            "response--evidence",
        ).underline


async def test_matches_stand_below_each_other_also_after_letters_that_are_two_cells_wide(
    tmp_path,
):
    response = f"BCL2 is one. {'漢字' * 12}。BCL2 is two."
    trace = Trace(id="1", question="Where?", response=response)
    rubric = Rubric(regex_traits=[NAMES])
    async with sitting(tmp_path, (rubric, [trace], [[computed(NAMES, trace)]])) as at:
        lines = [
            line for line in lines_of(at.screen.pane.drawn.lines) if "BCL2" in line
        ]
        first, second = (cell_width(line[: line.index("BCL2")]) for line in lines)
        assert first == second


async def test_no_key_is_named_as_needed_that_does_nothing_and_no_list_of_a_proposal_is_framed(
    tmp_path,
):
    async with sitting(tmp_path, scene()) as at:
        await at.press("question_mark")
        assert "What you need here" in at.text
        assert "–" not in at.text
        assert "no evidence" not in at.text
        await at.press("escape", "V")
        framed = [
            one.id for one in at.app.screen.query(Lines) if one.styles.border_top[0]
        ]
        assert framed == ["rows"], "the frame is the pane's"


async def test_its_keys_go_through_the_matches_and_stand_for_those_of_the_screen_but_in_a_search(
    tmp_path,
):
    async with sitting(tmp_path, scene()) as at:
        assert at.place == ("match", 0)
        await at.press("down")
        assert at.place == ("match", 1)
        await at.press("p")
        assert at.place == ("match", 2)
        assert at.keys.split().count("n") == 1
        assert " 1 2 verdict " in at.text
        await at.answer("slash", text="BCL2")
        await at.press("n")
        assert at.state == "proposed"
        assert "FIND BCL2 2/" in at.text


async def test_a_cell_that_took_too_long_says_so_and_what_to_do_and_takes_a_verdict_by_hand(
    tmp_path,
):
    endless = RegexRubricTrait(name="Endless", pattern="(a+)+$")
    of = (
        Rubric(regex_traits=[endless]),
        [Trace(id="1", response="a" * 5000 + "b")],
        [[]],
    )
    async with sitting(tmp_path, of, size=NARROW) as at:
        again = "J tries again; 1 2 gives the verdict."
        await at.until(lambda: at.words("#reason").startswith(again))
        assert at.words("#verdict").endswith("Not matched.")
        assert "The pattern took longer than 0.6 s on this response" in at.words(
            "#reason",
        )
        await at.press("1")
        assert at.words("#verdict").startswith("YES")
        assert at.words("#answers") == "(what it matches is not known)"
        assert at.place == ("", 0)


async def test_a_trait_that_is_inverted_says_so():
    trace = Trace(id="1", response=RESPONSE)
    async with Shown(
        RegexPane,
        judged(KIND, CLEAN, trace, KIND.computed.compute(CLEAN, trace)),
    ) as shown:
        assert shown.words("verdict") == "YES as the pattern says"
        assert shown.words("reason").endswith(
            "yes where nothing matches it matches nowhere",
        )
        assert shown.rows == ["▸ (it matches nowhere)"]


async def test_many_matches_are_told_of_and_the_pattern_can_be_read_whole():
    trait = RegexRubricTrait(name="A", pattern="a|" + "b" * 500)
    trace = Trace(id="1", response="a" * 150)
    async with Shown(
        RegexPane,
        judged(KIND, trait, trace, KIND.computed.compute(trait, trace)),
    ) as shown:
        assert shown.pane.border_subtitle == "50 more are only counted"
        detail = shown.pane.detail().plain
        assert trait.pattern in detail
        assert "50 more are only counted" in detail
        await shown.press("end")
        assert shown.pane.place == ("match", 99)

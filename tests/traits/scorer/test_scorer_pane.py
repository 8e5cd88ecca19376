"""The scorer cell on the screen and line by line: the score by hand, the answer corrected, what it rests on."""

import pytest

from app.review_stage import NARROW, WIDE, sitting
from appellate.core.facts import Proposed
from appellate.core.problem import Refused, with_keys, wording
from appellate.core.trace import Trace
from appellate.session.settings import Settings
from appellate.store.audits.audit import load_audit
from appellate.traits.rubric import Rubric
from appellate.traits.scorer import KIND
from appellate.traits.scorer.labels import Labels
from appellate.traits.scorer.pane_corrections import ScoreScale
from appellate.traits.scorer.spec import ScorerRubricTrait
from appellate.ui.bar import KeyStrip
from appellate.ui.marks import ASCII
from appellate.ui.prompt import LinePrompt
from linear.linear_stage import bench_of, told
from partly import partly_quick_sizes

RESPONSE = "First I thought of \x1b[31m Lyon.\n\nANSWER: Paris it is, not Lyon."
TRACE = Trace(id="1", question="Which city?", reference="Paris", response=RESPONSE)
ANSWERED = ScorerRubricTrait(name="City", scorer="pattern", pattern=r"of\W+\[31m (\w+)")
OVERLAP = ScorerRubricTrait(
    name="Overlap",
    scorer="f1",
    description="How many words are shared?",
)
PARTS = ScorerRubricTrait(name="Parts", scorer="recorded", keys=["faithful", "polite"])
GRADED = ScorerRubricTrait(name="Graded", scorer="model_graded_qa", partial_credit=True)
TRAITS = [ANSWERED, OVERLAP, PARTS, GRADED]
SAID = "It names Paris.\n\nIt gives no reason.\n\nGRADE: P"


def located(trait, table, **judge):
    return Proposed(KIND.locate(trait, TRACE, table), {"name": "scorer", **judge})


def computed(trait):
    return located(trait, KIND.computed.compute(trait, TRACE))


def scene(*happened):
    """The trace under every trait; what happened to its cells, if it was not that they were scored."""
    graders = [
        {"name": name, "value": value} for name, value in zip("abc", "PPC", strict=True)
    ]
    events = [
        [computed(ANSWERED)],
        [computed(OVERLAP)],
        [located(PARTS, {"value": {"faithful": "C", "polite": True}})],
        [located(GRADED, {"value": "P", "explanation": SAID}, members=graders)],
    ]
    for number, given in enumerate(happened):
        events[number] = given
    return Rubric(scorer_traits=TRAITS), [TRACE], events


def standing(at, key=""):
    return at.cell.labels.standing.of(key)


async def test_a_digit_acts_only_where_its_score_has_a_row(tmp_path):
    async with sitting(tmp_path, scene()) as at:
        for digit in "2456789":
            said = await at.says(digit)
            assert said == "The scores here are 1 C, 3 I; i lists all that there are."
        assert (standing(at), at.state) == ("I", "proposed")
        await at.press("i", *"partly", "enter")
        assert standing(at) == "P"
        await at.press("1", "2")  # what was given has a row, until another score is
        assert standing(at) == "C"
        assert "1 3" in [hint.key for hint in at.screen.query_one(KeyStrip).hints]


async def test_a_judge_s_score_that_has_a_row_keeps_its_digit(tmp_path):
    partly = located(
        GRADED.model_copy(update={"partial_credit": False}),
        {"value": "P"},
    )
    given = Rubric(scorer_traits=[GRADED.model_copy(update={"partial_credit": False})])
    async with sitting(tmp_path, (given, [TRACE], [[partly]])) as at:
        await at.press("3", "2")
        assert standing(at) == "P"


async def test_a_line_for_a_score_says_what_is_wrong_while_it_is_typed_and_does_not_take_it(
    tmp_path,
):
    async with sitting(tmp_path, scene(), at=2) as at:
        before = standing(at)
        await at.press("2", *"aaa")
        assert "The value here is a number from 0 to 1" in at.text
        await at.press("enter")
        assert at.app.screen.query_one(LinePrompt).asking
        assert (standing(at), at.state) == (before, "proposed")
        await at.press("ctrl+u")
        assert "The value here is" not in at.text
        await at.press("1", "enter")
        assert standing(at) == 1.0


@pytest.mark.slow
async def test_the_score_the_answer_the_target_and_why_are_shown_and_overruled_by_one_key(
    tmp_path,
):
    async with sitting(tmp_path, scene(), size=NARROW) as at:
        assert at.words("#verdict") == "I incorrect as the rule says"
        grounds = at.words("#reason")
        assert "extracted “Lyon”" in grounds
        assert "target “Paris”" in grounds
        assert "rule " in grounds
        assert "\x1b" not in at.text
        (found,) = at.screen.pane.evidence()
        assert RESPONSE[found.start : found.end] == "Lyon"
        await at.press("1")
        assert at.app.screen is at.screen
        await at.press("r")
        await at.type("it corrects itself")
        await at.press("enter")
        assert at.words("#verdict") == "C correct changed · was I"
        assert "because: it corrects itself" in at.words("#reason")
        await at.press("space")
        assert at.words("#verdict") == "I incorrect as the rule says"
        await at.press("i", *"partly", "enter")
        assert standing(at) == "P"
        await at.press("d")
        assert (standing(at), at.cell.labels.is_overruled) == ("I", False)


def test_no_list_is_promised_where_other_scores_are_typed():
    trait = ScorerRubricTrait(name="Logged", scorer="recorded")
    logged = KIND.labels(trait, TRACE, {"value": "C"})
    scale = ScoreScale(trait, logged, trait.parts[0])
    with pytest.raises(Refused) as refusal:
        scale.of_digit(5)
    assert with_keys(wording(refusal.value), {"verdict.pick": "F2"}) == (
        "The scores here are 1 C, 2 P, 3 I, 4 N; F2 takes any other."
    )


def test_what_has_no_contrary_names_the_keys_that_the_person_has():
    trait = ScorerRubricTrait(name="Shared", scorer="f1")
    scale = ScoreScale(trait, Labels(), trait.parts[0])
    with pytest.raises(Refused) as refusal:
        scale.contrary(0.5)
    sentence = with_keys(wording(refusal.value), {"verdict.pick": "F2"})
    assert sentence == "There is nothing to turn here: F2 gives the score."


@pytest.mark.slow
async def test_the_answer_is_typed_or_selected_and_scored_again(tmp_path):
    async with sitting(tmp_path, scene(), size=WIDE) as at:
        await at.press("e")
        await at.type("Paris")
        await at.press("enter", "escape")
        assert standing(at) == "C"
        assert at.words("#verdict") == "C correct answer changed · was I"
        assert "extracted “Paris” (was “Lyon”)" in at.words("#reason")
        await at.press("u", "slash")
        await at.type("Paris")
        await at.press("enter", "v", "e", "equals_sign", "escape")
        answer = at.cell.labels.standing
        assert (answer.value, answer.answer) == ("C", "Paris")
        assert [RESPONSE[start:end] for start, end in answer.spans] == ["Paris"]
        await at.press("full_stop", "full_stop", "full_stop", "e")
        assert at.said.startswith(
            "There is no answer here that a rule could score again",
        )
        assert at.cell.subject.trait == GRADED


async def test_what_several_scorers_extracted_is_not_named_if_they_differ(tmp_path):
    members = [{"scorer": "match"}, {"scorer": "pattern", "pattern": ANSWERED.pattern}]
    several = ScorerRubricTrait(
        name="Several",
        scorer="multi_scorer",
        reducer="mode",
        scorers=members,
    )
    rubric = Rubric(scorer_traits=[several])
    async with sitting(tmp_path, (rubric, [TRACE], [[computed(several)]])) as at:
        await at.press("e")
        await at.type("Paris")
        await at.press("enter", "escape")
        assert "extracted “Paris” target" in at.words("#reason")


async def test_under_ascii_what_a_score_rests_on_is_in_plain_letters(tmp_path):
    plain = Settings(ascii=True)
    async with sitting(tmp_path, scene(), size=NARROW, settings=plain) as at:
        await at.press("1")
        assert 'extracted "Lyon"' in at.words("#reason")
        assert not set("“”·→…") & set(at.text)


@pytest.mark.slow
async def test_numbers_are_typed_and_each_score_of_a_dictionary_is_under_the_cursor(
    tmp_path,
):
    async with sitting(tmp_path, scene(), at=2) as at:
        assert "How many words are shared?" in at.text
        was = standing(at)
        await at.press(*"1much", "enter", "escape")
        assert standing(at) == was
        for typed, value in (("0.25", 0.25), ("i.5", 0.5)):
            await at.press(*typed, "enter")
            assert standing(at) == value
        await at.press("escape", "full_stop")
        assert at.place == ("value", 0)
        await at.press("3", "down", "2")
        assert (standing(at, "faithful"), standing(at, "polite")) == ("I", False)
        assert "was C" in at.words("#answers")
        assert "was yes" in at.words("#answers")
        await at.press("space", "escape")
        assert standing(at, "polite") is True


async def test_graders_are_counted_and_their_explanation_is_read_whole_in_the_dock(
    tmp_path,
):
    async with sitting(tmp_path, scene(), at=4, size=NARROW) as at:
        assert at.words("#verdict") == "P partly correct as the judge says"
        assert "2/3" in at.words("#answers")
        assert "judge It names Paris. It gives no reason." in at.words("#reason")
        assert "the whole response" in at.words("#reason")
        await at.press("enter")
        assert "what each judge proposed" in at.text
        assert "type the answer" not in at.text
        await at.press("escape", "V")
        await at.until(lambda: "PROPOSALS" in at.text)
        assert "P, partly correct" in at.text


async def test_a_cell_of_fewer_scores_opens_wherever_the_cursor_was_in_the_one_before(
    tmp_path,
):
    async with sitting(tmp_path, scene(), at=4) as at:
        await at.press("end", "comma")
        assert (at.cell.subject.trait.name, at.place) == ("Parts", ("value", 0))


@pytest.mark.parametrize("size", partly_quick_sizes([(100, 30), WIDE], 2), ids=str)
async def test_every_score_of_a_dictionary_is_in_sight_after_a_resize(tmp_path, size):
    asked = "Is it polite, and does it keep to what the reference says, as far as that goes?"
    parts = PARTS.model_copy(update={"description": asked})
    why = (
        "It names the city that the reference names, and says so in friendly words. "
        * 4
    )
    scored = located(
        parts,
        {"value": {"faithful": "C", "polite": True}, "explanation": why},
    )
    of = Rubric(scorer_traits=[parts]), [TRACE], [[scored]]
    async with sitting(tmp_path, of, size=size) as at:
        await at.pilot.resize_terminal(*NARROW)
        await at.until(lambda: at.app.screen.size == NARROW)
        await at.until(lambda: "faithful" in at.words("#pane"), 5)
        assert "polite" in at.words("#pane")
        await at.press("2")
        assert "P, partly correct" in at.words("#pane")


def test_line_by_line_it_is_read_scored_and_answered(tmp_path):
    with bench_of(tmp_path, scene()) as bench:
        printed = told(
            bench,
            "1",
            "r",
            "2",
            "s",
            "e",
            "Paris",
            ".",
            "0.5",
            ".",
            "3",
            "s",
            "q",
        )
        assert "Target: “Paris”" in printed
        assert "Score: I, incorrect" in printed
        assert "extracted: “Lyon”" in printed
        assert "because: paraphrase counts" in printed
        assert "Score of faithful: C, correct" in printed
        cells = [
            bench.workspace.cell(number)[1].labels.standing for number in (1, 2, 3)
        ]
        assert (cells[0].value, cells[0].answer) == ("C", "Paris")
        assert cells[1].value == 0.5
        assert cells[2].of("faithful") == "I"
        assert "\x1b" not in printed


def test_line_by_line_its_words_are_between_plain_quotes_where_marks_are_plain(
    tmp_path,
):
    with bench_of(tmp_path, scene()) as bench:
        printed = told(bench, "s", "q", marks=ASCII)
        assert 'Target: "Paris"' in printed
        assert 'extracted: "Lyon"' in printed


def test_a_target_that_the_rubric_has_scores_an_answer_where_nothing_was_scored(
    tmp_path,
):
    question = {"id": "q", "reference": "Paris", "scorer_traits": [ANSWERED.to_file()]}
    of = Rubric.model_validate({"questions": [question]})
    trace = Trace(id="1", question_id="q", response=RESPONSE)
    with bench_of(tmp_path, (of, [trace], [[]])) as bench:
        printed = told(bench, "e", "Paris", "q")
        assert "Target: “Paris”" in printed
        assert bench.open_unhidden(1)[1].labels.standing.value == "C"
        bench.save()
    [audited] = load_audit(bench.audit).cells
    assert audited.cell.labels.standing.value == "C"


def test_choices_without_a_right_one_have_no_target(tmp_path):
    trait = ScorerRubricTrait(name="Pick", scorer="choice")
    trace = Trace(id="1", choices=["Paris", "Rome"], response="ANSWER: A")
    with bench_of(tmp_path, (Rubric(scorer_traits=[trait]), [trace], [[]])) as bench:
        printed = told(bench, "q")
        assert "Target: there is none" in printed


async def test_where_nothing_was_extracted_that_is_said_once(tmp_path):
    silent = Trace(id="s", response="No capital is named.", reference="Paris")
    found = located(ANSWERED, {"value": "I", "explanation": "no line says it"})
    async with sitting(
        tmp_path,
        (Rubric(scorer_traits=[ANSWERED]), [silent], [[found]]),
    ) as at:
        assert "extracted nothing target" in at.words("#reason")

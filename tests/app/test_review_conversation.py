"""A run on the review screen: the conversation in the place of the response, its steps and folds."""

import pytest
from review_stage import NARROW, sitting

from appellate.core.facts import Proposed
from appellate.core.kind import Subject
from appellate.core.trace import Trace
from appellate.traits.kinds import kinds
from appellate.traits.llm.spec import LLMRubricTrait
from appellate.traits.regex.spec import RegexRubricTrait
from appellate.traits.rubric import Rubric
from appellate.traits.scorer.spec import ScorerRubricTrait
from flight_run import RUN, STEPS, asked, scene, verdict


def cell_of(name):
    return [*asked(reads="conversation").traits_of(RUN)].index(name) + 1


@pytest.fixture
async def work(tmp_path):
    async with sitting(tmp_path, scene(), size=(100, 30), at=cell_of("Work")) as at:
        yield at


def rows(at):
    """What the conversation shows, row by row."""
    view = at.screen.response
    return [view.render_line(y).text.strip() for y in range(view.size.height)]


# -- what is shown -----------------------------------------------------------------------------


async def test_the_conversation_is_in_the_place_of_the_response_folded_and_at_the_evidence(
    work,
):
    assert "Conversation, 38 steps" in work.text
    assert "K: reference" in work.text
    assert "Response" not in work.text
    assert "Prompt" not in work.text
    assert not work.screen.objects.parts.asked.display
    assert rows(work)[0] == "[3] assistant"
    assert rows(work)[1].startswith("Let me look.")
    assert "w E steps" in work.line("keys")
    assert [fold.step_no for fold in work.screen.response.steps.folded] == [1]
    await work.press("E", "E")
    assert "… 57 more lines" in work.text
    await work.press("K")
    assert {tab.name for tab in work.screen.objects.parts.material.tabs} == {
        *("reference", "trait", "history"),
    }


async def test_a_trait_that_reads_the_response_keeps_its_screen(tmp_path):
    async with sitting(tmp_path, scene(reads="response"), size=(100, 40)) as at:
        assert "Conversation, " not in at.text
        assert "Response" in at.text
        assert "Prompt" in at.text
        assert at.screen.response.steps is None
        before = at.text
        assert (
            await at.says("w") == "This trait reads the response, which has no steps."
        )
        await at.press("escape")
        assert at.text == before


async def test_from_a_trait_that_reads_the_response_to_one_that_reads_the_run_and_back(
    tmp_path,
):
    rubric = Rubric(
        name="Both",
        llm_traits=[
            LLMRubricTrait(name="Answer", kind="boolean"),
            LLMRubricTrait(name="Run", kind="boolean", reads="conversation"),
        ],
    )
    happened = [[verdict("It is booked.")], [verdict("Let me look.")]]
    async with sitting(tmp_path, (rubric, [RUN], happened), size=(100, 40), at=1) as at:
        before = at.text
        assert "Prompt" in before
        await at.press(".")
        assert "Conversation, 38 steps" in at.text
        assert "Prompt" not in at.text
        await at.press(",")
        assert at.text == before


async def test_without_evidence_it_opens_with_what_a_user_said_last_which_is_taken_unasked(
    tmp_path,
):
    found = scene(evidence=())
    async with sitting(tmp_path, found, size=(100, 30), at=cell_of("Asks")) as at:
        assert rows(at)[:2] == ["[7] user", "Yes, book it."]
        await at.press("v", "j", "s", "plus")
        (excerpt,) = at.cell.labels.evidence
        assert STEPS[6].start <= excerpt.span[0] < STEPS[6].end
        assert "[7] user's words" in at.words("#pane")


async def test_another_trait_of_the_run_without_evidence_moves_nothing(tmp_path):
    async with sitting(
        tmp_path,
        scene(evidence=()),
        size=(100, 30),
        at=cell_of("Work"),
    ) as at:
        await at.press("j", "j")
        before = rows(at)
        await at.press("," if cell_of("Asks") < cell_of("Work") else ".")
        assert at.cell.subject.trait.name == "Asks"
        assert [row.rstrip("³") for row in before] == rows(at)


# -- items and their steps ---------------------------------------------------------------------


async def test_the_step_of_an_item_is_at_the_right_of_its_row_and_the_cursor_brings_it(
    work,
):
    assert "[3]" in work.words("#pane")
    assert "[5]" in work.words("#pane")
    assert "[38]" in work.words("#pane")
    await work.press("j")
    assert any(row.startswith("flight 40 to Oslo") for row in rows(work))
    await work.press("j")
    assert any(row.startswith("It is booked.") for row in rows(work))
    await work.press("k", "k", "w", "w", "w", "w", "w", "w")
    assert not any("Let me look" in row for row in rows(work))
    await work.press("j", "k")
    assert any("Let me look" in row for row in rows(work))
    assert not work.screen.objects.view.pointed


async def test_a_verdict_opens_at_its_first_excerpt_and_each_says_its_step(tmp_path):
    found = scene(evidence=("It is booked.", "Shall I book it?", "not there"))
    async with sitting(tmp_path, found, size=(100, 30), at=cell_of("Asks")) as at:
        assert rows(at)[0] == "[6] assistant"
        shown = at.words("#pane")
        assert "“Shall I book it?” [6]" in shown
        assert "“It is booked.” [38]" in shown
        assert shown.count("[") == 2


async def test_words_of_a_user_or_of_the_system_are_marked_beside_their_step(tmp_path):
    found = scene(evidence=("Yes, book it.", "ask before you book", "Shall I book it?"))
    async with sitting(tmp_path, found, size=(100, 30), at=cell_of("Asks")) as at:
        shown = at.words("#pane")
        assert "[7] user's words" in shown
        assert "[1] system's words" in shown
        assert shown.count("words") == 2


async def test_another_step_than_the_judge_named_is_marked(tmp_path):
    table = {"value": True, "evidence": ["Shall I book it?"]}
    named = Proposed(
        {**table, "items": [{"index": 0, "named_step": 3}]},
        {"name": "gpt"},
    )
    rubric, traces, _ = scene()
    happened = [[named] if name == "Asks" else [] for name in rubric.traits_of(RUN)]
    found = (rubric, traces, happened)
    async with sitting(tmp_path, found, size=(100, 30), at=cell_of("Asks")) as at:
        assert "[6] judge: step 3" in at.words("#pane")


async def test_the_answer_that_a_grader_quotes_of_a_user_is_marked(tmp_path):
    grades = ScorerRubricTrait(
        name="Grade",
        scorer="model_graded_qa",
        description="d",
        reads="conversation",
    )
    subject = Subject(kinds()["scorer"], grades, RUN)
    table = {"value": "C", "answer": "Yes, book it.", "explanation": "So."}
    happened = [[Proposed(grades_table(subject, table), {"name": "gpt"})]]
    found = (Rubric(name="Runs", scorer_traits=[grades]), [RUN], happened)
    async with sitting(tmp_path, found, size=(140, 40), at=1) as at:
        assert "[7] user's words" in at.words("#pane")


def grades_table(subject, table):
    return subject.kind.locate(subject.trait, subject.trace, table)


async def test_matches_say_their_steps(tmp_path):
    rubric = Rubric(
        name="Runs",
        regex_traits=[
            RegexRubricTrait(name="Books", pattern="booked", reads="conversation"),
        ],
    )
    async with sitting(tmp_path, (rubric, [RUN], [[]]), size=(140, 40), at=1) as at:
        await at.press("J")
        await at.until(lambda: at.cell.labels is not None)
        assert "[38]" in at.words("#pane")


# -- going from step to step -------------------------------------------------------------------


async def test_keys_go_to_the_next_step_the_one_before_and_the_next_reply_up_to_the_ends(
    work,
):
    await work.press("w")
    assert rows(work)[0] == "[4] assistant calls search"
    await work.press("w")
    assert rows(work)[0] == "[5] tool search"
    await work.press("asterisk")
    assert rows(work)[0] == "[6] assistant"
    await work.press("E")
    assert rows(work)[0] == "[5] tool search"
    await work.press("pagedown", "E")
    first = rows(work)[0]
    assert first.startswith("[")
    assert work.facts == 2

    await work.answer("colon", text="s1")
    assert rows(work)[0] == "[1] system"
    assert await work.says("E") == "This is the first step."
    assert rows(work)[0] == "[1] system"

    await work.answer("colon", text="S 36")
    view = work.screen.response
    for no in (36, 37, 38):
        pointed = [
            span for span in view.page.spans.in_order if span.style_key == "step"
        ]
        heading = view.page.text[pointed[0].start : pointed[0].end]
        assert heading == f"[{no}] assistant"
        assert any(row.startswith(heading) for row in rows(work))
        await work.press("w")
    assert work.said == "This is the last step."
    assert await work.says("asterisk") == "This is the assistant's last step."


async def test_after_the_assistant_has_spoken_last_no_other_step_is_called_its(
    tmp_path,
):
    messages = [
        {"role": "user", "content": "Hi."},
        {"role": "assistant", "content": "Hello."},
        {"role": "user", "content": "Bye."},
    ]
    left = Trace(id="left", messages=messages, response="Hello.")
    trait = LLMRubricTrait(name="Asks", kind="boolean", reads="conversation")
    short = Rubric(name="Short", llm_traits=[trait]), [left], [[]]
    async with sitting(tmp_path, short) as at:
        await at.answer("colon", text="s3")
        assert await at.says("asterisk") == "The assistant has no step after this one."
        await at.answer("colon", text="s2")
        assert await at.says("asterisk") == "This is the assistant's last step."


async def test_a_step_that_is_not_there_is_said_and_a_trace_of_that_name_comes_first(
    work,
    tmp_path,
):
    await work.press("colon")
    await work.type("s99")
    await work.press("enter")
    assert work.said == "There is no step 99: this conversation has 38."
    rubric, traces, happened = scene()
    other = Trace(id="s3", question="Well?", response="Yes.")
    async with sitting(
        tmp_path / "b",
        (rubric, [*traces, other], happened),
        at=1,
    ) as at:
        await at.press("colon")
        await at.type("s3")
        await at.press("enter")
        assert at.cell.subject.trace.id == "s3"


# -- folding -----------------------------------------------------------------------------------


async def test_the_help_names_the_keys_of_steps_and_only_in_a_conversation(
    work,
    tmp_path,
):
    assert "w the next step of the conversation" in " ".join(
        (await work.shows("?")).split(),
    )
    async with sitting(tmp_path / "b", scene(reads="response"), size=(100, 30)) as at:
        assert "next step" not in await at.shows("?")


async def test_enter_in_the_conversation_unfolds_a_step_and_the_list_that_it_opens_all(
    work,
):
    await work.press("E", "E")
    work.screen.set_focus(work.screen.response)
    await work.pilot.pause()
    assert "w E steps" in work.line("keys")
    assert "Enter unfold" in work.line("keys")
    await work.press("enter")
    assert not work.screen.response.steps.folded
    assert rows(work)[0] == "[1] system"
    assert "unfold" not in work.line("keys")
    await work.press("enter")
    assert "nothing: go back" in work.text


async def test_the_list_that_enter_opens_unfolds_all(work):
    assert "unfold all long steps" in await work.shows("enter")
    await work.answer("slash", text="unfold all")
    assert not work.screen.response.steps.folded
    assert work.said.startswith("Everything is unfolded")


async def test_evidence_that_goes_folds_nothing_that_is_in_sight(work):
    await work.press("j")
    assert any(row.startswith("flight 40 to Oslo²") for row in rows(work))
    await work.press("2")
    assert work.marks["fn"] == [2]
    assert [fold.step_no for fold in work.screen.response.steps.folded] == [1]
    work.screen.response.put_at_top(0)
    await work.press("u", "u")


async def test_a_search_finds_words_behind_a_fold_and_they_become_an_item_with_its_step(
    work,
):
    await work.answer("slash", text="zebra")
    assert work.said == "“zebra” is not in the conversation."
    assert "shown as it was written" in await work.says("M")
    await work.press("M", "2")
    await work.answer("slash", text="rule 50")
    assert any(row.startswith("Rule 50") for row in rows(work))
    assert "FIND rule 50 1/1" in work.text
    await work.press("v", "s", "1", "enter")
    assert "Rule 50: ask before you book." in work.words("#pane")
    assert "[1]" in work.words("#pane")


async def test_it_is_there_on_the_narrowest_screen(tmp_path):
    key = "," if cell_of("Asks") < cell_of("Work") else "."
    async with sitting(tmp_path, scene(), size=NARROW, at=cell_of("Work")) as at:
        for name in ("Work", "Asks"):
            assert at.cell.subject.trait.name == name
            assert "Conversation, 38 steps" in at.text
            assert any(row.startswith("[") for row in rows(at))
            await at.press(key)


# -- compared ----------------------------------------------------------------------------------


def twice():
    """The run a second time, under another epoch."""
    rubric, traces, happened = scene()
    runs = [trace.model_copy(update={"question_id": None}) for trace in traces]
    runs.append(runs[0].model_copy(update={"epoch": 2}))
    return rubric, runs, [*happened, *happened]


async def test_the_evidence_of_two_runs_is_shown_side_by_side_and_by_instruction(
    tmp_path,
):
    async with sitting(tmp_path, twice(), at=cell_of("Work")) as at:
        await at.press("s", "s")
        await at.pilot.pause()
        screen = at.app.screen
        assert len(screen.texts) == 2
        for view in screen.texts:
            assert view.text.startswith("[1] system")
            assert view.steps is not None
            assert not view.steps.folded, "no key unfolds there"
            words = {
                view.text[span.start : span.end] for span in view.page.spans.in_order
            }
            assert "Let me look." in words
        await at.press("escape")
        assert at.app.screen is at.screen
        await at.press("b")
        await at.pilot.pause()
        assert "Let me look." in at.text
        assert "[3] assistant" in at.text

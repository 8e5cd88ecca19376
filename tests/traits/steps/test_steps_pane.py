"""A steps cell on the screen: the outcome, each step with its verdict, and the keys that correct it."""

from app.review_stage import NARROW, WIDE, both_sizes, sitting
from appellate.core.deciding import Draw
from appellate.traits.steps.pane_items import SHOWN_LETTERS
from appellate.ui.contract import READS_ONLY
from traits.steps.steps_cells import scene, verdicts
from traits.steps.steps_traits import PATH, PLAIN, RUN, UNSURE
from ui.ui_stage import lines_of


def rows(at):
    """The rows of the list of steps as one text, with single blanks."""
    return " ".join(" ".join(lines_of(at.screen.pane.steps)).split())


def marked(at):
    """The headings that are marked in the conversation, with the mark behind each."""
    page = at.screen.response.page
    spans = [span for span in page.spans.in_order if span.style_key]
    return [(page.text[span.start : span.end], span.mark) for span in spans]


def step(at, no):
    return at.cell.labels.find(no)


@both_sizes
async def test_each_step_has_its_number_its_words_and_what_is_said_of_it(
    tmp_path,
    size,
):
    async with sitting(tmp_path, scene(), size=size) as at:
        assert at.words("#run") == "Outcome: solved"
        assert rows(at) == (
            "▸ 3 ~ One moment. needless judge: It says nothing."
            ' 4 + calls search_flights: to: "OSL" 6 ! calls book_flight: no: "SK1"'
            " wrong · unasked instead: Which of the two do you want? 8 + It is booked."
        )
        assert [heading for heading, _ in marked(at)] == [
            "[3] assistant",
            "[6] assistant calls book_flight",
        ]
        assert at.numbers == {"right": 0.5, "first_wrong": 6, "ended": 1}


async def test_digits_give_the_verdicts_in_order_and_each_is_undone_alone(tmp_path):
    async with sitting(tmp_path, scene(), size=NARROW) as at:
        await at.press("j", "2")
        assert verdicts(at.cell) == {3: "needless", 4: "wrong", 6: "wrong", 8: "right"}
        assert '▸↑ 4 ! calls search_flights: to: "OSL" was right' in rows(at)
        assert at.numbers["first_wrong"] == 4
        await at.press("3")
        assert step(at, 4).verdict == "needless"
        await at.press("u", "u")
        assert step(at, 4).verdict == "right"
        await at.press("1")
        assert at.said == "Step 4 is right already."


async def test_an_error_is_picked_by_its_number_and_makes_a_right_step_wrong_in_one_act(
    tmp_path,
):
    async with sitting(tmp_path, scene(), size=NARROW) as at:
        await at.press("j", "e")
        assert "another tool was called for" in at.words("*")
        await at.press("1", "enter")
        assert (step(at, 4).verdict, step(at, 4).error) == ("wrong", "wrong_tool")
        await at.press("u")
        assert (step(at, 4).verdict, step(at, 4).error) == ("right", "")


async def test_the_outcome_is_picked_and_what_would_have_been_right_instead_is_typed(
    tmp_path,
):
    async with sitting(tmp_path, scene(), size=NARROW) as at:
        await at.press("o", "2", "enter")
        assert at.cell.labels.outcome == "failed"
        assert at.words("#run") == "Outcome: failed"
        assert at.numbers["ended"] == 0
        await at.answer("=", text="Nothing at all")
        assert step(at, 3).instead == "Nothing at all"
        await at.press("j", "=")
        assert at.said == "Step 4 is right: say first what else it is (2)."


async def test_t_goes_from_one_step_that_is_not_right_to_the_next_and_around(tmp_path):
    async with sitting(tmp_path, scene(), size=NARROW) as at:
        assert at.screen.pane.items.step.no == 3
        await at.press("t")
        assert at.screen.pane.items.step.no == 6
        await at.press("t")
        assert at.screen.pane.items.step.no == 3
        await at.press("1", "t", "1", "t")
        assert at.said == "Every step is right."


async def test_of_a_run_without_labels_t_does_not_say_that_its_steps_are_right(
    tmp_path,
):
    async with sitting(tmp_path, scene(), size=NARROW) as at:
        at.screen.objects.navigation.open(2)
        await at.press("t")
        assert at.said == "No step has a verdict yet."


async def test_a_step_is_gone_to_by_its_number_and_the_conversation_shows_it(tmp_path):
    async with sitting(tmp_path, scene(), size=NARROW) as at:
        page = at.screen.response.page
        for typed, no, heading in (
            ("8", 8, "[8] assistant"),
            ("s6", 6, "[6] assistant calls book_flight"),
        ):
            await at.answer("i", text=typed)
            assert at.screen.pane.items.step.no == no
            (selected,) = [span for span in page.spans.in_order if span.selected]
            assert page.text[selected.start : selected.end] == heading
        for typed, said in (
            ("5", "Step 5 gets no verdict."),
            ("x", "Type the number of a step, as it stands in the conversation."),
        ):
            await at.answer("i", text=typed)
            assert at.screen.pane.items.step.no == 6
            assert at.said == said


async def test_a_step_without_words_is_one_of_the_run(tmp_path):
    rubric, runs, _ = scene()
    messages = [
        *RUN.messages[:-1],
        {"role": "assistant", "content": ""},
        RUN.messages[-1],
    ]
    run = runs[0].model_copy(update={"messages": messages})
    async with sitting(tmp_path, (rubric, [run, runs[1]], [[], []]), size=WIDE) as at:
        assert "8 ○ (no words) 9 ○ It is booked." in rows(at)


async def test_of_a_long_step_the_row_has_the_beginning(tmp_path):
    rubric, runs, happened = scene()
    messages = [
        *RUN.messages[:-1],
        {"role": "assistant", "content": "It is booked. " * 200},
    ]
    long_run = RUN.model_copy(
        update={"messages": messages, "response": "It is booked. " * 200},
    )
    async with sitting(
        tmp_path,
        (rubric, [long_run, runs[1]], happened),
        size=WIDE,
    ) as at:
        step = at.cell.labels.find(8)
        words = at.screen.pane.items.words(step)
        assert words.endswith("…")
        assert len(words) <= SHOWN_LETTERS + 1


async def test_a_run_that_nobody_judged_is_gone_through_by_hand(tmp_path):
    async with sitting(tmp_path, scene(), size=WIDE, at=2) as at:
        assert at.words("#run") == (
            "Not judged yet: J has it judged; 1 2 3 answer by hand; steps that you leave are right."
        )
        assert rows(at).startswith("▸ 3 ○ One moment.")
        await at.press("j", "j", "2")
        assert verdicts(at.cell) == {3: "right", 4: "right", 6: "wrong", 8: "right"}
        assert at.words("#run") == "Outcome: not said (o)"


async def test_in_a_blind_cell_the_judges_steps_are_not_shown_before_the_ruling(
    tmp_path,
):
    async with sitting(tmp_path, scene(), size=WIDE) as at:
        at.bench.do(1, Draw(True))
        at.screen.objects.navigation.open(1)
        assert rows(at) == (
            '▸ 3 ○ One moment. 4 ○ calls search_flights: to: "OSL"'
            ' 6 ○ calls book_flight: no: "SK1" 8 ○ It is booked.'
        )
        assert marked(at) == []
        await at.press("2", "a")
        assert at.said.startswith("Not ruled on yet")
        await at.press("o", "1", "enter")
        assert rows(at).startswith("▸ 3 ! One moment.")


def helps_with_verdicts(at, trait):
    """Whether the help has each verdict of a trait at its digit."""
    helps = {key.id: key.help for key in at.screen.pane.told()}
    verdicts = enumerate(trait.verdict_names, 1)
    return all(helps[f"steps.{no}"] == f"the step is: {name}" for no, name in verdicts)


async def test_keys_that_mean_nothing_under_a_trait_are_left_to_the_screen_and_its_verdicts_helped(
    tmp_path,
):
    async with sitting(tmp_path, scene(PLAIN), size=NARROW) as at:
        ids = {key.id for key in at.screen.pane.keys_here}
        assert {"steps.1", "steps.2", "steps.instead"} <= ids
        assert (
            not {"steps.3", "steps.error", "steps.outcome", "steps.cannot_tell"} & ids
        )
        assert not at.screen.pane.run.display
        assert helps_with_verdicts(at, PLAIN)
    unsure = tmp_path / "unsure"
    unsure.mkdir()
    async with sitting(unsure, scene(UNSURE), size=NARROW, at=2) as at:
        assert helps_with_verdicts(at, UNSURE)
        await at.press("x")
        assert verdicts(at.cell)[3] == "cannot tell"


async def test_a_session_that_only_reads_says_so(tmp_path):
    async with sitting(tmp_path, scene(), size=NARROW, readonly=True) as at:
        for key in ("2", "e", "=", "o"):
            await at.press(key)
            assert at.said == READS_ONLY


async def test_all_that_can_be_done_is_listed_with_its_keys(tmp_path):
    async with sitting(tmp_path, scene(PATH)) as at:
        assert helps_with_verdicts(at, PATH)
        await at.press("enter")
        told = at.words("*")
        for text in ("the step is: wrong", "which error it is", "how the run ended"):
            assert text in told

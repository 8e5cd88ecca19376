"""A person at pairwise cells of the review screen: both responses, one key, names only after the ruling."""

from pairwise_cells import OTHER, RESPONSE, judged, judged_with_evidence
from textual.containers import VerticalScroll

from app.review_stage import both_sizes, played, sitting
from appellate.core.deciding import Draw
from appellate.store import trace_rows
from appellate.store.audits.open_audit import create
from appellate.store.database import reading
from cells import place
from linear.linear_stage import bench_of


@both_sizes
async def test_one_key_says_which_side_is_better_and_u_takes_it_back(tmp_path, size):
    async with sitting(tmp_path, judged(), size=size) as at:
        assert at.cell.labels.value == 0
        await at.press("2")
        assert (at.cell.labels.value, at.state) == (1, "corrected")
        await at.press("full_stop", "1")
        assert at.no == 2
        # its sides are swapped: A is the other response
        assert at.cell.labels.value == 1
        await at.press("3")
        assert at.cell.labels.value == 2
        await at.press("u")
        assert at.cell.labels.value == 1


@both_sizes
async def test_both_responses_are_on_the_screen_and_their_differences_marked(
    tmp_path,
    size,
):
    async with sitting(tmp_path, judged(), size=size) as at:
        assert at.screen.objects.view.parts.response.text == (
            f"[Answer A]\n{RESPONSE}\n\n[Answer B]\n{OTHER}"
        )
        marked = [span for span in at.screen.objects.view.spans() if span.aside]
        text = at.screen.objects.view.parts.response.text
        assert [text[span.start : span.end] for span in marked] == [
            "ask a doctor before you",
            "never",
            "at all",
        ]


async def test_on_a_wide_screen_they_are_side_by_side_and_on_a_small_one_only_above_each_other(
    tmp_path,
):
    async with sitting(tmp_path, judged(), size=(140, 45)) as at:
        both = at.screen.pane.query_one("#both", VerticalScroll)
        left, right = at.screen.pane.drawn.columns
        assert both.display
        assert left.region.y == right.region.y
        assert left.region.right <= right.region.x
    async with sitting(tmp_path, judged(), size=(80, 24)) as at:
        assert not at.screen.pane.query_one("#both", VerticalScroll).display


async def test_the_focus_goes_to_both_responses_and_back(tmp_path):
    async with sitting(tmp_path, judged(), size=(140, 45)) as at:
        await at.press("l")
        assert at.screen.focused.id == "both"
        await at.press("h")
        assert at.screen.focused.id == "answers"
        await at.press("l", "2")
        assert at.cell.labels.value == 1


@both_sizes
async def test_no_name_is_on_the_screen_before_the_ruling(tmp_path, size):
    async with sitting(tmp_path, judged(), size=size) as at:
        assert "secret" not in at.text
        await at.press("K")
        for _ in range(4):
            assert "secret" not in at.text
            await at.press("K")
        await at.press("escape")
        await at.press("Q")
        assert "secret" not in at.text


@both_sizes
async def test_the_judges_excerpts_are_below_the_verdict_and_marked_in_their_answer(
    tmp_path,
    size,
):
    async with sitting(tmp_path, judged_with_evidence(), size=size) as at:
        text = at.screen.objects.view.parts.response.text
        marked = [span for span in at.screen.objects.view.spans() if not span.aside]
        assert [text[span.start : span.end] for span in marked] == [
            "ask a doctor",
            "never take it",
        ]
        assert text.index("ask a doctor") == marked[0].start
        assert marked[1].start > text.index("[Answer B]")
        assert "Evidence 3" in at.text
        assert "1 A “ask a doctor”" in at.text
        await at.press("full_stop")
        assert at.screen.pane.sight.letter(at.screen.pane.sight.evidence[0]) == "B"
        await at.press("j", "j", "j", "j")
        assert at.screen.pane.place == ("evidence", 2)
        assert "not found in this answer" in at.text
        await at.press("1")
        assert at.cell.labels.value == 1
        assert "Evidence 3" in at.text


async def test_a_blind_cell_shows_no_excerpt_before_its_ruling_and_all_after_it(
    tmp_path,
):
    opened = create(place(tmp_path), *judged_with_evidence()[:2], "0.1.0")
    bench = played(opened.workspace, tmp_path, judged_with_evidence()[2])
    bench.do(1, Draw(blind=True))
    opened.workspace.close()
    async with sitting(tmp_path, size=(140, 45)) as at:
        assert at.cell.hidden
        assert "Evidence" not in at.text
        assert not [span for span in at.screen.objects.view.spans() if not span.aside]
        assert all(
            "panel" not in str(column.content.spans)
            for column in at.screen.pane.drawn.columns
        )
        await at.press("2", "a", "escape")
        assert at.no == 1
        assert "Evidence 3" in at.text


async def test_the_texts_side_by_side_have_the_excerpts_of_their_own_side_marked(
    tmp_path,
):
    async with sitting(tmp_path, judged_with_evidence(), size=(140, 45)) as at:
        marked = []
        for column in at.screen.pane.drawn.columns:
            shown = column.content
            marked.append(
                [
                    shown.plain[span.start : span.end]
                    for span in shown.spans
                    if "panel" in str(span.style)
                ],
            )
        assert marked == [["ask a doctor"], ["never take it"]]


async def test_names_are_shown_once_the_cell_is_signed_off(tmp_path):
    async with sitting(tmp_path, judged(), size=(140, 45)) as at:
        await at.press("a")
        assert at.no == 2
        await at.press("comma")
        assert at.no == 1
        assert "A is by secret-alpha, B is by secret-beta" in at.text
        await at.press("u")
        assert "secret" not in at.text


def test_queries_find_nothing_by_a_name_that_is_hidden(tmp_path):
    with bench_of(tmp_path, judged()) as bench, reading(bench.workspace.path) as db:
        assert trace_rows.models(db) == set()
        assert not db.execute(
            "SELECT * FROM metadata_names WHERE name LIKE '%source%'",
        ).fetchall()


def supporting(at):
    return [(each.answer, each.text) for each in at.cell.labels.supporting]


@both_sizes
async def test_excerpts_are_added_replaced_reworded_and_dropped_by_keys(tmp_path, size):
    async with sitting(tmp_path, judged_with_evidence(), size=size) as at:
        await at.press("j", "j", "j", "j", "j", "d")
        assert supporting(at) == [
            ("response", "ask a doctor"),
            ("other", "never take it"),
        ]
        assert "Evidence 2" in at.text
        await at.press("u")
        assert len(supporting(at)) == 3
        await at.press("d", "v", "w", "w", "w", "plus")
        assert supporting(at)[2] == ("other", "never take it with")
        assert "✚ 3 B “never take it with”" in at.text
        await at.press("e", "ctrl+u", *"with food", "enter")
        assert supporting(at)[2] == ("other", "with food")
        await at.press("e", "ctrl+u", *"a doctor", "enter")
        assert at.cell.labels.supporting[2].span is None
        assert "1 excerpt not in the answer that it names" in await warned(at)
        await at.press("k", "e", "ctrl+u", *"a nurse", "enter")
        assert "2 excerpts not in the answer that they name" in await warned(at)


async def test_the_cursor_goes_to_the_excerpt_that_an_undo_gives_back(tmp_path):
    async with sitting(tmp_path, judged_with_evidence(), size=(80, 24)) as at:
        await at.press("j", "j", "j", "j", "j", "d", "k", "k", "k", "k", "u")
        assert at.screen.pane.place == ("evidence", 2)
        assert "3 B “see a vet”" in at.text
        await at.press("k", "e", "ctrl+u", *"with food", "enter", "k", "k", "k", "u")
        assert at.screen.pane.place == ("evidence", 1)
        await at.press("v", *"wwww", "equals_sign", "k", "k", "u")
        assert at.screen.pane.place == ("evidence", 1)


async def test_a_selection_begins_with_the_first_word_of_an_answer(tmp_path):
    async with sitting(tmp_path, judged()) as at:
        await at.press("v", "w", "w", "plus")
        assert supporting(at) == [("response", "Take ibuprofen with")]


async def warned(at):
    """What is said at the first key of a sign-off."""
    await at.press("a")
    return at.text


async def test_a_digit_gives_the_verdict_on_the_selected_words_as_one_act(tmp_path):
    async with sitting(tmp_path, judged_with_evidence(), size=(140, 45)) as at:
        await at.press("v", "w", "2")
        assert at.cell.labels.value == 1
        assert supporting(at) == [("response", "Take ibuprofen")]
        assert "judge: A" in at.text
        await at.press("j", "j", "d")
        assert supporting(at) == [("response", "Take ibuprofen")]
        assert "speaks for the judge's verdict" in at.text
        await at.press("enter")
        assert "drop it" not in at.text
        await at.press("escape")
        await at.press("u")
        assert at.cell.labels.value == 0
        assert len(supporting(at)) == 3


async def test_the_menu_and_the_palette_offer_what_can_be_done_with_an_excerpt(
    tmp_path,
):
    async with sitting(tmp_path, judged_with_evidence(), size=(140, 45)) as at:
        await at.press("j", "j", "j", "enter")
        assert "add words of an answer as evidence" in at.text
        assert "drop it" in at.text
        await at.press("escape", "question_mark", "tab")
        assert "put other words of an answer in the place of the excerpt" in at.text


async def test_the_strip_has_the_digits_while_words_are_selected_and_nothing_that_changes_if_only_reading(
    tmp_path,
):
    async with sitting(tmp_path, judged_with_evidence(), size=(140, 45)) as at:
        assert "+ evidence" in at.line("keys")
        await at.press("v")
        assert "1-3 verdict" in at.line("keys")
    async with sitting(tmp_path, size=(140, 45), readonly=True) as at:
        assert at.line("keys").startswith("READ ONLY")
        assert "evidence" not in at.line("keys")
        await at.press("j", "j", "j", "enter")
        assert "drop it" not in at.text

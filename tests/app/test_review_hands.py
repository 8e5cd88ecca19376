"""The mouse, the palette, the themes, keys typed ahead, and much of everything."""

import pytest
from review_stage import NARROW, WIDE, bcl2, both_sizes, sitting

from appellate.app.appearance.themes import bundled_themes
from appellate.app.keys.help import commands_to_pick
from appellate.app.keys.keymap import Keymap
from appellate.core.facts import Proposed
from appellate.session.settings import Settings
from appellate.traits.metric.spec import MetricRubricTrait
from cells import proposal, rubric, trace

FULL = 2


def where(at, words, of):
    """The place of words on the screen, within a widget."""
    region = at.screen.query_one(of).region
    for y, row in enumerate(at.text.split("\n")):
        x = row.find(words, region.x, region.right)
        if region.y <= y < region.bottom and x >= 0:
            return x, y
    raise AssertionError(f"{words!r} is not in {of}:\n{at.text}")


async def click(at, words, of, times=1):
    await at.pilot.click(offset=where(at, words, of), times=times)
    await at.pilot.pause()


# -- the mouse ----------------------------------------------------------------------------------------


@both_sizes
async def test_a_click_on_an_item_selects_it(at):
    await click(at, "is important in cancer", "#pane")
    assert at.place == ("tp", 2)
    assert at.named("pane")
    await at.press("2")
    assert at.marks["tp"] == [1, 2]


async def test_a_click_on_a_tab_of_the_narrow_screen_opens_that_bucket(tmp_path):
    async with sitting(tmp_path, size=NARROW, at=FULL) as at:
        await click(at, "FP 1", "#pane")
        assert at.place == ("fp", 0)


@pytest.mark.slow
async def test_a_click_on_a_row_of_the_queue_opens_that_cell(at):
    await click(at, "Coverage", "#queue")
    assert at.no == 1
    await at.press("Q", "2")
    assert at.state == "corrected"


async def test_a_double_click_in_the_narrow_queue_opens_that_cell(tmp_path):
    async with sitting(tmp_path, size=NARROW, at=FULL) as at:
        await at.press("Q")
        await click(at, "Coverage", "#queue", times=2)
        assert at.no == 1
        assert at.named("pane")


@pytest.mark.slow
@pytest.mark.parametrize("size", [WIDE])
async def test_a_click_on_evidence_or_in_another_list_selects_that_item(at):
    await click(at, "helps", "#response")
    assert at.place == ("tp", 1)
    assert at.named("pane")
    await click(at, "located on", "#response")
    assert at.place == ("fp", 0)
    await click(at, "Claims BCL2", "#pane")
    assert at.place == ("tn", 0)
    await click(at, "FP 1", "#pane")
    assert at.place == ("fp", 0)


@pytest.mark.slow
async def test_a_click_on_a_key_of_the_strip_presses_it(tmp_path):
    async with sitting(tmp_path, at=FULL, size=(180, 45)) as at:
        await click(at, "flag", "#keys")
        assert at.cell.flag
        await click(at, "undo", "#keys")
        assert not at.cell.flag
        await click(at, "Undone", "#said")
        await click(at, "keys", "#keys")
        assert at.app.screen is not at.screen


@pytest.mark.slow
async def test_words_dragged_over_go_into_a_bucket_with_one_key(at):
    x, y = where(at, "anti-apoptotic", "#response")
    await at.pilot.mouse_down(offset=(x, y))
    await at.pilot.hover(offset=(x + 5, y))
    await at.pilot.hover(offset=(x + 13, y))
    await at.pilot.mouse_up(offset=(x + 13, y))
    await at.pilot.pause()
    assert at.selected == "anti-apoptotic"
    assert at.named("response")
    await at.press("1", "enter")
    assert "anti-apoptotic" in at.texts("tp")
    assert at.named("pane")


@pytest.mark.slow
async def test_a_click_elsewhere_while_selecting_leaves_a_way_back(at):
    await at.press("v", "w")
    await click(at, "helps cells", "#pane")
    await at.press("escape")
    assert not at.selected
    assert not at.screen.objects.selection.on
    assert "sign off" in at.line("keys")


@pytest.mark.slow
async def test_a_click_elsewhere_while_typing_leaves_a_way_back(at):
    await at.press("c")
    await at.type("about this cell")
    await click(at, "Coverage", "#queue")
    assert "Comment" not in await at.shows("escape")
    assert not at.cell.comments


@pytest.mark.slow
@both_sizes
async def test_a_click_anywhere_leaves_the_focus_somewhere_and_keys_work(at, size):
    for y in range(0, size[1], 3):
        await at.pilot.click(offset=(size[0] // 2 + y % 7, y))
        assert at.app.screen.focused is not None, y
    if at.app.screen is not at.screen:
        await at.press("escape")
    await at.press("escape", "escape", "F")
    assert at.cell.flag != ("flagged" not in at.line("header"))


# -- typed ahead --------------------------------------------------------------------------------------


async def test_keys_typed_ahead_over_two_cells_hit_the_right_one(at):
    for key in ("j", "j", "j", "comma", "2"):
        at.app.simulate_key(key)
    await at.until(lambda: at.no == 1 and at.marks["tp"] == [2, 3])


@pytest.mark.parametrize("keys", ["ca2", "ex2"])
async def test_words_typed_before_the_line_is_there_are_words_and_not_verdicts(
    at,
    keys,
):
    before = at.facts
    for key in keys:
        at.app.simulate_key(key)
    name = "text" if keys[0] == "c" else "value"
    await at.until(lambda: getattr(at.app.focused, name, "").endswith(keys[1:]))
    assert at.facts == before


# -- the palette and the themes -----------------------------------------------------------------------


async def test_the_palette_lists_every_key_and_runs_it(at):
    listed = {
        choice.key: choice.number
        for choice in commands_to_pick(at.screen.objects.keys_here)
    }
    for key in at.screen.objects.keys_here:
        assert key.id == "palette" or listed[key.id] == (key.shown if key.keys else "")
    await at.answer("ctrl+p", text="Flag: set")
    await at.until(lambda: at.cell.flag)
    assert at.named("pane")


@pytest.mark.slow
async def test_every_theme_switches_live_and_keeps_the_cell(at):
    await at.press("j", "2")
    before = at.text
    for theme in bundled_themes():
        at.app.register_theme(theme)
        at.app.theme = theme.name
        await at.pilot.pause()
        assert at.text == before, theme.name
        assert at.named("pane")
    assert at.place == ("tp", 1)


@pytest.mark.parametrize(
    ("keys", "lists"),
    [
        ({}, "; Ctrl+P lists them."),
        ({"palette": "f2"}, "; F2 lists them."),
        ({"palette": ""}, "."),
    ],
)
async def test_a_theme_that_is_not_there_is_said(tmp_path, keys, lists):
    async with sitting(
        tmp_path,
        settings=Settings(theme="[red]none"),
        keys=Keymap("", keys),
    ) as at:
        assert f"There is no theme '[red]none'{lists}" in at.said


async def test_without_colours_the_buckets_are_still_told_apart(tmp_path, monkeypatch):
    monkeypatch.setenv("NO_COLOR", "1")
    async with sitting(tmp_path, size=NARROW, at=FULL) as at:
        for mark in ("+TP 3", "−FN 1", "!FP 1", "~TN 1"):
            assert mark in at.text
        assert "▸  1 Mentions BCL2 gene" in at.text
        assert "“BCL2 is an anti-apoptotic gene”" in at.text


# -- much of everything -------------------------------------------------------------------------------


@pytest.mark.slow
async def test_a_response_of_200_kb_stays_usable(tmp_path):
    response = "\n\n".join(
        f"Paragraph {n}: BCL2 helps cells survive, " + "word " * 30 for n in range(1000)
    )
    assert len(response) > 190_000
    of, _, _ = bcl2()
    words = {
        "tp": ["BCL2 helps cells survive", "Paragraph 999: BCL2"],
        "fn": [],
        "fp": [],
        "tn": [],
    }
    words["items"] = [
        {"bucket": "tp", "index": n, "of": "tp", "instruction": n + 1} for n in range(2)
    ]
    scene = (
        of,
        [trace("big", response, question_id="q")],
        [[Proposed(words, {"name": "gpt"})]] * 2,
    )
    async with sitting(tmp_path, scene, at=FULL) as at:
        await at.press("j")
        assert "Paragraph 999: BCL2" in at.words("#response")
        await at.press("k", "2", "u", "v", "w", "escape", "pagedown")
        assert at.marks["tp"] == [1, 2]


@pytest.mark.slow
async def test_a_rubric_of_500_instructions_stays_usable(tmp_path):
    many = [f"States that fact number {n} holds" for n in range(500)]
    trait = MetricRubricTrait(
        name="Many",
        metrics=["recall", "f1"],
        tp_instructions=many,
    )
    words = {
        "tp": [f"fact number {n}" for n in range(0, 500, 2)],
        "fn": many[1::2],
        "fp": [],
        "tn": [],
    }
    words["items"] = [
        {"bucket": "tp", "index": n, "of": "tp", "instruction": 2 * n + 1}
        for n in range(250)
    ]
    response = ". ".join(f"fact number {n}" for n in range(500))
    scene = (
        rubric(trait),
        [trace("many", response)],
        [[Proposed(words, {"name": "gpt"})]],
    )
    async with sitting(tmp_path, scene) as at:
        await at.press("j", "2", "2", "end", "home", "u")
        await at.answer("i", text="500")
        assert len(at.texts("fn")) == 251
        assert len(at.texts("tp")) == 249


@pytest.mark.slow
async def test_a_queue_of_2000_cells_goes_to_its_end(tmp_path):
    traces = [trace(f"t{n}") for n in range(1, 1001)]
    of, _, _ = bcl2()
    named = [one.model_copy(update={"question_id": "q"}) for one in traces]
    async with sitting(tmp_path, (of, named, [[proposal()]])) as at:
        assert await at.goes("Q", "end") == 2000
        assert "t1000" in at.text
        assert await at.goes("Q", "n") == 1


async def test_an_empty_response_says_so_and_has_no_words_to_select(tmp_path):
    of, _, _ = bcl2()
    async with sitting(tmp_path, (of, [trace("none", "", question_id="q")], [])) as at:
        assert "The response is empty." in at.text
        assert await at.says("v") == "The response has no words to select."
        assert at.named("pane")


async def test_a_key_that_nothing_is_bound_to_says_so_wherever_one_is(tmp_path):
    async with sitting(tmp_path) as at:
        for where in ("escape", "o", "Q", "K"):
            await at.press(where)
            for key in ("Y", "dollar_sign"):
                assert "does nothing here: ? lists the keys." in await at.says(key), (
                    where,
                    key,
                )
        await at.press("escape", "escape", "o")
        assert "does nothing here" not in await at.says("2")
        assert at.state == "corrected"

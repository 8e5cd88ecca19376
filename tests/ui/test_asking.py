from textual.widgets import Static
from ui_stage import HOSTILE, Stage, lines_of

from appellate.ui.contract import Choice
from appellate.ui.conversation import Left, begin
from appellate.ui.lines import Lines
from appellate.ui.picker import Picker, matching, searched
from appellate.ui.prompt import Confirm, LineInput, LinePrompt
from appellate.ui.text import inert

CHOICES = [
    Choice("a", "1", "Mentions BCL2 gene"),
    Choice("b", "2", "Names chromosome 18", "in FN"),
    Choice("c", "12", HOSTILE, HOSTILE),
]


def test_typing_finds_words_then_numbers_then_scattered_letters():
    assert [choice.key for choice in matching(searched(CHOICES), "gene bcl2")] == ["a"]
    assert [choice.key for choice in matching(searched(CHOICES), "12")] == ["c"]
    assert matching(searched(CHOICES), "1")[0].key == "a"
    assert [choice.key for choice in matching(searched(CHOICES[:2]), "mbg")] == ["a"]
    assert matching(searched(CHOICES), "zzz") == []
    assert matching(searched(CHOICES), " ") == CHOICES


async def test_a_line_is_answered_as_it_is_and_drawn_inert():
    app = Stage(lambda: [LinePrompt()])
    async with app.run_test(size=(60, 6), message_hook=app.hear) as pilot:
        prompt, answers, left = app.query_one(LinePrompt), [], []

        async def ask(*how, **more):
            try:
                answers.append(await prompt.ask(*how, **more))
            except Left:
                left.append(prompt.line.value)

        begin(ask("reword", "[red]reword", HOSTILE + "\nx"))
        await pilot.press("!")
        assert "\x1b" not in lines_of(app.query_one(LineInput))[0]
        await pilot.press("home")
        assert lines_of(app.query_one(LineInput))[0].startswith(inert(HOSTILE)[:12])
        await pilot.press("enter")
        assert answers == [HOSTILE + "\nx!"]
        assert not prompt.asking
        begin(ask("comment", "comment", hint="why"))
        await pilot.press("q", "escape")
        assert left == ["q"]
        assert len(answers) == 1


async def test_only_y_says_yes():
    app = Stage(lambda: [Confirm()])
    async with app.run_test(size=(60, 6), message_hook=app.hear) as pilot:
        confirm, answers = app.query_one(Confirm), []

        async def ask(question):
            answers.append(await confirm.ask(question))

        begin(ask(HOSTILE))
        await pilot.press("enter", "x")
        assert confirm.asking
        await pilot.press("y")
        begin(ask("again?"))
        await pilot.press("escape")
        assert answers == [True, False]
        assert not confirm.asking


async def test_enter_takes_the_first_or_none_where_that_is_meant_and_escape_nothing():
    app = Stage()
    async with app.run_test(size=(80, 24)) as pilot:
        answers = []
        app.push_screen(Picker("Which [red]instruction?", CHOICES), answers.append)
        await pilot.press("enter")
        none = Choice("none", "0", "no instruction")
        app.push_screen(Picker("Which?", CHOICES, none=none), answers.append)
        await pilot.press("z", "z", "enter")
        app.push_screen(Picker("Which?", CHOICES, none=none), answers.append)
        await pilot.press("0", "enter")
        app.push_screen(
            Picker("Which?", CHOICES, none=none, on_none=True),
            answers.append,
        )
        await pilot.press("enter")
        app.push_screen(Picker("Which?", CHOICES), answers.append)
        await pilot.press("down", "enter")
        app.push_screen(Picker("Which?", []), answers.append)
        await pilot.press("enter", "escape")
        assert answers == ["a", "none", "none", "none", "b", None]


async def test_the_picker_fits_a_small_screen_and_shows_long_choices_whole():
    app = Stage()
    async with app.run_test(size=(60, 15)) as pilot:
        many = [Choice(str(n), str(n), f"{n} " + "long words " * 20) for n in range(50)]
        app.push_screen(Picker("Which?", many))
        await pilot.press("down")
        picker = app.screen
        lines = picker.query_one(Lines)
        assert lines.size.height >= 3
        assert app.screen.region.contains_region(picker.query_one(".box--keys").region)
        assert sum("long" in line for line in lines_of(lines)) >= 5
        await pilot.resize_terminal(80, 24)
        await pilot.pause()
        assert lines.size.height > 8


TOLD = [
    Choice("move.tp", "1", "put the item into TP", group="Items"),
    Choice("item.drop", "d", "drop the item", group="Items"),
    Choice("", "✓", "reviewed", group="Marks", style="reviewed", is_help=True),
    Choice("", "[/x]", HOSTILE, group="Marks", is_help=True),
]


async def test_groups_stand_under_their_names_until_something_is_typed():
    app = Stage()
    answers: list[str | None] = []
    async with app.run_test(size=(80, 24)) as pilot:
        app.push_screen(Picker("Keys", TOLD), answers.append)
        await pilot.pause()
        lines = app.screen.query_one(Lines)
        assert [line.split()[:2] for line in lines_of(lines)[:5]] == [
            ["Items"],
            ["▸", "1"],
            ["d", "drop"],
            [],
            ["Marks"],
        ]
        await pilot.press(*"items", "space", *"drop")
        (found,) = [line.split() for line in lines_of(lines) if line.strip()]
        assert found == ["▸", "d", "drop", "the", "item", "Items"]
        await pilot.press("enter")
    assert answers == ["item.drop"]


async def test_what_is_only_to_be_read_says_so_at_enter():
    app = Stage()
    answers: list[str | None] = []
    async with app.run_test(size=(80, 24)) as pilot:
        app.push_screen(Picker("Keys", TOLD), answers.append)
        await pilot.press("down", "down", "enter")
        below = app.screen.query_one(".box--keys", Static)
        assert "only to read" in str(below.visual)
        await pilot.press("down")
        assert str(below.visual) == "Enter takes it · Esc leaves"
        await pilot.press(*"zzz", "enter")
        assert "Nothing matches" in str(below.visual)
        await pilot.press("escape")
    assert answers == [None]

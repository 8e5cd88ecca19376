import pytest
from review_stage import NARROW, sitting
from textual.binding import Binding

from appellate.app.keys import bindings
from appellate.app.keys.bindings import keys_of, pane_of
from appellate.app.keys.help import (
    GLOSSARY,
    IN_SIGHT,
    NOWHERE,
    TEXTS,
    Here,
    focus_here,
    keys_help,
    needed_here,
    page_of,
)
from appellate.app.keys.keymap import applied
from appellate.app.keys.shown_keys import card
from appellate.core.kind import Subject
from appellate.traits.kinds import kinds
from appellate.traits.llm.spec import LLMRubricTrait
from appellate.ui.marks import ASCII, UNICODE, spelt
from appellate.ui.picker import Picker, matching, searched
from appellate.ui.rendered_text import cells, flowing
from cells import TRACE, matrix

METRIC = pane_of("metric")
MOST_NEEDED = 16  # rows, on a screen of 24


def told(marks, keys=None, **here):
    """What the help tells at a cell of the metric kind."""
    return keys_help(marks, keys or keys_of(kinds()), METRIC, **here)


def test_every_binding_of_the_program_is_told():
    rows = told(UNICODE)
    groups = {one.group for one in rows}
    assert {key.help for key in keys_of(kinds())} <= {one.text for one in rows}
    assert {TEXTS.owners.get(one.owner.__name__) for one in bindings.every()} - {
        None,
    } <= groups
    assert set(TEXTS.owners) <= {one.owner.__name__ for one in bindings.every()}
    keys = " ".join(one.number for one in rows)
    assert all(
        name in keys for name in ("Home", "End", "PgUp", "PgDn", "Tab", "Esc", "Enter")
    )
    assert set(TEXTS.bindings) <= {one.id for one in bindings.every()} | {"leave"}


def test_the_keys_told_are_those_that_the_person_has():
    own = {"cell.sign": "z", "lines.first": "ctrl+home", "lines.last": ""}
    rows = told(UNICODE, applied(keys_of(kinds()), own), overrides=own)
    assert [one.number for one in rows if one.text.startswith("sign off")] == ["z"]
    assert [
        one.number
        for one in rows
        if one.group == "In every list" and "the first row" in one.text
    ] == ["Ctrl+Home"]
    assert [
        one.number
        for one in rows
        if one.group == "In every list" and "the last row" in one.text
    ] == ["–"]


def test_each_group_stands_once_and_what_is_told_here_not_again():
    rows = told(UNICODE, where=Here("items", frozenset({"lines.up"})))
    groups = [one.group for one in rows]
    assert len(dict.fromkeys(groups)) == sum(
        a != b for a, b in zip(groups, ["", *groups], strict=False)
    )
    assert list(dict.fromkeys(groups))[:2] == [GLOSSARY, "Here: the items of the cell"]
    assert groups.count(GLOSSARY) == 5
    assert len([one for one in rows if one.text.startswith("drop the item")]) == 1
    assert "Marks of items" not in groups
    assert len(rows) == len(told(UNICODE, where=NOWHERE)) + 1


@pytest.mark.parametrize(
    "name",
    [name for name, place in TEXTS.places.items() if place.ids],
)
def test_every_place_has_keys_of_the_bench(name):
    rows = told(UNICODE, where=Here(name))
    assert [one for one in rows if one.group.startswith("Here") and not one.is_help]


def test_only_keys_of_the_bench_do_something_when_chosen():
    rows = told(ASCII)
    pressed = {one.key for one in rows if not one.is_help}
    assert pressed == {key.id for key in keys_of(kinds())} - {"help"}
    assert matching(searched(rows), "marks fp")
    assert not any("¹" in one.number for one in rows)


async def test_here_is_where_the_focus_is(tmp_path):
    async with sitting(tmp_path) as at:
        assert focus_here(at.screen).place == "items"
        assert "lines.first" in focus_here(at.screen).ids
        await at.press("v")
        selecting = focus_here(at.screen)
        assert selecting.place == "selecting"
        assert "select.sentence" in selecting.ids
        await at.press("escape", "Q")
        assert focus_here(at.screen).place == "queue"
        await at.press("Q", "colon")
        asked = focus_here(at.screen)
        assert asked.place == "prompt"
        assert "prompt.take" in asked.ids
        at.screen.set_focus(None)
        assert focus_here(at.screen).place == ""


@pytest.mark.slow
async def test_enter_in_the_help_presses_a_key_and_a_word_is_only_to_be_read(tmp_path):
    async with sitting(tmp_path) as at:
        await at.press("question_mark", "tab", "enter")
        assert isinstance(at.app.screen, Picker)
        assert "stand by the cell's labels" in at.text
        await at.press(*"flag", "enter")
        await at.until(lambda: at.cell.flag)
        await at.press("f1", "f1")
        assert at.app.screen is at.screen


@pytest.mark.parametrize("kind", kinds())
def test_under_ascii_the_help_is_ascii(kind):
    for one in keys_help(ASCII, keys_of(kinds()), pane_of(kind)):
        assert spelt(f"{one.number} {one.text}", ASCII).isascii(), one


def test_what_is_needed_here_is_short_and_of_this_kind_and_the_persons_keys():
    own = {"cell.sign": "z"}
    for name in kinds():
        pane = pane_of(name)
        keys = applied(keys_of([name]), own)
        rows = needed_here(UNICODE, keys, pane, own, "+TP 3 BCL2¹", [("1 3", "C, I")])
        assert len(rows) <= MOST_NEEDED
        assert [row.number for row in rows if row.text.startswith("sign off")] == ["z"]
        assert (rows[1].number, rows[1].text) == ("1 3", "C, I")
    rows = needed_here(UNICODE, keys_of(["metric"]), METRIC, {}, "", is_blind=True)
    assert ("a", "lock your verdict") in [(row.number, row.text) for row in rows]
    rows = needed_here(UNICODE, keys_of(["metric"]), METRIC, {}, "+TP 3")
    assert [row.number for row in rows if row.group == IN_SIGHT] == ["+TP"]


def test_marks_in_sight_have_their_legend_here_those_of_the_queue_too():
    keys = keys_of(["grounding"])
    rows = needed_here(
        UNICODE,
        keys,
        pane_of("grounding"),
        {},
        "» a  Rel .50  ½ᵇ  ◂ a  0b RU",
    )
    shown = {row.number for row in rows if row.group == IN_SIGHT}
    assert {"»", "½ partly", "◂", "0b  c", "Rel Util Comp Adh Avg", "R", "U"} <= shown
    assert "⚑" not in shown
    rows = needed_here(UNICODE, keys_of(["metric"]), METRIC, {}, "+TP 3 (+1)  normally")
    shown = [row.number for row in rows if row.group == IN_SIGHT]
    assert (shown[0], shown[-1], "no evidence" in shown) == ("+TP", "(+1)", False)


async def test_a_question_mark_of_a_sentence_or_a_key_is_no_mark_in_sight(tmp_path):
    async with sitting(tmp_path, size=NARROW) as at:
        assert "? unverified" not in await at.shows("question_mark")


def test_a_page_of_the_manual_is_about_where_one_is():
    metric = Subject(kinds()["metric"], matrix(), TRACE)
    llm = Subject(kinds()["llm"], LLMRubricTrait(name="x", kind="boolean"), TRACE)
    run = Subject(
        llm.kind,
        llm.trait.model_copy(update={"reads": "conversation"}),
        TRACE,
    )
    assert page_of(Here("queue"), metric) == "queries"
    assert page_of(Here("items"), metric) == "correcting"
    assert page_of(Here("items"), llm) == "kinds"
    assert page_of(Here("items"), run) == "conversations"


@pytest.mark.slow
async def test_tab_turns_to_every_key_and_back_and_typing_looks_in_all(tmp_path):
    async with sitting(tmp_path, size=NARROW) as at:
        assert "What you need here" in await at.shows("question_mark")
        assert "sign off" in at.text
        assert "Words, keys" not in at.text
        await at.press("tab")
        assert "Words, keys and marks" in at.text
        assert "saved, exported " in at.text
        assert "bookmark the cell" in await at.shows("tab", *"bookmark")
        await at.press("ctrl+u", *"the page", "enter")
        await at.until(lambda: "│ Correcting " in at.text)
        await at.press("escape")


async def test_the_card_tells_five_keys_in_two_lines_of_80_and_one_of_140(tmp_path):
    async with sitting(tmp_path) as at:
        for width, lines in ((78, 2), (138, 1)):
            drawn = flowing(card(keys_of(kinds()), at.screen.pane), width)
            assert len(drawn) == lines
            assert all(cells(line) <= width for line in drawn)
        own = applied(keys_of(kinds()), {"cell.sign": "z"})
        drawn = flowing(card(own, at.screen.pane), 200)
        assert " z sign off" in "".join(piece.text for line in drawn for piece in line)


async def test_in_the_help_the_keys_that_its_first_row_names_go_from_row_to_row_and_others_filter(
    tmp_path,
):
    async with sitting(tmp_path) as at:
        await at.press("question_mark")
        help_screen = at.app.screen
        await at.press("j", "j", "k")
        assert (help_screen.lines.cursor.row, help_screen.typed) == (1, "")
        await at.press("tab", "j")
        assert (help_screen.lines.cursor.row, help_screen.typed) == (1, "")
        await at.press("slash", *"judge again")
        assert help_screen.typed == "judge again"
        assert "judge again what the queue holds" in at.text
        await at.press("ctrl+u", "j")
        assert help_screen.typed == "j"
        await at.press("escape", "escape")
        assert at.app.screen is at.screen
        await at.press("question_mark", *"flag")
        assert at.app.screen.typed == "flag"


def test_every_binding_has_an_id_to_be_told_by():
    for bound in bindings.every():
        for binding in Binding.make_bindings(bound.owner.__dict__["BINDINGS"]):
            assert binding.id

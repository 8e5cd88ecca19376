"""Each key acts or says why it does not, and in no mode does the strip show one that is refused."""

import re

import pytest
from review_stage import bcl2, sitting, states

from appellate.ui.bar import KeyStrip
from appellate.ui.conversation import begin

AT_AN_END = {
    *("page.on", "page.back", "back", "forward", "bucket.next", "bucket.previous"),
    *("unreviewed.previous", "unreviewed.next"),
    "item.turn",  # while words are selected Space scrolls, as page.on does
}
"""Keys that go somewhere, and may be there already."""
REFUSED = re.compile(
    r"waits: |Answer the question first|out of sight: go back|is for the items",
)
CHANGING = {"cell.sign", "cell.undo", "item.drop", "item.menu", "item.turn"}
"""Keys that a cell out of sight would refuse."""
OPENS = {
    *(
        "palette",
        "help",
        "theme",
        "session",
        "history",
        "sizes",
        "cell.proposals",
        "cell.copy",
    ),
    *("trace.go", "queue.filter", "queue.order", "cell.comment", "by_instruction"),
}
"""Keys that open something, each with tests of its own."""
LEAVES = {"quit", "rubric.edit", "run.stop", "save"}
"""Keys that end the program, or have tests of their own for what they hand on."""


OF_EXAMPLE = {
    "": (),
    "checklist": ("t",),
    "RESPONSE": ("v", "escape", "o", "o"),
    "RESPONSE alone": ("z",),
    "QUEUE": ("Q",),
    "READING": ("K", "K"),
    "SELECT": ("v", "w"),
    "EVIDENCE": ("l", "1"),
    "FIND": ("slash", *"bcl2", "enter"),
    "SELECT · FIND": ("v", "slash", *"gene", "enter"),
}
"""The keys that lead into each mode of a cell, as the strip names it."""


def seen(at):
    """All that a person could notice."""
    app, response = at.app, at.screen.response
    return (
        at.text,
        at.said,
        at.facts,
        at.no,
        at.place,
        app.screen,
        app.screen.focused,
        response.scroll_offset,
        response.selection.text,
        app.clipboard,
    )


async def rest(at, no, keys):
    """Back to where a mode begins, whatever a key has done."""
    while at.app.screen is not at.screen:
        at.app.pop_screen()
        await at.pilot.pause()
    work = at.screen.objects
    if work.parts.confirm.asking:
        work.parts.confirm.action_answer(yes=False)
    work.put_away()
    if work.layout.is_response_alone:
        work.layout.turn_response_alone()
    work.layout.hide_queue()
    work.navigation.open(no)
    if (
        getattr(at.screen.pane, "items", None)
        and at.screen.pane.items.view == "checklist"
    ):
        at.screen.pane.turn_view()
    at.screen.pane.clear_marks()
    work.rest()
    await at.pilot.pause()
    await at.pilot.press(*keys)
    await at.pilot.pause()


async def pressed_in(at, no, keys, names):
    """What each key leaves as it was, and which keys of the strip are refused."""
    silent, refused = [], []
    own = {key.id: key for key in at.screen.objects.keys}
    await rest(at, no, keys)
    begun = seen(at)
    for name in names:
        at.screen.objects.dialogs.say("")
        before = seen(at)
        if before[2:] != begun[2:]:
            await rest(at, no, keys)
            before = begun = seen(at)
        shown = {hint.action for hint in at.screen.query_one(KeyStrip).hints}
        await at.pilot.press(own[name].keys.split(",")[0])
        if seen(at) == before:
            silent.append(name)
        if name in shown and REFUSED.search(at.said):
            refused.append(name)
    return silent, refused


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["", "SELECT"])
async def test_every_key_acts_or_says_why_it_does_not(tmp_path, mode):
    async with sitting(tmp_path, bcl2(), at=2, size=(100, 30)) as at:
        names = [
            key.id
            for key in at.screen.objects.keys
            if key.id not in LEAVES | OPENS and key.keys
        ]
        if mode:  # of those that wait one is as good as another
            waiting = [
                name for name in names if not at.screen.objects.selection.lets(name)
            ]
            names = [name for name in names if name not in waiting[3:]]
        silent, refused = await pressed_in(at, 2, OF_EXAMPLE[mode], names)
    assert set(silent) <= AT_AN_END
    assert not refused


@pytest.mark.slow
async def test_the_strip_names_the_mode_and_shows_no_key_that_is_refused(tmp_path):
    async with sitting(tmp_path, bcl2(), at=2, size=(100, 30)) as at:
        work, strip = at.screen.objects, at.screen.query_one(KeyStrip)
        for mode, keys in OF_EXAMPLE.items():
            await rest(at, 2, keys)
            name = mode.split()[0] if mode.isupper() or " alone" in mode else ""
            assert strip.mode.startswith(name), (mode, strip.mode)
            shown = {hint.action for hint in strip.hints} & {
                key.id for key in work.keys
            }
            assert len(strip.hints) > 3
            if work.selection.on:
                assert all(map(work.selection.lets, shown)), shown
        for mode in ("QUEUE", "RESPONSE"):
            await rest(at, 2, OF_EXAMPLE[mode])
            names = [hint.action for hint in strip.hints if hint.action in CHANGING]
            _, refused = await pressed_in(at, 2, OF_EXAMPLE[mode], names)
            assert not refused
        await rest(at, 2, ())
        begin(work.dialogs.confirm("Really?"))
        await at.pilot.pause()
        assert (strip.mode, at.keys) == ("QUESTION", "y n Esc")
        await at.press("y")
        assert not strip.mode


async def test_the_strip_of_a_cell_without_items_shows_keys(tmp_path):
    async with sitting(tmp_path, states(), at=2) as at:
        for no in (2, 3, 4):
            await rest(at, no, ())
            assert at.screen.query_one(KeyStrip).hints


async def test_a_session_that_only_reads_says_so_and_shows_no_key_that_changes_anything(
    tmp_path,
):
    async with sitting(tmp_path, bcl2(), at=2, readonly=True) as at:
        assert at.line("keys").startswith("READ ONLY")
        assert not {"a", "c", "u", "1-4"} & set(at.keys.split())
        await at.press("v", "w")
        assert at.screen.query_one(KeyStrip).mode == "READ ONLY · SELECT"
        assert not {"1", "3"} & set(at.keys.split())

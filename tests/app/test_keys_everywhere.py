"""Each key acts or says why it does not, and in no mode does the strip show one that is refused."""

import re

import pytest
from review_stage import bcl2, sitting, states

from appellate.ui.bar import KeyStrip

AT_AN_END = {
    *("page.on", "page.back", "back", "forward", "bucket.next", "bucket.previous"),
    *("item.mark_up", "item.mark_down", "unreviewed.previous", "unreviewed.next"),
    "item.turn",  # while words are selected Space scrolls, as page.on does
}
"""Keys that go somewhere, and may be there already."""
REFUSED = re.compile(r"waits: |Answer the question first")
LEAVES = {"quit", "rubric.edit", "run.stop", "save"}
"""Keys that end the program, or have tests of their own for what they hand on."""


MODES = {
    "items": (bcl2, 2, ()),
    "checklist": (bcl2, 2, ("t",)),
    "response": (bcl2, 2, ("o", "o")),
    "response alone": (bcl2, 2, ("z",)),
    "queue": (bcl2, 2, ("Q",)),
    "SELECT": (bcl2, 2, ("v", "w")),
    "EVIDENCE": (bcl2, 2, ("l", "1")),
    "FIND": (bcl2, 2, ("slash", *"bcl2", "enter")),
    "FIND in SELECT": (bcl2, 2, ("v", "slash", *"gene", "enter")),
    "pending": (states, 2, ()),
    "failed": (states, 3, ()),
    "judged empty": (states, 4, ()),
}


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
    work = at.screen.at
    if work.parts.confirm.asking:
        work.parts.confirm.action_answer(yes=False)
    work.put_away()
    if work.layout.is_response_alone:
        work.layout.turn_response_alone()
    work.layout.hide_queue()
    work.navigation.open(no)
    if getattr(at.screen.pane, "items", None) and at.screen.pane.items.view == "checklist":
        at.screen.pane.turn_view()
    at.screen.pane.clear_marks()
    work.rest()
    await at.pilot.pause()
    await at.pilot.press(*keys)
    await at.pilot.pause()


async def pressed_in(at, no, keys, names):
    """What each key leaves as it was, and which keys of the strip are refused."""
    silent, refused = [], []
    own = {key.id: key for key in at.screen.at.keys}
    await rest(at, no, keys)
    begun = seen(at)
    for name in names:
        at.screen.at.dialogs.say("")
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


@pytest.mark.parametrize("mode", ["items", "SELECT"])
async def test_every_key_acts_or_says_why_it_does_not(tmp_path, mode):
    scene, no, keys = MODES[mode]
    async with sitting(tmp_path, scene(), at=no) as at:
        names = [key.id for key in at.screen.at.keys if key.id not in LEAVES and key.keys]
        silent, refused = await pressed_in(at, no, keys, names)
    assert set(silent) <= AT_AN_END
    assert not refused


@pytest.mark.parametrize("mode", sorted(MODES))
async def test_the_strip_shows_no_key_that_is_refused(tmp_path, mode):
    scene, no, keys = MODES[mode]
    async with sitting(tmp_path, scene(), at=no) as at:
        await rest(at, no, keys)
        work = at.screen.at
        hints = at.screen.query_one(KeyStrip).hints
        assert hints
        if work.selection.on:
            shown = {hint.action for hint in hints if hint.action and hint.action != "leave"}
            assert all(map(work.selection.lets, shown)), shown

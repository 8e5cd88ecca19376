"""What `?` shows: the keys of where one is, then every key, from the bindings, and what every mark means.

Also the first-run card, which is help for whoever does not know yet that there is help.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from textual.dom import DOMNode
from textual.screen import Screen

from appellate.app import keymap
from appellate.app.keymap import Bound
from appellate.app.keynames import shown
from appellate.app.keys import GO
from appellate.ui.card import Paragraph
from appellate.ui.help_screen import HelpEntry
from appellate.ui.key import Key
from appellate.ui.marks import Marks
from appellate.ui.pane import KindPane
from appellate.ui.rendered_text import StyledText

OF_ITEMS, OF_CELLS, OF_EVIDENCE = "Marks of items", "Marks of cells", "Marks in the response"
MOST_KEYS = 3
BENCH = "ReviewScreen"


class HelpTopic(NamedTuple):
    """Somewhere to be: its name, what it is, how the ids of its keys begin, and its marks."""

    name: str
    what: str
    ids: tuple[str, ...] = ()
    marks: str = ""


PLACES = {
    "selecting": HelpTopic(
        "selecting words",
        "the words selected go into a bucket, or with Enter become the evidence asked for",
        ("text.none", "text.search"),
    ),
    "items": HelpTopic(
        "the items of the cell",
        "",  # the pane says it
        ("jump", "last", "text.select", "text.evidence", "text.next"),
        OF_ITEMS,
    ),
    "response": HelpTopic(
        "the response",
        "what the model answered, with the words marked that items were taken from",
        ("text.", "page.", "material", "jump", "last"),
        OF_EVIDENCE,
    ),
    "queue": HelpTopic(
        "the queue",
        "every cell, a line each: state, trace, trait and its last metric",
        (
            "queue",
            "unreviewed.",
            "cell.next",
            "cell.previous",
            "trace.",
            "back",
            "forward",
            "cell.bookmark",
            "bookmarks",
        ),
        OF_CELLS,
    ),
    "prompt": HelpTopic(
        "a line to type in",
        "Enter answers it, Esc leaves it; what is wrong with it stands above it",
    ),
    "confirm": HelpTopic("a question", "y or n, and no other key, answers it"),
}

OWNERS = {
    "Lines": "In every list",
    "TextView": "Reading",
    "ResponseView": "While selecting",
    "Picker": "In a list to pick from",
    "LinePrompt": "On a line to type in",
    "Confirm": "At a question",
    "DraftScreen": "At an edited rubric",
    "ProposalsScreen": "Among proposals",
    "HelpScreen": "In this help",
    "SizeLine": "Sizes of the panes",
    "FramedApp": "Everywhere",
    BENCH: GO,
}
"""Where bindings are heard that are not the bench's own; others are called by their class."""

TOLD = {
    "leave": "leave the innermost thing: a selection, a line, a question, a list",
    "lines.up": "the row above",
    "lines.down": "the row below",
    "lines.page_up": "a page up",
    "lines.page_down": "a page down",
    "lines.first": "the first row",
    "lines.last": "the last row",
    "lines.choose": "choose the row",
    "response.up": "a line up",
    "response.down": "a line down",
    "response.page_up": "a page up",
    "response.page_down": "a page down",
    "response.home": "the beginning",
    "response.end": "the end",
    "select.word": "extend by a word",
    "select.word_back": "extend by a word, back",
    "select.sentence": "take the whole sentence, then the next one too",
    "select.character": "extend by a character",
    "select.character_back": "extend by a character, back",
    "select.line": "extend by a line",
    "select.line_back": "extend by a line, back",
    "select.on": "the next word to start from; once extended: extend by a character",
    "select.back": "the word before to start from; once extended: extend by a character, back",
    "select.down": "start a line further down; once extended: extend by a line",
    "select.up": "start a line further up; once extended: extend by a line, back",
    "select.offer": "the next likely sentence, where evidence is asked for",
    "select.offer_back": "the likely sentence before",
    "select.other_end": "move the other end",
    "select.anew": "extend from here; once extended: start anew with the word at this end",
    "select.page_down": "a page further down",
    "select.page_up": "a page further up",
    "select.take": "take the words as the evidence that is asked for",
    "select.leave": "select nothing more",
    "picker.leave": "pick nothing",
    "picker.up": "the row above",
    "picker.down": "the row below",
    "picker.page_up": "a page up",
    "picker.page_down": "a page down",
    "help.leave": "leave the search, then the help",
    "help.close": "close the help",
    "help.search": "search among keys, marks and what they mean",
    "help.list": "from the search into the list",
    "sizes.less": "move the border left or up",
    "sizes.more": "move the border right or down",
    "sizes.other": "take the other border",
    "sizes.reset": "as large as at first",
    "sizes.end": "keep the sizes",
    "sizes.leave": "put the borders back where they were",
    "prompt.leave": "leave the line; nothing is done",
    "prompt.take": "take the candidate chosen, else the first; → at the line's end does too",
    "prompt.up": "choose the candidate above; on an empty line, what was typed before",
    "prompt.down": "choose the candidate below",
}
"""What a binding does, where its name in the code is too short to say it."""


class Here(NamedTuple):
    """Where the focus is: the name of a place ("" for none), and the ids that are heard there before the screen's."""

    place: str = ""
    ids: frozenset[str] = frozenset()


NOWHERE = Here()


def here(screen: Screen[Any]) -> Here:
    """Where a person is on a screen."""
    heard = (one for one in screen.active_bindings.values() if one.node not in (screen, screen.app))
    ids = frozenset(one.binding.id for one in heard if one.binding.id)
    nodes = screen.focused.ancestors_with_self if screen.focused else ()
    named = (_place_of(node, ids) for node in nodes)
    return Here(next(filter(None, named), ""), ids)


def _place_of(node: DOMNode, ids: frozenset[str]) -> str:
    if node.id == "response" and "select.leave" in ids:
        return "selecting"
    if isinstance(node, KindPane):
        return "items"
    kind = type(node).__name__
    return (
        node.id
        if node.id in PLACES
        else {"LinePrompt": "prompt", "Confirm": "confirm"}.get(kind, "")
    )


# -- everything there is to know ----------------------------------------------------------------------


def told_keys(
    marks: Marks,
    keys: Sequence[Key],
    pane: type[KindPane],
    where: Here = NOWHERE,
    overrides: Mapping[str, str] | None = None,
) -> list[HelpEntry]:
    """What is of use here, then keys by group, then marks; `overrides` are the person's keys of any binding."""
    every = [
        *_of_bench(keys),
        *_of_widgets(overrides or {}, {key.id for key in keys}),
        *_marks(marks, pane),
    ]
    place = _with_pane(where.place, pane)
    near = _near(every, place, where)
    far = [told for told in every if told not in near]
    return [*_headed(near, place), *_in_groups([told.told for told in far])]


def _with_pane(name: str, pane: type[KindPane]) -> HelpTopic | None:
    """A place with what the kind in sight has there."""
    place = PLACES.get(name)
    if place is None or name not in ("items", "selecting"):
        return place
    if name == "selecting":
        return place._replace(ids=(*sorted(pane.TAKING), *place.ids))
    return place._replace(what=pane.ABOUT, ids=(*pane.NEAR, *place.ids))


class _Known(NamedTuple):
    """Something told, and the id of the binding, or the group of the mark."""

    id: str
    told: HelpEntry


def _of_bench(keys: Sequence[Key]) -> Iterator[_Known]:
    for key in keys:
        yield _Known(
            key.id,
            HelpEntry(key.group, key.shown, key.told, action="" if key.id == "help" else key.id),
        )


def _of_widgets(overrides: Mapping[str, str], known: set[str]) -> Iterator[_Known]:
    bounds: dict[str, Bound] = {}
    for bound in keymap.every():
        if bound.id not in known and not issubclass(bound.owner, KindPane):
            bounds.setdefault(bound.id, bound)  # whoever inherits it comes later
    for bound in bounds.values():
        yield _Known(
            bound.id,
            HelpEntry(_group(bound), _shown(bound, overrides), TOLD.get(bound.id, bound.told)),
        )


def _group(bound: Bound) -> str:
    name = bound.owner.__name__
    return OWNERS.get(name, name.removesuffix("Screen").removesuffix("Pane"))


def _shown(bound: Bound, overrides: Mapping[str, str]) -> str:
    keys = overrides[bound.id].split(",") if bound.id in overrides else bound.keys
    return " ".join(shown(key) for key in keys[:MOST_KEYS] if key) or "–"


def _near(every: Sequence[_Known], place: HelpTopic | None, where: Here) -> list[_Known]:
    """What is of use at a place: its widget's own keys, then the bench's for it, then its marks."""
    if place is None:
        return []
    own = [one for one in every if one.id in where.ids]
    bench = [one for one in every if one.id.startswith(place.ids or ("–",)) and one not in own]
    return [*bench, *own, *(one for one in every if place.marks and one.told.group == place.marks)]


def _headed(near: Sequence[_Known], place: HelpTopic | None) -> list[HelpEntry]:
    if place is None:
        return []
    group = f"Here: {place.name}"
    told = [
        HelpEntry(group, one.told.keys, one.told.what, one.told.style, one.told.action)
        for one in near
    ]
    return [HelpEntry(group, "", place.what), *told]


def _in_groups(told: Sequence[HelpEntry]) -> list[HelpEntry]:
    groups = dict.fromkeys(one.group for one in told)
    return [one for group in groups for one in told if one.group == group]


def _marks(marks: Marks, pane: type[KindPane]) -> Iterator[_Known]:
    told = (
        (OF_ITEMS, pane.told_marks(marks)),
        (OF_CELLS, _of_cells(marks)),
        (OF_EVIDENCE, _of_evidence(marks)),
    )
    for group, rows in told:
        yield from (
            _Known(group, HelpEntry(group, mark, what, style)) for mark, what, style in rows
        )


def _of_cells(marks: Marks) -> list[tuple[str, str, str]]:
    return [
        (marks.reviewed, "reviewed: signed off", "reviewed"),
        (marks.proposed, "proposed: judged, nobody has touched it", "proposed"),
        (marks.corrected, "corrected: edited, not signed off", "corrected"),
        (marks.failed, "failed: the judge gave no judgment; the cell says why", "failed"),
        (marks.pending, "pending: not judged yet", "pending"),
        (marks.flag, "flagged, to come back to", "flag"),
        (marks.bookmark, "bookmarked by you", "flag"),
        (marks.doubt, "something unverified, or amiss in the ledger", "flag"),
        (marks.split, "the judges of a panel differ on something", "flag"),
        (marks.plea, "words of the trace that seem to address the judge", "flag"),
        ("0/0", "undefined: nothing to count, left out of means", ""),
    ]


def _of_evidence(marks: Marks) -> list[tuple[str, str, str]]:
    signs = f"{marks.tp} {marks.fn} {marks.fp} {marks.tn}"
    return [
        (
            "¹ ⁻¹" if marks.raises else "^1 ^-1",
            "behind words: the instruction that they answer, TP 1 or TN 1",
            "key",
        ),
        (signs, "before words: the bucket that their item is in", ""),
        (
            marks.plea,
            "behind words: they seem to address the judge, who is told not to follow them",
            "failed",
        ),
    ]


# -- the first time -----------------------------------------------------------------------------------


def named(keys: Sequence[Key]) -> dict[str, str]:
    """Every key by its id, the first that the help names for it."""
    return {key.id: key.shown.split()[0] for key in keys} | {"leave": "Esc"}


def card(keys: Sequence[Key], pane: type[KindPane]) -> list[Paragraph]:
    """The keys that matter: those of the kind in sight, and four more."""
    by_id = named(keys)
    ids, what = pane.CARD
    five = [
        *([(" ".join(by_id[one] for one in ids), what)] if ids else []),
        (by_id["text.select"], "select words"),
        (by_id["cell.sign"], "sign off, go on"),
        (by_id["cell.undo"], "take back"),
        (by_id["help"], "all keys and marks"),
    ]
    atoms = [(StyledText(key, "key"), StyledText(f" {what}  ")) for key, what in five]
    away = (StyledText(f"{by_id['leave']} hides this", "muted"),)
    return [[(StyledText(" New here? ", "title"), StyledText(" ")), *atoms, away]]

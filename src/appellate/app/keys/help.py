"""What `?` shows: the keys needed here, and behind Tab every key; both can be searched."""

import tomllib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

from msgspec import Struct, convert
from msgspec.structs import replace
from textual.app import App
from textual.binding import Binding, BindingType
from textual.dom import DOMNode
from textual.screen import Screen
from textual.widgets import Static

from appellate.app.keys import bindings
from appellate.app.keys.bindings import shown_together
from appellate.app.reading.screen import ReadingScreen
from appellate.core.kind import Subject
from appellate.traits.unread import NOT_SHOWN
from appellate.ui.contract import Choice
from appellate.ui.conversation import begin
from appellate.ui.key import Key
from appellate.ui.marks import Marks, spelt
from appellate.ui.own_keys import in_own_keys
from appellate.ui.pane import KindPane
from appellate.ui.picker import FILTERS, Picker, searched
from appellate.ui.prompt import Confirm, LinePrompt
from appellate.ui.text import plain
from appellate.ui.textual_compat import text_on

GLOSSARY = "Words"
BLIND = {"cell.sign": "lock your verdict"}
"""What keys of the day do in a blind cell, by id, where that is something else."""
NEEDED = "Keys"
IN_SIGHT = "Marks in sight"
Pairs = Iterable[tuple[str, str]]
STEPS = ("lines.down", "lines.up")
OF_ITEMS = "Marks of items"
OF_CELLS = "Marks of cells"
OF_EVIDENCE = "Marks in the response"


def entry(group: str, keys: str, what: str, style: str = "", name: str = "") -> Choice:
    """A row to be read: keys or a mark in its style, and what they do or what it means."""
    return Choice(name, keys, what, group=group, style=style or "key", is_help=True)


class HelpTopic(Struct, frozen=True):
    """Somewhere to be: its name, what it is, how the ids of its keys begin, and its marks."""

    name: str
    what: str = ""
    ids: tuple[str, ...] = ()
    marks: str = ""


PAGES = {
    "queue": "queries",
    "response": "reading",
    "material": "reading",
    "selecting": "correcting",
}
"""The manual's page of a place; of the items it is their kind's."""


class HelpFile(Struct, frozen=True, forbid_unknown_fields=True):
    """`help.toml`: what it says of words, places, classes with bindings, and bindings."""

    words: dict[str, str]
    needed: dict[str, str]
    places: dict[str, HelpTopic]
    owners: dict[str, str]
    bindings: dict[str, str]


TEXTS = convert(tomllib.loads(Path(__file__).with_name("help.toml").read_text("utf-8")), HelpFile)


# -- where one is -----------------------------------------------------------------------------


class Here(NamedTuple):
    """Where the focus is, "" where the help has no topic, and the ids of the keys there."""

    place: str = ""
    ids: frozenset[str] = frozenset()


NOWHERE = Here()


def here(screen: Screen[Any]) -> Here:
    """Where a person is on a screen."""
    ids = set()
    for active_binding in screen.active_bindings.values():
        if active_binding.node not in (screen, screen.app) and active_binding.binding.id:
            ids.add(active_binding.binding.id)
    place = ""
    for node in screen.focused.ancestors_with_self if screen.focused else ():
        place = place or _place_of(node, ids)
    return Here(place, frozenset(ids))


def _place_of(node: DOMNode, ids: Collection[str]) -> str:
    if node.id == "response" and "select.leave" in ids:
        return "selecting"
    if isinstance(node, KindPane):
        return "items"
    if isinstance(node, LinePrompt):
        return "prompt"
    if isinstance(node, Confirm):
        return "confirm"
    if node.id in TEXTS.places:
        return node.id
    return ""


def _topic(name: str, pane: type[KindPane]) -> HelpTopic | None:
    """A place, with what the kind in sight has there."""
    place = TEXTS.places.get(name)
    if place is not None and name == "items":
        return replace(place, what=pane.ABOUT, ids=(*pane.NEAR, *place.ids))
    if place is not None and name == "selecting":
        return replace(place, ids=(*sorted(pane.TAKING), *place.ids))
    return place


# -- everything there is to know --------------------------------------------------------------


def keys_help(
    marks: Marks,
    keys: Sequence[Key],
    pane: type[KindPane],
    where: Here = NOWHERE,
    overrides: Mapping[str, str] | None = None,
) -> list[Choice]:
    """Words, what is of use here, then keys by group, then marks; `overrides` are own keys. Only a
    key of the bench can be picked, and is pressed then.
    """
    glossary = {**TEXTS.words, **pane.WORDS}
    words = [entry(GLOSSARY, word, what) for word, what in glossary.items()]
    every = []
    for key in keys:
        is_help = key.id == "help"
        every.append(Choice(key.id, key.shown, key.help, group=key.group, is_help=is_help))
    every += [*_of_widgets(keys, overrides or {}), *_of_marks(marks, pane)]
    place = _topic(where.place, pane)
    if place is None:
        return [*words, *_in_groups(every)]
    bench = []
    own = []
    marked = []
    far = []
    for one in every:
        if one.key in where.ids:
            own.append(one)
        elif one.key.startswith(place.ids):
            bench.append(one)
        elif one.group == place.marks:
            marked.append(one)
        else:
            far.append(one)
    group = f"Here: {place.name}"
    near = [replace(one, group=group) for one in (*bench, *own, *marked)]
    return [*words, entry(group, "", place.what), *near, *_in_groups(far)]


def needed_here(
    marks: Marks,
    keys: Sequence[Key],
    pane: type[KindPane],
    overrides: Mapping[str, str],
    in_sight: str,
    verdicts: Pairs = (),
    *,
    is_blind: bool = False,
) -> list[Choice]:
    """The keys of the day at a cell, those used most first, then item marks of a screen.

    `verdicts` are the keys that rule on the cell, and what they do.
    """
    bound = bindings.by_id()
    steps = [shown_together(bound[one].under(overrides).keys[-1:]) for one in STEPS]
    shown = {key.id: key.shown for key in keys if key.keys}
    found = [entry(NEEDED, " ".join(steps), "the next row, the row above")]
    found += listed(NEEDED, verdicts, marks)
    needed = TEXTS.needed | (BLIND if is_blind else {})
    for id_, text in needed.items():
        if id_ in shown:
            found.append(Choice(id_, shown[id_], text, group=NEEDED))
    found += _marks_in_sight(marks, pane, in_sight)
    return found


def _marks_in_sight(marks: Marks, pane: type[KindPane], in_sight: str) -> Iterator[Choice]:
    alone = in_sight.split()
    for mark, text, style in pane.marks_help(marks):
        sought = mark if mark.islower() and mark.replace(" ", "").isalpha() else mark.split()[0]
        if sought in (alone if sought == marks.doubt else in_sight):
            yield entry(IN_SIGHT, mark, text.partition(": ")[2] or text, style)
    for mark, text, style in _warnings(marks):
        if mark in alone:
            yield entry(IN_SIGHT, mark, text, style)
    if NOT_SHOWN in in_sight:
        yield entry(
            IN_SIGHT, NOT_SHOWN, "you can read it, and the judge got no word of it", "muted"
        )
    raised = "¹" if marks.raises else "^1"
    if raised in in_sight or "²" in in_sight:
        yield entry(IN_SIGHT, raised, "behind words: which item or sentence it is", "key")


def page_of(where: Here, subject: Subject) -> str:
    """Return the name of the manual's page about where one is, and about the cell in sight."""
    page = PAGES.get(where.place)
    if page is not None:
        return page
    if subject.transcript is not None:
        return "conversations"
    return "correcting" if subject.kind.name == "metric" else "kinds"


def commands_to_pick(keys: Sequence[Key]) -> list[Choice]:
    """Every command that there is now, by its name, with its keys; each is one to press."""
    choices = []
    for key in keys:
        if key.id != "palette":
            words = f"{key.label[:1].upper()}{key.label[1:]}: {key.help}"
            choices.append(Choice(key.id, key.shown if key.keys else "", words, group=key.group))
    return _in_groups(choices)


def _of_widgets(bench: Sequence[Key], overrides: Mapping[str, str]) -> Iterator[Choice]:
    known = {key.id for key in bench}
    for bound in bindings.by_id().values():
        if bound.id in known or issubclass(bound.owner, KindPane):
            continue
        name = bound.owner.__name__
        group = TEXTS.owners.get(name, name.removesuffix("Screen"))
        names = shown_together(bound.under(overrides).keys)
        yield entry(group, names, TEXTS.bindings.get(bound.id, bound.help), name=bound.id)


def _in_groups(entries: Sequence[Choice]) -> list[Choice]:
    """Those of a group together, the groups in the order in which they begin."""
    groups = list(dict.fromkeys(one.group for one in entries))
    return sorted(entries, key=lambda one: groups.index(one.group))


def _of_marks(marks: Marks, pane: type[KindPane]) -> Iterator[Choice]:
    for mark, what, style in pane.marks_help(marks):
        yield entry(OF_ITEMS, mark, what, style)
    cells = (
        (marks.reviewed, "reviewed: signed off", "reviewed"),
        (marks.proposed, "proposed: judged, nobody has touched it", "proposed"),
        (marks.corrected, "corrected: edited, not signed off", "corrected"),
        (marks.failed, "failed: the judge gave no judgment; the cell says why", "failed"),
        (marks.pending, "pending: not judged yet", "pending"),
        (marks.doubt, "something unverified or inconsistent", "flag"),
        *_warnings(marks),
        ("0/0", "undefined: nothing to count, left out of means", ""),
    )
    for mark, what, style in cells:
        yield entry(OF_CELLS, mark, what, style)
    raised = "¹ ⁻¹" if marks.raises else "^1 ^-1"
    buckets = f"{marks.tp} {marks.fn} {marks.fp} {marks.tn}"
    plea = "behind words: they seem to address the judge, who is asked not to follow them"
    evidence = (
        (raised, "behind words: the instruction that they answer, TP 1 or TN 1", "key"),
        (buckets, "before words: the bucket that their item is in", ""),
        (marks.plea, plea, "failed"),
    )
    for mark, what, style in evidence:
        yield entry(OF_EVIDENCE, mark, what, style)


def _warnings(marks: Marks) -> Iterator[tuple[str, str, str]]:
    """The marks of cells beside their state, that nothing else on a screen looks like."""
    yield marks.flag, "flagged, to come back to", "flag"
    yield marks.bookmark, "bookmarked by you", "flag"
    yield marks.comment, "somebody commented on it: C shows what", "flag"
    yield marks.split, "the judges of a panel differ on something", "flag"
    yield marks.plea, "words of the trace that seem to address the judge", "flag"
    yield marks.hasty, "signed off within a second of being opened", "flag"


# -- the first time ---------------------------------------------------------------------------


MANUAL = "manual"
"""The key of the row that opens the manual."""
TITLES = ("What you need here", "Words, keys and marks")
TURNS = ("{help.turn:Tab}: all keys", "{help.turn:Tab}: what you need here")
DOWN = "{lines.down:j}"
UP = "{lines.up:k}"
BEGINS = "type to filter; / first where that begins with {lines.down:j} or {lines.up:k}"


class HelpScreen(Picker):
    """The keys needed here; Tab turns to all of them, and what is typed is looked for in all.

    The first row tells which keys go from row to row, and here they do so, too, until `/` or any
    other letter begins a filter.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("tab", "turn", "keys needed here, or all", priority=True, id="help.turn"),
    ]

    def __init__(
        self, needed: Sequence[Choice], every: Sequence[Choice], topic: str, *, marks: Marks
    ) -> None:
        page = Choice(MANUAL, "manual", f"the page {topic}: Enter opens it", group="More")
        act = f"{DOWN} {UP} go · "
        if not all(one.is_help for one in every):
            act += "Enter does it · "
        self._turns = [act + text for text in TURNS]
        needed = _in_marks(needed, marks)
        every = _in_marks(every, marks)
        super().__init__(TITLES[0], [*needed, page], does=self._turns[0], marks=marks)
        self._needed, self._every = self._choices, searched([*every, page])
        self._whole = False
        self._topic = topic
        self._begins_filter = False

    def on_mount(self) -> None:
        self._line.placeholder = in_own_keys(BEGINS, self.app)
        super().on_mount()

    def _press(self, character: str | None, key: str) -> bool:
        """Goes from row to row; true where the key must not be typed."""
        if self.typed or self._begins_filter:
            return super()._press(character, key)
        steps = {in_own_keys(DOWN, self.app): 1, in_own_keys(UP, self.app): -1}
        if character == "/":
            self._begins_filter = True
            self._line.placeholder = FILTERS
            return True
        if character in steps:
            self.action_move(steps[character])
            return True
        return super()._press(character, key)

    async def show(self, app: App[Any]) -> None:
        """Shows it over another screen, and the page of the manual where that is picked."""
        if await self.open(app) == MANUAL:
            app.push_screen(ReadingScreen.of_manual(self._topic, self.marks))

    def action_turn(self) -> None:
        self._whole = not self._whole
        self._filter(self.typed)

    def _filter(self, typed: str) -> None:
        whole = self._whole or bool(typed.strip())
        self._choices = self._every if whole else self._needed
        self._numbered = self._number_width([one.choice for one in self._choices])
        self._does = self._turns[whole]
        self.query_one(".box--title", Static).update(plain(TITLES[whole]))
        super()._filter(typed)


def _in_marks(choices: Sequence[Choice], marks: Marks) -> list[Choice]:
    return [replace(one, text=spelt(one.text, marks)) for one in choices]


def listed(group: str, entries: Pairs, marks: Marks) -> list[Choice]:
    """Keys, marks or titles, and what each does or means, which `HelpScreen` spells."""
    return [entry(group, spelt(one, marks), what) for one, what in entries]


def show_help(
    screen: Screen[Any], shown: str, keys: Pairs, topic: str, marks: Marks, signs: Mapping[str, str]
) -> None:
    """Shows the help of a screen over the bench: first the keys that are `shown` and the marks in
    sight; `signs` are marks with a meaning of their own there.
    """
    every = listed(NEEDED, keys, marks)
    needed = []
    words = text_on(screen).split()
    for name in spelt(shown, marks).split():
        needed += [one for one in every if name in one.number.split() and one not in needed]
    every += listed(OF_CELLS, signs.items(), marks)
    every += [one for one in _of_marks(marks, KindPane) if one.number not in signs]
    alone = {*signs, *(mark for mark, _, _ in _warnings(marks))}.intersection(words)
    needed += [
        replace(one, group=IN_SIGHT) for one in every if one.number in alone and one.group != NEEDED
    ]
    begin(HelpScreen(needed, every, topic, marks=marks).show(screen.app))

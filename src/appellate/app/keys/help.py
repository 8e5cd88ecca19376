"""The help that `?` opens: the keys that are needed now, and behind Tab all words, keys and marks.

`needed_here` and `keys_help` make its rows for the review screen, `show_help` for other screens.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import tomli
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
from appellate.core.problem import KeyNames, with_keys
from appellate.traits.unread import NOT_SHOWN
from appellate.ui.contract import Choice
from appellate.ui.conversation import begin
from appellate.ui.key import Key, names_of
from appellate.ui.marks import Marks, spelt
from appellate.ui.own_keys import in_own_keys, own_names
from appellate.ui.pane import KindPane
from appellate.ui.picker import FILTERS, Picker, searched
from appellate.ui.prompt import Confirm, LinePrompt
from appellate.ui.text import plain
from appellate.ui.textual_compat import text_on

GLOSSARY = "Words"
BLIND = {"cell.sign": "lock your verdict"}
"""What keys do in a blind cell, by id, if that is different there."""
NEEDED = "Keys"
IN_SIGHT = "Marks in sight"
Pairs = Iterable[tuple[str, str]]
STEPS = ("lines.down", "lines.up")
OF_ITEMS = "Marks of items"
OF_CELLS = "Marks of cells"
OF_EVIDENCE = "Marks in the response"


def entry(
    group: str,
    keys: str,
    meaning: str,
    style: str = "",
    name: str = "",
) -> Choice:
    """Return a row of help: keys, or a mark in its style, and what they do or mean.

    It can only be read, not picked. `name` is the id of the key; "" for a mark or a word.
    """
    return Choice(name, keys, meaning, group=group, style=style or "key", is_help=True)


class HelpTopic(Struct, frozen=True):
    """A place on the screen that the help knows, such as the queue."""

    name: str
    what: str = ""
    """A sentence on what the place is for."""
    ids: tuple[str, ...] = ()
    """The beginnings of the ids of its keys."""
    marks: str = ""
    """The group of help that has its marks."""


PAGES = {
    "queue": "queries",
    "response": "reading",
    "material": "reading",
    "selecting": "correcting",
}
"""The page of the manual for each place; the page for the items depends on their kind."""


class HelpFile(Struct, frozen=True, forbid_unknown_fields=True):
    """The content of `help.toml`: texts on words, keys, places, classes and bindings."""

    words: dict[str, str]
    needed: dict[str, str]
    places: dict[str, HelpTopic]
    owners: dict[str, str]
    bindings: dict[str, str]


TEXTS = convert(
    tomli.loads(Path(__file__).with_name("help.toml").read_text("utf-8")),
    HelpFile,
)


# -- where one is -----------------------------------------------------------------------------


class Here(NamedTuple):
    """Where the focus is."""

    place: str = ""
    """The name of the place in `help.toml`; "" if it has none."""
    ids: frozenset[str] = frozenset()
    """The ids of the keys of the focused widget."""


NOWHERE = Here()


def focus_here(screen: Screen[Any]) -> Here:
    """Return where the focus is on a screen: the name of the place, and the keys' ids there.

    The place is that of the innermost widget that the help knows; "" if there is none.
    """
    ids = set()
    for active_binding in screen.active_bindings.values():
        if (
            active_binding.node not in (screen, screen.app)
            and active_binding.binding.id
        ):
            ids.add(active_binding.binding.id)
    place = ""
    for node in screen.focused.ancestors_with_self if screen.focused else ():
        place = place or _place_of(node, ids)
    return Here(place, frozenset(ids))


def _place_of(node: DOMNode, ids: Collection[str]) -> str:
    """Return the name of the place in `help.toml` that a widget is, or "".

    `ids` are those of the keys that are active: they tell whether words are being selected.
    """
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
    """Return the topic of a place in the help, or None if the help knows no such place.

    For the items it has what the pane says of itself, and its keys, first. While words are selected
    it has the pane's keys that take them first. Other places do not depend on the pane.
    """
    place = TEXTS.places.get(name)
    if place is None:
        return None
    if name == "items":
        ids = (*pane.NEAR, *place.ids)
        return replace(place, what=pane.ABOUT, ids=ids)
    if name == "selecting":
        ids = (*sorted(pane.TAKING), *place.ids)
        return replace(place, ids=ids)
    return place


# -- everything there is to know --------------------------------------------------------------


def keys_help(
    marks: Marks,
    keys: Sequence[Key],
    pane: type[KindPane],
    where: Here = NOWHERE,
    overrides: Mapping[str, str] | None = None,
) -> list[Choice]:
    """Return all rows of help: words, the keys and marks of this place, then all others by group.

    Without a known place, all are in their groups. `overrides` are the reviewer's own keys. Only a
    key of the review screen can be picked, and is pressed then.
    """
    glossary = {**TEXTS.words, **pane.WORDS}
    words = [entry(GLOSSARY, word, meaning) for word, meaning in glossary.items()]
    rows: list[Choice] = []
    for key in keys:
        is_help = key.id == "help"
        rows.append(
            Choice(key.id, key.shown, key.help, group=key.group, is_help=is_help),
        )
    rows += _of_widgets(keys, overrides or {})
    rows += _of_marks(marks, pane, names_of(keys))
    topic = _topic(where.place, pane)
    if topic is None:
        return [*words, *_in_groups(rows)]

    screen_keys: list[Choice] = []
    widget_keys: list[Choice] = []
    marks_here: list[Choice] = []
    elsewhere: list[Choice] = []
    for row in rows:
        if row.key in where.ids:
            widget_keys.append(row)
        elif row.key.startswith(topic.ids):
            screen_keys.append(row)
        elif row.group == topic.marks:
            marks_here.append(row)
        else:
            elsewhere.append(row)
    group = f"Here: {topic.name}"
    rows_here = [
        replace(row, group=group) for row in (*screen_keys, *widget_keys, *marks_here)
    ]
    return [*words, entry(group, "", topic.what), *rows_here, *_in_groups(elsewhere)]


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
    """Return rows for the most used keys at a cell, then for the marks that are visible.

    `in_sight` is the text on the screen. `verdicts` are the keys that rule on the cell, and what
    they do. `overrides` are the reviewer's own keys. Keys that do nothing here, or are on no key,
    are left out. `is_blind` has the key that signs off lock the verdict.
    """
    bound = bindings.by_id()
    steps = [
        shown_together(bound[key_id].under(overrides).keys[-1:]) for key_id in STEPS
    ]
    names = names_of(keys)
    rows = [entry(NEEDED, " ".join(steps), "the next row, the row above")]
    rows += listed(NEEDED, verdicts, marks)
    needed = TEXTS.needed | (BLIND if is_blind else {})
    for key_id, text in needed.items():
        if names.get(key_id):
            rows.append(Choice(key_id, names[key_id], text, group=NEEDED))
    rows += _marks_in_sight(marks, pane, in_sight, names)
    return rows


def _marks_in_sight(
    marks: Marks,
    pane: type[KindPane],
    in_sight: str,
    names: KeyNames,
) -> Iterator[Choice]:
    """Yield a row for each mark that the text on the screen, `in_sight`, has, and what it means.

    First come the marks of the pane, then warnings of cells, "not shown" marks and raised numbers.
    Marks that words could contain count only if they stand between blanks.
    """
    separate_words = in_sight.split()
    for mark, text, style in pane.marks_help(marks):
        is_word = mark.islower() and mark.replace(" ", "").isalpha()
        symbol = mark if is_word else mark.split()[0]
        if symbol in (separate_words if symbol == marks.doubt else in_sight):
            yield entry(IN_SIGHT, mark, text.partition(": ")[2] or text, style)
    for mark, text, style in _warnings(marks, names):
        if mark in separate_words:
            yield entry(IN_SIGHT, mark, text, style)
    if NOT_SHOWN in in_sight:
        yield entry(
            IN_SIGHT,
            NOT_SHOWN,
            "you can read it, and the judge got no word of it",
            "muted",
        )
    raised = "¹" if marks.raises else "^1"
    if raised in in_sight or "²" in in_sight:
        yield entry(
            IN_SIGHT,
            raised,
            "behind words: which item or sentence it is",
            "key",
        )


def page_of(where: Here, subject: Subject) -> str:
    """Return the name of the manual's page about the place with the focus, and the open cell.

    If the place has no page, it is that of conversations or of the kind.
    """
    page = PAGES.get(where.place)
    if page is not None:
        return page
    if subject.transcript is not None:
        return "conversations"
    return "correcting" if subject.kind.name == "metric" else "kinds"


def commands_to_pick(keys: Sequence[Key]) -> list[Choice]:
    """Return a row for each of these keys except `palette`, with its name, help and keys to press.

    The rows are in the order of their groups.
    """
    choices = []
    for key in keys:
        if key.id == "palette":
            continue
        label = key.label[:1].upper() + key.label[1:]
        pressed = key.shown if key.keys else ""
        text = f"{label}: {key.help}"
        choices.append(Choice(key.id, pressed, text, group=key.group))
    return _in_groups(choices)


def _of_widgets(bench: Sequence[Key], overrides: Mapping[str, str]) -> Iterator[Choice]:
    """Yield rows for the keys of all screens and widgets, except panes and those of `bench`.

    `bench` are the keys of the review screen, which have rows of their own.
    """
    known_ids = {key.id for key in bench}
    for bound in bindings.by_id().values():
        if bound.id in known_ids or issubclass(bound.owner, KindPane):
            continue
        name = bound.owner.__name__
        group = TEXTS.owners.get(name, name.removesuffix("Screen"))
        names = shown_together(bound.under(overrides).keys)
        yield entry(
            group,
            names,
            TEXTS.bindings.get(bound.id, bound.help),
            name=bound.id,
        )


def _in_groups(entries: Sequence[Choice]) -> list[Choice]:
    """Return the rows sorted by group, the groups in the order in which they first appear."""
    groups = list(dict.fromkeys(row.group for row in entries))
    return sorted(entries, key=lambda row: groups.index(row.group))


def _of_marks(
    marks: Marks,
    pane: type[KindPane],
    names: KeyNames,
) -> Iterator[Choice]:
    """Yield rows for the marks of items, which the pane explains, of cells, and of the response."""
    for mark, meaning, style in pane.marks_help(marks):
        yield entry(OF_ITEMS, mark, meaning, style)
    cells = (
        (marks.reviewed, "reviewed: signed off", "reviewed"),
        (marks.proposed, "proposed: judged, nobody has touched it", "proposed"),
        (marks.corrected, "corrected: edited, not signed off", "corrected"),
        (
            marks.failed,
            "failed: the judge gave no judgment; the cell says why",
            "failed",
        ),
        (marks.pending, "pending: not judged yet", "pending"),
        (marks.doubt, "something unverified or inconsistent", "flag"),
        *_warnings(marks, names),
        ("0/0", "undefined: nothing to count, left out of means", ""),
    )
    for mark, meaning, style in cells:
        yield entry(OF_CELLS, mark, meaning, style)
    raised = "¹ ⁻¹" if marks.raises else "^1 ^-1"
    buckets = f"{marks.tp} {marks.fn} {marks.fp} {marks.tn}"
    plea = (
        "behind words: they seem to address the judge, who is asked not to follow them"
    )
    evidence = (
        (raised, "behind words: the instruction that they answer, TP 1 or TN 1", "key"),
        (buckets, "before words: the bucket that their item is in", ""),
        (marks.plea, plea, "failed"),
    )
    for mark, meaning, style in evidence:
        yield entry(OF_EVIDENCE, mark, meaning, style)


def _warnings(marks: Marks, names: KeyNames) -> Iterator[tuple[str, str, str]]:
    """Yield the marks of cells besides their state: mark, meaning and style.

    `names` has what the reviewer calls the keys, by their ids.
    """
    shows = with_keys(": {cell.comments:C} shows what", names)
    yield marks.flag, "flagged, to come back to", "flag"
    yield marks.bookmark, "bookmarked by you", "flag"
    yield marks.comment, f"somebody commented on it{shows}", "flag"
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
    """The list of needed keys; Tab shows all rows, and typing searches all of them.

    The keys of lists go from row to row here too, until `/` or any other letter begins a filter.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "tab",
            "turn",
            "keys needed here, or all",
            priority=True,
            id="help.turn",
        ),
    ]

    def __init__(
        self,
        needed: Sequence[Choice],
        all_rows: Sequence[Choice],
        topic: str,
        *,
        marks: Marks,
    ) -> None:
        """Show the `needed` rows first. `topic` is the page of the manual that can be opened."""
        page = Choice(
            MANUAL,
            "manual",
            f"the page {topic}: Enter opens it",
            group="More",
        )
        act = f"{DOWN} {UP} go · "
        if not all(row.is_help for row in all_rows):
            act += "Enter does it · "
        self._turns = [act + text for text in TURNS]
        needed = _in_marks(needed, marks)
        all_rows = _in_marks(all_rows, marks)
        super().__init__(TITLES[0], [*needed, page], does=self._turns[0], marks=marks)
        self._needed_rows = self._choices
        self._all_rows = searched([*all_rows, page])
        self._shows_all = False
        self._topic = topic
        self._begins_filter = False
        """Whether `/` was pressed, so that the next letter is typed."""

    def on_mount(self) -> None:
        self._line.placeholder = in_own_keys(BEGINS, self.app)
        super().on_mount()

    def _pick_by_key(self, character: str | None, key: str) -> bool:
        """Handle a key; return True if it is not to be typed into the filter.

        Until a filter begins, the keys of lists go from row to row, and `/` begins it. Any other
        letter begins it too, and is typed: that returns False. After that all is typed.
        """
        if self.typed or self._begins_filter:
            return super()._pick_by_key(character, key)
        steps = {in_own_keys(DOWN, self.app): 1, in_own_keys(UP, self.app): -1}
        if character == "/":
            self._begins_filter = True
            self._line.placeholder = FILTERS
            return True
        if character in steps:
            self.action_move(steps[character])
            return True
        return super()._pick_by_key(character, key)

    async def show(self, app: App[Any]) -> None:
        """Open the help over another screen, and then the page of the manual if that is picked."""
        if await self.open(app) == MANUAL:
            app.push_screen(ReadingScreen.of_manual(self._topic, self.marks))

    def action_turn(self) -> None:
        self._shows_all = not self._shows_all
        self._filter(self.typed)

    def _filter(self, typed: str) -> None:
        """Show the rows that fit what is typed: of all rows, or of those that are needed here.

        The latter only while nothing is typed and Tab has not turned the list. The title and the
        line of keys say which.
        """
        is_searching = bool(typed.strip())
        shows_all = self._shows_all or is_searching
        self._choices = self._all_rows if shows_all else self._needed_rows
        choices = [row.choice for row in self._choices]
        self._numbered = self._number_width(choices)
        self._does = self._turns[shows_all]
        title = self.query_one(".box--title", Static)
        title.update(plain(TITLES[shows_all]))
        super()._filter(typed)


def _in_marks(choices: Sequence[Choice], marks: Marks) -> list[Choice]:
    """Return the rows with their texts in the characters of these marks."""
    return [replace(row, text=spelt(row.text, marks)) for row in choices]


def listed(group: str, entries: Pairs, marks: Marks) -> list[Choice]:
    """Return a row for each pair of keys, a mark or a title, and what it does or means.

    The rows can only be read, not picked.
    """
    return [entry(group, spelt(name, marks), meaning) for name, meaning in entries]


def show_help(
    screen: Screen[Any],
    shown: str,
    keys: Pairs,
    topic: str,
    marks: Marks,
    signs: Mapping[str, str],
) -> None:
    """Open the help of a screen other than the review screen, and return at once.

    `shown` are the names of the keys in its strip, which come first, before the visible marks.
    `keys` are all its keys and what they do. `topic` is its page of the manual. `signs` are the
    marks that have a meaning of their own there.
    """
    all_rows = listed(NEEDED, keys, marks)
    needed: list[Choice] = []
    for name in spelt(shown, marks).split():
        for row in all_rows:
            if name in row.number.split() and row not in needed:
                needed.append(row)
    all_rows += listed(OF_CELLS, signs.items(), marks)
    names = own_names(screen.app)
    for row in _of_marks(marks, KindPane, names):
        if row.number not in signs:
            all_rows.append(row)

    explained_marks = {*signs, *(mark for mark, _, _ in _warnings(marks, names))}
    visible_marks = explained_marks.intersection(text_on(screen).split())
    for row in all_rows:
        if row.number in visible_marks and row.group != NEEDED:
            needed.append(replace(row, group=IN_SIGHT))
    begin(HelpScreen(needed, all_rows, topic, marks=marks).show(screen.app))

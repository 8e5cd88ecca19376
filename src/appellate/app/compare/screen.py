"""The one screen on which label sets are compared: a line that says what is compared, rows under a
cursor beside what they rest on, a line that says what became of a key, a strip.

What is compared is a `Comparison`: it gives plain values, which the screen draws, and does what its
keys say.

| comparison     | label sets                     | rows                  | beside them          |
|----------------|--------------------------------|-----------------------|----------------------|
| by instruction | the labels now                 | cells that are asked  | response, reason     |
| side by side   | those of two cells             | instructions          | both responses       |
| ruling         | those of two reviewers         | where they differ     | response             |
| reveal         | verdict, the judge's, now      | questions             | measures of each     |
| proposals      | now, of judges, of panels      | the label sets        | response, their pane |
"""

from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from inspect import isawaitable
from itertools import groupby
from operator import attrgetter
from time import perf_counter
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from msgspec import Struct
from msgspec.structs import replace
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container
from textual.events import Key as KeyPressed
from textual.events import Resize
from textual.geometry import Size
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Static

from appellate.app.keys.help import show_help
from appellate.core.cell import Cell
from appellate.core.kind import (
    CANNOT_TELL,
    Figures,
    Grounds,
    Instruction,
    Measure,
    Subject,
    read_name,
)
from appellate.core.messages import PromptTurns, asked, turns_of
from appellate.core.problem import Refused, wording
from appellate.judging.choice import configured_prompts
from appellate.session.acts import Acts
from appellate.session.workbench import Change, Workbench
from appellate.store.database import NotKept
from appellate.traits.unread import prompts_over, said_of_newest, unread_in
from appellate.ui.bar import KeyStrip, Part, StatusStrip
from appellate.ui.commands import KEYS
from appellate.ui.contract import (
    NO_REASON,
    READS_ONLY,
    WHY,
    Choice,
    is_reason,
    reason_choices,
)
from appellate.ui.conversation import begin
from appellate.ui.grouped_rows import fitting
from appellate.ui.key import (
    Act,
    Hint,
    Key,
    OwnAct,
    Strip,
    as_remapped,
    in_group,
    in_persons_keys,
)
from appellate.ui.lines import Lines, ListSection
from appellate.ui.marks import Marks, in_quotes, spelt
from appellate.ui.measures import number
from appellate.ui.overlay import Overlay
from appellate.ui.own_keys import in_own_keys, own_names
from appellate.ui.page import StyledSpan
from appellate.ui.picker import Picker
from appellate.ui.row_layout import Cursor
from appellate.ui.rows import StyledText
from appellate.ui.selecting import Stretch
from appellate.ui.text import column, entitle, flat, plain, update_text
from appellate.ui.text_view import TextView
from appellate.ui.textual_compat import later

if TYPE_CHECKING:
    from appellate.core.transcript import Transcript

WORD = 10  # cells of an answer and its mark
NARROW = 76  # the columns for two responses beside each other; below, the active one is alone
EDGES = 2  # lines of a frame, and of all rows with it
FEWEST = 5
SLICE = 0.008  # seconds of what takes long at once, and between
PAUSE = 0.004


def bindings(keys: Iterable[Key]) -> list[BindingType]:
    """Return the keys of a comparison as Textual knows them, without those of other widgets.

    Keys of other widgets are those without an act. A binding is described by the help of the key up
    to its first semicolon.
    """
    bindings_of_keys: list[BindingType] = []
    for key in keys:
        if key.does is not None:
            brief, _, _ = key.help.partition("; ")
            bindings_of_keys.append(Binding(key.keys, key.action, brief, id=key.id))
    return bindings_of_keys


def of_bench(
    key_id: str,
    does: Act,
    label: str = "",
    text: str = "",
    strip: Strip | None = None,
) -> Key:
    """Return a copy of a key of the review screen that does something else on a comparing screen.

    `does` is what it does there, and `label` what the strip calls it. `text` says what it does, if
    the help of the review screen does not say that already. `strip` is its place in the strip; None
    for none. Raises StopIteration if no key has the id.
    """
    key = next(key for key in KEYS if key.id == key_id)
    return replace(key, does=does, label=label, help=text or key.help, strip=strip)


def together(description: str, *keys: Key) -> tuple[Key, ...]:
    """Return copies of keys that are one line of the help, with one `description` for all.

    A key without help of its own gets that text as its help.
    """
    return in_group(
        description,
        *(replace(key, help=key.help or description) for key in keys),
    )


# -- what is compared ------------------------------------------------------------------------------


class ShownRows(NamedTuple):
    """The rows of a comparison, and the texts around them."""

    sections: Sequence[ListSection]
    left: Sequence[Part]
    """The left end of the line above everything."""
    right: Sequence[Part] = ()
    """The right end of that line."""
    title: str = ""
    """The title in the frame of the rows."""
    subtitle: str = ""


class ShownText(NamedTuple):
    """A response or a conversation on a comparing screen."""

    text: str
    spans: Sequence[StyledSpan] = ()
    """What is marked in it."""
    revealed: Stretch | None = None
    """What it is scrolled to; None to leave it where it is."""
    title: str = ""
    subtitle: str = ""
    is_active: bool = False
    transcript: "Transcript | None" = None
    """The steps of a conversation; None of a response."""


class Beside(NamedTuple):
    """What is shown next to the rows: the texts that the row under the cursor is based on."""

    prompt: str = ""
    texts: Sequence[ShownText] = ()
    note: str = ""


class Leave(NamedTuple):
    """The outcome of a key that closes the screen."""

    to: Any = None
    """The result with which the screen closes."""


Outcome = str | Leave | Iterator[str]
"""What a key comes to: a sentence to say, "" for none; what is done a bit at a time says meanwhile
how far it is.
"""


class CompareContext(Struct, frozen=True):
    """What a comparing screen needs of the review screen below it."""

    bench: Workbench
    acts: Acts
    marks: Marks
    keys: Sequence[Key]
    """The keys of the review screen."""
    reasons: Sequence[str]
    """The reviewer's usual reasons."""
    cell_no: int
    """The number of the cell that was open when the screen was opened."""
    said: str
    """The sentence that was shown instead of the keys at that time."""
    renders_markdown: bool
    pressed: Callable[[str, float], object]
    """Notes that a key was pressed, and its time in seconds."""
    arrived: Callable[[Message], float]
    """Returns the time in seconds at which a message arrived."""
    with_own_keys: Callable[[str], str]
    """Returns a sentence with the keys in it as the reviewer has them."""

    @property
    def cell(self) -> Cell:
        """The cell that was open when the screen was opened, without what is hidden of it."""
        return self.bench.open(self.cell_no)[1]


class Comparison:
    """The content of a comparing screen, and the acts of its keys.

    An act is a method that returns an `Outcome`, or a coroutine that does; it may raise Refused or
    NotKept. The screen sets `pick`, which asks for a choice, and `width`, the columns of a row.
    """

    NAME: ClassVar[str]
    """What the strip calls it."""
    PAGE: ClassVar[str] = "comparing"
    """The page of the manual about it."""
    pick: Callable[..., Awaitable[str]]
    width: Callable[[], int]

    def __init__(self, context: CompareContext) -> None:
        """Begin on the first row, with nothing to say and no keys that give answers."""
        self.context = context
        self.bench = context.bench
        self.marks = context.marks
        self.cursor = Cursor(0, 0)
        self.greeting = ""
        """The sentence to say when the screen opens."""
        self.answer_keys: Mapping[str, str] = {}
        """The answers that keys of the bench give here, by the ids of the keys."""

    def rows(self) -> ShownRows:
        """Return all rows in their current state."""
        raise NotImplementedError

    def beside(self) -> Beside:
        """Return what is shown next to the rows for the row under the cursor."""
        return Beside()

    def strip(self, keys: Sequence[Key]) -> Sequence[Key]:
        """Return those of the screen's keys that the strip may show as things are."""
        return keys

    def signs(self) -> dict[str, str]:
        """Return the marks on the screen that have a meaning of their own here, by mark."""
        return {}

    def changed(self, change: Change) -> bool:  # noqa: ARG002 - for those that show it
        """Note a change of a cell; return whether the rows must be drawn again.

        Here nothing is noted, and it returns False.
        """
        return False

    def sayable(self) -> Mapping[str, str]:
        """Return the answers that the row under the cursor can be given, with their words."""
        return {}

    def answer(self, answer: str) -> Outcome:
        """Give an answer to the row under the cursor, one of `sayable`."""
        raise NotImplementedError

    def open(self) -> Outcome | Awaitable[Any]:
        """Do what Enter does on the row under the cursor."""
        raise NotImplementedError

    def leave(self) -> Outcome:
        """Close the screen without a result."""
        return Leave()

    def may_change(self) -> None:
        """Raise Refused in a session that only reads."""
        if self.bench.readonly:
            raise Refused(READS_ONLY)

    async def pick_reason(self) -> str:
        """Ask for a usual reason or one in the reviewer's words; return it, or "" for none.

        Raises Left if the reviewer leaves the question.
        """
        choices = [NO_REASON, *reason_choices(self.context.reasons)]
        return await self.pick(WHY, choices, free=is_reason)


# -- the screen ------------------------------------------------------------------------------------


class ComparingScreen(Overlay[Any]):
    """A screen over the review screen that shows a `Comparison`.

    Each comparison has a subclass with its keys and widgets.
    """

    DEFAULT_CSS = """
    ComparingScreen {
        background: $background;
        #counts { background: $panel; }
        #prompt { height: auto; padding: 0 1; text-overflow: ellipsis; color: $text-muted; }
        #across { height: 1fr; }
        #rows, #response, #one, #other, #evidence, #pane {
            border: round $border-blurred; border-title-color: $muted;
            border-subtitle-color: $muted; height: 100%;
        }
        #rows { padding: 0 1; }
        #rows:focus { border: round $primary; }
        #response, #one, #other, #evidence { padding: 0 0 0 1; }
        #said { height: auto; max-height: 4; padding: 0 1; background: $boost; display: none; }
    }
    """
    AUTO_FOCUS = "#rows"
    KEYS: ClassVar[tuple[Key, ...]]
    """Its own keys, and without an act those of the widgets on it; BINDINGS are `bindings(KEYS)`.

    `OwnAct`s call the screen, other acts the comparison. Keys of one group are one line of the
    help, the name of the group (`together`). Keys of one place are together in the strip.
    """
    OF_BENCH: ClassVar[tuple[Key, ...]] = ()
    """The keys of the bench that do something here, as the person has them (`of_bench`)."""
    ANSWER: ClassVar[Key | None] = None
    """What the keys of answers do, with {} for the answer, and where the strip has them."""
    WIDE: ClassVar[int] = 100
    """Columns from which the screen has the class `-wide`."""
    TALL: ClassVar[int] = 30
    """Rows from which the screen has the class `-tall`."""
    PROMPT: ClassVar[int] = 0
    """Lines to which the prompt is cut; 0 for all of it."""
    NOTE: ClassVar[int] = 0
    """Lines to which the note is cut; 0 for all of it."""
    BELOW: ClassVar[bool] = False
    """Whether the rows are below the responses, or next to them if wide.

    Such responses are drawn after the first layout, so that long texts are wrapped only once.
    """

    def __init__(self, context: CompareContext, comparison: Comparison) -> None:
        """Make the widgets that show `comparison`, and let it ask questions on this screen.

        It is given `pick`, which asks, and `width`, which returns the columns of a row.
        """
        super().__init__()
        self.context = context
        self.comparison = comparison
        self.marks = context.marks
        self.counts = StatusStrip(marks=context.marks, id="counts")
        self.prompt = Static(id="prompt", markup=False)
        self.across = Container(id="across")
        self.lines = Lines(marks=context.marks, id="rows")
        self.texts: Sequence[TextView] = ()
        self.note = Static(id="note", markup=False)
        self.message = Static(id="said", markup=False)
        self.strip = KeyStrip(marks=context.marks, id="keys")
        self._sections: Sequence[ListSection] = ()
        self._beside: Beside | None = None
        self._is_behind = False
        self._shared_rows = ""
        self._steps: Iterator[str] | None = None
        """The latest iterator that was the outcome of a key; None before the first."""
        comparison.pick = self._pick
        comparison.width = lambda: self.lines.scrollable_content_region.width
        self._of_bench = {key.id: key for key in self.OF_BENCH}

    def compose(self) -> ComposeResult:
        """Yield the widgets of the screen: counts, prompt, rows and texts, message, strip of keys.

        Rows that are below the texts are shown at once, since the lines are shared by what they
        need.
        """
        self._classify(self.app.size)
        yield self.counts
        yield self.prompt
        with self.across:
            yield from self.parts()
            if self.BELOW:
                # by which the room is shared out
                self.lines.show(*self.comparison.rows().sections)
                self.fit(self.app.size)
        yield self.message
        yield self.strip

    def parts(self) -> Iterable[Widget]:
        """Yield the widgets of the rows and of the texts next to them."""
        raise NotImplementedError

    def on_mount(self) -> None:
        """Follow changes of cells, and draw the comparison with its greeting.

        If the rows are below the texts, that is done after the first layout.
        """
        self.context.bench.listeners.append(self._changed)
        if self.BELOW:
            self.call_after_refresh(self._begin)
        else:
            self._begin()

    def on_unmount(self) -> None:
        self.context.bench.remove_listener(self._changed)

    def _begin(self) -> None:
        self.draw()
        self.say(self.comparison.greeting)

    def on_resize(self, event: Resize) -> None:
        """Set the classes for the new size, share the lines again, and show the texts for it.

        The texts are shown only once they have been drawn before.
        """
        self._classify(event.size)
        self.fit(event.size)
        if self._beside is not None:
            self.look()

    def _classify(self, size: Size) -> None:
        """Set the classes of CSS for this size of the terminal: -wide, -tall and -narrow.

        In plain mode no screen is wide.
        """
        is_plain = self.app.has_class("-plain")
        is_wide = size.width >= self.WIDE and not is_plain
        is_tall = size.height >= self.TALL
        is_narrow = size.width < NARROW
        self.set_class(is_wide, "-wide")
        self.set_class(is_tall, "-tall")
        self.set_class(is_narrow, "-narrow")

    def fit(self, size: Size) -> None:
        """Share the lines of the screen between responses and the rows below them.

        The rows get as many lines as they need, but at most half of all, or what the responses
        leave if that is more. They get at least `FEWEST`. On a wide screen, and for comparisons
        whose rows are not below, nothing is shared.
        """
        if not self.BELOW:
            return
        rows = "1fr"
        most = size.height // 2
        if self._beside is not None:
            text_rows = max(text.virtual_size.height for text in self.texts) + EDGES
            most = max(most, self.across.size.height - max(text_rows, FEWEST))
        if not self.has_class("-wide"):
            rows = f"1fr {max(min(self.lines.height_uncut + EDGES, most), FEWEST)}"
        if rows != self._shared_rows:
            self._shared_rows = rows
            self.across.styles.grid_rows = rows
            if self._beside is not None:
                # less may be in sight
                self.across.call_after_refresh(self.look, again=True)

    # -- drawing ----------------------------------------------------------------------------------

    def draw(self) -> None:
        """Draw the rows in their current state, with the lines around them, and the texts.

        A cursor that the comparison has moved is followed, and put on a row that exists. The lines
        that rows take are only worked out again for another list of rows, or if a row may take
        several.
        """
        self._is_behind = False
        rows = self.comparison.rows()
        if rows.sections is self._sections and not rows.sections[0].whole:
            self.lines.refresh()
        else:
            self._sections = rows.sections
            self.lines.show(*rows.sections)
        if self.comparison.cursor != self.lines.cursor:
            self.lines.go(*self.comparison.cursor)
        self.comparison.cursor = self.lines.cursor
        self.counts.show(rows.left, rows.right)
        entitle(
            self.lines,
            spelt(rows.title, self.marks),
            spelt(rows.subtitle, self.marks),
        )
        self.look()
        self.fit(self.size)

    def look(self, *, again: bool = False) -> None:
        """Show prompt, note, keys and titles for the row under the cursor, and the texts.

        Texts that are marked and scrolled as they were are left as they are, unless `again` is set.
        """
        beside = self.comparison.beside()
        self._write(self.prompt, beside.prompt, self.PROMPT)
        self._write(self.note, beside.note, self.NOTE)
        names = own_names(self.app)
        self.strip.show(as_remapped(self._hints(), names), self.comparison.NAME)
        for view, shown_text in zip(self.texts, beside.texts, strict=True):
            view.set_class(shown_text.is_active, "-active")
            self.entitle(view, shown_text)
        if beside == self._beside and not again:
            return
        self._beside = beside
        for view, shown_text in zip(self.texts, beside.texts, strict=True):
            view.empty = "The response is empty."  # before it is blank
            view.set_rendered(self.context.renders_markdown)
            steps = shown_text.transcript.steps if shown_text.transcript else ()
            view.show(shown_text.text, shown_text.spans, steps)
            if shown_text.revealed:
                view.reveal(*shown_text.revealed)

    def _write(self, line: Static, text: str, most: int) -> None:
        """Show a text in a line, cut to `most` lines of the screen's width; hide the line for "".

        With `most` 0 the text is not cut.
        """
        content = plain(text)
        if most:
            content = fitting(content, max(self.size.width - 4, 20), most)
        update_text(line, content)
        line.display = bool(text)

    def entitle(self, view: TextView, shown_text: ShownText) -> None:
        """Write the title into the frame of a response; nothing by default."""

    @on(Lines.Highlighted, "#rows")
    def _moved(self) -> None:
        self.comparison.cursor = self.lines.cursor
        self.look()

    def _changed(self, change: Change) -> None:
        """Tell the comparison of a change of a cell; if its rows are other now, draw them soon.

        Changes that come together are drawn once.
        """
        if self.comparison.changed(change) and not self._is_behind:
            self._is_behind = True
            self.call_next(self._catch_up)

    def _catch_up(self) -> None:
        if self._is_behind:
            self.draw()

    def say(self, text: str) -> None:
        """Show a sentence instead of the keys until the next key; "" shows the keys again.

        Keys are written in it as `{id:usual key}`, and shown as the reviewer has them.
        """
        text = in_own_keys(text, self.app)
        update_text(self.message, plain(spelt(text, self.marks)))
        self.message.display = bool(text)
        self.strip.display = not text

    # -- keys -------------------------------------------------------------------------------------

    def on_key(self, event: KeyPressed) -> None:
        self.press(event)

    def press(self, event: KeyPressed) -> None:
        """Handle a key: clear the message, and do what a key of the review screen does here.

        A key that gives an answer goes before all others; if it gives several, the last is taken.
        Keys without a meaning here are left to the bindings, and the event is not stopped then.
        Each key is noted for the review screen, with its time, as the latest one.
        """
        self.context.pressed(event.key, self.context.arrived(event))
        self.say("")
        pressed = [
            key.id for key in self.context.keys if event.key in key.keys.split(",")
        ]
        keys = self.comparison.answer_keys
        answers = [keys[name] for name in pressed if name in keys]
        shared = [self._of_bench[name] for name in pressed if name in self._of_bench]
        if not answers and not shared:
            return
        event.stop()
        event.prevent_default()
        if answers:
            self.do(partial(self.comparison.answer, answers[-1]))
        else:
            self._act(shared[0])

    def action_act(self, key_id: str) -> None:
        """Do what the key of an id does, one of the comparison's own.

        Raises StopIteration for any other id.
        """
        self._act(next(key for key in self.KEYS if key.id == key_id))

    def _act(self, key: Key) -> None:
        """Do what a key does: an act of the screen itself, or one of the comparison.

        A key without an act does nothing.
        """
        if isinstance(key.does, OwnAct):
            key.does.on(self)
        elif key.does is not None:
            self.do(partial(key.does.on, self.comparison))

    def do(self, act: Callable[[], Outcome | Awaitable[Any]]) -> None:
        """Do something with the comparison, and show its outcome, or why it was refused.

        If it asks questions, it goes on when they are answered, after this call. If the reviewer
        leaves a question, nothing more is done or shown.
        """
        begin(self._outcome(act))

    async def _outcome(self, act: Callable[[], Outcome | Awaitable[Any]]) -> None:
        """Await the outcome of an act, perhaps after questions, and show it.

        Refused and NotKept are shown as sentences; other exceptions go on.
        """
        try:
            outcome = act()
            while isawaitable(outcome):
                outcome = await outcome
        except (Refused, NotKept) as refusal:
            outcome = wording(refusal)
        self.finish(outcome)

    def finish(self, outcome: Outcome) -> None:
        """Show the outcome of a key: close the screen, or draw it and say the sentence.

        An iterator is worked through in slices of `SLICE` seconds, and the texts that it yields are
        said between them. When it ends, the rows are drawn, and nothing is said. It does not go on
        once another iterator is the outcome of a key.
        """
        if isinstance(outcome, Leave):
            self.dismiss(outcome.to)
        elif isinstance(outcome, str):
            self.draw()
            self.say(outcome)
        else:
            self._steps = outcome
            self._work_on(outcome)

    def _work_on(self, steps: Iterator[str]) -> None:
        """Advance `steps` for `SLICE` seconds, say the text it came to, and go on after `PAUSE`.

        When the steps end, the screen is drawn and the text is cleared. Nothing happens if another
        iterator has become the outcome of a key since then.
        """
        if steps is not self._steps:
            return
        until = perf_counter() + SLICE
        for text in steps:
            if perf_counter() > until:
                self.say(text)
                later(PAUSE, self, partial(self._work_on, steps))
                return
        self.draw()
        self.say("")

    async def _pick(self, title: str, choices: Sequence[Choice], **more: Any) -> str:
        picker = Picker(title, choices, marks=self.marks, **more)
        return await picker.picked(self.app)

    @on(Lines.Chosen, "#rows")
    def _chosen(self) -> None:
        self.open_row()

    def open_row(self) -> None:
        """Do what Enter does on a row."""
        self.do(self.comparison.open)

    def scroll_texts(self, by: int) -> None:
        """Scroll the responses a page on, or back for -1."""
        for text in self.texts:
            text.action_roll_page(by)

    def key_of(self, name: str) -> str:
        """Return the reviewer's key for a key's id, as Textual names it, such as "full_stop".

        It is the first of several, and "" if the id is on no key. Ids of the review screen are
        looked up in its keys, others among the keys that act on this screen now.
        """
        for key in self.context.keys:
            if key.id == name:
                return key.keys.split(",")[0]
        return super().key_of(name)

    # -- the strip, the help ----------------------------------------------------------------------

    def _words(self) -> Mapping[str, str]:
        """Return the words of the answers that can be given here, by the ids of their keys."""
        words = self.comparison.sayable()
        keys = self.comparison.answer_keys
        return {key: words[answer] for key, answer in keys.items() if answer in words}

    def _hints(self) -> Iterator[Hint]:
        """Yield the keys for the strip in the order of their places, a hint for each place.

        The screen's own keys are written as `{id:usual key}`, for `as_remapped`. The place of
        answers has a hint for each answer in words that can be given, with its first key. Places
        whose first key is on no key are left out.
        """
        key_texts = {key.id: key.shown for key in self.context.keys if key.keys}
        for key in self.KEYS:
            key_texts[key.id] = f"{{{key.id}:{key.shown}}}"

        keys = [*self.KEYS, *self.OF_BENCH]
        if self.ANSWER is not None:
            keys.append(self.ANSWER)
        keys_by_place: defaultdict[Strip, list[Key]] = defaultdict(list)
        for key in self.comparison.strip(keys):
            if key.strip is not None:
                keys_by_place[key.strip].append(key)

        for strip in sorted(keys_by_place, key=attrgetter("place")):
            keys = keys_by_place[strip]
            first = keys[0]
            if first is self.ANSWER:
                words_with_key: set[str] = set()
                for name, word in self._words().items():
                    if word not in words_with_key and name in key_texts:
                        yield Hint(key_texts[name], word, name, strip.stays)
                    words_with_key.add(word)
            elif first.id in key_texts:
                text = " ".join(key_texts[key.id] for key in keys)
                yield Hint(text, first.label, first.id, strip.stays)

    def show_help(self) -> None:
        """Show the keys and the marks of this screen."""
        comparison = self.comparison
        show_help(
            self,
            self.strip.names,
            self._help(),
            comparison.PAGE,
            self.marks,
            comparison.signs(),
        )

    def _help(self) -> Iterator[tuple[str, str]]:
        """Yield each key and what it does, as the reviewer has it.

        First come keys that give an answer now, then those of this screen, then those of the review
        screen that do something here.
        """
        words = self._words()
        answer = self.ANSWER
        for key in self.context.keys:
            if key.id in words and answer is not None:
                yield key.shown, answer.help.format(words[key.id])
        yield from in_persons_keys(self._rows_of_help(), own_names(self.app))
        for key in self.context.keys:
            if key.id in self._of_bench and key.id not in words:
                yield key.shown, self._of_bench[key.id].help

    def _rows_of_help(self) -> Iterator[tuple[str, str]]:
        """Yield the screen's own keys and what they do; neighbours of one group are one row.

        Keys are written as `{id:usual key}`, with blanks between, for `in_persons_keys`. What a
        group does is its name. The key for the help itself is left out.
        """

        def group_or_help(key: Key) -> str:
            return key.group or key.help

        keys = [key for key in self.KEYS if key.does is not HELP]
        for what, keys_of_row in groupby(keys, group_or_help):
            texts = [f"{{{key.id}:{key.shown}}}" for key in keys_of_row]
            yield " ".join(texts), what


HELP = OwnAct(ComparingScreen.show_help)
"""The act of the key for the help, on every screen that compares."""


def help_key(key_id: str, strip: Strip) -> Key:
    """Return the key for the keys and marks of a screen, which its help itself leaves out."""
    return Key(key_id, "question_mark,f1", "keys", "keys", HELP, shown="?", strip=strip)


# -- what rows are drawn of ------------------------------------------------------------------------


def prompt_in(bench: Workbench, cell: Cell) -> tuple[PromptTurns | None, str]:
    """Return the prompt that the response of a cell answers, and the text of its newest turn.

    If the judge was not shown that turn, a note on it comes before the text, or alone if there is
    no text. Returns None and "" if no question was recorded.
    """
    rubric = bench.workspace.rubric
    trace = rubric.asked(cell.subject.asked)
    turns = turns_of(trace, trace.question)
    prompt = asked(turns)
    if prompt is None:
        return None, ""
    text = prompt.newest.text
    prompts = prompts_over(rubric.prompts, [configured_prompts()])
    unread = unread_in(cell, trace, turns, prompts)
    note = said_of_newest(turns, unread)
    if note and text:
        return prompt, f"{note}: {text}"
    return prompt, note or text


def answer_text(grounds: Grounds, marks: Marks) -> str:
    """Return the mark of the bucket that an answer falls into, if any, and the answer's word.

    For example "+ found".
    """
    mark = getattr(marks, grounds.style, "") if grounds.style else ""
    return f"{mark} {grounds.word}".strip()


def answer_column(grounds: Grounds, marks: Marks, width: int = WORD + 1) -> StyledText:
    """Return an answer with the mark of its bucket, cut or filled up to exactly `width` columns.

    It has the style of the answer, or that of keys if the answer has none.
    """
    return StyledText(
        column(answer_text(grounds, marks), width, marks),
        grounds.style or "key",
    )


def place_text(cell: Cell, instruction: Instruction) -> tuple[StyledText, ...]:
    """Return the list and the number of an instruction in one piece; empty if it is in no list.

    The list is as the kind of trait writes it. The piece is muted and ends with a blank.
    """
    of = instruction.of
    if not of:
        return ()
    list_name = cell.subject.kind.spelled.get(of, of)
    return (StyledText(f"{list_name} {instruction.number} ", "muted"),)


def borne_out(
    grounds: Grounds,
    subject: Subject,
    marks: Marks,
) -> tuple[StyledText, ...]:
    """Return a line on what an answer is based on, in pieces; empty if there is nothing.

    It is the first of these that exists: all excerpts from the judged text, parted by a dot and
    without quotes; the first excerpt that is not in that text, in quotes, after words that say so;
    "by omission" and the judge's reason, either alone or both. Line breaks in them become blanks.
    """
    if grounds.spans:
        words = [flat(subject.text[start:end]) for start, end in grounds.spans]
        return (StyledText(f" {marks.dot} ".join(words), grounds.style),)
    if grounds.loose:
        styled_text = StyledText(f"not in the {read_name(subject.trait)}: ", "flag")
        return (
            styled_text,
            StyledText(in_quotes(flat(grounds.loose[0]), marks), grounds.style),
        )
    reason = ""
    if grounds.reason:
        reason = f"judge: {flat(grounds.reason)}"
    if grounds.omission:
        sign = StyledText(f"{marks.omission} by omission", grounds.style)
        return (sign, StyledText(f" · {reason}", "muted")) if reason else (sign,)
    return (StyledText(reason, "muted"),) if reason else ()


def measured(measure: Measure, figures: Figures) -> str:
    """Return a measure of a cell as a row has it: its value in words, or else its number.

    That is "0/0" for an undefined one, or that it cannot be told.
    """
    if measure.name in figures.cannot_tell:
        return CANNOT_TELL
    if measure.name in figures.undefined:
        return "0/0"
    return figures.words.get(measure.word, "") or number(figures.values[measure.name])

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
from appellate.ui.contract import NO_REASON, READS_ONLY, WHY, Choice, is_reason, reason_choices
from appellate.ui.conversation import begin
from appellate.ui.grouped_rows import fitting
from appellate.ui.key import Act, Hint, Key, OwnAct, Strip, as_remapped, in_group, told
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
    """Return the keys of a comparison as Textual knows them, without those of other widgets."""
    found: list[BindingType] = []
    for key in keys:
        if key.does is not None:
            brief, _, _ = key.help.partition("; ")
            found.append(Binding(key.keys, key.action, brief, id=key.id))
    return found


def of_bench(
    key_id: str, does: Act, label: str = "", text: str = "", strip: Strip | None = None
) -> Key:
    """Return a key of the bench that does something else on a screen that compares.

    `label` is what the strip calls it and `text` says what it does there, if the help of the bench
    does not say that already.
    """
    key = next(key for key in KEYS if key.id == key_id)
    return replace(key, does=does, label=label, help=text or key.help, strip=strip)


def together(what: str, *keys: Key) -> tuple[Key, ...]:
    """Return keys that are one line of the help, which says `what` they do together.

    A key without help of its own is bound with that text.
    """
    return in_group(what, *(replace(key, help=key.help or what) for key in keys))


# -- what is compared ------------------------------------------------------------------------------


class ShownRows(NamedTuple):
    """The rows, what the line above all says at both ends, and what is in the frame of the rows."""

    sections: Sequence[ListSection]
    left: Sequence[Part]
    right: Sequence[Part] = ()
    title: str = ""
    subtitle: str = ""


class ShownText(NamedTuple):
    """A response or a conversation: what is marked in it, what is brought into sight, and what its
    frame says.
    """

    text: str
    spans: Sequence[StyledSpan] = ()
    revealed: Stretch | None = None
    title: str = ""
    subtitle: str = ""
    is_active: bool = False
    transcript: "Transcript | None" = None
    """The steps of a conversation; None of a response."""


class Beside(NamedTuple):
    """What the row under the cursor is about and rests on."""

    prompt: str = ""
    texts: Sequence[ShownText] = ()
    note: str = ""


class Leave(NamedTuple):
    """What a key comes to that closes the screen; `to` is what the screen gives."""

    to: Any = None


Outcome = str | Leave | Iterator[str]
"""What a key comes to: a sentence to say, "" for none; what is done a bit at a time says meanwhile
how far it is.
"""


class CompareContext(Struct, frozen=True):
    """What a screen that compares takes from the review screen that it lies over."""

    bench: Workbench
    acts: Acts
    marks: Marks
    keys: Sequence[Key]
    """The keys of the review screen."""
    reasons: Sequence[str]
    """The person's usual reasons."""
    cell_no: int
    """The cell that was in sight when the screen was opened."""
    said: str
    """The sentence that stood in the place of the keys then."""
    renders_markdown: bool
    pressed: Callable[[str, float], object]
    """Notes a key and its time."""
    arrived: Callable[[Message], float]
    """The time at which a key arrived, in seconds."""
    with_own_keys: Callable[[str], str]
    """Returns a sentence with the keys in it as the person has them."""

    @property
    def cell(self) -> Cell:
        """The cell that was in sight when the screen was opened, as people may see it."""
        return self.bench.open(self.cell_no)[1]


class Comparison:
    """What one of the screens compares, and what its keys do: methods that give an `Outcome`, at
    once or after a question, or raise Refused or NotKept.

    The screen gives it `pick`, which asks a person, and the `width` of the rows.
    """

    NAME: ClassVar[str]
    """What the strip calls it."""
    PAGE: ClassVar[str] = "comparing"
    """The page of the manual about it."""
    pick: Callable[..., Awaitable[str]]
    width: Callable[[], int]

    def __init__(self, context: CompareContext) -> None:
        self.context = context
        self.bench = context.bench
        self.marks = context.marks
        self.cursor = Cursor(0, 0)
        self.greeting = ""  # is said at first
        self.answer_keys: Mapping[str, str] = {}
        """The answers that keys of the bench give here, by the ids of the keys."""

    def rows(self) -> ShownRows:
        """All rows as they are now."""
        raise NotImplementedError

    def beside(self) -> Beside:
        """What is beside the row under the cursor."""
        return Beside()

    def strip(self, keys: Sequence[Key]) -> Sequence[Key]:
        """Return those of the screen's keys that the strip may show as things are."""
        return keys

    def signs(self) -> dict[str, str]:
        """What the marks in sight mean."""
        return {}

    def changed(self, change: Change) -> bool:  # noqa: ARG002 - for those that show it
        """Takes in what happened to a cell; whether that shows."""
        return False

    def sayable(self) -> Mapping[str, str]:
        """The answers that may be given to the row under the cursor, and what each is called."""
        return {}

    def answer(self, answer: str) -> Outcome:
        """Give an answer to the row under the cursor, one of `sayable`."""
        raise NotImplementedError

    def open(self) -> Outcome | Awaitable[Any]:
        """Do what Enter does on the row under the cursor."""
        raise NotImplementedError

    def leave(self) -> Outcome:
        return Leave()

    def may_change(self) -> None:
        """Raises Refused in a session that only reads."""
        if self.bench.readonly:
            raise Refused(READS_ONLY)

    async def pick_reason(self) -> str:
        """Has one of the usual reasons picked, beginning on none, or one typed."""
        choices = [NO_REASON, *reason_choices(self.context.reasons)]
        return await self.pick(WHY, choices, free=is_reason)


# -- the screen ------------------------------------------------------------------------------------


class ComparingScreen(Overlay[Any]):
    """A comparison over the bench. Each kind of one has a class with its keys, its parts and
    how these share the room; `WIDE` and `TALL` are where it has these classes. Prompt and note are
    cut to so many lines unless 0.
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
    TALL: ClassVar[int] = 30
    PROMPT: ClassVar[int] = 0
    NOTE: ClassVar[int] = 0
    BELOW: ClassVar[bool] = False
    """Whether the rows are below responses, and beside them where it is wide. These are drawn only
    once there is room: long texts are wrapped twice else.
    """

    def __init__(self, context: CompareContext, of: Comparison) -> None:
        super().__init__()
        self.context = context
        self.of = of
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
        of.pick = self._pick
        of.width = lambda: self.lines.scrollable_content_region.width
        self._of_bench = {key.id: key for key in self.OF_BENCH}

    def compose(self) -> ComposeResult:
        self._classify(self.app.size)
        yield self.counts
        yield self.prompt
        with self.across:
            yield from self.parts()
            if self.BELOW:
                self.lines.show(*self.of.rows().sections)  # by which the room is shared out
                self.fit(self.app.size)
        yield self.message
        yield self.strip

    def parts(self) -> Iterable[Widget]:
        """The rows and what they rest on."""
        raise NotImplementedError

    def on_mount(self) -> None:
        self.context.bench.listeners.append(self._changed)
        if self.BELOW:
            self.call_after_refresh(self._begin)
        else:
            self._begin()

    def on_unmount(self) -> None:
        self.context.bench.remove_listener(self._changed)

    def _begin(self) -> None:
        self.draw()
        self.say(self.of.greeting)

    def on_resize(self, event: Resize) -> None:
        self._classify(event.size)
        self.fit(event.size)
        if self._beside is not None:
            self.look()

    def _classify(self, size: Size) -> None:
        is_wide = size.width >= self.WIDE and not self.app.has_class("-plain")
        self.set_class(is_wide, "-wide")
        self.set_class(size.height >= self.TALL, "-tall")
        self.set_class(size.width < NARROW, "-narrow")

    def fit(self, size: Size) -> None:
        """Shares out the room there is: rows below responses have as many lines as they take, and
        at most half of all lines, or what the responses leave.
        """
        if not self.BELOW:
            return
        rows = "1fr"
        most = size.height // 2
        if self._beside is not None:
            taken = max(text.virtual_size.height for text in self.texts) + EDGES
            most = max(most, self.across.size.height - max(taken, FEWEST))
        if not self.has_class("-wide"):
            rows = f"1fr {max(min(self.lines.height_uncut + EDGES, most), FEWEST)}"
        if rows != self._shared_rows:
            self._shared_rows = rows
            self.across.styles.grid_rows = rows
            if self._beside is not None:
                self.across.call_after_refresh(self.look, again=True)  # less may be in sight

    # -- drawing ----------------------------------------------------------------------------------

    def draw(self) -> None:
        """Draws the rows as they are now, and what is beside them."""
        self._is_behind = False
        rows = self.of.rows()
        if rows.sections is self._sections and not rows.sections[0].whole:
            self.lines.refresh()
        else:
            self._sections = rows.sections
            self.lines.show(*rows.sections)
        if self.of.cursor != self.lines.cursor:
            self.lines.go(*self.of.cursor)
        self.of.cursor = self.lines.cursor
        self.counts.show(rows.left, rows.right)
        entitle(self.lines, spelt(rows.title, self.marks), spelt(rows.subtitle, self.marks))
        self.look()
        self.fit(self.size)

    def look(self, *, again: bool = False) -> None:
        """Shows what is beside the row under the cursor if it changed; `again`: in any case."""
        beside = self.of.beside()
        self._write(self.prompt, beside.prompt, self.PROMPT)
        self._write(self.note, beside.note, self.NOTE)
        names = own_names(self.app)
        self.strip.show(as_remapped(self._hints(), names), self.of.NAME)
        for view, shown in zip(self.texts, beside.texts, strict=True):
            view.set_class(shown.is_active, "-active")
            self.entitle(view, shown)
        if beside == self._beside and not again:
            return
        self._beside = beside
        for view, shown in zip(self.texts, beside.texts, strict=True):
            view.empty = "The response is empty."  # before it is blank
            view.set_rendered(self.context.renders_markdown)
            steps = shown.transcript.steps if shown.transcript else ()
            view.show(shown.text, shown.spans, steps)
            if shown.revealed:
                view.reveal(*shown.revealed)

    def _write(self, line: Static, text: str, most: int) -> None:
        content = plain(text)
        if most:
            content = fitting(content, max(self.size.width - 4, 20), most)
        update_text(line, content)
        line.display = bool(text)

    def entitle(self, view: TextView, shown: ShownText) -> None:
        """Puts into the frame of a response what that is."""

    @on(Lines.Highlighted, "#rows")
    def _moved(self) -> None:
        self.of.cursor = self.lines.cursor
        self.look()

    def _changed(self, change: Change) -> None:
        """Draws what happened to cells once for all that happen together."""
        if self.of.changed(change) and not self._is_behind:
            self._is_behind = True
            self.call_next(self._catch_up)

    def _catch_up(self) -> None:
        if self._is_behind:
            self.draw()

    def say(self, text: str) -> None:
        """A line in the place of the keys, until the next key; with the person's (`with_keys`)."""
        text = in_own_keys(text, self.app)
        update_text(self.message, plain(spelt(text, self.marks)))
        self.message.display = bool(text)
        self.strip.display = not text

    # -- keys -------------------------------------------------------------------------------------

    def on_key(self, event: KeyPressed) -> None:
        self.press(event)

    def press(self, event: KeyPressed) -> None:
        """What was said stays until the next key; the bench's own keys act as the person has them,
        those of answers before all others.
        """
        self.context.pressed(event.key, self.context.arrived(event))
        self.say("")
        pressed = [key.id for key in self.context.keys if event.key in key.keys.split(",")]
        keys = self.of.answer_keys
        answers = [keys[name] for name in pressed if name in keys]
        shared = [self._of_bench[name] for name in pressed if name in self._of_bench]
        if not answers and not shared:
            return
        event.stop()
        event.prevent_default()
        if answers:
            self.do(partial(self.of.answer, answers[-1]))
        else:
            self._act(shared[0])

    def action_act(self, key_id: str) -> None:
        """Do what the key of an id does, one of the comparison's own."""
        self._act(next(key for key in self.KEYS if key.id == key_id))

    def _act(self, key: Key) -> None:
        """Do what a key does: an act of the screen itself, or one of the comparison."""
        if isinstance(key.does, OwnAct):
            key.does.on(self)
        elif key.does is not None:
            self.do(partial(key.does.on, self.of))

    def do(self, act: Callable[[], Outcome | Awaitable[Any]]) -> None:
        """Do something with the comparison, and show what it came to, or why it was refused."""
        begin(self._outcome(act))

    async def _outcome(self, act: Callable[[], Outcome | Awaitable[Any]]) -> None:
        """Await what an act comes to, perhaps after questions, and show it."""
        try:
            outcome = act()
            while isawaitable(outcome):
                outcome = await outcome
        except (Refused, NotKept) as refusal:
            outcome = wording(refusal)
        self.finish(outcome)

    def finish(self, outcome: Outcome) -> None:
        """Shows what a key came to."""
        if isinstance(outcome, Leave):
            self.dismiss(outcome.to)
            return
        if not isinstance(outcome, str):
            until = perf_counter() + SLICE
            for text in outcome:
                if perf_counter() > until:
                    self.say(text)
                    later(PAUSE, self, lambda: self.finish(outcome))
                    return
            outcome = ""
        self.draw()
        self.say(outcome)

    async def _pick(self, title: str, choices: Sequence[Choice], **more: Any) -> str:
        picker = Picker(title, choices, marks=self.marks, **more)
        return await picker.picked(self.app)

    @on(Lines.Chosen, "#rows")
    def _chosen(self) -> None:
        self.open_row()

    def open_row(self) -> None:
        """Do what Enter does on a row."""
        self.do(self.of.open)

    def scroll_texts(self, by: int) -> None:
        """Scroll the responses a page on, or back for -1."""
        for text in self.texts:
            text.action_roll_page(by)

    def key_of(self, name: str) -> str:
        for key in self.context.keys:
            if key.id == name:
                return key.keys.split(",")[0]
        return super().key_of(name)

    # -- the strip, the help ----------------------------------------------------------------------

    def _words(self) -> Mapping[str, str]:
        """The answers that may be given here, in words, by the ids of their keys."""
        words = self.of.sayable()
        keys = self.of.answer_keys
        return {key: words[answer] for key, answer in keys.items() if answer in words}

    def _by_place(self) -> Mapping[Strip, Sequence[Key]]:
        """Return the keys of the strip by where they are; keys of one place are shown together."""
        keys = [*self.KEYS, *self.OF_BENCH]
        if self.ANSWER is not None:
            keys.append(self.ANSWER)
        found: defaultdict[Strip, list[Key]] = defaultdict(list)
        for key in self.of.strip(keys):
            if key.strip is not None:
                found[key.strip].append(key)
        return found

    def _hints(self) -> Iterator[Hint]:
        shown = {key.id: key.shown for key in self.context.keys if key.keys}
        for key in self.KEYS:
            shown[key.id] = f"{{{key.id}:{key.shown}}}"
        placed = self._by_place()
        for strip in sorted(placed, key=attrgetter("place")):
            first = placed[strip][0]
            if first is self.ANSWER:
                words: dict[str, str] = {}  # the first key of each: some have two
                for name, word in self._words().items():
                    words.setdefault(word, name)
                for word, name in words.items():
                    if name in shown:
                        yield Hint(shown[name], word, name, strip.stays)
            elif first.id in shown:
                text = " ".join(shown[key.id] for key in placed[strip])
                yield Hint(text, first.label, first.id, strip.stays)

    def show_help(self) -> None:
        """Show the keys and the marks of this screen."""
        of = self.of
        show_help(self, self.strip.names, self._help(), of.PAGE, self.marks, of.signs())

    def _help(self) -> Iterator[tuple[str, str]]:
        """Every key and what it does: those of answers, the screen's own, those of the bench."""
        words = self._words()
        answer = self.ANSWER
        for key in self.context.keys:
            if key.id in words and answer is not None:
                yield key.shown, answer.help.format(words[key.id])
        yield from told(self._rows_of_help(), own_names(self.app))
        for key in self.context.keys:
            if key.id in self._of_bench and key.id not in words:
                yield key.shown, self._of_bench[key.id].help

    def _rows_of_help(self) -> Iterator[tuple[str, str]]:
        """The keys of the comparison and what they do, those of a group together."""
        keys = [key for key in self.KEYS if key.does is not HELP]
        for what, keys_of_row in groupby(keys, lambda key: key.group or key.help):
            yield " ".join(f"{{{key.id}:{key.shown}}}" for key in keys_of_row), what


HELP = OwnAct(ComparingScreen.show_help)
"""The act of the key for the help, on every screen that compares."""


def help_key(key_id: str, strip: Strip) -> Key:
    """Return the key for the keys and marks of a screen, which its help itself leaves out."""
    return Key(key_id, "question_mark,f1", "keys", "keys", HELP, shown="?", strip=strip)


# -- what rows are drawn of ------------------------------------------------------------------------


def prompt_in(bench: Workbench, cell: Cell) -> tuple[PromptTurns | None, str]:
    """Return what the response of a cell answers, as far as it is known, and its newest words.

    The words say before them if they were not shown to the judge.
    """
    rubric = bench.workspace.rubric
    trace = rubric.asked(cell.subject.asked)
    turns = turns_of(trace, trace.question)
    prompt = asked(turns)
    if prompt is None:
        return None, ""
    known = prompts_over(rubric.prompts, [configured_prompts()])
    note = said_of_newest(turns, unread_in(cell, trace, turns, known))
    return prompt, ": ".join(filter(None, (note, prompt.newest.text)))


def answer_text(grounds: Grounds, marks: Marks) -> str:
    """`+ found`: the mark of its bucket, where it has one, and the word."""
    mark = getattr(marks, grounds.style, "") if grounds.style else ""
    return f"{mark} {grounds.word}".strip()


def answer_column(grounds: Grounds, marks: Marks, width: int = WORD + 1) -> StyledText:
    return StyledText(column(answer_text(grounds, marks), width, marks), grounds.style or "key")


def place_text(cell: Cell, instruction: Instruction) -> tuple[StyledText, ...]:
    """Which instruction it is, by its list and number, where it has any."""
    of = instruction.of
    if not of:
        return ()
    place = f"{cell.subject.kind.spelled.get(of, of)} {instruction.number} "
    return (StyledText(place, "muted"),)


def borne_out(grounds: Grounds, subject: Subject, marks: Marks) -> tuple[StyledText, ...]:
    """The excerpts that an answer rests on, else the judge's reason."""
    if grounds.spans:
        words = [flat(subject.text[start:end]) for start, end in grounds.spans]
        return (StyledText(f" {marks.dot} ".join(words), grounds.style),)
    if grounds.loose:
        styled_text = StyledText(f"not in the {read_name(subject.trait)}: ", "flag")
        return (styled_text, StyledText(in_quotes(flat(grounds.loose[0]), marks), grounds.style))
    reason = ""
    if grounds.reason:
        reason = f"judge: {flat(grounds.reason)}"
    if grounds.omission:
        sign = StyledText(f"{marks.omission} by omission", grounds.style)
        return (sign, StyledText(f" · {reason}", "muted")) if reason else (sign,)
    return (StyledText(reason, "muted"),) if reason else ()


def measured(measure: Measure, figures: Figures) -> str:
    """A figure as a row has it: its word, its number, or 0/0."""
    if measure.name in figures.cannot_tell:
        return CANNOT_TELL
    if measure.name in figures.undefined:
        return "0/0"
    return figures.words.get(measure.word, "") or number(figures.values[measure.name])

"""What the screens that compare answers have in common: a line that says what is compared, rows
under a cursor beside what they rest on, a line that says what became of a key, a strip.

A screen's keys are a table, from which its bindings and its help are made, and those of the bench
act on it as the person has them there.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from textual import on
from textual.actions import parse
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Container
from textual.events import Key as KeyPressed
from textual.events import Resize
from textual.geometry import Size
from textual.screen import ScreenResultType
from textual.widget import Widget
from textual.widgets import Static

from appellate.app.compare.asked import AskedRows, InstructionAnswers
from appellate.app.keys.bindings import pane_of
from appellate.app.keys.help import show_help
from appellate.core.cell import Cell
from appellate.core.kind import AnyKind, Figures, Grounds, Instruction, Measure, Trait
from appellate.core.messages import PromptTurns, asked, turns_of
from appellate.core.problem import Refused, wording
from appellate.core.trace import Trace
from appellate.session.acts import Which
from appellate.session.workbench import Change, Workbench
from appellate.store.database import NotKept
from appellate.store.files.wordings import AskedCell
from appellate.ui.bar import KeyStrip, StatusStrip
from appellate.ui.contract import NO_REASON, READS_ONLY, WHY, is_reason, reason_choices
from appellate.ui.conversation import begin
from appellate.ui.key import Hint, as_remapped, keys_described
from appellate.ui.lines import Lines
from appellate.ui.marks import Marks, in_quotes, spelt
from appellate.ui.measures_bar import number
from appellate.ui.overlay import Overlay
from appellate.ui.own_keys import in_own_keys, own_names
from appellate.ui.page import StyledSpan
from appellate.ui.picker import Picker
from appellate.ui.rows import StyledText
from appellate.ui.text import column, flat, plain, update_text
from appellate.ui.text_view import TextView

if TYPE_CHECKING:
    from appellate.app.workplace import Workplace

WORD = 10  # cells of an answer and its mark


class ScreenKeys(NamedTuple):
    """The keys of a screen whose ids begin with its `name`: their bindings, how they are `shown` by
    their ids (`with_keys`), and with what they do as help has them.
    """

    name: str
    bindings: list[Binding]
    shown: Mapping[str, str]
    help: str


def own_keys(name: str, table: str) -> ScreenKeys:
    """The keys of a screen, a line each, two blanks between columns: the id behind the screen's
    `name`, the keys as Textual names them, how they are shown, the action, what it does (behind `"`
    it goes on from the line above). Without an action a line is another widget's key. `?` is in
    every screen.
    """
    bindings = [Binding("question_mark,f1", "help", "keys", show=False, id=f"{name}.help")]
    all_shown = {f"{name}.help": f"{{{name}.help:?}}"}
    lines: list[str] = []
    for line in table.splitlines():
        key, keys, shown, action, what = line.split("  ")
        id_ = key if "." in key else f"{name}.{key}"
        named, does = f"{{{id_}:{shown}}}", what
        all_shown[id_] = named
        if what.startswith('"'):
            before, _, above = lines.pop().partition("  ")
            named, does = f"{before} {named}", above + what[1:]
            what = what[1:].removeprefix(", ").removeprefix("and ") or above
        lines.append(f"{named}  {does}")
        if action != "-":
            brief, _, _ = what.partition("; ")
            bindings.append(Binding(keys, action, brief, show=False, id=id_))
    return ScreenKeys(name, bindings, all_shown, "\n".join(lines))


class ComparingScreen(Overlay[ScreenResultType]):
    """A screen over the bench with rows to compare; `answers` are those that the kind's keys give,
    by their ids.

    Each has a `NAME` in its strip, the manual's `PAGE`, `OWN` keys, those `SHARED` with the bench
    (a line each: the id, the action, and what it does where the bench's words are not right), and
    its `STRIP` (a line each: the smaller the number the longer it stays, the ids of the keys, the
    label).
    `ANSWERS` says what the keys of answers do. From `WIDE` columns and `TALL` rows on it has these
    classes.
    """

    AUTO_FOCUS = "#rows"
    NAME: ClassVar[str]
    PAGE: ClassVar[str] = "comparing"
    OWN: ClassVar[ScreenKeys]
    SHARED: ClassVar[str] = ""
    STRIP: ClassVar[str]
    ANSWERS: ClassVar[str] = ""
    WIDE: ClassVar[int] = 100
    TALL: ClassVar[int] = 30

    def __init__(self, at: "Workplace", answers: Mapping[str, str] | None = None) -> None:
        super().__init__()
        self.at = at
        self.marks = at.marks
        self.answer_keys = answers or {}
        self.counts = StatusStrip(marks=at.marks, id="counts")
        self.prompt = Static(id="prompt", markup=False)
        self.across = Container(id="across")
        self.lines = Lines(marks=at.marks, id="rows")
        self.texts: Sequence[TextView] = ()
        self.message = Static(id="said", markup=False)
        self.strip = KeyStrip(marks=at.marks, id="keys")
        self._shared: dict[str, tuple[str, str]] = {}
        for line in self.SHARED.splitlines():
            name, action, *what = line.split("  ")
            self._shared[name] = action, "".join(what)

    def compose(self) -> ComposeResult:
        self._classify(self.app.size)
        yield self.counts
        yield self.prompt
        with self.across:
            yield from self.parts()
        yield self.message
        yield self.strip

    def parts(self) -> Iterable[Widget]:
        """The rows and what they rest on."""
        raise NotImplementedError

    def on_resize(self, event: Resize) -> None:
        self._classify(event.size)
        self.fit(event.size)

    def _classify(self, size: Size) -> None:
        is_wide = size.width >= self.WIDE and not self.app.has_class("-plain")
        self.set_class(is_wide, "-wide")
        self.set_class(size.height >= self.TALL, "-tall")

    def fit(self, size: Size) -> None:
        """Shares out the room there is."""

    # -- looking ----------------------------------------------------------------------------------

    def look(self) -> None:
        """Shows what the row under the cursor rests on."""

    @on(Lines.Highlighted, "#rows")
    def _moved(self) -> None:
        self.look()

    def show_rendered(self) -> None:
        """Shows responses as the bench does; before that they are blank."""
        for text in self.texts:
            text.empty = "The response is empty."
            text.set_rendered(self.at.parts.response.reads_as_markdown)

    def action_scroll(self, by: int) -> None:
        for text in self.texts:
            text.action_roll_page(by)

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
        self.say("")
        pressed = [key.id for key in self.at.keys if event.key in key.keys.split(",")]
        answers = [self.answer_keys[name] for name in pressed if name in self.answer_keys]
        shared = [self._shared[name][0] for name in pressed if name in self._shared]
        if not answers and not shared:
            return
        event.stop()
        event.prevent_default()
        if answers:
            self.answer(answers[-1])
        else:
            _, name, given = parse(shared[0])
            getattr(self, f"action_{name}")(*given)

    def answer(self, answer: str) -> bool:  # noqa: ARG002 - for a screen that takes any
        """Gives an answer; whether that could be kept."""
        return False

    def sayable(self) -> Mapping[str, str]:
        """The answers that may be given to the row under the cursor, and what each is called."""
        return {}

    def words(self) -> Mapping[str, str]:
        """What these answers are called, by the ids of their keys."""
        words = self.sayable()
        return {key: words[answer] for key, answer in self.answer_keys.items() if answer in words}

    def do(self, work: Callable[[], str]) -> bool:
        """Carries something out and says what became of it, or why not."""
        if self.at.bench.readonly:
            self.say(READS_ONLY)
            return False
        try:
            text = work()
        except (Refused, NotKept) as refusal:
            self.say(wording(refusal))
            return False
        self.say(text)
        return True

    async def pick(self, picker: Picker) -> str:
        """Has one of the choices picked: its key."""
        return await picker.picked(self.app)

    def action_reason(self) -> None:
        begin(self._reasoned())

    async def _reasoned(self) -> None:
        """Asks why something was done, where the screen keeps that."""

    async def pick_reason(self) -> str:
        """Has one of the usual reasons picked, beginning on none, or one typed."""
        choices = [NO_REASON, *reason_choices(self.at.cell_actions.reasons)]
        return await self.pick(Picker(WHY, choices, free=is_reason, marks=self.marks))

    def key_of(self, name: str) -> str:
        for key in self.at.keys:
            if key.id == name:
                return key.keys.split(",")[0]
        return super().key_of(name)

    # -- the strip, the help ----------------------------------------------------------------------

    def hint_lines(self) -> str:
        """The lines of the strip as things are."""
        return self.STRIP

    def show_hints(self, *without: str) -> None:
        """Shows the keys in the strip, those `without` by their ids left out."""
        self.strip.show(as_remapped(self._hints(without), own_names(self.app)), self.NAME)

    def _hints(self, without: Iterable[str]) -> Iterator[Hint]:
        bench = {key.id: key.shown for key in self.at.keys if key.keys}
        shown = bench | dict(self.OWN.shown)
        for line in self.hint_lines().splitlines():
            priority, keys, *label = line.split("  ")
            own = [f"{self.OWN.name}.{name}" for name in keys.split()]
            names = own if own[0] in shown else keys.split()
            if keys == "answers":
                for word, answer in by_word(self.words()).items():
                    if answer in bench:
                        yield Hint(bench[answer], word, answer, int(priority))
            elif names[0] in shown and keys not in without:
                key = " ".join(shown[name] for name in names)
                yield Hint(key, label[0], names[0], int(priority))

    def signs(self) -> dict[str, str]:
        """What the marks in sight mean."""
        return {}

    def action_help(self) -> None:
        show_help(self, self.strip.names, self._help(), self.PAGE, self.marks, self.signs())

    def _help(self) -> Iterator[tuple[str, str]]:
        """Every key and what it does: those of answers, the screen's own, those of the bench."""
        words = self.words()
        for key in self.at.keys:
            if key.id in words:
                yield key.shown, self.ANSWERS.format(words[key.id])
        yield from keys_described(self.OWN.help, own_names(self.app))
        for key in self.at.keys:
            if key.id in self._shared and key.id not in words:
                yield key.shown, self._shared[key.id][1] or key.help

    def action_leave(self) -> None:
        self.dismiss(None)


def by_word(answers: Mapping[str, str]) -> dict[str, str]:
    """The first key, by its id, of each answer in words: some have two."""
    found: dict[str, str] = {}
    for key, word in answers.items():
        found.setdefault(word, key)
    return found


class AnsweringScreen(ComparingScreen[ScreenResultType]):
    """One on which the row under the cursor is answered."""

    def __init__(self, at: "Workplace", rows: AskedRows, kind: AnyKind, trait: Trait) -> None:
        super().__init__(at, pane_of(kind.name).ANSWER_KEYS(trait))
        self.rows = rows
        self.answers = InstructionAnswers(at.bench, rows)

    def on_mount(self) -> None:
        self.at.bench.listeners.append(self.changed)

    def on_unmount(self) -> None:
        self.at.bench.dismiss(self.changed)

    def changed(self, change: Change) -> None:
        """Takes in what happened to a cell; the cursor stays."""
        raise NotImplementedError

    @property
    def here(self) -> AskedCell | None:
        """The row under the cursor."""
        raise NotImplementedError

    def aimed(self) -> list[AskedCell]:
        """The rows that an answer goes to."""
        return [self.here] if self.here else []

    def action_walk(self, by: int) -> None:
        """To the next row that asks for a look, or the one before."""
        raise NotImplementedError

    def redraw(self) -> None:
        """Draws the rows after something was done."""

    def offered(self) -> list[StyledSpan]:
        """The words that an answer to the row under the cursor would take; they count as seen."""
        offered = self.rows.show_offered(self.here) if self.here else None
        if offered is None:
            return []
        return [StyledSpan(*offered, "evidence", self.marks.doubt, selected=True)]

    # -- answers ----------------------------------------------------------------------------------

    def do(self, work: Callable[[], str]) -> bool:
        done = super().do(work)
        if done:
            self.redraw()
        return done

    def answer(self, answer: str) -> bool:
        aimed = self.aimed()
        return bool(aimed) and self.do(lambda: self.answers.give(aimed, answer))

    def turn_to(self, now: str, there: str = "") -> None:
        """Gives the answer `there`, or else the other one of two than `now`."""
        others = {word: key for word, key in by_word(self.words()).items() if word != now}
        if there not in others and len(others) == 1:
            there = next(iter(others))
        if there in others:
            self.answer(self.answer_keys[others[there]])
        else:
            self.say("There is no other answer that this could turn to.")

    def action_turn_back(self, which: Which) -> Sequence[Change]:
        """Takes the last act back, or does it again: what changed."""
        turned: list[Change] = []

        def turn() -> str:
            text, changes = self.at.requests.acts.turn(which)
            turned.extend(changes)
            return text

        self.do(turn)
        return turned

    def action_flag(self) -> None:
        if aimed := self.aimed():
            self.do(lambda: self.answers.flag(aimed))

    def action_take_none(self) -> None:
        if self.here:
            self.say(self.rows.take_none(self.here))
            self.look()

    def action_offer(self, by: int) -> None:
        if self.here:
            self.say(self.rows.next_offer(self.here, by))
            self.look()

    async def _reasoned(self) -> None:
        text = await self.pick_reason()
        self.do(lambda: self.answers.reason(text))


# -- what rows are drawn of ------------------------------------------------------------------------


def prompt_in(bench: Workbench, trace: Trace) -> PromptTurns | None:
    """What a response answers, as far as it is known."""
    return asked(turns_of(trace, bench.workspace.rubric.question_text(trace)))


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


def borne_out(grounds: Grounds, response: str, marks: Marks) -> tuple[StyledText, ...]:
    """The excerpts that an answer rests on, else the judge's reason."""
    if grounds.spans:
        words = [flat(response[start:end]) for start, end in grounds.spans]
        return (StyledText(f" {marks.dot} ".join(words), grounds.style),)
    if grounds.loose:
        styled_text = StyledText("not in the response: ", "flag")
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
    if measure.name in figures.undefined:
        return "0/0"
    return figures.words.get(measure.word, "") or number(figures.values[measure.name])

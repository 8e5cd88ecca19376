"""A session line by line: the cell in sight, and what each key does."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from itertools import chain
from time import monotonic
from typing import Any

from msgspec.structs import replace

from appellate.core.cell import Cell
from appellate.core.describe import describe
from appellate.core.facts import Corrected
from appellate.core.kind import Instruction
from appellate.core.problem import Refused, Unusable, many, wording
from appellate.core.trace import Trace, name_of
from appellate.judging.choice import JudgeChoice
from appellate.judging.control import JudgeControl
from appellate.judging.questions import CellScope
from appellate.judging.run import BrokenDown, Run
from appellate.linear import cell_reading
from appellate.linear.cell_reading import CellReading
from appellate.linear.console import (
    DOWN,
    END,
    ENTER,
    ESCAPE,
    LEFT,
    RIGHT,
    UP,
    AskedToLeave,
    Console,
    name_of_key,
    sent_by,
)
from appellate.linear.linear_review import LinearReview
from appellate.query.language import QueryUnreadable, parse
from appellate.session.acts import OF_THE_WHOLE, Acts, brief, sentence
from appellate.session.adjudicating import BOTH, Adjudicating, ContestedCell
from appellate.session.review_session import ReviewSession
from appellate.session.settings import Settings
from appellate.session.workbench import Change, Direction, Position, Workbench
from appellate.store.audits import revision
from appellate.store.audits.audit_sync import NotWritten
from appellate.store.cell_names import cell_called, instead_of, likeliest_cell
from appellate.store.database import NotKept
from appellate.store.fact_rows import WHOLE_AUDIT
from appellate.store.files import draft as drafts
from appellate.store.queue import FoundQueue, LoadedQueue, Queue, first_open, look_up, vocabulary
from appellate.traits.kinds import module_of
from appellate.traits.rubric import Rubric
from appellate.traits.unread import NOTHING_UNREAD, beside_response
from appellate.ui.caps_lock import REPEATED, CapsLock
from appellate.ui.commands import KEYS
from appellate.ui.contract import (
    NO_REASON,
    Choice,
    KindLines,
    Paragraph,
    is_reason,
    reason_choices,
    step_named,
)
from appellate.ui.conversation import Conversation, Left
from appellate.ui.key import Key, first_names, in_group

COMPARED_ON_SCREEN = (
    "What each judge proposed is compared on the screen: appellate review without --lines."
)
BESIDES = in_group(
    "Line by line",
    Key("lines.down", "j", "next item", "go to the next item", in_lines=True),
    Key("lines.up", "k", "item before", "go to the item before", in_lines=True),
    Key("line.items", "t", "every item", "every item, short", in_lines=True),
    Key("line.cell", "s", "the cell", "the cell once more", in_lines=True),
    Key(
        "line.page",
        "p",
        "prompt, response",
        "the prompt and the response, a page at a time",
        in_lines=True,
    ),
)
"""The commands of line mode beside those of the bench (`ui/commands.py`) and of the kinds."""
OF_BENCH = (*KEYS, *BESIDES)
OF_THE_DAY = (
    "lines.down",
    "lines.up",
    "cell.sign",
    "cell.undo",
    "item.reason",
    "cell.comment",
    "cell.next",
    "cell.previous",
    "unreviewed.next",
    "line.items",
    "line.cell",
    "material",
    "text.search",
    "quit",
)
"""The ids of the bench's keys that a day needs, as `?` prints them behind those that rule."""
ALIASES = {
    ENTER: "lines.down",
    DOWN: "lines.down",
    UP: "lines.up",
    RIGHT: "cell.next",
    LEFT: "cell.previous",
    "w": "save",  # terminals keep Ctrl+S
    "#": "item.replace",
}
"""Further keys of commands, where nothing else has them."""
MOVES = {"bucket.previous": "lines.up", "bucket.next": "lines.down", "verdict.over": "lines.down"}
"""What goes on here in the place of commands that go about the screen."""
WHOLE = [
    Choice("0", "1", "all of 1"),
    Choice("1", "2", "all of 2"),
    Choice("rows", "r", "row by row"),
    Choice("own", "e", "none: label the cell yourself, a then rules"),
]


class LinearRuling:
    """Tells both label sets of a contested cell, and asks what holds."""

    def __init__(self, bench: Workbench, console: Console, review: LinearReview) -> None:
        self._bench = bench
        self._console = console
        self._review = review

    def tell(self, no: int) -> None:
        """Says that a cell waits for a ruling, where it does."""
        cell = self._bench.open(no)[1]
        if cell.contest and cell.hidden:
            self._console.say(
                "Two reviewers differ here: {cell.proposals:V} shows both, and asks what holds."
            )

    async def here(self, no: int) -> None:
        """Rules on a cell; raises Refused where nothing is contested."""
        adjudicating = Adjudicating(self._bench)
        here = adjudicating.cell(no)
        if here.cell.contest is None:
            raise Refused(COMPARED_ON_SCREEN)
        names = adjudicating.names(here.cell)
        began = monotonic()
        for question in here.questions:
            self._tell(here, question, names)
        if not here.cell.hidden:
            self._console.say(f"Ruled. {adjudicating.describe_sided(here.cell)}")
            return
        if self._bench.readonly or not await self._pick(here):
            return
        change = adjudicating.rule(here, "", monotonic() - began)
        left = many(len(adjudicating.unruled_nos), "cell")
        held = adjudicating.describe_sided(change.after)
        self._console.say(
            f"Ruled. {held} {{item.reason:r}} says why. "
            f"{left} left: {{unreviewed.next:n}} is the next."
        )

    async def _pick(self, here: ContestedCell) -> bool:
        """Asks what holds; false where the cell is to be labelled by hand."""
        choices = [*WHOLE]
        if here.cell.labels is not None:
            choices.append(Choice("mine", "m", "the labels that you made in the cell"))
        picked = await self._review.pick("What holds", choices)
        if picked == "own":
            self._console.say("Label it, then {cell.sign:a} rules on it.")
            return False
        if picked == "rows":
            for question in here.questions:
                sides = [
                    Choice(str(side), str(side + 1), here.sides[side].word(question))
                    for side in BOTH
                ]
                here.pick(int(await self._review.pick(question.text, sides)), question)
        elif picked != "mine":
            here.pick(int(picked))
        return True

    def _tell(self, here: ContestedCell, question: Instruction, names: Sequence[str]) -> None:
        """A question, and how each answers it, with the words that bear it out."""
        show = self._console.show
        show(Paragraph(question.text, ""))
        response = here.cell.subject.text
        for side in BOTH:
            words = [response[start:end] for start, end in here.sides[side].grounds(question).spans]
            text = here.sides[side].word(question)
            if words:
                text += f": “{'” “'.join(words)}”"
            show(Paragraph(text, f"  {names[side]}:", "key"))
        if not here.cell.hidden:
            show(Paragraph(f"  {here.verdict(question)}"))


class CellsInOrder:
    def __init__(self, bench: Workbench) -> None:
        self._bench = bench
        self._queue: Queue = LoadedQueue(bench.workspace)
        self.narrowed = False

    def narrow(self, text: str, order: str, seed: int) -> int:
        """Takes on the cells that a query finds, or all: how many; raises Refused."""
        workspace = self._bench.workspace
        if not text and order == "loaded":
            self._queue = LoadedQueue(workspace)
            self.narrowed = False
            return len(self._queue)
        try:
            query = parse(text, vocabulary(workspace.path))
        except QueryUnreadable as unreadable:
            raise Refused(f"The filter cannot be read. {unreadable}") from unreadable
        found = look_up(workspace.path, query, order, seed, self._bench.reviewer)
        if len(found.numbers):
            self._queue, self.narrowed = FoundQueue(workspace, found), bool(text)
        return len(found.numbers)

    def cell(self, no: int, by: int) -> int:
        """The next or previous cell; raises Refused at the end."""
        return self._or_end(self._queue.step(no, by), "cell", by)

    def trace(self, no: int, by: int) -> int:
        return self._or_end(self._queue.step_trace(no, by), "trace", by)

    def _or_end(self, found: int | None, what: str, by: int) -> int:
        if found is None:
            end = "last" if by > 0 else "first"
            raise Refused(f"This is the {end} {what}{self.here}.")
        return found

    @property
    def here(self) -> str:
        return " of this filter ({queue.filter:f} widens it)" if self.narrowed else ""

    def unreviewed(self, no: int, by: int) -> int | None:
        """The next cell that is not signed off, around the end; None where there is none."""
        return self._queue.next_open(no, by) or first_open(self._queue, by)

    def named(self, name: str) -> int:
        """The cell that is called so, else the likeliest trace's first; raises Refused."""
        workspace = self._bench.workspace
        found = cell_called(workspace, name) or likeliest_cell(workspace, name)
        if found is None:
            wrong, instead = instead_of(workspace, name)
            raise Refused(f"{wrong[0].upper()}{wrong[1:]}. {instead}".strip())
        return found


_EVERY = 5.0  # seconds between two lines of a long run


class JudgingNow:
    """Runs the judge while the person waits; Ctrl+C stops it, and what has come is kept."""

    is_on = False

    def __init__(self, bench: Workbench, choice: JudgeChoice, console: Console) -> None:
        self._bench = bench
        self._choice = choice
        self._console = console
        self.say = console.say
        self.control = JudgeControl(bench, choice, self, self)

    async def confirm(self, question: str) -> bool:
        self._console.say(question)
        return self._console.key("y does it, any other key does not> ") in ("y", "Y")

    def begin(self, cells: CellScope, *, computing: bool = False, code: bool = False) -> None:
        """Has these cells judged or computed, to the end."""
        choice = self._choice
        if not code:
            choice = replace(choice, code=None)
        try:
            # a conversation may begin it, which no loop runs
            asyncio.run(self._go_on(choice, cells, computing=computing))
        except (NotKept, BrokenDown) as trouble:
            self._console.say(f"The judge was stopped: {trouble}")

    async def _go_on(self, choice: JudgeChoice, cells: CellScope, *, computing: bool) -> None:
        self._console.say("The judge is at work: Ctrl+C stops it.")
        shown_at = monotonic()
        with Run(self._bench, choice, cells, computing=computing) as running:
            async for _ in running:
                done = running.progress.done
                left = running.progress.left or 0
                if self._console.interrupted:
                    break
                if monotonic() - shown_at > _EVERY:
                    shown_at = monotonic()
                    self._console.say(f"Judged {done} of {done + left}; Ctrl+C stops.")
            progress = running.progress
        text = f"Judged {many(progress.done - progress.unrecorded, 'cell')}"
        if progress.unrecorded:
            text += f", {progress.unrecorded} came without labels"
        if progress.failed:
            text += f", {progress.failed} failed"
        self._console.say(f"{text}.")
        for one in progress.dead:
            self._console.say(one.describe)


LAST = 12  # acts that are listed
LONGEST = 60  # characters of one


LEAVES = 0
INTERRUPTED = 130
TYPED = {ENTER: "enter", "\x7f": "backspace", "\x08": "backspace"}
"""What keys of typed words that are no characters are called (`CapsLock`)."""
DONE = "Every cell is signed off. {quit:q} exports the audit; {session:S} shows the numbers."
NO_INSTRUCTIONS = "A metric trait takes one; for others: `appellate judge AUDIT --revise RUBRIC`."
JUDGED_AGAIN = "Judging again is done by `appellate judge AUDIT --again`."


def lines_of(kind: str) -> type[KindLines]:
    """How a kind prints its cells; a plain way where it has none of its own."""
    module = module_of(kind, "linear")
    found: type[KindLines] = module.LINES if module else KindLines
    return found


class LinearSession:
    """The review of one audit, at a console."""

    def __init__(
        self,
        bench: Workbench,
        session: ReviewSession,
        settings: Settings,
        console: Console,
        choice: JudgeChoice,
        overrides: Mapping[str, str] | None = None,
    ) -> None:
        self.bench = bench
        self.session = session
        self._settings = settings
        self._console = console
        self._known_prompts = choice.known_prompts
        self._judging = JudgingNow(bench, choice, console)
        self._cells = CellsInOrder(bench)
        self._no = 0
        self._trace = Trace(id="-")
        self._cell: Cell | None = None
        self._before: Cell | None = None
        self._opened = monotonic()  # when the cell was, to tell a hasty sign-off
        self._is_shown = False  # whether the item under the cursor was printed
        self.review = LinearReview(
            console,
            readonly=bench.readonly,
            correct=self._correct,
            trace=lambda: self._trace,
        )
        kinds = {kind.name for kind, _ in bench.workspace.rubric.every_trait()}
        self._kinds = {name: lines_of(name)(self.review) for name in sorted(kinds)}
        self.acts = Acts(bench)
        self._pressed = ""  # the id of the key before
        self._is_again = False
        """Whether the key that acts is the same as the one before."""
        self._caps_lock = CapsLock()
        self._reading = CellReading(bench, session, console, self.review, self._known_prompts)
        self._ruling = LinearRuling(bench, console, self.review)
        self._acts = self._acts_by_id()
        self._keys: dict[str, dict[str, Key]] = {}
        self._commands: dict[str, dict[str, Key]] = {}  # by the names of kinds, then by their ids
        self._take_keys(overrides or {})

    @staticmethod
    def _by_key(commands: Mapping[str, Key], overrides: Mapping[str, str]) -> dict[str, Key]:
        """Line mode's commands by what their keys send; of two on one key the first has it.

        `overrides` are the person's keys by ids; where none of them arrives, the usual ones do.
        """
        found: dict[str, Key] = {}
        for key in sorted(commands.values(), key=lambda key: key.id not in overrides):
            own = overrides.get(key.id, key.keys)
            for sent in own and (sent_by(own) or sent_by(key.keys)):
                found.setdefault(sent, key)
        for sent, name in ALIASES.items():
            if name in commands:
                found.setdefault(sent, commands[name])
        return found

    def _take_keys(self, overrides: Mapping[str, str]) -> None:
        """Takes the commands with the person's keys, and what these are called."""
        names: dict[Key, dict[str, None]] = {}
        for kind, lines in self._kinds.items():
            commands = {key.id: key for key in (*lines.KEYS, *OF_BENCH) if key.lines}
            self._commands[kind] = commands
            self._keys[kind] = self._by_key(commands, overrides)
            for sent, key in self._keys[kind].items():
                names.setdefault(key, {})[name_of_key(sent)] = None
        every = sorted(names, key=lambda key: key in OF_BENCH)
        self.review.keys = [replace(key, shown=" ".join(names[key])) for key in every]
        repeated = [key.keys.split(",") for key in self.review.keys if key.id in REPEATED]
        self._caps_lock = CapsLock({*chain.from_iterable(repeated)})
        gone = {name: "" for name, own in overrides.items() if not own}
        named = first_names(self.review.keys)
        self._console.names = gone | named | {k: named.get(v, "") for k, v in MOVES.items()}

    @property
    def cell(self) -> Cell:
        if self._cell is None:
            raise LookupError("no cell is open yet")
        return self._cell

    @property
    def _kind(self) -> KindLines:
        return self._kinds[self.cell.subject.kind.name]

    # -- the session ------------------------------------------------------------------------------

    def run(self, notes: Sequence[str]) -> int:
        """Goes on until the person leaves; gives the exit code."""
        with self._console.open():
            self.bench.listeners.append(self._changed)
            try:
                return self._go_on(notes)
            except EOFError:
                return LEAVES
            except AskedToLeave as told:
                return 128 + told.number if told.number else LEAVES
            finally:
                self._keep_position()

    def _go_on(self, notes: Sequence[str]) -> int:
        try:
            self._greet(notes)
        except KeyboardInterrupt:
            return INTERRUPTED
        asked_to_leave = False
        while True:
            try:
                self._one_key()
                asked_to_leave = False
            except KeyboardInterrupt:
                if asked_to_leave:
                    return INTERRUPTED
                asked_to_leave = True
                self.review.words = None
                self._console.say("\n{quit:q} exports the audit and quits; Ctrl+C again does, too.")

    def _greet(self, notes: Sequence[str]) -> None:
        totals = self.bench.workspace.totals()
        done = totals.get("state:reviewed", 0)
        cells = many(totals.get("cells", 0), "cell")
        self._console.show(
            Paragraph(f"{cells}, {done} signed off. ? lists the keys.", f"{self.bench.audit.name}:")
        )
        for note in notes:
            self._console.say(note)
        if self._settings.order != "loaded":
            self._cells.narrow("", self._settings.order, self._settings.seed)
        start = self.bench.position()
        self._talk(self._judging.control.begin(start.cell))
        self._open(start.cell, shown=False)
        self._kind.go(start.pane, start.item)
        self._tell_cell()

    def _one_key(self) -> None:
        if not self._is_shown:
            self._tell_item()
        sent = self._console.key(self._prompt)
        if self._console.by_keys:
            name = TYPED.get(sent, sent)
            if self._caps_lock.doubts(name, sent, self._console.arrived):
                self._console.say(self._caps_lock.sentence)
                return
        key = self._keys[self.cell.subject.kind.name].get(sent)
        pressed = key.id if key is not None else ""
        self._is_again = pressed == self._pressed
        if not self._is_again:
            self.acts.forget_doubt()
        self._pressed = pressed
        try:
            self._press(sent, key)
        except Left:
            self._console.say("Left: nothing was changed.")
        except Refused as refusal:
            self._console.say(wording(refusal))
        except NotKept as refusal:
            self._console.say(f"NOT SAVED: {refusal}. Nothing was changed.")
        rest = self._console.unasked()
        if rest:
            text = f"“{rest}” was not read: a line is one key."
            if f"{sent}{rest}".isupper():
                text += " Is Caps Lock on?"
            self._console.say(text)
        self._keep_position()

    @property
    def _prompt(self) -> str:
        place = "no items"
        if self._kind.count:
            place = f"item {self._kind.at + 1}/{self._kind.count}"
        if self.review.selecting:
            place += ", words taken"
        return f"{place}> "

    def _press(self, sent: str, key: Key | None) -> None:
        if key is not None:
            self._do(key)
        elif sent == END:
            raise EOFError
        elif sent == ESCAPE:
            self.review.words = None
            self._kind.clear_marks()
        else:
            self._console.say(f"{name_of_key(sent)} does nothing here: {{help:?}} lists the keys.")

    def _do(self, key: Key) -> None:
        """Does what a key does here."""
        if key.id in self._acts:
            self._acts[key.id]()
        else:
            self._talk(self._kind.does(key))

    async def _by_name(self) -> None:
        """Has words of a command typed and does that; several that have them are listed."""
        typed = self._console.ask("What to do (words of it)> ").casefold().strip()
        if not typed:
            raise Left
        commands = self._commands[self.cell.subject.kind.name]
        fitting = []
        for key in commands.values():
            text = f"{key.label}: {key.lines}"
            if key.label.casefold() == typed:
                fitting = [Choice(key.id, "", text)]
                break
            if all(word in text.casefold() for word in typed.split()):
                fitting.append(Choice(key.id, "", text))
        if not fitting:
            raise Refused(f"No command has “{typed}” in its name: {{help:?}} lists them.")
        name = fitting[0].key
        if len(fitting) > 1:
            name = await self.review.pick("Which", fitting, none="nothing", on_none=True)
        if not name:
            raise Left
        self._do(commands[name])

    def _talk(self, conversation: Conversation) -> None:
        """Has a conversation to its end at once: none of its questions waits."""
        with suppress(StopIteration):
            conversation.send(None)

    def _acts_by_id(self) -> Mapping[str, Callable[[], object]]:
        talk = self._talk
        return {
            "lines.down": partial(self._step, 1),
            "lines.up": partial(self._step, -1),
            "jump": self._to_item,
            "line.items": lambda: self._console.show(*self._kind.listed()),
            "text.select": lambda: talk(self.review.select()),
            "item.reason": lambda: talk(self._reason()),
            "cell.comment": self._comment,
            "cell.comments": lambda: self._console.show(*cell_reading.story(self.cell)),
            "cell.flag": lambda: self._console.say(self.acts.flag(self._no)),
            "cell.proposals": lambda: talk(self._ruling.here(self._no)),
            "cell.undo": partial(self._turn, "undo"),
            "cell.redo": partial(self._turn, "redo"),
            "cell.sign": self._sign,
            "cell.next": lambda: self._open(self._cells.cell(self._no, 1)),
            "cell.previous": lambda: self._open(self._cells.cell(self._no, -1)),
            "trace.next": lambda: self._open(self._cells.trace(self._no, 1)),
            "trace.previous": lambda: self._open(self._cells.trace(self._no, -1)),
            "unreviewed.next": partial(self._unreviewed, 1),
            "unreviewed.previous": partial(self._unreviewed, -1),
            "trace.go": self._go_to,
            "cell.bookmark": self._bookmark,
            "bookmarks": lambda: talk(self._bookmarks()),
            "history": lambda: talk(self._history()),
            "queue.filter": self._filter,
            "line.page": lambda: self._reading.page(self._trace),
            "line.cell": self._tell_cell,
            "text.evidence": lambda: self._reading.evidence(self._trace, self._kind),
            "text.search": lambda: self._reading.find(self.cell),
            "material": lambda: talk(self._reading.material(self.cell)),
            "cell.judge": self._judge,
            "run.again": lambda: self._console.say(JUDGED_AGAIN),
            "session": self._reading.numbers,
            "rubric.add": lambda: talk(self._add_instruction()),
            "save": self._save,
            "palette": lambda: talk(self._by_name()),
            "help": self._help,
            "quit": self._quit,
        }

    # -- cells ------------------------------------------------------------------------------------

    def _open(self, no: int, *, shown: bool = True) -> None:
        self._no = no
        self.bench.set_visible(no)
        self._trace, self._cell = self.bench.open(no)
        self._before = None
        self.review.words = None
        self._opened = monotonic()
        self._kind.show(self._cell, fresh=True)
        if shown:
            self._tell_cell()

    def _tell_cell(self) -> None:
        workspace = self.bench.workspace
        row = workspace.cells.row(self._no)
        marks = self._console.marks
        show = self._console.show
        show(Paragraph(""))
        show(*cell_reading.header(row, self._trace, self.cell, workspace, marks))
        suspect = self.bench.count_suspect_passages(self._no)
        if suspect:
            text = f"{many(suspect, 'passage')} of it may address the judge."
            show(Paragraph(text, marks.plea, "bad"))
        names = self._console.names
        prompts = self._known_prompts
        transcript = self.cell.subject.transcript
        if transcript is not None:
            beside = beside_response(workspace.rubric.asked(self._trace), (), NOTHING_UNREAD)
            spans = self._kind.spans()
            show(*cell_reading.conversation(transcript, spans, beside, names, marks))
        else:
            show(*cell_reading.prompt(workspace.rubric, self._trace, self.cell, prompts, names))
            response = self._trace.text
            show(Paragraph(response if response.strip() else "(it is empty)", quoted=True))
        show(*self._kind.head())
        self._console.say(cell_reading.numbers(None, self.cell, self._kind.labelled_by, marks))
        self._ruling.tell(self._no)
        self._is_shown = False

    def _tell_item(self) -> None:
        self._is_shown = True
        self._console.show(Paragraph(""), *self._kind.item())
        if self._kind.name:
            self.bench.seen.note(self._no, self.cell, frozenset((self._kind.name,)))

    def _step(self, by: int) -> None:
        at = self._kind.at + by
        if 0 <= at < self._kind.count:
            self._kind.step_to(at)
            self._is_shown = False
        elif by > 0:
            self._console.say(
                "That was the last item: {cell.sign:a} signs off, {cell.next:.} is the next cell."
            )
        else:
            self._console.say("This is the first item.")

    def _to_item(self) -> None:
        answer = self._console.ask(f"Item 1-{self._kind.count}> ").strip()
        if not answer.isdecimal() or not 1 <= int(answer) <= self._kind.count:
            raise Refused(f"There is no item “{answer}”: t lists them.")
        self._kind.step_to(int(answer) - 1)
        self._is_shown = False

    def _unreviewed(self, by: int, *, signed: bool = False) -> None:
        found = self._cells.unreviewed(self._no, by)
        if found is None or (signed and found == self._no):
            self._console.say(DONE.replace(".", f"{self._cells.here}.", 1))
        elif found == self._no:
            self._console.say(f"This is the only cell{self._cells.here} that is not signed off.")
        else:
            self._open(found)

    def _go_to(self) -> None:
        name = self._console.ask("Go to trace (id, number, a part of it)> ").strip()
        if not name:
            raise Left
        step = step_named(name)
        transcript = self.cell.subject.transcript
        if step is None or transcript is None or cell_called(self.bench.workspace, name):
            self._open(self._cells.named(name))
            return
        if not 1 <= step <= len(transcript.steps):
            raise Refused(f"There is no step {step}: it has {len(transcript.steps)}.")
        found = transcript.steps[step - 1]
        self._console.show(Paragraph(transcript.text[found.heading_start : found.end], quoted=True))

    def _filter(self) -> None:
        query = self._console.ask("Filter (state:proposed f1<0.5 …; Enter alone: all)> ").strip()
        count = self._cells.narrow(query, self._settings.order, self._settings.seed)
        if not count:
            raise Refused("No cell is like that; the cells are what they were.")
        self._console.say(
            f"{many(count, 'cell')}: {{cell.next:.}} and {{cell.previous:,}} go through them."
        )

    # -- going back ------------------------------------------------------------------------------

    def _bookmark(self) -> None:
        on = self._no not in self.bench.bookmarks()
        self.bench.set_bookmark(self._no, on)
        self._console.say(
            "Bookmarked: {palette:Ctrl+P} bookmarks lists them." if on else "The bookmark is gone."
        )

    async def _bookmarks(self) -> None:
        numbers = sorted(self.bench.bookmarks())
        if not numbers:
            raise Refused(
                "There are no bookmarks; {palette:Ctrl+P} bookmark sets one on this cell."
            )
        choices = []
        for row in self.bench.workspace.cells.rows_of(numbers):
            name = f"{name_of(row.trace_id, row.epoch)} · {row.trait}"
            choices.append(Choice(str(row.no), "", name, row.state))
        self._open(int(await self.review.pick("Bookmarks", choices)))

    async def _history(self) -> None:
        """Lists what one did last, newest first, to go there."""
        choices = []
        for act in self.bench.workspace.facts.acts(self.bench.reviewer, 0, LAST):
            text = act.text
            if len(text) > LONGEST:
                text = f"{text[:LONGEST].rstrip()} …"
            if act.undone:
                text = f"undone: {text}"
            choices.append(Choice(f"{act.n} {act.cell}", "", f"{text} ({act.place})"))
        if not choices:
            raise Refused("You did nothing here yet.")
        picked = await self.review.pick("What you did, newest first", choices)
        cell = int(picked.split()[1])
        if cell == WHOLE_AUDIT:
            raise Refused(OF_THE_WHOLE)
        self._open(cell)

    # -- reading ----------------------------------------------------------------------------------

    def _help(self) -> None:
        """Prints the keys of the day as this cell has them; pressed again, every key."""
        names = self._console.names
        if self._is_again or self._console.unasked() == names.get("help"):
            self._list_every_key()
            return
        commands = self._commands[self.cell.subject.kind.name]
        texts = {**self._kind.first_keys()}
        texts |= {name: commands[name].lines for name in OF_THE_DAY if name in commands}
        for name, text in texts.items():
            if names.get(name):
                self._tell_key(names[name], text)
        self._console.say("{help:?} again lists every key.")

    def _tell_key(self, name: str, text: str) -> None:
        self._console.show(Paragraph(text, f"{name:<12}", "key", hang=13))

    def _list_every_key(self) -> None:
        on_keys = {key.id for key in self.review.keys}
        palette = self._console.names.get("palette", "")
        by_name = {}
        for commands in self._commands.values():
            for key in commands.values():
                if key.id not in on_keys:
                    by_name[key.id] = replace(key, shown=f"{palette} {key.label}")
        for key in (*self.review.keys, *by_name.values()):
            self._tell_key(key.shown, key.lines)

    # -- changing ---------------------------------------------------------------------------------

    def _changed(self, change: Change) -> None:
        """Takes in every change: the labels in hand are those that were kept."""
        if change.no != self._no or change.before.facts == change.after.facts:
            return  # of another cell, or a reply to a blind one
        self._before = change.before
        self._cell = change.after
        fresh = change.before.labels is None and not change.after.edits
        self._kind.show(change.after, fresh=fresh)
        fact = change.reversed_facts[0] if change.reversed_facts else change.after.facts[-1]
        if isinstance(fact.what, Corrected):
            turned = bool(change.reversed_facts)
            self._kind.follow(fact.what.edit, change.before, turned=turned)

    def _correct(
        self,
        items: Sequence[Sequence[Any]],
        done: str = "changed",
        *,
        repeated: bool = False,
        note: str = "",
    ) -> bool:
        """Makes corrections, says what changed, and the numbers on one line."""
        try:
            text, changes = self.acts.correct(
                self._no, self._kind.items, items, done, repeated=repeated, note=note
            )
        except (Refused, NotKept) as refusal:
            self._console.say(str(refusal))
            return False
        if changes and len(items) == 1:
            change = changes[0]
            for fact in change.after.facts[len(change.before.facts) :]:
                self._console.say(sentence(brief(describe(self.cell, fact))))
        if text:
            self._console.say(text)
        if changes:
            self._tell_numbers()
            self._is_shown = False
        return bool(changes)

    def _tell_numbers(self) -> None:
        source = self._kind.labelled_by
        marks = self._console.marks
        self._console.say(cell_reading.numbers(self._before, self.cell, source, marks))

    def _comment(self) -> None:
        self.acts.may_change()
        text = self._console.ask("Comment> ").strip()
        if not text:
            raise Left
        self._console.say(self.acts.comment(self._no, text))

    async def _add_instruction(self) -> None:
        """Drafts a further instruction, says what it changes, and takes it after a yes."""
        self.acts.may_change()
        workspace = self.bench.workspace
        subject = self.cell.subject
        lists = drafts.growing(subject.trait)
        if not lists:
            raise Refused(NO_INSTRUCTIONS)
        of = next(iter(lists))
        if len(lists) > 1:
            choices = [Choice(name, "", asks) for name, asks in lists.items()]
            of = await self.review.pick(f"A new instruction of {subject.trait.name}", choices)
        words = (await self.review.line(f"New instruction: {lists[of]}")).strip()
        if not words:
            raise Left
        added = drafts.add_instruction(workspace, subject, of, words)
        taken = False
        try:
            rubric = added.draft.read().usable()
            self._tell_rewritten(rubric)
            taken = self._console.ask("y takes it, Enter gives up> ").strip() == "y"
            if taken:
                text = drafts.describe(self.bench.revise(rubric))
                text += " {cell.undo:u} takes it back."
                drafts.settle(workspace, added.draft)
        except Unusable as wrong:
            raise Refused(wording(wrong)) from wrong
        finally:
            if not taken:
                drafts.take_back(workspace, added)
        if not taken:
            raise Left
        self._open(self._no)
        self._console.say(text)

    def _tell_rewritten(self, rubric: Rubric) -> None:
        """What a draft would change, and what that loses."""
        workspace = self.bench.workspace
        marks = self._console.marks
        found = revision.look(workspace, rubric)
        for name, changes in drafts.rewritten(workspace.rubric, rubric).items():
            for _, was, now in changes:
                for mark, words in ((marks.minus, was), (marks.added, now)):
                    if words:
                        self._console.show(Paragraph(words, f"{name} {mark}"))
        says = filter(None, (f"{many(found.cells, 'cell')} to judge again", drafts.lost(found)))
        self._console.say(f"{'; '.join(says)}.")

    async def _reason(self) -> None:
        of, given = self.acts.last_correction(self._no)
        text = await self.review.pick(
            f"Why {brief(describe(self.cell, of))}",
            reason_choices(self._settings.reasons, given),
            none=NO_REASON.text,
            on_none=True,
            free=is_reason,
        )
        self._console.say(self.acts.reason(self._no, of, text))

    def _turn(self, which: Direction) -> None:
        trace_no = self.bench.workspace.cells.trace_of(self._no)
        turned = self.acts.undo_or_redo(which, [self._no])
        self._console.say(turned.text)
        if not turned.changes:
            self._open(self.bench.cell_or_sibling(self._no, trace_no))
            return
        if all(one.no != self._no for one in turned.changes):
            self._open(turned.changes[0].no)
            return
        self._tell_numbers()
        self._is_shown = False

    def _sign(self) -> None:
        """Signs the cell off, asking once where something speaks against it, and goes on."""
        if not self.cell.signed:
            hidden = self.cell.hidden
            seconds = monotonic() - self._opened
            self.acts.sign(self._no, self._kind.items, seconds, key="{cell.sign:a}")
            if hidden and self.cell.contest is None:
                self._is_shown = True
                self._reading.beside_judge(self.cell)
                return
            self._reading.signed(self._no)
        self._unreviewed(1, signed=True)

    def _judge(self) -> None:
        before = self.cell.labels
        self._talk(self._judging.control.judge_one(self._no))
        if self.cell.labels is not before:
            self._tell_cell()

    # -- keeping ----------------------------------------------------------------------------------

    def _keep_position(self) -> None:
        with suppress(NotKept):
            if self._cell is not None:
                self.bench.keep_position(Position(self._no, *self._kind.place))

    def _save(self) -> None:
        self.acts.may_change()
        try:
            self.bench.save()
        except (NotWritten, NotKept) as refusal:
            raise Refused(str(refusal)) from refusal
        self._console.say(f"Exported: {self.bench.audit}")

    def _quit(self) -> None:
        raise AskedToLeave

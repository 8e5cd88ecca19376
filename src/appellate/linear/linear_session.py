"""Runs a review in line mode: opens cells, waits for keys, and carries out what each one does.

`appellate review --lines` runs a `LinearSession`. Its parts are `CellsInOrder` (which cell is
next), `LinearRuling` (contested cells) and `JudgingNow` (the judge); `CellReading` prints what is
read, `LinearReview` asks, and the lines of each kind of trait correct its items.
"""

import asyncio
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from time import monotonic
from typing import Any, Literal

from msgspec.structs import replace

from appellate.core.cell import Cell
from appellate.core.deciding import WAITS_FOR_PERSON
from appellate.core.describe import describe
from appellate.core.facts import Corrected
from appellate.core.kind import Instruction
from appellate.core.problem import Refused, Unusable, many, with_keys, wording
from appellate.core.trace import Trace, name_of
from appellate.judging.choice import JudgeChoice
from appellate.judging.control import JudgeControl
from appellate.judging.questions import CellScope
from appellate.judging.run import BrokenDown, Run
from appellate.linear import cell_reading
from appellate.linear.cell_reading import CellReading
from appellate.linear.console import (
    BACKSPACE,
    DOWN,
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
from appellate.stats.whole_number import whole_number
from appellate.store.audits import revision
from appellate.store.audits.audit_sync import NotWritten
from appellate.store.cell_names import cell_called, instead_of, likeliest_cell
from appellate.store.cells import StepDirection
from appellate.store.database import NotKept
from appellate.store.fact_rows import WHOLE_AUDIT
from appellate.store.files import draft as drafts
from appellate.store.queue import (
    FoundQueue,
    LoadedQueue,
    Queue,
    first_open,
    look_up,
    unsearchable,
    vocabulary,
)
from appellate.traits.kinds import module_of
from appellate.traits.rubric import Rubric
from appellate.traits.unread import NOTHING_UNREAD, beside_response
from appellate.ui.caps_lock import REPEATED, CapsLock
from appellate.ui.commands import KEYS
from appellate.ui.contract import (
    NO_REASON,
    Choice,
    is_reason,
    reason_choices,
    step_named,
)
from appellate.ui.conversation import Conversation, Left
from appellate.ui.key import Key, first_names, in_group
from appellate.ui.kind_lines import KindLines, Paragraph
from appellate.ui.marks import in_quotes, spelt

COMPARED_ON_SCREEN = (
    "What judges proposed can be compared on the screen only: appellate review"
    " without --lines."
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
"""The commands that only line mode has, besides those of `ui/commands.py` and of the kinds."""
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
"""The ids of the keys that `?` prints at first, after those with which the kind is corrected."""
ALIASES = {
    ENTER: "lines.down",
    DOWN: "lines.down",
    UP: "lines.up",
    RIGHT: "cell.next",
    LEFT: "cell.previous",
    "w": "save",
    "#": "item.replace",
}
"""More keys, each with the id of its command; a command's own key goes before them."""
MOVES = {
    "bucket.previous": "lines.up",
    "bucket.next": "lines.down",
    "verdict.over": "lines.down",
}
"""Commands that move about the screen, with what line mode does instead; sentences name them."""
RULING_CHOICES = [
    Choice("0", "1", "all of 1"),
    Choice("1", "2", "all of 2"),
    Choice("rows", "r", "row by row"),
]


class LinearRuling:
    """Rules on contested cells: prints both label sets, and asks which of them holds."""

    def __init__(
        self,
        bench: Workbench,
        console: Console,
        review: LinearReview,
    ) -> None:
        """Rule on cells of `bench`, print at `console`, and let `review` ask."""
        self._bench = bench
        self._console = console
        self._review = review

    def tell_contest(self, cell: Cell) -> None:
        """Print that two reviewers differ on a cell, if it awaits a ruling; else print nothing.

        Raises AskedToLeave if the terminal or pipe was closed.
        """
        if cell.contest and cell.hidden:
            self._console.say(
                "Two reviewers differ here: {cell.proposals:V} shows both, and asks which holds.",
            )

    async def rule(self, no: int) -> None:
        """Print the two label sets of a cell, ask which holds, and lock that as the verdict.

        Only the questions that they answer differently are printed. Then it is printed whose labels
        the verdict took and how many cells are left. Of a cell that is ruled on already the verdict
        is printed, too, and nothing is asked; in a session that only reads nothing is asked either.
        If the person wants to label the cell themselves, it prints how and locks nothing. Raises
        Refused for a cell that is not contested, or if the verdict cannot be locked, NotKept, and
        Left at Esc. The question may also raise EOFError, KeyboardInterrupt or AskedToLeave.
        """
        adjudicating = Adjudicating(self._bench)
        contested = adjudicating.cell(no)
        if contested.cell.contest is None:
            raise Refused(COMPARED_ON_SCREEN)

        names = adjudicating.names(contested.cell)
        started = monotonic()
        for question in contested.questions:
            self._tell_answers(contested, question, names)
        if not contested.cell.hidden:
            self._console.say(f"Ruled. {adjudicating.describe_sided(contested.cell)}")
            return
        if self._bench.readonly:
            return
        if not await self._pick_labels(contested):
            self._console.say("Label it, then {cell.sign:a} rules on it.")
            return

        change = adjudicating.rule(contested, "", monotonic() - started)
        remaining = many(len(adjudicating.unruled_nos), "cell")
        sided = adjudicating.describe_sided(change.after)
        self._console.say(
            f"Ruled. {sided} {{item.reason:r}} says why. "
            f"{remaining} left: {{unreviewed.next:n}} opens the next.",
        )

    async def _pick_labels(self, contested: ContestedCell) -> bool:
        """Ask which label set holds, as a whole or row by row, and pick it in `contested`.

        It returns whether there is something to rule: False if the person wants to label the cell
        themselves, with nothing picked. If the cell has labels, they may be chosen, too: then True
        is returned and nothing is picked. Neither the label sets nor what comes next is printed.
        Raises Refused for an answer that cannot be picked by itself, and Left at Esc. The question
        may also raise EOFError, KeyboardInterrupt or AskedToLeave.
        """
        own_labels = "none: label the cell yourself"
        sign_key = self._console.names.get("cell.sign", "a")
        if sign_key:
            own_labels += f", {sign_key} then rules"
        choices = [*RULING_CHOICES, Choice("own", "e", own_labels)]
        if contested.cell.labels is not None:
            choices.append(Choice("mine", "m", "the labels that you made in the cell"))
        picked = await self._review.pick("What holds", choices)
        if picked == "own":
            return False
        if picked == "rows":
            for question in contested.questions:
                answers = []
                for side in BOTH:
                    answer = contested.sides[side].word(question)
                    number = str(side + 1)
                    answers.append(Choice(str(side), number, answer))
                picked_side = int(await self._review.pick(question.text, answers))
                contested.pick(picked_side, question)
        elif picked != "mine":
            contested.pick(int(picked))
        return True

    def _tell_answers(
        self,
        contested: ContestedCell,
        question: Instruction,
        names: Sequence[str],
    ) -> None:
        """Print a question and both reviewers' answers, each with its excerpts in quotation marks.

        `names` are the reviewers', in the order of the answers. Question and excerpts are printed
        as they are spelt. Once the cell is ruled on, the answer that was locked comes last, as
        `verdict: found`, or `verdict: found, now missing` if it was changed since. Raises
        AskedToLeave if the terminal or pipe was closed.
        """
        show = self._console.show
        marks = self._console.marks
        show(Paragraph(question.text, quoted=True))
        response = contested.cell.subject.text
        for side in BOTH:
            label_set = contested.sides[side]
            excerpts = []
            for start, end in label_set.grounds(question).spans:
                excerpt = in_quotes(response[start:end], marks)
                excerpts.append(excerpt)
            text = spelt(label_set.word(question), marks)
            if excerpts:
                quoted = " ".join(excerpts)
                text += f": {quoted}"
            label = f"  {names[side]}:"
            show(Paragraph(text, label, "key", quoted=True))
        if not contested.cell.hidden:
            show(Paragraph(f"  {contested.verdict(question)}"))


class CellsInOrder:
    """The cells in the order in which the keys go through them: all, or those of a filter."""

    def __init__(self, bench: Workbench) -> None:
        """Begin with all cells, in the order loaded, without a filter."""
        self._bench = bench
        self._queue: Queue = LoadedQueue(bench.workspace)
        self.is_filtered = False

    def narrow(self, text: str, order: str, seed: int) -> int:
        """Go through the cells that a query matches from now on; return how many they are.

        An empty query matches all, and is no filter. If no cell matches, it returns 0 and the cells
        and the filter stay what they were. `order` and `seed` are those of the settings. Nothing is
        printed or opened. Raises Refused for a query or a workspace that cannot be read; the cells
        stay then, too.
        """
        workspace = self._bench.workspace
        if not text and order == "loaded":
            self._queue = LoadedQueue(workspace)
            self.is_filtered = False
            return len(self._queue)
        try:
            query = parse(text, vocabulary(workspace.path))
            matches = look_up(workspace.path, query, order, seed, self._bench.reviewer)
        except QueryUnreadable as unreadable:
            raise Refused(f"The filter cannot be read. {unreadable}") from unreadable
        except sqlite3.Error as error:
            raise Refused(unsearchable(error)) from error
        if len(matches.numbers):
            self._queue = FoundQueue(workspace, matches)
            self.is_filtered = bool(text)
        return len(matches.numbers)

    def step(self, no: int, by: StepDirection) -> int:
        """Return the number of the next cell in this order, or the previous one if `by` is -1.

        `no` is the number of the current cell. From a cell that the filter leaves out, the step is
        to the first cell of the filter, or to its last cell if `by` is -1. Raises Refused at either
        end of the order, and says which.
        """
        return self._or_refuse(self._queue.step(no, by), "cell", by)

    def step_trace(self, no: int, by: StepDirection) -> int:
        """Return the first cell of the trace after this one, or before it if `by` is -1.

        Cells are given by number; `no` is the current one. A trace that comes again later in the
        order counts as another one. From a cell that the filter leaves out, the step is to the
        first cell of the filter, or to its very last cell if `by` is -1. Raises Refused at either
        end of the order, and says which.
        """
        return self._or_refuse(self._queue.step_trace(no, by), "trace", by)

    def _or_refuse(
        self,
        cell_no: int | None,
        unit: Literal["cell", "trace"],
        by: StepDirection,
    ) -> int:
        """Return a cell's number as it is; raises Refused if it is None: there is no such step.

        The message says that this is the last `unit`, or the first one if `by` is -1. With a filter
        it says which key widens that.
        """
        if cell_no is not None:
            return cell_no
        end = "last" if by > 0 else "first"
        sentence = f"This is the {end} {unit}{self.filter_note}."
        raise Refused(sentence)

    @property
    def filter_note(self) -> str:
        """The words ` of this filter ({queue.filter:f} widens it)`, or "" without a filter.

        They go after "cell" or a full clause in a sentence, into which `Console.say` puts the
        person's key.
        """
        if not self.is_filtered:
            return ""
        return " of this filter ({queue.filter:f} widens it)"

    def step_unreviewed(self, no: int, by: StepDirection) -> int | None:
        """Return the number of the next cell that is not signed off; `by` -1 looks backwards.

        Only cells of the filter count, in their order. `no` is the number of the current cell.
        After the last cell comes the first, so it may be the cell `no` itself. From a cell that the
        filter leaves out, it looks from the first cell of the filter on, or from its last back if
        `by` is -1. Returns None if all of them are signed off.
        """
        return self._queue.next_open(no, by) or first_open(self._queue, by)

    def cell_named(self, name: str) -> int:
        """Return the cell that a person names, inside or outside the filter.

        A name is that of a trace, of a trace and a trait, or `cell 3`. The name or number of a
        trace, or a part of its id, means its first cell. Of several traces that have the part the
        most likely one is meant: nothing is asked. Raises Refused if there is no such cell, with
        names that are like it.
        """
        workspace = self._bench.workspace
        cell_no = cell_called(workspace, name)
        if cell_no is None:
            cell_no = likeliest_cell(workspace, name)
        if cell_no is not None:
            return cell_no

        wrong, instead = instead_of(workspace, name)
        first_letter = wrong[0].upper()
        sentences = f"{first_letter}{wrong[1:]}. {instead}"
        raise Refused(sentences.strip())


_PROGRESS_SECONDS = 5.0
"""Seconds between two lines about the progress of a long run."""


def _is_yes(answer: str) -> bool:
    """Return whether an answer is y or Y; blanks around it do not count."""
    return answer.strip() in ("y", "Y")


class JudgingNow:
    """Runs the judge while the person waits; Ctrl+C stops it, and the labels so far are saved."""

    is_on = False
    """Whether a run goes on while keys are pressed: never in line mode."""

    def __init__(self, bench: Workbench, choice: JudgeChoice, console: Console) -> None:
        """Prepare to ask `choice.judge` about cells of `bench`; nothing runs yet.

        `control` starts runs, and asks and says at `console` what concerns them.
        """
        self._bench = bench
        self._choice = choice
        self._console = console
        self.say = console.say
        self.control = JudgeControl(bench, choice, self, self)

    async def confirm(self, question: str) -> bool:
        """Print a question, wait for a key and return whether it was y or Y; any other key is a no,
        Esc too.

        What followed the last key on its line of a pipe is the answer, without waiting, as in "J
        y". Raises EOFError at the end of the input, KeyboardInterrupt at Ctrl+C, or AskedToLeave.
        """
        self._console.say(question)
        answer = self._console.take_rest_of_line()
        if not answer:
            answer = self._console.key("y does it, any other key does not> ")
        return _is_yes(answer)

    def begin(
        self,
        cells: CellScope,
        *,
        computing: bool = False,
        code: bool = False,
    ) -> None:
        """Have the cells of a scope that wait for labels judged, and return when the run has ended.

        Those are cells without a judge's labels and those that an open round judges again. The one
        cell of `CellScope.only` is judged even if it was before. If `computing`, only rules and
        code run, and no judge is asked. Without `code`, scorers that are other people's code do not
        run. Its progress and result are printed, and what broke it off: no NotKept or BrokenDown
        leaves it.

        Ctrl+C only stops it, and answers that came are saved; another signal stops it, too, and
        acts at the next question. Raises Refused if a judge is needed and none was named, and
        AskedToLeave if the terminal or pipe was closed.
        """
        choice = self._choice
        if not code:
            choice = replace(choice, code=None)
        try:
            # a conversation may begin it, which no loop runs
            asyncio.run(self._run(choice, cells, computing=computing))
        except (NotKept, BrokenDown) as error:
            # Ctrl+C was for the run, and would keep the sentence from being printed
            self._console.forget_interrupts()
            self._console.say(f"The judge was stopped: {error}")

    async def _run(
        self,
        choice: JudgeChoice,
        cells: CellScope,
        *,
        computing: bool,
    ) -> None:
        """Run the judge over the cells of a scope that wait for labels; print its progress and the
        result.

        Progress is printed every few seconds. If `computing`, only rules and code run over them and
        no judge is needed or asked. Any signal stops it, and answers that came are saved. Ctrl+C is
        then forgotten and the result is printed, unless this raises. After another signal it is
        not, and that signal acts at the next question. Raises Refused if there is no judge, unless
        `computing`; NotKept if an answer cannot be saved, BrokenDown if the judge itself fails, and
        AskedToLeave if the terminal or pipe was closed.
        """
        self._console.say("The judge is running: Ctrl+C stops it.")
        printed_at = monotonic()
        async with Run(self._bench, choice, cells, computing=computing) as running:
            async for _ in running:
                if self._console.has_waiting_signal:
                    break
                if monotonic() - printed_at > _PROGRESS_SECONDS:
                    printed_at = monotonic()
                    done = running.progress.done
                    left = running.progress.left or 0
                    total = done + left
                    self._console.say(f"Judged {done} of {total}; Ctrl+C stops.")
        progress = running.progress  # with the answers that leaving the run saved
        self._console.forget_interrupts()

        recorded_count = progress.done - progress.unrecorded
        text = f"Judged {many(recorded_count, 'cell')}"
        if progress.unrecorded:
            text += f", {progress.unrecorded} came without labels"
        if progress.failed:
            text += f", {progress.failed} failed"
        self._console.say(f"{text}.")
        for dead_judge in progress.dead:
            self._console.say(dead_judge.sentence)


MOST_ACTS = 12
"""Acts that the history lists."""
LONGEST_ACT = 60
"""Characters of an act in that list."""


LEAVES = 0
"""The exit code of a session that the person left."""
INTERRUPTED = 130
"""The exit code after Ctrl+C twice."""
TYPED = {ENTER: "enter", BACKSPACE: "backspace"}
"""The names that `CapsLock` has for keys which send no letter."""
DONE = "Every cell is signed off. {quit:q} exports the audit; {session:S} shows the numbers."
NO_INSTRUCTIONS = (
    "Only a metric trait can get one here; for others: `appellate judge AUDIT"
    " --revise RUBRIC`."
)
JUDGED_AGAIN = "Judging again is done by `appellate judge AUDIT --again`."


def lines_of(kind: str) -> type[KindLines]:
    """Return the class that prints and corrects the cells of a kind, by the kind's name.

    For a kind without one it is `KindLines`, which prints no items.
    """
    module = module_of(kind, "linear")
    lines: type[KindLines] = module.LINES if module else KindLines
    return lines


_LEADING_AWAY = frozenset(
    (
        *("cell.next", "cell.previous", "trace.next", "trace.previous", "trace.go"),
        *("unreviewed.next", "unreviewed.previous", "queue.filter", "bookmarks"),
        *("history", "session", "palette", "help", "save", "quit"),
    ),
)
"""The ids of commands that show and change nothing of the open cell."""


class LinearSession:
    """The review of one audit by one person, or one agent, at a console."""

    def __init__(
        self,
        bench: Workbench,
        session: ReviewSession,
        settings: Settings,
        console: Console,
        choice: JudgeChoice,
        overrides: Mapping[str, str] | None = None,
    ) -> None:
        """Prepare a review at `console`; nothing is read from it or printed before `run`.

        `overrides` are the person's own keys by the ids of commands, "" for no key. It sets the
        console's `names` to the names of the keys that result, so sentences printed from now on use
        them.
        """
        self.bench = bench
        self._settings = settings
        self._console = console
        self._known_prompts = choice.known_prompts
        self._judging = JudgingNow(bench, choice, console)
        self._cells = CellsInOrder(bench)
        self._no = 0
        """The number of the open cell; 0 before one is open."""
        self._trace = Trace(id="-")
        self._cell: Cell | None = None
        self._opened_at = monotonic()
        self._is_item_printed = False
        """Whether the item under the cursor was printed since it last changed."""
        self.review = LinearReview(
            console,
            readonly=bench.readonly,
            correct=self._correct,
            cell_no=lambda: self._no,
            trace=lambda: self._trace,
        )
        self._kinds: dict[str, KindLines] = {}
        """The lines of each kind in the rubric, by the kind's name."""
        self._commands: dict[str, dict[str, Key]] = {}
        """The commands by the name of a kind, then by their ids."""
        self._keys: dict[str, dict[str, Key]] = {}
        """The commands by the name of a kind, then by what their keys send."""
        overrides = overrides or {}
        kind_names = {kind.name for kind, _ in bench.workspace.rubric.every_trait()}
        for kind_name in sorted(kind_names):
            lines = lines_of(kind_name)(self.review)
            self._kinds[kind_name] = lines
            # of two commands with one id, the bench's counts
            commands = {key.id: key for key in (*lines.KEYS, *OF_BENCH) if key.lines}
            self._commands[kind_name] = commands
            self._keys[kind_name] = self._by_key(commands, overrides)
        self._name_keys(overrides)
        self.acts = Acts(bench)
        self._last_key_id = ""
        """The id of the command of the key before the one that acts now; "" if it had none."""
        self._caps_lock = CapsLock(self._repeated_keys())
        self._reading = CellReading(
            bench,
            session,
            console,
            self.review,
            self._known_prompts,
        )
        self._ruling = LinearRuling(bench, console, self.review)
        self._acts = self._acts_by_id()

    @staticmethod
    def _by_key(
        commands: Mapping[str, Key],
        overrides: Mapping[str, str],
    ) -> dict[str, Key]:
        """Return commands by what their keys send; of two commands on one key the first has it.

        `overrides` are the person's own keys by the ids of commands, and go first; "" leaves a
        command without any key. If none of a command's own keys can arrive at a console, its usual
        ones stay. Keys of `ALIASES` that are still free then call their commands, too.
        """
        by_key: dict[str, Key] = {}
        for key in sorted(commands.values(), key=lambda key: key.id not in overrides):
            bound_keys = overrides.get(key.id, key.keys)
            if not bound_keys:
                continue
            for sent in sent_by(bound_keys) or sent_by(key.keys):
                by_key.setdefault(sent, key)
        for sent, key_id in ALIASES.items():
            if key_id in commands and overrides.get(key_id) != "":
                by_key.setdefault(sent, commands[key_id])
        return by_key

    def _repeated_keys(self) -> set[str]:
        """Return what the keys send that people press several times on purpose, as {"N", "U"}."""
        repeated: set[str] = set()
        for by_key in self._keys.values():
            for sent, key in by_key.items():
                if key.id in REPEATED:
                    repeated.add(sent)
        return repeated

    def _name_keys(self, overrides: Mapping[str, str]) -> None:
        """Name each command's keys: set `review.keys` and, for sentences, the console's `names`.

        `review.keys` has only commands that are on a key, those of the kinds first, with all their
        keys as `shown`, such as "j Enter Down". `names` has the first key of each, "" for a command
        that `overrides` takes all keys from, and for the ids of `MOVES` the keys that stand in.
        """
        names: dict[Key, dict[str, None]] = {}
        for by_key in self._keys.values():
            for sent, key in by_key.items():
                names_of_key = names.setdefault(key, {})
                names_of_key[name_of_key(sent)] = None

        kinds_first = sorted(names, key=lambda key: key in OF_BENCH)
        keys: list[Key] = []
        for key in kinds_first:
            shown = " ".join(names[key])
            keys.append(replace(key, shown=shown))
        self.review.keys = keys

        key_names: dict[str, str] = {}
        for key_id, own_keys in overrides.items():
            if not own_keys:
                key_names[key_id] = ""
        key_names |= first_names(keys)
        for screen_id, line_id in MOVES.items():
            key_names[screen_id] = key_names.get(line_id, "")
        self._console.names = key_names

    @property
    def cell(self) -> Cell:
        """The open cell as people may see it; raises LookupError before one is open."""
        if self._cell is None:
            raise LookupError("no cell is open yet")
        return self._cell

    @property
    def _is_withheld(self) -> bool:
        """Whether an agent reviews, and the open cell waits for a person's blind ruling."""
        return self.bench.as_agent and self.cell.hidden

    @property
    def _kind(self) -> KindLines:
        """The lines of the open cell's kind."""
        return self._kinds[self.cell.subject.kind.name]

    # -- the session ------------------------------------------------------------------------------

    def run(self, notes: Sequence[str]) -> int:
        """Greet the person, carry out their keys until they leave, and return the exit code.

        `notes` are sentences to print at the beginning. The code is 0 after the key to quit, at the
        end of the input and when the terminal was closed. It is `INTERRUPTED` after Ctrl+C twice,
        or once during the greeting unless that stopped a running judge. It is 128 and its number
        after another signal. At the end it is saved where the person is.
        """
        with self._console.open():
            self.bench.listeners.append(self._take_change)
            try:
                self._carry_out_keys(notes)
            except EOFError:
                return LEAVES
            except AskedToLeave as leaving:
                return 128 + leaving.number if leaving.number else LEAVES
            else:
                return INTERRUPTED
            finally:
                self._keep_position()

    def _carry_out_keys(self, notes: Sequence[str]) -> None:
        """Greet the person, and carry out keys until Ctrl+C comes twice in a row.

        During the greeting once is enough, except that it only stops a judge that is running. Later
        the first one clears the selected words and is answered with how to quit. Raises EOFError or
        AskedToLeave if the person leaves otherwise.
        """
        try:
            self._greet(notes)
        except KeyboardInterrupt:
            return
        is_second_interrupt = False
        while True:
            try:
                self._one_key()
                is_second_interrupt = False
            except KeyboardInterrupt:
                if is_second_interrupt:
                    return
                is_second_interrupt = True
                self.review.words = None
                self._console.say(
                    "\n{quit:q} exports the audit and quits; Ctrl+C again does, too.",
                )

    def _greet(self, notes: Sequence[str]) -> None:
        """Print how far the audit is and the notes, judge what is missing, print the first cell.

        This is the order in which it is done. Before cells are judged or computed the person is
        asked, if requests are sent or code of others runs. The first cell is where the person was
        last, with the cursor on the same item. If the order of cells cannot be read, that is
        printed and they stay as loaded. Raises EOFError, KeyboardInterrupt or AskedToLeave from the
        question.
        """
        totals = self.bench.workspace.totals()
        signed_off = totals.get("state:reviewed", 0)
        cells = many(totals.get("cells", 0), "cell")
        text = f"{cells}, {signed_off} signed off. {{help:?}} lists the keys."
        text = with_keys(text, self._console.names)
        audit_name = self.bench.audit.name
        self._console.show(Paragraph(text, f"{audit_name}:"))
        for note in notes:
            self._console.say(note)
        settings = self._settings
        if settings.order != "loaded":
            try:
                self._cells.narrow("", settings.order, settings.seed)
            except Refused as refusal:
                self._console.say(wording(refusal))
        start = self.bench.position()
        self._talk(self._judging.control.begin(start.cell))
        self._load_cell(start.cell)
        self._kind.go(start.pane, start.item)
        self._tell_cell()

    def _one_key(self) -> None:
        """Print the current item if it is not printed yet, wait for a key, and carry it out.

        At a terminal the third of three quick capitals, and what follows without a pause, is taken
        for typed words: that is printed, and they are not carried out. The first two capitals were.
        Refused, Left and NotKept are
        printed and not raised. What of a pipe's line no question took is printed as not read and
        dropped, and where the person is is saved. Raises KeyboardInterrupt, EOFError and
        AskedToLeave.
        """
        if not self._is_item_printed:
            self._tell_item()
        sent = self._console.key(self._prompt)
        if self._console.by_keys:
            name = TYPED.get(sent, sent)
            if self._caps_lock.doubts(name, sent, self._console.key_arrived_at):
                self._console.say(self._caps_lock.sentence)
                return
        kind_name = self.cell.subject.kind.name
        self._act_on_key(sent, self._keys[kind_name].get(sent))

    def _act_on_key(self, sent: str, key: Key | None) -> None:
        """Carry out a key, print what went wrong or was not read, and save where the person is.

        `sent` is what the key sends, `key` its command or None. Without a command Esc clears
        selected words and marks silently, and of another key it is printed that it does nothing.
        What is refused, cancelled or cannot be saved is printed, and so is what of a pipe's line no
        question took. Another command than the last one withdraws the leave to do what was refused
        once with a warning. Raises KeyboardInterrupt, EOFError and AskedToLeave; where the person
        is is not saved then.
        """
        key_id = key.id if key is not None else ""
        if key_id != self._last_key_id:
            self.acts.forget_doubt()

        try:
            if key is not None:
                self._do(key)
            elif sent == ESCAPE:
                self.review.words = None
                self._kind.clear_marks()
            else:
                self._console.say(
                    f"{name_of_key(sent)} does nothing here: {{help:?}} lists the keys.",
                )
        except Left:
            self._console.say("Cancelled: nothing was changed.")
        except (Refused, NotKept) as failure:
            self._tell_failure(failure)
        finally:
            self._last_key_id = key_id

        unread = self._console.take_rest_of_line()
        if unread:
            text = f"“{unread}” was not read: a line is one key."
            if f"{sent}{unread}".isupper():
                text += " Is Caps Lock on?"
            self._console.say(text)
        self._keep_position()

    def _tell_failure(self, failure: Refused | NotKept) -> None:
        """Print the reason of a refusal and nothing else, or that something could not be saved and
        why.

        Only for the latter it is added that nothing was changed. Raises AskedToLeave if the
        terminal or pipe was closed.
        """
        if isinstance(failure, Refused):
            self._console.say(wording(failure))
        else:
            self._console.say(f"NOT SAVED: {failure}. Nothing was changed.")

    @property
    def _prompt(self) -> str:
        """The prompt for a key: `item 2/5> `, or `no items> ` in a cell without items.

        While words are selected it is `item 2/5, words selected> `, or `no items, words selected>
        `.
        """
        text = "no items"
        kind = self._kind
        if kind.count:
            item_no = kind.at + 1
            text = f"item {item_no}/{kind.count}"
        if self.review.selecting:
            text += ", words selected"
        return f"{text}> "

    def _do(self, key: Key) -> None:
        """Carry out the command of a key: the session's own, else that of the kind's lines.

        In a cell that is withheld from an agent it raises Refused for all but what leads away from
        it. Raises what the command and its questions raise: Refused, NotKept, Left, EOFError,
        KeyboardInterrupt, or AskedToLeave, with which a person also quits.
        """
        if self._is_withheld and key.id not in _LEADING_AWAY:
            raise Refused(WAITS_FOR_PERSON)
        if key.id in self._acts:
            self._acts[key.id]()
        else:
            self._talk(self._kind.does(key))

    async def _run_command_by_name(self) -> None:
        """Ask for words of a command of the open cell's kind or of the bench, and carry it out.

        The words are looked for in a command's name and in what it does, in any order; case does
        not count. A command with exactly this name is taken; if several have all the words, it asks
        which. Raises Refused if none has them, Left if nothing is typed or none of these is picked,
        and what the command raises. The question may also raise EOFError, KeyboardInterrupt or
        AskedToLeave.
        """
        typed = self._console.ask("What to do (words of it)> ").casefold().strip()
        if not typed:
            raise Left
        kind_name = self.cell.subject.kind.name
        commands = self._commands[kind_name]
        words = typed.split()
        matches = []
        for key in commands.values():
            text = f"{key.label}: {key.lines}"
            choice = Choice(key.id, "", text)
            if key.label.casefold() == typed:
                matches = [choice]
                break
            folded = text.casefold()
            if all(word in folded for word in words):
                matches.append(choice)
        if not matches:
            raise Refused(
                f"No command has “{typed}” in its name: {{help:?}} lists them.",
            )

        key_id = matches[0].key
        if len(matches) > 1:
            key_id = await self.review.pick(
                "Which",
                matches,
                none="nothing",
                on_none=True,
            )
        if not key_id:
            raise Left
        self._do(commands[key_id])

    def _talk(self, conversation: Conversation) -> None:
        """Run a coroutine that never waits for an event loop to its end; line mode's questions need
        none.

        What it returns is dropped, and what it raises passes through.
        """
        with suppress(StopIteration):
            conversation.send(None)

    def _acts_by_id(self) -> Mapping[str, Callable[[], object]]:
        """Return what the session's own commands do, by their ids: functions without arguments.

        Commands of the kinds are not among them. A function has carried its command out when it
        returns: there is nothing to await, and what it returns means nothing. That the cell is
        withheld from an agent is for the caller to ask. A function raises Refused, NotKept or Left
        if its command does, and EOFError, KeyboardInterrupt or AskedToLeave where the person
        leaves.
        """
        talk = self._talk
        return {
            "lines.down": partial(self._step_item, 1),
            "lines.up": partial(self._step_item, -1),
            "jump": self._go_to_item,
            "line.items": lambda: self._console.show(*self._kind.listed()),
            "text.select": lambda: talk(self.review.select()),
            "item.reason": lambda: talk(self._ask_reason()),
            "cell.comment": self._ask_comment,
            "cell.comments": lambda: self._console.show(*cell_reading.story(self.cell)),
            "cell.flag": lambda: self._console.say(self.acts.flag(self._no)),
            "cell.proposals": lambda: talk(self._ruling.rule(self._no)),
            "cell.undo": partial(self._undo_or_redo, "undo"),
            "cell.redo": partial(self._undo_or_redo, "redo"),
            "cell.sign": self._sign_off,
            "cell.next": lambda: self._open_cell(self._cells.step(self._no, 1)),
            "cell.previous": lambda: self._open_cell(self._cells.step(self._no, -1)),
            "trace.next": lambda: self._open_cell(self._cells.step_trace(self._no, 1)),
            "trace.previous": lambda: self._open_cell(
                self._cells.step_trace(self._no, -1),
            ),
            "unreviewed.next": partial(self._open_unreviewed, 1),
            "unreviewed.previous": partial(self._open_unreviewed, -1),
            "trace.go": self._go_to_trace_or_step,
            "cell.bookmark": self._toggle_bookmark,
            "bookmarks": lambda: talk(self._pick_bookmark()),
            "history": lambda: talk(self._pick_from_history()),
            "queue.filter": self._ask_filter,
            "line.page": lambda: self._reading.page(self._trace),
            "line.cell": self._tell_cell,
            "text.evidence": lambda: self._reading.evidence(
                self._trace,
                self._kind.span,
            ),
            "text.search": lambda: self._reading.find(self.cell),
            "material": lambda: talk(self._reading.material(self.cell)),
            "cell.judge": self._judge_cell,
            "run.again": lambda: self._console.say(JUDGED_AGAIN),
            "session": self._reading.audit_numbers,
            "rubric.add": lambda: talk(self._add_instruction()),
            "save": self._export,
            "palette": lambda: talk(self._run_command_by_name()),
            "help": self._help,
            "quit": self._quit,
        }

    # -- cells ------------------------------------------------------------------------------------

    def _open_cell(self, no: int) -> None:
        """Open cell `no` and print it, with the cursor where its kind begins (`_load_cell`).

        The item under the cursor is printed before the next key. Raises AskedToLeave if the
        terminal or pipe was closed.
        """
        self._load_cell(no)
        self._tell_cell()

    def _load_cell(self, no: int) -> None:
        """Make cell `no` the open one (`_no`, `_trace`, `_cell`), and print nothing.

        The cursor is where its kind begins: on the first item, but in a steps cell on the first
        step that is not right, and in a metric cell whose judge is hidden on the first open
        instruction. The time since when the cell is visible begins, and selected words are
        forgotten. Nothing is saved.
        """
        self._no = no
        self.bench.set_visible(no)
        self._trace, self._cell = self.bench.open(no)
        self.review.words = None
        self._opened_at = monotonic()
        self._kind.show(self._cell, fresh=True)

    def _tell_cell(self) -> None:
        """Print the open cell without its items: header, prompt, response, and measures on a line.

        If the trait judges a conversation, that is printed in place of prompt and response. Before
        the measures comes what its kind prints above the items, such as the documents. How many
        passages may address the judge, and that two reviewers differ, is printed if it is so. If
        the cell is withheld from an agent, a sentence that says so is all that is printed. The
        current item is not printed: `_is_item_printed` is set so that the loop prints it before the
        next key, but not of a withheld cell. Raises AskedToLeave if the terminal or pipe was
        closed.
        """
        if self._is_withheld:
            self._is_item_printed = True
            self._console.say(WAITS_FOR_PERSON)
            return
        workspace = self.bench.workspace
        row = workspace.cells.row(self._no)
        marks = self._console.marks
        show = self._console.show
        show(Paragraph(""))
        show(*cell_reading.header(row, self._trace, self.cell, workspace, marks))
        suspect_passages = self.bench.count_suspect_passages(self._no)
        if suspect_passages:
            passages = many(suspect_passages, "passage")
            text = f"{passages} of it may address the judge."
            show(Paragraph(text, marks.plea, "bad"))

        names = self._console.names
        transcript = self.cell.subject.transcript
        if transcript is not None:
            beside = beside_response(
                workspace.rubric.asked(self._trace),
                (),
                NOTHING_UNREAD,
            )
            spans = self._kind.spans()
            show(*cell_reading.conversation(transcript, spans, beside, names, marks))
        else:
            prompts = self._known_prompts
            show(
                *cell_reading.prompt(
                    workspace.rubric,
                    self._trace,
                    self.cell,
                    prompts,
                    names,
                ),
            )
            response = self.cell.subject.text
            if not response.strip():
                response = "(it is empty)"
            show(Paragraph(response, quoted=True))

        show(*self._kind.head())
        self._console.say(
            cell_reading.measures_in_print(
                None,
                self.cell,
                self._kind.labelled_by,
                marks,
            ),
        )
        self._ruling.tell_contest(self.cell)
        self._is_item_printed = False

    def _tell_item(self) -> None:
        """Print a blank line and the item under the cursor, and note that the person has seen it.

        Of a cell without items its kind may print a sentence instead; nothing is noted then. It is
        not printed again before the next key (`_is_item_printed`). What was seen is saved later,
        with the person's position. Raises AskedToLeave if the terminal or pipe was closed.
        """
        self._is_item_printed = True
        self._console.show(Paragraph(""), *self._kind.item())
        item_name = self._kind.name
        if item_name:
            seen_names = frozenset([item_name])
            self.bench.seen.note(self._no, self.cell, seen_names)

    def _step_item(self, by: StepDirection) -> None:
        """Move the cursor to the next item, or back if `by` is -1; at the end print that and stay.

        The new item is not printed here but before the next key. Raises AskedToLeave while
        printing, if the terminal or pipe was closed.
        """
        index = self._kind.at + by
        if 0 <= index < self._kind.count:
            self._kind.step_to(index)
            self._is_item_printed = False
        elif by > 0:
            self._console.say(
                "That was the last item: {cell.sign:a} signs off,"
                " {cell.next:.} opens the next cell.",
            )
        else:
            self._console.say("This is the first item.")

    def _go_to_item(self) -> None:
        """Ask for an item's number, from 1, and move the cursor to it.

        The item is printed before the next key. Raises Refused without asking if the cell has no
        items, and for an answer that is no such number, also an empty one. Raises Left at Esc. The
        question may also raise EOFError, KeyboardInterrupt or AskedToLeave.
        """
        count = self._kind.count
        if not count:
            raise Refused("There are no items in this cell.")
        answer = self._console.ask(f"Item 1-{count}> ").strip()
        item_no = whole_number(answer) or 0
        if not 1 <= item_no <= count:
            raise Refused(f"There is no item “{answer}”: {{line.items:t}} lists them.")
        self._kind.step_to(item_no - 1)
        self._is_item_printed = False

    def _open_unreviewed(self, by: StepDirection) -> None:
        """Open and print the next cell that is not signed off, or the previous one if `by` is -1.

        Only cells of the filter count; after the last comes the first. From a cell that the filter
        leaves out, it looks from the first cell of the filter on, or from its last back. If there
        is none, or only the open one, it prints that and opens nothing. Raises AskedToLeave if the
        terminal or pipe was closed.
        """
        cell_no = self._cells.step_unreviewed(self._no, by)
        filter_note = self._cells.filter_note
        if cell_no is None:
            text = DONE.replace(".", f"{filter_note}.", 1)
            self._console.say(text)
        elif cell_no == self._no:
            self._console.say(
                f"This is the only cell{filter_note} that is not signed off.",
            )
        else:
            self._open_cell(cell_no)

    def _go_to_trace_or_step(self) -> None:
        """Ask for a trace and open its first cell, or in a conversation for a step and print it.

        A trace is named by its number, its id or a part of it; of several that have the part the
        most likely one is taken. A step is named as `s12`; it is only printed, and the open cell,
        its item and the place of reading stay. The name of a cell, such as `cell 3`, opens that
        cell. A text like `s12` is read as a trace's name if a trace is called so, and for a cell
        that has no conversation or is withheld from an agent. Raises Refused if there is no such
        trace, cell or step, and Left if nothing is typed and at Esc. The question may also raise
        EOFError, KeyboardInterrupt or AskedToLeave.
        """
        name = self._console.ask("Go to trace (id, number, a part of it)> ").strip()
        if not name:
            raise Left
        step_no = step_named(name)
        transcript = self.cell.subject.transcript
        if (
            step_no is None
            or transcript is None
            or self._is_withheld
            or cell_called(self.bench.workspace, name)
        ):
            self._open_cell(self._cells.cell_named(name))
            return

        step_count = len(transcript.steps)
        if not 1 <= step_no <= step_count:
            raise Refused(f"There is no step {step_no}: it has {step_count}.")
        step = transcript.steps[step_no - 1]
        text = transcript.text[step.heading_start : step.end]
        self._console.show(Paragraph(text, quoted=True))

    def _ask_filter(self) -> None:
        """Ask for a query, and go through the cells that it matches from now on; the open cell
        stays open.

        A blank query matches all. How many cells match is printed. Raises Refused if no cell
        matches or the query or workspace cannot be read, and Left at Esc; the filter then stays
        what it was. The question may also raise EOFError, KeyboardInterrupt or AskedToLeave.
        """
        query = self._console.ask(
            "Filter (state:proposed f1<0.5 …; Enter: all cells)> ",
        ).strip()
        count = self._cells.narrow(query, self._settings.order, self._settings.seed)
        if not count:
            raise Refused("No cell matches that: the filter was not changed.")
        self._console.say(
            f"{many(count, 'cell')}: {{cell.next:.}} and {{cell.previous:,}} go through them.",
        )

    # -- going back ------------------------------------------------------------------------------

    def _toggle_bookmark(self) -> None:
        """Set this person's bookmark on the open cell, or remove it, and print which was done.

        It is saved at once. Raises Refused in a session that only reads, NotKept, or AskedToLeave
        if the terminal or pipe was closed.
        """
        is_set = self._no not in self.bench.bookmarks()
        self.bench.set_bookmark(self._no, is_set)
        if is_set:
            self._console.say("Bookmarked: {palette:Ctrl+P} bookmarks lists them.")
        else:
            self._console.say("The bookmark was removed.")

    async def _pick_bookmark(self) -> None:
        """List the bookmarked cells by number, with their states, and open and print the one that
        is picked.

        They are this person's. No choice of nothing is offered; Enter takes the first. Raises
        Refused without asking if there are no bookmarks, and Left at Esc. The question may also
        raise EOFError, KeyboardInterrupt or AskedToLeave.
        """
        numbers = sorted(self.bench.bookmarks())
        if not numbers:
            raise Refused(
                "There are no bookmarks; {palette:Ctrl+P} bookmark sets one on this cell.",
            )
        choices = []
        for row in self.bench.workspace.cells.rows_of(numbers):
            trace_name = name_of(row.trace_id, row.epoch)
            name = f"{trace_name} · {row.trait}"
            choices.append(Choice(str(row.no), "", name, row.state))
        picked = await self.review.pick("Bookmarks", choices)
        self._open_cell(int(picked))

    async def _pick_from_history(self) -> None:
        """List the person's latest acts, newest first, and open and print the cell of the one that
        is picked.

        There are at most `MOST_ACTS`, each cut after `LONGEST_ACT` characters; undone ones are
        among them and say so. Nothing is undone by it. Raises Refused if the person did nothing
        yet, Refused after the answer if the picked act was on the whole audit, and Left at Esc. The
        question may also raise EOFError, KeyboardInterrupt or AskedToLeave.
        """
        choices = []
        for act in self.bench.workspace.facts.acts(self.bench.reviewer, 0, MOST_ACTS):
            text = act.text
            if len(text) > LONGEST_ACT:
                text = f"{text[:LONGEST_ACT].rstrip()} …"
            if act.undone:
                text = f"undone: {text}"
            choice_key = f"{act.n} {act.cell}"
            shown = f"{text} ({act.place})"
            choices.append(Choice(choice_key, "", shown))
        if not choices:
            raise Refused("You have not changed anything here yet.")
        picked = await self.review.pick("What you did, newest first", choices)
        cell_no = int(picked.split()[1])
        if cell_no == WHOLE_AUDIT:
            raise Refused(OF_THE_WHOLE)
        self._open_cell(cell_no)

    # -- reading ----------------------------------------------------------------------------------

    def _help(self) -> None:
        """Print the keys that are needed most for the open cell, and how to list all.

        They are those that correct its kind, then `OF_THE_DAY`; commands without a key are left
        out. All keys are printed instead if help was the command before, too (`_last_key_id`), if
        its key is typed twice on one line of a pipe, or if help is on no key. Of that line anything
        else than the key is left for others to take. Raises AskedToLeave if the terminal or pipe
        was closed.
        """
        names = self._console.names
        help_key = names.get("help", "")
        is_doubled = self._console.is_followed_by(help_key)
        if self._last_key_id == "help" or is_doubled or not help_key:
            self._list_every_key()
            return
        commands = self._commands[self.cell.subject.kind.name]
        texts = dict(self._kind.first_keys())
        for key_id in OF_THE_DAY:
            if key_id in commands:
                texts[key_id] = commands[key_id].lines
        for key_id, text in texts.items():
            name = names.get(key_id)
            if name:
                self._tell_key(name, text)
        self._console.say("{help:?} again lists every key.")

    def _tell_key(self, name: str, text: str) -> None:
        """Print the name of a key and, in a column next to it, what it does.

        Raises AskedToLeave if the terminal or pipe was closed.
        """
        padded_name = f"{name:<12}"
        self._console.show(Paragraph(text, padded_name, "key", hang=13))

    def _list_every_key(self) -> None:
        """Print every command of every kind: first those on keys, then the others.

        Each comes with its key and what it does. Instead of a key of its own, each of the others
        has the palette's key with the name to type there. Raises AskedToLeave if the terminal or
        pipe was closed.
        """
        ids_on_keys = {key.id for key in self.review.keys}
        palette = self._console.names.get("palette", "")
        without_key = {}
        for commands in self._commands.values():
            for key in commands.values():
                if key.id not in ids_on_keys:
                    shown = f"{palette} {key.label}"
                    without_key[key.id] = replace(key, shown=shown)
        for key in self.review.keys:
            self._tell_key(key.shown, key.lines)
        for key in without_key.values():
            self._tell_key(key.shown, key.lines)

    # -- changing ---------------------------------------------------------------------------------

    def _take_change(self, change: Change) -> None:
        """Make a saved change's state the open cell's (`_cell`), whoever made it; print nothing.

        The cursor moves to what a correction, made or undone, was about. Labels for a cell that had
        none move it to where its kind begins; at any other change it stays. A change of another
        cell, or one without new facts, is ignored.
        """
        before = change.before
        after = change.after
        if change.no != self._no or before.facts == after.facts:
            return  # of another cell, or a reply to a blind one
        self._cell = after
        is_filled_in = before.labels is None and not after.edits
        self._kind.show(after, fresh=is_filled_in)
        turned = bool(change.reversed_facts)
        fact = after.facts[-1]
        if turned:
            fact = change.reversed_facts[0]
        if isinstance(fact.what, Corrected):
            self._kind.follow(fact.what.edit, before, turned=turned)

    def _correct(
        self,
        items: Sequence[Sequence[Any]],
        past_tense: str = "changed",
        *,
        repeated: bool = False,
        note: str = "",
    ) -> bool:
        """Correct items of the open cell, print what changed, and return whether anything did.

        `items` has the edits of each item: at least one item, and at least one edit of each. An
        item of which an edit is refused is left as it was and why is printed; the others are
        corrected. `past_tense` is the word for what was done to them. `repeated` says that this is
        the last act again.

        If anything changed, it prints `note`, what else is to be said, and the measures, and the
        item under the cursor is printed again before the next key. Each correction is printed in
        words before that, but only for a single item. If nothing changed, since all was refused or
        nothing can be saved, only why is printed. It raises neither Refused nor NotKept, only
        AskedToLeave.
        """
        try:
            text, changes = self.acts.correct(
                self._no,
                self._kind.items,
                items,
                past_tense,
                repeated=repeated,
                note=note,
            )
        except (Refused, NotKept) as failure:
            self._tell_failure(failure)
            return False
        if changes and len(items) == 1:
            change = changes[0]
            count_before = len(change.before.facts)
            for fact in change.after.facts[count_before:]:
                description = describe(self.cell, fact)
                self._console.say(sentence(brief(description)))
        if text:
            self._console.say(text)
        if changes:
            self._tell_numbers(changes[0].before)
            self._is_item_printed = False
        return bool(changes)

    def _tell_numbers(self, before: Cell) -> None:
        """Print the measures of the open cell, with the differences from those of `before`.

        `before` is the open cell as it was before its last change. If its measures look the same,
        the differences are those from the judge's instead, where a person changed them. For a cell
        without measures it prints "no numbers yet". Raises AskedToLeave if the terminal or pipe was
        closed.
        """
        source = self._kind.labelled_by
        marks = self._console.marks
        sentence = cell_reading.measures_in_print(
            before,
            self.cell,
            source,
            marks,
        )
        self._console.say(sentence)

    def _ask_comment(self) -> None:
        """Ask for a comment on the open cell, save it, and print that.

        In a session that only reads Refused is raised before anything is asked. Raises Left if
        nothing or only blanks are typed and at Esc, or NotKept. The question may also raise
        EOFError, KeyboardInterrupt or AskedToLeave.
        """
        self.acts.may_change()
        text = self._console.ask("Comment> ").strip()
        if not text:
            raise Left
        self._console.say(self.acts.comment(self._no, text))

    async def _add_instruction(self) -> None:
        """Ask for a new instruction of the open cell's trait, and add it to the rubric.

        If the trait has several lists of instructions, the person picks one first. The rubric's
        file takes it too; if that cannot be used only the audit has it, and no private copy stays.
        What the instruction changes is printed, and the person is asked to confirm it. Then the
        open cell is printed again with the cursor at its beginning, and after it how the rubric was
        revised and which key undoes it. Raises Left without an instruction, without a yes and at
        Esc; Refused for a trait without instructions, in a session that only reads, to an agent,
        and if the instruction or the file cannot be taken; or NotKept. Nothing has changed then.
        The question may also raise EOFError, KeyboardInterrupt or AskedToLeave.
        """
        self.acts.may_change()
        self.bench.refuse_rubric_to_agent()
        subject = self.cell.subject
        lists = drafts.growing(subject.trait)
        if not lists:
            raise Refused(NO_INSTRUCTIONS)
        list_name = next(iter(lists))
        if len(lists) > 1:
            choices = []
            for name, question in lists.items():
                choices.append(Choice(name, "", question))
            title = f"A new instruction of {subject.trait.name}"
            list_name = await self.review.pick(title, choices)
        label = f"New instruction: {lists[list_name]}"
        instruction = await self.review.line(label)
        instruction = instruction.strip()
        if not instruction:
            raise Left

        try:
            text = self._take_instruction(list_name, instruction)
        except Unusable as error:
            raise Refused(wording(error)) from error
        self._open_cell(self._no)
        self._console.say(text)

    def _take_instruction(self, list_name: str, instruction: str) -> str:
        """Print what an instruction would change, ask, and add it to the rubric's file and the
        audit's rubric.

        If the rubric's own file cannot be used, it is added to a private copy, which is deleted
        once the audit has taken it. A private copy that was left before is used first, and the
        audit takes all that was edited in it. `list_name` is the list of the open cell's trait that
        takes it, one of the keys of `drafts.growing`, such as "tp_instructions". The open cell is
        not read again: callers must open it anew. How the rubric was revised and which key undoes
        it is returned as sentences and not printed, with keys as `Console.say` puts them in.

        Raises Left without a yes, Refused, NotKept, or Unusable for a file that cannot be read or
        written. The file is as it was before then, unless it cannot be written back. The question
        may also raise EOFError, KeyboardInterrupt or AskedToLeave.
        """
        workspace = self.bench.workspace
        added = drafts.add_instruction(
            workspace,
            self.cell.subject,
            list_name,
            instruction,
        )
        try:
            rubric = added.draft.read().usable()
            self._tell_revision(rubric)
            self._require_yes("y adds it, Enter cancels> ")
            revised = self.bench.revise(rubric)
        except BaseException:
            drafts.take_back(workspace, added)
            raise
        drafts.note_as_taken(workspace, added.draft)
        return drafts.describe(revised) + " {cell.undo:u} undoes it."

    def _require_yes(self, prompt: str) -> None:
        """Ask a question and return only if the answer is y or Y; blanks around it do not count.

        Raises Left at any other answer and at Esc. The question may also raise
        EOFError, KeyboardInterrupt or AskedToLeave.
        """
        answer = self._console.ask(prompt)
        if not _is_yes(answer):
            raise Left

    def _tell_revision(self, rubric: Rubric) -> None:
        """Print what a changed rubric would do to the audit; nothing is changed or asked.

        Each changed text is printed with its trait's name: as it was, after a minus, and as it
        would be, after a plus. One sentence follows: how many cells of changed traits would have to
        be judged again, which traits are only measured differently, new traits and their cells,
        changes beside the traits, and what would be lost. Raises Refused before anything is printed
        if the audit cannot take the rubric, and AskedToLeave if the terminal or pipe was closed.
        """
        workspace = self.bench.workspace
        marks = self._console.marks
        effects = revision.look(workspace, rubric)
        rewritten = drafts.rewritten(workspace.rubric, rubric)
        for trait_name, changes in rewritten.items():
            removed_label = f"{trait_name} {marks.minus}"
            added_label = f"{trait_name} {marks.added}"
            for _, old, new in changes:
                if old:
                    self._console.show(Paragraph(old, removed_label, quoted=True))
                if new:
                    self._console.show(Paragraph(new, added_label, quoted=True))
        parts = [f"{many(effects.cells, 'cell')} to judge again"]
        if effects.remeasured:
            parts.append(f"only measured differently: {', '.join(effects.remeasured)}")
        if effects.added:
            new_cells = many(effects.fresh, "cell")
            parts.append(f"new: {', '.join(effects.added)}, {new_cells} to judge")
        differences = drafts.differences_beside_traits(workspace.rubric, rubric)
        if differences:
            parts.append(f"changed beside the traits: {', '.join(differences)}")
        lost = drafts.lost(effects)
        if lost:
            parts.append(lost)
        self._console.show(Paragraph(f"{'; '.join(parts)}."))

    async def _ask_reason(self) -> None:
        """Ask for the reason of the open cell's last correction, save it, and print that.

        The correction is the last one that was not undone, by anyone. The usual reasons are
        offered, and another one may be typed. Enter and 0 save nothing: it is printed that there is
        no reason, or which one stays. Without a correction, and in a session that only reads,
        Refused is raised before anything is asked. Raises NotKept, and Left at Esc. The question
        may also raise EOFError, KeyboardInterrupt or AskedToLeave.
        """
        correction, current_reason = self.acts.last_correction(self._no)
        description = brief(describe(self.cell, correction))
        text = await self.review.pick(
            f"Why {description}",
            reason_choices(self._settings.reasons, current_reason),
            none=NO_REASON.text,
            on_none=True,
            free=is_reason,
        )
        # not `say`: a reason is the person's words, which have no keys to put in
        result = self.acts.reason(self._no, correction, text)
        self._console.show(Paragraph(result))

    def _undo_or_redo(self, direction: Direction) -> None:
        """Undo or redo the person's last act, print it, and open and print a cell that it changed.

        If it changed the open cell, that stays open, and its measures are printed instead. After an
        act on the rubric the open cell is printed again, or another one of its trace if it no
        longer exists. For an act that did not change the open cell, Refused is raised at first and
        nothing is done; the next press of the key carries it out. Raises Refused also if there is
        nothing to undo or redo, and to an agent for an act on the rubric; NotKept; and AskedToLeave
        if the terminal or pipe was closed.
        """
        trace_no = self.bench.workspace.cells.trace_of(self._no)
        reversal = self.acts.undo_or_redo(direction, [self._no])
        self._console.say(reversal.text)
        if not reversal.changes:
            cell_no = self.bench.cell_or_sibling(self._no, trace_no)
            self._open_cell(cell_no)
            return
        for change in reversal.changes:
            if change.no == self._no:
                self._tell_numbers(change.before)
                self._is_item_printed = False
                return
        self._open_cell(reversal.changes[0].no)

    def _sign_off(self) -> None:
        """Sign the open cell off, print that, and open the next cell of the filter that is not
        signed off.

        From a cell that is signed off already it only goes on. If there is no other to open, it
        prints that every cell is signed off, and the cell stays open. If the judge is hidden, a
        verdict is locked instead, how it compares with the judge is printed, and the cell stays
        open; a verdict on two reviewers' labels goes on to the next cell. Raises Refused if it
        cannot be signed, and NotKept. If something speaks against it Refused is raised once, and
        the next press of the key signs. Raises AskedToLeave if the terminal or pipe was closed.
        """
        if not self.cell.signed:
            was_hidden = self.cell.hidden
            seconds = monotonic() - self._opened_at
            self.acts.sign(self._no, self._kind.items, seconds, key="{cell.sign:a}")
            if was_hidden and self.cell.contest is None:
                self._is_item_printed = True
                self._reading.compare_with_judge(self.cell)
                return
            self._reading.tell_signed(self._no)
        self._open_unreviewed(1)

    def _judge_cell(self) -> None:
        """Have the open cell judged or computed, and print it again if its labels were replaced.

        The person is asked first if requests are sent, if it was judged already, or if code of
        others runs; after a no nothing runs. What is in the way is printed and not raised. The
        selected words stay, and so does the cursor, unless the cell had no labels before. Raises
        EOFError, KeyboardInterrupt or AskedToLeave from the question.
        """
        labels_before = self.cell.labels
        self._talk(self._judging.control.judge_one(self._no))
        if self.cell.labels is not labels_before:
            self._tell_cell()

    # -- saving -----------------------------------------------------------------------------------

    def _keep_position(self) -> None:
        """Save where the person is and which items they saw; a failure is neither said nor raised.

        Does nothing if no cell is open, and in a session that only reads.
        """
        with suppress(NotKept):
            if self._cell is not None:
                self.bench.keep_position(Position(self._no, *self._kind.place))

    def _export(self) -> None:
        """Write the audit file and print its path.

        Raises Refused with the reason if that fails, and in a session that only reads; AskedToLeave
        if the terminal or pipe was closed.
        """
        self.acts.may_change()
        try:
            self.bench.save()
        except (NotWritten, NotKept) as refusal:
            raise Refused(str(refusal)) from refusal
        self._console.say(f"Exported: {self.bench.audit}")

    def _quit(self) -> None:
        """End the session, by raising AskedToLeave."""
        raise AskedToLeave

"""The open cell of the review screen: which one it is, and how it is drawn.

`CellView` shows it in the widgets of `Parts`. `EvidenceSpans` marks evidence in the response,
`SightTime` measures how long a cell was open, `LongCell` knows which items were seen.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Sequence
from functools import lru_cache
from operator import attrgetter
from typing import TYPE_CHECKING, Protocol

from msgspec.structs import replace

from appellate.app import header
from appellate.app.header import PaneTitle
from appellate.app.reading.column import READS
from appellate.core.cell import Cell
from appellate.core.facts import Adopted, Corrected, Fact
from appellate.core.kind import Instruction
from appellate.core.problem import many
from appellate.core.trace import Materials, Trace
from appellate.session.review_session import ReviewSession
from appellate.session.workbench import Change, Position, Workbench
from appellate.traits.unread import said_of_response
from appellate.ui.contract import Evidence, Place
from appellate.ui.marks import Marks, raised, spelt
from appellate.ui.measures import measure_line
from appellate.ui.own_keys import in_own_keys, own_names
from appellate.ui.page import StyledSpan
from appellate.ui.pane import KindPane
from appellate.ui.text import cell_width, clip, entitle, flat

if TYPE_CHECKING:
    from appellate.app.layout import Parts
    from appellate.app.requests import Standing
    from appellate.judging.progress import Progress


class EvidenceSpans:
    """The evidence of all items as spans of the response; rebuilt only for other evidence."""

    def __init__(self, marks: Marks) -> None:
        """Begin without evidence; `marks` are the signs to draw."""
        self._marks = marks
        self._evidence: Sequence[Evidence] = ()
        self._spans: list[StyledSpan] = []
        self._indexes: dict[Place, list[int]] = {}
        """For each item, the indexes of its spans."""

    def styled(self, evidence: Sequence[Evidence], selected: Place) -> list[StyledSpan]:
        """Return a new list of spans, one for each piece of evidence, in its order.

        The spans of the item at `selected` are selected; evidence that does not count is dim. A
        change inside the same `evidence` object is not noticed: other evidence must be another
        object.
        """
        if evidence is not self._evidence:
            self._evidence = evidence
            self._spans = []
            self._indexes = {}
            for index, piece in enumerate(evidence):
                span = StyledSpan(
                    piece.start,
                    piece.end,
                    piece.style,
                    mark_after(piece.style, piece.mark, self._marks),
                    dim=not piece.counts,
                )
                self._spans.append(span)
                self._indexes.setdefault(piece.place, []).append(index)

        spans = self._spans[:]
        for index in self._indexes.get(selected, ()):
            spans[index] = replace(spans[index], selected=True)
        return spans


def mark_after(style: str, label: str, marks: Marks) -> str:
    """Return the mark to draw after evidence of a style such as "tp" or "denied"; "" for none.

    It is the label, such as "12", in raised digits, or for "" the sign that `marks` has for the
    style. The styles "fp" and "denied" get sign and label, so that they are known without colours.
    A style without a sign adds nothing.
    """
    raised_label = raised(label, marks)
    sign = getattr(marks, style, "")
    if style in ("fp", "denied"):
        return f"{sign}{raised_label}"
    return raised_label or sign


@lru_cache(maxsize=4)
def suspect_passages(response: str, marks: Marks) -> tuple[StyledSpan, ...]:
    """Return a span for each passage of a response that seems to address the judge, in their order.

    Each has the sign that `marks` has for a plea. () if there are none.
    """
    from appellate.injection import injections  # few responses have any

    return tuple(
        StyledSpan(start, end, "plea", marks.plea, aside=True)
        for start, end in injections(response)
    )


OFFERED = 2
"""Number of keys after a correction during which the strip offers to give the reason."""


class SightTime:
    """The seconds for which each cell was open in this session."""

    def __init__(self, clock: Callable[[], float], number: int) -> None:
        """Begin with cell `number` open; `clock` returns the time in seconds."""
        self._clock = clock
        self._spent: defaultdict[int, float] = defaultdict(float)
        """Seconds of each cell, without the current visit."""
        self._number = number
        self._since = clock()

    def opened(self, number: int) -> None:
        """Note that cell `number` is open from now on; the time of the cell before stops."""
        time = self._clock()
        self._spent[self._number] += max(time - self._since, 0)
        self._number = number
        self._since = time

    def seconds(self, pressed: float) -> float:
        """Return how many seconds the open cell was on screen up to the time `pressed`.

        Earlier visits to the cell in this session are added. A key that was pressed before the cell
        opened counts as pressed now. Nothing is changed.
        """
        until = pressed if pressed > self._since else self._clock()
        return self._spent[self._number] + max(until - self._since, 0)


LONG = 10
"""A cell with more items than this shows how many of them were seen."""


class LongCell:
    """The items of the open cell that this reviewer has seen, and those left to see."""

    def __init__(self, view: "CellView") -> None:
        """Begin with nothing known of the items; `note_items_here` reads those of the cell."""
        self._view = view
        self._labelled_by: tuple[int, Fact | None] = (0, None)
        """The open cell's number, and the proposal that its labels are based on."""
        self._names: frozenset[str] = frozenset()
        """The names of all items when they were last listed."""
        self._any_unseen = False

    def note_items_here(self) -> bool:
        """Note that the items under the cursor were seen, in the workspace.

        Returns True if the key that goes to unseen items does something else from now on: the last
        unseen item was seen, or unseen items appeared. In a short cell nothing is ever unseen.
        """
        labelled_by = (self._view.no, self._view.cell.base)
        items = self._view.pane.named_items
        if labelled_by != self._labelled_by:
            self._labelled_by = labelled_by
            self._names = frozenset(items.named())
        self._note_seen(items.names_here)
        had_unseen = self._any_unseen
        self._any_unseen = bool(self.unseen())
        return had_unseen != self._any_unseen

    def note_new_items(self) -> None:
        """Note items as seen that came since the last call or the judge's latest labels.

        They were made by the reviewer, who has therefore seen them.
        """
        names = frozenset(self._view.pane.named_items.named())
        self._note_seen(names - self._names)
        self._names = names

    def _note_seen(self, names: Collection[str]) -> None:
        """Write down on the workbench that the items of these names in the open cell were seen."""
        view = self._view
        view.bench.seen.note(view.no, view.cell, frozenset(names))

    # -- what is left ------------------------------------------------------------------------------

    def unseen(self) -> list[str]:
        """Return the names of the unseen items in the order of reading.

        Empty for a cell with at most `LONG` items.
        """
        view = self._view
        names = view.pane.named_items.named()
        if len(names) <= LONG:
            return []
        seen = view.bench.seen.of(view.no, view.cell)
        return [name for name in names if name not in seen]

    def describe(self) -> str:
        """Return how many items of a long cell were seen, as "3/12 seen"; "" for a short cell."""
        total = len(self._view.pane.named_items.named())
        if total <= LONG:
            return ""
        return f"{total - len(self.unseen())}/{total} seen"

    def left_out(self) -> str:
        """Return "2 of 12 items were not seen", or "" if all were seen or the cell is short."""
        unseen = len(self.unseen())
        if not unseen:
            return ""
        verb = "was" if unseen == 1 else "were"
        total = len(self._view.pane.named_items.named())
        return f"{unseen} of {total} items {verb} not seen"

    def next(self) -> bool:
        """Put the cursor on the next unseen item, from the last on the first; return True.

        Returns False, and does nothing, if all items were seen or the cell is short.
        """
        items = self._view.pane.named_items
        unseen = set(self.unseen())
        if not unseen:
            return False

        places = items.named()
        names = list(places)
        current_name = next(iter(items.names_here), names[0])
        start = names.index(current_name)
        next_name = next(
            name for name in names[start:] + names[:start] if name in unseen
        )
        items.go(*places[next_name])
        self._view.looked()
        return True


ENDS = 6
"""Columns of a frame beside its title: at either end a corner, a stroke and a space."""


class AroundCell(Protocol):
    """The rest of the screen, as far as the view of the open cell uses it."""

    @property
    def is_response_alone(self) -> bool:
        """Whether the response fills the screen."""

    @property
    def other_texts(self) -> Sequence[str]:
        """The names of the texts next to the response that a verdict may need."""

    @property
    def unread(self) -> Materials:
        """The parts of the trace that the judge of the cell did not get."""

    def show_material(self) -> None:
        """Show the texts next to the response of the cell."""

    def keys_changed(self) -> None:
        """Draw the strip of keys again, because other keys act now."""

    def say(self, text: str) -> None:
        """Show a sentence instead of the keys, until the next key."""


class CellView:
    """The open cell, whose number is `no`, drawn in the widgets of `parts`.

    The cell itself is read from the `bench` whenever it is drawn.
    """

    def __init__(
        self,
        bench: Workbench,
        session: ReviewSession,
        parts: "Parts",
        marks: Marks,
        standing: "Standing",
        around: "AroundCell",
        *,
        now: Callable[[], float],
    ) -> None:
        """Begin at the cell where the reviewer was last, without drawing it.

        The workbench is told that this cell is on screen. `now` returns the time in seconds, from
        any start.
        """
        self._session = session
        self._standing = standing
        self._around = around
        self.no = bench.position().cell
        self.keys_since_correction: int | None = None
        """Number of keys since a correction of the open cell; None if there was none lately."""
        self.bench = bench
        self.parts = parts
        self.marks = marks
        self.progress: Progress | None = None
        """How far the run of the judge is; None if no run is on."""
        self._drawn_cell: Cell | None = None
        """The cell as it was last drawn; None before the first time."""
        self._title = PaneTitle()
        self._evidence = EvidenceSpans(marks)
        self.pointed: tuple[StyledSpan, ...] = ()
        """The heading of the step of a conversation that the reviewer went to."""
        self._previous_cell: Cell | None = None
        """The cell before its latest change, for the differences that the numbers show."""
        self.sight = SightTime(now, self.no)
        self.long = LongCell(self)
        self.bench.set_visible(self.no)

    @property
    def cell(self) -> Cell:
        """The open cell in its current state."""
        return self.bench.open(self.no)[1]

    @property
    def trace(self) -> Trace:
        """The trace of the open cell."""
        return self.bench.open(self.no)[0]

    def place(self) -> Position:
        """Return where the reviewer is: the open cell, and the place in its pane."""
        return Position(self.no, *self.pane.place)

    @property
    def pane(self) -> KindPane:
        """The pane of the open cell's kind."""
        return self.parts.panes.pane

    # -- showing ----------------------------------------------------------------------------------

    def open(self, number: int) -> None:
        """Open the cell with this number, and show it from its beginning.

        The time of the cell before stops. What only concerned that cell is forgotten.
        """
        self.no = number
        self._previous_cell = None
        self.pointed = ()
        self.keys_since_correction = None
        self.sight.opened(number)
        self.bench.set_visible(number)
        self.show(fresh=True)

    def show(self, *, fresh: bool) -> None:
        """Draw the open cell everywhere on the screen; with `fresh` from its beginning.

        That is its pane, response, other texts, numbers, header, titles, the cursor of the queue,
        the keys and the tour. The pane of the cell's kind is shown, and another pane is hidden.
        With `fresh` the cursor is where that kind begins, such as on the verdict or the first wrong
        step, and the response is scrolled to the evidence of that item rather than to its top.
        Without `fresh` cursor and scrolling stay. Items under the cursor count as seen.
        """
        previous = self._drawn_cell
        cell = self._drawn_cell = self.cell
        self.parts.panes.turn_to(cell.subject.kind.name)
        if previous is None or previous.subject is not cell.subject:
            self.pane.to_first_rows()
        self.pane.show(cell, fresh=fresh)
        self.long.note_items_here()
        self._around.keys_changed()  # what a key does can depend on the state of the cell
        transcript = cell.subject.transcript
        text = cell.subject.text
        is_read_already = self.parts.response.text == text
        steps = transcript.steps if transcript else ()
        self.parts.response.show(text, self.spans(), steps)
        self.parts.response.headings = self.pane.in_texts.headings()
        self._around.show_material()
        self.parts.material.mark(self.pane.in_texts.passages())
        if fresh:
            self._reveal_beginning(is_read_already=is_read_already)
        self._show_numbers()
        self.show_header()
        self.show_titles()
        self.parts.queue.follow(self.no)
        self.parts.tour.look()

    def _reveal_beginning(self, *, is_read_already: bool) -> None:
        """Scroll the response to where the reading of a fresh cell begins.

        That is the evidence of the item under the cursor. If that item has none, a conversation
        begins at its first evidence. Without any evidence it begins at the last message of a user,
        unless this text was on screen before.
        """
        response = self.parts.response
        steps = response.steps
        if steps is None or self.chosen is not None:
            response.reveal_selected()
            return
        evidence = [
            span for span in self.spans() if not span.aside and span.start < span.end
        ]
        if evidence:
            first = min(evidence, key=attrgetter("start"))
            response.reveal(first.start, first.end)
            return
        question = steps.last_users()
        if question is not None and not is_read_already:
            response.reveal(question.heading_start, question.heading_end)

    def catch_up(self) -> None:
        """Draw the open cell again if its facts are others than when it was last drawn.

        It is drawn from its beginning if it had no labels then, or was never drawn.
        """
        drawn = self._drawn_cell
        cell = self.cell
        if drawn is None or cell.facts != drawn.facts:
            self.show(fresh=drawn is None or drawn.labels is None)

    def spans(self) -> list[StyledSpan]:
        """Return all that is marked in the response: evidence, passages to the judge, a step.

        Evidence is in the pane's order, with that of the item under the cursor selected. Of two
        texts that are compared, the words that only one of them has are marked, too. The step
        is the one of a conversation that the reviewer went to, if any.
        """
        pane = self.pane
        selected = pane.in_texts.place or pane.place
        spans = self._evidence.styled(pane.evidence(), selected)
        for stretch in pane.in_texts.differing():
            spans.append(StyledSpan(*stretch, "differs", aside=True))
        spans.extend(self.passages)
        spans.extend(self.pointed)
        return spans

    @property
    def chosen(self) -> StyledSpan | None:
        """The first span of the response that the item under the cursor rests on, or None."""
        for span in self.spans():
            if span.selected and not span.aside:
                return span
        return None

    @property
    def read_name(self) -> str:
        """The word for the text that the trait reads: "response" or "conversation"."""
        return "response" if self.cell.subject.transcript is None else "conversation"

    @property
    def passages(self) -> tuple[StyledSpan, ...]:
        """The passages of the response that seem to address the judge, as marked spans.

        Empty if there are none.
        """
        if not self.bench.count_suspect_passages(self.no):
            return ()
        return suspect_passages(self.trace.text, self.marks)

    def looked(self) -> None:
        """Note that the item under the cursor is seen, and scroll to its evidence.

        Titles, keys and the tour are drawn again if they depend on the item. The step of a
        conversation that the reviewer went to is no longer marked.
        """
        if self.long.note_items_here():
            self._around.keys_changed()
        self.pointed = ()
        self.parts.response.set_spans(self.spans())
        self.parts.response.reveal_selected()
        self.parts.material.mark(self.pane.in_texts.passages())
        self.entitle_pane()
        if self._around.is_response_alone:
            self.show_titles()
        self.parts.tour.look()

    def _show_numbers(self) -> None:
        """Show the numbers of the open cell, and by how much its latest change moved them.

        Where no change is noted, it is by how much they differ from the judge's.
        """
        line = measure_line(
            self._previous_cell,
            self.cell,
            self.pane.summary(),
            self.pane.labelled_by,
        )
        self.parts.numbers.show(line)

    def settle_numbers(self) -> None:
        """Clear at a key what only shows until then: by how much the last change moved the numbers.

        The offer to give a reason goes away after `OFFERED` keys.
        """
        if self._previous_cell is not None:
            self._previous_cell = None
            self._show_numbers()
        if self.keys_since_correction is not None:
            self.keys_since_correction += 1
            if self.keys_since_correction > OFFERED:
                self.keys_since_correction = None
            self._around.keys_changed()

    def point_at(self, instruction: Instruction) -> None:
        """Put the cursor on the item that answers an instruction, and scroll to its evidence.

        If no item does, and in a pane without instructions, the cursor stays, and the
        response is scrolled to the evidence of its item.
        """
        cursor = self.pane.instructions
        if cursor is not None:
            cursor.go_to_instruction(instruction.of, instruction.number)
        self.looked()

    # -- header and frames ------------------------------------------------------------------------

    def judging_turned(self) -> None:
        """Draw again what depends on whether a run of the judge is on.

        A cell without labels shows in its pane whether it is being judged.
        """
        if self.cell.labels is None:
            self.pane.show(self.cell, fresh=False)
            self._around.keys_changed()
        self.show_header()

    def show_header(self) -> None:
        """Draw the header for the open cell: its name and state, the review's progress, a run's."""
        bench = self.bench
        queue = self.parts.queue
        marks = self.marks
        totals = bench.workspace.totals()
        row = bench.workspace.cells.row(self.no)
        reviewed = totals.get("state:reviewed", 0)
        cells = totals.get("cells", 0)
        position, count = bench.workspace.rubric.place_of(row.trait, self.trace)
        overview = header.Overview(
            bench.audit,
            bench.readonly,
            self._standing.refused,
            self._standing.unwritten,
            row.trace_no,
            bench.workspace.traces.count(),
            reviewed,
            cells,
            self._session.time_per_cell(reviewed),
            self._session.time_left(reviewed, cells),
            queue.lineup.name,
            queue.place_of(self.no),
            bench.workspace.design.place(row.trace_no),
            f"trait {position}/{count}" if count > 1 else "",
            own_names(self.parts.header.app),
        )
        self.parts.header.show(
            *header.header_line(
                overview,
                row,
                self.cell,
                self.progress,
                bench.reviewer,
                marks,
            ),
        )

    def show_titles(self) -> None:
        """Write the titles in the frames of the queue, the response and the items.

        Below the response are its warnings. If it fills the screen, the item under the cursor is
        there instead, since it is seen nowhere else.
        """
        queue = self.parts.queue
        entitle(queue, queue.title)
        notes = self._response_notes()
        if self._around.is_response_alone:
            # the item that keys act on is seen nowhere else
            item_text = self.pane.detail().plain
            first_line = item_text.partition("\n")[0]
            notes = [flat(first_line)]
        title = spelt(self._response_title(), self.marks)
        entitle(self.parts.response, title, ", ".join(notes))
        self.entitle_pane()

    def _response_title(self) -> str:
        """Return the border title of the judged text, before its marks are spelt for the terminal.

        A conversation has "Conversation", the number of its steps, and after the first key for
        reading the names of the other texts, if there are any. A response has the title that its
        trace gives it, then "Markdown" if it is read as that, and a note if a part of it was not
        shown to the judge.
        """
        response = self.parts.response
        transcript = self.cell.subject.transcript
        if transcript is not None:
            title = f"Conversation, {many(len(transcript.steps), 'step')}"
            text_names = self._around.other_texts
            if text_names:
                title += (
                    f" · {in_own_keys(READS, response.app)}: {', '.join(text_names)}"
                )
            return title

        title = self.cell.subject.trace.text_title
        if response.reads_as_markdown:
            title += " · Markdown"
        note = said_of_response(self._around.unread)
        if note:
            title += f" · {note}"
        return title

    def _response_notes(self) -> list[str]:
        """Return the warnings to write below the response; [] if there are none.

        One is "2 passages address the judge" behind its mark, or that the question does so. The
        other is how many excerpts are not in the text.
        """
        notes: list[str] = []
        if self.bench.count_suspect_passages(self.no):
            count = len(self.passages)
            subject = many(count, "passage addresses", "passages address")
            if not count:
                subject = "the question addresses"
            notes.append(f"{self.marks.plea} {subject} the judge")
        missing = self.pane.in_doubt()
        if missing:
            notes.append(f"{missing} unverified, not in this {self.read_name}")
        return notes

    def entitle_pane(self) -> None:
        """Write the title of the items in their frame, and at its right how many were seen.

        The latter only for a long cell; the title is cut so that it fits.
        """
        title = self._title.text(self.cell, self.pane.title)
        seen = self.long.describe()
        self.pane.named_items.tell_seen(seen)
        if seen:
            # a pane not shown before has no size
            width = self.parts.panes.size.width - ENDS
            free_width = width - cell_width(seen)
            title = clip(title, max(free_width - 3, 1), self.marks)
            gap = max(free_width - cell_width(title) - 2, 1)
            rule = self.marks.rule * gap
            title = f"{title} {rule} {seen}"
        entitle(self.pane, spelt(title, self.marks))

    # -- changes ----------------------------------------------------------------------------------

    def changed(self, change: Change, *, busy: bool) -> None:
        """Show a change of any cell, made by a person or a judge.

        Its line in the queue is drawn always. Of another cell, and of a reply that a blind cell
        hides, only the header is drawn besides, unless a run is on. So it is with new labels for
        the open cell while the reviewer is `busy` with a question: `catch_up` draws them
        afterwards. Otherwise the open cell is drawn, the cursor goes to the item that was
        corrected, and a later round of the judge is announced.
        """
        self.parts.queue.draw_anew(change.no)
        has_new_labels = (
            not change.reversed_facts and change.before.labels != change.after.labels
        )
        # a reply to a blind cell
        is_invisible = change.before.facts == change.after.facts
        if change.no != self.no or is_invisible or (has_new_labels and busy):
            if not self.progress:
                self.show_header()
            return

        had_labels = change.before.labels is not None or change.after.hidden
        self._previous_cell = change.before
        self.keys_since_correction = None
        latest = change.after.facts[-1]
        if not change.reversed_facts and isinstance(latest.what, Corrected | Adopted):
            self.keys_since_correction = 0
        self.show(fresh=not had_labels)
        self.follow(change)
        self._say_round(change)

    def _say_round(self, change: Change) -> None:
        """Say that a later round of the judge has answered, if this change is its answer.

        It says whether the labels changed. Nothing is said of a blind cell.
        """
        round_no = change.after.round
        if (
            change.reversed_facts
            or change.before.hidden
            or round_no <= max(change.before.round, 1)
        ):
            return
        text = f"Round {round_no} is here, and the labels stay as they are"
        compares = ": {cell.proposals:V} compares them"
        if change.before.labels != change.after.labels:
            text = f"The labels of round {round_no} are here now"
            compares += " with what was here before"
        compares = in_own_keys(compares, self.parts.response.app)
        self._around.say(f"{text}{compares}.")

    def follow(self, change: Change) -> None:
        """Put the cursor on the item that was corrected, or whose correction was undone or redone.

        New items count as seen. Nothing happens after a change that corrects no item.
        """
        fact = (
            change.reversed_facts[0]
            if change.reversed_facts
            else change.after.facts[-1]
        )
        if isinstance(fact.what, Corrected):
            self.pane.follow(
                fact.what.edit,
                change.before,
                turned=bool(change.reversed_facts),
            )
            self.long.note_new_items()
            self.looked()

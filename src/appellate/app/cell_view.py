"""The cell in sight: which it is, what tells of it, what is drawn on its response."""

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
from appellate.injection import injections
from appellate.session.review_session import ReviewSession
from appellate.session.workbench import Change, Position, Workbench
from appellate.traits.unread import said_of_response
from appellate.ui.contract import Evidence, Place
from appellate.ui.marks import Marks, raised, spelt
from appellate.ui.measures import measure_line
from appellate.ui.own_keys import in_own_keys
from appellate.ui.page import StyledSpan
from appellate.ui.pane import KindPane
from appellate.ui.text import cell_width, clip, entitle, flat

if TYPE_CHECKING:
    from appellate.app.layout import Parts
    from appellate.app.requests import Standing
    from appellate.judging.progress import Progress


class EvidenceSpans:
    """Every item's evidence, its mark behind it; kept while the evidence is the same."""

    def __init__(self, marks: Marks) -> None:
        self._marks = marks
        self._found: Sequence[Evidence] = ()
        self._spans: list[StyledSpan] = []
        self._places: dict[Place, list[int]] = {}

    def of(self, found: Sequence[Evidence], selected: Place) -> list[StyledSpan]:
        """The spans of evidence, with those of one item selected."""
        if found is not self._found:
            self._found = found
            self._spans = []
            self._places = {}
            for index, one in enumerate(found):
                mark = behind(one.style, one.mark, self._marks)
                span = StyledSpan(one.start, one.end, one.style, mark, dim=not one.counts)
                self._spans.append(span)
                self._places.setdefault(one.place, []).append(index)
        spans = self._spans[:]
        for index in self._places.get(selected, ()):
            spans[index] = replace(spans[index], selected=True)
        return spans


def behind(style: str, label: str, marks: Marks) -> str:
    """The mark behind evidence: its label, or that of its style; both behind what is wrong or
    denies, which needs no colour then.
    """
    shown = raised(label, marks)
    sign = getattr(marks, style, "")
    if style in ("fp", "denied"):
        return f"{sign}{shown}"
    return shown or sign


@lru_cache(maxsize=4)
def pleas(response: str, marks: Marks) -> tuple[StyledSpan, ...]:
    """The passages that seem to address the judge; kept, since each key asks again."""
    return tuple(
        StyledSpan(start, end, "plea", marks.plea, aside=True)
        for start, end in injections(response)
    )


OFFERED = 2
"""So many keys after a correction the strip offers to say why."""


class SightTime:
    """The seconds that cells were in sight; one of them is, since some moment."""

    def __init__(self, clock: Callable[[], float], number: int) -> None:
        self._clock = clock
        self._spent: defaultdict[int, float] = defaultdict(float)
        self._number, self._since = number, clock()

    def opened(self, number: int) -> None:
        """Another cell comes into sight."""
        now = self._clock()
        self._spent[self._number] += max(now - self._since, 0)
        self._number = number
        self._since = now

    def seconds(self, pressed: float) -> float:
        """How long the cell was in sight when a key was pressed, or by now."""
        until = pressed if pressed > self._since else self._clock()
        return self._spent[self._number] + max(until - self._since, 0)


LONG = 10
"""A cell with more items than this says how many of them were seen."""


class LongCell:
    """The items of the cell in sight that this reviewer has been on."""

    def __init__(self, view: "CellView") -> None:
        self._view = view
        self._of: tuple[int, Fact | None] = 0, None
        self._names: frozenset[str] = frozenset()
        self._any_unseen = False

    def look(self) -> bool:
        """One is on the items under the cursor; whether that makes another end of what `n` does."""
        of = (self._view.no, self._view.cell.base)
        items = self._view.pane.named_items
        if of != self._of:
            self._of, self._names = of, frozenset(items.named())
        self._note(items.names_here)
        before = self._any_unseen
        self._any_unseen = bool(self.unseen())
        return before != self._any_unseen

    def corrected(self) -> None:
        """Who made an item, as one half of another or from the text, has seen it."""
        names = frozenset(self._view.pane.named_items.named())
        self._note(names - self._names)
        self._names = names

    def _note(self, names: Collection[str]) -> None:
        view = self._view
        view.bench.seen.note(view.no, view.cell, frozenset(names))

    # -- what is left ------------------------------------------------------------------------------

    def unseen(self) -> list[str]:
        """The items of a long cell that one has not been on, in the order of reading."""
        names = self._view.pane.named_items.named()
        if len(names) <= LONG:
            return []
        seen = self._view.bench.seen.of(self._view.no, self._view.cell)
        return [name for name in names if name not in seen]

    def describe(self) -> str:
        """How many items of a long cell were seen; nothing of a short one."""
        total = len(self._view.pane.named_items.named())
        if total <= LONG:
            return ""
        return f"{total - len(self.unseen())}/{total} seen"

    def left_out(self) -> str:
        """How many items were not seen, for a sign-off; "" where all were."""
        unseen = len(self.unseen())
        if not unseen:
            return ""
        were = "was" if unseen == 1 else "were"
        return f"{unseen} of {len(self._view.pane.named_items.named())} items {were} not seen"

    def next(self) -> bool:
        """Goes to the next item that was not seen, round the corner; false where there is none."""
        items = self._view.pane.named_items
        unseen = set(self.unseen())
        if not unseen:
            return False
        places = items.named()
        names = list(places)
        here = next(iter(items.names_here), names[0])
        at = names.index(here)
        found = next(name for name in [*names[at:], *names[:at]] if name in unseen)
        items.go(*places[found])
        self._view.looked()
        return True


ENDS = 6  # cells of a frame that its title leaves: corners, a stroke and a space at either end


class AroundCell(Protocol):
    """What else shows the cell in sight, or tells of it."""

    @property
    def is_response_alone(self) -> bool:
        """Whether the response fills the screen."""

    @property
    def beside(self) -> Sequence[str]:
        """The names of what a verdict may need that can be read beside the text."""

    @property
    def unread(self) -> Materials:
        """What of the trace the judge of the cell did not get."""

    def show_material(self) -> None:
        """Shows what is to be read beside the text of the cell."""

    def keys_changed(self) -> None:
        """Shows that other keys act."""

    def say(self, text: str) -> None:
        """Says a sentence in the place of the keys."""


class CellView:
    """Shows the cell whose number is `no` in the `parts`; what the cell is, the `bench` knows."""

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
        """`around` is what else shows the cell; `now` is the time in seconds."""
        self._session = session
        self._standing = standing
        self._around = around
        self.no = bench.position().cell
        self.keys_since_correction: int | None = None
        """Keys pressed since a correction of the cell in sight; None where that is long ago."""
        self.bench = bench
        self.parts = parts
        self.marks = marks
        self.progress: Progress | None = None  # of the judge's run
        self._shown: Cell | None = None
        self._title = PaneTitle()
        self._evidence = EvidenceSpans(marks)
        self.pointed: tuple[StyledSpan, ...] = ()
        """The heading of the step of a conversation that a person went to."""
        self._before: Cell | None = None  # what the numbers tell their differences from
        self.sight = SightTime(now, self.no)
        self.long = LongCell(self)
        self.bench.set_visible(self.no)

    @property
    def cell(self) -> Cell:
        return self.bench.open(self.no)[1]

    @property
    def trace(self) -> Trace:
        return self.bench.open(self.no)[0]

    def place(self) -> Position:
        """Return where the person is: the cell, and the place in its pane."""
        return Position(self.no, *self.pane.place)

    @property
    def pane(self) -> KindPane:
        """The pane of the cell's kind."""
        return self.parts.panes.pane

    # -- showing ----------------------------------------------------------------------------------

    def open(self, number: int) -> None:
        self.no = number
        self._before = None
        self.pointed = ()
        self.keys_since_correction = None
        self.sight.opened(number)
        self.bench.set_visible(number)
        self.show(fresh=True)

    def show(self, *, fresh: bool) -> None:
        """Shows the cell as it is; `fresh`: from its beginning."""
        before = self._shown
        cell = self._shown = self.cell
        self.parts.panes.turn_to(cell.subject.kind.name)
        if before is None or before.subject is not cell.subject:
            self.pane.to_first_rows()
        self.pane.show(cell, fresh=fresh)
        self.long.look()
        self._around.keys_changed()  # what keys do may be otherwise where its state is
        transcript = cell.subject.transcript
        text = cell.subject.text
        is_read_already = self.parts.response.text == text
        steps = transcript.steps if transcript else ()
        self.parts.response.show(text, self.spans(), steps)
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
        """Brings into sight what a fresh cell is read from.

        That is the evidence of the item under the cursor. A conversation without it begins at its
        first evidence, or with what a user said last.
        """
        response, steps = self.parts.response, self.parts.response.steps
        if steps is None or self.chosen is not None:
            response.reveal_selected()
            return
        evidence = [span for span in self.spans() if not span.aside and span.start < span.end]
        if evidence:
            first = min(evidence, key=attrgetter("start"))
            response.reveal(first.start, first.end)
            return
        question = steps.last_users()
        if question is not None and not is_read_already:
            response.reveal(question.heading_start, question.heading_end)

    def catch_up(self) -> None:
        """Shows what the cell has become meanwhile."""
        shown = self._shown
        cell = self.cell
        if shown is None or cell.facts != shown.facts:
            self.show(fresh=shown is None or shown.labels is None)

    def spans(self) -> list[StyledSpan]:
        """What is marked in the response: evidence in the pane's order, then passages."""
        pane = self.pane
        chosen = pane.in_texts.place or pane.place
        return [*self._evidence.of(pane.evidence(), chosen), *self.passages, *self.pointed]

    @property
    def chosen(self) -> StyledSpan | None:
        """The evidence of the item under the cursor."""
        chosen = (span for span in self.spans() if span.selected and not span.aside)
        return next(chosen, None)

    @property
    def read_name(self) -> str:
        """What the text is that the trait in sight reads: a response or a conversation."""
        return "response" if self.cell.subject.transcript is None else "conversation"

    @property
    def passages(self) -> tuple[StyledSpan, ...]:
        """The passages that seem to address the judge, where any were found on opening the cell."""
        if not self.bench.count_suspect_passages(self.no):
            return ()
        return pleas(self.trace.text, self.marks)

    def looked(self) -> None:
        """The evidence of the item under the cursor comes into sight."""
        if self.long.look():
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
        shown = measure_line(self._before, self.cell, self.pane.summary(), self.pane.labelled_by)
        self.parts.numbers.show(shown)

    def settle_numbers(self) -> None:
        """By how much the numbers moved shows until the next key."""
        if self._before is not None:
            self._before = None
            self._show_numbers()
        if self.keys_since_correction is not None:
            self.keys_since_correction += 1
            if self.keys_since_correction > OFFERED:
                self.keys_since_correction = None
            self._around.keys_changed()

    def point_at(self, instruction: Instruction) -> None:
        """Puts the cursor on what answers an instruction."""
        cursor = self.pane.instructions
        if cursor is not None:
            cursor.go_to_instruction(instruction.of, instruction.number)
        self.looked()

    # -- around it --------------------------------------------------------------------------------

    def judging_turned(self) -> None:
        """A judge began or ended: a cell without labels says so."""
        if self.cell.labels is None:
            self.pane.show(self.cell, fresh=False)
            self._around.keys_changed()
        self.show_header()

    def show_header(self) -> None:
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
        )
        self.parts.header.show(
            *header.header_line(overview, row, self.cell, self.progress, bench.reviewer, marks)
        )

    def show_titles(self) -> None:
        """What the frames say of the queue, the response and the items."""
        queue = self.parts.queue
        response = self.parts.response
        entitle(queue, queue.title)
        face = "Response"
        if response.reads_as_markdown:
            face = "Response · Markdown"
        note = said_of_response(self._around.unread)
        if note:
            face += f" · {note}"
        transcript = self.cell.subject.transcript
        if transcript is not None:
            face = f"Conversation, {many(len(transcript.steps), 'step')}"
            if beside := self._around.beside:
                face += f" · {in_own_keys(READS, response.app)}: {', '.join(beside)}"
        texts = []
        if self.bench.count_suspect_passages(self.no):
            count = len(self.passages)
            subject = many(count, "passage addresses", "passages address")
            if not count:
                subject = "the question addresses"
            texts.append(f"{self.marks.plea} {subject} the judge")
        if missing := self.pane.in_doubt():
            texts.append(f"{missing} unverified, not in this {self.read_name}")
        if self._around.is_response_alone:  # the item that keys act on is seen nowhere else
            texts = [flat(self.pane.detail().plain.partition("\n")[0])]
        entitle(response, spelt(face, self.marks), ", ".join(texts))
        self.entitle_pane()

    def entitle_pane(self) -> None:
        """What the frame of the items says: the title, and at its right what was seen."""
        title = self._title.of(self.cell, self.pane.title)
        text = self.long.describe()
        self.pane.named_items.tell_seen(text)
        if text:
            room = self.parts.panes.size.width - ENDS  # a pane not shown before has no size
            left = clip(title, max(room - cell_width(text) - 3, 1), self.marks)
            gap = max(room - cell_width(left) - cell_width(text) - 2, 1)
            title = f"{left} {self.marks.rule * gap} {text}"
        entitle(self.pane, spelt(title, self.marks))

    # -- changes ----------------------------------------------------------------------------------

    def changed(self, change: Change, *, busy: bool) -> None:
        """Shows every change, of a person or a judge. While a person is `busy` nothing is replaced:
        `catch_up` shows it afterwards.
        """
        self.parts.queue.draw_anew(change.no)
        arrived = not change.reversed_facts and change.before.labels != change.after.labels
        unseen = change.before.facts == change.after.facts  # a reply to a blind cell
        if change.no == self.no and not (unseen or (arrived and busy)):
            had_labels = change.before.labels is not None or change.after.hidden
            self._before = change.before
            self.keys_since_correction = None
            latest = change.after.facts[-1]
            if not change.reversed_facts and isinstance(latest.what, Corrected | Adopted):
                self.keys_since_correction = 0
            self.show(fresh=not had_labels)
            self.follow(change)
            revealed = change.before.hidden
            if not (change.reversed_facts or revealed) and change.after.round > max(
                change.before.round, 1
            ):
                no = change.after.round
                text = f"Round {no} is here, and the labels stay as they are: V compares them."
                if change.before.labels != change.after.labels:
                    now = f"The labels of round {no} are here now"
                    text = f"{now}: V compares them with what was here before."
                self._around.say(text)
        elif not self.progress:
            self.show_header()

    def follow(self, change: Change) -> None:
        """The cursor follows the item that a correction, or the taking back of one, was about."""
        fact = change.reversed_facts[0] if change.reversed_facts else change.after.facts[-1]
        if isinstance(fact.what, Corrected):
            self.pane.follow(fact.what.edit, change.before, turned=bool(change.reversed_facts))
            self.long.corrected()
            self.looked()

"""What the screen for ruling on a contested cell is made of: the response, and a row for each
question that the two answer otherwise.
"""

from collections import defaultdict

from textual.app import ComposeResult
from textual.containers import Container
from textual.geometry import Size
from textual.widget import Widget
from textual.widgets import Static

from appellate.app.instructions.rows import WORD, answer_text, omission_text
from appellate.core.kind import Grounds, Instruction
from appellate.core.trace import name_of
from appellate.core.wordforms import many
from appellate.session.adjudicating import BOTH, ContestedCell
from appellate.ui.bar import KeyStrip, Part, StatusStrip
from appellate.ui.lines import DrawnRows, Lines, ListRow, ListSection
from appellate.ui.marks import Marks, in_quotes, raised, spelt
from appellate.ui.page import StyledSpan
from appellate.ui.rendered_text import StyledText
from appellate.ui.text import clip, column, entitle, flat, plain, update_text
from appellate.ui.text_view import TextView

BESIDE = 110
"""The columns from which the rows stand beside the response."""
TALL = 30
NAME = 16  # cells of who a side is, at most
SHARE = 0.5  # of the height that rows below the response take, at most
HELP = (
    "1 or 2 takes all that one of them says; go down to pick row by row; e makes your own."
    " Who 1 and 2 are is shown once you have ruled."
)
EDGES, FEWEST = 2, 6  # lines of a frame, and of all rows with it


class AdjudicationFrame:
    """The widgets; `lines` has the cursor, on the whole of it or on one question."""

    def __init__(self, marks: Marks, *, rendered: bool) -> None:
        self._marks, self._rendered = marks, rendered
        self.lines = Lines(marks=marks, id="rows")
        self.text = TextView(id="response", marks=marks)
        self.keys = KeyStrip(marks=marks, id="keys")
        self._title = StatusStrip(marks=marks, id="counts")
        self._question = Static(id="prompt", markup=False)
        self._message = Static(id="said", markup=False)
        self._across = Container(id="across")
        self._here: ContestedCell | None = None
        self._names = ("1", "2")

    def composed(self) -> ComposeResult:
        yield self._title
        yield self._question
        with self._across:
            yield self.text
            yield self.lines
        yield self._message
        yield self.keys

    def fit(self, screen: Widget, size: Size) -> None:
        """Lays the parts out for the room there is."""
        beside = size.width >= BESIDE and not screen.app.has_class("-plain")
        screen.set_class(beside, "-beside")
        screen.set_class(size.height < TALL, "-low")
        rows = "1fr"
        if not beside:
            most = int(size.height * SHARE)
            rows = f"1fr {max(min(self.lines.height_uncut + EDGES, most), FEWEST)}"
        self._across.styles.grid_rows = rows

    # -- the cell ---------------------------------------------------------------------------------

    @property
    def question(self) -> Instruction | None:
        """The question under the cursor; None on the row of all of it."""
        row = self.lines.cursor.row
        if self._here is None or not 0 < row <= len(self._here.questions):
            return None
        return self._here.questions[row - 1]

    def show(
        self, here: ContestedCell, names: tuple[str, str], asked: str, reason: str, *, fresh: bool
    ) -> None:
        """Shows a cell, from its beginning where it is `fresh`; `asked` is what it answers,
        `reason` goes with the ruling.
        """
        self._here, self._names = here, names
        update_text(self._question, plain(flat(asked)))
        self._question.display = bool(asked)
        self.text.empty = "The response is empty."
        self.text.set_rendered(self._rendered)
        rows = DrawnRows([None, *here.questions], self._drawn)
        self.lines.show(ListSection(rows, whole=True))
        if fresh:
            self.lines.go(0, 0)
        title = f"{len(here.questions)} of {many(here.asked, 'question')} answered otherwise"
        because = f"because: {reason}" if reason else ""
        entitle(self.lines, spelt(title, self._marks), spelt(because, self._marks))
        self.fit(self.lines.screen, self.lines.screen.size)
        self.look()

    def count(self, ruled: int, contested: int) -> None:
        """Which cell it is, and how far one is."""
        if self._here is None:
            return
        subject = self._here.cell.subject
        name = name_of(*subject.trace.key)
        done = Part(f"{self._marks.pending} not ruled yet", "", 2)
        if not self._here.cell.hidden:
            done = Part(f"{self._marks.reviewed} ruled", "good", 2)
        left = [Part("Two reviewers differ", "strong", 2), Part(subject.trait.name, "", 1)]
        right = [done, Part(f"{ruled} of {contested} ruled", "", 1)]
        self._title.show([*left, Part(name, "", 1)], right)

    def look(self) -> None:
        """Shows what the row under the cursor rests on in the response."""
        if self._here is None:
            return
        spans = self._spans(self._here)
        self.text.show(self._here.cell.subject.trace.response, spans)
        if self.question and spans:
            self.text.reveal(spans[0].start, spans[0].end)

    def _spans(self, here: ContestedCell) -> list[StyledSpan]:
        """The evidence of both; where it is the same, with both marks."""
        selected = self.question
        found: defaultdict[tuple[int, int], list[int]] = defaultdict(list)
        styles: dict[tuple[int, int], str] = {}
        for question in here.questions if selected is None else [selected]:
            for side in BOTH:
                grounds = here.grounds(side, question)
                for span in grounds.spans:
                    if side not in found[span]:
                        found[span].append(side)
                    styles[span] = grounds.style or "evidence"
        spans = []
        for (start, end), sides in sorted(found.items()):
            mark = raised("".join(str(side + 1) for side in sides), self._marks)
            style = styles[start, end]
            spans.append(StyledSpan(start, end, style, mark, selected=selected is not None))
        return spans

    def say(self, text: str) -> None:
        """A line in the place of the keys, until the next key."""
        update_text(self._message, plain(spelt(text, self._marks)))
        self._message.display = bool(text)
        self.keys.display = not text

    # -- the rows ---------------------------------------------------------------------------------

    def _drawn(self, question: Instruction | None) -> ListRow:
        here = self._here
        if here is None:
            return ListRow("")
        if question is None:
            return self._whole(here)
        spelled = here.cell.subject.kind.spelled
        left: tuple[StyledText, ...] = ()
        if question.of:
            place = f"{spelled.get(question.of, question.of)} {question.number} "
            left = (StyledText(place, "muted"),)
        answers = [*self._side(here, 0, question), *self._side(here, 1, question)]
        if not here.cell.hidden:
            answers.append(StyledText(here.verdict(question), "key"))
        words = filter(None, (self._words(here, 0, question), self._words(here, 1, question)))
        return ListRow(question.text, left, below=(tuple(answers),), under_cursor=tuple(words))

    def _whole(self, here: ContestedCell) -> ListRow:
        """All of it at once, and what is picked so far."""
        if not here.cell.hidden:
            one, other = self._names
            return ListRow(f"1 was {one}, 2 was {other}", style="key")
        picked = len(here.picks)
        text = "nothing picked yet"
        if here.whole is not None:
            text = f"{here.whole + 1} picked in all of it: a rules"
        elif here.is_picked:
            text = "picked in every row: a rules"
        elif picked:
            text = f"{picked} of {len(here.questions)} picked"
        right, help_text = StyledText(f" {text}", "muted"), StyledText(HELP, "muted")
        return ListRow("All of it", right=(right,), style="key", under_cursor=((help_text,),))

    def _side(
        self, here: ContestedCell, side: int, question: Instruction
    ) -> tuple[StyledText, ...]:
        """How a side answers: both stand on one line, so that no cut parts them."""
        marks = self._marks
        style = here.grounds(side, question).style
        is_picked = here.picks.get(question) == side
        label = f"{marks.reviewed if is_picked else ' '} {self._name(side)} "
        word = Grounds(here.answer(side, question), style)
        answer = column(answer_text(word, marks), WORD, marks)
        return (
            StyledText(label, "key" if is_picked else "muted"),
            StyledText(f"{answer} ", style or "key"),
        )

    def _name(self, side: int) -> str:
        return clip(self._names[side], NAME, self._marks)

    def _words(
        self, here: ContestedCell, side: int, question: Instruction
    ) -> tuple[StyledText, ...]:
        """The excerpts that an answer rests on; no judge's reason, which would tell who took it."""
        grounds = here.grounds(side, question)
        label = StyledText(f"{self._name(side)}: ", "muted")
        if grounds.spans:
            response = here.cell.subject.trace.response
            words = [flat(response[start:end]) for start, end in grounds.spans]
            return (label, StyledText(f" {self._marks.dot} ".join(words), grounds.style))
        if grounds.loose:
            loose = in_quotes(flat(grounds.loose[0]), self._marks)
            styled_text = StyledText("not in the response: ", "flag")
            return (label, styled_text, StyledText(loose, grounds.style))
        if grounds.omission:
            return (label, *omission_text(grounds._replace(reason=""), self._marks))
        return ()

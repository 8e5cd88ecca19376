"""A cell in print: who and what, the prompt, the numbers, and what can be read beside its items."""

from collections.abc import Iterator, Mapping, Sequence

from appellate.core.cell import Cell, reason_of
from appellate.core.deciding import compared, difference_text
from appellate.core.describe import (
    describe,
    describe_loss,
    describe_moved,
    describe_unsettled,
    judge_name,
)
from appellate.core.figures import Sentences
from appellate.core.kind import Grounds
from appellate.core.messages import ChatTurn, asked, turns_of
from appellate.core.problem import KeyNames, Refused, many, with_keys
from appellate.core.totals import SIGNED_OFF, measures_over, summary
from appellate.core.trace import CHOICES, REFERENCE, Trace, epoch_text, name_of, sources
from appellate.core.transcript import Step, Transcript
from appellate.core.verdict_like import HIDDEN_FIELDS, without_verdicts
from appellate.linear.console import Console
from appellate.linear.linear_review import LinearReview
from appellate.session.review_session import ReviewSession
from appellate.session.workbench import Workbench
from appellate.store.cells import CellRow
from appellate.store.trace_rows import in_words
from appellate.store.workspace import Workspace
from appellate.traits.prompts import Prompts
from appellate.traits.rubric import Rubric
from appellate.traits.unread import (
    beside_response,
    prompts_over,
    result_name,
    said_of,
    said_of_document,
    said_of_metadata,
    said_of_newest,
    said_of_response,
    turn_name,
    unread_in,
)
from appellate.ui.contract import INDENT, Choice, KindLines, Paragraph, step_no
from appellate.ui.conversation import Left
from appellate.ui.marks import Marks
from appellate.ui.measures import in_print, measure_line
from appellate.ui.measures import number as written
from appellate.ui.steps import Fold, StepsInView

BESIDE = 3  # lines of each text beside the response that are printed
AROUND = 80  # characters that are printed on either side of an item's words


def header(
    row: CellRow, trace: Trace, cell: Cell, workspace: Workspace, marks: Marks
) -> list[Paragraph]:
    """Which cell it is, who answered, who judged, and how it stands."""
    trait = cell.subject.trait.name
    paragraphs = [Paragraph(f"{name_of(row.trace_id, row.epoch)} · {trait}", "Cell:", "strong")]
    texts = [f"cell {row.no} of {workspace.cells.count()}"]
    position, count = workspace.rubric.place_of(trait, trace)
    if count > 1:
        texts.append(f"trait {position} of {count} of this answer")
    texts += filter(None, [epoch_text(row.epoch)])
    if place := workspace.design.place(row.trace_no):
        texts.append(place.describe)
    if trace.model:
        texts.append(f"answered by {trace.model}")
    if cell.judge:
        texts.append(f"judge {judge_name(cell.judge.judge)}")
    texts.append(_state(cell, marks))
    texts += _changed(cell)
    made = [fact for fact in cell.corrections if fact.n in cell.edits]
    if made:
        texts.append(many(len(made), "correction"))
        reasons = sum(bool(reason_of(cell, fact)) for fact in made)
        if reasons:
            texts.append(many(reasons, "reason"))
    if cell.comments:
        texts.append(many(len(cell.comments), "comment"))
    if cell.flag:
        texts.append(f"{marks.flag} flagged")
    return [*paragraphs, Paragraph(", ".join(texts))]


def _changed(cell: Cell) -> list[str]:
    """Return what was changed after a cell was judged, or ruled on before it was signed off."""
    texts: list[str] = []
    if cell.lapsed and cell.signed:
        texts.append(describe_unsettled(cell))
    if not cell.hidden:
        texts.append(describe_moved(cell))
    return list(filter(None, texts))


def _state(cell: Cell, marks: Marks) -> str:
    if cell.signed:
        how = "signed off"
        if cell.signed is cell.ruled:
            how = "ruled blind" if cell.ruled_blind else "ruled"
        return f"{marks.reviewed} {how} by {cell.signed.by}"
    text: str = cell.state
    if cell.hidden and cell.contest:
        text = "two reviewers differ"
    elif cell.unsettled:
        text = describe_unsettled(cell)
    elif cell.hidden:
        text = "blind: rule on it, then the judge shows"
    return f"{getattr(marks, cell.state)} {text}"


def _grounds(cell: Cell, side: Grounds) -> str:
    """An answer, the words it rests on, and the judge's reason."""
    texts = [side.word or "no answer"]
    for start, end in side.spans:
        words = " ".join(cell.subject.text[start:end].split())
        texts.append(f"“{words}”")
    texts += map("“{}”".format, side.loose)
    return "; ".join(filter(None, (*texts, side.reason)))


# -- what was asked --------------------------------------------------------------------------------


def turns(rubric: Rubric, trace: Trace) -> list[ChatTurn]:
    """What was said before the response, oldest first."""
    return turns_of(trace, rubric.question_text(trace))


def prompt(
    rubric: Rubric,
    trace: Trace,
    cell: Cell,
    known_prompts: Sequence[Prompts],
    names: KeyNames,
) -> list[Paragraph]:
    """The newest turn of a user, whole, what else there is to read, and the response's title.

    `known_prompts` are those of `JudgeChoice`.
    """
    chat_turns = turns(rubric, trace)
    found = asked(chat_turns)
    whole = rubric.asked(trace)
    known = prompts_over(rubric.prompts, known_prompts)
    left = unread_in(cell, whole, chat_turns, known)
    beside = beside_response(whole, chat_turns, left)
    more = ""
    if beside:
        more = with_keys(f" (press {{material:K}}: {', '.join(beside)})", names)
    title = with_note("Prompt", said_of_newest(chat_turns, left)) + more
    response_title = with_note("Response", said_of_response(left))
    above_response = Paragraph("", f"{response_title}:", "strong")
    if found is None:
        return [Paragraph("(none was recorded)", f"{title}:", "strong"), above_response]
    return [
        Paragraph("", f"{title}:", "strong"),
        Paragraph(found.newest.text, quoted=True),
        above_response,
    ]


def conversation(
    transcript: Transcript,
    spans: Sequence[tuple[int, int]],
    beside: Sequence[str],
    names: KeyNames,
    marks: Marks,
) -> list[Paragraph]:
    """Return what is printed of a conversation that a trait reads: what its items rest on.

    That is the user's last turn, the steps with evidence (`spans`) and those beside them. `beside`
    are the names of what else there is to read. Long steps are cut; evidence in what is cut is
    quoted.
    """
    texts = []
    if names.get("line.page"):
        texts.append(f"{names['line.page']} reads all")
    if beside:
        texts.append(with_keys(f"{{material:K}}: {', '.join(beside)}", names))
    title = f"Conversation, {many(len(transcript.steps), 'step')}"
    if texts:
        title += f" ({'; '.join(texts)})"
    steps = StepsInView(transcript.text, transcript.steps, marks)
    steps.fold_all_but(())
    folds = {fold.step_no: fold for fold in steps.folded}
    spans = sorted({span for span in spans if span[0] < span[1]})
    wanted = {steps.index_at(start) + by for start, _ in spans for by in (-1, 0, 1)}
    last_users = steps.last_users()
    if last_users is not None:
        wanted.add(last_users.no - 1)
    paragraphs = [Paragraph("", f"{title}:", "strong")]
    previous = -1
    for index in sorted(wanted):
        if not 0 <= index < len(transcript.steps):
            continue
        if index > previous + 1:
            paragraphs.append(Paragraph(_left_out(previous + 2, index), style="muted"))
        previous = index
        paragraphs += _step(transcript.text, transcript.steps[index], folds, spans)
    if previous + 1 < len(transcript.steps):
        left_out = _left_out(previous + 2, len(transcript.steps))
        paragraphs.append(Paragraph(left_out, style="muted"))
    return paragraphs


def _left_out(first: int, last: int) -> str:
    """Return what stands for steps that are not printed, from one number to another."""
    if first == last:
        return f"(step {first} is left out)"
    return f"(steps {first} to {last} are left out)"


def _step(
    text: str, step: Step, folds: Mapping[int, Fold], spans: Sequence[tuple[int, int]]
) -> Iterator[Paragraph]:
    """Yield a step with its heading; of a long one its beginning and the evidence behind it."""
    heading = text[step.heading_start : step.heading_end]
    fold = folds.get(step.no)
    if fold is None:
        yield Paragraph(text[step.heading_start : step.end], quoted=True)
        return
    yield Paragraph(f"{heading}\n{text[step.start : fold.start]}{fold.words}", quoted=True)
    for span in spans:
        if fold.hides(span):
            yield Paragraph(_in_context(text, span, step), indent=INDENT, quoted=True)


def _in_context(text: str, span: tuple[int, int], step: Step | None = None) -> str:
    """Return an excerpt in brackets between the words around it, on one line.

    Of a conversation only words of the `step` are around it.
    """
    start, end = span
    low = 0
    high = len(text)
    if step is not None:
        low = step.start
        high = step.end
    before = text[max(low, start - AROUND) : start]
    after = text[end : min(high, end + AROUND)]
    return " ".join(f"{before}[{text[start:end]}]{after}".split())


def material(
    rubric: Rubric, trace: Trace, cell: Cell, known_prompts: Sequence[Prompts], *, is_blind: bool
) -> list[tuple[str, str]]:
    """What can be read beside the response, by title; `known_prompts` are those of `JudgeChoice`.

    With `is_blind` the metadata are without what may be somebody's verdict.
    """
    reference = rubric.reference_for(trace) or ""
    if not isinstance(reference, str):
        reference = "\n".join(reference)
    chat_turns: list[ChatTurn] = []
    if trace.transcript is None:  # a conversation that is judged is not beside itself
        chat_turns = turns(rubric, trace)
    known = prompts_over(rubric.prompts, known_prompts)
    left = unread_in(cell, rubric.asked(trace), chat_turns, known)
    turned = []
    for index, turn in enumerate(chat_turns):
        head = with_note(f"{index + 1} {turn.title}", said_of(turn_name(index), left))
        turned.append(f"{head}:\n{turn.readable}")
    found = [
        ("Trait", str(getattr(cell.subject.trait, "description", None) or "")),
        (with_note("Reference", said_of(REFERENCE, left)), reference),
        (with_note("Choices", said_of(CHOICES, left)), "\n".join(trace.choices or ())),
    ]
    if len(chat_turns) > 1:
        found.append((f"Conversation, {many(len(chat_turns), 'turn')}", "\n\n".join(turned)))
    for result in trace.whole_results:
        note = said_of(result_name(result.step_no), left)
        found.append((with_note(result.title, note), result.turn.text))
    for source in sources(trace):
        title = f"Document {source.number} {source.name}".strip()
        found.append((with_note(title, said_of_document(source, left)), source.text))
    metadata = trace.metadata or {}
    withheld: list[str] = []
    if is_blind:
        metadata, withheld = without_verdicts(metadata, rubric.traits_of(trace).values())
    names = {"model": trace.model, "cluster": trace.cluster} | metadata
    facts = [f"{key}: {in_words(value)}" for key, value in names.items() if value is not None]
    if withheld:
        facts.append(f"{HIDDEN_FIELDS}: {', '.join(withheld)}")
    found.append((with_note("Metadata", said_of_metadata(trace, left)), "\n".join(facts)))
    return [(title, text) for title, text in found if text]


def with_note(title: str, note: str) -> str:
    """Return a title with what is said of it behind it, if anything."""
    return ", ".join(filter(None, (title, note)))


def story(cell: Cell) -> list[Paragraph]:
    """What happened to the cell, a line each."""
    paragraphs = []
    for fact in cell.facts:
        what = describe(cell, fact)
        loss = describe_loss(cell, fact)
        if what:
            more = f" [{loss}]" if loss else ""
            reason = reason_of(cell, fact)
            because = f", because: {reason}" if reason else ""
            paragraphs.append(
                Paragraph(f"{what}{because}{more}", f"{fact.at[:16]} {fact.by}:", "muted")
            )
    return paragraphs or [Paragraph("Nothing has happened to this cell yet.")]


# -- numbers ---------------------------------------------------------------------------------------


def numbers(before: Cell | None, cell: Cell, source: str, marks: Marks) -> str:
    """The cell's numbers on one line: whose they are, and how they differ since what."""
    return in_print(measure_line(before, cell, "", source), marks)


def hits(text: str, wanted: str) -> Sequence[tuple[int, str, int]]:
    """The lines of a text that hold some words, each behind its number and before its offset."""
    folded = wanted.casefold()
    found = []
    start = 0
    for number, line in enumerate(text.splitlines(keepends=True), 1):
        if folded in line.casefold():
            found.append((number, line.splitlines()[0], start))
        start += len(line)
    return found


class CellReading:
    """Prints what is asked for; changes nothing."""

    def __init__(
        self,
        bench: Workbench,
        session: ReviewSession,
        console: Console,
        review: LinearReview,
        known_prompts: Sequence[Prompts],
    ) -> None:
        """`known_prompts` are those of `JudgeChoice`."""
        self._bench = bench
        self._workspace = bench.workspace
        self._known_prompts = known_prompts
        self._session = session
        self._console = console
        self._review = review

    def page(self, trace: Trace) -> None:
        """The newest turn of the prompt and the response, or all of a conversation, in pages."""
        transcript = trace.transcript
        if transcript is not None:
            self._console.page(Paragraph(transcript.text, quoted=True))
            return
        prompt = asked(turns(self._workspace.rubric, trace))
        text = prompt.newest.text if prompt else ""
        self._console.page(Paragraph(f"{text}\n\n{trace.text}", quoted=True))

    def evidence(self, trace: Trace, kind: KindLines) -> None:
        """The words of the item under the cursor, between what stands around them."""
        transcript = trace.transcript
        if kind.span is None:
            name = "response" if transcript is None else "conversation"
            raise Refused(f"This item rests on no words of the {name}.")
        step = None
        if transcript is not None:
            step = transcript.step_at(kind.span[0])
        text = _in_context(trace.text, kind.span, step)
        mark = "" if step is None else f"step {step.no}:"
        self._console.show(Paragraph(text, mark, "key", quoted=True))

    def find(self, cell: Cell) -> None:
        """Words in the response, and in what else there is to read."""
        wanted = self._console.ask("Find> ").strip()
        if not wanted:
            raise Left
        subject = cell.subject
        beside = 0
        found = hits(subject.text, wanted)
        for number, line, start in found:
            mark = f"line {number}"
            if subject.transcript is not None:
                mark = f"step {step_no(subject, (start, start))}"
            self._console.show(Paragraph(line, f"{mark}:", "key", quoted=True))
        for title, text in self._material(cell):
            lines = hits(text, wanted)
            beside += len(lines)
            for number, line, _ in lines[:BESIDE]:
                self._console.show(Paragraph(line, f"{title}, line {number}:", "key", quoted=True))
        wording = f"{many(len(found), 'line')} with “{wanted}”"
        if beside:
            read_name = "response" if subject.transcript is None else "conversation"
            wording += f" in the {read_name}, {beside} in what {{material:K}} shows"
        self._console.say(f"{wording}.")

    def _material(self, cell: Cell) -> list[tuple[str, str]]:
        """Return what can be read beside the response of a cell, by title."""
        rubric = self._workspace.rubric
        is_blind = self._bench.hides_verdicts(cell)
        return material(rubric, cell.subject.trace, cell, self._known_prompts, is_blind=is_blind)

    async def material(self, cell: Cell) -> None:
        """Conversation, reference, documents: whichever is picked."""
        found = self._material(cell)
        if not found:
            raise Refused("There is nothing else to read: no reference, no documents.")
        choices = [Choice(str(at), "", title) for at, (title, _) in enumerate(found)]
        picked = found[0]
        if len(found) > 1:
            picked = found[int(await self._review.pick("What to read", choices))]
        self._console.page(Paragraph(f"{picked[0]}\n{picked[1]}", quoted=True))

    def beside_judge(self, cell: Cell) -> None:
        """Where a blind verdict and the judge differ, with both answers; the others in a line."""
        show = self._console.show
        apart = self._console.marks.apart
        show(Paragraph(f"Locked. {difference_text(cell)}"))
        rows = compared(cell)
        for row in rows:
            if row.differs:
                show(Paragraph(row.text, f"{apart} {row.name}".rstrip(), "strong", hang=4))
                for who, side in (("you", row.verdict), ("judge", row.judge)):
                    show(Paragraph(_grounds(cell, side), f"{who}:", "key", 4))
        alike = [row.name for row in rows if row.name and not row.differs]
        if alike and any(row.differs for row in rows):
            show(Paragraph(", ".join(alike), "The judge says the same of:", "muted"))
        self._console.say(
            "What you change now is saved apart from your verdict. {cell.sign:a} goes on."
        )

    def numbers(self) -> None:
        """How far one is, what each trait comes to, and what the judge is worth."""
        for line in self._session.summary():
            self._console.say(line)
        for name in self._workspace.rubric.trait_names():
            text = ", ".join(self._of_trait(name))
            if text:
                self._console.show(Paragraph(text, f"{name}:", "strong"))
        if not self._workspace.totals().get("state:reviewed"):
            self._console.say("No cell is signed off: there are no audited numbers yet.")
        self._console.show(*worth(self._bench, self._console))

    def signed(self, no: int) -> None:
        """Which cell was signed off, how far one is, and what there is to say of how it goes."""
        totals = self._workspace.totals()
        name = self._workspace.cells.row(no).name
        done = totals.get("state:reviewed", 0)
        cells = totals.get("cells", 0)
        mark = self._console.marks.reviewed
        self._console.say(f"{mark} {name}. Signed off: {done} of {many(cells, 'cell')}.")
        if warning := self._session.warning():
            self._console.say(f"{warning} Look again: {{cell.previous:,}} goes back.")

    def _of_trait(self, name: str) -> list[str]:
        """The measures of a trait over the cells signed off, beside the judge's."""
        held = [pair for pair in self._workspace.rubric.every_trait() if pair[1].name == name]
        totals = self._workspace.totals(name)
        texts = []
        for measure in measures_over(held[0][0], [trait for _, trait in held]):
            people, judge = (summary(totals, side, measure)["micro"] for side in SIGNED_OFF)
            if people is not None and judge is not None:
                text = f"{written(people)} (judge {written(judge)})"
                texts.append(f"{measure.name} {text}")
        return texts


# -- what the judge is worth -----------------------------------------------------------------------


MANY = 2_000
"""Traces from which on counting is announced: it takes a second or more."""


class _Interrupted(Exception):
    """The person wants something else."""


def worth(bench: Workbench, console: Console) -> list[Paragraph]:
    """What the sample says of the judge; reached looks are kept. Ctrl+C leaves it out."""
    # estimates are slow to load
    from appellate.numbers.bars import keep_looks
    from appellate.numbers.samples import sample_at, sample_numbers
    from appellate.numbers.sentences import HEADING, NO_SAMPLE, estimate_page, sample_text

    sample = bench.workspace.design.sample()
    if sample is None:
        return [Paragraph(NO_SAMPLE)]
    if sample.last.frame >= MANY:
        console.say("Counting what the sample says …")

    def rest(_done: int, _part: float | None) -> None:
        if console.interrupted:
            raise _Interrupted

    try:
        at = sample_at(bench.workspace.path, rest)
        if at is None:
            return []
        found = sample_numbers(at, rest)
    except _Interrupted:
        return []
    keep_looks(bench, found.gates)
    printed = [Paragraph(""), Paragraph(sample_text(found.at), f"{HEADING}:", "strong")]
    for place, block in enumerate(estimate_page(found)):
        if isinstance(block, Sentences):
            printed += [
                Paragraph(one.text, style="strong" if one.style else "") for one in block.texts
            ]
            continue
        if place:
            printed.append(Paragraph(f"{block.heading}:", style="strong"))
        details = [row.detail for row in block.rows]
        printed += map(Paragraph, (*details, *block.notes, *block.in_words))
    return printed

"""Prints a cell in line mode: its header, prompt and numbers, and what else can be read of it.

The functions return paragraphs or texts; `CellReading` prints what a key asks to read, and
`tell_worth()` and `tell_judges()` what the sample says about the judge and which of several is
better.
"""

import sqlite3
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from appellate.core.cell import Cell, reason_of
from appellate.core.deciding import difference_text, ruled_questions
from appellate.core.describe import (
    describe,
    describe_loss,
    describe_moved,
    describe_unsettled,
    judge_name,
)
from appellate.core.figures import FigureBlock, Sentences
from appellate.core.kind import Grounds, KnownTrait
from appellate.core.messages import ChatTurn, asked, turns_of
from appellate.core.problem import KeyNames, Refused, many, with_keys
from appellate.core.totals import SIGNED_OFF, measures_over, summary
from appellate.core.trace import (
    CHOICES,
    NAMES_HIDDEN,
    REFERENCE,
    Trace,
    epoch_text,
    name_of,
    sources,
)
from appellate.core.transcript import Step, Transcript
from appellate.core.verdict_like import HIDDEN_FIELDS, without_verdicts
from appellate.linear.console import Console
from appellate.linear.linear_review import LinearReview
from appellate.session.review_session import ReviewSession
from appellate.session.workbench import Workbench
from appellate.store.breakdowns import has_several_judges
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
from appellate.ui.contract import Choice, step_no
from appellate.ui.conversation import Left
from appellate.ui.kind_lines import INDENT, Paragraph
from appellate.ui.marks import Marks, in_quotes, spelt
from appellate.ui.measures import in_print, measure_line
from appellate.ui.measures import number as written
from appellate.ui.steps import Fold, StepsInView

MOST_HITS = 3
"""Lines with the searched words that are printed of each text beside the response."""
CONTEXT = 80
"""Characters that are printed before and after an item's excerpt."""


def header(
    row: CellRow,
    trace: Trace,
    cell: Cell,
    workspace: Workspace,
    marks: Marks,
) -> list[Paragraph]:
    """Return two paragraphs: the cell's name, and clauses on where it is and how it stands.

    The name is of the trace and trait. The clauses are, for example, `cell 2 of 9, trait 2 of 2 of
    this answer, judge gpt, ● proposed, 1 correction, 1 reason`. They are in this order: number of
    the cell, place among the traits of the answer, epoch, place in the sample, model, judge, state,
    what was changed since, how many corrections, reasons and comments there are, and the flag. What
    there is none of is left out, and so is the model while the cell hides names. Labels that a
    blind ruling was made of are no corrections.
    """
    trait = cell.subject.trait.name
    trace_name = name_of(row.trace_id, row.epoch)
    cell_name = f"{trace_name} · {trait}"
    first = Paragraph(cell_name, "Cell:", "strong")
    cell_count = workspace.cells.count()
    texts = [f"cell {row.no} of {cell_count}"]
    position, count = workspace.rubric.place_of(trait, trace)
    if count > 1:
        texts.append(f"trait {position} of {count} of this answer")
    epoch = epoch_text(row.epoch)
    if epoch:
        texts.append(epoch)
    place_in_sample = workspace.design.place(row.trace_no)
    if place_in_sample:
        texts.append(place_in_sample.describe)
    if trace.model and not cell.hides_names:
        texts.append(f"answered by {trace.model}")
    if cell.judge:
        judge = judge_name(cell.judge.judge)
        texts.append(f"judge {judge}")
    texts.append(_state_in_words(cell, marks))
    texts += _change_clauses(cell)
    corrections = [
        fact
        for fact in cell.corrections
        if fact.n in cell.edits and not cell.is_unseeing(fact)
    ]
    if corrections:
        texts.append(many(len(corrections), "correction"))
        with_reason = [fact for fact in corrections if reason_of(cell, fact)]
        if with_reason:
            texts.append(many(len(with_reason), "reason"))
    if cell.comments:
        texts.append(many(len(cell.comments), "comment"))
    if cell.flag:
        texts.append(f"{marks.flag} flagged")
    return [first, Paragraph(", ".join(texts))]


def _change_clauses(cell: Cell) -> list[str]:
    """Return clauses on what was changed after a cell was ruled on or judged, at most one of each.

    A ruling that no longer counts is told of here only if the cell was signed off since. What was
    changed since the judge's proposal is left out while the judge is hidden. The list is empty if
    there is nothing to tell.
    """
    texts: list[str] = []
    if cell.lapsed and cell.signed:
        texts.append(describe_unsettled(cell))
    if not cell.hidden:
        texts.append(describe_moved(cell))
    return list(filter(None, texts))


def _state_in_words(cell: Cell, marks: Marks) -> str:
    """Return a cell's state after its symbol: `✓ signed off by ada`, `✓ ruled blind by ada`.

    For a cell that awaits a blind verdict it is what there is to do, and not what the judge did; if
    two reviewers differ on it, it is "two reviewers differ". For a sign-off that no longer counts
    it is what was changed. Otherwise it is the name of the state.
    """
    if cell.signed:
        past_tense = "signed off"
        if cell.signed is cell.ruled:
            past_tense = "ruled blind" if cell.ruled_blind else "ruled"
        reviewer = cell.signed.by
        return f"{marks.reviewed} {past_tense} by {reviewer}"
    text: str = cell.state
    if cell.hidden and cell.contest:
        text = "two reviewers differ"
    elif cell.unsettled:
        text = describe_unsettled(cell)
    elif cell.hidden:
        text = "blind: rule on it, then the judge shows"
    mark = getattr(marks, cell.state)
    return f"{mark} {text}"


def _answer_and_grounds(cell: Cell, grounds: Grounds, marks: Marks) -> str:
    """Return an answer, its excerpts and its reason, as `yes; “a gene”; it is told`.

    The answer and the quotation marks are spelt as `marks` are. Excerpts from the response are on
    one line each, with single blanks. Excerpts that are not in it follow them in quotation marks,
    too, as they came, and so does the reason without any: both may have line ends. A missing answer
    is "no answer", a missing reason is left out. That an answer is based on what the response
    leaves out is not told.
    """
    texts = [spelt(grounds.word or "no answer", marks)]
    for start, end in grounds.spans:
        words = cell.subject.text[start:end].split()
        excerpt = " ".join(words)
        texts.append(in_quotes(excerpt, marks))
    for excerpt in grounds.loose:
        texts.append(in_quotes(excerpt, marks))
    if grounds.reason:
        texts.append(grounds.reason)
    return "; ".join(texts)


# -- what was asked --------------------------------------------------------------------------------


def turns(rubric: Rubric, trace: Trace) -> list[ChatTurn]:
    """Return what was said before the response, oldest first."""
    return turns_of(trace, rubric.question_text(trace))


def prompt(
    rubric: Rubric,
    trace: Trace,
    cell: Cell,
    known_prompts: Sequence[Prompts],
    names: KeyNames,
) -> list[Paragraph]:
    """Return three paragraphs: the prompt's title, the user's last turn, the response's title.

    Turns after that one, as results of tools, are not in it; without a turn of a user it is the
    last turn. Without any turn there are two paragraphs, and the first says that none was recorded.
    The titles say which parts the judge was not shown; that of the prompt also names what else can
    be read and by which key. `known_prompts` are prompts that cells may have been judged with, the
    current ones first. `names` are the names of the person's keys.
    """
    chat_turns = turns(rubric, trace)
    question = asked(chat_turns)
    full_trace = rubric.asked(trace)
    prompts = prompts_over(rubric.prompts, known_prompts)
    unread = unread_in(cell, full_trace, chat_turns, prompts)

    title = with_note("Prompt", said_of_newest(chat_turns, unread))
    beside = beside_response(full_trace, chat_turns, unread)
    if beside:
        names_beside = ", ".join(beside)
        title += with_keys(f" (press {{material:K}}: {names_beside})", names)
    response_title = with_note(cell.subject.trace.text_title, said_of_response(unread))
    above_response = Paragraph("", f"{response_title}:", "strong")
    if question is None:
        return [Paragraph("(none was recorded)", f"{title}:", "strong"), above_response]
    return [
        Paragraph("", f"{title}:", "strong"),
        Paragraph(question.newest.text, quoted=True),
        above_response,
    ]


def conversation(
    transcript: Transcript,
    spans: Sequence[tuple[int, int]],
    beside: Sequence[str],
    names: KeyNames,
    marks: Marks,
) -> list[Paragraph]:
    """Return a title and the steps of a conversation that matter for a trait that reads it.

    These are the user's last step, and of each step in which evidence begins that step and the ones
    right before and after it. A line stands for each row of steps that are left out, also before
    the first and after the last. Long steps are cut short, and evidence in what was cut is quoted
    below them. `spans` is the evidence, as offsets in the conversation's text; empty spans are
    ignored. `beside` names what else can be read, for the title, and `names` has the person's keys.
    """
    step_count = len(transcript.steps)
    title = _conversation_title(step_count, beside, names)
    steps = StepsInView(transcript.text, transcript.steps, marks)
    steps.fold_all_but(())
    folds = {fold.step_no: fold for fold in steps.folded}

    distinct_spans = {(start, end) for start, end in spans if start < end}
    evidence = sorted(distinct_spans)
    indexes: set[int] = set()
    for start, _ in evidence:
        index = steps.index_at(start)
        indexes |= {index - 1, index, index + 1}
    last_users = steps.last_users()
    if last_users is not None:
        indexes.add(last_users.no - 1)

    paragraphs = [Paragraph("", f"{title}:", "strong")]
    previous = -1
    for index in sorted(indexes):
        if not 0 <= index < step_count:
            continue
        if index > previous + 1:
            left_out = _left_out(previous + 2, index)
            paragraphs.append(Paragraph(left_out, style="muted"))
        previous = index
        step = transcript.steps[index]
        paragraphs += _step_in_print(
            transcript.text,
            step,
            folds.get(step.no),
            evidence,
        )
    if previous + 1 < step_count:
        left_out = _left_out(previous + 2, step_count)
        paragraphs.append(Paragraph(left_out, style="muted"))
    return paragraphs


def _conversation_title(step_count: int, beside: Sequence[str], names: KeyNames) -> str:
    """Return a title, as `Conversation, 6 steps (p reads all; K: choices, 1 document)`.

    `beside` names what else can be read. A hint without a key in `names` is left out, where K is
    the usual key of the second; without hints there are no parentheses.
    """
    hints = []
    if names.get("line.page"):
        hints.append(f"{names['line.page']} reads all")
    if beside:
        names_beside = ", ".join(beside)
        hint = with_keys(f"{{material:K}}: {names_beside}", names)
        if hint:
            hints.append(hint)
    title = f"Conversation, {many(step_count, 'step')}"
    if hints:
        notes = "; ".join(hints)
        title += f" ({notes})"
    return title


def _left_out(first: int, last: int) -> str:
    """Return the line that stands for steps that are not printed: `(steps 3 to 5 are left out)`.

    `first` and `last` are the numbers of the first and the last of them, from 1; they may be equal.
    """
    if first == last:
        return f"(step {first} is left out)"
    return f"(steps {first} to {last} are left out)"


def _step_in_print(
    text: str,
    step: Step,
    fold: Fold | None,
    spans: Sequence[tuple[int, int]],
) -> Iterator[Paragraph]:
    """Yield a step with its heading as one paragraph; a long step is cut short.

    `fold` says where a long step is cut, and which words replace the rest; None prints it whole.
    `spans` is the evidence, as offsets in `text`. Each span that the cut hides gives one more
    paragraph, in which it is in brackets with its surroundings.
    """
    if fold is None:
        whole_step = text[step.heading_start : step.end]
        yield Paragraph(whole_step, quoted=True)
        return
    heading = text[step.heading_start : step.heading_end]
    beginning = text[step.start : fold.start]
    folded_step = f"{heading}\n{beginning}{fold.words}"
    yield Paragraph(folded_step, quoted=True)
    for span in spans:
        if fold.hides(span):
            excerpt = _excerpt_in_context(text, span, step)
            yield Paragraph(excerpt, indent=INDENT, quoted=True)


def _excerpt_in_context(
    text: str,
    span: tuple[int, int],
    step: Step | None,
) -> str:
    """Return an excerpt in brackets with the text around it, on one line: `It is [a gene] of man.`

    At most `CONTEXT` characters are taken on each side. That may cut a word, and nothing shows it.
    With a `step` none are taken from outside of it. Line ends and runs of blanks become one space,
    in the excerpt too.
    """
    start, end = span
    low = 0
    high = len(text)
    if step is not None:
        low = step.start
        high = step.end
    first = max(low, start - CONTEXT)
    last = min(high, end + CONTEXT)
    before = text[first:start]
    excerpt = text[start:end]
    after = text[end:last]
    in_context = f"{before}[{excerpt}]{after}"
    return " ".join(in_context.split())


class ReadableText(NamedTuple):
    """A text that can be read next to the response of a cell."""

    title: str
    """What it is, and that the judge was not shown it, if that is so."""
    text: str


def material(
    rubric: Rubric,
    trace: Trace,
    cell: Cell,
    known_prompts: Sequence[Prompts],
    *,
    is_blind: bool,
) -> list[ReadableText]:
    """Return what can be read next to the response, in the order of reading.

    They are, in this order, the trait's description, the reference, the choices, the conversation,
    results of tools, the documents and the metadata. Texts that are empty are left out, and the
    conversation if it is itself what is judged, or has only one turn. The titles say which the
    judge was not shown. `known_prompts` are prompts that cells may have been judged with, the
    current ones first. With `is_blind` the metadata lack every field that may be somebody's
    verdict. While the cell hides names, a sentence that says so stands for the metadata.
    """
    reference = rubric.reference_for(trace) or ""
    if not isinstance(reference, str):
        reference = "\n".join(reference)
    chat_turns: list[ChatTurn] = []
    if trace.transcript is None:  # a conversation that is judged is not next to itself
        chat_turns = turns(rubric, trace)
    prompts = prompts_over(rubric.prompts, known_prompts)
    unread = unread_in(cell, rubric.asked(trace), chat_turns, prompts)

    texts = [
        ("Trait", str(getattr(cell.subject.trait, "description", None) or "")),
        (with_note("Reference", said_of(REFERENCE, unread)), reference),
        (
            with_note("Choices", said_of(CHOICES, unread)),
            "\n".join(trace.choices or ()),
        ),
    ]
    if len(chat_turns) > 1:
        turn_texts = []
        for index, turn in enumerate(chat_turns):
            heading = with_note(
                f"{index + 1} {turn.title}",
                said_of(turn_name(index), unread),
            )
            turn_texts.append(f"{heading}:\n{turn.readable}")
        title = f"Conversation, {many(len(chat_turns), 'turn')}"
        texts.append((title, "\n\n".join(turn_texts)))
    for result in trace.whole_results:
        note = said_of(result_name(result.step_no), unread)
        title = with_note(result.title, note)
        texts.append((title, result.turn.text))
    for source in sources(trace):
        name = f"Document {source.number} {source.name}"
        note = said_of_document(source, unread)
        title = with_note(name.strip(), note)
        texts.append((title, source.text))
    metadata = NAMES_HIDDEN
    if not cell.hides_names:
        metadata = _metadata_text(rubric, trace, is_blind=is_blind)
    title = with_note("Metadata", said_of_metadata(trace, unread))
    texts.append((title, metadata))
    return [ReadableText(title, text) for title, text in texts if text]


def _metadata_text(rubric: Rubric, trace: Trace, *, is_blind: bool) -> str:
    """Return a trace's model, cluster and metadata, as `name: value` lines; "" if there are none.

    Of a pair, the id and model of the other response come before the metadata. Fields without a
    value are left out. With `is_blind` metadata that may be verdicts are left out, too, and a last
    line names them; the model and cluster stay.
    """
    metadata = trace.metadata or {}
    hidden_names: list[str] = []
    if is_blind:
        metadata, hidden_names = without_verdicts(
            metadata,
            rubric.traits_of(trace).values(),
        )
    fields: list[tuple[str, Any]] = [
        ("model", trace.model),
        ("cluster", trace.cluster),
    ]
    if trace.other is not None:
        fields += [("other id", trace.other.id), ("other model", trace.other.model)]
    fields += metadata.items()
    lines = [f"{key}: {in_words(value)}" for key, value in fields if value is not None]
    if hidden_names:
        hidden = ", ".join(hidden_names)
        lines.append(f"{HIDDEN_FIELDS}: {hidden}")
    return "\n".join(lines)


def with_note(title: str, note: str) -> str:
    """Return a title followed by a comma and a note, or the title alone if the note is empty."""
    return ", ".join(filter(None, (title, note)))


def story(cell: Cell) -> list[Paragraph]:
    """Return what happened to a cell, oldest first, a paragraph an event; the list is never empty.

    Each is printed as `2026-11-28T05:27 ada: moved TP → FN, because: too vague`: the time, who did
    it, what it was, and the reason. What was lost by it follows in brackets. Events that are
    hidden, or that there is nothing to say about, are left out. If none is left, one paragraph says
    that nothing has happened.
    """
    paragraphs = []
    for fact in cell.facts:
        text = describe(cell, fact)
        if not text:
            continue
        reason = reason_of(cell, fact)
        if reason:
            text += f", because: {reason}"
        loss = describe_loss(cell, fact)
        if loss:
            text += f" [{loss}]"
        time = fact.at[:16]  # to the minute
        label = f"{time} {fact.by}:"
        paragraphs.append(Paragraph(text, label, "muted"))
    return paragraphs or [Paragraph("Nothing has happened to this cell yet.")]


# -- numbers ---------------------------------------------------------------------------------------


def measures_in_print(
    before: Cell | None,
    cell: Cell,
    source: str,
    marks: Marks,
) -> str:
    """Return a cell's measures on one line, with differences and then whose they are.

    It looks like `recall .50 −.25, F1 .67; corrected, ± since the last key`. The measures are
    compared with those of `before`. If that is None or its measures look the same, they are
    compared with the judge's, where a person changed them. `source` is the word for who labelled
    the cell if no person did: "judge" or "rule". For a cell without measures it is "no numbers
    yet".
    """
    measures = measure_line(before, cell, "", source)
    return in_print(measures, marks)


class HitLine(NamedTuple):
    """A line of a text that contains searched words."""

    number: int
    """The number of the line in the text, from 1."""
    text: str
    """The line without its end."""
    start: int
    """The offset in the text at which the line begins."""


def hits(text: str, searched: str) -> list[HitLine]:
    """Return the lines of a text that contain the searched words, in order, ignoring case.

    Each has its number, from 1, its text without the line end, and the offset of its start. The
    words have to be next to each other, as typed. For "" all lines are returned.
    """
    folded = searched.casefold()
    matches = []
    start = 0
    for number, line in enumerate(text.splitlines(keepends=True), 1):
        if folded in line.casefold():
            without_end = line.splitlines()[0]
            matches.append(HitLine(number, without_end, start))
        start += len(line)
    return matches


class CellReading:
    """Prints what a person asks to read about a cell or the audit.

    It changes nothing, except that `audit_numbers` saves looks at the sample.
    """

    def __init__(
        self,
        bench: Workbench,
        session: ReviewSession,
        console: Console,
        review: LinearReview,
        known_prompts: Sequence[Prompts],
    ) -> None:
        """Read the audit on `bench`, print at `console`, and let `review` ask what a person picks.

        `known_prompts` are prompts that cells may have been judged with, the current ones first.
        Nothing is read or printed yet.
        """
        self._bench = bench
        self._workspace = bench.workspace
        self._known_prompts = known_prompts
        self._session = session
        self._console = console
        self._review = review

    def page(self, trace: Trace) -> None:
        """Print the user's last turn before the response and then the response, a page at a time.

        `trace` must be as the cell's trait reads it. Of one that compares a pair both responses are
        printed, and of one that judges a conversation the whole conversation instead of all this.
        What came between turn and response, as results of tools, is not printed. Without a turn of
        a user it is the last turn, and without any turn only the response. After each page but the
        last a key is asked for: Space or Enter goes on, any other ends it. Raises EOFError at the
        end of the input and at Ctrl+D, KeyboardInterrupt at Ctrl+C, or AskedToLeave.
        """
        transcript = trace.transcript
        if transcript is not None:
            self._console.page(Paragraph(transcript.text, quoted=True))
            return
        chat_turns = turns(self._workspace.rubric, trace)
        prompt = asked(chat_turns)
        prompt_text = ""
        if prompt is not None:
            prompt_text = prompt.newest.text
        text = f"{prompt_text}\n\n{trace.text}"
        self._console.page(Paragraph(text, quoted=True))

    def evidence(self, trace: Trace, span: tuple[int, int] | None) -> None:
        """Print the excerpt at `span` with its context, on one line: `It is [a gene] of man.`

        The context is at most `CONTEXT` characters on each side; nothing shows where it is cut,
        also within a word. Of a conversation the step is named, and no text of other steps is
        printed. Raises Refused for a span of None, as of an item without an excerpt in the text,
        and AskedToLeave if the terminal or pipe was closed.
        """
        transcript = trace.transcript
        if span is None:
            text_name = "response" if transcript is None else "conversation"
            raise Refused(f"This item has no evidence in the {text_name}.")
        step = None
        if transcript is not None:
            start, _ = span
            step = transcript.step_at(start)
        label = ""
        if step is not None:
            label = f"step {step.no}:"
        text = _excerpt_in_context(trace.text, span, step)
        self._console.show(Paragraph(text, label, "key", quoted=True))

    def find(self, cell: Cell) -> None:
        """Ask for words and print the lines of the response and of other texts that have them.

        All such lines of the response are printed, and at most `MOST_HITS` of each text that can be
        read next to it. Each comes with its number, or in a judged conversation with that of its
        step. Then it is printed how many there are, also if there are none. Case is ignored, and so
        are blanks around the words. Raises Left if no words are typed, and at Esc. The question may
        also raise EOFError, KeyboardInterrupt or AskedToLeave.
        """
        searched = self._console.ask("Find> ").strip()
        if not searched:
            raise Left

        subject = cell.subject
        in_response = hits(subject.text, searched)
        for number, line, start in in_response:
            label = f"line {number}:"
            if subject.transcript is not None:
                step_number = step_no(subject, (start, start))
                label = f"step {step_number}:"
            paragraph = Paragraph(line, label, "key", quoted=True)
            self._console.show(paragraph)

        beside_count = 0
        for title, text in self._texts_beside(cell):
            matches = hits(text, searched)
            beside_count += len(matches)
            for number, line, _ in matches[:MOST_HITS]:
                label = f"{title}, line {number}:"
                paragraph = Paragraph(line, label, "key", quoted=True)
                self._console.show(paragraph)

        lines = many(len(in_response), "line")
        result = f"{lines} with “{searched}”"
        if beside_count:
            text_name = "response" if subject.transcript is None else "conversation"
            result += (
                f" in the {text_name}, {beside_count} in what {{material:K}} shows"
            )
        self._console.say(f"{result}.")

    def _texts_beside(self, cell: Cell) -> list[ReadableText]:
        """Return the texts that can be read next to a cell's response, each with its title.

        They are, in this order, the trait's description, the reference, the choices, the
        conversation, results of tools, the documents and the metadata. Empty ones are left out, and
        the conversation if it is what is judged or has only one turn. While any verdict on the
        cell's trace is hidden, fields of the metadata that may be somebody's verdict are left out.
        While the cell hides names, a sentence that says so stands for the metadata.
        """
        rubric = self._workspace.rubric
        is_blind = self._bench.hides_verdicts(cell)
        return material(
            rubric,
            cell.subject.trace,
            cell,
            self._known_prompts,
            is_blind=is_blind,
        )

    async def material(self, cell: Cell) -> None:
        """Ask which of the texts next to the response to read, and print it a page at a time.

        They are the trait's description, the reference, the documents, the metadata and so on. A
        single text is printed without asking; any key but Space and Enter ends it after a page.
        Raises Refused if there is nothing to read, Left at Esc in the question, EOFError at the end
        of the input, KeyboardInterrupt or AskedToLeave.
        """
        texts = self._texts_beside(cell)
        if not texts:
            raise Refused("There is nothing else to read: no reference, no documents.")
        index = 0
        if len(texts) > 1:
            choices = []
            for number, readable in enumerate(texts):
                choices.append(Choice(str(number), "", readable.title))
            picked = await self._review.pick("What to read", choices)
            index = int(picked)
        title, text = texts[index]
        to_read = f"{title}\n{text}"
        self._console.page(Paragraph(to_read, quoted=True))

    def compare_with_judge(self, cell: Cell) -> None:
        """Print how a blind verdict that was just locked compares with the judge.

        First comes a sentence on how many answers differ, or that the judge has not judged or
        failed. Each question that differs is printed with both answers and their grounds. The
        questions on which they agree are named on one line, but only if others differ. At last it
        is printed what to do next. Raises AskedToLeave if the terminal or pipe was closed.
        """
        show = self._console.show
        marks = self._console.marks
        show(Paragraph(f"Locked. {difference_text(cell)}"))

        agreed_names = []
        has_difference = False
        for row in ruled_questions(cell):
            if not row.differs:
                if row.name:
                    agreed_names.append(row.name)
                continue
            has_difference = True
            label = f"{marks.apart} {row.name}".rstrip()
            persons_answer = _answer_and_grounds(cell, row.verdict, marks)
            judges_answer = _answer_and_grounds(cell, row.judge, marks)
            show(Paragraph(row.text, label, "strong", hang=4, quoted=True))
            show(Paragraph(persons_answer, "you:", "key", 4, quoted=True))
            show(Paragraph(judges_answer, "judge:", "key", 4, quoted=True))
        if agreed_names and has_difference:
            show(
                Paragraph(
                    ", ".join(agreed_names),
                    "The judge says the same of:",
                    "muted",
                ),
            )
        self._console.say(
            "What you change now is saved separately from your verdict."
            " {cell.sign:a} opens the next cell.",
        )

    def audit_numbers(self) -> None:
        """Print how far the review is, the measures of each trait, and what the judge is worth.

        The measures are those of cells signed off; it is said if there are none. What the judge is
        worth is estimated from the sample, or it is said that there is none; looks that it reached
        are saved, but none in a session that only reads. Several judges are compared once a cell is
        signed off. A signal ends it silently, and acts at the next question. Raises NotKept if a
        look cannot be saved, Refused if the workspace cannot be read for the estimate, after what
        came before was printed, and AskedToLeave if the terminal or pipe was closed.
        """
        for line in self._session.summary():
            self._console.say(line)
        for (_, name), traits in self._workspace.rubric.traits_by_key().items():
            measures = self._measures_of(traits)
            if measures:
                text = ", ".join(measures)
                label = f"{name}:"
                self._console.show(Paragraph(text, label, "strong"))
        totals = self._workspace.totals()
        if not totals.get("state:reviewed"):
            self._console.say(
                "No cell is signed off: there are no audited numbers yet.",
            )
        try:
            tell_worth(self._bench, self._console)
            tell_judges(self._bench, self._console)
        except sqlite3.Error as error:  # the file is away, or busy
            raise Refused(f"The workspace cannot be read now ({error}).") from error

    def tell_signed(self, no: int) -> None:
        """Print that a cell was just signed off, how many are, and a warning of careless sign-offs.

        `no` is the number of the cell. There is a warning only if this person's latest sign-offs
        are too fast or change nothing. Raises AskedToLeave if the terminal or pipe was closed.
        """
        totals = self._workspace.totals()
        row = self._workspace.cells.row(no)
        signed_off = totals.get("state:reviewed", 0)
        cells = many(totals.get("cells", 0), "cell")
        symbol = self._console.marks.reviewed
        self._console.say(
            f"{symbol} {row.name}. Signed off: {signed_off} of {cells}.",
        )
        warning = self._session.warning()
        if warning:
            self._console.say(f"{warning} Look again: {{cell.previous:,}} goes back.")

    def _measures_of(self, known_traits: Sequence[KnownTrait]) -> list[str]:
        """Return the measures of a trait over the cells signed off, as texts: `F1 .82 (judge .75)`.

        `known_traits`, at least one, are of one kind and name: each question may have its own. The
        first value is people's. All cells count together (micro). Measures that people or the judge
        have no value of are left out, so that the list may be empty.
        """
        kind = known_traits[0].kind
        traits = [known_trait.trait for known_trait in known_traits]
        totals = self._workspace.totals(known_traits[0].key)
        texts: list[str] = []
        for measure in measures_over(kind, traits):
            people, judge = (
                summary(totals, side, measure)["micro"] for side in SIGNED_OFF
            )
            if people is None or judge is None:
                continue
            peoples_value = written(people)
            judges_value = written(judge)
            text = f"{measure.name} {peoples_value} (judge {judges_value})"
            texts.append(text)
        return texts


# -- what the judge is worth -----------------------------------------------------------------------


MANY = 2_000
"""Units that a sample was drawn from, or cells: counting so many is announced, as it takes long."""


class _Interrupted(Exception):
    """Raised within an estimate when the person presses Ctrl+C."""


def tell_worth(bench: Workbench, console: Console) -> None:
    """Print what the sample says about the judge, after saving the looks that it reached.

    A look is an estimate at one of the planned sizes of the sample. A session that only reads saves
    none, and prints the same. If there is no sample, one sentence says so. For a sample drawn from
    `MANY` units or more it is printed first that it is being counted. If a signal comes while it
    counts, nothing more is printed or saved, and the signal acts at the next question. Raises
    NotKept if a look cannot be saved, sqlite3.Error if the workspace cannot be read, and
    AskedToLeave if the terminal or pipe was closed.
    """
    # estimates are slow to load
    from appellate.numbers.bars import keep_looks
    from appellate.numbers.samples import sample_at, sample_numbers
    from appellate.numbers.sentences import (
        HEADING,
        NO_SAMPLE,
        estimate_page,
        sample_text,
    )

    sample = bench.workspace.design.sample()
    if sample is None:
        console.show(Paragraph(NO_SAMPLE))
        return
    if sample.frame >= MANY:
        console.say("Counting what the sample says …")

    def check_interrupt(_done: int, _part: float | None) -> None:
        if console.has_waiting_signal:
            raise _Interrupted

    try:
        sample_state = sample_at(bench.workspace.path, check_interrupt)
        if sample_state is None:
            return
        estimates = sample_numbers(sample_state, check_interrupt)
    except _Interrupted:
        return
    keep_looks(bench, estimates.gates)

    paragraphs = [
        Paragraph(""),
        Paragraph(sample_text(estimates.audit), f"{HEADING}:", "strong"),
    ]
    for index, block in enumerate(estimate_page(estimates)):
        paragraphs += _block_in_print(block, with_heading=index > 0)
    console.show(*paragraphs)


def tell_judges(bench: Workbench, console: Console) -> None:
    """Print which of several judges to use, how each does beside people, and gold sets of the
    audit.

    Prints nothing for a single judge, and before anything is signed off. For `MANY` cells or more
    it is printed first that they are being compared. If a signal comes meanwhile, nothing more is
    printed, and the signal acts at the next question. Raises sqlite3.Error if the workspace cannot
    be read, and AskedToLeave if the terminal was closed.
    """
    from appellate.gold import gold_sets_text
    from appellate.numbers.judges import judge_text, judges_at, which_judge_texts

    workspace = bench.workspace
    totals = workspace.totals()
    if not totals.get("state:reviewed") or not has_several_judges(workspace):
        return
    if totals.get("cells", 0) >= MANY:
        console.say("Comparing the judges …")

    def check_interrupt(_done: int, _part: float | None) -> None:
        if console.has_waiting_signal:
            raise _Interrupted

    try:
        comparison = judges_at(workspace.path, check_interrupt)
    except _Interrupted:
        return
    paragraphs = [Paragraph("")]
    label = "Which judge?"
    for text in which_judge_texts(comparison):
        paragraphs.append(Paragraph(text, label, "strong"))
        label = ""
    for judge in comparison.judges:
        paragraphs.append(Paragraph(judge_text(judge)))
    paragraphs.append(Paragraph(comparison.how_ruled))
    gold_sets = gold_sets_text(bench.audit)
    if gold_sets:
        paragraphs.append(Paragraph(gold_sets))
    console.show(*paragraphs)


def _block_in_print(block: FigureBlock, *, with_heading: bool) -> Iterator[Paragraph]:
    """Yield the paragraphs for a block of numbers: its sentences, or its table's rows as sentences.

    A table's columns are left out. After its rows come its `notes`, and then its `in_words`, also
    if it has no rows. With `with_heading` a table's heading comes before them; the heading of
    sentences is never among them.
    """
    if isinstance(block, Sentences):
        for sentence in block.texts:
            style = "strong" if sentence.style else ""
            yield Paragraph(sentence.text, style=style)
        return

    if with_heading:
        yield Paragraph(f"{block.heading}:", style="strong")
    for row in block.rows:
        yield Paragraph(row.detail)
    for note in block.notes:
        yield Paragraph(note)
    for text in block.in_words:
        yield Paragraph(text)

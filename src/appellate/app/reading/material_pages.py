"""The texts that a verdict may need besides the response, a tab each, made when a tab is opened."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from appellate.app.reading.column import ROLES
from appellate.core.cell import Cell, reason_of
from appellate.core.describe import describe, describe_loss
from appellate.core.facts import Commented
from appellate.core.messages import ChatTurn, asked
from appellate.core.trace import (
    CHOICES,
    NAMES_HIDDEN,
    REFERENCE,
    Materials,
    Trace,
    metadata_field,
    sources,
)
from appellate.core.verdict_like import HIDDEN_FIELDS, without_verdicts
from appellate.store.files.toml import moment
from appellate.traits.rubric import Rubric
from appellate.traits.unread import (
    NOTHING_UNREAD,
    fields_with_values,
    result_name,
    said_of,
    said_of_document,
    said_of_metadata,
    turn_name,
)
from appellate.ui.docked import Section, Tab

SHORT = 60
"""Characters that a value may have to stand on the line of its name."""


class MaterialPages:
    """The tabs for a cell, and the sections of each tab."""

    def __init__(
        self,
        rubric: Rubric,
        trace: Trace,
        cell: Cell,
        turns: Sequence[ChatTurn],
        unread: Materials = NOTHING_UNREAD,
        *,
        long: bool,
        item_detail: str = "",
        is_blind: bool = False,
    ) -> None:
        """Prepare the tabs; their texts are made when they are asked for.

        `unread` are the parts of the trace that the judge of the cell did not get. `long` says that
        the prompt may be cut above the response. `item_detail` is the detail of the item under the
        cursor. With `is_blind` the metadata are shown without what may be somebody's verdict.
        """
        self._rubric = rubric
        self._trace = trace
        self._cell = cell
        self._turns = turns
        self._unread = unread
        self._long = long
        self.item_detail = item_detail
        self._is_blind = is_blind

    def tabs(self) -> list[Tab]:
        """Return the tabs that have a text, in order; trait and history always do.

        Those of documents, turns and results say how many. The prompt has a tab if it has several
        turns, or may be cut above the response.
        """
        trace = self._trace
        tabs: list[Tab] = []
        if self._rubric.reference_for(trace) or trace.choices:
            tabs.append(Tab("reference", "Reference"))
        if trace.documents:
            tabs.append(Tab("documents", f"Documents {len(trace.documents)}"))
        if len(self._turns) > 1:
            tabs.append(Tab("conversation", f"Conversation {len(self._turns)}"))
        elif self._long:
            tabs.append(Tab("conversation", "Prompt"))
        if results := trace.whole_results:
            tabs.append(Tab("results", f"Whole results {len(results)}"))
        if fields_with_values(trace) or trace.model or trace.other:
            tabs.append(Tab("metadata", "Metadata"))
        tabs.append(Tab("trait", "Trait"))
        tabs.append(Tab("history", "History"))
        return tabs

    def sections(self, name: str) -> list[Section]:
        """Return the sections of the tab with this name, with their texts.

        For an unknown name they are those of the history.
        """
        match name:
            case "reference":
                return list(self._reference())
            case "documents":
                return list(self._documents())
            case "conversation":
                return turn_sections(self._turns, self._unread)
            case "results":
                return list(self._results())
            case "metadata":
                return list(self._metadata())
            case "trait":
                return list(trait_sections(self._cell, self._provenance()))
        return list(history_sections(self._cell, self.item_detail))

    def _provenance(self) -> str:
        """Return for which traces the trait is: "for every trace", or "for the question ID"."""
        question = self._rubric.question_of(self._trace)
        if question is None:
            return "for every trace"
        for own_trait in question.own_traits():
            if own_trait.trait == self._cell.subject.trait:
                return f"for the question {question.id}"
        return "for every trace"

    def _reference(self) -> Iterator[Section]:
        """Yield a section for each reference of the trace's question, and one for its choices.

        An only reference that is a text has no heading or number; those of a list are numbered from
        1. Nothing is yielded for what does not exist. Each has a note if the judge did not get it.
        """
        reference = self._rubric.reference_for(self._trace) or ()
        note = said_of(REFERENCE, self._unread)
        if isinstance(reference, str):
            if reference:
                yield Section("", reference, note=note)
        else:
            for number, text in enumerate(reference, 1):
                yield Section(
                    f"Reference {number}",
                    text,
                    number=str(number),
                    note=note,
                )
        if self._trace.choices:
            note = said_of(CHOICES, self._unread)
            yield Section("Choices", "\n".join(self._trace.choices), note=note)

    def _documents(self) -> Iterator[Section]:
        """Yield a section for each document of the trace, with a heading such as "[1] notes.txt".

        A document without a name has only its number. Each has a note if the judge did not get it.
        """
        for index, source in enumerate(sources(self._trace)):
            heading = f"[{source.number}] {source.name}"
            note = said_of_document(source, self._unread)
            yield Section(
                heading.strip(),
                source.text,
                "title",
                source.number,
                index,
                note=note,
            )

    def _results(self) -> Iterator[Section]:
        """Yield the whole text of each tool result that the conversation shows shortened.

        Its number is that of the step in the conversation. It has a note if the judge did not get
        it.
        """
        for result in self._trace.whole_results:
            note = said_of(result_name(result.step_no), self._unread)
            text = result.turn.text
            yield Section(result.title, text, "tool", str(result.step_no), note=note)

    def _metadata(self) -> Iterator[Section]:
        """Yield the names of hidden fields, all short values, and a section for each long value.

        A value is short if it has one line of at most `SHORT` characters; None is left out. Before
        them come the trace's id, epoch, model, question and cluster, of any length. Fields are
        hidden only for a blind reviewer: those that may say somebody's verdict. For a pair on which
        no person has ruled, the only section says that its names are hidden.
        """
        trace = self._trace
        if self._cell.hides_names:
            yield Section("", NAMES_HIDDEN)
            return
        names = {"id": trace.id, "epoch": trace.epoch, "model": trace.model}
        names |= {"question id": trace.question_id, "cluster": trace.cluster}
        if trace.other is not None:
            names |= {"other id": trace.other.id, "other model": trace.other.model}
        metadata = trace.metadata or {}
        if self._is_blind:
            traits = self._rubric.traits_of(trace).values()
            metadata, withheld = without_verdicts(metadata, traits)
            if withheld:
                yield Section(HIDDEN_FIELDS, "\n".join(withheld))
        lines: list[str] = []
        for key, value in names.items():
            if value is not None:
                lines.append(f"{key}: {value}")
        long: list[Section] = []
        for key, value in metadata.items():
            text = _as_text(value)
            if len(text) > SHORT or "\n" in text:
                field_note = said_of(metadata_field(key), self._unread)
                long.append(Section(key, text, note=field_note))
            elif value is not None:
                lines.append(f"{key}: {text}")
        note = said_of_metadata(self._trace, self._unread)
        yield Section("", "\n".join(lines), note=note)
        yield from long


def _as_text(value: Any) -> str:
    """Return a text as it is, a list of texts with a line for each, and any other value as JSON.

    The JSON is indented, and has characters beyond ASCII as they are.
    """
    if isinstance(value, str):
        return value
    if isinstance(value, list) and all(isinstance(element, str) for element in value):
        return "\n".join(value)
    return json.dumps(value, ensure_ascii=False, indent=2, default=str)


def turn_sections(
    turns: Sequence[ChatTurn],
    unread: Materials = NOTHING_UNREAD,
) -> list[Section]:
    """Return a section for each turn, with a heading such as "2 assistant", or for an only turn its
    text.

    The section of an only turn has no heading. The turn that the response answers is never folded.
    `unread` are the parts that a judge did not get; their sections have a note.
    """
    sections: list[Section] = []
    prompt = asked(turns)
    for index, turn in enumerate(turns):
        number = index + 1
        note = said_of(turn_name(index), unread)
        style = turn.role if turn.role in ROLES.split() else "heading"
        folds = prompt is not None and turn is not prompt.newest
        head = f"{number} {turn.title}"
        sections.append(
            Section(head, turn.readable, style, str(number), folds=folds, note=note),
        )
    if len(sections) == 1:
        return [Section("", turns[0].text, note=said_of(turn_name(0), unread))]
    return sections


def trait_sections(cell: Cell, provenance: str) -> Iterator[Section]:
    """Yield the sections of a cell's trait: description, lists of instructions, other fields.

    The first has the trait's name, kind and `provenance` as its heading; `provenance` says in words
    which traces the trait is for. Instructions are numbered from 1. Fields whose text is longer
    than `SHORT` have a section of their own. The others are in one last section, a line each, if
    there are any.
    """
    kind = cell.subject.kind
    fields = cell.subject.trait.to_file()
    form = kind.form(cell.subject.trait)
    title = f"{fields.pop('name')} · {kind.name}"
    if form:
        title += f" · {form}"
    title += f" · {provenance}"
    yield Section(title, str(fields.pop("description", "") or ""), "title")

    instruction_lists: dict[str, tuple[str, str]] = {}
    for key, meaning in kind.lists.items():
        instruction_lists[f"{key}_instructions"] = (kind.spelled.get(key, key), meaning)
    short: list[str] = []
    for key, value in fields.items():
        if isinstance(value, list) and key in instruction_lists:
            list_name, meaning = instruction_lists[key]
            lines = [
                f"{number:>2} {_instruction_text(entry)}"
                for number, entry in enumerate(value, 1)
            ]
            yield Section(f"{list_name} instructions · {meaning}", "\n".join(lines))
            continue
        field_name = key.replace("_", " ")
        text = _as_text(value)
        if len(text) > SHORT:
            yield Section(field_name, text)
        else:
            one_line = ", ".join(text.splitlines())
            short.append(f"{field_name}: {one_line}")
    if short:
        yield Section("As the rubric has it", "\n".join(short))


def _instruction_text(instruction: str | Mapping[str, object]) -> str:
    """Return an instruction of a rubric with its marks, as "Be brief. (weight = 2)".

    A text stands for itself. A table has a `text` and at least one mark, such as a weight.
    """
    if isinstance(instruction, str):
        return instruction
    texts = [
        f"{key} = {_as_text(value)}"
        for key, value in instruction.items()
        if key != "text"
    ]
    return f"{instruction['text']} ({', '.join(texts)})"


def history_sections(cell: Cell, item_detail: str = "") -> Iterator[Section]:
    """Yield up to three sections: `item_detail` of the item under the cursor, comments, history.

    The first two are left out without a text, and so is a comment that was undone. The history has
    every fact that can be told, oldest first, with its time, person and reason, and why it has no
    effect any more, if so. Without any fact it says that nothing has happened.
    """
    if item_detail:
        yield Section("This item", item_detail)
    comments = [
        f"{when(fact.at)}  {fact.by}\n{fact.what.text}"
        for fact in cell.comments
        if isinstance(fact.what, Commented)
    ]
    if comments:
        yield Section("Comments", "\n\n".join(comments))
    history: list[str] = []
    for fact in cell.facts:
        text = describe(cell, fact)
        if text:
            reason = reason_of(cell, fact)
            if reason:
                text += f"\nbecause: {reason}"
            loss = describe_loss(cell, fact)
            if loss:
                text += f" [{loss}]"
            history.append(f"{when(fact.at)}  {fact.by}\n{text}")
    if not history:
        history.append("Nothing has happened to this cell yet.")
    yield Section("History", "\n\n".join(history))


def when(timestamp: str) -> str:
    """Return the time of a fact in local time, as "2026-11-26 19:30"."""
    return f"{moment(timestamp).astimezone():%Y-%m-%d %H:%M}"

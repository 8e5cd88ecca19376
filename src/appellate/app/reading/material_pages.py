"""The texts that a verdict may need beside the response, a tab each, made when it is open."""

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
    result_name,
    said_of,
    said_of_document,
    said_of_metadata,
    turn_name,
)
from appellate.ui.docked import Section, Tab

NAMES = ("reference", "documents", "conversation", "results", "metadata", "trait", "history")
SHORT = 60  # characters of a value that is behind its name


class MaterialPages:
    """The tabs of a cell, and what is in each; `left` is what its judge did not get of the trace,
    `long` whether the prompt may be cut above, `known` what is known of the item under the cursor.

    With `is_blind` the metadata are shown without what may be somebody's verdict.
    """

    def __init__(
        self,
        rubric: Rubric,
        trace: Trace,
        cell: Cell,
        turns: Sequence[ChatTurn],
        left: Materials = NOTHING_UNREAD,
        *,
        long: bool,
        known: str = "",
        is_blind: bool = False,
    ) -> None:
        self._rubric = rubric
        self._trace = trace
        self._cell = cell
        self._turns = turns
        self._left = left
        self._long = long
        self.known = known
        self._is_blind = is_blind

    def tabs(self) -> list[Tab]:
        """Those with something in them."""
        trace = self._trace
        found = []
        if self._rubric.reference_for(trace) or trace.choices:
            found.append(Tab("reference", "Reference"))
        if trace.documents:
            found.append(Tab("documents", f"Documents {len(trace.documents)}"))
        if len(self._turns) > 1:
            found.append(Tab("conversation", f"Conversation {len(self._turns)}"))
        elif self._long:
            found.append(Tab("conversation", "Prompt"))
        if results := trace.whole_results:
            found.append(Tab("results", f"Whole results {len(results)}"))
        if trace.metadata or trace.model:
            found.append(Tab("metadata", "Metadata"))
        return [*found, Tab("trait", "Trait"), Tab("history", "History")]

    def sections(self, name: str) -> list[Section]:
        """What is in a tab."""
        match name:
            case "reference":
                return list(self._reference())
            case "documents":
                return list(self._documents())
            case "conversation":
                return conversation(self._turns, self._left)
            case "results":
                return list(self._results())
            case "metadata":
                return list(self._metadata())
            case "trait":
                return list(trait(self._cell, self._provenance()))
        return list(story(self._cell, self.known))

    def _provenance(self) -> str:
        """Whose trait it is: the rubric's, or one question's."""
        question = self._rubric.question_of(self._trace)
        own = question.own_traits() if question else ()
        if question and any(known.trait == self._cell.subject.trait for known in own):
            return f"for the question {question.id}"
        return "for every trace"

    def _reference(self) -> Iterator[Section]:
        reference = self._rubric.reference_for(self._trace) or ()
        note = said_of(REFERENCE, self._left)
        if isinstance(reference, str):
            if reference:
                yield Section("", reference, note=note)
        else:
            for number, one in enumerate(reference, 1):
                yield Section(f"Reference {number}", one, number=str(number), note=note)
        if self._trace.choices:
            note = said_of(CHOICES, self._left)
            yield Section("Choices", "\n".join(self._trace.choices), note=note)

    def _documents(self) -> Iterator[Section]:
        for place, source in enumerate(sources(self._trace)):
            head = f"[{source.number}] {source.name}".strip()
            note = said_of_document(source, self._left)
            yield Section(head, source.text, "title", source.number, place, note=note)

    def _results(self) -> Iterator[Section]:
        """Yield the results in whole that the trait in sight reads shortened."""
        for result in self._trace.whole_results:
            note = said_of(result_name(result.step_no), self._left)
            text = result.turn.text
            yield Section(result.title, text, "tool", str(result.step_no), note=note)

    def _metadata(self) -> Iterator[Section]:
        trace = self._trace
        short = []
        names = {"id": trace.id, "epoch": trace.epoch, "model": trace.model}
        names |= {"question id": trace.question_id, "cluster": trace.cluster}
        metadata = trace.metadata or {}
        if self._is_blind:
            traits = self._rubric.traits_of(trace).values()
            metadata, withheld = without_verdicts(metadata, traits)
            if withheld:
                yield Section(HIDDEN_FIELDS, "\n".join(withheld))
        for key, value in (names | metadata).items():
            text = _written(value)
            if value is not None and len(text) <= SHORT and "\n" not in text:
                short.append(f"{key}: {text}")
        note = said_of_metadata(self._trace, self._left)
        yield Section("", "\n".join(short), note=note)
        for key, value in metadata.items():
            text = _written(value)
            if len(text) > SHORT or "\n" in text:
                note = said_of(metadata_field(key), self._left)
                yield Section(key, text, note=note)


def _written(value: Any) -> str:
    """A value as one reads it: texts as they are, lists of them a line each."""
    if isinstance(value, str):
        return value
    if isinstance(value, list) and all(isinstance(one, str) for one in value):
        return "\n".join(value)
    return json.dumps(value, ensure_ascii=False, indent=2, default=str)


def conversation(turns: Sequence[ChatTurn], left: Materials = NOTHING_UNREAD) -> list[Section]:
    """Every turn under who said it, numbered from the first; what is answered is never folded."""
    found = []
    prompt = asked(turns)
    for index, turn in enumerate(turns):
        number = index + 1
        note = said_of(turn_name(index), left)
        style = turn.role if turn.role in ROLES.split() else "heading"
        folds = prompt is not None and turn is not prompt.newest
        head = f"{number} {turn.title}"
        section = Section(head, turn.readable, style, str(number), folds=folds, note=note)
        found.append(section)
    if len(found) == 1:
        return [Section("", turns[0].text, note=said_of(turn_name(0), left))]
    return found


def trait(cell: Cell, provenance: str) -> Iterator[Section]:
    """A trait as its rubric has it: description, each list under what it asks for, the rest."""
    kind = cell.subject.kind
    of = cell.subject.trait
    found = of.to_file()
    form = kind.form(of)
    name = f"{found.pop('name')} · {kind.name}"
    if form:
        name += f" · {form}"
    name += f" · {provenance}"
    yield Section(name, str(found.pop("description", "") or ""), "title")
    asks = {
        f"{key}_instructions": (kind.spelled.get(key, key), what)
        for key, what in kind.lists.items()
    }
    short = []
    for key, value in found.items():
        if isinstance(value, list) and key in asks:
            spelled, what = asks[key]
            lines = [f"{number:>2} {_words(one)}" for number, one in enumerate(value, 1)]
            yield Section(f"{spelled} instructions · {what}", "\n".join(lines))
        elif len(_written(value)) > SHORT:
            yield Section(key.replace("_", " "), _written(value))
        else:
            short.append(f"{key.replace('_', ' ')}: {', '.join(_written(value).splitlines())}")
    if short:
        yield Section("As the rubric has it", "\n".join(short))


def _words(instruction: str | Mapping[str, object]) -> str:
    """An instruction, with what its rubric says of it where it is a table."""
    if isinstance(instruction, str):
        return instruction
    texts = [f"{key} = {_written(value)}" for key, value in instruction.items() if key != "text"]
    return f"{instruction['text']} ({', '.join(texts)})"


def story(cell: Cell, known: str = "") -> Iterator[Section]:
    """What is `known` of the item under the cursor, comments, then all that happened, whole."""
    if known:
        yield Section("This item", known)
    comments = [
        f"{when(fact.at)}  {fact.by}\n{fact.what.text}"
        for fact in cell.comments
        if isinstance(fact.what, Commented)
    ]
    if comments:
        yield Section("Comments", "\n\n".join(comments))
    happened = []
    for fact in cell.facts:
        text = describe(cell, fact)
        if text:
            reason = reason_of(cell, fact)
            if reason:
                text += f"\nbecause: {reason}"
            loss = describe_loss(cell, fact)
            if loss:
                text += f" [{loss}]"
            happened.append(f"{when(fact.at)}  {fact.by}\n{text}")
    text = "\n\n".join(happened or ["Nothing has happened to this cell yet."])
    yield Section("History", text)


def when(at: str) -> str:
    """A moment of a fact in local time."""
    return f"{moment(at).astimezone():%Y-%m-%d %H:%M}"

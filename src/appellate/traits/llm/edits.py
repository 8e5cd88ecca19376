"""Applies the corrections of an LLM cell: one edit in, new labels out, or a sentence that refuses.

A new verdict drops the judge's reason, which is for another verdict. It keeps the excerpts unless
it comes with evidence of its own. Excerpts support a verdict, so without one they cannot be edited.
"""

from typing import Literal, NamedTuple

from msgspec.structs import replace

from appellate.core.kind import CANNOT_TELL, CannotTell, Outcome
from appellate.core.problem import Refused, quoted
from appellate.core.trace import Trace
from appellate.traits.evidence import Finder, selected
from appellate.traits.llm.labels import Excerpt, Labels
from appellate.traits.llm.spec import LLMRubricTrait
from appellate.traits.verdict.excerpt_edits import (
    EVIDENCE_ALREADY,
    described,
    excerpt_of_edit,
    joined_text,
    new_wording,
    with_others,
)
from appellate.traits.verdict.kind import RowEdit
from appellate.traits.verdict.scale import Meaning, same

Action = Literal["set", "add", "drop", "replace", "reword"]


class Edit(RowEdit, frozen=True, rename={"name": "class"}):
    """One correction: a verdict, or a change of one excerpt."""

    OF = "an LLM trait"

    action: Action
    value: bool | int | CannotTell | None = None
    """The new verdict, for "set"."""
    name: str | None = None
    """The name of the class, if the verdict is one."""
    index: int = 0
    """The position (from 0) of the excerpt."""
    start: int | None = None
    """Offset of the words selected in the response, which become an excerpt."""
    end: int | None = None
    text: str | None = None
    """The new wording of an excerpt, for "reword"."""
    seen: str | None = None
    """The excerpt as the person saw it, so that an edit never hits another one."""


def apply(
    trait: LLMRubricTrait,
    trace: Trace,
    labels: Labels,
    edit: Edit,
) -> Outcome[Labels]:
    """Return the labels after an edit, and the text of the excerpt or verdict before and after it.

    The text before is "" for an added excerpt or a first verdict, the text after is "" for a
    dropped excerpt. Two excerpts of one edit have " | " between them. `labels` stay as they are.
    Raises Refused, with what to do instead, for an edit that is not possible. That includes any
    edit of an excerpt while there is no verdict, one that would change nothing, and one of an
    excerpt whose text is not the edit's `seen`, unless that is None.
    """
    if edit.action == "set":
        return _set(trait, trace, labels, edit)
    excerpt = None
    if edit.span and edit.action in ("add", "replace"):
        excerpt = _selected(trace, edit.span)
    if labels.value is None:
        reason = "There is no verdict yet that words could speak for"
        raise Refused(f"{reason}: give one first, with {trait.keys_text()}.")
    match edit.action:
        case "add":
            excerpt = _checked_selection(labels, excerpt)
            return Outcome(
                replace(labels, evidence=(*labels.evidence, excerpt)),
                "",
                excerpt.text,
            )
        case "drop":
            before = excerpt_of_edit(labels.evidence, edit)
            return Outcome(_with_excerpts(labels, edit.index), before.text, "")
        case "replace":
            before = excerpt_of_edit(labels.evidence, edit)
            excerpt = _checked_selection(labels, excerpt)
            return Outcome(
                _with_excerpts(labels, edit.index, excerpt),
                before.text,
                excerpt.text,
            )
        case _:
            return _reword(trace, labels, edit)


def _selected(trace: Trace, span: tuple[int, int]) -> Excerpt:
    """Return a new excerpt with the words in a span of the response.

    Raises Refused if the span has no words, or is not within one step of a conversation.
    """
    return Excerpt(selected(trace, span), span)


def _set(
    trait: LLMRubricTrait,
    trace: Trace,
    labels: Labels,
    edit: Edit,
) -> Outcome[Labels]:
    """Return the outcome of giving the cell a verdict.

    The judge's reason is dropped. Selected words become the only excerpt; without any the excerpts
    stay. Raises Refused for the present verdict, even with other words, for one that the trait does
    not take, and for words that cannot be an excerpt.
    """
    value = edit.value
    evidence = labels.evidence
    name = ""
    if edit.span:
        evidence = (_selected(trace, edit.span),)
    if value is None or not trait.is_value(value):
        raise Refused(f"The verdict of this trait is {trait.legal_values()}.")
    if same(labels.value, value):
        instead = "{llm.add:+} adds words that speak for it, {cell.sign:a} signs it off"
        raise Refused(f"The verdict is {trait.describe(value)} already; {instead}.")
    if trait.kind == "literal" and value != CANNOT_TELL:
        name = trait.describe(value)
    after = Labels(value, name, evidence)
    return Outcome(after, trait.describe(labels.value), trait.describe(value))


def _checked_selection(labels: Labels, selected: Excerpt | None) -> Excerpt:
    """Return the excerpt `selected` as it is, if it can be added.

    Raises Refused if it is None, or if an excerpt of the labels has the same span.
    """
    if selected is None:
        raise Refused("Select the words in the response first ({text.select:v}).")
    if any(excerpt.span == selected.span for excerpt in labels.evidence):
        raise Refused(EVIDENCE_ALREADY)
    return selected


def _with_excerpts(labels: Labels, index: int, *excerpts: Excerpt) -> Labels:
    """Return the labels with one excerpt replaced by others, or dropped if none are given.

    `index` counts from 0.
    """
    return replace(labels, evidence=with_others(labels.evidence, index, *excerpts))


def _reword(trace: Trace, labels: Labels, edit: Edit) -> Outcome[Labels]:
    """Return the outcome of giving an excerpt new words, looked up in the response.

    Words that other excerpts have are looked for at another place first. Words that are not there
    are kept without a span, also if another excerpt without one has them. "A … B" may become two
    excerpts. Raises Refused for no words, if nothing changes, if another excerpt has the only
    place, and for an excerpt that is gone.
    """
    excerpt = excerpt_of_edit(labels.evidence, edit)
    text = new_wording(edit, "{llm.drop:d}")
    remaining = _with_excerpts(labels, edit.index)
    used_spans = [other.span for other in remaining.evidence if other.span]
    spans = Finder.of(trace).find_parts(text, used_spans)
    new_excerpts = [_selected(trace, span) for span in spans]
    if not new_excerpts:
        new_excerpts = [Excerpt(text)]
    if new_excerpts == [replace(excerpt, named_step=None)]:
        raise Refused("It is worded so already.")
    if any(new_excerpt.span in used_spans for new_excerpt in new_excerpts):
        raise Refused(EVIDENCE_ALREADY)
    after = _with_excerpts(labels, edit.index, *new_excerpts)
    return Outcome(after, excerpt.text, joined_text(new_excerpts))


# -- telling ---------------------------------------------------------------------------------------


def describe(edit: Edit, before: str, after: str) -> str:
    """Return what an edit did, in the past tense, such as "changed the verdict: false → true".

    `before` and `after` are the excerpt's text or the verdict, before and after the edit; they are
    not shortened. Without a verdict before it is "gave the verdict: true". If words were selected
    for a verdict, ", on words of the response" follows.
    """
    if edit.action != "set":
        return described(edit.action, before, after)
    text = f"gave the verdict: {after}"
    if before:
        text = f"changed the verdict: {before} → {after}"
    if edit.span:
        text += ", on words of the response"
    return text


# -- carrying to other labels ----------------------------------------------------------------------


class EditContext(NamedTuple):
    """The subject of an edit: the question, the meaning of verdicts, and its excerpt if any."""

    question: str
    meaning: Meaning
    excerpt: Excerpt | None


def anchor(trait: LLMRubricTrait, labels: Labels, edit: Edit) -> EditContext:
    """Return what an edit of these labels is about, to find it again in others.

    That is the question and the meaning of verdicts, and for any action but "set" and "add" the
    excerpt at the edit's index. Raises IndexError if there is no such excerpt.
    """
    excerpt = None
    if edit.action not in ("set", "add"):
        excerpt = labels.evidence[edit.index]
    return EditContext(trait.question, trait.meaning(), excerpt)


def carried(
    trait: LLMRubricTrait,
    labels: Labels,
    edit: Edit,
    anchor: EditContext,
) -> Edit | None:
    """Return an edit for other labels, or None if they already say what it would do.

    A class is found by its name, a score only on an unchanged scale, an excerpt by its span or its
    words; an edit of an excerpt gets the index that it has now. None is for a drop of an excerpt
    that is not there, and for words that are an excerpt already. Raises Refused if the question is
    another one, or if the edit does not fit any more.
    """
    if trait.question != anchor.question:
        raise Refused("The question is another one now.")
    if edit.action == "set":
        return _carried_verdict(trait, labels, edit, anchor)
    for index, excerpt in enumerate(labels.evidence):
        if anchor.excerpt and _is_same_excerpt(excerpt, anchor.excerpt):
            if edit.seen is not None:
                edit = replace(edit, seen=excerpt.text)
            return replace(edit, index=index)
    if edit.action == "drop":
        return None
    spans = [excerpt.span for excerpt in labels.evidence]
    if edit.action != "reword" and edit.span in spans:
        return None
    if edit.action == "add":
        return edit
    raise Refused("Its excerpt is not among these labels.")


def _carried_verdict(
    trait: LLMRubricTrait,
    labels: Labels,
    edit: Edit,
    anchor: EditContext,
) -> Edit | None:
    """Return the edit that gives a verdict, for other labels, or None if they have that verdict.

    A class gets the index that its name has now; a score, and a yes or no, stay if they still mean
    the same. Raises Refused if they do not, if the trait is of another kind now, or if the class or
    "cannot tell" is gone.
    """
    if trait.kind != anchor.meaning[0]:
        raise Refused("The trait asks for another sort of verdict now.")
    if edit.value == CANNOT_TELL:
        if not trait.cannot_tell:
            raise Refused(f"The trait takes no {quoted(CANNOT_TELL)} any more.")
    elif trait.kind == "literal":
        index = trait.get_class_index(edit.name or "")
        if index < 0:
            raise Refused(f"There is no class {edit.name} any more.")
        edit = replace(edit, value=index, name=trait.describe(index))
    elif trait.meaning() != anchor.meaning:
        raise Refused("The scale is another one now.")
    if edit.value == labels.value:
        return None
    return edit


def _is_same_excerpt(first: Excerpt, second: Excerpt) -> bool:
    """Return whether two excerpts have the same span, or the same text if one has no span."""
    if first.span and second.span:
        return first.span == second.span
    return first.text == second.text

"""Every correction of an LLM cell: an edit in, new labels out or a refusal.

A new verdict takes the judge's reason away, which speaks for another one, and keeps the excerpts,
unless it comes with evidence of its own. Excerpts are evidence for a verdict: where there is none
yet, it comes first.
"""

from typing import Literal, NamedTuple

from msgspec.structs import replace

from appellate.core.kind import CANNOT_TELL, CannotTell, Outcome
from appellate.core.problem import Refused, quoted
from appellate.core.trace import Trace
from appellate.traits.evidence import Finder, selected
from appellate.traits.llm.labels import Excerpt, Labels
from appellate.traits.llm.spec import LLMRubricTrait
from appellate.traits.verdict.kind import RowEdit
from appellate.traits.verdict.scale import Meaning

Action = Literal["set", "add", "drop", "replace", "reword"]


class Edit(RowEdit, frozen=True, rename={"name": "class"}):
    """One correction: a verdict (`set`, with its class's `name`), or something done to an excerpt.

    `index` is the excerpt's place, `start` and `end` the words selected in the response, `text` the
    new wording; `seen` the excerpt as the person saw it, so that an edit never hits another one.
    """

    OF = "an LLM trait"

    action: Action
    value: bool | int | CannotTell | None = None
    name: str | None = None
    index: int = 0
    start: int | None = None
    end: int | None = None
    text: str | None = None
    seen: str | None = None


def apply(trait: LLMRubricTrait, trace: Trace, labels: Labels, edit: Edit) -> Outcome[Labels]:
    """The labels after the edit; raises Refused with what to do instead."""
    if edit.action == "set":
        return _set(trait, trace, labels, edit)
    fresh = None
    if edit.span and edit.action in ("add", "replace"):
        fresh = _selected(trace, edit.span)
    if labels.value is None:
        why = "There is no verdict yet that words could speak for"
        raise Refused(f"{why}: give one first, with {trait.keys_text()}.")
    match edit.action:
        case "add":
            fresh = _unused(labels, fresh)
            return Outcome(replace(labels, evidence=(*labels.evidence, fresh)), "", fresh.text)
        case "drop":
            before = _excerpt(labels, edit)
            return Outcome(_put(labels, edit.index), before.text, "")
        case "replace":
            before = _excerpt(labels, edit)
            fresh = _unused(labels, fresh)
            return Outcome(_put(labels, edit.index, fresh), before.text, fresh.text)
        case _:
            return _reword(trace, labels, edit)


def _selected(trace: Trace, span: tuple[int, int]) -> Excerpt:
    return Excerpt(selected(trace, span), span)


def _set(trait: LLMRubricTrait, trace: Trace, labels: Labels, edit: Edit) -> Outcome[Labels]:
    value = edit.value
    evidence = labels.evidence
    name = ""
    if edit.span:
        evidence = (_selected(trace, edit.span),)
    if value is None or not trait.is_value(value):
        raise Refused(f"The verdict of this trait is {trait.wanted()}.")
    if labels.value == value and type(labels.value) is type(value):
        instead = "{llm.add:+} adds words that speak for it, {cell.sign:a} signs it off"
        raise Refused(f"The verdict is {trait.describe(value)} already; {instead}.")
    if trait.kind == "literal" and value != CANNOT_TELL:
        name = trait.describe(value)
    after = Labels(value, name, evidence)
    return Outcome(after, trait.describe(labels.value), trait.describe(value))


def _unused(labels: Labels, selected: Excerpt | None) -> Excerpt:
    """The excerpt that is selected, which must not be evidence already."""
    if selected is None:
        raise Refused("Select the words in the response first ({text.select:v}).")
    if any(excerpt.span == selected.span for excerpt in labels.evidence):
        raise Refused("These words are evidence already.")
    return selected


def _excerpt(labels: Labels, edit: Edit) -> Excerpt:
    """The excerpt that an edit is about; raises Refused where it is another one than was seen."""
    if not 0 <= edit.index < len(labels.evidence):
        raise Refused(f"There is no excerpt {edit.index + 1}.")
    excerpt = labels.evidence[edit.index]
    if edit.seen is not None and edit.seen != excerpt.text:
        raise Refused("That excerpt has changed meanwhile; look again.")
    return excerpt


def _put(labels: Labels, index: int, *excerpts: Excerpt) -> Labels:
    """The labels with these excerpts in the place of one."""
    evidence = labels.evidence
    return replace(labels, evidence=(*evidence[:index], *excerpts, *evidence[index + 1 :]))


def _reword(trace: Trace, labels: Labels, edit: Edit) -> Outcome[Labels]:
    """New words, looked up in the response; "A … B" may become two excerpts."""
    excerpt = _excerpt(labels, edit)
    text = (edit.text or "").strip()
    if not text:
        raise Refused("An excerpt needs words; drop it ({llm.drop:d}) to be rid of it.")
    others = [other.span for other in _put(labels, edit.index).evidence if other.span]
    places = Finder.of(trace).find_parts(text, others)
    fresh = [_selected(trace, place) for place in places] or [Excerpt(text)]
    if fresh == [replace(excerpt, named_step=None)]:
        raise Refused("It is worded so already.")
    if any(one.span in others for one in fresh):
        raise Refused("These words are evidence already.")
    after = " | ".join(one.text for one in fresh)
    return Outcome(_put(labels, edit.index, *fresh), excerpt.text, after)


# -- telling ---------------------------------------------------------------------------------------


_DONE = {
    "add": "added evidence: “{after}”",
    "drop": "dropped evidence: “{before}”",
    "replace": "replaced evidence: “{before}” → “{after}”",
    "reword": "reworded evidence: “{before}” → “{after}”",
}


def describe(edit: Edit, before: str, after: str) -> str:
    """What an edit did, past tense, whole texts."""
    if edit.action != "set":
        return _DONE[edit.action].format(before=before, after=after)
    changed = f"changed the verdict: {before} → {after}" if before else f"gave the verdict: {after}"
    return f"{changed}, on words of the response" if edit.span else changed


# -- carrying to other labels ----------------------------------------------------------------------


class EditContext(NamedTuple):
    """What an edit was about: the question, what verdicts meant, and the excerpt if it had one."""

    question: str
    meaning: Meaning
    excerpt: Excerpt | None


def anchor(trait: LLMRubricTrait, labels: Labels, edit: Edit) -> EditContext:
    excerpt = None
    if edit.action not in ("set", "add"):
        excerpt = labels.evidence[edit.index]
    return EditContext(trait.question, trait.meaning(), excerpt)


def carried(trait: LLMRubricTrait, labels: Labels, edit: Edit, anchor: EditContext) -> Edit | None:
    """The edit for other labels; None where they say so already. Refused where it has no place.

    A class is found by its name, a score where the scale is what it was, an excerpt by its place or
    its words.
    """
    if trait.question != anchor.question:
        raise Refused("The question is another one now.")
    if edit.action == "set":
        return _carried_verdict(trait, labels, edit, anchor)
    for index, excerpt in enumerate(labels.evidence):
        if anchor.excerpt and _same(excerpt, anchor.excerpt):
            if edit.seen is not None:
                edit = replace(edit, seen=excerpt.text)
            return replace(edit, index=index)
    spans = [excerpt.span for excerpt in labels.evidence]
    if edit.action == "drop" or (edit.action != "reword" and edit.span in spans):
        return None
    if edit.action == "add":
        return edit
    raise Refused("Its excerpt is not among these labels.")


def _carried_verdict(
    trait: LLMRubricTrait, labels: Labels, edit: Edit, anchor: EditContext
) -> Edit | None:
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


def _same(one: Excerpt, other: Excerpt) -> bool:
    if one.span and other.span:
        return one.span == other.span
    return one.text == other.text

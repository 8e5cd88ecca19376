"""Applies corrections of a pair's excerpts: one edit in, new labels out, or a refusal.

Excerpts speak for one verdict. Those of the judge speak for the judge's, and a person adds,
replaces, rewords or drops them there; a person's own verdict begins with none. Each excerpt is of
one answer and is looked up in that answer alone. An edit names the answer, and the words that it
takes from it, since offsets change when the two answers change places.
"""

from collections.abc import Sequence
from typing import Literal, NamedTuple

from msgspec.structs import replace

from appellate.core.kind import Outcome
from appellate.core.problem import Refused
from appellate.traits.evidence import selected
from appellate.traits.pairwise.labels import Excerpt, Labels, find_in_side, is_there
from appellate.traits.pairwise.spec import (
    PairTrace,
    PairwiseRubricTrait,
    scale_of,
)
from appellate.traits.verdict.excerpt_edits import (
    EVIDENCE_ALREADY,
    excerpt_of_edit,
    joined_text,
    new_wording,
    with_others,
)
from appellate.traits.verdict.kind import RowEdit
from appellate.traits.verdict.scale import Value

Action = Literal["add", "drop", "replace", "reword"]
ACTIONS: tuple[str, ...] = ("add", "drop", "replace", "reword")


class ExcerptEdit(RowEdit, frozen=True):
    """One correction of an excerpt."""

    OF = "the excerpts of a pair"

    action: Action
    index: int = 0
    """The position (from 0) of the excerpt among those of the current verdict."""
    start: int | None = None
    """Offset, in the text of the pair, of the words selected in an answer."""
    end: int | None = None
    answer: str | None = None
    """The answer (`response` or `other`) that these words are from."""
    text: str | None = None
    """These words; for "reword" the new wording of the excerpt."""
    seen: str | None = None
    """The excerpt as the person saw it, so that an edit never hits another one."""


def permitted(pair: PairTrace, edit: ExcerptEdit) -> ExcerptEdit:
    """Return an edit as it is kept: with the selected words and the answer that has them.

    A heading that was selected with the words is left out. An edit without a selection, or with its
    words in `text` already, is returned unchanged. Raises Refused for words of both answers or of
    none, and for white space only.
    """
    if edit.span is None or edit.text is not None:
        return edit
    excerpt = _selected_excerpt(pair, edit.span)
    start, end = excerpt.span or edit.span
    return replace(edit, start=start, end=end, answer=excerpt.answer, text=excerpt.text)


def apply(
    trait: PairwiseRubricTrait,
    pair: PairTrace,
    labels: Labels,
    edit: ExcerptEdit,
) -> Outcome[Labels]:
    """Return the labels after an edit, and the text of the excerpt before and after it.

    The text before is "" for an added excerpt, the text after is "" for a dropped one. Two excerpts
    of one edit have " | " between them. `labels` stay as they are. Raises Refused, with what to do
    instead, for an edit that is not possible. That includes any edit while there is no verdict, one
    that would change nothing, and one of an excerpt whose text is not the edit's `seen`, unless
    that is None.
    """
    if labels.value is None:
        reason = "There is no verdict yet that words could speak for"
        keys = scale_of(trait, pair).keys_text()
        raise Refused(f"{reason}: give one first, with {keys}.")
    excerpts = labels.supporting
    match edit.action:
        case "add":
            added = _new_excerpts(pair, excerpts, edit)
            after = labels.with_supporting((*excerpts, *added))
            return Outcome(after, "", joined_text(added))
        case "drop":
            dropped = excerpt_of_edit(excerpts, edit)
            after = labels.with_supporting(with_others(excerpts, edit.index))
            return Outcome(after, dropped.text, "")
        case "replace":
            replaced = excerpt_of_edit(excerpts, edit)
            new_excerpts = _new_excerpts(pair, excerpts, edit)
            after = labels.with_supporting(
                with_others(excerpts, edit.index, *new_excerpts),
            )
            return Outcome(after, replaced.text, joined_text(new_excerpts))
        case _:
            return _reword(pair, labels, edit)


def _selected_excerpt(pair: PairTrace, span: tuple[int, int]) -> Excerpt:
    """Return the words in a span of the pair's text as an excerpt of the answer that has them.

    A heading in the span is left out. Raises Refused for words of both answers or of none, for
    white space only, and for a span that is not in the text.
    """
    selected(pair, span)  # refuses what is no words of the text
    selected_start, selected_end = span
    parts: list[Excerpt] = []
    for side in pair.sides:
        start = max(selected_start, side.start)
        end = min(selected_end, side.end)
        words = pair.text[start:end]
        if words.strip():
            parts.append(Excerpt(words, side.answer, (start, end)))
    if len(parts) != 1:
        raise Refused(
            "The selected words do not lie within one answer: select words of A or of B.",
        )
    return parts[0]


def _looked_up(
    pair: PairTrace,
    answer: str,
    text: str,
    used_spans: list[tuple[int, int]],
) -> list[Excerpt]:
    """Return a text as excerpts of an answer: "A … B" may be two, any other text is one.

    A place that overlaps `used_spans` is taken only if there is no other. A text that is nowhere in
    the answer becomes one excerpt without a span.
    """
    excerpts: list[Excerpt] = []
    for start, end in find_in_side(pair.side_of(answer), text, used_spans):
        excerpts.append(Excerpt(pair.text[start:end], answer, (start, end)))
    return excerpts or [Excerpt(text, answer)]


def _new_excerpts(
    pair: PairTrace,
    excerpts: Sequence[Excerpt],
    edit: ExcerptEdit,
) -> list[Excerpt]:
    """Return the excerpts that an "add" or "replace" edit gives, which are not among `excerpts`.

    An edit that names an answer and a text, as one from a file, gives that text of that answer, at
    its offsets or where else it is. That is one excerpt, or two for "A … B" where A and B stand
    apart, and one without a span if the text is not there. Any other edit gives the selected words
    as one excerpt. Raises Refused for an excerpt that is there already, for an edit without words,
    and for selected words that are blank or not within one answer.
    """
    if edit.answer is not None and edit.text is not None:
        new_excerpts = _named_excerpts(pair, edit.answer, edit.text, edit.span)
    elif edit.span is not None:
        new_excerpts = [_selected_excerpt(pair, edit.span)]
    else:
        raise Refused("Select the words in an answer first ({text.select:v}).")
    if any(excerpt in excerpts for excerpt in new_excerpts):
        raise Refused(EVIDENCE_ALREADY)
    return new_excerpts


def _named_excerpts(
    pair: PairTrace,
    answer: str,
    text: str,
    span: tuple[int, int] | None,
) -> list[Excerpt]:
    """Return a text as excerpts of an answer: at `span` if it is there, else where it is found.

    "A … B" may be two. A text that is nowhere in the answer is one excerpt without a span.
    """
    if span is not None and is_there(pair.side_of(answer), text, span):
        start, end = span
        return [Excerpt(pair.text[start:end], answer, span)]
    return _looked_up(pair, answer, text, [])


def _reword(pair: PairTrace, labels: Labels, edit: ExcerptEdit) -> Outcome[Labels]:
    """Return the outcome of giving an excerpt new words, looked up in its own answer.

    Words that other excerpts have are looked for at another place first. Words that are not there
    are kept without a span, also where the other answer has them. A text "A … B" may become two
    excerpts. Raises Refused for no words, if nothing changes, if another excerpt has the words and
    they are nowhere else, and for an excerpt that is gone.
    """
    excerpts = labels.supporting
    excerpt = excerpt_of_edit(excerpts, edit)
    text = new_wording(edit, "{pairwise.drop:d}")
    others = with_others(excerpts, edit.index)
    used_spans = [other.span for other in others if other.span]
    new_excerpts = _looked_up(pair, excerpt.answer, text, used_spans)
    if new_excerpts == [excerpt]:
        raise Refused("It is worded so already.")
    if any(new_excerpt in others for new_excerpt in new_excerpts):
        raise Refused(EVIDENCE_ALREADY)
    changed = labels.with_supporting(with_others(excerpts, edit.index, *new_excerpts))
    return Outcome(changed, excerpt.text, joined_text(new_excerpts))


# -- carrying to other labels ----------------------------------------------------------------------


class EditContext(NamedTuple):
    """What an edit of an excerpt is about, to find it again in other labels."""

    question: str
    value: Value | None
    """The verdict that the excerpts speak for."""
    excerpt: Excerpt | None
    """The excerpt before the edit; None for one that is added."""


def anchor(
    trait: PairwiseRubricTrait,
    labels: Labels,
    edit: ExcerptEdit,
) -> EditContext:
    """Return what an edit depends on, to find it again in other labels.

    That is the question, the verdict in force, and the excerpt that it changes, which is None for
    an addition. Raises IndexError if the labels have no such excerpt.
    """
    excerpt = None
    if edit.action != "add":
        excerpt = labels.supporting[edit.index]
    return EditContext(trait.question, labels.value, excerpt)


def carried(
    trait: PairwiseRubricTrait,
    labels: Labels,
    edit: ExcerptEdit,
    context: EditContext,
) -> ExcerptEdit | None:
    """Return an edit for other labels, or None if they already say what it would do.

    An excerpt is found by its answer and its words. A drop of an excerpt that is not there has
    nothing to do. Raises Refused if the question or the verdict is another one now, or if an
    excerpt to replace or reword is not there.
    """
    if trait.question != context.question:
        raise Refused("The question is another one now.")
    if labels.value != context.value:
        raise Refused("The verdict that these words speak for is another one now.")
    excerpts = labels.supporting
    index = _index_of(excerpts, context.excerpt)
    if index is not None:
        seen = edit.seen and excerpts[index].text
        return replace(edit, index=index, seen=seen)
    words = [(excerpt.answer, excerpt.text) for excerpt in excerpts]
    is_there_already = edit.action != "reword" and (edit.answer, edit.text) in words
    if edit.action == "drop" or is_there_already:
        return None
    if edit.action == "add":
        return edit
    raise Refused("Its excerpt is not among these labels.")


def _index_of(excerpts: Sequence[Excerpt], wanted: Excerpt | None) -> int | None:
    """Return the index (from 0) of an excerpt among others; None if it is not there.

    An equal excerpt, with the same span, takes precedence over one with only the same words in the
    same answer.
    """
    if wanted is None:
        return None
    if wanted in excerpts:
        return excerpts.index(wanted)
    for index, excerpt in enumerate(excerpts):
        if (excerpt.answer, excerpt.text) == (wanted.answer, wanted.text):
            return index
    return None


# -- for imports -----------------------------------------------------------------------------------


def edits_toward(labels: Labels, target: Labels) -> list[ExcerptEdit]:
    """Return the edits that lead from the excerpts of labels to those of a target, in order.

    Both labels must have the same verdict. Since an excerpt can only be added at the end, excerpts
    are kept only as far as they agree with the beginning of the target's. The others are dropped
    first, then the rest of the target's are added.
    """
    wanted = target.supporting
    edits: list[ExcerptEdit] = []
    kept_count = 0
    for excerpt in labels.supporting:
        if kept_count < len(wanted) and excerpt == wanted[kept_count]:
            kept_count += 1
        else:
            edits.append(ExcerptEdit("drop", index=kept_count, seen=excerpt.text))
    for excerpt in wanted[kept_count:]:
        start, end = excerpt.span or (None, None)
        answer = excerpt.answer
        text = excerpt.text
        edits.append(ExcerptEdit("add", start=start, end=end, answer=answer, text=text))
    return edits

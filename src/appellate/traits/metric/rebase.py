"""What becomes of a correction when another proposal, or a changed trait, comes under it.

It carries over where the same item is there again: the same instruction by its words, and in TP and
FP the same excerpt. Where the new labels already say what the person said, nothing is left to do.
"""

from typing import NamedTuple

from msgspec.structs import replace

from appellate.core.problem import Refused
from appellate.traits.metric.edits import Edit
from appellate.traits.metric.labels import EXCERPTS, Bucket, Item, Labels, Link
from appellate.traits.metric.spec import MetricRubricTrait


class ItemContext(NamedTuple):
    """The item that an edit was about (none for an addition), and the words of the instructions
    involved.
    """

    item: Item | None
    about: str | None
    wanted: str | None


def anchor(trait: MetricRubricTrait, labels: Labels, edit: Edit) -> ItemContext:
    """What an edit of these labels is about."""
    wanted = _words(trait, edit.link)
    if edit.action == "add":
        return ItemContext(None, None, wanted)
    item = labels.bucket(edit.bucket)[edit.index]
    return ItemContext(item, _words(trait, item.link), wanted)


def _words(trait: MetricRubricTrait, link: Link | None) -> str | None:
    """The words of an instruction; none where a judge's link leads to no instruction."""
    if link is None or not 0 < link[1] <= len(trait.instructions(link[0])):
        return None
    return trait.instructions(link[0])[link[1] - 1]


def fits(
    trait: MetricRubricTrait,
    labels: Labels,  # noqa: ARG001 - as `TraitKind.fits`
    edit: Edit,
    anchor: ItemContext,
) -> bool:
    """Whether the instructions that an edit was about are in a trait; a merge is of items that
    other labels need not have.
    """
    was = anchor.item.link if anchor.item else None
    wanted = edit.link is None or _renumbered(trait, edit.link, anchor.wanted) is not None
    about = was is None or _renumbered(trait, was, anchor.about) is not None
    return edit.action != "merge" and wanted and about


def carried(
    trait: MetricRubricTrait, labels: Labels, edit: Edit, anchor: ItemContext
) -> Edit | None:
    """The edit for other labels; None where they say so already. Raises Refused where its item is
    not among them.
    """
    was = anchor.item.link if anchor.item else None
    wanted = _renumbered(trait, edit.link, anchor.wanted)
    about = _renumbered(trait, was, anchor.about)
    if not fits(trait, labels, edit, anchor):
        raise Refused("What it was about is not among these labels.")
    if wanted:
        edit = replace(edit, of=wanted[0], instruction=wanted[1])
    if edit.action in ("deny", "omit"):
        return _denial(labels, edit, anchor.item, about)
    items = labels.bucket(edit.bucket)
    index = _index_of(anchor.item, items, edit.bucket, about)
    if index is not None:
        return _on(edit, labels, edit.bucket, index)
    if _is_so(labels, edit, anchor.item, about):
        return None
    if anchor.item is not None:
        raise Refused("Its item is not among these labels.")
    return edit


def _denial(labels: Labels, edit: Edit, was: Item | None, about: Link | None) -> Edit | None:
    """A denial, or its taking back, for the item of its instruction; an excerpt that is denied is
    the same by its words.
    """
    bucket = edit.bucket
    if bucket in EXCERPTS:
        index = _index_of(was, labels.bucket(bucket), bucket, about)
        if index is not None:
            return _on(edit, labels, bucket, index)
        bucket = edit.to or bucket  # the new labels have no such excerpt
    for index, item in enumerate(labels.bucket(bucket)):
        if item.link != about or bucket in EXCERPTS:
            continue
        if item.span == (edit.start, edit.end) or (edit.action == "omit" and not item.denied):
            return None
        return _on(replace(edit, to=None), labels, bucket, index)
    raise Refused("Its item is not among these labels.")


def _on(edit: Edit, labels: Labels, bucket: Bucket, index: int) -> Edit:
    """The edit on another item, which is seen if the one before was."""
    seen = None if edit.seen is None else labels.bucket(bucket)[index].text
    return replace(edit, bucket=bucket, index=index, seen=seen)


def _renumbered(trait: MetricRubricTrait, link: Link | None, words: str | None) -> Link | None:
    """The instruction with these words in the same list of the trait as it is now."""
    if link is None or words is None or words not in trait.instructions(link[0]):
        return None
    return link[0], trait.instructions(link[0]).index(words) + 1


def _index_of(
    was: Item | None, items: tuple[Item, ...], bucket: Bucket, about: Link | None
) -> int | None:
    """Where the same item stands: by its instruction, and by its excerpt where the bucket holds
    excerpts.
    """
    for index, item in enumerate(items):
        if was is None or item.link != about:
            continue
        same = item.text == was.text
        if item.span and was.span:
            same = item.span == was.span
        if same or (bucket not in EXCERPTS and about is not None):
            return index
    return None


def _is_so(labels: Labels, edit: Edit, item: Item | None, about: Link | None) -> bool:
    """Whether the labels are as the edit would leave them."""
    if edit.action == "drop":
        return all(one.link != about for one in labels.bucket(edit.bucket))
    if edit.action not in ("add", "move", "relink") and not edit.replaces:
        return False
    landing, link = edit.to or edit.bucket, edit.link or about
    there = [one for one in labels.bucket(landing) if one.link == link]
    if landing not in EXCERPTS:
        return bool(there)
    return any(_shows(one, edit, item) for one in there)


def _shows(one: Item, edit: Edit, item: Item | None) -> bool:
    """Whether an item rests on what an edit would have it rest on."""
    if edit.omission:
        return one.omission
    if edit.start is None:  # an addition of none has no words of the response
        return one.span == getattr(item, "span", None)
    return one.span == (edit.start, edit.end)

"""Finds the corrections that lead from some labels to others, which a file tells.

`corrections_toward` is for imports: a person's lists in another tool's file say how they left the
cell, and not what they did. Each correction is one that the screen has, so it can be undone there.
"""

from collections import Counter
from collections.abc import Hashable
from typing import NamedTuple

from msgspec.structs import replace

from appellate.core.problem import Refused
from appellate.core.trace import Trace
from appellate.traits.metric.edits import Action, Edit, apply, permit
from appellate.traits.metric.labels import EXCERPTS, UNSAID, Bucket, Item, Labels, Link
from appellate.traits.metric.ledger import buckets_of
from appellate.traits.metric.spec import MetricRubricTrait, folded


class Correction(NamedTuple):
    """An edit, and the instruction that it is about; None for an excerpt without one."""

    edit: Edit
    link: Link | None


class Way(NamedTuple):
    """The corrections that lead to some labels, in order, and how far they lead."""

    corrections: list[Correction]
    lacking: list[Item]
    """The excerpts of the target labels that no correction could make."""


def corrections_toward(
    trait: MetricRubricTrait,
    trace: Trace,
    labels: Labels,
    target: Labels,
) -> Way:
    """Return the corrections that make `labels` as similar to `target` as possible, in order.

    Excerpts are moved, relinked or given other words where that is enough, otherwise dropped and
    added. `lacking` in the result lists the excerpts of the target that could not be made, such as
    one that has no instruction and is not in the response. An instruction that an excerpt answers
    cannot also be marked as missing, so that is left out without being listed.
    """
    steps = _Steps(trait, trace, labels)
    for bucket in EXCERPTS:
        steps.move_into(bucket, target)
    for bucket in EXCERPTS:
        steps.relink(bucket, target)
    for bucket in EXCERPTS:
        steps.reword(bucket, target)
    for bucket in EXCERPTS:
        steps.drop_surplus(bucket, target)
    for bucket in UNSAID:
        steps.add_instructions(bucket, target)
    # one without words goes to FP by way of an empty TP
    for bucket in reversed(EXCERPTS):
        steps.add_excerpts(bucket, target)
    for bucket in UNSAID:
        steps.add_instructions(bucket, target)
    lacking: list[Item] = []
    for bucket in EXCERPTS:
        lacking += steps.lacking(bucket, target)
    return Way(steps.corrections, lacking)


def _words(item: Item) -> Hashable:
    """Return what two excerpts are compared by: their place, or their text if they have none."""
    return item.span or folded(item.text)


def _words_and_link(item: Item) -> Hashable:
    """Return what two excerpts must have in common to be the same: words and instruction.

    Words are the same if they are at the same place of the response or, without a place, but for
    case.
    """
    return _words(item), item.link


class _Steps:
    """Corrections that are made one after the other, and the labels that they lead to."""

    def __init__(self, trait: MetricRubricTrait, trace: Trace, labels: Labels) -> None:
        """Begin at `labels`, without corrections; the labels themselves are never changed."""
        self._trait = trait
        self._trace = trace
        self._labels = labels
        self.corrections: list[Correction] = []

    def _do(self, edit: Edit) -> bool:
        """Make a correction if it is permitted, append it to `corrections`, and return True.

        If it is refused, nothing changes and False is returned. A correction that names no
        instruction is kept with the one that the item has.
        """
        link = edit.link
        if link is None and edit.action != "add":
            link = self._labels.at((edit.bucket, edit.index)).link
        try:
            permitted = permit(self._trait, self._trace, self._labels, edit)
            self._labels = apply(
                self._trait,
                self._trace,
                self._labels,
                permitted,
            ).labels
        except Refused:
            return False
        self.corrections.append(Correction(edit, link))
        return True

    def _surplus(self, bucket: Bucket, target: Labels) -> list[tuple[int, Item]]:
        """Return the items of a bucket that the target lacks there, each after its index.

        Items are the same if words and instruction are. Of copies, as many as the target has are no
        surplus. The highest index comes first, so that each can be removed without moving the next.
        """
        wanted = Counter(map(_words_and_link, target.bucket(bucket)))
        surplus: list[tuple[int, Item]] = []
        for index, item in enumerate(self._labels.bucket(bucket)):
            if wanted[_words_and_link(item)]:
                wanted[_words_and_link(item)] -= 1
            else:
                surplus.append((index, item))
        surplus.reverse()
        return surplus

    def lacking(self, bucket: Bucket, target: Labels) -> list[Item]:
        """Return the items that the target has in a bucket and the labels lack there, in order.

        Items are the same if words and instruction are. Copies are lacking until there are as many
        as in the target; of items that are not in the response one is enough.
        """
        present = Counter(map(_words_and_link, self._labels.bucket(bucket)))
        lacking: list[Item] = []
        for item in target.bucket(bucket):
            if not present[_words_and_link(item)]:
                lacking.append(item)
            elif item.span is not None:
                present[_words_and_link(item)] -= 1
        return lacking

    def move_into(self, bucket: Bucket, target: Labels) -> None:
        """Move excerpts from the other of TP and FP into this bucket if the target has them there.

        They are matched by their words, and get the instruction that they have in the target, or
        none if they have none there; in a `tp_only` trait one that goes to FP keeps its own. An
        excerpt that the target has in the other bucket with the same instruction stays, since it is
        in its place. A move that is refused is left out.
        """
        source: Bucket = "fp" if bucket == "tp" else "tp"
        for index, item in self._surplus(source, target):
            for wanted in self.lacking(bucket, target):
                if _words(wanted) == _words(item):
                    self._do(
                        _edit("move", source, index, item, to=bucket, link_of=wanted),
                    )
                    break

    def relink(self, bucket: Bucket, target: Labels) -> None:
        """Give excerpts whose words are in the target's bucket the instruction they have there.

        An excerpt without an instruction there loses its own. One that has the same instruction
        there stays as it is. A link that is refused is left out.
        """
        for index, item in self._surplus(bucket, target):
            for wanted in self.lacking(bucket, target):
                if _words(wanted) == _words(item):
                    self._do(_edit("relink", bucket, index, item, link_of=wanted))
                    break

    def reword(self, bucket: Bucket, target: Labels) -> None:
        """Give excerpts whose instruction is right the words that the target has for it.

        The words are a span of the response with what is said of its evidence, or a text if the
        target has no span. An excerpt without an instruction stays, and so does one that the target
        has with the same words, or as an omission. A change that is refused is left out.
        """
        for index, item in self._surplus(bucket, target):
            for wanted in self.lacking(bucket, target):
                if (
                    item.link is not None
                    and wanted.link == item.link
                    and not wanted.omission
                ):
                    edit = _edit("reword", bucket, index, item)
                    if wanted.span is None:
                        self._do(replace(edit, text=wanted.text))
                    else:
                        start, end = wanted.span
                        wrong_evidence = wanted.wrong_evidence or None
                        self._do(
                            replace(
                                edit,
                                start=start,
                                end=end,
                                wrong_evidence=wrong_evidence,
                            ),
                        )
                    break

    def drop_surplus(self, bucket: Bucket, target: Labels) -> None:
        """Drop the excerpts of a bucket that the target does not have there.

        Of copies, as many as the target has stay. A drop that is refused is left out.
        """
        for index, item in self._surplus(bucket, target):
            self._do(_edit("drop", bucket, index, item))

    def add_instructions(self, bucket: Bucket, target: Labels) -> None:
        """Add the target's instructions of a bucket, FN or TN, with the words that deny them.

        One that an excerpt still answers is left out, since its addition is refused. If the target
        has words that deny an instruction, they replace other ones; if it has none, the present
        ones stay.
        """
        for wanted in target.bucket(bucket):
            link = wanted.link
            if link is None:
                continue
            if not self._labels.has(bucket, link):
                self._do(Edit("add", bucket, of=link[0], instruction=link[1]))
            if wanted.span is None:
                continue
            for index, item in enumerate(self._labels.bucket(bucket)):
                if item.link == link and item.span != wanted.span:
                    start, end = wanted.span
                    self._do(
                        replace(
                            _edit("deny", bucket, index, item),
                            start=start,
                            end=end,
                        ),
                    )

    def add_excerpts(self, bucket: Bucket, target: Labels) -> None:
        """Add the excerpts that the target has in a bucket and the labels do not have yet.

        One that is neither in the response nor linked to an instruction is left out, and so is one
        whose addition is refused.
        """
        for wanted in self.lacking(bucket, target):
            if wanted.span is None:
                self._add_without_words(bucket, wanted)
                continue
            start, end = wanted.span
            edit = Edit("add", bucket, start=start, end=end)
            self._do(_with_link(edit, wanted))

    def _add_without_words(self, bucket: Bucket, wanted: Item) -> None:
        """Add an excerpt that is not in the response, with its instruction and its own text.

        It is added to the bucket in which excerpts answer that instruction, and moved from there if
        `bucket` is another one. If the addition is refused, nothing changes; a later step that is
        refused is left out. Does nothing for an excerpt without an instruction.
        """
        link = wanted.link
        if link is None:
            return
        first_bucket = buckets_of(link[0])[0]
        if not self._do(_with_link(Edit("add", first_bucket), wanted)):
            return
        index, item = self._last_linked(first_bucket, link)
        if item.text != wanted.text and not wanted.omission:
            self._do(
                replace(_edit("reword", first_bucket, index, item), text=wanted.text),
            )
            index, item = self._last_linked(first_bucket, link)
        if first_bucket != bucket:
            self._do(_edit("move", first_bucket, index, item, to=bucket))

    def _last_linked(self, bucket: Bucket, link: Link) -> tuple[int, Item]:
        """Return the index and item of the last one in a bucket that answers an instruction.

        The bucket must have such an item.
        """
        matches: list[tuple[int, Item]] = []
        for index, item in enumerate(self._labels.bucket(bucket)):
            if item.link == link:
                matches.append((index, item))
        return matches[-1]


def _edit(
    action: Action,
    bucket: Bucket,
    index: int,
    item: Item,
    *,
    to: Bucket | None = None,
    link_of: Item | None = None,
) -> Edit:
    """Return an edit of an item, with the instruction of another item if one is given."""
    edit = Edit(action, bucket, index, to, seen=item.text)
    return edit if link_of is None else _with_link(edit, link_of)


def _with_link(edit: Edit, item: Item) -> Edit:
    """Return an edit with the instruction that an item answers; unchanged if it answers none."""
    if item.link is None:
        return edit
    return replace(edit, of=item.link[0], instruction=item.link[1])

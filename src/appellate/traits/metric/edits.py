"""Applies the corrections of a metric cell: one edit in, new labels out, or a sentence that
refuses.

The table of effects is in SPEC 4. Every edit keeps the ledger: an instruction that loses its last
excerpt goes to FN (TN), and leaves it when an excerpt answers it again. `permit` is for edits that
are made now. `apply` also takes edits of earlier versions, whose drops emptied the ledger. The last
part, from `anchor` on, carries edits over to other labels or a changed trait.
"""

from collections.abc import Callable, Mapping
from typing import Any, Literal

from msgspec import Struct, ValidationError, convert
from msgspec.structs import asdict, replace

from appellate.core.kind import Outcome
from appellate.core.problem import Refused
from appellate.core.trace import Trace
from appellate.traits.evidence import Finder, selected
from appellate.traits.metric.labels import (
    EXCERPTS,
    Bucket,
    Item,
    Labels,
    Link,
    List,
    Place,
)
from appellate.traits.metric.ledger import MARKS, buckets_of, link_mark
from appellate.traits.metric.spec import MetricRubricTrait, lists_of

Action = Literal[
    "move",
    "add",
    "relink",
    "reword",
    "drop",
    "split",
    "merge",
    "deny",
    "omit",
]


class Edit(Struct, frozen=True):
    """One correction: what to do to which item."""

    action: Action
    """What is done. "deny" marks words of the response as denying an instruction; an excerpt
    that is denied moves its instruction to FN or TN. "omit" takes that back.
    """
    bucket: Bucket
    """The bucket of the item, or the one that an item is added to."""
    index: int = 0
    """The position (from 0) of the item in its bucket."""
    to: Bucket | None = None
    """The bucket that the item or its instruction goes to; of no meaning in "add" and "relink"."""
    of: List | None = None
    """The list of the instruction that the item is to answer."""
    instruction: int | None = None
    """The number (from 1) of the instruction that the item is to answer."""
    start: int | None = None
    """Offset of the words selected in the response: evidence, or a replacement of the item's words.
    """
    end: int | None = None
    text: str | None = None
    """The new wording of an item, for "reword"."""
    cut: int | None = None
    """The offset in the item's text at which to split it."""
    seen: str | None = None
    """The item's text as the person saw it, so that an edit never hits another item."""
    wrong_evidence: bool | None = None
    """Whether the new words replace the judge's excerpt while the judge's verdict was right."""
    omission: bool | None = None
    """Whether the instruction is met by what the response leaves out, without words."""

    @property
    def link(self) -> Link | None:
        """The instruction that the item is to answer, such as ("tp", 2) for the second of TP.

        It is the list and the number from 1. None unless both are given.
        """
        if self.of is None or self.instruction is None:
            return None
        return self.of, self.instruction

    @property
    def target_bucket(self) -> Bucket:
        """The bucket to which the edit brings its item or instruction; its own if it stays there.

        An addition and a relinked item stay in their bucket, whatever `to` is.
        """
        if self.action in ("add", "relink"):
            return self.bucket
        return self.to or self.bucket

    @property
    def replaces(self) -> bool:
        """Whether the edit gives an excerpt other words of the response, or none at all.

        It does if it is a "reword" with `start`, or with `omission`. A "reword" with neither
        changes no excerpt's place.
        """
        has_words = self.start is not None
        is_replacing = has_words or bool(self.omission)
        return self.action == "reword" and is_replacing

    @property
    def takes_evidence(self) -> bool:
        """Whether the edit can have words of the response as evidence.

        That is so for a denial, an addition to TP or FP, and a move from FN to TP or from TN to FP.
        """
        if self.action == "move":
            return (self.bucket, self.to) in (("fn", "tp"), ("tn", "fp"))
        if self.action == "deny":
            return True
        return self.action == "add" and self.bucket in EXCERPTS

    @classmethod
    def from_row(cls, row: Mapping[str, Any]) -> "Edit":
        """Return the edit in a fact or a file; other keys and values of None are ignored.

        Raises ValueError, with a sentence, for a row without an action or a bucket, and for a value
        that is not possible.
        """
        values = {key: value for key, value in row.items() if value is not None}
        try:
            return convert(values, cls)
        except ValidationError as error:
            raise ValueError(f"this is no edit of a metric trait: {error}") from None

    def to_row(self) -> dict[str, Any]:
        """Return the edit as facts and files keep it: only what is not None."""
        return {key: value for key, value in asdict(self).items() if value is not None}


class _Bench(Struct, frozen=True):
    """An edit together with the cell's trait, trace and labels that it applies to."""

    trait: MetricRubricTrait
    trace: Trace
    labels: Labels
    edit: Edit

    @property
    def item(self) -> Item:
        """The item that the edit is about. Raises IndexError if there is none."""
        return self.labels.at((self.edit.bucket, self.edit.index))


def apply(
    trait: MetricRubricTrait,
    trace: Trace,
    labels: Labels,
    edit: Edit,
) -> Outcome[Labels]:
    """Return the labels after an edit, with the item's text before and after it.

    The text before is "" for an added item. The text after a drop is "", or the words of the
    instruction that is in FN or TN instead. For "deny" and "omit" of an item in FN or TN the text
    after is the words that deny it, or did; for "deny" of an excerpt it is the words of its
    instruction. Two items have " | " between their texts. `labels` stay as they are. Raises
    Refused, with what to do instead, for an edit that is not possible. That includes an item that
    is not there, or whose text is not the edit's `seen`, unless that is None.
    """
    bench = _Bench(trait, trace, labels, edit)
    _check(bench)
    return _EDITS[edit.action](bench)


def permit(
    trait: MetricRubricTrait,
    trace: Trace,
    labels: Labels,
    edit: Edit,
) -> Edit:
    """Return an edit as it is kept: with what depends on the labels filled in.

    A drop of an excerpt that answers an instruction always gets `to`: FN or TN, to which the
    instruction goes if no other excerpt has it. An edit without words that meets an instruction by
    omission gets `omission`. Any other edit is returned as it is, even one for an item that is not
    there. Raises Refused for a drop from FN or TN that would leave an instruction in no bucket.
    """
    items = labels.bucket(edit.bucket)
    if shows_omission(trait, labels, edit):
        return replace(edit, omission=True)
    if edit.action != "drop" or not 0 <= edit.index < len(items):
        return edit
    link = items[edit.index].link
    if edit.bucket in EXCERPTS:
        answered_link = _answered_instruction(trait, edit.bucket, link)
        if answered_link is None:
            return edit
        return replace(edit, to=buckets_of(answered_link[0])[1])
    remaining = _without_item(labels, edit.bucket, edit.index)
    if _with_instruction_if_nowhere(trait, remaining, link) != remaining:
        where = "TP ({move.tp:1})" if edit.bucket == "fn" else "FP ({move.fp:3})"
        raise Refused(
            f"An instruction cannot leave the checklist: move it to {where} if the response says"
            f" it, else leave it in {MARKS[edit.bucket]}.",
        )
    return edit


def shows_omission(trait: MetricRubricTrait, labels: Labels, edit: Edit) -> bool:
    """Return whether an edit without words answers an instruction that may be met by omission.

    It is False for a denial, and for an edit that cannot have words as evidence.
    """
    has_words = edit.start is not None
    if has_words or not edit.takes_evidence or edit.action == "deny":
        return False
    link = edit.link
    items = labels.bucket(edit.bucket)
    is_there = 0 <= edit.index < len(items)
    if edit.action == "move" and is_there:
        link = items[edit.index].link or link
    target_bucket = edit.target_bucket
    return may_be_omitted(trait, target_bucket, link)


def may_be_omitted(trait: MetricRubricTrait, bucket: Bucket, link: Link | None) -> bool:
    """Return whether an item in `bucket` can meet the instruction `link` without an excerpt.

    It is so for a TP instruction in TP, and for a TN instruction in FP, if the rubric lets it be
    met by omission. Where the rubric says nothing of that, the instruction's own words decide, such
    as "does not mention". It is False in FN and TN, for None, for a hint and for a number that the
    trait lacks.
    """
    answered_link = _answered_instruction(trait, bucket, link)
    return answered_link is not None and trait.may_be_omitted(*answered_link)


def _check(bench: _Bench) -> None:
    """Raise Refused if an edit does not fit the cell; return None if it does.

    Refused are TN in a `tp_only` trait, an item that is not there or has changed, and a link that
    the trait or the bucket lacks. So are selected words that are not in the response, are only
    white space, or are not within one step of a conversation.
    """
    edit = bench.edit
    trait = bench.trait
    items = bench.labels.bucket(edit.bucket)
    if "tn" in (edit.bucket, edit.to) and not trait.full:
        right = _NO_TN.get(edit.bucket, "leave it out")
        raise Refused(f"This trait is tp_only, so there is no TN: {right}.")
    if edit.action != "add":
        if not 0 <= edit.index < len(items):
            mark = MARKS[edit.bucket]
            raise Refused(f"There is no item {edit.index + 1} in {mark}.")
        if edit.seen not in (None, bench.item.text):
            raise Refused("That item has changed in the meantime: look at it again.")
    if edit.link:
        target_bucket = edit.target_bucket
        _check_link(trait, *edit.link, target_bucket)
    if edit.start is not None:
        selected(bench.trace, (edit.start, edit.end or 0))


def _check_link(
    trait: MetricRubricTrait,
    list_name: List,
    number: int,
    target_bucket: Bucket,
) -> None:
    """Raise Refused for an instruction that the trait lacks or the bucket cannot hold.

    `number` counts from 1. Returns None if the bucket can hold it.
    """
    if not 1 <= number <= len(trait.instructions(list_name)):
        raise Refused(f"There is no {list_name.upper()} instruction {number}.")
    if list_name not in lists_of(trait, target_bucket):
        allowed_lists = " or ".join(
            name.upper() for name in lists_of(trait, target_bucket)
        )
        raise Refused(
            f"An item in {MARKS[target_bucket]} answers a {allowed_lists} instruction.",
        )


# -- the ledger's two movements --------------------------------------------------------------------


def _insert(labels: Labels, bucket: Bucket, item: Item) -> Labels:
    """Return labels with an item added to a bucket, in the order of its instructions.

    It goes after those of the same instruction. An unlinked item goes last.
    """
    items = labels.bucket(bucket)
    position = len(items)
    for index, present_item in enumerate(items):
        if _rank(present_item) > _rank(item):
            position = index
            break
    return labels.put(bucket, (*items[:position], item, *items[position:]))


def _rank(item: Item) -> tuple[str, float]:
    """Return an item's sort key: by list, then by number, unlinked ones last."""
    return (item.of or "~", item.instruction or float("inf"))


def _without_item(labels: Labels, bucket: Bucket, index: int) -> Labels:
    """Return labels without the item at an index (from 0) of a bucket.

    Its instruction is put into no other bucket.
    """
    items = labels.bucket(bucket)
    return labels.put(bucket, items[:index] + items[index + 1 :])


def _with_link(item: Item, link: Link | None) -> Item:
    """Return an item that answers another instruction, or none for a `link` of None.

    The item then no longer stands for wrong evidence of a right verdict.
    """
    list_name, number = link or (None, None)
    return replace(item, of=list_name, instruction=number, wrong_evidence=False)


def _with_instruction_if_nowhere(
    trait: MetricRubricTrait,
    labels: Labels,
    link: Link | None,
) -> Labels:
    """Return labels with an instruction added to FN if no bucket has it yet.

    A TN instruction is added to TN. The labels are returned as they are if an excerpt or an item of
    FN (TN) has the instruction. They are too for a hint, for None, and for a judge's link to a
    number that the trait lacks.
    """
    if link is None:
        return labels
    list_name, number = link
    if list_name == "fp" or number > len(trait.instructions(list_name)):
        return labels
    excerpt_bucket, negative_bucket = buckets_of(list_name)
    if labels.has(excerpt_bucket, link) or labels.has(negative_bucket, link):
        return labels
    words = trait.words(list_name, number)
    return _insert(labels, negative_bucket, Item(words, list_name, number))


def _without_instruction(labels: Labels, link: Link | None) -> Labels:
    """Return labels without any item of an instruction in FN (TN for a TN instruction).

    For a hint and for None they are returned as they are.
    """
    if link is None or link[0] == "fp":
        return labels
    negative_bucket = buckets_of(link[0])[1]
    return labels.put(
        negative_bucket,
        (item for item in labels.bucket(negative_bucket) if item.link != link),
    )


def _answered_instruction(
    trait: MetricRubricTrait,
    bucket: Bucket,
    link: Link | None,
) -> Link | None:
    """Return `link` if an excerpt in `bucket` answers that instruction of the trait, else None.

    TP answers TP instructions, FP answers TN instructions; FN and TN hold no excerpts. An FP that
    is linked to a TP instruction is a wrong candidate for it and answers none. No excerpt answers a
    hint, nor a number that the trait lacks, which a judge may have linked it to.
    """
    if link is None:
        return None
    list_name, number = link
    if list_name == "fp" or number > len(trait.instructions(list_name)):
        return None
    excerpt_bucket, _ = buckets_of(list_name)
    if excerpt_bucket != bucket:
        return None
    return link


def _place_excerpt(
    bench: _Bench,
    target_bucket: Bucket,
    link: Link | None,
) -> Outcome[Labels]:
    """Return the outcome of putting the edit's excerpt into a bucket with a link.

    The instruction that the excerpt answers then leaves FN (TN); one that has lost its last excerpt
    goes there. A wrong candidate, in FP with a TP instruction, answers none, so that one stays
    where it is. An omission takes the words of its new instruction. Raises Refused for an omission
    that would answer no instruction.
    """
    bucket = bench.edit.bucket
    item = bench.item
    moved = _with_link(item, link)
    answered_link = _answered_instruction(bench.trait, target_bucket, link)
    if item.omission and answered_link is None:
        raise Refused(
            "It shows in no words of the response: put some in its place first ({item.replace:=}).",
        )
    if item.omission and answered_link:
        moved = replace(moved, text=bench.trait.words(*answered_link))
    labels = _insert(
        _without_item(bench.labels, bucket, bench.edit.index),
        target_bucket,
        moved,
    )
    labels = _without_instruction(
        labels,
        _answered_instruction(bench.trait, target_bucket, link),
    )
    labels = _with_instruction_if_nowhere(
        bench.trait,
        labels,
        _answered_instruction(bench.trait, bucket, item.link),
    )
    return Outcome(labels, item.text, moved.text)


# -- moves -----------------------------------------------------------------------------------------


def _move(bench: _Bench) -> Outcome[Labels]:
    """Return the outcome of moving an item to another bucket.

    Possible are TP ⇄ FP, TP ⇄ FN and FP ⇄ TN. Between TP and FP the excerpt moves as it is, with
    the edit's link. To FN (TN) its instruction goes in its place; back, the words selected go in
    the place of the instruction, or without any its own words. Raises Refused, with what to do
    instead, for any other move, for one without a target, and for an excerpt that cannot leave its
    bucket so.
    """
    edit = bench.edit
    direction = (edit.bucket, edit.to)
    if edit.to == edit.bucket:
        raise Refused(f"It is in {MARKS[edit.bucket]} already.")
    if direction in _MOVES:
        return _MOVES[direction](bench)
    raise Refused(_INSTEAD.get(direction, "Say where to move it."))


def _to_instruction(bench: _Bench) -> Outcome[Labels]:
    """Return the outcome of replacing an excerpt by its instruction: TP → FN, or FP → TN.

    Raises Refused if the excerpt answers no instruction of the trait, or if another excerpt still
    answers the instruction.
    """
    bucket = bench.edit.bucket
    index = bench.edit.index
    item = bench.item
    link = _answered_instruction(bench.trait, bucket, item.link)
    if link is None:
        whose = "TP" if bucket == "tp" else "TN"
        raise Refused(
            f"It answers no {whose} instruction that could go there: "
            "link it first ({item.relink:i}), or drop it ({item.drop:d}).",
        )
    remaining = _without_item(bench.labels, bucket, index)
    if remaining.has(bucket, link):
        raise Refused(
            f"Another {MARKS[bucket]} excerpt answers instruction {link[1]} too: "
            "drop this one ({item.drop:d}).",
        )
    labels = _with_instruction_if_nowhere(bench.trait, remaining, link)
    return Outcome(labels, item.text, bench.trait.words(*link))


def _between_excerpts(bench: _Bench) -> Outcome[Labels]:
    """Return the outcome of moving an excerpt from TP to FP or back; its offsets stay.

    It gets the link of the edit, or none. In `tp_only` one that goes to FP keeps the link that it
    has. Raises Refused for an omission that would answer no instruction.
    """
    target_bucket = bench.edit.to or "fp"
    link = bench.edit.link
    if target_bucket == "fp" and not bench.trait.full:
        link = bench.item.link
    return _place_excerpt(bench, target_bucket, link)


def _to_excerpt(bench: _Bench) -> Outcome[Labels]:
    """Return the outcome of replacing an instruction by its evidence: FN → TP, and TN → FP.

    The excerpt is linked to the item's instruction, or for an unlinked item to that of the edit. It
    has the selected words; without any, the words of the item. It is an omission if the edit says
    so and the instruction is one that the new bucket answers. All items of the instruction leave FN
    (TN).
    """
    edit = bench.edit
    item = bench.item
    target_bucket = edit.to or "tp"
    text = item.text
    link = item.link or edit.link
    if edit.start is not None:
        text = bench.trace.text[edit.start : edit.end]
    excerpt = _new_excerpt(bench, target_bucket, text, link)
    labels = _without_instruction(
        _without_item(bench.labels, edit.bucket, edit.index),
        link,
    )
    return Outcome(_insert(labels, target_bucket, excerpt), item.text, excerpt.text)


def _new_excerpt(
    bench: _Bench,
    target_bucket: Bucket,
    text: str,
    link: Link | None,
) -> Item:
    """Return a new item with the text, the edit's offsets and a link.

    It is an omission, with the instruction's own words as its text, if the edit says `omission` and
    has no offsets. That is ignored unless the link leads to an instruction of the trait that items
    of `target_bucket` answer.
    """
    edit = bench.edit
    answered_link = _answered_instruction(bench.trait, target_bucket, link)
    item = _with_link(Item(text, start=edit.start, end=edit.end), link)
    if edit.omission and edit.start is None and answered_link:
        return replace(item, text=bench.trait.words(*answered_link), omission=True)
    return item


_MOVES: dict[tuple[Bucket, Bucket | None], Callable[[_Bench], Outcome[Labels]]] = {
    ("tp", "fn"): _to_instruction,
    ("fp", "tn"): _to_instruction,
    ("tp", "fp"): _between_excerpts,
    ("fp", "tp"): _between_excerpts,
    ("fn", "tp"): _to_excerpt,
    ("tn", "fp"): _to_excerpt,
}
_INSTEAD: dict[tuple[Bucket, Bucket | None], str] = {
    ("tp", "tn"): (
        "A TP excerpt cannot be a TN: "
        "move it to FP ({move.fp:3}), or to FN ({move.fn:2}) if the fact is missing."
    ),
    ("fn", "fp"): (
        "FN holds a missing fact, not an excerpt: "
        "select the wrong words ({text.select:v}) and add them to FP ({move.fp:3})."
    ),
    (
        "fn",
        "tn",
    ): "FN holds a TP instruction, and TN holds TN instructions: it cannot go there.",
    ("fp", "fn"): (
        "An FP excerpt cannot be an FN: drop it ({item.drop:d}); "
        "FN fills by itself when a fact loses its last TP."
    ),
    ("tn", "tp"): (
        "TN holds a TN instruction: "
        "select the words that are right ({text.select:v}) and add them to TP ({move.tp:1})."
    ),
    (
        "tn",
        "fn",
    ): "TN holds a TN instruction, and FN holds TP instructions: it cannot go there.",
}


# -- absent or contradicted ------------------------------------------------------------------------


def _deny(bench: _Bench) -> Outcome[Labels]:
    """Return the outcome of marking the selected words as denying an item's instruction.

    They replace an earlier denial, and are the text after it. An excerpt is first moved to FN or TN
    as its instruction, which is then the text after. Raises Refused if nothing is selected, for
    words that deny it already, and for an excerpt that cannot be moved there.
    """
    edit = bench.edit
    item = bench.item
    if edit.bucket in EXCERPTS:
        moved = _to_instruction(bench)
        (_, negative_bucket) = buckets_of(edit.bucket)
        negative_items = moved.labels.bucket(negative_bucket)
        negative_links = [negative_item.link for negative_item in negative_items]
        index = negative_links.index(item.link)
        edit_there = replace(edit, bucket=negative_bucket, index=index)
        denied = _deny(replace(bench, labels=moved.labels, edit=edit_there))
        return moved._replace(labels=denied.labels)
    if edit.start is None:
        raise Refused("A denial needs its words: select them in the response.")
    denial = bench.trace.text[edit.start : edit.end]
    denied_item = replace(item.at(edit.start, edit.end), denied=denial)
    if denied_item == replace(item, named_step=None):
        raise Refused("It is denied by these words already.")
    return Outcome(_swap(bench, 1, denied_item), item.text, denial)


def _omit(bench: _Bench) -> Outcome[Labels]:
    """Return the outcome of taking a denial back: the instruction is then only left out.

    The text after it is the words that denied it. Raises Refused if nothing denies it.
    """
    item = bench.item
    if not item.denied:
        raise Refused("Nothing denies this item, so no denial can be taken back.")
    without_denial = replace(item.at(None, None), denied="")
    return Outcome(_swap(bench, 1, without_denial), item.text, item.denied)


# -- the other edits -------------------------------------------------------------------------------


def _add(bench: _Bench) -> Outcome[Labels]:
    """Return the outcome of adding an excerpt to TP or FP, or an open instruction to FN or TN.

    An excerpt has the selected words. Without any it has its instruction's, which must be one that
    excerpts of the bucket answer and none answers yet; else it raises Refused. It replaces an
    omission of its instruction and takes the instruction out of FN (TN). In FN and TN it raises
    Refused without an instruction, and for one that is in a bucket already.
    """
    edit = bench.edit
    link = edit.link
    labels = bench.labels
    if edit.bucket in EXCERPTS:
        answered_link = _answered_instruction(bench.trait, edit.bucket, link)
        if edit.start is not None:
            text = bench.trace.text[edit.start : edit.end]
        elif answered_link and not labels.has(edit.bucket, answered_link):
            text = bench.trait.words(*answered_link)
        else:
            raise Refused("Select the words in the response first ({text.select:v}).")
        item = _new_excerpt(bench, edit.bucket, text, link)
        excerpts = labels.bucket(edit.bucket)
        if link:  # an excerpt of its instruction takes the place of an omission
            remaining: list[Item] = []
            for excerpt in excerpts:
                is_its_omission = excerpt.omission and excerpt.link == link
                if not is_its_omission:
                    remaining.append(excerpt)
            labels = labels.put(edit.bucket, remaining)
        labels = _without_instruction(labels, answered_link)
        return Outcome(_insert(labels, edit.bucket, item), "", item.text)
    if link is None:
        raise Refused(f"{MARKS[edit.bucket]} holds instructions: pick one.")
    excerpt_bucket = buckets_of(link[0])[0]
    if labels.has(excerpt_bucket, link):
        raise Refused(
            f"Instruction {link[1]} has an excerpt in {MARKS[excerpt_bucket]}: "
            "move or drop that one instead.",
        )
    if labels.has(edit.bucket, link):
        raise Refused(f"Instruction {link[1]} is in {MARKS[edit.bucket]} already.")
    return Outcome(
        _with_instruction_if_nowhere(bench.trait, labels, link),
        "",
        bench.trait.words(*link),
    )


def _relink(bench: _Bench) -> Outcome[Labels]:
    """Return the outcome of giving an item another instruction, or none.

    An excerpt keeps its words and its bucket, and its new instruction leaves FN (TN). An omission,
    and an item of FN or TN, takes the words of its new instruction; without one it raises Refused.
    The old instruction goes to FN (TN) if no item is left that answers it. Raises Refused if the
    item has that link already, and in FN and TN if the new instruction is in a bucket already.
    """
    edit = bench.edit
    item = bench.item
    link = edit.link
    if link == item.link:
        raise Refused("It is linked so already.")
    if edit.bucket in EXCERPTS:
        return _place_excerpt(bench, edit.bucket, link)
    # the item takes the instruction's own words with its link
    added = _add(
        replace(bench, labels=_without_item(bench.labels, edit.bucket, edit.index)),
    )
    return Outcome(
        _with_instruction_if_nowhere(bench.trait, added.labels, item.link),
        item.text,
        added.after,
    )


def unworded(action: Action, bucket: Bucket, *items: Item) -> str:
    """Return a sentence on why the words of some items cannot be changed, or "" if they can.

    They cannot for an omission, and for items in FN or TN. The sentence says what to do instead of
    `action`, which is "reword", "split" or "merge". Keys are written in it as `{id:usual key}`, for
    `with_keys`.
    """
    if any(item.omission for item in items):
        return (
            "It is met by omission, in no words of the response: {item.replace:=}"
            " puts some there."
        )
    if bucket in EXCERPTS:
        return ""
    return f"{MARKS[bucket]} holds the rubric's own words: {_OWN_WORDS[action]}."


def _check_worded(edit: Edit, *items: Item) -> None:
    """Raise Refused for an edit that would change words which are not the response's.

    These are those of FN and TN, and those of an omission among `items`.
    """
    reason = unworded(edit.action, edit.bucket, *items)
    if reason:
        raise Refused(reason)


def _reword(bench: _Bench) -> Outcome[Labels]:
    """Return the outcome of giving an item other words; both texts are of the item.

    Words that were selected in the response take precedence; then `omission`, which takes the words
    of the instruction. In both cases the edit says whether only the judge's evidence was wrong.
    Last comes the typed text, stripped, which may become several items if the response has it in
    pieces. Raises Refused if nothing changes, if there are no words, and for an omission without an
    instruction. Items of FN and TN cannot be reworded, and an omission cannot by a typed text.
    """
    edit = bench.edit
    item = bench.item
    text = (edit.text or "").strip()
    _check_worded(edit)
    base_item = replace(item, wrong_evidence=bool(edit.wrong_evidence))
    if edit.start is not None:
        words = bench.trace.text[edit.start : edit.end]
        new_items = [
            replace(base_item.at(edit.start, edit.end), text=words, omission=False),
        ]
    elif edit.omission:
        answered_link = _answered_instruction(bench.trait, edit.bucket, item.link)
        if answered_link is None:
            raise Refused(
                "It answers no instruction that could be met by omission: "
                "link it first ({item.relink:i}).",
            )
        words = bench.trait.words(*answered_link)
        new_items = [replace(base_item.at(None, None), text=words, omission=True)]
    elif text:
        _check_worded(edit, item)
        new_items = _looked_up(bench, text)
    else:
        raise Refused("An item needs words; drop it ({item.drop:d}) to be rid of it.")
    if new_items == [replace(item, named_step=None)]:
        raise Refused("It is worded so already.")
    return Outcome(
        _swap(bench, 1, *new_items),
        item.text,
        " | ".join(new_item.text for new_item in new_items),
    )


def _looked_up(bench: _Bench, text: str) -> list[Item]:
    """Return the edit's item with a new text, as the response writes it if the text is there.

    The items then have the response's own words and their offsets. A place that another item of the
    instruction has is used only if there is no other. "A … B" becomes two items if it is not there
    as a whole. A text that is not in the response is one item, with `text` as it is and without
    offsets.
    """
    item = bench.item
    remaining = _without_item(bench.labels, bench.edit.bucket, bench.edit.index)
    used_spans: list[tuple[int, int]] = []
    for other_item in (*remaining.tp, *remaining.fp):
        if other_item.span and other_item.link == item.link:
            used_spans.append(other_item.span)
    spans = Finder.of(bench.trace).find_parts(text, used_spans)
    if not spans:
        return [replace(item.at(None, None), text=text)]
    new_items: list[Item] = []
    for start, end in spans:
        words = bench.trace.text[start:end]
        new_items.append(replace(item.at(start, end), text=words))
    return new_items


def _swap(bench: _Bench, count: int, *items: Item) -> Labels:
    """Return the labels with `count` items of the edit's bucket replaced by others.

    They are the one at the edit's index and those after it. There may be more or fewer than `count`
    others.
    """
    bucket = bench.edit.bucket
    index = bench.edit.index
    present_items = bench.labels.bucket(bucket)
    return bench.labels.put(
        bucket,
        (*present_items[:index], *items, *present_items[index + count :]),
    )


def _drop(bench: _Bench) -> Outcome[Labels]:
    """Return the outcome of removing an item.

    If the edit says `to`, the item's instruction goes to FN (TN), unless another excerpt answers
    it. The text after the edit is then the instruction's, else "".
    """
    edit = bench.edit
    item = bench.item
    remaining = _without_item(bench.labels, edit.bucket, edit.index)
    link = None
    if edit.to:
        link = _answered_instruction(bench.trait, edit.bucket, item.link)
    labels = _with_instruction_if_nowhere(bench.trait, remaining, link)
    if link is None or labels == remaining:
        return Outcome(remaining, item.text, "")
    return Outcome(labels, item.text, bench.trait.words(*link))


def _split(bench: _Bench) -> Outcome[Labels]:
    """Return the outcome of splitting an excerpt in two at the edit's offset in its text.

    White space at the cut is left out. Both parts keep the link, and their place in the response.
    The text after is both parts, joined by " | ". Raises Refused if one part is empty, which it is
    for an offset outside the text or None, and for an omission and for items of FN and TN.
    """
    edit = bench.edit
    item = bench.item
    _check_worded(edit, item)
    cut = min(max(edit.cut or 0, 0), len(item.text))
    first = _piece(item, 0, cut)
    second = _piece(item, cut, len(item.text))
    if not first.text or not second.text:
        raise Refused("Split it where words are on both sides.")
    return Outcome(
        _swap(bench, 1, first, second),
        item.text,
        f"{first.text} | {second.text}",
    )


def _piece(item: Item, begin: int, stop: int) -> Item:
    """Return an item with a slice of its text, without the white space around it.

    Its offsets in the response become those of the slice; an item without offsets gets none.
    """
    raw = item.text[begin:stop]
    text = raw.strip()
    if item.start is None:
        return replace(item, text=text)
    margin = len(raw) - len(raw.lstrip())
    start = item.start + begin + margin
    return replace(item, text=text, start=start, end=start + len(text))


def _merge(bench: _Bench) -> Outcome[Labels]:
    """Return the outcome of joining an excerpt with the next one of its bucket.

    If both are in the response, the words between them are included; else they are joined by " … ".
    The reason is that of the first. The text before is that of both, joined by " | ". Raises
    Refused for different links, without a next item, for omissions and items of FN and TN, and for
    items in different steps of a conversation.
    """
    edit = bench.edit
    items = bench.labels.bucket(edit.bucket)
    _check_worded(edit)
    if edit.index + 1 >= len(items):
        raise Refused("There is no item below it to merge with.")
    first = items[edit.index]
    second = items[edit.index + 1]
    _check_worded(edit, first, second)
    if first.link != second.link:
        raise Refused(
            "They answer different instructions: relink one first ({item.relink:i}).",
        )
    joined = replace(first.at(None, None), text=f"{first.text} … {second.text}")
    if first.span and second.span:
        start = min(first.span[0], second.span[0])
        end = max(first.span[1], second.span[1])
        words = selected(bench.trace, (start, end), "items do")
        joined = replace(first.at(start, end), text=words)
    return Outcome(
        _swap(bench, 2, joined),
        f"{first.text} | {second.text}",
        joined.text,
    )


_OWN_WORDS: dict[Action, str] = {
    "reword": "relink it ({item.relink:i}) instead",
    "split": "they cannot be split",
    "merge": "they cannot be merged",
}
_NO_TN: dict[Bucket, str] = {
    "tp": "move it to FP ({move.fp:3}) or FN ({move.fn:2}), or drop it ({item.drop:d})",
    "fp": "drop it ({item.drop:d}), or move it to TP ({move.tp:1})",
}
_EDITS: dict[Action, Callable[[_Bench], Outcome[Labels]]] = {
    "move": _move,
    "add": _add,
    "relink": _relink,
    "reword": _reword,
    "drop": _drop,
    "split": _split,
    "merge": _merge,
    "deny": _deny,
    "omit": _omit,
}


# -- in words -------------------------------------------------------------------------------------


def describe(  # noqa: C901 - a case for each action
    edit: Edit,
    before: str,
    after: str,
) -> str:
    """Return what an edit did, in the past tense: "dropped from TP: “aspirin helps”".

    `before` and `after` are the texts of the edit's outcome, "" for none. They are quoted whole and
    as they are. Buckets are in capitals, and an instruction that the edit links to is given by its
    mark. A rewording says if it replaced an excerpt, and if only the judge's evidence was wrong.
    """
    source_mark = MARKS[edit.bucket]
    target_mark = MARKS[edit.target_bucket]
    link = link_mark(edit.of, edit.instruction)
    to_link = f" as {link}" if link else ""
    omission_text = " by omission" if edit.omission else ""
    match edit.action:
        case "move":
            moved = f"moved {source_mark} → {target_mark}{omission_text}: “{before}”"
            if after != before:
                return f"{moved} as “{after}”"
            return f"{moved}{to_link}"
        case "add":
            return f"added to {source_mark}{to_link}{omission_text}: “{after}”"
        case "relink":
            return f"linked {source_mark} to {link or 'nothing'}: “{before}”"
        case "drop" if after:
            restored_mark = MARKS[edit.to or "fn"]
            restored = f"{restored_mark} has “{after}” again"
            return f"dropped from {source_mark}: “{before}” ({restored})"
        case "drop":
            return f"dropped from {source_mark}: “{before}”"
        case "omit":
            return f"left out {source_mark}: “{before}”, not denied by “{after}”"
        case "deny" if edit.bucket in EXCERPTS:
            moved = f"moved {source_mark} → {target_mark} as denied"
            return f"{moved}: “{before}” denies “{after}”"
        case "deny":
            return f"denied {source_mark}: “{before}” by “{after}”"
    done = {"reword": "reworded", "split": "split", "merge": "merged"}[edit.action]
    if edit.wrong_evidence:
        done = "right verdict, wrong evidence: replaced"
    elif edit.replaces:
        done = "replaced"
    return f"{done} {source_mark}: “{before}” → “{after}”{omission_text}"


_BRIEFLY = {"deny": "denied", "omit": "left out"}


def brief(edit: Edit) -> str:
    """Return an edit's kind in two or three words, such as "TP → FN" for a move or "drop FP".

    A rewording because of the judge's wrong evidence is "wrong evidence TP".
    """
    mark = MARKS[edit.bucket]
    if edit.action == "move":
        target_mark = MARKS[edit.target_bucket]
        return f"{mark} → {target_mark}"
    if edit.wrong_evidence:
        return f"wrong evidence {mark}"
    action = _BRIEFLY.get(edit.action, edit.action)
    return f"{action} {mark}"


# -- under another proposal, or a changed trait ----------------------------------------------------

# An edit carries over where the same item is there again: the same instruction by its words, and in
# TP and FP the same excerpt. Where the new labels already say what the person does, nothing is left
# to do.


class ItemContext(Struct, frozen=True):
    """The subject of an edit: its item, if any, and the words of the instructions involved."""

    item: Item | None
    """The item that was edited; None for an addition."""
    about: str | None
    """The words of the instruction that the item answered."""
    wanted: str | None
    """The words of the instruction that the edit links to."""


def anchor(trait: MetricRubricTrait, labels: Labels, edit: Edit) -> ItemContext:
    """Return what an edit of these labels is about, to find it again in other labels.

    That is its item and the words of the instructions involved; an addition has no item. Raises
    IndexError if the item is not there.
    """
    wanted = _words(trait, edit.link)
    if edit.action == "add":
        return ItemContext(None, None, wanted)
    item = labels.bucket(edit.bucket)[edit.index]
    return ItemContext(item, _words(trait, item.link), wanted)


def _words(trait: MetricRubricTrait, link: Link | None) -> str | None:
    """Return the words of an instruction; None for no link, and if the trait lacks the number."""
    if link is None:
        return None
    return trait.words(*link) or None


def fits(
    trait: MetricRubricTrait,
    labels: Labels,
    edit: Edit,
    anchor: ItemContext,
) -> bool:
    """Return whether the trait still has the instructions of an edit, under whatever number.

    These are the one that its item answered and the one that it links to, as `anchor` has them. A
    merge never fits: it joins items that other labels need not have.
    """
    if edit.action == "merge":
        return False
    item_link = anchor.item.link if anchor.item else None
    if item_link is not None and not _renumbered(trait, item_link, anchor.about):
        return False
    if edit.link is None:
        return True
    return _renumbered(trait, edit.link, anchor.wanted) is not None


def carried(
    trait: MetricRubricTrait,
    labels: Labels,
    edit: Edit,
    anchor: ItemContext,
) -> Edit | None:
    """Return an edit so that it does to other labels what it did to its own; None if that is done.

    The edit gets the item's bucket, index and text there, and the instruction's number there. A
    denial of an excerpt that is in FN (TN) there as its instruction loses `to`, since nothing has
    to move. Raises Refused if its item or an instruction is not there, and for a merge.
    """
    if not fits(trait, labels, edit, anchor):
        raise Refused("What it was about is not among these labels.")
    item = anchor.item
    own_link = _renumbered(trait, item.link if item else None, anchor.about)
    target_link = _renumbered(trait, edit.link, anchor.wanted)
    if target_link:
        edit = replace(edit, of=target_link[0], instruction=target_link[1])
    item_place = _place_of(labels, edit, item, own_link)
    if item_place:
        present_item = labels.at(item_place)
        if item_place[0] not in EXCERPTS and _is_denied(edit, present_item):
            return None
        seen = None if edit.seen is None else present_item.text
        to = edit.to if item_place[0] == edit.bucket else None
        return replace(
            edit,
            bucket=item_place[0],
            index=item_place[1],
            to=to,
            seen=seen,
        )
    if _is_done_already(labels, edit, item, own_link):
        return None
    if item is not None:
        raise Refused("Its item is not among these labels.")
    return edit


def _renumbered(
    trait: MetricRubricTrait,
    link: Link | None,
    words: str | None,
) -> Link | None:
    """Return the link that an instruction with these words has in the current trait.

    It is looked up by its words, or by another name of it, in the list of `link`. None if the list
    has it no more, and for no link or no words.
    """
    if link is None or words is None:
        return None
    number = trait.numbering(link[0]).number(words)
    if number is None:
        return None
    return link[0], number


def _place_of(
    labels: Labels,
    edit: Edit,
    item: Item | None,
    own_link: Link | None,
) -> Place | None:
    """Return where an edit's item is in other labels, as bucket and index; None if nowhere.

    In TP and FP it is the excerpt with the same instruction and the same offsets, or the same text
    if one has no offsets. In FN and TN the instruction alone decides. It is looked for in the
    edit's bucket, and for a "deny" then in `edit.to`. `own_link` is the item's instruction as the
    other labels number it. An `item` of None is nowhere.
    """
    buckets = [edit.bucket]
    if edit.action == "deny" and edit.to:
        buckets.append(edit.to)
    for bucket in buckets:
        is_by_instruction = bucket not in EXCERPTS and own_link is not None
        for index, candidate in enumerate(labels.bucket(bucket)):
            if item is None or candidate.link != own_link:
                continue
            is_same = candidate.text == item.text
            if candidate.span and item.span:
                is_same = candidate.span == item.span
            if is_same or is_by_instruction:
                return bucket, index
    return None


def _is_denied(edit: Edit, item: Item) -> bool:
    """Return whether an item in FN or TN is already as a "deny" or "omit" would make it.

    That is so for a "deny" with the offsets of the words that deny it now, and for an "omit", which
    takes a denial back, if nothing denies it. For other edits it is False.
    """
    if edit.action not in ("deny", "omit"):
        return False
    if edit.action == "omit" and not item.denied:
        return True
    return item.span == (edit.start, edit.end)


def _is_done_already(
    labels: Labels,
    edit: Edit,
    item: Item | None,
    own_link: Link | None,
) -> bool:
    """Return whether the labels are already as an edit would leave them, if its item is gone.

    For a drop, nothing in the bucket has the instruction, or for an unlinked item nothing there is
    unlinked. For an addition, move, relink or replaced excerpt, the target bucket has the
    instruction; in TP and FP also the same span, or an omission. It is False for other edits.
    """
    if edit.action == "drop":
        return own_link not in labels.links(edit.bucket)
    if edit.action not in ("add", "move", "relink") and not edit.replaces:
        return False
    target_bucket = edit.target_bucket
    link = edit.link or own_link
    items_there: list[Item] = []
    for item_there in labels.bucket(target_bucket):
        if item_there.link == link:
            items_there.append(item_there)
    if target_bucket not in EXCERPTS:
        return bool(items_there)
    if edit.omission:
        return any(item_there.omission for item_there in items_there)
    # an addition of none has no words of the response
    words = getattr(item, "span", None)
    if edit.start is not None:
        words = edit.start, edit.end
    return any(item_there.span == words for item_there in items_there)

"""Turns what a person wants done with items into edits, and says what those edits still lack.

One wish on an item, or on a line of the checklist, may need several edits, each its own step of
undo. The pane asks for missing evidence and links by `lacks_evidence` and `link_to_pick`.
"""

from collections.abc import Iterable, Sequence
from itertools import chain

from msgspec import Struct
from msgspec.structs import replace

from appellate.core.problem import Refused
from appellate.traits.evidence import Span
from appellate.traits.metric.edits import Action, Edit
from appellate.traits.metric.labels import EXCERPTS, Bucket, Item, Labels, Link, List
from appellate.traits.metric.ledger import MARKS, STANDS, buckets_of
from appellate.traits.metric.rows import ChecklistEntry, ItemRow, open_instructions
from appellate.traits.metric.spec import MetricRubricTrait, lists_of

Edits = tuple[Edit, ...]
"""The edits that one wish needs, in order."""
DONE: dict[Action, str] = {
    "move": "moved",
    "drop": "dropped",
    "relink": "linked",
    "add": "added",
    "deny": "denied",
}
"""The past tense of each action."""


def edit_of(action: Action, row: ItemRow, to: Bucket | None = None) -> Edit:
    """Return an edit of the item in a row, which holds for the item as the row shows it.

    `to` is the bucket that it is moved to.
    """
    return Edit(action, row.bucket, row.index, to, seen=row.item.text)


def moved(row: ItemRow, to: Bucket) -> Edits:
    """Return the one edit that moves an item to another bucket.

    An FP that competed with a TP instruction takes that instruction along to TP. Whether the move
    is possible is not checked.
    """
    edit = edit_of("move", row, to)
    if (row.bucket, to) == ("fp", "tp") and row.item.of == "tp":
        edit = replace(edit, of="tp", instruction=row.item.instruction)
    return (edit,)


def denied(labels: Labels, row: ItemRow, span: Span | None = None) -> Edits:
    """Return the one edit that marks an item's instruction as denied by the words in `span`.

    An excerpt denies the instruction that it answers, which goes to FN or TN. A wrong candidate
    denies the one that it competes with, which must be in FN or TN already. Raises Refused if that
    is not there, and for an unlinked excerpt. Without a span the edit lacks its words, which a
    person selects later. Only for an item of FN or TN that is denied already, it takes the denial
    back.
    """
    edit = edit_of("deny", row)
    link = row.link
    excerpt_bucket, negative_bucket = buckets_of(link[0] if link else "")
    answers_it = link is not None and row.bucket == excerpt_bucket
    if row.bucket in EXCERPTS and answers_it:
        edit = replace(edit, to=negative_bucket)
    elif row.bucket in EXCERPTS:
        indices: list[int] = []
        for index, item in enumerate(labels.bucket(negative_bucket)):
            if item.link == link:
                indices.append(index)
        if not link or not indices:
            raise Refused(
                "It answers no instruction that is missing or absent: "
                "link it first ({item.relink:i}).",
            )
        edit = Edit(
            "deny",
            negative_bucket,
            indices[0],
            seen=labels.bucket(negative_bucket)[indices[0]].text,
        )
    elif row.item.denied and span is None:
        return (replace(edit, action="omit"),)
    if span:
        edit = replace(edit, start=span[0], end=span[1])
    return (edit,)


def turned(entry: ChecklistEntry, target_bucket: Bucket) -> Edits:
    """Return the edits that put an instruction into a bucket; they are not applied.

    An instruction that is nowhere is added; that raises Refused for a bucket of the other list. For
    its negative bucket, FN (TN), all its excerpts but the first are dropped, the last one first,
    and then the first is moved. If it is in both of its buckets, its excerpt bucket takes it out of
    FN (TN). In any other case its first item is moved, without a check whether that is possible.
    """
    excerpt_bucket, negative_bucket = buckets_of(entry.of)
    if not entry.items:
        if target_bucket not in (excerpt_bucket, negative_bucket):
            list_mark = entry.of.upper()
            excerpt_mark = MARKS[excerpt_bucket]
            negative_mark = MARKS[negative_bucket]
            raise Refused(
                f"It is a {list_mark} instruction that is nowhere yet: "
                f"put it into {excerpt_mark} or {negative_mark}.",
            )
        return (Edit("add", target_bucket, of=entry.of, instruction=entry.number),)
    if target_bucket == excerpt_bucket and entry.excerpts and entry.held:
        return tuple(edit_of("drop", row) for row in reversed(entry.held))
    if target_bucket == negative_bucket and entry.excerpts:
        first, *others = entry.excerpts
        edits = [edit_of("drop", row) for row in reversed(others)]
        edits.append(edit_of("move", first, negative_bucket))
        return tuple(edits)
    return moved(entry.items[0], target_bucket)


def ruled(entry: ChecklistEntry, target_bucket: Bucket) -> Edits:
    """Return the edits that put an instruction into a bucket, for a cell whose judge is hidden.

    There a key only answers the instruction, so Refused is raised for a bucket of the other list.
    For one of its own two buckets the edits are those of `turned`.
    """
    excerpt_bucket, negative_bucket = buckets_of(entry.of)
    if target_bucket not in (excerpt_bucket, negative_bucket):
        list_mark = entry.of.upper()
        positive = f"{STANDS[excerpt_bucket]} ({MARKS[excerpt_bucket]})"
        negative = f"{STANDS[negative_bucket]} ({MARKS[negative_bucket]})"
        raise Refused(
            f"It is a {list_mark} instruction: it is {positive} or {negative}.",
        )
    return turned(entry, target_bucket)


def toggled(entry: ChecklistEntry, past_excerpts: Sequence[Item] = ()) -> Edits:
    """Return the edits that turn an instruction round: found ⇄ missing, present ⇄ absent.

    Found again, it gets `past_excerpts`, the excerpts or omission that it had. Without any, its
    words are still to be selected. An instruction that is in no bucket, or in both, becomes missing
    or absent.
    """
    excerpt_bucket, negative_bucket = buckets_of(entry.of)
    if not entry.held or entry.excerpts:
        return turned(entry, negative_bucket)
    edits = list(turned(entry, excerpt_bucket))
    for index, item in enumerate(past_excerpts):
        if index:
            edits.append(
                Edit("add", excerpt_bucket, of=entry.of, instruction=entry.number),
            )
        start = item.start
        end = item.end
        omission = item.omission or None
        edits[index] = replace(edits[index], start=start, end=end, omission=omission)
    return tuple(edits)


_UNREPEATABLE = {
    "add": "an addition",
    "reword": "a rewording",
    "split": "a split",
    "merge": "a merge",
    "deny": "a denial",
    "omit": "a denial taken back",
}


def repeated(last: Edit, row: ItemRow) -> Edits:
    """Return edits that do to an item what the last correction did to another; none is applied.

    A move goes to the same bucket, even if the item is in it. Only a relink, and a move between TP
    and FP, get the last one's instruction; an FP that competes with a TP instruction keeps that one
    instead. Words that were selected are not repeated. Raises Refused unless the last correction is
    a move, a drop or a link.
    """
    if last.action in _UNREPEATABLE:
        raise Refused(
            f"The last correction was {_UNREPEATABLE[last.action]}: "
            "only moves, drops and links can be repeated.",
        )
    if last.action == "move":
        return with_link(moved(row, last.to or row.bucket), last.link)
    return with_link((edit_of(last.action, row),), last.link)


def split_at_bar(edit: Edit, typed: str) -> Edit:
    """Return a split edit with its offset, where a `|` was typed into the item's text.

    `edit.seen` is the text before. Raises Refused unless one `|` was put in and nothing else was
    changed.
    """
    for offset, character in enumerate(typed):
        if character != "|":
            continue
        without_bar = typed[:offset] + typed[offset + 1 :]
        if without_bar == (edit.seen or ""):
            return replace(edit, cut=offset)
    raise Refused("Put one | into the text, and change nothing else.")


# -- evidence that is lacking ----------------------------------------------------------------------


def lacks_evidence(edits: Edits) -> bool:
    """Return whether any edit can have words of the response, and has neither words nor omission.

    Such edits are a denial, an addition to TP or FP, and a move from FN to TP or from TN to FP; any
    other edit never lacks words.
    """
    return any(
        edit.start is None and not edit.omission and edit.takes_evidence
        for edit in edits
    )


def with_evidence(edits: Edits, span: Span | None) -> Edits:
    """Return the edits with the selected words, where they can have evidence.

    Other edits stay. A span of None leaves the edits without evidence, and takes away what they
    had.
    """
    start, end = span or (None, None)
    return tuple(
        replace(edit, start=start, end=end) if edit.takes_evidence else edit
        for edit in edits
    )


# -- links that are lacking ------------------------------------------------------------------------


class LinkChoice(Struct, frozen=True):
    """The lists that an instruction is picked from."""

    lists: tuple[List, ...]
    none: str = ""
    """What the choice of no instruction is called; "" if one has to be picked."""


def link_to_pick(trait: MetricRubricTrait, items: Sequence[Edits]) -> LinkChoice | None:
    """Return the choice of an instruction that a person has to make for all items.

    `items` are the edits of each item. Returns None if no edit needs an instruction. Raises Refused
    if the edits need different choices, or both a choice and words that a person selects.
    """
    choices: set[LinkChoice] = set()
    for edit in filter(_takes_link, chain.from_iterable(items)):
        if edit.action == "relink":
            none = "none" if edit.bucket in EXCERPTS else ""
            choices.add(LinkChoice(lists_of(trait, edit.bucket), none))
        elif edit.action == "add":
            choices.add(LinkChoice(lists_of(trait, edit.bucket), "none for now"))
        elif edit.to == "tp":
            choices.add(LinkChoice(("tp",), "none for now"))
        elif trait.full:
            choices.add(
                LinkChoice(lists_of(trait, "fp"), "none: wrong, but not on the list"),
            )
    lacks_words = any(lacks_evidence(edits) for edits in items)
    if len(choices) > 1 or (choices and lacks_words):
        raise Refused(
            "The marked items need different answers: mark those of one bucket at a time.",
        )
    return next(iter(choices), None)


def with_link(edits: Edits, link: Link | None) -> Edits:
    """Return the edits with the instruction picked, where they need one and have none.

    None leaves them without one.
    """
    list_name, number = link or (None, None)
    return tuple(
        replace(edit, of=list_name, instruction=number) if _takes_link(edit) else edit
        for edit in edits
    )


def _takes_link(edit: Edit) -> bool:
    """Return whether an edit needs an instruction and has none.

    Additions, relinks and moves between TP and FP need one.
    """
    if edit.action == "move":
        return edit.link is None and (edit.bucket, edit.to) in (
            ("tp", "fp"),
            ("fp", "tp"),
        )
    return edit.link is None and edit.action in ("add", "relink")


def link_question(action: Action, count: int) -> str:
    """Return the title of the list in which a person picks an instruction for `count` items.

    It is "Link it to" or "Link all 3 to" for a relink, and "Which instruction is it about?" or
    "Which instruction are all 3 about?" for a move. For any other action it is "Which instruction
    does it answer?", whatever the count.
    """
    if action == "relink":
        return "Link it to" if count == 1 else f"Link all {count} to"
    if action != "move":
        return "Which instruction does it answer?"
    subject = "is it" if count == 1 else f"are all {count}"
    return f"Which instruction {subject} about?"


# -- instructions to pick from ---------------------------------------------------------------------


class LikelyLink(Struct, frozen=True):
    """An instruction to pick, and how well it fits."""

    link: Link
    text: str
    where: str
    """The buckets that it is in already, or ""."""
    likely: float
    """How well it fits the words, from 0 to 100."""


def likely_links(
    trait: MetricRubricTrait,
    labels: Labels,
    list_names: Iterable[List],
    text: str,
    current_link: Link | None = None,
) -> list[LikelyLink]:
    """Return all instructions of some lists as choices, the likeliest first.

    `current_link` comes first, then the instructions without an excerpt in TP or FP, then the
    others. Within these, a name that is more like `text` comes earlier; equally likely ones stay in
    the order of the rubric.
    """
    from rapidfuzz import fuzz  # only here: 10 ms

    links = []
    for list_name in list_names:
        for number, _ in enumerate(trait.instructions(list_name), 1):
            likeness = 0.0
            for name in trait.names(list_name, number):
                likeness = max(
                    likeness,
                    fuzz.token_set_ratio(text.lower(), name.lower()),
                )
            links.append(_likely_link(trait, labels, (list_name, number), likeness))
    answered = labels.links("tp") | labels.links("fp")
    return sorted(
        links,
        key=lambda candidate: (
            candidate.link != current_link,
            candidate.link in answered,
            -candidate.likely,
        ),
    )


def meant_link(
    trait: MetricRubricTrait,
    labels: Labels,
    target_bucket: Bucket,
    text: str,
    current_link: Link | None,
) -> Link | None:
    """Return `current_link` if an excerpt is likely meant for that instruction, else None.

    `current_link` is the instruction at the cursor, or None, and `text` the excerpt's words. It is
    not meant if it has an excerpt already, is a hint, or cannot be answered in `target_bucket`, or
    if another open instruction fits the words better.
    """
    answered = labels.links("tp") | labels.links("fp")
    if current_link is None or current_link in answered or current_link[0] == "fp":
        return None
    links = likely_links(
        trait,
        labels,
        lists_of(trait, target_bucket),
        text,
        current_link,
    )
    open_candidates: list[LikelyLink] = []
    for candidate in links:
        list_name, _ = candidate.link
        if candidate.link not in answered and list_name != "fp":
            open_candidates.append(candidate)
    if not open_candidates:
        return None
    first = open_candidates[0]
    if first.link != current_link:
        return None
    if any(candidate.likely > first.likely for candidate in open_candidates):
        return None
    return current_link


def open_links(
    trait: MetricRubricTrait,
    labels: Labels,
    current_link: Link | None,
) -> list[LikelyLink]:
    """Return the instructions that are in no bucket, to pick from.

    `current_link` is first if it is one of them. The others are in the order of the rubric. How
    well they fit is not estimated: their `likely` is 0.
    """
    links = sorted(
        open_instructions(trait, labels),
        key=lambda link: link != current_link,
    )
    return [_likely_link(trait, labels, link) for link in links]


def _likely_link(
    trait: MetricRubricTrait,
    labels: Labels,
    link: Link,
    likely: float = 0.0,
) -> LikelyLink:
    """Return an instruction to pick, with its words and the marks of the buckets that it is in.

    The marks are one text such as "TP FP", "" if it is in none. The words are "" if the trait has
    no such instruction. `likely` is how well it fits, from 0 to 100, and is only passed on.
    """
    where = [MARKS[bucket] for bucket in trait.buckets if labels.has(bucket, link)]
    return LikelyLink(link, trait.words(*link), " ".join(where), likely)

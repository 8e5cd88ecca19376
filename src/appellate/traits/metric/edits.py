"""Every correction of a metric cell: one edit in, new labels out, or a sentence that refuses.

The table of effects is SPEC 4's. `cover` and `uncover` keep the ledger: an instruction whose last
excerpt leaves goes to FN (TN), and leaves there when an excerpt answers it. `permit` is for what is
asked now, `apply` also for what earlier versions kept: their drops emptied the ledger.
"""

from collections.abc import Callable, Mapping
from typing import Any, Literal

from msgspec import Struct
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

Action = Literal["move", "add", "relink", "reword", "drop", "split", "merge", "deny", "omit"]


class Edit(Struct, frozen=True):
    """One correction: what to do to which item.

    "deny": words of the response deny an instruction, an excerpt goes to FN or TN with it; "omit"
    takes that back.
    `of` and `instruction` are the link wanted; `start` and `end` the words selected in the
    response, as evidence or in the place of an item's; `text` the new wording; `cut` where in the
    item's text to split; `seen` the item's text as the person saw it, so that an edit never hits
    another item. `wrong_evidence` is of words in the place of the judge's, whose verdict is right;
    `omission` of an instruction that is met by what the response leaves out, without words.
    """

    action: Action
    bucket: Bucket
    index: int = 0
    to: Bucket | None = None
    of: List | None = None
    instruction: int | None = None
    start: int | None = None
    end: int | None = None
    text: str | None = None
    cut: int | None = None
    seen: str | None = None
    wrong_evidence: bool | None = None
    omission: bool | None = None

    @property
    def link(self) -> Link | None:
        if self.of is None or self.instruction is None:
            return None
        return self.of, self.instruction

    @property
    def replaces(self) -> bool:
        """Whether it puts other words of the response, or none, in the place of an excerpt."""
        return self.action == "reword" and (self.start is not None or bool(self.omission))

    @property
    def takes_evidence(self) -> bool:
        """Whether words of the response may bear it out."""
        if self.action == "move":
            return (self.bucket, self.to) in (("fn", "tp"), ("tn", "fp"))
        if self.action == "deny":
            return True
        return self.action == "add" and self.bucket in EXCERPTS

    @classmethod
    def from_row(cls, row: Mapping[str, Any]) -> "Edit":
        """An edit from a fact or a file, whose other keys are not ours."""
        return cls(**{key: row[key] for key in cls.__struct_fields__ if key in row})

    def to_row(self) -> dict[str, Any]:
        """The edit as facts and files keep it: only what was given."""
        return {key: value for key, value in asdict(self).items() if value is not None}


class _Bench(Struct, frozen=True):
    trait: MetricRubricTrait
    trace: Trace
    labels: Labels
    edit: Edit

    @property
    def item(self) -> Item:
        return self.labels.at((self.edit.bucket, self.edit.index))


def apply(trait: MetricRubricTrait, trace: Trace, labels: Labels, edit: Edit) -> Outcome[Labels]:
    """The labels after the edit; raises Refused with what to do instead."""
    bench = _Bench(trait, trace, labels, edit)
    _check(bench)
    return _EDITS[edit.action](bench)


def permit(
    trait: MetricRubricTrait,
    trace: Trace,  # noqa: ARG001
    labels: Labels,
    edit: Edit,
) -> Edit:
    """A correction as it is kept: a drop says `to` which bucket the instruction of the last excerpt
    goes, and what an instruction that may be met by omission gets without words is one.

    Raises Refused for a drop that would take an instruction out of the ledger.
    """
    items = labels.bucket(edit.bucket)
    if shows_omission(trait, labels, edit):
        return replace(edit, omission=True)
    if edit.action != "drop" or not 0 <= edit.index < len(items):
        return edit
    link = items[edit.index].link
    if edit.bucket in EXCERPTS:
        answered = _answers(edit.bucket, link)
        if answered is None:
            return edit
        return replace(edit, to=buckets_of(answered[0])[1])
    rest = _without(labels, edit.bucket, edit.index)
    if _cover(trait, rest, link) != rest:
        where = "TP ({move.tp:1})" if edit.bucket == "fn" else "FP ({move.fp:3})"
        raise Refused(
            f"An instruction cannot leave the checklist: move it to {where} if the response says"
            f" it, else leave it in {MARKS[edit.bucket]}."
        )
    return edit


def shows_omission(trait: MetricRubricTrait, labels: Labels, edit: Edit) -> bool:
    """Whether an edit answers an instruction that may be met by omission, and has no words."""
    if edit.start is not None or not edit.takes_evidence or edit.action == "deny":
        return False
    link = edit.link
    items = labels.bucket(edit.bucket)
    if edit.action == "move" and 0 <= edit.index < len(items):
        link = items[edit.index].link or link
    return may_be_omitted(trait, edit.to or edit.bucket, link)


def may_be_omitted(trait: MetricRubricTrait, bucket: Bucket, link: Link | None) -> bool:
    """Whether a bucket may hold an instruction as met by what the response leaves out."""
    answered = _instruction(trait, bucket, link)
    return answered is not None and trait.may_be_omitted(*answered)


def _check(bench: _Bench) -> None:
    edit, trait, items = bench.edit, bench.trait, bench.labels.bucket(bench.edit.bucket)
    if "tn" in (edit.bucket, edit.to) and not trait.full:
        raise Refused(
            f"This trait is tp_only, so there is no TN: {_NO_TN.get(edit.bucket, 'leave it out')}."
        )
    if edit.action != "add" and not 0 <= edit.index < len(items):
        raise Refused(f"There is no item {edit.index + 1} in {MARKS[edit.bucket]}.")
    if edit.action != "add" and edit.seen not in (None, bench.item.text):
        raise Refused("That item has changed meanwhile; look again.")
    if edit.link:
        _check_link(trait, *edit.link, edit.to or edit.bucket)
    if edit.start is not None:
        selected(bench.trace, (edit.start, edit.end or 0))


def _check_link(trait: MetricRubricTrait, of: List, number: int, landing: Bucket) -> None:
    if not 1 <= number <= len(trait.instructions(of)):
        raise Refused(f"There is no {of.upper()} instruction {number}.")
    if of not in lists_of(trait, landing):
        wanted = " or ".join(name.upper() for name in lists_of(trait, landing))
        raise Refused(f"An item in {MARKS[landing]} answers a {wanted} instruction.")


# -- the ledger's two movements --------------------------------------------------------------------


def _insert(labels: Labels, bucket: Bucket, item: Item) -> Labels:
    """Puts an item in the order of its instructions; an unlinked one goes last."""
    items = labels.bucket(bucket)
    place = len(items)
    for index, other in enumerate(items):
        if _rank(other) > _rank(item):
            place = index
            break
    return labels.put(bucket, (*items[:place], item, *items[place:]))


def _rank(item: Item) -> tuple[str, float]:
    return (item.of or "~", item.instruction or float("inf"))


def _without(labels: Labels, bucket: Bucket, index: int) -> Labels:
    items = labels.bucket(bucket)
    return labels.put(bucket, (*items[:index], *items[index + 1 :]))


def _with_link(item: Item, link: Link | None) -> Item:
    """The item on another instruction, or in another bucket: another verdict than the judge's."""
    of, number = link or (None, None)
    return replace(item, of=of, instruction=number, wrong_evidence=False)


def _cover(trait: MetricRubricTrait, labels: Labels, link: Link | None) -> Labels:
    """Puts an instruction into FN (TN) if nothing covers it; a judge's link may lead to none."""
    if link is None or link[0] == "fp" or link[1] > len(trait.instructions(link[0])):
        return labels
    yes, no = buckets_of(link[0])
    if labels.has(yes, link) or labels.has(no, link):
        return labels
    return _insert(labels, no, Item(trait.words(*link), *link))


def _uncover(labels: Labels, link: Link | None) -> Labels:
    """Takes an instruction out of FN (TN)."""
    if link is None or link[0] == "fp":
        return labels
    no = buckets_of(link[0])[1]
    return labels.put(no, (item for item in labels.bucket(no) if item.link != link))


def _answers(bucket: Bucket, link: Link | None) -> Link | None:
    """The instruction that an excerpt in this bucket covers: no wrong candidate, and no hint."""
    if link and link[0] != "fp" and buckets_of(link[0])[0] == bucket:
        return link
    return None


def _instruction(trait: MetricRubricTrait, bucket: Bucket, link: Link | None) -> Link | None:
    """The same, of those that the trait has; a judge's link may lead to none."""
    answered = _answers(bucket, link)
    if answered is None or answered[1] > len(trait.instructions(answered[0])):
        return None
    return answered


def _rehang(bench: _Bench, to: Bucket, link: Link | None) -> Outcome[Labels]:
    """The excerpt in a bucket, on an instruction; an omission is met in that one's own words."""
    bucket = bench.edit.bucket
    item = bench.item
    fresh = _with_link(item, link)
    answered = _instruction(bench.trait, to, link)
    if item.omission and answered is None:
        raise Refused(
            "It shows in no words of the response: put some in its place first ({item.replace:=})."
        )
    if item.omission and answered:
        fresh = replace(fresh, text=bench.trait.words(*answered))
    labels = _insert(_without(bench.labels, bucket, bench.edit.index), to, fresh)
    labels = _uncover(labels, _answers(to, link))
    labels = _cover(bench.trait, labels, _answers(bucket, item.link))
    return Outcome(labels, item.text, fresh.text)


# -- moves -----------------------------------------------------------------------------------------


def _move(bench: _Bench) -> Outcome[Labels]:
    edit = bench.edit
    way = (edit.bucket, edit.to)
    if edit.to == edit.bucket:
        raise Refused(f"It is in {MARKS[edit.bucket]} already.")
    if way in _MOVES:
        return _MOVES[way](bench)
    raise Refused(_INSTEAD.get(way, "Say where to move it."))


def _to_instruction(bench: _Bench) -> Outcome[Labels]:
    """TP → FN and FP → TN: the excerpt leaves and its instruction takes its place."""
    bucket = bench.edit.bucket
    index = bench.edit.index
    item = bench.item
    link = _instruction(bench.trait, bucket, item.link)
    if link is None:
        whose = "TP" if bucket == "tp" else "TN"
        raise Refused(
            f"It answers no {whose} instruction that could go there: "
            "link it first ({item.relink:i}), or drop it ({item.drop:d})."
        )
    rest = _without(bench.labels, bucket, index)
    if rest.has(bucket, link):
        raise Refused(
            f"Another {MARKS[bucket]} excerpt answers instruction {link[1]} too: "
            "drop this one ({item.drop:d})."
        )
    labels = _cover(bench.trait, rest, link)
    return Outcome(labels, item.text, bench.trait.words(*link))


def _between_excerpts(bench: _Bench) -> Outcome[Labels]:
    """TP → FP and FP → TP: the excerpt and its offsets stay, its link changes."""
    to = bench.edit.to or "fp"
    link = bench.edit.link
    if to == "fp" and not bench.trait.full:
        link = bench.item.link
    return _rehang(bench, to, link)


def _to_excerpt(bench: _Bench) -> Outcome[Labels]:
    """FN → TP and TN → FP: evidence comes in, else the instruction's own words."""
    edit, item, to = bench.edit, bench.item, bench.edit.to or "tp"
    text = item.text
    link = item.link or edit.link
    if edit.start is not None:
        text = bench.trace.text[edit.start : edit.end]
    fresh = _shown(bench, to, text, link)
    labels = _uncover(_without(bench.labels, edit.bucket, edit.index), link)
    return Outcome(_insert(labels, to, fresh), item.text, fresh.text)


def _shown(bench: _Bench, to: Bucket, text: str, link: Link | None) -> Item:
    """An item on the words selected, or on none; of an omission the text is the instruction's."""
    edit = bench.edit
    answered = _instruction(bench.trait, to, link)
    item = _with_link(Item(text, start=edit.start, end=edit.end), link)
    if edit.omission and edit.start is None and answered:
        return replace(item, text=bench.trait.words(*answered), omission=True)
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
    ("fn", "tn"): "FN holds a TP instruction, and TN holds TN instructions: it cannot go there.",
    ("fp", "fn"): (
        "An FP excerpt cannot be an FN: drop it ({item.drop:d}); "
        "FN fills by itself when a fact loses its last TP."
    ),
    ("tn", "tp"): (
        "TN holds a TN instruction: "
        "select the words that are right ({text.select:v}) and add them to TP ({move.tp:1})."
    ),
    ("tn", "fn"): "TN holds a TN instruction, and FN holds TP instructions: it cannot go there.",
}


# -- absent or contradicted ------------------------------------------------------------------------


def _deny(bench: _Bench) -> Outcome[Labels]:
    """Words of the response deny an instruction of FN or TN; that of an excerpt goes there."""
    edit = bench.edit
    item = bench.item
    if edit.bucket in EXCERPTS:
        moved = _to_instruction(bench)
        (_, no) = buckets_of(edit.bucket)
        index = [one.link for one in moved.labels.bucket(no)].index(item.link)
        there = replace(edit, bucket=no, index=index)
        denied = _deny(replace(bench, labels=moved.labels, edit=there))
        return moved._replace(labels=denied.labels)
    if edit.start is None:
        raise Refused("A denial needs its words: select them in the response.")
    words = bench.trace.text[edit.start : edit.end]
    fresh = replace(item.at(edit.start, edit.end), denied=words)
    if fresh == replace(item, named_step=None):
        raise Refused("It is denied by these words already.")
    return Outcome(_swap(bench, 1, fresh), item.text, words)


def _omit(bench: _Bench) -> Outcome[Labels]:
    item = bench.item
    if not item.denied:
        raise Refused("It is left out already: nothing denies it.")
    return Outcome(_swap(bench, 1, replace(item.at(None, None), denied="")), item.text, item.denied)


# -- the other edits -------------------------------------------------------------------------------


def _add(bench: _Bench) -> Outcome[Labels]:
    edit, link, labels = bench.edit, bench.edit.link, bench.labels
    if edit.bucket in EXCERPTS:
        item = _shown(bench, edit.bucket, _added(bench), link)
        held = labels.bucket(edit.bucket)
        if link:  # an excerpt of its instruction takes the place of an omission
            kept = [one for one in held if not one.omission or one.link != link]
            labels = labels.put(edit.bucket, kept)
        labels = _uncover(labels, _answers(edit.bucket, link))
        return Outcome(_insert(labels, edit.bucket, item), "", item.text)
    if link is None:
        raise Refused(f"{MARKS[edit.bucket]} holds instructions: pick one.")
    yes = buckets_of(link[0])[0]
    if labels.has(yes, link):
        raise Refused(
            f"Instruction {link[1]} has an excerpt in {MARKS[yes]}: move or drop that one instead."
        )
    if labels.has(edit.bucket, link):
        raise Refused(f"Instruction {link[1]} is in {MARKS[edit.bucket]} already.")
    return Outcome(_cover(bench.trait, labels, link), "", bench.trait.words(*link))


def _added(bench: _Bench) -> str:
    """The words selected; where none are, those of an instruction that nothing answers yet."""
    bucket = bench.edit.bucket
    link = bench.edit.link
    if bench.edit.start is not None:
        return bench.trace.text[bench.edit.start : bench.edit.end]
    if link is None or link != _answers(bucket, link) or bench.labels.has(bucket, link):
        raise Refused("Select the words in the response first ({text.select:v}).")
    return bench.trait.words(*link)


def _relink(bench: _Bench) -> Outcome[Labels]:
    edit, item, link = bench.edit, bench.item, bench.edit.link
    if link == item.link:
        raise Refused("It is linked so already.")
    if edit.bucket in EXCERPTS:
        return _rehang(bench, edit.bucket, link)
    # the item takes the instruction's own words with its link
    added = _add(replace(bench, labels=_without(bench.labels, edit.bucket, edit.index)))
    return Outcome(_cover(bench.trait, added.labels, item.link), item.text, added.after)


def unworded(action: Action, bucket: Bucket, *items: Item) -> str:
    """Why the words of a bucket's items cannot be changed; nothing where they can."""
    if any(item.omission for item in items):
        return (
            "It is met by omission, in no words of the response: {item.replace:=} puts some there."
        )
    if bucket in EXCERPTS:
        return ""
    return f"{MARKS[bucket]} holds the rubric's own words: {_OWN_WORDS[action]}."


def _check_worded(edit: Edit, *items: Item) -> None:
    why = unworded(edit.action, edit.bucket, *items)
    if why:
        raise Refused(why)


def _reword(bench: _Bench) -> Outcome[Labels]:
    """Other words of the response, or none where it is met by omission; else a new wording."""
    edit = bench.edit
    item = bench.item
    text = (edit.text or "").strip()
    _check_worded(edit)
    there = replace(item, wrong_evidence=bool(edit.wrong_evidence))
    if edit.start is not None:
        words = bench.trace.text[edit.start : edit.end]
        fresh = [replace(there.at(edit.start, edit.end), text=words, omission=False)]
    elif edit.omission:
        answered = _instruction(bench.trait, edit.bucket, item.link)
        if answered is None:
            raise Refused(
                "It answers no instruction that could be met by omission: "
                "link it first ({item.relink:i})."
            )
        words = bench.trait.words(*answered)
        fresh = [replace(there.at(None, None), text=words, omission=True)]
    elif text:
        _check_worded(edit, item)
        fresh = _looked_up(bench, text)
    else:
        raise Refused("An item needs words; drop it ({item.drop:d}) to be rid of it.")
    if fresh == [replace(item, named_step=None)]:
        raise Refused("It is worded so already.")
    return Outcome(_swap(bench, 1, *fresh), item.text, " | ".join(one.text for one in fresh))


def _looked_up(bench: _Bench, text: str) -> list[Item]:
    """The item with a new text, found in the response where it can be; "A … B" becomes two."""
    item = bench.item
    rest = _without(bench.labels, bench.edit.bucket, bench.edit.index)
    taken = [one.span for one in (*rest.tp, *rest.fp) if one.span and one.link == item.link]
    places = Finder.of(bench.trace).find_parts(text, taken)
    fresh = [replace(item.at(*place), text=bench.trace.text[slice(*place)]) for place in places]
    return fresh or [replace(item.at(None, None), text=text)]


def _swap(bench: _Bench, count: int, *items: Item) -> Labels:
    """Puts items in the place of `count` items from the edit's index on."""
    bucket = bench.edit.bucket
    index = bench.edit.index
    old = bench.labels.bucket(bucket)
    return bench.labels.put(bucket, (*old[:index], *items, *old[index + count :]))


def _drop(bench: _Bench) -> Outcome[Labels]:
    edit = bench.edit
    item = bench.item
    rest = _without(bench.labels, edit.bucket, edit.index)
    link = None
    if edit.to:
        link = _answers(edit.bucket, item.link)
    labels = _cover(bench.trait, rest, link)
    if link is None or labels == rest:
        return Outcome(rest, item.text, "")
    return Outcome(labels, item.text, bench.trait.words(*link))


def _split(bench: _Bench) -> Outcome[Labels]:
    edit = bench.edit
    item = bench.item
    _check_worded(edit, item)
    cut = min(max(edit.cut or 0, 0), len(item.text))
    first = _piece(item, 0, cut)
    second = _piece(item, cut, len(item.text))
    if not first.text or not second.text:
        raise Refused("Split it where words are on both sides.")
    return Outcome(_swap(bench, 1, first, second), item.text, f"{first.text} | {second.text}")


def _piece(item: Item, low: int, high: int) -> Item:
    """A slice of an item's text without the white space around it, and its offsets."""
    raw = item.text[low:high]
    text = raw.strip()
    if item.start is None:
        return replace(item, text=text)
    start = item.start + low + (len(raw) - len(raw.lstrip()))
    return replace(item, text=text, start=start, end=start + len(text))


def _merge(bench: _Bench) -> Outcome[Labels]:
    edit, items = bench.edit, bench.labels.bucket(bench.edit.bucket)
    _check_worded(edit)
    if edit.index + 1 >= len(items):
        raise Refused("There is no item below it to merge with.")
    first = items[edit.index]
    second = items[edit.index + 1]
    _check_worded(edit, first, second)
    if first.link != second.link:
        raise Refused("They answer different instructions: relink one first ({item.relink:i}).")
    joined = replace(first.at(None, None), text=f"{first.text} … {second.text}")
    if first.span and second.span:
        start = min(first.span[0], second.span[0])
        end = max(first.span[1], second.span[1])
        words = selected(bench.trace, (start, end), "items do")
        joined = replace(first.at(start, end), text=words)
    return Outcome(_swap(bench, 2, joined), f"{first.text} | {second.text}", joined.text)


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


def describe(edit: Edit, before: str, after: str) -> str:
    """What an edit did, past tense, whole texts."""
    where = MARKS[edit.bucket]
    there = MARKS[edit.to or edit.bucket]
    link = link_mark(edit.of, edit.instruction)
    to_link = f" as {link}" if link else ""
    how = " by omission" * bool(edit.omission)
    match edit.action:
        case "move" if after != before:
            return f"moved {where} → {there}{how}: “{before}” as “{after}”"
        case "move":
            return f"moved {where} → {there}{how}: “{before}”{to_link}"
        case "add":
            return f"added to {where}{to_link}{how}: “{after}”"
        case "relink":
            return f"linked {where} to {link or 'nothing'}: “{before}”"
        case "drop" if after:
            return (
                f"dropped from {where}: “{before}” ({MARKS[edit.to or 'fn']} has “{after}” again)"
            )
        case "drop":
            return f"dropped from {where}: “{before}”"
        case "deny" | "omit":
            return _denied(edit, before, after)
    return f"{_worded(edit)} {where}: “{before}” → “{after}”{how}"


def _denied(edit: Edit, before: str, after: str) -> str:
    where = MARKS[edit.bucket]
    there = MARKS[edit.to or edit.bucket]
    if edit.action == "omit":
        return f"left out {where}: “{before}”, not denied by “{after}”"
    if edit.bucket in EXCERPTS:
        return f"moved {where} → {there} as denied: “{before}” denies “{after}”"
    return f"denied {where}: “{before}” by “{after}”"


_BRIEFLY = {"deny": "denied", "omit": "left out"}


def _worded(edit: Edit) -> str:
    if edit.wrong_evidence:
        return "right verdict, wrong evidence: replaced"
    if edit.replaces:
        return "replaced"
    return {"reword": "reworded", "split": "split", "merge": "merged"}[edit.action]


def brief(edit: Edit) -> str:
    """The sort of an edit: `TP → FN` for a move, `drop FP`."""
    where = MARKS[edit.bucket]
    if edit.action == "move":
        return f"{where} → {MARKS[edit.to or edit.bucket]}"
    if edit.wrong_evidence:
        return f"wrong evidence {where}"
    return f"{_BRIEFLY.get(edit.action, edit.action)} {where}"


# -- under another proposal, or a changed trait ----------------------------------------------------

# An edit carries over where the same item is there again: the same instruction by its words, and in
# TP and FP the same excerpt. Where the new labels already say what the person does, nothing is left
# to do.


class ItemContext(Struct, frozen=True):
    """The item that an edit was about, if any, and the words of the instructions involved."""

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
    if link is None:
        return None
    return trait.words(*link) or None


def fits(
    trait: MetricRubricTrait,
    labels: Labels,  # noqa: ARG001 - as `TraitKind.fits`
    edit: Edit,
    anchor: ItemContext,
) -> bool:
    """Whether the instructions are in the trait; a merge is of items that others need not have."""
    was = anchor.item.link if anchor.item else None
    wanted = edit.link is None or _renumbered(trait, edit.link, anchor.wanted)
    about = was is None or _renumbered(trait, was, anchor.about)
    return edit.action != "merge" and bool(wanted and about)


def carried(
    trait: MetricRubricTrait, labels: Labels, edit: Edit, anchor: ItemContext
) -> Edit | None:
    """None where other labels say so already; raises Refused where its item is not there."""
    if not fits(trait, labels, edit, anchor):
        raise Refused("What it was about is not among these labels.")
    was = anchor.item
    about = _renumbered(trait, was.link if was else None, anchor.about)
    wanted = _renumbered(trait, edit.link, anchor.wanted)
    if wanted:
        edit = replace(edit, of=wanted[0], instruction=wanted[1])
    place = _place_of(labels, edit, was, about)
    if place:
        item = labels.at(place)
        if place[0] not in EXCERPTS and _is_denied(edit, item):
            return None
        seen = None if edit.seen is None else item.text
        to = edit.to if place[0] == edit.bucket else None
        return replace(edit, bucket=place[0], index=place[1], to=to, seen=seen)
    if _is_so(labels, edit, was, about):
        return None
    if was is not None:
        raise Refused("Its item is not among these labels.")
    return edit


def _renumbered(trait: MetricRubricTrait, link: Link | None, words: str | None) -> Link | None:
    """The instruction of these words, or of this name, in the same list of the current trait."""
    if link is None or words is None:
        return None
    number = trait.numbering(link[0]).number(words)
    if number is None:
        return None
    return link[0], number


def _place_of(labels: Labels, edit: Edit, was: Item | None, about: Link | None) -> Place | None:
    """Where the same item stands: by its instruction, and by its excerpt where the bucket holds
    excerpts; the instruction of an excerpt that is denied, where there is no such excerpt.
    """
    buckets = [edit.bucket]
    if edit.action == "deny" and edit.to:
        buckets.append(edit.to)
    for bucket in buckets:
        for index, item in enumerate(labels.bucket(bucket)):
            if was is None or item.link != about:
                continue
            same = item.text == was.text
            if item.span and was.span:
                same = item.span == was.span
            if same or (bucket not in EXCERPTS and about is not None):
                return bucket, index
    return None


def _is_denied(edit: Edit, item: Item) -> bool:
    """Whether an item is denied, or left out, as an edit would have it."""
    if edit.action == "omit" and not item.denied:
        return True
    return edit.action in ("deny", "omit") and item.span == (edit.start, edit.end)


def _is_so(labels: Labels, edit: Edit, was: Item | None, about: Link | None) -> bool:
    """Whether the labels are as the edit would leave them."""
    if edit.action == "drop":
        return about not in labels.links(edit.bucket)
    if edit.action not in ("add", "move", "relink") and not edit.replaces:
        return False
    landing = edit.to or edit.bucket
    link = edit.link or about
    there = [one for one in labels.bucket(landing) if one.link == link]
    if landing not in EXCERPTS:
        return bool(there)
    if edit.omission:
        return any(one.omission for one in there)
    words = getattr(was, "span", None)  # an addition of none has no words of the response
    if edit.start is not None:
        words = edit.start, edit.end
    return any(one.span == words for one in there)

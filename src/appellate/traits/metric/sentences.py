"""What is said of a metric cell: what a correction did, what is wrong with an item, and where it
came from.
"""

from collections import Counter
from typing import NamedTuple

from appellate.traits.metric.edits import Edit
from appellate.traits.metric.labels import EXCERPTS, Item, Labels, List
from appellate.traits.metric.ledger import MARKS, STANDS, buckets_of, link_mark
from appellate.traits.metric.majority import PanelLabels
from appellate.traits.metric.rows import (
    ChecklistEntry,
    ItemRow,
    Origin,
    rows,
    times_in_words,
)
from appellate.traits.metric.spec import MetricRubricTrait

# -- corrections -----------------------------------------------------------------------------------


def describe(edit: Edit, before: str, after: str) -> str:
    """What an edit did, past tense, whole texts."""
    where, there = MARKS[edit.bucket], MARKS[edit.to or edit.bucket]
    link = link_mark(edit.of, edit.instruction)
    to_link = f" as {link}" if link else ""
    how = _BY_OMISSION[bool(edit.omission)]
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
            return _denial(edit, before, after)
    return f"{_worded(edit)} {where}: “{before}” → “{after}”{how}"


def _denial(edit: Edit, before: str, after: str) -> str:
    where, there = MARKS[edit.bucket], MARKS[edit.to or edit.bucket]
    if edit.action == "omit":
        return f"left out {where}: “{before}”, not denied by “{after}”"
    if edit.bucket in EXCERPTS:
        return f"moved {where} → {there} as denied: “{before}” denies “{after}”"
    return f"denied {where}: “{before}” by “{after}”"


_BY_OMISSION = {True: " by omission", False: ""}
_BRIEFLY = {"deny": "denied", "omit": "left out"}


def _worded(edit: Edit) -> str:
    """What became of an item's words."""
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


def remarks(trait: MetricRubricTrait, before: Labels, after: Labels) -> list[str]:
    """What an edit made count no more, or several times, in sentences."""
    texts: list[str] = []
    for bucket in trait.buckets:
        was, now = rows(trait, before, bucket), rows(trait, after, bucket)
        texts += _not_counted(was, now)
        times = _times_linked(now)
        for link in times - _times_linked(was):
            if times[link] > 1:
                name = instruction_name(*link)
                texts.append(
                    f"{name[0].upper()}{name[1:]} counts {times_in_words(times[link])} now."
                )
    return texts


def _times_linked(found: list[ItemRow]) -> Counter[tuple[List, int]]:
    """How often each instruction counts."""
    return Counter(row.item.link for row in found if row.counts and row.item.link)


def _not_counted(was: list[ItemRow], now: list[ItemRow]) -> list[str]:
    """Of each new repeat that it does not count, and beside which item."""
    first: dict[str, Item] = {}
    for row in now:
        if row.counts:
            first.setdefault(row.item.text.lower().strip(), row.item)
    repeats = Counter(row.item for row in now if not row.counts)
    repeats -= Counter(row.item for row in was if not row.counts)
    texts = []
    for item in repeats:
        counting = first.get(item.text.lower().strip())
        if counting:
            texts.append(
                f"Not counted{_for_link(item)}: the same words count{_for_link(counting)} already."
            )
    return texts


def _for_link(item: Item) -> str:
    return f" for {instruction_name(*item.link)}" if item.link else ""


def instruction_name(of: List, number: int) -> str:
    """`instruction 4` for TP instruction 4, `TN instruction 1`, `hint 2`."""
    return {"tp": "instruction", "tn": "TN instruction", "fp": "hint"}[of] + f" {number}"


# -- rows ------------------------------------------------------------------------------------------


class RowSentence(NamedTuple):
    """What is said below a row, in a style of the list."""

    text: str
    style: str = "muted"


NOTHING = RowSentence("")
_LONG = 12  # letters of a reason that may not all stand at a row's end


def judge_sentence(row: ItemRow) -> RowSentence:
    """Why the judge proposed an item."""
    if not row.item.rationale:
        return NOTHING
    return RowSentence(f"judge: {row.item.rationale}")


def briefly(origin: Origin, item: Item) -> str:
    """Where an item that a person changed came from: `was FN · paraphrase`."""
    text = "added"
    if origin.was is not None:
        bucket, was = origin.was
        text = "wrong evidence" if item.wrong_evidence else "other words"
        if origin.came == "moved":
            text = f"was {MARKS[bucket]}"
        elif _no_more(was, item):
            text = f"was {_no_more(was, item)}"
        elif was.link != item.link:
            text = f"was {link_mark(*was.link) if was.link else 'unlinked'}"
    if origin.reason:
        text += f" · {origin.reason}"
    return text


def _no_more(was: Item, item: Item) -> str:
    """What an item was beside its words, and is no more."""
    if was.denied != item.denied:
        return "denied" if was.denied else "left out"
    if was.omission and not item.omission:
        return "by omission"
    return ""


def about_origin(origin: Origin | None) -> RowSentence:
    """What the judge had in an item's place, and a reason that is too long for the row's end."""
    if origin is None:
        return NOTHING
    texts = []
    if origin.came == "changed" and origin.was is not None:
        was = origin.was[1]
        if was.denied:
            texts.append(f"was denied by “{was.denied}”")
        elif was.omission:
            texts.append("was by omission")
        elif origin.was[0] in EXCERPTS:
            texts.append(f"was “{was.text}”")
    if len(origin.reason) > _LONG:
        texts.append(f"because: {origin.reason}")
    return RowSentence("; ".join(texts), "corrected")


def about_votes(panel: PanelLabels, thing: ItemRow | ChecklistEntry) -> RowSentence:
    """Which members of the panel say what of an instruction, or of an item that answers none."""
    if isinstance(thing, ItemRow) and not panel.answers(thing.bucket, thing.item):
        backers = panel.backers(thing.bucket, thing.item)
        others = [member for member in range(len(panel.members)) if member not in backers]
        groups = [("so", backers), ("not so", others)]
    else:
        link = thing.item.link if isinstance(thing, ItemRow) else (thing.of, thing.number)
        of, number = link or ("tp", 0)
        yes, no = buckets_of(of)
        vote = panel.votes[of, number]
        said = {"found": STANDS[yes], "missing": STANDS[no], "unclear": "unclear"}
        groups = [(word, vote.get(answer, ())) for answer, word in said.items()]
    parts = []
    for words, members in groups:
        if members:
            parts.append(f"{words}: {', '.join(panel.names[member] for member in members)}")
    style = "flag" if len(parts) > 1 else "muted"
    return RowSentence(f"panel: {'; '.join(parts)}", style)

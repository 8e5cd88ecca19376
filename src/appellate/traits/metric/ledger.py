"""Keeps account of the instructions: each is to be answered once, and each item to be linked.

What contradicts that is a breach; it is shown to the reviewer and never corrected by itself.
"""

from functools import lru_cache
from textwrap import shorten
from typing import Literal, get_args

from appellate.core.kind import Instruction, read_name
from appellate.core.problem import many
from appellate.traits.metric.labels import (
    EXCERPTS,
    UNSAID,
    Bucket,
    Item,
    Labels,
    Link,
    List,
)
from appellate.traits.metric.spec import MetricRubricTrait

MARKS: dict[Bucket, str] = {"tp": "TP", "fn": "FN", "fp": "FP", "tn": "TN"}
"""The names of the buckets on the screen."""
_SIGNS: dict[List, str] = {"tp": "", "tn": "−", "fp": "~"}


def link_mark(list_name: List | None, instruction: int | None) -> str:
    """Return the short mark of a link, or "" if its list or its number is None.

    It is "4" for ("tp", 4), "−1" for ("tn", 1), and "~2" for the hint ("fp", 2).
    """
    if list_name is None or instruction is None:
        return ""
    return f"{_SIGNS[list_name]}{instruction}"


def buckets_of(list_name: str) -> tuple[Bucket, Bucket]:
    """Return the bucket for excerpts that answer a list's instructions, and the one for the others.

    For "tp" they are "tp" and "fn"; for anything else they are "fp" and "tn".
    """
    if list_name == "tp":
        return "tp", "fn"
    return "fp", "tn"


def lists(trait: MetricRubricTrait) -> tuple[List, ...]:
    """Return the lists whose instructions each have to be in some bucket."""
    return ("tp", "tn") if trait.full else ("tp",)


Standing = Literal["found", "missing", "present", "absent", "both", "open"]
STANDINGS: tuple[Standing, ...] = get_args(Standing)
STANDS: dict[Bucket, Standing] = {
    "tp": "found",
    "fn": "missing",
    "fp": "present",
    "tn": "absent",
}
SAID_AS: dict[str, tuple[Standing, ...]] = {
    "found": ("found", "present"),
    "missing": ("missing", "absent"),
    "unclear": ("both", "open"),
}
_AMISS = {"both": "both {yes} and {no}", "open": "neither {yes} nor {no}"}
_MENDED = {
    "both": "{item.drop:d} drops one of them",
    "open": "{item.missing:m} adds it",
}
_LONGEST = 120  # letters of an instruction in a sentence on it
"""Letters of an instruction that a sentence quotes."""
_ANSWERS = {standing: answer for answer, words in SAID_AS.items() for standing in words}
"""The answer that each standing counts as."""


def asked(trait: MetricRubricTrait, list_name: List) -> tuple[Instruction, ...]:
    """Return the instructions of a list."""
    return _asked(list_name, tuple(trait.instructions(list_name)))


@lru_cache(256)
def _asked(list_name: List, texts: tuple[str, ...]) -> tuple[Instruction, ...]:
    """Return the instructions of a list as values, numbered from 1 in the order of their texts.

    The result is cached, because all cells of a trait share it.
    """
    instructions: list[Instruction] = []
    for number, text in enumerate(texts, 1):
        instructions.append(Instruction(list_name, number, text))
    return tuple(instructions)


def standings(trait: MetricRubricTrait, labels: Labels) -> dict[Instruction, Standing]:
    """Return each instruction's standing, by instruction: those of TP in order, then those of TN.

    TN instructions are left out in `tp_only`. It is "found" (TP), "missing" (FN), "present" (FP) or
    "absent" (TN), after the bucket that holds it. It is "both" for one in both of its buckets, and
    "open" for one in neither.
    """
    standing_of: dict[Instruction, Standing] = {}
    for list_name in lists(trait):
        excerpt_bucket, negative_bucket = buckets_of(list_name)
        answered_links = labels.links(excerpt_bucket)
        negative_links = labels.links(negative_bucket)
        for instruction in asked(trait, list_name):
            link = list_name, instruction.number
            if link in answered_links:
                standing_of[instruction] = (
                    "both" if link in negative_links else STANDS[excerpt_bucket]
                )
            else:
                standing_of[instruction] = (
                    STANDS[negative_bucket] if link in negative_links else "open"
                )
    return standing_of


def answers(trait: MetricRubricTrait, labels: Labels) -> dict[Instruction, str]:
    """Return the answer to each instruction, in order: "found", "missing" or "unclear".

    Those of TP come first. For a TN instruction, "found" means that it is present, and "missing"
    that it is absent. In `tp_only` these have no answer. Unclear is an instruction that is in both
    of its buckets, or in neither.
    """
    standing_of = standings(trait, labels)
    return {
        instruction: _ANSWERS[standing] for instruction, standing in standing_of.items()
    }


ASIDES = ("denied", "wrong_evidence", "omission")


def asides(trait: MetricRubricTrait, labels: Labels) -> dict[Instruction, list[str]]:
    """Return what is known of instructions besides their answers, by instruction.

    That is which of "denied", "wrong_evidence" and "omission" their items are, in the order of
    `ASIDES`. Instructions without any are left out. So is what is known of an unlinked item, or of
    one linked to a hint.
    """
    marks_by_link: dict[Link | None, set[str]] = {}
    for bucket in trait.buckets:
        for item in labels.bucket(bucket):
            if not (item.denied or item.wrong_evidence or item.omission):
                continue
            for aside in ASIDES:
                if getattr(item, aside):
                    marks_by_link.setdefault(item.link, set()).add(aside)
    asides_of: dict[Instruction, list[str]] = {}
    if not marks_by_link:
        return asides_of
    for list_name in lists(trait):
        for instruction in asked(trait, list_name):
            marks = marks_by_link.get((list_name, instruction.number), set())
            if marks:
                asides_of[instruction] = sorted(marks, key=ASIDES.index)
    return asides_of


def settled(trait: MetricRubricTrait, labels: Labels) -> tuple[int, int]:
    """Return how many instructions have exactly one answer, and how many there are.

    One in both of its buckets, or in neither, has not. Hints do not count, nor do TN instructions
    in `tp_only`.
    """
    all_standings = standings(trait, labels).values()
    settled_count = sum(standing not in _AMISS for standing in all_standings)
    return settled_count, len(all_standings)


def breaches(
    trait: MetricRubricTrait,
    labels: Labels,
    *,
    on_screen: bool = True,
) -> list[str]:
    """Return a sentence for each inconsistency: instructions in order, then items that answer none.

    An instruction is inconsistent in both of its buckets, or in neither. An item is if it has no
    link and needs one. For `on_screen` each sentence ends with what to press. Long texts are cut.
    Returns an empty list if all is consistent. Keys are written there as `{id:usual key}`, for
    `with_keys`.
    """
    faults: list[tuple[str, str]] = []
    for instruction, standing in standings(trait, labels).items():
        if standing in _AMISS:
            excerpt_mark, negative_mark = (
                MARKS[bucket] for bucket in buckets_of(instruction.of)
            )
            where = _AMISS[standing].format(yes=excerpt_mark, no=negative_mark)
            excerpt = _excerpt(instruction.text)
            name = f"{instruction.of.upper()} instruction {instruction.number}"
            sentence = f"{name} is in {where}: “{excerpt}”"
            faults.append((sentence, _MENDED[standing]))
    for (bucket, _), item in labels.items():
        if item.link is None and must_link(trait, bucket):
            sentence = f"{MARKS[bucket]} “{item.text[:60]}” answers no instruction"
            faults.append(
                (sentence, "link it ({item.relink:i}) or drop it ({item.drop:d})"),
            )
    if on_screen:
        return [f"{sentence}; {advice}." for sentence, advice in faults]
    return [f"{sentence}." for sentence, _ in faults]


@lru_cache(256)
def _excerpt(text: str) -> str:
    """Return an instruction as sentences quote it, cached because all cells of a trait share it."""
    return shorten(text, _LONGEST, placeholder=" …")


def must_link(trait: MetricRubricTrait, bucket: Bucket) -> bool:
    """Return whether an item of this bucket has to answer an instruction.

    It has in `full_matrix`. In `tp_only` it has in TP and FN; for FP and TN it is False.
    """
    return trait.full or bucket not in ("fp", "tn")


def evidence_of(trait: MetricRubricTrait, bucket: Bucket, item: Item) -> str:
    """Return the state of an item's evidence, or "" if it needs none.

    An excerpt is "verified" if it is in the response. If it is not, it is "no evidence" if its text
    is only a name of its instruction, and "unverified" otherwise. An omission has no excerpt, so it
    is "". In FN and TN it is "denial unverified" if there are words said to deny the instruction
    that are not in the response, else "".
    """
    if bucket not in EXCERPTS:
        return "denial unverified" if item.denied and not item.span else ""
    if item.omission:
        return ""
    if item.span:
        return "verified"
    if item.link and item.text in trait.names(*item.link):
        return "no evidence"
    return "unverified"


def unverified(trait: MetricRubricTrait, labels: Labels) -> list[tuple[Bucket, Item]]:
    """Return the excerpts, then the denials, that are not in the response, with their buckets.

    Excerpts that only repeat their instruction, and omissions, are left out.
    """
    items: list[tuple[Bucket, Item]] = []
    for bucket in (*EXCERPTS, *UNSAID):
        for item in labels.bucket(bucket):
            state = evidence_of(trait, bucket, item)
            if state.endswith("unverified"):
                items.append((bucket, item))
    return items


def doubts(trait: MetricRubricTrait, labels: Labels) -> str:
    """Return what speaks against signing off these labels, in sentences; "" if nothing does.

    The first breach is given in full, with what to press as `{id:usual key}` for `with_keys`. The
    others are given as a number. Then comes how many excerpts and denials are not in the text.
    """
    sentences = breaches(trait, labels)
    texts = sentences[:1]
    further_count = len(sentences) - 1
    if further_count > 0:
        texts.append(f"And {further_count} more.")
    unverified_count = len(unverified(trait, labels))
    if unverified_count:
        excerpts_are = many(unverified_count, "excerpt is", "excerpts are")
        text_name = read_name(trait)
        texts.append(f"{excerpts_are} not in the {text_name}.")
    return " ".join(texts)

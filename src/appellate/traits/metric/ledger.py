"""The ledger: every instruction answered once, every item linked. Breaches are shown, never mended."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from appellate.core.kind import Instruction
from appellate.core.wordforms import many
from appellate.traits.metric.labels import BUCKETS, EXCERPTS, Bucket, Item, Labels, Link, List
from appellate.traits.metric.spec import MetricRubricTrait

MARKS: dict[Bucket, str] = {"tp": "TP", "fn": "FN", "fp": "FP", "tn": "TN"}
_SIGNS: dict[List, str] = {"tp": "", "tn": "−", "fp": "~"}


def link_mark(of: List | None, instruction: int | None) -> str:
    """`4` for TP instruction 4, `−1` for TN instruction 1, `~2` for hint 2, nothing for none."""
    return "" if of is None or instruction is None else f"{_SIGNS[of]}{instruction}"


@dataclass(frozen=True, slots=True)
class Breach:
    """One inconsistency, about an instruction or about an item that is linked to none."""

    sentence: str
    link: Link | None = None


def buckets_of(of: List) -> tuple[Bucket, Bucket]:
    """The bucket that answers an instruction of the list with an excerpt, and the one that holds it
    else.
    """
    return ("tp", "fn") if of == "tp" else ("fp", "tn")


def lists(trait: MetricRubricTrait) -> tuple[List, ...]:
    """The lists whose every instruction has to stand somewhere."""
    return ("tp", "tn") if trait.full else ("tp",)


_ANSWERS = {(True, False): "found", (False, True): "missing"}


def answers(trait: MetricRubricTrait, labels: Labels) -> dict[Instruction, str]:
    """Of each instruction "found" or "missing"; "unclear" where it is in both buckets or in
    neither.
    """
    given: dict[Instruction, str] = {}
    for of in lists(trait):
        yes, no = buckets_of(of)
        held, missed = labels.links(yes), labels.links(no)
        for number, text in enumerate(trait.instructions(of), 1):
            where = (of, number) in held, (of, number) in missed
            given[Instruction(of, number, text)] = _ANSWERS.get(where, "unclear")
    return given


def breaches(trait: MetricRubricTrait, labels: Labels) -> list[Breach]:
    """What is inconsistent: instructions in order, then items that answer none."""
    of_instructions = [breach for of in lists(trait) for breach in _of_list(trait, labels, of)]
    return of_instructions + _unlinked(trait, labels)


def _of_list(trait: MetricRubricTrait, labels: Labels, of: List) -> Iterator[Breach]:
    yes, no = buckets_of(of)
    held, missed = labels.links(yes), labels.links(no)
    for number in range(1, len(trait.instructions(of)) + 1):
        either = (of, number) in held
        if either == ((of, number) in missed):
            where = (
                f"both {MARKS[yes]} and {MARKS[no]}"
                if either
                else f"neither {MARKS[yes]} nor {MARKS[no]}"
            )
            yield Breach(f"{of.upper()} instruction {number} is in {where}.", (of, number))


def _unlinked(trait: MetricRubricTrait, labels: Labels) -> list[Breach]:
    return [
        Breach(
            f"{MARKS[name]} “{item.text[:60]}” answers no instruction; link it (i) or drop it (d)."
        )
        for name in BUCKETS
        for item in labels.bucket(name)
        if must_link(trait, name) and item.link is None
    ]


def must_link(trait: MetricRubricTrait, bucket: Bucket) -> bool:
    """An FP of a tp_only trait may answer nothing; a TN there does not exist at all."""
    return trait.full or bucket not in ("fp", "tn")


def evidence_of(trait: MetricRubricTrait, bucket: Bucket, item: Item) -> str:
    """How an excerpt stands: "verified", "unverified", "no evidence", or "" for an instruction."""
    if bucket not in ("tp", "fp"):
        return ""
    if item.span:
        return "verified"
    worded = (
        item.link is not None and trait.instructions(item.link[0])[item.link[1] - 1] == item.text
    )
    return "no evidence" if worded else "unverified"


def doubts(trait: MetricRubricTrait, labels: Labels) -> str:
    """What speaks against standing by the labels, in sentences; nothing where nothing does."""
    found = breaches(trait, labels)
    more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
    told = [f"{found[0].sentence.removesuffix('.')}{more}."] if found else []
    excerpts = [(name, item) for name in EXCERPTS for item in labels.bucket(name)]
    unverified = sum(evidence_of(trait, name, item) == "unverified" for name, item in excerpts)
    if unverified:
        told.append(
            f"{many(unverified, 'excerpt')} {'is' if unverified == 1 else 'are'} not in the response."
        )
    return " ".join(told)


class LedgerStatus(NamedTuple):
    """How many instructions the ledger has right, of how many, and what is wrong in sentences."""

    settled: int
    total: int
    sentences: list[str]


def status(trait: MetricRubricTrait, labels: Labels) -> LedgerStatus:
    """How the ledger of a cell stands."""
    total = sum(len(trait.instructions(of)) for of in lists(trait))
    found = breaches(trait, labels)
    settled = total - sum(breach.link is not None for breach in found)
    return LedgerStatus(settled, total, [breach.sentence for breach in found])

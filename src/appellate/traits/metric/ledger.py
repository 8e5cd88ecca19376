"""The ledger: each instruction answered once, each item linked. Breaches are shown, not mended."""

from functools import lru_cache
from textwrap import shorten
from typing import Literal, get_args

from appellate.core.kind import Instruction, read_name
from appellate.core.problem import many
from appellate.traits.metric.labels import EXCERPTS, UNSAID, Bucket, Item, Labels, Link, List
from appellate.traits.metric.spec import MetricRubricTrait

MARKS: dict[Bucket, str] = {"tp": "TP", "fn": "FN", "fp": "FP", "tn": "TN"}
_SIGNS: dict[List, str] = {"tp": "", "tn": "−", "fp": "~"}


def link_mark(of: List | None, instruction: int | None) -> str:
    """`4` for TP instruction 4, `−1` for TN instruction 1, `~2` for hint 2, nothing for none."""
    if of is None or instruction is None:
        return ""
    return f"{_SIGNS[of]}{instruction}"


def buckets_of(of: str) -> tuple[Bucket, Bucket]:
    """The bucket that answers an instruction of the list with an excerpt, and the other one."""
    if of == "tp":
        return "tp", "fn"
    return "fp", "tn"


def lists(trait: MetricRubricTrait) -> tuple[List, ...]:
    """The lists whose every instruction has to stand somewhere."""
    return ("tp", "tn") if trait.full else ("tp",)


Standing = Literal["found", "missing", "present", "absent", "both", "open"]
STANDINGS: tuple[Standing, ...] = get_args(Standing)
STANDS: dict[Bucket, Standing] = {"tp": "found", "fn": "missing", "fp": "present", "tn": "absent"}
SAID_AS: dict[str, tuple[Standing, ...]] = {
    "found": ("found", "present"),
    "missing": ("missing", "absent"),
    "unclear": ("both", "open"),
}
_AMISS = {"both": "both {yes} and {no}", "open": "neither {yes} nor {no}"}
_MENDED = {"both": "{item.drop:d} drops one of them", "open": "{item.missing:m} adds it"}
_LONGEST = 120  # letters of an instruction in a sentence on it
_ANSWERS = {standing: answer for answer, words in SAID_AS.items() for standing in words}


def asked(trait: MetricRubricTrait, of: List) -> tuple[Instruction, ...]:
    """The instructions of a list."""
    return _asked(of, tuple(trait.instructions(of)))


@lru_cache(256)
def _asked(of: List, texts: tuple[str, ...]) -> tuple[Instruction, ...]:
    """The same for all cells of a trait."""
    return tuple(Instruction(of, number, text) for number, text in enumerate(texts, 1))


def standings(trait: MetricRubricTrait, labels: Labels) -> dict[Instruction, Standing]:
    """How each instruction stands: by the bucket that holds it, in both, or in neither ("open")."""
    given: dict[Instruction, Standing] = {}
    for of in lists(trait):
        yes, no = buckets_of(of)
        held = labels.links(yes)
        missed = labels.links(no)
        for one in asked(trait, of):
            link = of, one.number
            if link in held:
                given[one] = "both" if link in missed else STANDS[yes]
            else:
                given[one] = STANDS[no] if link in missed else "open"
    return given


def answers(trait: MetricRubricTrait, labels: Labels) -> dict[Instruction, str]:
    """Of each instruction "found" or "missing"; "unclear" where it is in both or in neither."""
    stands = standings(trait, labels)
    return {one: _ANSWERS[standing] for one, standing in stands.items()}


ASIDES = ("denied", "wrong_evidence", "omission")


def asides(trait: MetricRubricTrait, labels: Labels) -> dict[Instruction, list[str]]:
    """The instructions that have any of `ASIDES`, each with those."""
    given: dict[Link | None, set[str]] = {}
    for bucket in trait.buckets:
        for item in labels.bucket(bucket):
            if not (item.denied or item.wrong_evidence or item.omission):
                continue
            for aside in ASIDES:
                if getattr(item, aside):
                    given.setdefault(item.link, set()).add(aside)
    found: dict[Instruction, list[str]] = {}
    if not given:
        return found
    for of in lists(trait):
        for one in asked(trait, of):
            marks = given.get((of, one.number), set())
            if marks:
                found[one] = sorted(marks, key=ASIDES.index)
    return found


def settled(trait: MetricRubricTrait, labels: Labels) -> tuple[int, int]:
    """How many instructions are answered once, of how many."""
    answered = standings(trait, labels).values()
    return len(answered) - sum(standing in _AMISS for standing in answered), len(answered)


def breaches(trait: MetricRubricTrait, labels: Labels, *, on_screen: bool = True) -> list[str]:
    """What is inconsistent: instructions in order, then items that answer none.

    Where it is said to somebody `on_screen`, each sentence ends with what to press.
    """
    found: list[tuple[str, str]] = []
    for one, standing in standings(trait, labels).items():
        if standing in _AMISS:
            yes, no = (MARKS[bucket] for bucket in buckets_of(one.of))
            where = _AMISS[standing].format(yes=yes, no=no)
            words = shorten(one.text, _LONGEST, placeholder=" …")
            sentence = f"{one.of.upper()} instruction {one.number} is in {where}: “{words}”"
            found.append((sentence, _MENDED[standing]))
    for (bucket, _), item in labels.items():
        if item.link is None and must_link(trait, bucket):
            sentence = f"{MARKS[bucket]} “{item.text[:60]}” answers no instruction"
            found.append((sentence, "link it ({item.relink:i}) or drop it ({item.drop:d})"))
    if on_screen:
        return [f"{sentence}; {mended}." for sentence, mended in found]
    return [f"{sentence}." for sentence, _ in found]


def must_link(trait: MetricRubricTrait, bucket: Bucket) -> bool:
    """An FP of a tp_only trait may answer nothing; a TN there does not exist at all."""
    return trait.full or bucket not in ("fp", "tn")


def evidence_of(trait: MetricRubricTrait, bucket: Bucket, item: Item) -> str:
    """How an item stands: "verified", "unverified", "no evidence", "denial unverified" or ""."""
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
    """The excerpts, then the denials, that are not in the response."""
    found: list[tuple[Bucket, Item]] = []
    for bucket in (*EXCERPTS, *UNSAID):
        for item in labels.bucket(bucket):
            stands = evidence_of(trait, bucket, item)
            if stands.endswith("unverified"):
                found.append((bucket, item))
    return found


def doubts(trait: MetricRubricTrait, labels: Labels) -> str:
    """What speaks against standing by the labels, in sentences; nothing where nothing does."""
    found = breaches(trait, labels)
    texts = found[:1]
    count = len(unverified(trait, labels))
    if len(found) > 1:
        texts = [f"{found[0]} And {len(found) - 1} more."]
    if count == 1:
        texts.append(f"1 excerpt is not in the {read_name(trait)}.")
    elif count:
        texts.append(f"{many(count, 'excerpt')} are not in the {read_name(trait)}.")
    return " ".join(texts)

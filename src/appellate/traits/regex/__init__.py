"""The regex kind: a pattern that a response matches or not, which needs no judge.

A judge's table has `value` (the trait's result, after inversion), `hits` (how often the pattern
matched), `matches` (offsets of the first of them in the response, `[[start, end], …]`), and
`more = true` where counting ended before the response did. The audited table has `value` and
`hits`.
"""

import re
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from typing import Any

from appellate.core.kind import (
    Computed,
    Fault,
    Instruction,
    NotComputed,
    QueryField,
    Span,
    Table,
    Weakness,
    as_read,
)
from appellate.core.problem import describe_value, many, quoted
from appellate.core.trace import RESPONSE, Trace
from appellate.core.trait_pattern import PatternOfTrait
from appellate.traits.evidence import single_steps
from appellate.traits.matching import Matcher, Offsets, Unmatched, matcher
from appellate.traits.regex.spec import MANUAL, RegexRubricTrait, notes, renew
from appellate.traits.verdict.kind import (
    UNANSWERED,
    VERDICT,
    Overrulable,
    OverruledKind,
    is_count,
    pair_faults,
    pairs_schema,
)

LONGEST = 20.0
"""Seconds after which the rest of the responses is not looked at."""
_BARE_WORD = re.compile(r"(?:\(\?[ims]+\))?\(?(?:\?:)?(?P<words>\w[\w|?-]*)\)?")
"""A pattern of nothing but a word, or of several: what stands around it is left open."""
_OFTEN = 0.25
"""Seconds between two sentences."""


class Labels(Overrulable, frozen=True):
    """The verdict, the pattern's own, and what it matched.

    A match that goes over several steps of a conversation is a stretch of `matches` for each.
    `unlisted` is how many of the hits are not among them.
    """

    hits: int = 0
    matches: tuple[Offsets, ...] = ()
    more: bool = False
    unlisted: int = 0


def compute(trait: RegexRubricTrait, trace: Trace) -> dict[str, Any]:
    """The judge's table of a response; raises NotComputed where the pattern takes too long.

    Of a conversation the pattern is looked for in what the assistant says and calls.
    """
    own = trace.own_words
    try:
        found = matcher().find(trait.pattern, own.text, case_sensitive=trait.case_sensitive)
    except Unmatched as failure:
        raise NotComputed(str(failure)) from None
    matches = list(map(own.in_text, found.matches))
    return _table(trait.verdict(is_found=found.hits > 0), found.hits, matches, found.more)


def _table(
    value: object, hits: int, matches: Sequence[Sequence[int]], more: bool
) -> dict[str, Any]:
    table = {"value": value, "hits": hits, "matches": [list(span) for span in matches]}
    return {**table, "more": True} if more else table


class RegexKind(OverruledKind[RegexRubricTrait, Labels]):
    """Whether a pattern matches."""

    name = "regex"
    spec = RegexRubricTrait
    notes = staticmethod(notes)
    old_keys = (MANUAL,)
    telling_keys = ("pattern",)
    renew = staticmethod(renew)
    by = "pattern"
    types = (bool,)
    blank = Labels()
    label_schema = {
        "value": {"type": "boolean", "description": "the trait's result, after inversion"},
        "hits": {"type": "integer", "minimum": 0, "description": "how often the pattern matched"},
        "matches": pairs_schema("start and end of the first matches, codepoints of the response"),
        "more": {"type": "boolean", "description": "whether there may be more matches than hits"},
    }
    computed = Computed(
        "regex",
        compute,
        RegexRubricTrait.matches_the_same,
        material=lambda _: frozenset({RESPONSE}),
    )
    positives = frozenset({"match"})
    fields = (
        QueryField(
            "hits", "counts.hits", "count", "how often the pattern matches (at most 10,000)"
        ),
        VERDICT,
    )
    reading = (
        "A response answers a pattern with a match or with none, as the verdict that stands has it;"
        " yes is the share of responses whose verdict is yes, whether a match or none makes it"
        " that."
    )

    def patterns(self, trait: RegexRubricTrait) -> Sequence[PatternOfTrait]:
        case_sensitive = trait.case_sensitive
        inverted = trait.invert_result
        return [PatternOfTrait(("pattern",), trait.pattern, case_sensitive, True, inverted)]

    def weaknesses(self, trait: RegexRubricTrait) -> Iterator[Weakness]:
        """A word that is found in longer ones, too: `cell` in "cellular"."""
        word = _BARE_WORD.fullmatch(trait.pattern)
        if word:
            found = quoted(trait.pattern)
            reason = f"the pattern {found} is found within longer words, too"
            fix = f"for whole words put \\b around it: '\\b{word['words']}\\b'"
            if "|" in word["words"]:
                fix = f"for whole words put \\b around it: '\\b({word['words']})\\b'"
            yield Weakness("boundary", ("pattern",), reason, fix)

    def form(self, trait: RegexRubricTrait) -> str:
        return "inverted pattern" if trait.invert_result else "pattern"

    def preview(
        self,
        old: RegexRubricTrait,
        new: RegexRubricTrait,
        traces: Iterable[Trace],
        clock: Callable[[], float] = time.monotonic,
    ) -> Iterator[str]:
        """The same responses matched by both patterns: a sentence now and then, the last for all.

        It ends after `LONGEST` seconds of the `clock`, and blocks, so a screen asks from a thread.
        """
        count: Counter[str] = Counter()
        began = shown_at = clock()
        with closing(Matcher()) as matching:
            for trace in traces:
                before, after = (
                    _is_found(matching, one, as_read(one, trace).own_words.text)
                    for one in (old, new)
                )
                count["looked"] += 1
                count["before"] += bool(before)
                count["after"] += bool(after)
                count["too long"] += after is None
                if before is not None and after is not None:
                    count["gained"] += after > before
                    count["lost"] += before > after
                now = clock()
                if now - began > LONGEST:
                    unread = f"The rest was not looked at: it takes over {LONGEST:g} s."
                    yield f"{_sentence(count)} {unread}"
                    return
                if now - shown_at > _OFTEN:
                    shown_at = now
                    yield _sentence(count, " so far")
        yield _sentence(count)

    # -- tables -----------------------------------------------------------------------------------

    def locate(self, trait: RegexRubricTrait, trace: Trace, table: Table) -> dict[str, Any]:
        """A table with its hits counted, where recorded labels say only what was matched, and with
        its matches looked for, where they say only the verdict: that stands, whatever is found.
        """
        if "hits" not in table and "matches" not in table:
            with suppress(NotComputed):
                return {**compute(trait, trace), "value": table["value"]}
        matches = table.get("matches", ())
        hits = table.get("hits", len(matches))
        return _table(table["value"], hits, matches, table.get("more", False))

    def labels(self, trait: RegexRubricTrait, trace: Trace, table: Table) -> Labels:
        value = table.get("value")
        given = [(start, end) for start, end in table.get("matches", ())]
        hits = table.get("hits", len(given))
        matches = tuple(single_steps(trace, given))
        return Labels(
            value, value, hits, matches, table.get("more", False), max(hits - len(given), 0)
        )

    def write(self, labels: Labels) -> dict[str, Any]:
        return {"audited": {"value": labels.value, "hits": labels.hits}}

    def faults(self, trait: RegexRubricTrait | None, trace: Trace, table: Table) -> Iterator[Fault]:
        value = table.get("value")
        hits = table.get("hits")
        matches = table.get("matches", [])
        if value is None:
            right = "value = true where the verdict is yes, else false"
            yield Fault(("value",), "is missing", right)
        for key in ("value", "more"):
            given = table.get(key, False)
            if not isinstance(given, bool) and (given is not None or key == "more"):
                yield Fault((key,), f"must be true or false, not {describe_value(given)}")
        if hits is not None and not is_count(hits):
            yield Fault(("hits",), f"must be a whole number from 0, not {describe_value(hits)}")
        if "items" in table:
            right = "matches = [[start, end], …] says what was matched"
            yield Fault(("items",), "a regex trait has no items", right)
        yield from pair_faults("matches", matches, len(trace.text), least=0)
        if isinstance(matches, list) and is_count(hits) and hits < len(matches):
            yield Fault(("hits",), f"is {hits}, but there are {len(matches)} matches")

    # -- numbers and answers ----------------------------------------------------------------------

    def counts(self, labels: Labels) -> Mapping[str, int]:
        return {"hits": labels.hits}

    def question(self, trait: RegexRubricTrait) -> Instruction:
        return Instruction("pattern", 1, trait.pattern)

    def answers(self, trait: RegexRubricTrait, labels: Labels) -> Mapping[Instruction, str]:
        """Whether the response matches the pattern, as the verdict that stands has it."""
        word = UNANSWERED
        if labels.value is not None:
            word = "match" if labels.value == trait.verdict(is_found=True) else "no match"
        return {self.question(trait): word}

    def vocabulary(self, trait: RegexRubricTrait) -> Sequence[str]:
        return ("match", "no match", UNANSWERED)

    def evidence(self, trait: RegexRubricTrait, labels: Labels) -> Sequence[Span]:
        """The matches in the response; those of nothing, which have no width, are left out."""
        return [Span(start, end) for start, end in labels.matches if start < end]


KIND = RegexKind()


# -- what a changed pattern would come to ----------------------------------------------------------


def _is_found(matcher: Matcher, trait: RegexRubricTrait, response: str) -> bool | None:
    """Whether the pattern matches somewhere; None where that takes too long."""
    try:
        case_sensitive = trait.case_sensitive
        return matcher.find(trait.pattern, response, case_sensitive=case_sensitive, most=1).hits > 0
    except Unmatched:
        return None


def _sentence(count: Counter[str], far: str = "") -> str:
    sentence = (
        f"Of {many(count['looked'], 'response')}{far}, {count['before']:,} matched before and"
        f" {count['after']:,} now ({count['gained']:,} more, {count['lost']:,} no longer)."
    )
    if count["too long"]:
        sentence += f" On {count['too long']:,} the new pattern takes too long."
    return sentence

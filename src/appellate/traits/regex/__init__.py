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
"""Seconds after which a preview leaves the remaining responses out."""
_BARE_WORD = re.compile(
    r"(?P<flags>(?:\(\?[ims]+\))?)\(?(?:\?:)?(?P<words>\w[\w|?-]*)\)?",
)
"""A pattern that is only a word, or several, and so is also found within longer words."""
_OFTEN = 0.25
"""Seconds between two sentences of a preview."""


class Labels(Overrulable, frozen=True):
    """The verdict, the pattern's own, and what it matched."""

    hits: int = 0
    matches: tuple[Offsets, ...] = ()
    """Spans of the response. A match over several steps of a conversation has one for each step."""
    more: bool = False
    """Whether there may be more matches than `hits`."""
    unlisted: int = 0
    """How many of the hits are not in `matches`."""


def compute(trait: RegexRubricTrait, trace: Trace) -> dict[str, Any]:
    """Return the judge's table of a response: `value`, `hits` and `matches`.

    The value is the verdict, after inversion. `hits` is how many matches there are, at most 10,000,
    and `matches` has the offsets of the first 100, in the text that is judged. `more` is true if
    there may be more, else it is not there. In a conversation the pattern is looked for in what the
    assistant says and calls. Raises NotComputed if the pattern takes too long, or lately did on
    five other responses.
    """
    own_words = trace.own_words
    try:
        found_matches = matcher().find(
            trait.pattern,
            own_words.text,
            case_sensitive=trait.case_sensitive,
        )
    except Unmatched as failure:
        raise NotComputed(str(failure)) from None
    matches = list(map(own_words.in_text, found_matches.matches))
    return _table(
        trait.verdict(is_found=found_matches.hits > 0),
        found_matches.hits,
        matches,
        found_matches.more,
    )


def _table(
    value: object,
    hits: int,
    matches: Sequence[Sequence[int]],
    more: bool,
) -> dict[str, Any]:
    """Return a judge's table with these values, under the names of the arguments.

    Each match is a list [start, end]; `more` is in it only if it is true.
    """
    table = {"value": value, "hits": hits, "matches": [list(span) for span in matches]}
    return {**table, "more": True} if more else table


class RegexKind(OverruledKind[RegexRubricTrait, Labels]):
    """The kind of traits that are patterns, which a response matches or not."""

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
        "value": {
            "type": "boolean",
            "description": "the trait's result, after inversion",
        },
        "hits": {
            "type": "integer",
            "minimum": 0,
            "description": "how often the pattern matched",
        },
        "matches": pairs_schema(
            "start and end of the first matches, codepoints of the response",
        ),
        "more": {
            "type": "boolean",
            "description": "whether there may be more matches than hits",
        },
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
            "hits",
            "counts.hits",
            "count",
            "how often the pattern matches (at most 10,000)",
        ),
        VERDICT,
    )
    reading = (
        "A response answers a pattern with a match or with none, by the current verdict;"
        " yes is the share of responses whose verdict is yes, whether a match or none makes it"
        " that."
    )

    def patterns(self, trait: RegexRubricTrait) -> Sequence[PatternOfTrait]:
        """Return the trait's one pattern, with its flags and its place, ("pattern",).

        A match is the trait's yes, or its no if the trait inverts the result.
        """
        case_sensitive = trait.case_sensitive
        inverted = trait.invert_result
        return [
            PatternOfTrait(("pattern",), trait.pattern, case_sensitive, True, inverted),
        ]

    def weaknesses(self, trait: RegexRubricTrait) -> Iterator[Weakness]:
        """Yield one weakness for a bare word as the pattern, as `cell`, or several as `cell|row`.

        Such a pattern is also found in longer words: `cell` in "cellular". The weakness suggests
        the pattern with word boundaries around it. Brackets around all, flags before it, hyphens
        and `?`, as in `(?i)BCL-2|cells?`, are bare too. Yields nothing for a pattern with a blank,
        a boundary or other signs.
        """
        match = _BARE_WORD.fullmatch(trait.pattern)
        if match is None:
            return
        shown_pattern = quoted(trait.pattern)
        reason = f"the pattern {shown_pattern} is found within longer words, too"
        words = match["words"]
        if "|" in words:
            words = f"({words})"
        flags = match["flags"]
        fix = f"for whole words put \\b around it: '{flags}\\b{words}\\b'"
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
        """Match the same responses by both patterns, and yield sentences that compare the counts.

        The last is such as "Of 9 responses, 3 matched before and 4 now (2 more, 1 no longer).".
        Before it comes one now and then, with "so far" after the responses. `invert_result` makes
        no difference: matches are counted, not verdicts. Those on which the new pattern takes too
        long are counted in a sentence of their own. It ends after `LONGEST` seconds of the `clock`,
        and then says that the rest was not looked at, if there is any. It blocks, so a screen calls
        it from a thread.
        """
        count: Counter[str] = Counter()
        began = shown_at = clock()
        is_over = False
        with closing(Matcher()) as matching:
            for trace in traces:
                if is_over:
                    unread = f"The rest was not looked at: it takes over {LONGEST:g} s."
                    yield f"{_sentence(count)} {unread}"
                    return
                before, after = (
                    _is_found(matching, version, as_read(version, trace).own_words.text)
                    for version in (old, new)
                )
                count["looked"] += 1
                count["before"] += bool(before)
                count["after"] += bool(after)
                count["too long"] += after is None
                if before is not None and after is not None:
                    count["gained"] += after > before
                    count["lost"] += before > after
                now = clock()
                is_over = now - began > LONGEST
                if not is_over and now - shown_at > _OFTEN:
                    shown_at = now
                    yield _sentence(count, " so far")
        yield _sentence(count)

    # -- tables -----------------------------------------------------------------------------------

    def locate(
        self,
        trait: RegexRubricTrait,
        trace: Trace,
        table: Table,
    ) -> dict[str, Any]:
        """Return a table such as {"value": True, "hits": 2, "matches": [[0, 4], [9, 13]]}.

        A table that has only a value gets the pattern's hits and matches, or 0 and [] if that takes
        too long. One that has only matches gets their number, one that has only hits gets no
        matches. The value of the table, which must have one, always stays. "more": True is added
        where there may be more matches.
        """
        if "hits" not in table and "matches" not in table:
            with suppress(NotComputed):
                return {**compute(trait, trace), "value": table["value"]}
        matches = table.get("matches", ())
        hits = table.get("hits", len(matches))
        return _table(table["value"], hits, matches, table.get("more", False))

    def labels(self, trait: RegexRubricTrait, trace: Trace, table: Table) -> Labels:
        """Return the labels of a table that `locate` has made.

        It is such as {"value": True, "hits": 1, "matches": [[0, 4]]}. The value is both the current
        verdict and the pattern's own, None if there is none. A match over several steps of a
        conversation is divided. Hits beyond the matches in the table are counted as not shown.
        """
        value = table.get("value")
        spans = [(start, end) for start, end in table.get("matches", ())]
        hits = table.get("hits", len(spans))
        matches = tuple(single_steps(trace, spans))
        return Labels(
            value,
            value,
            hits,
            matches,
            table.get("more", False),
            max(hits - len(spans), 0),
        )

    def write(self, labels: Labels) -> dict[str, Any]:
        return {"audited": {"value": labels.value, "hits": labels.hits}}

    def faults(
        self,
        trait: RegexRubricTrait | None,
        trace: Trace,
        table: Table,
    ) -> Iterator[Fault]:
        """Yield what is wrong with a table: its value, types and spans, or too low a count.

        The count `hits` must not be less than the number of spans. `items`, which other kinds have,
        is a fault here; other keys that are not known are none. Yields nothing if the table is
        right. The trait makes no difference: whether the pattern matches there is not looked at.
        """
        value = table.get("value")
        hits = table.get("hits")
        matches = table.get("matches", [])
        if value is None:
            right = "value = true where the verdict is yes, else false"
            yield Fault(("value",), "is missing", right)
        for key in ("value", "more"):
            value_there = table.get(key, False)
            if value_there is None and key == "value":
                continue
            if not isinstance(value_there, bool):
                shown_value = describe_value(value_there)
                yield Fault((key,), f"must be true or false, not {shown_value}")
        if hits is not None and not is_count(hits):
            yield Fault(
                ("hits",),
                f"must be a whole number from 0, not {describe_value(hits)}",
            )
        if "items" in table:
            right = "matches = [[start, end], …] says what was matched"
            yield Fault(("items",), "a regex trait has no items", right)
        yield from pair_faults("matches", matches, len(trace.text), least=0)
        if isinstance(matches, list) and is_count(hits) and hits < len(matches):
            there_are = "there is" if len(matches) == 1 else "there are"
            matches_text = many(len(matches), "match", "matches")
            yield Fault(("hits",), f"is {hits}, but {there_are} {matches_text}")

    # -- numbers and answers ----------------------------------------------------------------------

    def counts(self, labels: Labels) -> Mapping[str, int]:
        return {"hits": labels.hits}

    def question(self, trait: RegexRubricTrait) -> Instruction:
        return Instruction("pattern", 1, trait.pattern)

    def answers(
        self,
        trait: RegexRubricTrait,
        labels: Labels,
    ) -> Mapping[Instruction, str]:
        """Return, for the trait's one question, whether the response matches the pattern.

        The answer follows the current verdict: "match", "no match", or "unanswered" without a
        verdict. With `invert_result`, the verdict yes means "no match".
        """
        answer = UNANSWERED
        if labels.value is not None:
            answer = (
                "match" if labels.value == trait.verdict(is_found=True) else "no match"
            )
        return {self.question(trait): answer}

    def vocabulary(self, trait: RegexRubricTrait) -> Sequence[str]:
        return ("match", "no match", UNANSWERED)

    def evidence(self, trait: RegexRubricTrait, labels: Labels) -> Sequence[Span]:
        """Return the spans of matches; empty ones are left out."""
        return [Span(start, end) for start, end in labels.matches if start < end]


KIND = RegexKind()


# -- what a changed pattern would come to ----------------------------------------------------------


def _is_found(matcher: Matcher, trait: RegexRubricTrait, response: str) -> bool | None:
    """Return whether the pattern matches somewhere in a response; None if that takes too long.

    The trait's `invert_result` makes no difference.
    """
    try:
        case_sensitive = trait.case_sensitive
        return (
            matcher.find(
                trait.pattern,
                response,
                case_sensitive=case_sensitive,
                max_matches=1,
            ).hits
            > 0
        )
    except Unmatched:
        return None


def _sentence(count: Counter[str], extent: str = "") -> str:
    """Return how many responses the old and the new pattern match, in a sentence.

    It is such as "Of 9 responses, 3 matched before and 4 now (2 more, 1 no longer).". `count` has
    the numbers looked, before, after, gained, lost and "too long". `extent` stands after the number
    of responses, as " so far". A second sentence says on how many the new pattern takes too long,
    if there are any.
    """
    responses = many(count["looked"], "response")
    before = count["before"]
    after = count["after"]
    gained = count["gained"]
    lost = count["lost"]
    sentence = (
        f"Of {responses}{extent}, {before:,} matched before and {after:,} now"
        f" ({gained:,} more, {lost:,} no longer)."
    )
    too_long = count["too long"]
    if too_long:
        sentence += f" On {too_long:,} the new pattern takes too long."
    return sentence

"""What a changed pattern would come to, before it is taken: the same responses matched by both."""

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing

from appellate.core.problem import many
from appellate.core.trace import Trace
from appellate.traits.matching import Matcher, Unmatched
from appellate.traits.regex.spec import RegexRubricTrait

LONGEST = 20.0
"""Seconds after which the rest of the responses is not looked at."""
_OFTEN = 0.25
"""Seconds between two things that are told."""


def preview(
    old: RegexRubricTrait,
    new: RegexRubricTrait,
    traces: Iterable[Trace],
    clock: Callable[[], float] = time.monotonic,
) -> Iterator[str]:
    """What taking `new` would change over the traces: a sentence now and then, the last for all.

    It ends by itself after `LONGEST` seconds of the `clock`, and may be closed before; it blocks
    while it matches, so a screen asks from a thread.
    """
    count: Counter[str] = Counter()
    began = shown_at = clock()
    with closing(Matcher()) as matcher:
        for trace in traces:
            count.update(
                _compared(*(_is_found(matcher, one, trace.response) for one in (old, new)))
            )
            now = clock()
            if now - began > LONGEST:
                yield f"{_sentence(count)} The rest was not looked at: it takes over {LONGEST:g} s."
                return
            if now - shown_at > _OFTEN:
                shown_at = now
                yield _sentence(count, " so far")
    yield _sentence(count)


def _compared(before: bool | None, after: bool | None) -> Iterator[str]:
    """What is counted of a response that the patterns match, or not; None: it takes too long."""
    yield "looked"
    if before:
        yield "before"
    if after:
        yield "after"
    if after is None:
        yield "too long"
    elif before is not None and after != before:
        yield "gained" if after else "lost"


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

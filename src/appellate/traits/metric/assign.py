"""The dialogue in which a model sorts one response into the four buckets."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

from appellate.core.briefing import UNBRIEFED, Briefing
from appellate.core.trace import Trace
from appellate.talk.dialogue import Dialogue, Prompt, answered, readable
from appellate.traits.metric.evidence import Finder
from appellate.traits.metric.labels import EXCERPTS, Item, Labels, to_lists, to_rows
from appellate.traits.metric.prompt import again, not_found, opening, restored
from appellate.traits.metric.reply import CORRECTED, read, read_corrected
from appellate.traits.metric.spec import MetricRubricTrait


def dialogue(
    trait: MetricRubricTrait,
    trace: Trace,
    briefing: Briefing = UNBRIEFED,
) -> Dialogue[dict[str, Any]]:
    """Asks until every instruction is answered; returns the judge's table of SPEC 5. Raises Unreadable."""
    prompt = opening(trait, trace, briefing)
    answer = yield from answered(prompt, partial(read, trait), partial(again, briefing))
    finder = Finder(trace.response)
    answer = yield from _verified(prompt, answer, lambda text: bool(finder.find_parts(text)), briefing)
    return {**to_lists(answer), "items": to_rows(answer)}


def _verified(
    prompt: Prompt,
    answer: Labels,
    found: Callable[[str], bool],
    briefing: Briefing,
) -> Dialogue[Labels]:
    """Asks once more for the excerpts that do not stand in the response; what is still not found stays."""
    answer = _reworded(answer, lambda text: restored(text, found))
    excerpts = [item.text for bucket in EXCERPTS for item in answer.bucket(bucket)]
    astray = [text for text in dict.fromkeys(excerpts) if not found(text)]
    if not astray:
        return answer
    reply = yield prompt.adding(not_found(astray, briefing)).asking(CORRECTED)
    offered = {} if reply.cut else read_corrected(readable(reply.text), astray)
    corrected = {text: restored(words, found) for text, words in offered.items()}
    better = {text: words for text, words in corrected.items() if found(words)}
    return _reworded(answer, lambda text: better.get(text, text))


def _reworded(answer: Labels, word: Callable[[str], str]) -> Labels:
    def reworded(items: tuple[Item, ...]) -> tuple[Item, ...]:
        return tuple(replace(item, text=word(item.text)) for item in items)

    return replace(answer, tp=reworded(answer.tp), fp=reworded(answer.fp))

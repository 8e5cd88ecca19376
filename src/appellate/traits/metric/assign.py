"""The dialogue in which a model sorts one response into the four buckets."""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from appellate.core.briefing import UNBRIEFED, Briefing
from appellate.core.trace import Trace
from appellate.talk.dialogue import Dialogue, answered
from appellate.traits.evidence import Finder
from appellate.traits.metric.labels import EXCERPTS, Item, Labels, to_lists, to_rows
from appellate.traits.metric.prompt import again, opening
from appellate.traits.metric.reply import read
from appellate.traits.metric.spec import MetricRubricTrait
from appellate.traits.metric.template import wording
from appellate.traits.prompting import found_again


def dialogue(
    trait: MetricRubricTrait,
    trace: Trace,
    briefing: Briefing = UNBRIEFED,
) -> Dialogue[dict[str, Any]]:
    """Asks until every instruction is answered; returns the judge's table of SPEC 5. Raises
    Unreadable.
    """
    prompt = opening(trait, trace, briefing)
    answer = yield from answered(prompt, partial(read, trait), partial(again, briefing))
    excerpts = [item.text for bucket in EXCERPTS for item in answer.bucket(bucket)]
    finder = Finder(trace.response)
    better = yield from found_again(
        wording(briefing.parts), prompt, excerpts, lambda text: bool(finder.find_parts(text))
    )
    answer = _reworded(answer, better)
    return {**to_lists(answer), "items": to_rows(answer)}


def _reworded(answer: Labels, better: Mapping[str, str]) -> Labels:
    def reworded(items: tuple[Item, ...]) -> tuple[Item, ...]:
        return tuple(replace(item, text=better[item.text]) for item in items)

    return replace(answer, tp=reworded(answer.tp), fp=reworded(answer.fp))

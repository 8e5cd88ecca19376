"""The dialogue in which a model judges one response by one criterion, in the words of prompt.toml
beside this file.
"""

from functools import partial
from typing import Any

from appellate.core.briefing import UNBRIEFED, Briefing
from appellate.core.trace import Trace
from appellate.talk.dialogue import Dialogue, Prompt, answered, readable
from appellate.talk.schema import shape
from appellate.traits.evidence import Finder
from appellate.traits.llm.labels import from_table
from appellate.traits.llm.reply import as_reply, read, schema
from appellate.traits.llm.spec import LLMRubricTrait
from appellate.traits.llm.template import TEMPLATE
from appellate.traits.prompting import (
    again,
    found_again,
    inert,
    joined,
    material,
    one_line,
    user_text,
)
from appellate.traits.template import PromptWording

ROOM = 4096
"""Tokens that a first reply may take, what the model thinks before it included."""
USUAL = 120
"""Tokens that a reply takes: a sentence or two, a few excerpts and the verdict."""


def dialogue(
    trait: LLMRubricTrait,
    trace: Trace,
    briefing: Briefing = UNBRIEFED,
) -> Dialogue[dict[str, Any]]:
    """Asks until there is a verdict that the trait has; returns the judge's table. Raises
    Unreadable.
    """
    prompt, words = opening(trait, trace, briefing), TEMPLATE.wording(briefing.parts)
    answer = yield from answered(prompt, partial(read, trait), partial(again, words))
    finder = Finder(trace.response)

    def found(text: str) -> bool:
        return bool(finder.find_parts(text))

    better = yield from found_again(words, prompt, answer["evidence"], found)
    return {**answer, "evidence": [better[text] for text in answer["evidence"]]}


def opening(trait: LLMRubricTrait, trace: Trace, briefing: Briefing = UNBRIEFED) -> Prompt:
    """The first prompt about a cell; the same for the same cell and briefing."""
    words, wanted = TEMPLATE.wording(briefing.parts), schema(trait)
    asked = joined([readable(_criterion(words, trait)), words.say("shape", shape=shape(wanted))])
    shown = []
    for example in briefing.examples:
        labels = from_table(trait, example.trace, example.table)
        reply = inert(as_reply(trait, labels))
        shown.append((material(example.trace, reference=trait.include_ground_truth), reply))
    given = material(trace, reference=trait.include_ground_truth)
    user = user_text(words, given, shown, asked)
    system = words.say("system").strip()
    return Prompt(system, user, wanted, ROOM, template=words.sha256, usual=USUAL)


def _criterion(words: PromptWording, trait: LLMRubricTrait) -> str:
    parts = [words.say("trait", name=one_line(trait.name))]
    if trait.description:
        parts.append(words.say("description", description=trait.description))
    if trait.kind == "boolean":
        parts.append(words.say("boolean"))
    elif trait.kind == "score":
        parts.append(words.say("score", low=str(trait.low), high=str(trait.high)))
    else:
        parts.append(words.say("literal", classes=_classes(trait)))
    if trait.wants_excerpts:
        parts.append(words.say("evidence"))
    if trait.wants_excerpts and trait.deep_judgment_max_excerpts is not None:
        parts.append(words.say("most", most=str(trait.deep_judgment_max_excerpts)))
    return joined(parts)


def _classes(trait: LLMRubricTrait) -> str:
    classes = trait.classes or {}
    return "\n".join(f'- "{name}": {one_line(meaning)}' for name, meaning in classes.items())

"""What a model is told about one cell, in the words of prompt.toml beside this file."""

from collections.abc import Sequence

from appellate.core.briefing import UNBRIEFED, Briefing, Example
from appellate.core.trace import Trace
from appellate.talk.dialogue import MOST_ROOM, Form, Prompt, readable
from appellate.talk.schema import Schema, shape
from appellate.traits import prompting
from appellate.traits.metric.labels import from_table
from appellate.traits.metric.reply import as_reply, is_numbered, listed_schema, schema
from appellate.traits.metric.spec import MetricRubricTrait
from appellate.traits.metric.template import wording
from appellate.traits.prompting import inert, joined, material, one_line, user_text
from appellate.traits.template import PromptWording

ROOM, ROOM_PER_ANSWER = 4096, 256
"""Tokens that a first reply may take; more where there are many instructions to answer."""
USUAL_PER_ANSWER = 70
"""Tokens that an answer takes: its row of the reply, a short sentence and an excerpt."""


def opening(trait: MetricRubricTrait, trace: Trace, briefing: Briefing = UNBRIEFED) -> Prompt:
    """The first prompt about a cell; the same for the same cell and briefing."""
    words = wording(briefing.parts)
    given, checklist = material(trace), readable(_checklist(words, trait))

    def form(schema: Schema, *, as_list: bool) -> Form:
        asked = joined([checklist, words.say("shape", shape=shape(schema))])
        shown = [
            (material(example.trace), _reply(trait, example, as_list=as_list))
            for example in briefing.examples
        ]
        return Form(user_text(words, given, shown, asked), schema)

    listed = form(listed_schema(trait), as_list=True)
    first = form(schema(trait), as_list=False) if is_numbered(trait) else listed
    system, usual = words.say("system").strip(), USUAL_PER_ANSWER * _answers(trait)
    return Prompt(system, *first, _room(trait), template=words.sha256, usual=usual, listed=listed)


def again(briefing: Briefing, fault: str) -> str:
    """What is said below the prompt when a reply could not be used."""
    return prompting.again(wording(briefing.parts), fault)


def not_found(excerpts: Sequence[str], briefing: Briefing = UNBRIEFED) -> str:
    """What is said below the prompt about excerpts that do not stand in the response."""
    return prompting.not_found(wording(briefing.parts), excerpts)


def _reply(trait: MetricRubricTrait, example: Example, *, as_list: bool) -> str:
    labels = from_table(trait, example.trace, example.table)
    return inert(as_reply(trait, labels, as_list=as_list))


def _room(trait: MetricRubricTrait) -> int:
    """Room that can be doubled at least once."""
    return min(max(ROOM, ROOM_PER_ANSWER * _answers(trait)), MOST_ROOM // 2)


def _answers(trait: MetricRubricTrait) -> int:
    return len(trait.instructions("tp")) + len(trait.instructions("tn"))


# -- the trait --------------------------------------------------------------------------------------


def _checklist(words: PromptWording, trait: MetricRubricTrait) -> str:
    hints, overlooked, say = trait.instructions("fp"), trait.fn_instructions, words.say
    parts = [say("trait", name=one_line(trait.name))]
    if trait.description:
        parts.append(say("description", description=trait.description))
    parts.append(say("tp", tp=_numbered(trait.instructions("tp"))))
    if overlooked:
        parts.append(say("fn", fn="\n".join(f"- {one_line(text)}" for text in overlooked)))
    if trait.full:
        parts.append(say("tn", tn=_numbered(trait.instructions("tn"))))
    if hints:
        parts.append(say("fp", fp=_numbered(hints)))
    if trait.full and hints:
        parts.append(say("hint"))
    if not trait.full:
        parts.append(say("wrong"))
    if hints and not trait.full:
        parts.append(say("wrong_hint"))
    return joined(parts)


def _numbered(instructions: Sequence[str]) -> str:
    return "\n".join(f"{number}. {one_line(text)}" for number, text in enumerate(instructions, 1))

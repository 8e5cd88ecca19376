"""Asks a model to go through an agent's run step by step: prompt, reply and dialogue.

A reply names only the steps that are not right, and says how many steps were looked at.
"""

import json
from collections.abc import Sequence
from functools import partial
from typing import Any

from msgspec import Struct

from appellate.core.kind import CANNOT_TELL, UNBRIEFED, Briefing, as_read
from appellate.core.problem import listing
from appellate.core.trace import Trace
from appellate.talk.dialogue import (
    NUMBER,
    TEXT,
    Dialogue,
    NoAnswer,
    Prompt,
    Schema,
    ask_until_usable,
    either,
    list_of,
    longest_answer_for,
    max_tokens_for,
    readable,
    shape,
    table,
)
from appellate.talk.json_reply import object_in, quote, text_of, whole_number
from appellate.traits.steps import KIND
from appellate.traits.steps.labels import (
    OUTCOME,
    SEEN,
    STEPS,
    Labels,
    in_words,
    steps_of_roles,
)
from appellate.traits.steps.spec import Named, StepsRubricTrait
from appellate.traits.template import (
    CONVERSATION,
    PromptTemplate,
    PromptWording,
    Slots,
    example_material,
    inert,
    joined,
    material,
    one_line,
    retry_text,
    user_text,
)

TEMPLATE = PromptTemplate(
    "appellate.traits.steps",
    {
        **CONVERSATION,
        "trait": Slots((), ("name",)),
        "description": Slots(("description",), spare=True),
        "verdicts": Slots(("verdicts", "good")),
        "errors": Slots(("errors", "wrong")),
        "outcome": Slots(("outcomes",)),
        "cannot_tell": Slots(),
        "steps": Slots(("steps", "count")),
    },
)
NO_ERROR = "none"
"""What a reply has as the error of a step that is not wrong."""
USUAL = 60
USUAL_PER_STEP = 60
"""Tokens that a reply takes: outcome and count, and each step that is not right."""
USUAL_STEPS = 5
"""How many steps of a run are usually not right."""


class Sought(Struct, frozen=True):
    """What a reply may say of one run."""

    trait: StepsRubricTrait
    numbers: Sequence[int]
    """The steps that get a verdict."""


# -- the reply -------------------------------------------------------------------------------------


def schema(sought: Sought) -> Schema:
    """Return the JSON schema of a reply: steps that are not right, how many were seen, the outcome.

    A step has its number, the reason, the verdict, an error (only if the trait lists errors) and
    what should have been done instead, in this order. Its verdict is any but the good one, and its
    error may be "none". The outcome is there only if the trait asks for it. It is last, so that a
    reply that is cut short lacks it, or else the count.
    """
    trait = sought.trait
    step_fields: dict[str, Schema] = {"step": NUMBER, "rationale": TEXT}
    verdicts = [name for name in trait.sayable_verdicts if name != trait.good]
    step_fields["verdict"] = either(*verdicts)
    if trait.errors:
        step_fields["error"] = either(*trait.error_names, NO_ERROR)
    step_fields["instead"] = TEXT
    fields: dict[str, Schema] = {
        STEPS: list_of(table(step_fields), len(sought.numbers)),
        SEEN: NUMBER,
    }
    if trait.outcome:
        fields[OUTCOME] = either(*trait.sayable_outcomes)
    return table(fields)


def read(sought: Sought, text: str) -> dict[str, Any]:
    """Return the judge's table that a model's reply stands for.

    It is such as {"seen": 5, "steps": [{"step": 2, "verdict": "wrong", …}]}, with `outcome` if that
    is asked. Steps are in the order of their numbers. Those that the reply names as right are left
    out of it, and those that it does not name count as right. Numbers may be texts such as "2".
    Raises NoAnswer with everything that is wrong: no list of steps, a step that is there twice, was
    not asked about or has no known verdict, "cannot tell" without a reason, an unknown error or
    none of a wrong step, an unknown outcome, or a "seen" that is not the number of steps to look
    at. It does so, too, if the text holds no JSON object.
    """
    reply = object_in(text)
    faults: list[str] = []
    rows: list[dict[str, Any]] = []
    steps = reply.get(STEPS)
    if not isinstance(steps, list):
        faults.append(
            f'"{STEPS}" is not there (it is an empty list if all steps are right)',
        )
        steps = []
    numbers_read: set[int] = set()
    for entry in steps:
        row = _row_of_entry(sought, entry, numbers_read, faults)
        if row is not None and row["verdict"] != sought.trait.good:
            rows.append(row)
    seen = whole_number(reply.get(SEEN))
    expected = len(sought.numbers)
    if seen != expected:
        said = quote(reply.get(SEEN))
        numbers = in_words(sought.numbers)
        faults.append(
            f'"{SEEN}" is {said}, and {expected} steps were to be looked at: {numbers}',
        )
    result: dict[str, Any] = {
        SEEN: expected,
        STEPS: sorted(rows, key=lambda row: row["step"]),
    }
    if sought.trait.outcome:
        names = sought.trait.sayable_outcomes
        outcome = _meant(names, reply.get(OUTCOME))
        if outcome is None:
            said = quote(reply.get(OUTCOME))
            possible = _listed(names)
            faults.append(f'"{OUTCOME}" is {said}, not {possible}')
        result[OUTCOME] = outcome
    if faults:
        raise NoAnswer("incomplete", f"{'; '.join(faults)}.")
    return result


def _row_of_entry(
    sought: Sought,
    entry: object,
    numbers_read: set[int],
    faults: list[str],
) -> dict[str, Any] | None:
    """Return the row of a judge's table for one entry of a reply, or None if it is unusable.

    Both are such as {"step": 2, "verdict": "wrong", "rationale": "…"}. An entry is unusable if it
    is no object, if its step was not asked about or is in `numbers_read`, or if its verdict is
    unknown. `faults` gets a sentence for each of these, for an unknown error, a missing one of a
    wrong step, and "cannot tell" without a reason. `numbers_read` gets the step's number. The row
    has a `rationale`, maybe "", and `error` and `instead` only if they are said of a step that can
    be told.
    """
    trait = sought.trait
    if not isinstance(entry, dict):
        faults.append(f'"{STEPS}" holds {quote(entry)}, not an object')
        return None
    number = whole_number(entry.get("step"))
    if number is None or number not in sought.numbers:
        said = quote(entry.get("step"))
        numbers = in_words(sought.numbers)
        faults.append(f"step {said} is none that gets a verdict: those are {numbers}")
        return None
    if number in numbers_read:
        faults.append(f"step {number} is there more than once")
        return None
    numbers_read.add(number)
    verdict = _meant(trait.sayable_verdicts, entry.get("verdict"))
    if verdict is None:
        said = quote(entry.get("verdict"))
        names = _listed(trait.sayable_verdicts)
        faults.append(f"the verdict of step {number} is {said}, not {names}")
        return None
    rationale = text_of(entry.get("rationale")).strip()
    if verdict == CANNOT_TELL and not rationale:
        faults.append(
            f'step {number} is "{CANNOT_TELL}" and its "rationale" does not say why',
        )
    error = _error(trait, entry.get("error"))
    is_missing = error == "" and trait.errors and verdict == trait.wrong
    if error is None or is_missing:
        said = quote(entry.get("error"))
        names = _listed(trait.error_names)
        faults.append(f"the error of step {number} is {said}, not {names}")
    row: dict[str, Any] = {"step": number, "verdict": verdict}
    if error and verdict != CANNOT_TELL:
        row["error"] = error
    instead = text_of(entry.get("instead")).strip()
    if instead and verdict != CANNOT_TELL:
        row["instead"] = instead
    return {**row, "rationale": rationale}


def _error(trait: StepsRubricTrait, value: object) -> str | None:
    """Return the error that a reply names, as the trait spells it; None for another word.

    Returns "" for "none" in any case, for a blank text and for a value that is no text, and always
    if the trait lists no errors.
    """
    if not trait.errors or value is None:
        return ""
    word = text_of(value).strip().lower()
    if word in ("", NO_ERROR):
        return ""
    return _meant(trait.error_names, value)


def _meant(names: Sequence[str], value: object) -> str | None:
    """Return the name that a value of a reply is, spelt as in `names`; None if it is none of them.

    Case and blanks at the ends do not count.
    """
    said = text_of(value).strip().lower()
    return next((name for name in names if name.lower() == said), None)


def _listed(names: Sequence[str]) -> str:
    """Return names in quotes, as one of which is right: `"a", "b" or "c"`; "" for no names."""
    if not names:
        return ""
    in_quotes = [json.dumps(name, ensure_ascii=False) for name in names]
    return listing(in_quotes, "or")


def as_reply(trait: StepsRubricTrait, labels: Labels) -> str:
    """Return the JSON reply of a model that would have given these labels.

    It names the steps that are not right, as {"steps": [{"step": 2, "rationale": "…", "verdict":
    "wrong", "instead": "…"}], "seen": 5}. If the trait has `errors`, each also has "error", or
    "none". If it has `outcome`, the reply also has "outcome", "" if nobody gave one. Labels of
    steps that are not in the run, or have other words there, are left out. The reply counts all
    steps of the run, whatever `seen` says.
    """
    rows: list[dict[str, Any]] = []
    for step in labels.not_right:
        row: dict[str, Any] = {
            "step": step.no,
            "rationale": step.rationale,
            "verdict": step.verdict,
        }
        if trait.errors:
            row["error"] = step.error or NO_ERROR
        row["instead"] = step.instead
        rows.append(row)
    answer: dict[str, Any] = {STEPS: rows, SEEN: len(labels.steps)}
    if trait.outcome:
        answer[OUTCOME] = labels.outcome
    return json.dumps(answer, ensure_ascii=False)


# -- the dialogue ----------------------------------------------------------------------------------


def dialogue(
    trait: StepsRubricTrait,
    trace: Trace,
    briefing: Briefing = UNBRIEFED,
) -> Dialogue[dict[str, Any]]:
    """Ask until there is a usable reply about the steps of a run, and return the judge's table.

    Yields prompts and is sent replies. Raises Unreadable if no reply is usable.
    """
    words = TEMPLATE.wording(briefing.parts)
    reading = partial(read, _sought(trait, trace))
    prompt = opening(trait, trace, briefing)
    return (yield from ask_until_usable(prompt, reading, partial(retry_text, words)))


def _sought(trait: StepsRubricTrait, trace: Trace) -> Sought:
    """Return what a reply about a trace may say: the trait, and which steps get a verdict."""
    return Sought(trait, [step.no for step in steps_of_roles(trait, trace)])


def opening(
    trait: StepsRubricTrait,
    trace: Trace,
    briefing: Briefing = UNBRIEFED,
) -> Prompt:
    """Return the first prompt about a cell: system text, user's message and shape of the reply.

    It is always the same for the same trait, trace and briefing. Each example of the briefing comes
    with the reply that would have been right. Of an example's conversation only the steps around
    those that are not right are shown.
    """
    words = TEMPLATE.wording(briefing.parts)
    sought = _sought(trait, trace)
    reply_schema = schema(sought)
    question = joined(
        [
            readable(_criterion(words, sought)),
            words.say("shape", shape=shape(reply_schema)),
        ],
    )
    examples = []
    for example in briefing.examples:
        labels = KIND.labels(trait, example.trace, example.table)
        evidence = KIND.evidence(trait, labels)
        shown = example_material(example.trace, trait.material, evidence)
        examples.append((shown, inert(as_reply(trait, labels))))
    reminder = readable(words.say("reminder", name=one_line(trait.name)))
    shown_material = material(as_read(trait, trace), trait.material)
    user = user_text(words, shown_material, examples, question, reminder)
    usual_tokens = USUAL + USUAL_PER_STEP * min(len(sought.numbers), USUAL_STEPS)
    longest = longest_answer_for(USUAL + USUAL_PER_STEP * len(sought.numbers))
    return Prompt(
        words.say("system").strip(),
        user,
        reply_schema,
        max_tokens_for(usual_tokens),
        template=words.sha256,
        usual_tokens=usual_tokens,
        longest_answer=longest,
    )


def _criterion(words: PromptWording, sought: Sought) -> str:
    """Return the part of the prompt that says what the trait asks, and of which steps by number.

    It has the trait's name and description, its verdicts with their meanings, and its errors,
    outcomes and leave to say "cannot tell" if it has them.
    """
    trait = sought.trait
    parts = [words.say("trait", name=one_line(trait.name))]
    if trait.description:
        parts.append(words.say("description", description=trait.description))
    parts.append(words.say("verdicts", verdicts=_rows(trait.verdicts), good=trait.good))
    if trait.errors:
        parts.append(words.say("errors", errors=_rows(trait.errors), wrong=trait.wrong))
    if trait.outcome:
        parts.append(words.say("outcome", outcomes=_rows(trait.outcome)))
    if trait.cannot_tell:
        parts.append(words.say("cannot_tell"))
    count = str(len(sought.numbers))
    parts.append(words.say("steps", steps=in_words(sought.numbers), count=count))
    return joined(parts)


def _rows(names: Sequence[Named]) -> str:
    """Return the lines that list names in a prompt: - "loops": it repeats a call.

    A name without a meaning stands alone on its line.
    """
    lines: list[str] = []
    for named in names:
        line = f'- "{named.name}"'
        meaning = one_line(named.means)
        if meaning:
            line += f": {meaning}"
        lines.append(line)
    return "\n".join(lines)

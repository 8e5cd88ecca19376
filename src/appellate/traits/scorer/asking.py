"""How a model grades one response: the reply asked of it, and the dialogue.

A grade that cannot be read is asked for again; in the end the cell has failed.
"""

import json
from collections.abc import Mapping
from functools import partial
from pprint import pformat
from textwrap import indent
from typing import Any

from msgspec.structs import replace

from appellate.core.kind import UNBRIEFED, Briefing
from appellate.core.messages import ASSISTANT, CALLS, SYSTEM, THINKS, TOOL, ChatTurn, turns_of
from appellate.core.trace import HISTORY, QUESTION, Trace
from appellate.talk.dialogue import (
    TEXT,
    Dialogue,
    NoAnswer,
    Prompt,
    Schema,
    Unreadable,
    ask_until_usable,
    either,
    longest_answer_for,
    max_tokens_for,
    readable,
    shape,
    table,
)
from appellate.talk.json_reply import object_in, quote, text_of
from appellate.traits.evidence import Finder
from appellate.traits.matching import Unmatched
from appellate.traits.scorer import KIND, table_of
from appellate.traits.scorer.labels import LETTERS, Labels, legal, targets_of, value_text, wanted
from appellate.traits.scorer.rules import Score, Unscorable, by_rule, together
from appellate.traits.scorer.spec import (
    TEMPLATE_NAMES,
    ScorePart,
    Scorer,
    ScorerRubricTrait,
    filled,
    grade_in,
    offered,
    unforged,
)
from appellate.traits.template import (
    ANYWHERE,
    CONVERSATION,
    PromptTemplate,
    PromptWording,
    Quotable,
    Quote,
    Slots,
    again,
    example_material,
    excerpt_reply,
    excerpt_schema,
    found_again,
    inert,
    joined,
    material,
    nonce_for,
    one_line,
    quotable,
    quote_of,
    user_text,
)

TEMPLATE = PromptTemplate(
    "appellate.traits.scorer",
    {
        **CONVERSATION,
        "qa": Slots(),
        "fact": Slots(),
        "description": Slots(("description",), spare=True),
        "grades": Slots(("grades",)),
        "instructions": Slots(("instructions",)),
        "ending": Slots(("grades",)),
        "free": Slots(("shape",)),
        "metadata": Slots(("nonce", "metadata")),
    },
)
_ROOM_FOR_OWN_WORDS = 4096
"""Tokens that a first reply may take where the trait's own words ask for it: it may think aloud."""
USUAL = 60
"""Tokens that a reply takes: a sentence or two, an excerpt and the grade."""
_PLAIN_REASONS = {
    "C": "The response meets the criterion.",
    "P": "The response meets the criterion in part.",
    "I": "The response does not meet the criterion.",
    "N": "The response gives no answer.",
}
_FREE: Schema = table({"reply": TEXT})


def dialogue(
    trait: ScorerRubricTrait, trace: Trace, briefing: Briefing = UNBRIEFED
) -> Dialogue[dict[str, Any]]:
    """Asks until there is a grade that can be read; returns the judge's table. Raises Unreadable.

    Of a multi_scorer each member that is graded is asked for, the others are scored by their rules.
    """
    targets = targets_of(trace)
    if trait.scorer == "recorded":
        raise Unreadable("This score comes with the traces, and this one has none.", "")
    if trait.scorer != "multi_scorer":
        found = yield from _graded(trait, trait, trace, briefing)
        return {**found, "target": targets}
    scores = []
    for member in trait.scorers:
        if member.is_graded:
            found = yield from _graded(member, trait, trace, briefing)
            text = found.get("explanation", "")
            scores.append(Score(found["value"], found.get("answer"), text))
            continue
        if not targets:
            raise Unreadable("The trace has no reference to compare the response with.", "")
        try:
            scores.append(by_rule(member, trace.own_words.text, targets, trace.choices or ()))
        except (Unscorable, Unmatched) as why:
            raise Unreadable(str(why), "") from None
    try:
        score = together(trait, scores)
    except Unscorable as why:
        raise Unreadable(str(why), "") from None
    return table_of(score, trace, targets)


def _graded(
    one: Scorer, trait: ScorerRubricTrait, trace: Trace, briefing: Briefing
) -> Dialogue[dict[str, Any]]:
    """The table of one graded scorer; `trait` is the one that it belongs to."""
    words = TEMPLATE.wording(briefing.parts)
    prompt = opening(one, trait, trace, briefing)
    reminder = words.say("reminder", name=one_line(trait.name))
    source = quotable(words, prompt, reminder, trace)
    reading = partial(read, one, source=source)
    answer = yield from ask_until_usable(prompt, reading, partial(again, words))
    if not answer.get("answer"):
        return answer
    excerpt = Quote(answer["answer"], answer.get("named_step"))
    better = yield from found_again(words, prompt, [excerpt], trace)
    return _with_excerpt(answer, better[excerpt])


def _with_excerpt(table: Mapping[str, Any], excerpt: Quote) -> dict[str, Any]:
    """Return a judge's table with an excerpt in it: its words, and the step that it names."""
    changed = {**table, "answer": excerpt.text}
    changed.pop("named_step", None)
    if excerpt.step_no is not None:
        changed["named_step"] = excerpt.step_no
    return changed


# -- what is asked ---------------------------------------------------------------------------------


def opening(
    one: Scorer, trait: ScorerRubricTrait, trace: Trace, briefing: Briefing = UNBRIEFED
) -> Prompt:
    """The first prompt about a cell; raises Unreadable where the trace has nothing to grade by."""
    words = TEMPLATE.wording(briefing.parts)
    has_criterion = trait.description or one.instructions or one.template
    if not (targets_of(trace) or has_criterion):
        raise Unreadable("The trace has no reference, which is what a response is graded by.", "")
    given = _given(one, trace)
    asked = _asked(words, one, trait)
    reminder = readable(words.say("reminder", name=one_line(trait.name)))
    if one.template is not None:
        asked = _filled(words, one, trace, given)
        given = {}
        reminder = ""
    shown = []
    if one.grade_pattern is None and trait.scorer != "multi_scorer":
        for example in briefing.examples:
            labels = KIND.labels(trait, example.trace, example.table)
            labels = _with_step(labels, example.trace)
            given_of_example = _given(one, example.trace)
            if example.trace.transcript is not None:
                evidence = KIND.evidence(trait, labels)
                given_of_example = example_material(example.trace, one.material, evidence)
            shown.append((given_of_example, inert(as_reply(one, labels))))
    wanted = schema(one, trait)
    part = "shape"
    if one.has_own_words:
        part = "free"
    trait_text = joined([asked, words.say(part, shape=shape(wanted))])
    user = user_text(words, given, shown, trait_text, reminder)
    system = words.say("system").strip()
    room = max_tokens_for(USUAL)
    longest = longest_answer_for(USUAL)
    if one.has_own_words:
        room = _ROOM_FOR_OWN_WORDS
        longest = 0
    return Prompt(
        system,
        user,
        wanted,
        room,
        template=words.sha256,
        usual_tokens=USUAL,
        longest_answer=longest,
    )


def _with_step(labels: Labels, trace: Trace) -> Labels:
    """Return labels with the step of a conversation in which their answer is as the named one."""
    ruling = labels.standing
    if not ruling.spans:
        return labels
    step_no = Finder.of(trace).step_no(ruling.spans[0])
    return replace(labels, standing=replace(ruling, named_step=step_no))


def schema(one: Scorer, trait: ScorerRubricTrait) -> Schema:
    """The shape of a reply: the reason comes before the grade, which heeds it.

    `trait` is the one that the scorer belongs to, which says what is read.
    """
    if one.has_own_words:
        return _FREE
    grades = offered(partial_credit=one.partial_credit)
    fields = {"reason": TEXT, "excerpt": excerpt_schema(trait), "grade": either(*grades)}
    return table({"answer": table(fields)})


def _asked(words: PromptWording, one: Scorer, trait: ScorerRubricTrait) -> str:
    parts = [words.say(one.scorer.removeprefix("model_graded_"))]
    if trait.description:
        parts.append(words.say("description", description=readable(trait.description)))
    return joined([*parts, _instructions(words, one)])


def _instructions(words: PromptWording, one: Scorer) -> str:
    if one.instructions is not None:
        return words.say("instructions", instructions=readable(one.instructions))
    grades = offered(partial_credit=one.partial_credit)
    listed = "\n".join(f'- "{grade}": {LETTERS[grade]}' for grade in grades)
    if one.has_own_words:
        return words.say("ending", grades=listed)
    return words.say("grades", grades=listed)


def _given(one: Scorer, trace: Trace) -> dict[str, str]:
    """The material of a trace, the conversation in the place of the question where it is wanted."""
    if HISTORY in one.material and trace.messages and trace.transcript is None:
        texts = material(trace, one.material - {QUESTION})
        return {"question": inert(history(trace)), **texts}
    return material(trace, one.material)


def history(trace: Trace) -> str:
    """Return the turns before the response in Inspect's form: the first one without a role.

    A system's words and thoughts are left out, as Inspect does. What one side says and calls in a
    row is one paragraph group; a call is `name(key='value')`, a result `Tool (name): …`. One of
    several agents, which Inspect does not know, is named like a tool.
    Source: inspect_ai 0.3.285, `chat_history`.
    """
    paragraphs: list[str] = []
    speaker = ""
    for turn in turns_of(trace, trace.question):
        if turn.role == SYSTEM or turn.does == THINKS:
            continue
        words = _called(turn) if turn.calls else turn.text
        named = turn.role.capitalize()
        if turn.role == TOOL:
            named = f"{named} ({turn.does})"
        elif turn.name:
            named = f"{named} ({turn.name})"
        is_begun = bool(paragraphs) or bool(turn.name)
        if is_begun and not (turn.role == ASSISTANT and speaker == named):
            words = f"{named}: {words}"
        speaker = named
        paragraphs.append(words)
    return "\n\n".join(paragraphs)


_WIDTH = 80
"""Characters of a line within which a call stands on one, as Inspect prints it."""


def _called(turn: ChatTurn) -> str:
    """Return a call as Inspect prints it: `search(query='gene', limit=5)`."""
    name = turn.does.removeprefix(CALLS).strip()
    try:
        arguments = json.loads(turn.text or "{}")
    except (ValueError, RecursionError):
        arguments = None
    if not isinstance(arguments, dict):
        return f"{name}({turn.text})"
    parts: list[str] = []
    for key, value in arguments.items():
        if isinstance(value, str):
            parts.append(f"{key}='{value}'")
        elif isinstance(value, list | dict):
            parts.append(f"{key}={pformat(value, width=_WIDTH)}")
        else:
            parts.append(f"{key}={value}")
    line = f"{name}({', '.join(parts)})"
    if len(line) < _WIDTH:
        return line
    lines = indent(",\n".join(parts), "    ")
    return f"{name}(\n{lines}\n)"


def _filled(words: PromptWording, one: Scorer, trace: Trace, given: Mapping[str, str]) -> str:
    """The trait's own template, with what others wrote between tags that they cannot forge."""
    template = readable(one.template or "")
    metadata = trace.metadata or {}
    values = dict.fromkeys(TEMPLATE_NAMES, "") | {"instructions": _instructions(words, one)}
    texts = {part: unforged(text) for part, text in given.items()}
    if "conversation" in texts and trace.question:
        texts["question"] = unforged(inert(trace.question))
    named: list[str] = []

    def noted(text: str) -> str:
        named.append(inert(unforged(text)))
        return named[-1]

    try:
        bare = filled(template, values, metadata, noted)
        nonce = nonce_for([*texts.values(), *named], [bare])
        for name, part in TEMPLATE_NAMES.items():
            if part in texts:
                values[name] = words.fenced(part, texts[part], nonce)
        if "conversation" in texts:
            values["answer"] = words.fenced("conversation", texts["conversation"], nonce)
        return filled(
            template,
            values,
            metadata,
            lambda text: words.fenced("metadata", inert(unforged(text)), nonce),
        )
    except LookupError as name:
        wording = f"The template has {{{name}}}, and the trace has no such metadata."
        raise Unreadable(wording, "") from None
    except (ValueError, TypeError) as why:
        raise Unreadable(f"The template cannot be filled in: {why}.", "") from None


# -- the reply -------------------------------------------------------------------------------------


def read(one: Scorer, text: str, source: Quotable = ANYWHERE) -> dict[str, Any]:
    """The judge's table that a reply stands for; raises NoAnswer where it has no grade."""
    try:
        given = object_in(text, source.response)
    except NoAnswer:
        given = {}
    if one.has_own_words:
        return _read_free(one, text_of(given.get("reply")) or text)
    answer = given.get("answer", given)
    if not isinstance(answer, dict) or "grade" not in answer:
        return _read_free(one, text)
    wording = text_of(answer["grade"]).strip()
    grade = grade_in(f"GRADE: {wording}", partial_credit=one.partial_credit)
    if grade is None:
        raise NoAnswer("incomplete", f"the grade is {quote(wording)}, not {_wanted(one)}.")
    table = {"value": grade, "explanation": text_of(answer.get("reason")).strip()}
    excerpt = quote_of(one, answer.get("excerpt"))
    excerpt = excerpt._replace(text=excerpt.text.strip())
    if excerpt.text and not source.is_own(excerpt.text):
        return _with_excerpt(table, excerpt)
    return table


def _read_free(one: Scorer, text: str) -> dict[str, Any]:
    try:
        grade = grade_in(
            text,
            grade_pattern=one.grade_pattern,
            has_own_instructions=one.instructions is not None,
            partial_credit=one.partial_credit,
        )
    except Unmatched as why:
        raise Unreadable(str(why), text) from None
    if grade is None:
        raise NoAnswer("unreadable", f"it does not end with a grade, {_wanted(one)}.")
    part = ScorePart("", one.is_letter, one.low, one.high)
    value = legal(part, grade)
    if value is None:
        raise NoAnswer("incomplete", f"the grade is {quote(grade)}, not {wanted(part)}.")
    return {"value": value, "explanation": text.strip()}


def _wanted(one: Scorer) -> str:
    if one.grade_pattern is not None:
        return "as grade_pattern has it"
    grades = offered(partial_credit=one.partial_credit or one.has_own_words)
    return "one of " + ", ".join(map(json.dumps, grades))


def as_reply(one: Scorer, labels: Labels) -> str:
    """The reply that would have given these labels, with a plain reason where there is none."""
    ruling = labels.standing
    value = value_text(ruling.value)
    reason = ruling.why or _PLAIN_REASONS.get(value, f"{value} is the grade that fits.")
    if one.has_own_words:
        ending = f"GRADE: {value}"
        if not reason.rstrip().endswith(ending):
            reason += f"\n{ending}"
        return json.dumps({"reply": reason}, ensure_ascii=False)
    excerpt = excerpt_reply(one, Quote(ruling.answer, ruling.named_step))
    answer = {"reason": reason, "excerpt": excerpt, "grade": value}
    return json.dumps({"answer": answer}, ensure_ascii=False)

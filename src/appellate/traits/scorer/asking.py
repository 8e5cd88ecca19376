"""Asks a model to grade one response: prompt, reply and dialogue.

A grade that cannot be read is asked for again; in the end the cell fails.
"""

import json
from collections.abc import Mapping
from functools import partial
from pprint import pformat
from textwrap import indent
from typing import Any

from msgspec.structs import replace

from appellate.core.kind import UNBRIEFED, Briefing
from appellate.core.messages import (
    ASSISTANT,
    CALLS,
    SYSTEM,
    THINKS,
    TOOL,
    ChatTurn,
    turns_of,
)
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
from appellate.traits.scorer.labels import (
    LETTERS,
    Labels,
    legal,
    targets_of,
    value_text,
    wanted,
)
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
    corrected_quotes,
    example_material,
    excerpt_reply,
    excerpt_schema,
    inert,
    joined,
    material,
    nonce_for,
    one_line,
    quotable,
    quote_of,
    retry_text,
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
"""Tokens of a first reply that the trait's own words ask for: the model may think aloud."""
USUAL = 60
"""Tokens that a reply usually takes: a sentence or two, an excerpt and the grade."""
_PLAIN_REASONS = {
    "C": "The response meets the criterion.",
    "P": "The response meets the criterion in part.",
    "I": "The response does not meet the criterion.",
    "N": "The response gives no answer.",
}
_FREE: Schema = table({"reply": TEXT})


def dialogue(
    trait: ScorerRubricTrait,
    trace: Trace,
    briefing: Briefing = UNBRIEFED,
) -> Dialogue[dict[str, Any]]:
    """Ask a judge until there is a readable grade, and return the judge's table.

    It is such as {"value": "C", "explanation": "…", "answer": "Paris", "target": ["Paris"]}. The
    trait must be graded by a judge, a multi_scorer, or recorded. Yields prompts and is sent
    replies. Graded members of a multi_scorer are asked for one by one; the others are scored by
    their rules. Raises Unreadable if there is no grade, if the trace lacks what is needed, and for
    recorded scores, about which nobody is asked.
    """
    targets = targets_of(trace)
    if trait.scorer == "recorded":
        raise Unreadable("This score comes with the traces, and this one has none.", "")
    if trait.scorer != "multi_scorer":
        graded_table = yield from _graded(trait, trait, trace, briefing)
        return {**graded_table, "target": targets}
    scores = []
    for member in trait.scorers:
        if member.is_graded:
            graded_table = yield from _graded(member, trait, trace, briefing)
            text = graded_table.get("explanation", "")
            scores.append(
                Score(graded_table["value"], graded_table.get("answer"), text),
            )
            continue
        if not targets:
            raise Unreadable(
                "The trace has no reference to compare the response with.",
                "",
            )
        try:
            scores.append(
                by_rule(member, trace.own_words.text, targets, trace.choices or ()),
            )
        except (Unscorable, Unmatched) as failure:
            raise Unreadable(str(failure), "") from None
    try:
        score = together(trait, scores)
    except Unscorable as failure:
        raise Unreadable(str(failure), "") from None
    return table_of(score, trace, targets)


def _graded(
    scorer: Scorer,
    trait: ScorerRubricTrait,
    trace: Trace,
    briefing: Briefing,
) -> Dialogue[dict[str, Any]]:
    """Ask for the grade of one scorer, and return its table, as {"value": "C", "explanation": "…"}.

    `trait` is the one that it belongs to. An excerpt that is not in the response is asked about
    once more. Raises Unreadable if no reply is usable.
    """
    words = TEMPLATE.wording(briefing.parts)
    prompt = opening(scorer, trait, trace, briefing)
    reminder = words.say("reminder", name=one_line(trait.name))
    source = quotable(words, prompt, reminder, trace)
    reading = partial(read, scorer, source=source)
    answer = yield from ask_until_usable(prompt, reading, partial(retry_text, words))
    if not answer.get("answer"):
        return answer
    excerpt = Quote(answer["answer"], answer.get("named_step"))
    better_excerpts = yield from corrected_quotes(words, prompt, [excerpt], trace)
    return _with_excerpt(answer, better_excerpts[excerpt])


def _with_excerpt(table: Mapping[str, Any], excerpt: Quote) -> dict[str, Any]:
    """Return a copy of a judge's table with an excerpt as its answer.

    The words become `answer`, and the step that the excerpt names `named_step`; without one that
    key is left out.
    """
    changed = {**table, "answer": excerpt.text}
    changed.pop("named_step", None)
    if excerpt.step_no is not None:
        changed["named_step"] = excerpt.step_no
    return changed


# -- what is asked ---------------------------------------------------------------------------------


def opening(
    scorer: Scorer,
    trait: ScorerRubricTrait,
    trace: Trace,
    briefing: Briefing = UNBRIEFED,
) -> Prompt:
    """Return the first prompt about a cell, for one scorer of the trait.

    A template of the scorer's own holds the material itself. Examples are left out for a scorer
    with a pattern of grades and for members of a multi_scorer. Raises Unreadable if neither the
    trace has a reference nor the trait a description nor the scorer instructions or a template. It
    does so, too, if the trace lacks metadata that the template names; a question or reference that
    is lacking is just left out.
    """
    words = TEMPLATE.wording(briefing.parts)
    has_criterion = trait.description or scorer.instructions or scorer.template
    if not (targets_of(trace) or has_criterion):
        raise Unreadable(
            "The trace has no reference, which is what a response is graded by.",
            "",
        )
    materials = _given(scorer, trace)
    question = _asked(words, scorer, trait)
    reminder = readable(words.say("reminder", name=one_line(trait.name)))
    if scorer.template is not None:
        question = _filled(words, scorer, trace, materials)
        materials = {}
        reminder = ""
    examples = []
    if scorer.grade_pattern is None and trait.scorer != "multi_scorer":
        for example in briefing.examples:
            labels = KIND.labels(trait, example.trace, example.table)
            labels = _with_step(labels, example.trace)
            given_of_example = _given(scorer, example.trace)
            if example.trace.transcript is not None:
                evidence = KIND.evidence(trait, labels)
                given_of_example = example_material(
                    example.trace,
                    scorer.material,
                    evidence,
                )
            examples.append((given_of_example, inert(as_reply(scorer, labels))))
    reply_schema = schema(scorer, trait)
    part = "shape"
    if scorer.has_own_words:
        part = "free"
    trait_text = joined([question, words.say(part, shape=shape(reply_schema))])
    user = user_text(words, materials, examples, trait_text, reminder)
    system = words.say("system").strip()
    max_tokens = max_tokens_for(USUAL)
    longest = longest_answer_for(USUAL)
    if scorer.has_own_words:
        max_tokens = _ROOM_FOR_OWN_WORDS
        longest = 0
    return Prompt(
        system,
        user,
        reply_schema,
        max_tokens,
        template=words.sha256,
        usual_tokens=USUAL,
        longest_answer=longest,
    )


def _with_step(labels: Labels, trace: Trace) -> Labels:
    """Return labels with the step of the answer as `named_step`, for an example to a judge.

    It is the number of the step in which the first span is, from 1, or None if it is in no single
    step or there are no steps. The words of the answer are unchanged. Labels without spans are
    returned as they are.
    """
    ruling = labels.standing
    if not ruling.spans:
        return labels
    step_no = Finder.of(trace).step_no(ruling.spans[0])
    return replace(labels, standing=replace(ruling, named_step=step_no))


def schema(scorer: Scorer, trait: ScorerRubricTrait) -> Schema:
    """Return the JSON schema of a reply: an "answer" with reason, excerpt and grade, in this order.

    The reason comes before the grade, so that the grade can depend on it. A scorer with words of
    its own gets one text, "reply", in place of it. `trait` is the one that the scorer belongs to.
    """
    if scorer.has_own_words:
        return _FREE
    grades = offered(partial_credit=scorer.partial_credit)
    fields = {
        "reason": TEXT,
        "excerpt": excerpt_schema(trait),
        "grade": either(*grades),
    }
    return table({"answer": table(fields)})


def _asked(words: PromptWording, scorer: Scorer, trait: ScorerRubricTrait) -> str:
    """Return the part of the prompt that says what a judge is to grade, and with which grades.

    First is the question of the scorer, such as whether the response holds a fact, then the trait's
    description, if it has one. Last are the grades and how to give them. The scorer's own
    instructions replace that last part.
    """
    part_name = scorer.scorer.removeprefix("model_graded_")
    parts = [words.say(part_name)]
    if trait.description:
        description = readable(trait.description)
        parts.append(words.say("description", description=description))
    parts.append(_instructions(words, scorer))
    return joined(parts)


def _instructions(words: PromptWording, scorer: Scorer) -> str:
    """Return the part of the prompt that says which grades there are, and how to give them.

    The usual part asks for one of the grades that the scorer offers. With a pattern of grades it
    asks for a text that ends with a grade. The scorer's own instructions replace either.
    """
    if scorer.instructions is not None:
        return words.say("instructions", instructions=readable(scorer.instructions))
    grades = offered(partial_credit=scorer.partial_credit)
    grade_lines = "\n".join(f'- "{grade}": {LETTERS[grade]}' for grade in grades)
    if scorer.has_own_words:
        return words.say("ending", grades=grade_lines)
    return words.say("grades", grades=grade_lines)


def _given(scorer: Scorer, trace: Trace) -> dict[str, str]:
    """Return the material of a trace that the scorer uses, by the part of the prompt that holds it.

    For example {"question": "2 + 2?", "response": "4", "reference": "4"}, or "conversation" in
    place of question and response. If the scorer wants the history, "question" holds the turns
    before the response instead. This is only so for a trace with messages of which the response
    alone is graded.
    """
    is_response_graded = trace.transcript is None
    has_history = HISTORY in scorer.material and bool(trace.messages)
    if not is_response_graded or not has_history:
        return material(trace, scorer.material)
    turns = inert(history(trace))
    texts = material(trace, scorer.material - {QUESTION})
    return {"question": turns, **texts}


def history(trace: Trace) -> str:
    """Return the turns before the response in Inspect's form: the first one without a role.

    A system's words and thoughts are left out, as Inspect does. What the assistant says and calls
    in a row is one group of paragraphs; a call is `name(key='value')`, a result `Tool (name): …`.
    One of several agents, which Inspect does not know, is named like a tool. Source: inspect_ai
    0.3.285, `chat_history`.
    """
    paragraphs: list[str] = []
    speaker = ""
    for turn in turns_of(trace, trace.question):
        if turn.role == SYSTEM or turn.does == THINKS:
            continue
        paragraph = _called(turn) if turn.calls else turn.text
        speaker_name = turn.role.capitalize()
        if turn.role == TOOL:
            speaker_name = f"{speaker_name} ({turn.does})"
        elif turn.name:
            speaker_name = f"{speaker_name} ({turn.name})"
        is_begun = bool(paragraphs) or bool(turn.name)
        if is_begun and not (turn.role == ASSISTANT and speaker == speaker_name):
            paragraph = f"{speaker_name}: {paragraph}"
        speaker = speaker_name
        paragraphs.append(paragraph)
    return "\n\n".join(paragraphs)


_WIDTH = 80
"""Characters of a line within which a call stands on one, as Inspect prints it."""


def _called(turn: ChatTurn) -> str:
    """Return a call as Inspect prints it: `search(query='gene', limit=5)`.

    One of 80 characters or more has a line for each argument. Arguments that are no JSON object, or
    are nested too deeply to be printed, are given as they are.
    """
    name = turn.does.removeprefix(CALLS).strip()
    try:
        parts = _printed_arguments(turn.text or "{}")
    except (ValueError, RecursionError):
        return f"{name}({turn.text})"
    on_one_line = ", ".join(parts)
    line = f"{name}({on_one_line})"
    if len(line) < _WIDTH:
        return line
    lines = indent(",\n".join(parts), "    ")
    return f"{name}(\n{lines}\n)"


def _printed_arguments(arguments_text: str) -> list[str]:
    """Return the arguments of a call as Inspect prints each, such as "limit=5" or "q='cats'".

    Raises ValueError for a text that is no JSON object, and RecursionError if it is nested too
    deeply.
    """
    arguments = json.loads(arguments_text)
    if not isinstance(arguments, dict):
        raise ValueError(arguments_text)  # noqa: TRY004 - as of any other wrong text
    parts: list[str] = []
    for key, value in arguments.items():
        if isinstance(value, str):
            parts.append(f"{key}='{value}'")
        elif isinstance(value, list | dict):
            parts.append(f"{key}={pformat(value, width=_WIDTH)}")
        else:
            parts.append(f"{key}={value}")
    return parts


def _filled(
    words: PromptWording,
    scorer: Scorer,
    trace: Trace,
    materials: Mapping[str, str],
) -> str:
    """Return the scorer's own template, filled in, with what is from the trace between tags.

    Texts of the trace cannot forge the tags. {question}, {answer} and {criterion} mean the
    request's own material, not metadata of that name, and are "" if the trace lacks it. In a
    conversation {answer} is all of it. {instructions} is the part of the prompt on grades. Raises
    Unreadable if the trace lacks metadata that the template names, or if the template cannot be
    filled in.
    """
    template = readable(scorer.template or "")
    metadata = trace.metadata or {}
    values = dict.fromkeys(TEMPLATE_NAMES, "") | {
        "instructions": _instructions(words, scorer),
    }
    texts = {part: unforged(text) for part, text in materials.items()}
    if "conversation" in texts and trace.question:
        texts["question"] = unforged(inert(trace.question))
    metadata_texts: list[str] = []

    def noted(text: str) -> str:
        metadata_texts.append(inert(unforged(text)))
        return metadata_texts[-1]

    try:
        filled_text = filled(template, values, metadata, noted)
        nonce = nonce_for([*texts.values(), *metadata_texts], [filled_text])
        for name, part in TEMPLATE_NAMES.items():
            if part in texts:
                values[name] = words.fenced(part, texts[part], nonce)
        if "conversation" in texts:
            values["answer"] = words.fenced(
                "conversation",
                texts["conversation"],
                nonce,
            )
        return filled(
            template,
            values,
            metadata,
            lambda text: words.fenced("metadata", inert(unforged(text)), nonce),
        )
    except LookupError as name:
        wording = f"The template has {{{name}}}, and the trace has no such metadata."
        raise Unreadable(wording, "") from None
    except (ValueError, TypeError) as failure:
        raise Unreadable(f"The template cannot be filled in: {failure}.", "") from None


# -- the reply -------------------------------------------------------------------------------------


def read(scorer: Scorer, text: str, source: Quotable = ANYWHERE) -> dict[str, Any]:
    """Return the judge's table that a model's reply stands for.

    It is such as {"value": "C", "explanation": "…", "answer": "Paris"}; an excerpt is `answer`,
    with the step that it names as `named_step`. A JSON object has grade, reason and excerpt. Any
    other reply is a text that ends with a grade, and has no excerpt; so is every reply to a scorer
    in its own words, whose value may be a number. `source` is what excerpts are copied from; words
    of the request itself are no excerpt. Raises NoAnswer if there is no grade, or one that is not
    offered. Raises Unreadable if the scorer's own pattern takes too long.
    """
    try:
        reply = object_in(text, source.response)
    except NoAnswer:
        reply = {}
    if scorer.has_own_words:
        return _read_free(scorer, text_of(reply.get("reply")) or text)
    answer = reply.get("answer", reply)
    if not isinstance(answer, dict) or "grade" not in answer:
        return _read_free(scorer, text)
    wording = text_of(answer["grade"]).strip()
    grade = grade_in(f"GRADE: {wording}", partial_credit=scorer.partial_credit)
    if grade is None:
        possible = _wanted(scorer)
        wrong = f"the grade is {quote(wording)}, not {possible}."
        raise NoAnswer("incomplete", wrong)
    reason = text_of(answer.get("reason")).strip()
    table = {"value": grade, "explanation": reason}
    excerpt = quote_of(scorer, answer.get("excerpt"))
    excerpt = excerpt._replace(text=excerpt.text.strip())
    if excerpt.text and not source.is_own(excerpt.text):
        return _with_excerpt(table, excerpt)
    return table


def _read_free(scorer: Scorer, text: str) -> dict[str, Any]:
    """Return the judge's table of a text that ends with a grade.

    It is such as {"value": "C", "explanation": text}, with the whole text. Raises NoAnswer if it
    has no grade, or one out of bounds. Raises Unreadable if the scorer's own pattern takes too
    long.
    """
    try:
        grade = grade_in(
            text,
            grade_pattern=scorer.grade_pattern,
            has_own_instructions=scorer.instructions is not None,
            partial_credit=scorer.partial_credit,
        )
    except Unmatched as failure:
        raise Unreadable(str(failure), text) from None
    if grade is None:
        raise NoAnswer(
            "unreadable",
            f"it does not end with a grade, {_wanted(scorer)}.",
        )
    part = ScorePart("", scorer.is_letter, scorer.low, scorer.high)
    value = legal(part, grade)
    if value is None:
        raise NoAnswer(
            "incomplete",
            f"the grade is {quote(grade)}, not {wanted(part)}.",
        )
    return {"value": value, "explanation": text.strip()}


def _wanted(scorer: Scorer) -> str:
    """Return which grades are possible, for a sentence to the model, such as `one of "C", "I"`.

    P is among them if the scorer gives partial credit or asks in its own words. For a scorer with a
    pattern of grades it is "as grade_pattern has it".
    """
    if scorer.grade_pattern is not None:
        return "as grade_pattern has it"
    grades = offered(partial_credit=scorer.partial_credit or scorer.has_own_words)
    in_quotes = ", ".join(json.dumps(grade) for grade in grades)
    return f"one of {in_quotes}"


def as_reply(scorer: Scorer, labels: Labels) -> str:
    """Return the JSON reply that would have given these labels.

    It is such as {"answer": {"reason": …, "excerpt": …, "grade": "C"}}, or {"reply": "… GRADE: C"}
    for a scorer with its own words. A standard sentence is the reason if the labels have none.
    """
    ruling = labels.standing
    value = value_text(ruling.value)
    reason = ruling.why or _PLAIN_REASONS.get(value, f"{value} is the grade that fits.")
    if scorer.has_own_words:
        ending = f"GRADE: {value}"
        if not reason.rstrip().endswith(ending):
            reason += f"\n{ending}"
        return json.dumps({"reply": reason}, ensure_ascii=False)
    excerpt = excerpt_reply(scorer, Quote(ruling.answer, ruling.named_step))
    answer = {"reason": reason, "excerpt": excerpt, "grade": value}
    return json.dumps({"answer": answer}, ensure_ascii=False)

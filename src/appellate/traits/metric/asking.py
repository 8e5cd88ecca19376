"""Asks a model to sort one response into the four buckets: prompt, reply and dialogue.

`opening` makes the prompt, `read` the labels, `dialogue` asks until a reply is usable. A reply has
to answer every instruction by its number.
"""

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any

from msgspec.structs import replace

from appellate.core.kind import UNBRIEFED, Briefing, Example, Span, reads_conversation
from appellate.core.problem import first_texts
from appellate.core.trace import Trace
from appellate.talk.dialogue import (
    BOOLEAN,
    NUMBER,
    TEXT,
    Dialogue,
    Form,
    NoAnswer,
    Prompt,
    Schema,
    ask_until_usable,
    either,
    list_of,
    longest_answer_for,
    max_tokens_for,
    numbered_fields,
    or_null,
    readable,
    shape,
    table,
)
from appellate.talk.json_reply import object_in, quote, rows, text_of, whole_number
from appellate.traits.metric.labels import (
    BUCKETS,
    EXCERPTS,
    UNSAID,
    Bucket,
    Item,
    Labels,
    List,
    from_table,
    to_table,
    with_steps,
)
from appellate.traits.metric.ledger import STANDS, buckets_of, lists
from appellate.traits.metric.spec import MetricRubricTrait
from appellate.traits.template import (
    ANYWHERE,
    CONVERSATION,
    EARLIER,
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
    one_line,
    quotable,
    quote_of,
    quotes_of,
    retry_text,
    user_text,
)

TEMPLATE = PromptTemplate(
    "appellate.traits.metric",
    {
        **EARLIER,
        **CONVERSATION,
        "trait": Slots((), ("name",)),
        "description": Slots(("description",), spare=True),
        "tp": Slots(("tp",)),
        "fn": Slots(("fn",), spare=True),
        "tn": Slots(("tn",)),
        "fp": Slots(("fp",)),
        "alias": Slots(("text", "aliases")),
        "other_names": Slots(spare=True),
        "wrong": Slots(),
        "wrong_hint": Slots(spare=True),
        "hint": Slots(),
        "omission": Slots(("numbers",), spare=True),
    },
)


# -- the prompt ------------------------------------------------------------------------------------


USUAL_PER_ANSWER = 70
"""Tokens that an answer usually takes: its row of the reply, a short sentence and an excerpt."""


def opening(
    trait: MetricRubricTrait,
    trace: Trace,
    briefing: Briefing = UNBRIEFED,
) -> Prompt:
    """Return the first prompt about a cell: system text, user's message and shape of the reply.

    It is always the same for the same trait, trace and briefing. The reply has a field for each
    answer. If there are more answers than a schema may have fields for, the reply is a list. The
    prompt also has the list form for servers that refuse the other.
    """
    words = TEMPLATE.wording(briefing.parts)
    materials = material(trace, trait.material)
    checklist = readable(_checklist(words, trait))
    reminder = readable(words.say("reminder", name=one_line(trait.name)))

    def form(reply_schema: Schema, *, as_list: bool) -> Form:
        """Return the user's message that asks for a reply of this schema, and the schema as it is.

        The message has the material, the examples, the checklist, a description of the schema and
        the reminder. `as_list` shapes only the right replies of the examples, so it must fit the
        schema: True with `listed_schema`, for {"tp_answers": [{"instruction": 1, …}]}, and False
        with `schema`, for {"tp_answers": {"1": {…}}}.
        """
        shape_text = words.say("shape", shape=shape(reply_schema))
        question = joined([checklist, shape_text])
        examples = []
        for example in briefing.examples:
            reply = inert(_right_reply(trait, example, as_list=as_list))
            labels = from_table(trait, example.trace, example.table)
            evidence = [Span(*item.span) for _, item in labels.items() if item.span]
            texts = example_material(example.trace, trait.material, evidence)
            examples.append((texts, reply))
        message = user_text(words, materials, examples, question, reminder)
        return Form(message, reply_schema)

    list_form = form(listed_schema(trait), as_list=True)
    first = list_form
    answers = len(trait.instructions("tp")) + len(trait.instructions("tn"))
    if answers <= most_numbered(trait):
        first = form(schema(trait), as_list=False)
    system = words.say("system").strip()
    usual_tokens = USUAL_PER_ANSWER * answers
    return Prompt(
        system,
        *first,
        max_tokens_for(usual_tokens),
        template=words.sha256,
        usual_tokens=usual_tokens,
        list_form=list_form,
        longest_answer=longest_answer_for(usual_tokens),
    )


# -- the trait -------------------------------------------------------------------------------------


def _checklist(words: PromptWording, trait: MetricRubricTrait) -> str:
    """Return the part of the prompt that says what the trait looks for.

    It has the name, the description, the instructions of TP and TN, the hints of FN and FP, and the
    rules for reading them. TN is left out in `tp_only`, and whatever the trait has nothing for.
    """
    hints = trait.instructions("fp")
    say = words.say
    parts = [say("trait", name=one_line(trait.name))]
    if trait.description:
        parts.append(say("description", description=trait.description))
    parts.append(say("tp", tp=_numbered(words, trait, "tp")))
    if trait.fn_instructions:
        lines = [f"- {_named(words, trait, text)}" for text in trait.fn_instructions]
        parts.append(say("fn", fn="\n".join(lines)))
    if trait.full:
        parts.append(say("tn", tn=_numbered(words, trait, "tn")))
    if hints:
        parts.append(say("fp", fp=_numbered(words, trait, "fp")))
    if trait.aliases:
        parts.append(say("other_names"))
    if not trait.full:
        parts.append(say("wrong"))
    if hints:
        parts.append(say("hint" if trait.full else "wrong_hint"))
    omissions = _omissions_text(trait)
    if omissions:
        parts.append(say("omission", numbers=omissions))
    return joined(parts)


def _omissions_text(trait: MetricRubricTrait) -> str:
    """Return which instructions may be met by omission, as in "TP instructions 1, 3".

    Those of two lists are joined by "; ". Returns "" if there are none.
    """
    texts: list[str] = []
    for list_name in lists(trait):
        numbers = _omissions(trait, list_name)
        if not numbers:
            continue
        name = _NAMES[list_name]
        if len(numbers) > 1:
            name += "s"
        numbers_text = ", ".join(map(str, numbers))
        texts.append(f"{name} {numbers_text}")
    return "; ".join(texts)


def _omissions(trait: MetricRubricTrait, list_name: List) -> list[int]:
    """Return the numbers (from 1) of a list's instructions that may be met by omission."""
    instruction_count = len(trait.instructions(list_name))
    numbers: list[int] = []
    for number in range(1, instruction_count + 1):
        if trait.may_be_omitted(list_name, number):
            numbers.append(number)
    return numbers


def _numbered(words: PromptWording, trait: MetricRubricTrait, list_name: List) -> str:
    """Return the instructions of a list as lines of text, each with its number and other names.

    Numbers start at 1; each instruction is on one line. Returns "" for an empty list.
    """
    lines: list[str] = []
    for number, text in enumerate(trait.instructions(list_name), 1):
        with_names = _named(words, trait, text)
        lines.append(f"{number}. {with_names}")
    return "\n".join(lines)


def _named(words: PromptWording, trait: MetricRubricTrait, text: str) -> str:
    """Return the words of an instruction on one line, with its other names if it has any.

    The other names are those that `aliases` of the trait has for `text` exactly. The template's
    text "alias" joins the words and the names, which are in double quotes and parted by commas.
    """
    aliases = trait.aliases.get(text, ())
    if not aliases:
        return one_line(text)
    names = ", ".join(f'"{one_line(name)}"' for name in aliases)
    return words.say("alias", text=one_line(text), aliases=names).strip()


# -- the reply -------------------------------------------------------------------------------------


DENIED = "denied"
"""The verdict on an instruction that the response contradicts; older replies have none."""
_NAMES: dict[List, str] = {"tp": "TP instruction", "tn": "TN instruction", "fp": "hint"}
_MOST_FAULTS = 8
_MOST_NUMBERS = 20
"""The largest number of unanswered instructions that a model is told: enough for the pattern."""

# -- the schema ------------------------------------------------------------------------------------

MOST_EXCERPTS = 3
"""The largest number of excerpts for an instruction; prompt and schema say so, and no more are
read.
"""
MOST_NUMBERED = 1000
"""The largest number of answers that get a field each, of four fields a row: strict servers take no
more than 5,000 fields (OpenAI).
"""
_MOST_WITH_STEPS = 700
"""The largest number of answers that get a field each if an excerpt has two fields."""


def most_numbered(trait: MetricRubricTrait) -> int:
    """Return how many answers can have a field each; more of them are listed."""
    return _MOST_WITH_STEPS if reads_conversation(trait) else MOST_NUMBERED


def schema(trait: MetricRubricTrait) -> Schema:
    """Return the JSON schema of a reply whose answers are objects by number.

    They are under "tp_answers", and in `full_matrix` under "tn_answers". A model that is held to
    the schema can neither leave out an answer nor repeat one. An instruction that may be met by
    omission has an answer with a field for that. "wrong_candidates" come last, if the trait wants
    them.
    """
    fields: dict[str, Schema] = {}
    definitions: dict[str, Schema] = {}
    for list_name in lists(trait):
        omission_name = f"{list_name}_omission"
        names = [f"{list_name}_answer"] * len(trait.instructions(list_name))
        for number in _omissions(trait, list_name):
            names[number - 1] = omission_name
        fields[f"{list_name}_answers"] = numbered_fields(names)
        for name in dict.fromkeys(names):
            is_omission = name == omission_name
            answer_fields = _answer_schemas(trait, list_name, omission=is_omission)
            definitions[name] = table(answer_fields)
    return {**_with_candidates(trait, fields), "$defs": definitions}


def listed_schema(trait: MetricRubricTrait) -> Schema:
    """Return the JSON schema of a reply whose answers are lists.

    They are under "tp_answers", and in `full_matrix` under "tn_answers". Each answer has its
    instruction's number as "instruction". If one instruction of a list may be met by omission, all
    answers of the list have a field for it. "wrong_candidates" come last, if the trait wants them.
    """
    fields = {}
    for list_name in lists(trait):
        omission = bool(_omissions(trait, list_name))
        row = table(
            {
                "instruction": NUMBER,
                **_answer_schemas(trait, list_name, omission=omission),
            },
        )
        fields[f"{list_name}_answers"] = list_of(
            row,
            len(trait.instructions(list_name)),
        )
    return _with_candidates(trait, fields)


def _answer_schemas(
    trait: MetricRubricTrait,
    list_name: List,
    *,
    omission: bool,
) -> dict[str, Schema]:
    """Return the schemas of an answer's fields: reason, excerpts, omission, verdict.

    The field for an omission is there only with `omission`. The verdict is found, missing or
    denied; for TN instructions it is present, absent or denied.
    """
    excerpts = list_of(excerpt_schema(trait), MOST_EXCERPTS)
    fields: dict[str, Schema] = {"rationale": TEXT, "excerpts": excerpts}
    if omission:
        fields["omission"] = BOOLEAN
    excerpt_bucket, negative_bucket = buckets_of(list_name)
    return {
        **fields,
        "verdict": either(STANDS[excerpt_bucket], STANDS[negative_bucket], DENIED),
    }


def _with_candidates(trait: MetricRubricTrait, fields: Mapping[str, Schema]) -> Schema:
    """Return the schema of a reply with these fields, and with `wrong_candidates` if wanted.

    They are wanted in `tp_only`, and in `full_matrix` if the trait has hints. A candidate is such
    as {"excerpt": "…", "tp_instruction": 1, "hint": null, "rationale": "…"}. Only `tp_only` has
    `tp_instruction`, and only a trait with hints has `hint`. Either may be null, but not `hint` in
    `full_matrix`.
    """
    if not _wants_candidates(trait):
        return table(fields)
    row: dict[str, Schema] = {"excerpt": excerpt_schema(trait)}
    if not trait.full:
        row["tp_instruction"] = or_null(NUMBER)
    if trait.instructions("fp"):
        row["hint"] = NUMBER if trait.full else or_null(NUMBER)
    row["rationale"] = TEXT
    return table({**fields, "wrong_candidates": list_of(table(row))})


def _wants_candidates(trait: MetricRubricTrait) -> bool:
    """Return whether a reply must have a list of wrong candidates, which are words that are wrong.

    It must in `tp_only`; in `full_matrix` only if the trait has hints.
    """
    return not trait.full or bool(trait.instructions("fp"))


# -- reading ---------------------------------------------------------------------------------------


def read(trait: MetricRubricTrait, text: str, source: Quotable = ANYWHERE) -> Labels:
    """Return the labels that a model's reply stands for, without offsets.

    TP and FP have excerpts, FN and TN have instructions. Words of the request itself, which
    `source` knows, are no excerpts; whether the response has the others is not checked. Raises
    NoAnswer if the text holds no JSON object, or with what is wrong, of which eight things are
    named: as an instruction that is not answered, or is answered twice.
    """
    reading = _ReplyReading(trait, source)
    labels = reading.labels(object_in(text, source.response))
    if reading.faults:
        faults = first_texts(reading.faults, _MOST_FAULTS, "; ")
        raise NoAnswer("incomplete", f"{faults}.")
    return labels


class _ReplyReading:
    """Reads one reply, and collects what is wrong with it in `faults`."""

    def __init__(self, trait: MetricRubricTrait, source: Quotable) -> None:
        """Prepare to read one reply about a trait, of which nothing is wrong yet.

        Words of the request itself, which `source` knows, are no excerpts.
        """
        self._trait = trait
        self._source = source
        self.faults: list[str] = []

    def labels(self, reply: Mapping[str, Any]) -> Labels:
        """Return the labels of a reply: excerpts in TP and FP, instructions in FN and TN.

        "tp_answers", and in `full_matrix` "tn_answers", are an object of answers by number, or a
        list of answers with "instruction". An instruction without an answer is in no bucket; one
        with an unknown verdict, or "found" without an excerpt, is in FN (TN). "wrong_candidates",
        where the trait wants them, are further items of FP; no other items can lack a link.
        Whatever is wrong is added to `faults`, and the rest is returned anyway.
        """
        buckets: defaultdict[Bucket, list[Item]] = defaultdict(list)
        for list_name in lists(self._trait):
            answer_value = reply.get(f"{list_name}_answers")
            # models answer in the one shape or the other
            if isinstance(answer_value, dict):
                answer_rows = rows(list(answer_value.values()))
                answers = list(zip(answer_value, answer_rows, strict=True))
            else:
                answers = [(row.get("instruction"), row) for row in rows(answer_value)]
            for bucket, items in self._verdicts(list_name, answers):
                buckets[bucket] += items
        buckets["fp"] += self._candidates(reply.get("wrong_candidates"))
        return Labels.of(buckets)

    def _verdicts(
        self,
        list_name: List,
        answers: Iterable[tuple[Any, Mapping[str, Any]]],
    ) -> list[tuple[Bucket, list[Item]]]:
        """Return the bucket and items of each instruction of one list, by number.

        `answers` are pairs of a number, as the model wrote it, and the answer. Adds to `faults`
        what is missing, repeated or misnumbered; such an instruction is left out, a repeated one
        has its first answer. Adds what is wrong within an answer, too.
        """
        instructions = self._trait.instructions(list_name)
        verdicts: dict[int, tuple[Bucket, list[Item]]] = {}
        for value, row in answers:
            number = self._number(value, list_name)
            if number in verdicts:
                self.faults.append(
                    f"{_NAMES[list_name]} {number} is answered more than once",
                )
            elif number and whole_number(row.get("instruction", number)) != number:
                self.faults.append(
                    f"the answer to {_NAMES[list_name]} {number} names another instruction",
                )
            elif number:
                verdicts[number] = self._verdict(list_name, number, row)
        unanswered: list[str] = []
        for number, _ in enumerate(instructions, 1):
            if number not in verdicts:
                unanswered.append(str(number))
        if unanswered:
            numbers_text = first_texts(unanswered, _MOST_NUMBERS)
            self.faults.append(f"{_NAMES[list_name]} {numbers_text} is not answered")
        return [verdicts[number] for number in sorted(verdicts)]

    def _verdict(
        self,
        list_name: List,
        number: int,
        row: Mapping[str, Any],
    ) -> tuple[Bucket, list[Item]]:
        """Return the bucket and items of one answer, whose "verdict" may be in any letter case.

        "found" (for a TN instruction "present") gives an item for each of the first three excerpts,
        or one for an omission. It is an omission only if the instruction may be met so and the
        answer's "omission" is true, or is left out together with all excerpts. Any other answer
        gives one item in FN (TN), which for "denied" keeps the first excerpt as its denial.
        Excerpts that repeat the request are ignored. Adds to `faults` an unknown verdict, and
        "found" or "denied" without an excerpt, which go to FN (TN) too.
        """
        bucket, unsaid_in = buckets_of(list_name)
        positive = STANDS[bucket]
        negative = STANDS[unsaid_in]
        wording = text_of(row.get("verdict")).strip().casefold()
        name = f"{_NAMES[list_name]} {number}"
        quotes = quotes_of(self._trait, row.get("excerpts"))
        of_response = [quote for quote in quotes if not self._source.is_own(quote.text)]
        excerpts = of_response[:MOST_EXCERPTS]
        item = Item(
            self._trait.words(list_name, number),
            list_name,
            number,
            rationale=_rationale(row),
        )
        may_be_omitted = self._trait.may_be_omitted(list_name, number)
        # where a reply has no word on an omission, that there is no excerpt says so
        is_omission = row.get("omission", not quotes) is True
        if wording == positive and may_be_omitted and is_omission:
            return bucket, [replace(item, omission=True)]
        if wording in (positive, DENIED) and not excerpts:
            wrong = f'{name} is "{wording}" without an excerpt'
            if quotes:
                wrong = f'{name} is "{wording}" by words of this request, not of the response'
            if wording == positive and may_be_omitted:
                wrong += ', and "omission" is false'
            self.faults.append(wrong)
        elif wording == positive:
            items: list[Item] = []
            for excerpt in excerpts:
                named_step = excerpt.step_no
                items.append(replace(item, text=excerpt.text, named_step=named_step))
            return bucket, items
        elif wording not in (negative, DENIED):
            verdict = quote(row.get("verdict"))
            self.faults.append(
                f'the verdict on {name} is {verdict}, not "{positive}", "{negative}" or "{DENIED}"',
            )
        if wording == DENIED and excerpts:
            denial = excerpts[0]
            item = replace(item, denied=denial.text, named_step=denial.step_no)
        return unsaid_in, [item]

    def _candidates(self, rows_value: Any) -> list[Item]:
        """Return the wrong candidates of a reply as FP items.

        `rows_value` is the reply's value of `wrong_candidates`, which should be a list such as
        [{"excerpt": "Paris", "hint": 1, "rationale": "…"}]. Those that repeat the request are left
        out. Returns an empty list if the trait wants none, whatever the reply has. Adds to `faults`
        if they should be there and are no list, and what is wrong with a candidate, which is
        returned all the same.
        """
        if not _wants_candidates(self._trait):
            return []
        if not isinstance(rows_value, list):
            self.faults.append(
                '"wrong_candidates" is not there (it is an empty list where there are none)',
            )
        items = []
        for row in rows(rows_value):
            if not self._source.is_own(quote_of(self._trait, row.get("excerpt")).text):
                items.append(self._candidate(row))
        return items

    def _candidate(self, row: Mapping[str, Any]) -> Item:
        """Return one wrong candidate as an item, linked to the instruction that it is about.

        That is its hint, else the TP instruction it competes with (in `tp_only`), else none. Adds
        to `faults` an empty excerpt, a number that does not exist, and in `full_matrix` a missing
        hint.
        """
        excerpt = quote_of(self._trait, row.get("excerpt"))
        if not excerpt.text:
            self.faults.append("a wrong candidate has no excerpt")
        hint = rival = None
        if self._trait.instructions("fp") and row.get("hint") is not None:
            hint = self._number(row["hint"], "fp")
        if not self._trait.full and row.get("tp_instruction") is not None:
            rival = self._number(row["tp_instruction"], "tp")
        if self._trait.full and hint is None:
            self.faults.append("a wrong candidate has no hint")
        item = Item(excerpt.text, named_step=excerpt.step_no, rationale=_rationale(row))
        if hint:
            return replace(item, of="fp", instruction=hint)
        if rival:
            return replace(item, of="tp", instruction=rival)
        return item

    def _number(self, value: Any, list_name: List) -> int | None:
        """Return the number (from 1) of an instruction that a model wrote as 3, 3.0 or "3".

        Returns None and adds to `faults` if the value is no whole number or the list has no such
        instruction.
        """
        number = whole_number(value)
        if number is None or not 1 <= number <= len(
            self._trait.instructions(list_name),
        ):
            self.faults.append(f"there is no {_NAMES[list_name]} {quote(value)}")
            return None
        return number


# -- writing ---------------------------------------------------------------------------------------


def as_reply(trait: MetricRubricTrait, labels: Labels, *, as_list: bool = False) -> str:
    """Return labels as the JSON text of the reply that `read` would take for them.

    It is such as {"tp_answers": {"1": {"rationale": "", "excerpts": [], "verdict": "missing"}}};
    with `as_list` the answers are a list, as [{"instruction": 1, …}]. If an instruction has both an
    excerpt and a negative item, the reply has the excerpts, at most three of them. An instruction
    without an item is given as missing or absent. What the reply has no place for is left out:
    unlinked items of TP, FN and TN, and in `full_matrix` all of FP that answer no TN instruction
    and no hint.
    """
    reply: dict[str, Any] = {}
    for list_name in lists(trait):
        omissions = _omissions(trait, list_name)
        answers: dict[int, dict[str, Any]] = {}
        for number, _ in enumerate(trait.instructions(list_name), 1):
            has_omission = number in omissions
            if as_list and omissions:  # all rows of a list have the same fields
                has_omission = True
            answer_values = _answer_values(trait, labels, list_name, number)
            fields = _answer_schemas(trait, list_name, omission=has_omission)
            answers[number] = {field: answer_values[field] for field in fields}
        key = f"{list_name}_answers"
        if not as_list:
            reply[key] = answers
            continue
        reply[key] = [{"instruction": no, **answer} for no, answer in answers.items()]
    if _wants_candidates(trait):
        reply["wrong_candidates"] = _candidate_rows(trait, labels.fp)
    return json.dumps(reply, ensure_ascii=False)


def _answer_values(
    trait: MetricRubricTrait,
    labels: Labels,
    list_name: List,
    number: int,
) -> dict[str, Any]:
    """Return "rationale", "excerpts", "omission" and "verdict" of the answer about an instruction.

    The verdict is that of its bucket. An instruction without an item in its excerpt bucket is
    missing or absent, even if no bucket holds it, and "denied" if an item of its other bucket is.
    At most three excerpts are given, or for a denied instruction the last denial. The reason is
    that of its first item, or "".
    """
    excerpt_bucket, negative_bucket = buckets_of(list_name)
    items, negative_items = (
        [item for item in labels.bucket(bucket) if item.link == (list_name, number)]
        for bucket in (excerpt_bucket, negative_bucket)
    )
    verdict: str = STANDS[excerpt_bucket]
    quotes = [Quote(item.text, item.named_step) for item in items if not item.omission]
    if not items:
        denials = [item for item in negative_items if item.denied]
        quotes = []
        if denials:
            last = denials[-1]
            quotes.append(Quote(last.denied, last.named_step))
        verdict = DENIED if quotes else STANDS[negative_bucket]
    omission = bool(items) and not quotes
    reason = next((item.rationale for item in items or negative_items), "")
    return {
        "rationale": reason,
        "excerpts": [excerpt_reply(trait, quote) for quote in quotes[:MOST_EXCERPTS]],
        "omission": omission,
        "verdict": verdict,
    }


def _candidate_rows(
    trait: MetricRubricTrait,
    items: Iterable[Item],
) -> list[dict[str, Any]]:
    """Return the wrong candidates as a reply has them, in order.

    A row is such as {"excerpt": "Paris", "rationale": "…"}. In `tp_only` it has `tp_instruction`
    too, and for a trait with hints `hint`, both numbers; each is None for an item that is linked
    otherwise. In `full_matrix` these are only the items that match a hint.
    """
    candidates = []
    for item in items:
        if trait.full and item.of != "fp":
            continue
        excerpt = excerpt_reply(trait, Quote(item.text, item.named_step))
        row: dict[str, Any] = {"excerpt": excerpt}
        if not trait.full:
            row["tp_instruction"] = item.instruction if item.of == "tp" else None
        if trait.instructions("fp"):
            row["hint"] = item.instruction if item.of == "fp" else None
        candidates.append({**row, "rationale": item.rationale})
    return candidates


def _right_reply(trait: MetricRubricTrait, example: Example, *, as_list: bool) -> str:
    """Return the JSON reply to an example that would have been right.

    The labels are the people's. The reason for a verdict is the judge's own where its verdict on
    the instruction was the same, else a standard sentence. The answers are such as {"tp_answers":
    {"1": {…}}}; with `as_list` they are a list, as {"tp_answers": [{"instruction": 1, …}]}.
    """
    labels = with_steps(from_table(trait, example.trace, example.table), example.trace)
    judge_labels = from_table(trait, example.trace, example.judged)
    for bucket in BUCKETS:
        judge_items = judge_labels.bucket(bucket)
        reasons = {_wording(item): item.rationale for item in judge_items}
        items: list[Item] = []
        for item in labels.bucket(bucket):
            reason = reasons.get(_wording(item))
            if not reason:
                reason = _plain_reason(trait, bucket, item)
            items.append(replace(item, rationale=reason))
        labels = labels.put(bucket, items)
    return as_reply(trait, labels, as_list=as_list)


def _wording(item: Item) -> tuple[object, ...]:
    """Return what identifies the verdict of an item in its bucket."""
    return item.link, item.denied, item.omission


def _plain_reason(trait: MetricRubricTrait, bucket: Bucket, item: Item) -> str:
    """Return a standard sentence as the reason of a verdict that no judge gave one for.

    It is never empty, because a model would imitate that. It depends on whether the item is a
    denial, an omission, a wrong candidate, an excerpt or an instruction that is not answered.
    """
    if item.denied:
        return "The response says the contrary."
    if item.omission:
        return "The response leaves it out."
    if bucket == "fp" and item.of != "tn":
        return "It stands in the place of an expected item and is wrong."
    if bucket in EXCERPTS:
        return "The response says this."
    if item.link and trait.may_be_omitted(*item.link):
        return "The response does not leave it out."
    return "The response does not say this."


def _rationale(row: Mapping[str, Any]) -> str:
    """Return the reason in a row, or ""."""
    return text_of(row.get("rationale")).strip()


# -- the dialogue ----------------------------------------------------------------------------------


def dialogue(
    trait: MetricRubricTrait,
    trace: Trace,
    briefing: Briefing = UNBRIEFED,
) -> Dialogue[dict[str, Any]]:
    """Ask until a reply can be used, then once about excerpts that show nothing of the response.

    Yields prompts, is sent replies, and returns the judge's table, as `to_table` makes it: {"tp":
    ["a text"], ..., "items": [...]}. The second question is about excerpts that are not found, and
    in a conversation also about those that only a user or the system says; it is left out if there
    are none. New words replace an excerpt as `corrected_quotes` says, and all other excerpts stay,
    found or not. Raises Unreadable if no reply is usable.
    """
    prompt = opening(trait, trace, briefing)
    words = TEMPLATE.wording(briefing.parts)
    reminder = words.say("reminder", name=one_line(trait.name))
    source = quotable(words, prompt, reminder, trace)
    reading = partial(read, trait, source=source)
    answer = yield from ask_until_usable(prompt, reading, partial(retry_text, words))
    quotes: list[Quote] = []
    for item in (*answer.tp, *answer.fp):
        if not item.omission:
            quotes.append(Quote(item.text, item.named_step))
    for item in (*answer.fn, *answer.tn):
        if item.denied:
            quotes.append(Quote(item.denied, item.named_step))
    quotes_found = yield from corrected_quotes(words, prompt, quotes, trace)
    for bucket in EXCERPTS:
        items: list[Item] = []
        for item in answer.bucket(bucket):
            quote = Quote(item.text, item.named_step)
            new_quote = quotes_found.get(quote, quote)
            items.append(
                replace(item, text=new_quote.text, named_step=new_quote.step_no),
            )
        answer = answer.put(bucket, items)
    for bucket in UNSAID:
        negative_items: list[Item] = []
        for item in answer.bucket(bucket):
            new_quote = quotes_found.get(Quote(item.denied, item.named_step), Quote(""))
            negative_items.append(
                replace(item, denied=new_quote.text, named_step=new_quote.step_no),
            )
        answer = answer.put(bucket, negative_items)
    return to_table(answer)

"""How a model sorts one response into the four buckets: prompt, reply and dialogue.

A reply answers every instruction by its number, or it is no answer.
"""

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any

from msgspec.structs import replace

from appellate.core.kind import UNBRIEFED, Briefing, Example, Span, reads_conversation
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
    again,
    example_material,
    excerpt_reply,
    excerpt_schema,
    found_again,
    inert,
    joined,
    material,
    one_line,
    quotable,
    quote_of,
    quotes_of,
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
"""Tokens that an answer takes: its row of the reply, a short sentence and an excerpt."""


def opening(trait: MetricRubricTrait, trace: Trace, briefing: Briefing = UNBRIEFED) -> Prompt:
    """The first prompt about a cell; the same for the same cell and briefing."""
    words = TEMPLATE.wording(briefing.parts)
    given = material(trace, trait.material)
    checklist = readable(_checklist(words, trait))
    reminder = readable(words.say("reminder", name=one_line(trait.name)))

    def form(schema: Schema, *, as_list: bool) -> Form:
        asked = joined([checklist, words.say("shape", shape=shape(schema))])
        shown = []
        for example in briefing.examples:
            reply = inert(_right_reply(trait, example, as_list=as_list))
            labels = from_table(trait, example.trace, example.table)
            evidence = [Span(*item.span) for _, item in labels.items() if item.span]
            shown.append((example_material(example.trace, trait.material, evidence), reply))
        return Form(user_text(words, given, shown, asked, reminder), schema)

    listed = form(listed_schema(trait), as_list=True)
    first = listed
    answers = len(trait.instructions("tp")) + len(trait.instructions("tn"))
    if answers <= most_numbered(trait):
        first = form(schema(trait), as_list=False)
    system = words.say("system").strip()
    usual = USUAL_PER_ANSWER * answers
    return Prompt(
        system,
        *first,
        max_tokens_for(usual),
        template=words.sha256,
        usual_tokens=usual,
        list_form=listed,
        longest_answer=longest_answer_for(usual),
    )


# -- the trait -------------------------------------------------------------------------------------


def _checklist(words: PromptWording, trait: MetricRubricTrait) -> str:
    hints = trait.instructions("fp")
    say = words.say
    parts = [say("trait", name=one_line(trait.name))]
    if trait.description:
        parts.append(say("description", description=trait.description))
    parts.append(say("tp", tp=_numbered(words, trait, "tp")))
    if trait.fn_instructions:
        missed = [f"- {_named(words, trait, text)}" for text in trait.fn_instructions]
        parts.append(say("fn", fn="\n".join(missed)))
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
    """The instructions that may be met by omission, by list and number; "" for none."""
    texts = []
    for of in lists(trait):
        numbers = _omissions(trait, of)
        if numbers:
            named = _NAMES[of] if len(numbers) == 1 else f"{_NAMES[of]}s"
            texts.append(f"{named} {', '.join(map(str, numbers))}")
    return "; ".join(texts)


def _omissions(trait: MetricRubricTrait, of: List) -> list[int]:
    """The instructions of a list that may be met by what the response leaves out."""
    numbers = range(1, len(trait.instructions(of)) + 1)
    return [number for number in numbers if trait.may_be_omitted(of, number)]


def _numbered(words: PromptWording, trait: MetricRubricTrait, of: List) -> str:
    """The instructions of a list, each with its number and its other names."""
    lines = []
    for number, text in enumerate(trait.instructions(of), 1):
        lines.append(f"{number}. {_named(words, trait, text)}")
    return "\n".join(lines)


def _named(words: PromptWording, trait: MetricRubricTrait, text: str) -> str:
    """The words of an instruction on one line, with its other names if it has any."""
    names = [f'"{one_line(name)}"' for name in trait.aliases.get(text, ())]
    if not names:
        return one_line(text)
    return words.say("alias", text=one_line(text), aliases=", ".join(names)).strip()


# -- the reply -------------------------------------------------------------------------------------


DENIED = "denied"
"""The verdict on an instruction that the response contradicts; older replies have none."""
_NAMES: dict[List, str] = {"tp": "TP instruction", "tn": "TN instruction", "fp": "hint"}
_MOST_FAULTS = 8
_MOST_NUMBERS = 20
"""How many the model gets to see: enough for the pattern."""

# -- the schema ------------------------------------------------------------------------------------

MOST_EXCERPTS = 3
"""Excerpts of one instruction: said in the prompt, in the schema, and no more are read."""
MOST_NUMBERED = 1000
"""Answers with a field each, of a row's four: strict servers take no more than 5,000 (OpenAI)."""
_MOST_WITH_STEPS = 700
"""The same where an excerpt has two fields of its own."""


def most_numbered(trait: MetricRubricTrait) -> int:
    """Return how many answers have a field each; beyond that they are listed."""
    return _MOST_WITH_STEPS if reads_conversation(trait) else MOST_NUMBERED


def schema(trait: MetricRubricTrait) -> Schema:
    """The shape of a reply with a field for each answer: held to it, a model can neither leave one
    out nor repeat it.

    Like any that may need repair it ends as `talk.json_reply` expects.
    """
    fields = {}
    answers = {}
    for of in lists(trait):
        omissions = _omissions(trait, of)
        names = [f"{of}_answer"] * len(trait.instructions(of))
        for number in omissions:
            names[number - 1] = f"{of}_omission"
        fields[f"{of}_answers"] = numbered_fields(names)
        for name in dict.fromkeys(names):
            answers[name] = table(_answer(trait, of, omission=name.endswith("_omission")))
    return _with_candidates(trait, fields) | {"$defs": answers}


def listed_schema(trait: MetricRubricTrait) -> Schema:
    """The shape of a reply with a list of answers, each with its number."""
    fields = {}
    for of in lists(trait):
        omission = bool(_omissions(trait, of))
        row = table({"instruction": NUMBER, **_answer(trait, of, omission=omission)})
        fields[f"{of}_answers"] = list_of(row, len(trait.instructions(of)))
    return _with_candidates(trait, fields)


def _answer(trait: MetricRubricTrait, of: List, *, omission: bool) -> dict[str, Schema]:
    """The fields of an answer, reasons first; `omission` where there may be no words."""
    excerpts = list_of(excerpt_schema(trait), MOST_EXCERPTS)
    fields: dict[str, Schema] = {"rationale": TEXT, "excerpts": excerpts}
    if omission:
        fields["omission"] = BOOLEAN
    yes, no = buckets_of(of)
    return {**fields, "verdict": either(STANDS[yes], STANDS[no], DENIED)}


def _with_candidates(trait: MetricRubricTrait, fields: Mapping[str, Schema]) -> Schema:
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
    return not trait.full or bool(trait.instructions("fp"))


# -- reading ---------------------------------------------------------------------------------------


def read(trait: MetricRubricTrait, text: str, source: Quotable = ANYWHERE) -> Labels:
    """The labels that a reply stands for; raises NoAnswer with everything that is wrong with it."""
    reading = _ReplyReading(trait, source)
    labels = reading.labels(object_in(text, source.response))
    if reading.faults:
        raise NoAnswer("incomplete", f"{_some(reading.faults, _MOST_FAULTS, '; ')}.")
    return labels


class _ReplyReading:
    """One reply as it is read, and what is wrong with it so far."""

    def __init__(self, trait: MetricRubricTrait, source: Quotable) -> None:
        self._trait = trait
        self._source = source
        self.faults: list[str] = []

    def labels(self, reply: Mapping[str, Any]) -> Labels:
        """Excerpts in TP and FP, instructions in FN and TN, each linked to what it answers."""
        found: defaultdict[Bucket, list[Item]] = defaultdict(list)
        for of in lists(self._trait):
            given = reply.get(f"{of}_answers")
            answers = [(row.get("instruction"), row) for row in rows(given)]
            if isinstance(given, dict):  # models answer in the one shape or the other
                answers = list(zip(given, rows(list(given.values())), strict=True))
            for bucket, items in self._verdicts(of, answers):
                found[bucket] += items
        found["fp"] += self._candidates(reply.get("wrong_candidates"))
        return Labels.of(found)

    def _verdicts(
        self, of: List, answers: Iterable[tuple[Any, Mapping[str, Any]]]
    ) -> list[tuple[Bucket, list[Item]]]:
        """Where the instructions of one list belong, in their order."""
        instructions = self._trait.instructions(of)
        verdicts: dict[int, tuple[Bucket, list[Item]]] = {}
        for value, row in answers:
            number = self._number(value, of)
            if number in verdicts:
                self.faults.append(f"{_NAMES[of]} {number} is answered more than once")
            elif number and whole_number(row.get("instruction", number)) != number:
                self.faults.append(f"the answer to {_NAMES[of]} {number} names another instruction")
            elif number:
                verdicts[number] = self._verdict(of, number, row)
        left = [str(number) for number in range(1, len(instructions) + 1) if number not in verdicts]
        if left:
            self.faults.append(f"{_NAMES[of]} {_some(left, _MOST_NUMBERS, ', ')} is not answered")
        return [verdicts[number] for number in sorted(verdicts)]

    def _verdict(self, of: List, number: int, row: Mapping[str, Any]) -> tuple[Bucket, list[Item]]:
        """Verdicts "missing" and "absent" rule over excerpts; of a denial the first is it."""
        bucket, unsaid_in = buckets_of(of)
        yes = STANDS[bucket]
        no = STANDS[unsaid_in]
        wording = text_of(row.get("verdict")).strip().casefold()
        name = f"{_NAMES[of]} {number}"
        given = quotes_of(self._trait, row.get("excerpts"))
        excerpts = [one for one in given if not self._source.is_own(one.text)][:MOST_EXCERPTS]
        item = Item(self._trait.words(of, number), of, number, rationale=_rationale(row))
        may_be_omitted = self._trait.may_be_omitted(of, number)
        # where a reply has no word on an omission, that there is no excerpt says so
        if wording == yes and may_be_omitted and row.get("omission", not given) is True:
            return bucket, [replace(item, omission=True)]
        if wording in (yes, DENIED) and not excerpts:
            wrong = f'{name} is "{wording}" without an excerpt'
            if given:
                wrong = f'{name} is "{wording}" by words of this request, not of the response'
            if wording == yes and may_be_omitted:
                wrong += ', and "omission" is false'
            self.faults.append(wrong)
        elif wording == yes:
            return bucket, [
                replace(item, text=one.text, named_step=one.step_no) for one in excerpts
            ]
        elif wording not in (no, DENIED):
            verdict = quote(row.get("verdict"))
            self.faults.append(
                f'the verdict on {name} is {verdict}, not "{yes}", "{no}" or "{DENIED}"'
            )
        if wording == DENIED and excerpts:
            item = replace(item, denied=excerpts[0].text, named_step=excerpts[0].step_no)
        return unsaid_in, [item]

    def _candidates(self, given: Any) -> list[Item]:
        if not _wants_candidates(self._trait):
            return []
        if not isinstance(given, list):
            self.faults.append(
                '"wrong_candidates" is not there (it is an empty list where there are none)'
            )
        found = []
        for row in rows(given):
            if not self._source.is_own(quote_of(self._trait, row.get("excerpt")).text):
                found.append(self._candidate(row))
        return found

    def _candidate(self, row: Mapping[str, Any]) -> Item:
        """One wrong candidate; the link to a hint goes before the link to a TP instruction."""
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

    def _number(self, value: Any, of: List) -> int | None:
        number = whole_number(value)
        if number is None or not 1 <= number <= len(self._trait.instructions(of)):
            self.faults.append(f"there is no {_NAMES[of]} {quote(value)}")
            return None
        return number


# -- writing ---------------------------------------------------------------------------------------


def as_reply(trait: MetricRubricTrait, labels: Labels, *, as_list: bool = False) -> str:
    """The inverse of `read`; of excerpts and an instruction that both stand, the excerpts."""
    reply: dict[str, Any] = {}
    for of in lists(trait):
        omissions = _omissions(trait, of)
        answers = {}
        for number, _ in enumerate(trait.instructions(of), 1):
            omission = number in omissions or (as_list and bool(omissions))
            shown = _shown(trait, labels, of, number)
            fields = _answer(trait, of, omission=omission)
            answers[number] = {field: shown[field] for field in fields}
        reply[f"{of}_answers"] = answers
        if as_list:
            rows = [{"instruction": number, **answer} for number, answer in answers.items()]
            reply[f"{of}_answers"] = rows
    if _wants_candidates(trait):
        reply["wrong_candidates"] = _candidates(trait, labels.fp)
    return json.dumps(reply, ensure_ascii=False)


def _shown(trait: MetricRubricTrait, labels: Labels, of: List, number: int) -> dict[str, Any]:
    """All that an answer may say of an instruction."""
    yes, no = buckets_of(of)
    items, unsaid = (
        [item for item in labels.bucket(bucket) if item.link == (of, number)]
        for bucket in (yes, no)
    )
    verdict: str = STANDS[yes]
    quotes = [Quote(item.text, item.named_step) for item in items if not item.omission]
    if not items:
        quotes = [Quote(item.denied, item.named_step) for item in unsaid if item.denied][-1:]
        verdict = DENIED if quotes else STANDS[no]
    omission = bool(items) and not quotes
    reason = next((item.rationale for item in items or unsaid), "")
    return {
        "rationale": reason,
        "excerpts": [excerpt_reply(trait, one) for one in quotes[:MOST_EXCERPTS]],
        "omission": omission,
        "verdict": verdict,
    }


def _candidates(trait: MetricRubricTrait, items: Iterable[Item]) -> list[dict[str, Any]]:
    """Wrong candidates by the fields of their schema; in `full_matrix` what matches a hint."""
    found = []
    for item in items:
        if trait.full and item.of != "fp":
            continue
        excerpt = excerpt_reply(trait, Quote(item.text, item.named_step))
        row: dict[str, Any] = {"excerpt": excerpt}
        if not trait.full:
            row["tp_instruction"] = item.instruction if item.of == "tp" else None
        if trait.instructions("fp"):
            row["hint"] = item.instruction if item.of == "fp" else None
        found.append({**row, "rationale": item.rationale})
    return found


def _right_reply(trait: MetricRubricTrait, example: Example, *, as_list: bool) -> str:
    """The reply to an example that would have been right, with a reason for each verdict."""
    labels = with_steps(from_table(trait, example.trace, example.table), example.trace)
    judged = from_table(trait, example.trace, example.judged)
    for bucket in BUCKETS:
        reasons = {_wording(item): item.rationale for item in judged.bucket(bucket)}
        reasoned = []
        for item in labels.bucket(bucket):
            reason = reasons.get(_wording(item)) or _plain_reason(trait, bucket, item)
            reasoned.append(replace(item, rationale=reason))
        labels = labels.put(bucket, reasoned)
    return as_reply(trait, labels, as_list=as_list)


def _wording(item: Item) -> tuple[object, ...]:
    """The verdict that an item of a bucket stands for."""
    return item.link, item.denied, item.omission


def _plain_reason(trait: MetricRubricTrait, bucket: Bucket, item: Item) -> str:
    """The reason for a verdict where no judge gave one for it: an empty one would be imitated."""
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
    return text_of(row.get("rationale")).strip()


def _some(texts: Sequence[str], most: int, joint: str) -> str:
    """The first of many, and how many more there are."""
    if len(texts) <= most:
        return joint.join(texts)
    return f"{joint.join(texts[:most])} and {len(texts) - most} more"


# -- the dialogue ----------------------------------------------------------------------------------


def dialogue(
    trait: MetricRubricTrait, trace: Trace, briefing: Briefing = UNBRIEFED
) -> Dialogue[dict[str, Any]]:
    """Asks until every instruction is answered; returns the judge's table. Raises Unreadable."""
    prompt = opening(trait, trace, briefing)
    words = TEMPLATE.wording(briefing.parts)
    reminder = words.say("reminder", name=one_line(trait.name))
    source = quotable(words, prompt, reminder, trace)
    reading = partial(read, trait, source=source)
    answer = yield from ask_until_usable(prompt, reading, partial(again, words))
    quotes: list[Quote] = []
    for item in (*answer.tp, *answer.fp):
        if not item.omission:
            quotes.append(Quote(item.text, item.named_step))
    for item in (*answer.fn, *answer.tn):
        if item.denied:
            quotes.append(Quote(item.denied, item.named_step))
    better = yield from found_again(words, prompt, quotes, trace)
    for bucket in EXCERPTS:
        reworded: list[Item] = []
        for item in answer.bucket(bucket):
            known = Quote(item.text, item.named_step)
            fresh = better.get(known, known)
            reworded.append(replace(item, text=fresh.text, named_step=fresh.step_no))
        answer = answer.put(bucket, reworded)
    for bucket in UNSAID:
        held: list[Item] = []
        for item in answer.bucket(bucket):
            fresh = better.get(Quote(item.denied, item.named_step), Quote(""))
            held.append(replace(item, denied=fresh.text, named_step=fresh.step_no))
        answer = answer.put(bucket, held)
    return to_table(answer)

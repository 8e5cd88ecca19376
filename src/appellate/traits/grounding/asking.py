"""How a model labels one response against its documents: reply and dialogue.

Each sentence has a line of its own after its key, so that none can pass for another.
"""

import json
from collections.abc import Sequence
from functools import partial
from typing import Any

from msgspec.structs import replace

from appellate.core.kind import UNBRIEFED, Briefing, Table
from appellate.core.trace import Trace
from appellate.talk.dialogue import (
    TEXT,
    Dialogue,
    Form,
    NoAnswer,
    Prompt,
    Schema,
    Unreadable,
    ask_until_usable,
    either,
    list_of,
    longest_answer_for,
    max_tokens_for,
    readable,
    shape,
    table,
)
from appellate.talk.json_reply import object_in, quote, rows, text_of
from appellate.traits.grounding import labels as files
from appellate.traits.grounding.labels import SAID, Labels, from_table
from appellate.traits.grounding.sentences import (
    KeyedSentence,
    KeyedSentences,
    KnownKeys,
    sentences_of,
)
from appellate.traits.grounding.spec import GroundingRubricTrait
from appellate.traits.template import (
    PromptTemplate,
    PromptWording,
    Slots,
    again,
    inert,
    joined,
    material,
    one_line,
    user_text,
)

TEMPLATE = PromptTemplate(
    "appellate.traits.grounding",
    {
        "documents": Slots(("nonce", "documents")),
        "task": Slots(),
        "description": Slots(("description",), spare=True),
    },
)
NO_DOCUMENTS = "(no document was retrieved)"
NO_RESPONSE = "(the response is empty)"

# -- the reply -------------------------------------------------------------------------------------

_MOST_TOLD = 20
"""How many sentences a fault names: enough to see the pattern."""
MOST_KEYED = 1000
"""Sentences with a field each, of a row's three: strict servers take 5,000 at most (OpenAI)."""


def schema(keys: Sequence[str]) -> Schema:
    """The shape of a reply with a field for each sentence, so that none is left out."""
    sentences = table({key: {"$ref": "#/$defs/sentence"} for key in keys})
    return _with_sentences(sentences) | {"$defs": {"sentence": table(_SENTENCE)}}


def listed_schema() -> Schema:
    """The shape of a reply with a list of sentences, each with its key."""
    return _with_sentences(list_of(table({"sentence": TEXT, **_SENTENCE})))


_SENTENCE: dict[str, Schema] = {
    "explanation": TEXT,
    "supporting": list_of(TEXT),
    "support": either(*SAID),
}


def _with_sentences(sentences: Schema) -> Schema:
    """In one field, so that a reply cut short shows; explanations first, which labels heed."""
    answer = table(
        {
            "relevance_explanation": TEXT,
            "relevant": list_of(TEXT),
            "overall_explanation": TEXT,
            "sentences": sentences,
            "all_supported": either("yes", "no"),
            "utilized": list_of(TEXT),
        }
    )
    return table({"answer": answer})


class SupportReading:
    """Reads replies about one cell, and keeps the last that leaves out some sentences only."""

    def __init__(self, sentences: KeyedSentences) -> None:
        self._sentences = sentences
        self._quoted = "\n".join(sentence.text for sentence in sentences.response)
        self._response = KnownKeys(sentences.response_keys())
        self.incomplete: dict[str, Any] | None = None

    def read(self, text: str) -> dict[str, Any]:
        """Raises NoAnswer with everything that is wrong with a reply."""
        given = object_in(text, self._quoted)
        answer = given.get("answer", given)
        if not isinstance(answer, dict):
            raise NoAnswer("incomplete", f'"answer" is {quote(answer)}, not an object.')
        faults: list[str] = []
        for key in ("relevant", "utilized"):
            if not isinstance(answer.get(key), list):
                faults += [f'"{key}" is not a list']
        sentences = _sentences_in(answer.get("sentences"), faults)
        values = [self._support(row, faults) for row in sentences]
        named = set(self._response.tidy([row["response_sentence_key"] for row in values]).keys)
        left = [key for key in self._response.known if key not in named]
        read = self._table(answer, values)
        if not faults and left and len(left) < len(self._response.known):
            self.incomplete = read
        if left:
            faults.append(f"response sentence {', '.join(left[:_MOST_TOLD])} is not labelled")
        if faults:
            raise NoAnswer("incomplete", f"{'; '.join(faults)}.")
        return read

    def _support(self, row: Table, faults: list[str]) -> dict[str, Any]:
        """The label of one sentence, as a judge's table has it; adds what is wrong with it."""
        key = text_of(row.get("sentence"))
        verdict = text_of(row.get("support")).strip().casefold()
        if verdict not in SAID:
            known = '"full", "partial" or "none"'
            faults.append(f"the support of {quote(key)} is {quote(verdict)}, not {known}")
        if not self._response.tidy(key).keys:
            faults.append(f"there is no response sentence {quote(key)}")
        fields: dict[str, Any] = {
            "response_sentence_key": key,
            "explanation": text_of(row.get("explanation")).strip(),
            "supporting_sentence_keys": _keys(row.get("supporting")),
            "fully_supported": verdict == "full",
        }
        if verdict != "full":
            fields["partly_supported"] = verdict == "partial"
        return fields

    def _table(self, answer: Table, values: list[dict[str, Any]]) -> dict[str, Any]:
        found: dict[str, Any] = {
            **self._sentences.to_file(),
            files.WHY_RELEVANT: text_of(answer.get("relevance_explanation")).strip(),
            files.RELEVANT: _keys(answer.get("relevant")),
            files.WHY_OVERALL: text_of(answer.get("overall_explanation")).strip(),
        }
        overall = answer.get("all_supported")
        word = text_of(overall).strip().casefold()
        if isinstance(overall, bool) or word in ("yes", "no"):
            found[files.OVERALL] = overall is True or word == "yes"
        return {**found, files.SUPPORT: values, files.UTILIZED: _keys(answer.get("utilized"))}


def _sentences_in(given: object, faults: list[str]) -> list[dict[str, Any]]:
    """The label of each sentence with its key: models answer in the one shape or the other."""
    if isinstance(given, dict):
        return [{**row, "sentence": key} for key, row in given.items() if isinstance(row, dict)]
    if not isinstance(given, list):
        faults.append('"sentences" is not a list')
    return rows(given)


def _keys(given: object) -> list[str]:
    if not isinstance(given, list):
        given = [given]
    return [text for text in map(text_of, given) if text.strip()]


def as_reply(labels: Labels, *, as_list: bool = False) -> str:
    """The reply that would have given these labels: the inverse of `read`."""
    keyed: dict[str, dict[str, Any]] = {}
    for one in labels.support:
        fields = {"explanation": one.explanation, "supporting": list(one.keys)}
        if one.verdict in SAID:
            keyed[one.key] = {**fields, "support": one.verdict}
    sentences: object = keyed
    if as_list:
        sentences = [{"sentence": key, **fields} for key, fields in keyed.items()]
    answer = {
        "relevance_explanation": labels.relevance_explanation,
        "relevant": list(labels.relevant),
        "overall_explanation": labels.overall_explanation,
        "sentences": sentences,
        "all_supported": {True: "yes", False: "no"}[labels.adheres],
        "utilized": list(labels.utilized),
    }
    return json.dumps({"answer": answer}, ensure_ascii=False)


# -- the dialogue ----------------------------------------------------------------------------------

_USUAL = 100
_USUAL_EACH = 35
"""Tokens that a reply takes, and that each sentence of the response adds to it."""


def dialogue(
    trait: GroundingRubricTrait,
    trace: Trace,
    briefing: Briefing = UNBRIEFED,
) -> Dialogue[dict[str, Any]]:
    """Asks until every sentence is labelled, or some are to the last. Raises Unreadable."""
    reading = SupportReading(sentences_of(trace))
    words = TEMPLATE.wording(briefing.parts)
    prompt = opening(trait, trace, briefing)
    try:
        return (yield from ask_until_usable(prompt, reading.read, partial(again, words)))
    except Unreadable:
        if reading.incomplete is None:
            raise
        return reading.incomplete


def opening(trait: GroundingRubricTrait, trace: Trace, briefing: Briefing = UNBRIEFED) -> Prompt:
    """The first prompt about a cell; the same for the same cell and briefing."""
    words = TEMPLATE.wording(briefing.parts)
    sentences = sentences_of(trace)
    given = _material(trait, trace, sentences)
    reminder = readable(words.say("reminder", name=one_line(trait.name)))

    def form(wanted: Schema, *, as_list: bool) -> Form:
        shown = []
        for example in briefing.examples:
            labels = from_table(trait, example.trace, example.table)
            judged = from_table(trait, example.trace, example.judged)
            reply = as_reply(_reasoned(labels, judged), as_list=as_list)
            seen = _material(trait, example.trace, labels.sentences or KeyedSentences())
            shown.append((seen, inert(reply)))
        asked = joined([_task(words, trait), words.say("shape", shape=shape(wanted))])
        return Form(user_text(words, given, shown, asked, reminder), wanted)

    in_lists = form(listed_schema(), as_list=True)
    first = in_lists
    keys = sentences.response_keys()
    if 0 < len(keys) <= MOST_KEYED:
        first = form(schema(keys), as_list=False)
    system = words.say("system").strip()
    usual = _USUAL + _USUAL_EACH * len(sentences.response)
    return Prompt(
        system,
        *first,
        max_tokens_for(usual),
        template=words.sha256,
        usual_tokens=usual,
        list_form=in_lists,
        longest_answer=longest_answer_for(usual),
    )


_PLAIN_REASONS = {
    "full": "The documents say this.",
    "partial": "The documents say a part of this.",
    "none": "The documents do not say this.",
}


def _reasoned(labels: Labels, judged: Labels) -> Labels:
    """The labels with the judge's reasons, or plain ones: an empty one would be imitated."""
    support = [
        replace(one, explanation=one.explanation or _PLAIN_REASONS.get(one.verdict, ""))
        for one in labels.support
    ]
    relevance = overall = ""
    if labels.relevant == judged.relevant:
        relevance = judged.relevance_explanation
    if labels.adheres == judged.adheres:
        overall = judged.overall_explanation
    plain = "Some sentence of the response is not supported in full."
    if labels.adheres:
        plain = "Every sentence of the response is supported in full."
    return replace(
        labels,
        support=tuple(support),
        relevance_explanation=relevance or "These sentences hold what an answer would use.",
        overall_explanation=overall or plain,
    )


def _task(words: PromptWording, trait: GroundingRubricTrait) -> str:
    parts = [words.say("task")]
    if trait.description:
        parts.append(readable(words.say("description", description=trait.description)))
    return joined(parts)


def _material(
    trait: GroundingRubricTrait, trace: Trace, sentences: KeyedSentences
) -> dict[str, str]:
    """The question, the documents and the response, the texts as keyed sentences."""
    given = material(trace, trait.material)
    del given["response"]  # it is after the documents, sentence by sentence
    documents = ["\n".join(map(_line, one)) for one in sentences.documents]
    given["documents"] = "\n\n".join(filter(None, documents)) or NO_DOCUMENTS
    given["response"] = "\n".join(map(_line, sentences.response)) or NO_RESPONSE
    return given


def _line(sentence: KeyedSentence) -> str:
    return f"{sentence.key}: {inert(one_line(sentence.text))}"

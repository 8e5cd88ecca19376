"""Asks a model to label one response against its documents: prompt, reply and dialogue.

Each sentence has its own line after its key, so that none can pass for another.
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
    inert,
    joined,
    material,
    one_line,
    retry_text,
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
"""The largest number of sentences that a fault names: enough for the pattern."""
MOST_KEYED = 1000
"""The largest number of sentences with a field each, of three fields a row: strict servers take
5,000 fields (OpenAI).
"""


def schema(keys: Sequence[str]) -> Schema:
    """Return the shape of a reply with a field for each sentence of `keys`.

    So no sentence can be left out. The fields share one definition.
    """
    fields: dict[str, Schema] = {}
    for key in keys:
        fields[key] = {"$ref": "#/$defs/sentence"}
    definitions = {"sentence": table(_SENTENCE)}
    return {**_with_sentences(table(fields)), "$defs": definitions}


def listed_schema() -> Schema:
    """Return the shape of a reply with a list of sentences, each with its key."""
    return _with_sentences(list_of(table({"sentence": TEXT, **_SENTENCE})))


_SENTENCE: dict[str, Schema] = {
    "explanation": TEXT,
    "supporting": list_of(TEXT),
    "support": either(*SAID),
}


def _with_sentences(sentences: Schema) -> Schema:
    """Return the shape of a whole reply, given the shape of its list of sentences.

    It is {"answer": {..., "sentences": [...], ...}}: all is in one field, so that a reply that is
    cut short can be recognised. Explanations come before the labels that depend on them.
    """
    answer = table(
        {
            "relevance_explanation": TEXT,
            "relevant": list_of(TEXT),
            "overall_explanation": TEXT,
            "sentences": sentences,
            "all_supported": either("yes", "no"),
            "utilized": list_of(TEXT),
        },
    )
    return table({"answer": answer})


class SupportReading:
    """Reads replies about one cell, and keeps the last one that only lacks some sentences."""

    def __init__(self, sentences: KeyedSentences) -> None:
        """Prepare to read replies about a response with these sentences; `incomplete` is None.

        In a reply only the keys of labelled sentences are checked, against those of the response.
        """
        self._sentences = sentences
        self._quoted = "\n".join(sentence.text for sentence in sentences.response)
        self._response = KnownKeys(sentences.response_keys())
        self.incomplete: dict[str, Any] | None = None

    def read(self, text: str) -> dict[str, Any]:
        """Return the judge's table that a reply in JSON stands for.

        The fields may be under "answer" or directly in the reply. Raises NoAnswer with everything
        that is wrong: no JSON, lists that are missing, unknown verdicts, labels of a sentence that
        the response lacks, sentences without a label, of which `_MOST_TOLD` are named at most. Keys
        of document sentences are not checked. If the only fault is that some sentences, but not
        all, have no label, the table is kept in `incomplete`, too.
        """
        reply = object_in(text, self._quoted)
        answer = reply.get("answer", reply)
        if not isinstance(answer, dict):
            raise NoAnswer("incomplete", f'"answer" is {quote(answer)}, not an object.')
        faults: list[str] = []
        for key in ("relevant", "utilized"):
            if not isinstance(answer.get(key), list):
                faults.append(f'"{key}" is not a list')
        sentences = _sentences_in(answer.get("sentences"), faults)
        values = [self._table_row(row, faults) for row in sentences]
        keys_of_reply = [row["response_sentence_key"] for row in values]
        labelled_keys = set(self._response.tidy(keys_of_reply).keys)
        missing_keys = [key for key in self._response.known if key not in labelled_keys]
        table_read = self._table(answer, values)
        if missing_keys:
            is_partly_labelled = len(missing_keys) < len(self._response.known)
            if is_partly_labelled and not faults:
                self.incomplete = table_read
            keys_text = ", ".join(missing_keys[:_MOST_TOLD])
            faults.append(f"response sentence {keys_text} is not labelled")
        if faults:
            all_faults = "; ".join(faults)
            raise NoAnswer("incomplete", f"{all_faults}.")
        return table_read

    def _table_row(self, row: Table, faults: list[str]) -> dict[str, Any]:
        """Return the label of one sentence of a reply as a row of a judge's table.

        The reply has {"sentence": "a", "explanation": "…", "supporting": ["0a"], "support":
        "full"}, the row {"response_sentence_key": "a", …, "fully_supported": true}. The verdict may
        have capitals and white space around it. Adds to `faults` if it is not full, partial or
        none, and if no response sentence has the key. The row of such an answer reads as not
        supported.
        """
        key = text_of(row.get("sentence"))
        verdict = text_of(row.get("support")).strip().casefold()
        if verdict not in SAID:
            known_verdicts = '"full", "partial" or "none"'
            faults.append(
                f"the support of {quote(key)} is {quote(verdict)}, not {known_verdicts}",
            )
        if not self._response.tidy(key).keys:
            faults.append(f"there is no response sentence {quote(key)}")
        fields: dict[str, Any] = {
            "response_sentence_key": key,
            "explanation": text_of(row.get("explanation")).strip(),
            "supporting_sentence_keys": _texts_in(row.get("supporting")),
            "fully_supported": verdict == "full",
        }
        if verdict != "full":
            fields["partly_supported"] = verdict == "partial"
        return fields

    def _table(self, answer: Table, values: list[dict[str, Any]]) -> dict[str, Any]:
        """Return the judge's table of a reply; `values` are the rows of its sentences.

        It has the sentences of documents and response, the relevant and utilized keys as the model
        wrote them, and two explanations without white space around them. The verdict on the whole
        is true or false for "yes" or "no" in any case, or a Boolean; any other is left out.
        """
        why_relevant = text_of(answer.get("relevance_explanation"))
        why_overall = text_of(answer.get("overall_explanation"))
        result: dict[str, Any] = dict(self._sentences.to_file())
        result[files.WHY_RELEVANT] = why_relevant.strip()
        result[files.RELEVANT] = _texts_in(answer.get("relevant"))
        result[files.WHY_OVERALL] = why_overall.strip()
        overall = answer.get("all_supported")
        overall_word = text_of(overall).strip().casefold()
        if isinstance(overall, bool):
            result[files.OVERALL] = overall
        elif overall_word in ("yes", "no"):
            result[files.OVERALL] = overall_word == "yes"
        result[files.SUPPORT] = values
        result[files.UTILIZED] = _texts_in(answer.get("utilized"))
        return result


def _sentences_in(value: object, faults: list[str]) -> list[dict[str, Any]]:
    """Return the rows of a reply's sentences, given a table by keys or a list of rows.

    Rows of a table get their key as "sentence", and entries that are no rows are left out. Rows of
    a list come as they are, with or without a key; an entry that is no row becomes {}. For any
    other value, return an empty list and add to `faults`.
    """
    if isinstance(value, dict):
        rows_with_key: list[dict[str, Any]] = []
        for key, row in value.items():
            if isinstance(row, dict):
                rows_with_key.append({**row, "sentence": key})
        return rows_with_key
    if not isinstance(value, list):
        faults.append('"sentences" is not a list')
    return rows(value)


def _texts_in(value: object) -> list[str]:
    """Return the keys of a list, or of a single text, as the model wrote them.

    Blank ones are left out, and so is whatever is no text.
    """
    if not isinstance(value, list):
        value = [value]
    return [text for text in map(text_of, value) if text.strip()]


def as_reply(labels: Labels, *, as_list: bool) -> str:
    """Return the reply, as JSON, that would have given these labels.

    It is such as {"answer": {"sentences": {"a": {"explanation": "", "supporting": ["0a"],
    "support": "full"}}, "all_supported": "yes", …}}. Unlabelled sentences are left out.
    `all_supported` follows from the sentences, not from the judge's verdict on the whole. `as_list`
    gives the sentences as a list, as [{"sentence": "a", …}].
    """
    keyed: dict[str, dict[str, Any]] = {}
    for support in labels.support:
        fields = {"explanation": support.explanation, "supporting": list(support.keys)}
        if support.verdict in SAID:
            keyed[support.key] = {**fields, "support": support.verdict}
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
    """Ask until every sentence is labelled, a few times at most, and return the judge's table.

    It is a generator of prompts. If the last reply cannot be used either, the last table that
    lacked only some sentences is returned. Raises Unreadable if there is none.
    """
    reading = SupportReading(sentences_of(trace))
    words = TEMPLATE.wording(briefing.parts)
    prompt = opening(trait, trace, briefing)
    try:
        return (
            yield from ask_until_usable(
                prompt,
                reading.read,
                partial(retry_text, words),
            )
        )
    except Unreadable:
        if reading.incomplete is None:
            raise
        return reading.incomplete


def opening(
    trait: GroundingRubricTrait,
    trace: Trace,
    briefing: Briefing = UNBRIEFED,
) -> Prompt:
    """Return the first prompt about a cell, always the same for the same cell and briefing.

    It asks for a field for each response sentence, or for a list if there are none or more than
    `MOST_KEYED`. The form with a list is always in it, to fall back on. It has the briefing's
    examples, and room for a reply in tokens by the number of sentences.
    """
    words = TEMPLATE.wording(briefing.parts)
    sentences = sentences_of(trace)
    materials = _material(trait, trace, sentences)
    reminder = readable(words.say("reminder", name=one_line(trait.name)))

    def form(reply_schema: Schema, *, as_list: bool) -> Form:
        """Return the user's message that asks for a reply of this schema, and the schema as it is.

        `as_list` shapes only the right replies of the examples, so it must fit the schema: True
        with `listed_schema`, which has the sentences as a list, and False with `schema`, which has
        them by their keys.
        """
        examples = []
        for example in briefing.examples:
            labels = from_table(trait, example.trace, example.table)
            judge_labels = from_table(trait, example.trace, example.judged)
            reply = as_reply(_reasoned(labels, judge_labels), as_list=as_list)
            example_texts = _material(
                trait,
                example.trace,
                labels.sentences or KeyedSentences(),
            )
            examples.append((example_texts, inert(reply)))
        question = joined(
            [_task(words, trait), words.say("shape", shape=shape(reply_schema))],
        )
        return Form(
            user_text(words, materials, examples, question, reminder),
            reply_schema,
        )

    in_lists = form(listed_schema(), as_list=True)
    first = in_lists
    keys = sentences.response_keys()
    if 0 < len(keys) <= MOST_KEYED:
        first = form(schema(keys), as_list=False)
    system = words.say("system").strip()
    usual_tokens = _USUAL + _USUAL_EACH * len(sentences.response)
    return Prompt(
        system,
        *first,
        max_tokens_for(usual_tokens),
        template=words.sha256,
        usual_tokens=usual_tokens,
        list_form=in_lists,
        longest_answer=longest_answer_for(usual_tokens),
    )


_PLAIN_REASONS = {
    "full": "The documents say this.",
    "partial": "The documents say a part of this.",
    "none": "The documents do not say this.",
}


def _reasoned(labels: Labels, judge_labels: Labels) -> Labels:
    """Return labels with explanations for an example of a reply: the judge's, or plain ones.

    The judge's are taken where the labels are as the judge has them. An empty explanation would be
    imitated.
    """
    support = [
        replace(
            label,
            explanation=label.explanation or _PLAIN_REASONS.get(label.verdict, ""),
        )
        for label in labels.support
    ]
    relevance = overall = ""
    if labels.relevant == judge_labels.relevant:
        relevance = judge_labels.relevance_explanation
    if labels.adheres == judge_labels.adheres:
        overall = judge_labels.overall_explanation
    plain_overall = "Some sentence of the response is not supported in full."
    if labels.adheres:
        plain_overall = "Every sentence of the response is supported in full."
    return replace(
        labels,
        support=tuple(support),
        relevance_explanation=relevance
        or "These sentences hold what an answer would use.",
        overall_explanation=overall or plain_overall,
    )


def _task(words: PromptWording, trait: GroundingRubricTrait) -> str:
    """Return the part of the prompt that says what to do, with the trait's description at its end.

    The description is left out if the trait has none.
    """
    parts = [words.say("task")]
    if trait.description:
        description = words.say("description", description=trait.description)
        parts.append(readable(description))
    return joined(parts)


def _material(
    trait: GroundingRubricTrait,
    trace: Trace,
    sentences: KeyedSentences,
) -> dict[str, str]:
    """Return the prompt's texts by name: "documents", "response", and "question" if there is one.

    The first two are lines, each a sentence after its key, with an empty line between documents.
    `NO_DOCUMENTS` or `NO_RESPONSE` stands for a text without sentences.
    """
    texts = material(trace, trait.material)
    del texts["response"]  # it is after the documents, sentence by sentence
    documents = [
        "\n".join(map(_keyed_line, document)) for document in sentences.documents
    ]
    texts["documents"] = "\n\n".join(filter(None, documents)) or NO_DOCUMENTS
    texts["response"] = "\n".join(map(_keyed_line, sentences.response)) or NO_RESPONSE
    return texts


def _keyed_line(sentence: KeyedSentence) -> str:
    """Return a sentence as a prompt has it: "0a: its words" on one line, without a line end.

    White space in it becomes single spaces, and chat-template markers are broken.
    """
    text = inert(one_line(sentence.text))
    return f"{sentence.key}: {text}"

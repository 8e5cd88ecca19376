"""Answers with a list of claims, each of which a judge or a person labelled.

| whose | the list | labels |
| --- | --- | --- |
| FActScore | `annotations[].human-atomic-facts` | `label` of people: S, NS, IR |
| FacTool | `claims`, `claim_level_factuality` | `label` of people, `factuality` of the judge |
| Ragas, DeepEval | `statements`, `verdicts` | `verdict` of the judge |
| nuggets (TREC RAG) | `nuggets` | `assignment` of the judge |
| tables of one's own | `claims`, `facts`, `nuggets`, … | `judge`, `human` and the like |

They become a metric trait of their question, whose instructions are the claims. A claim of the
response is in TP if it is supported, in FP if not; its precision is the share that is supported.
A claim of a reference is in TP if the response has it, in FN if not. Claims that are irrelevant
or have no label are left out, and counted.
"""

import json
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import islice
from typing import Literal

from msgspec import Struct

from appellate.core.problem import many, quoted
from appellate.interop.cell_values import text_value
from appellate.interop.foreign import (
    ForeignFile,
    ForeignTrace,
    JudgeVerdict,
    PersonVerdict,
    Row,
    without_empty,
)
from appellate.interop.tables import Rows

OF_RESPONSE = "Claims supported"
"""The trait of claims that the response makes."""
OF_REFERENCE = "Claims found"
"""The trait of claims that the response should make."""
FACTSCORE_PEOPLE = "FActScore's annotators"
Label = Literal["yes", "no", "irrelevant"]

_RESPONSE_LISTS = ("claims", "facts", "atomic_facts", "statements", "propositions")
_REFERENCE_LISTS = ("nuggets", "key_points", "reference_claims", "reference_facts")
_FACTSCORE_LIST = "annotations"
_FACTSCORE_FACTS = "human-atomic-facts"
_FURTHER_LISTS = ("claim_level_factuality", "verdicts")
"""Lists with what a judge says of the claims, in their order."""
_TEXTS = ("claim", "fact", "statement", "nugget", "atom", "proposition", "point", "text")
_EXCERPTS = ("sentence", "excerpt", "quote")
_JUDGES = (
    *("judge", "judge_label", "judge_verdict", "factuality", "verdict", "is_supported"),
    *("supported", "model_label", "prediction", "assignment"),
)
_PEOPLE = ("label", "human", "human_label", "person", "gold", "gold_label", "annotation", "expert")
_REASONS = ("reason", "reasoning", "rationale", "explanation", "judge_reason")
_PEOPLES_REASONS = ("human_reason", "person_reason", "comment")
_LABELS: dict[Label, str] = {
    "yes": "s|supported|support|supports|true|yes|1|correct|right|factual|faithful|entailed"
    "|entailment|found|covered|present",
    "no": "ns|not supported|not_supported|unsupported|not_support|not support|false|no|0"
    "|incorrect|wrong|non-factual|not factual|unfaithful|refuted|refutes|contradicted"
    "|contradiction|contradictory|neutral|not enough info|partial_support|partial support"
    "|missing|absent|not found",
    "irrelevant": "ir|irrelevant|not relevant|not_relevant|n/a",
}
_LABEL_OF: dict[str, Label] = {
    word: label for label, words in _LABELS.items() for word in words.split("|")
}
_LOOKED_AT = 200
"""Rows in which lists of claims are looked for."""


class Claim(Struct, frozen=True):
    """One claim, with the words of a judge's and of a person's label as the file has them."""

    text: str
    excerpt: str = ""
    """Words of the response that make the claim; "" where the file does not say."""
    judge: object = None
    """The judge's label; None where there is none."""
    person: object = None
    """The person's label; None where there is none."""
    reason: str = ""
    person_reason: str = ""


class ClaimList(Struct, frozen=True):
    """The claims of one answer, and where they and their labels stand in its row."""

    claims: Sequence[Claim]
    column: str
    is_reference: bool
    """Whether the response should make them; else it does make them."""
    judge: str = ""
    """The name of the judge; "" if no claim of the row has a label of one."""
    person: str = ""
    """The name of the person; "" if no claim of the row has a label of one."""

    @property
    def trait(self) -> str:
        """The name of the trait that the claims become."""
        return OF_REFERENCE if self.is_reference else OF_RESPONSE


# -- finding them ---------------------------------------------------------------------------------


def are_in(rows: Rows) -> bool:
    """Return whether one of the first rows has a list of claims with labels."""
    return any(lists_in(row) for row in islice(rows(), _LOOKED_AT))


def lists_in(row: Row) -> list[ClaimList]:
    """Return the lists of claims of a row in which some claim has a label; [] for none.

    A claim list of FActScore comes first, and is there even without labels.
    """
    claim_lists: list[ClaimList] = []
    factscore = _factscore_list(row)
    if factscore is not None:
        claim_lists.append(factscore)
    for column in (*_RESPONSE_LISTS, *_REFERENCE_LISTS):
        claims = _tables(row.get(column))
        if not claims:
            continue
        tables = _with_further(claims, row)
        claim_list = _claim_list(tables, column, is_reference=column in _REFERENCE_LISTS)
        if claim_list.judge or claim_list.person:
            claim_lists.append(claim_list)
    return claim_lists


def _tables(value: object) -> list[Row]:
    """Return a list of claims as tables; [] for a value that is no such list.

    A claim that is only a text becomes a table of it. The list may be written as JSON, as a cell of
    CSV has it. An entry that is neither text nor table makes it no list of claims.
    """
    if isinstance(value, str) and value.lstrip().startswith("["):
        with suppress(ValueError, RecursionError):
            value = json.loads(value)
    if not isinstance(value, list):
        return []
    tables: list[Row] = []
    for claim in value:
        if isinstance(claim, str):
            tables.append({"claim": claim})
        elif isinstance(claim, dict):
            tables.append(claim)
        else:
            return []
    return tables


def _with_further(claims: Sequence[Row], row: Row) -> Sequence[Row]:
    """Return claims with what the first fitting further list of their row says of each.

    What a claim says itself goes before. A list of another length says nothing: which of its
    entries is of which claim is not known.
    """
    for column in _FURTHER_LISTS:
        further = row.get(column)
        if isinstance(further, list) and len(further) == len(claims):
            joined: list[Row] = []
            for claim, more in zip(claims, further, strict=True):
                joined.append({**(more if isinstance(more, dict) else {}), **claim})
            return joined
    return claims


def _claim_list(tables: Iterable[Row], column: str, *, is_reference: bool) -> ClaimList:
    """Return the claims that a column holds, with the keys of the judge's and of people's labels.

    A table without text is no claim. The key is that of the first table that has one, as
    `COLUMN.KEY`; it is "" if none has. A reason of a claim that no judge labelled is the person's.
    """
    claims: list[Claim] = []
    judge = ""
    person = ""
    for table in tables:
        text = _text_at(table, _TEXTS)
        if not text:
            continue
        judge_key = _key(table, _JUDGES)
        person_key = _key(table, _PEOPLE)
        judge = judge or (judge_key and f"{column}.{judge_key}")
        person = person or (person_key and f"{column}.{person_key}")
        reason = _text_at(table, _REASONS)
        person_reason = _text_at(table, _PEOPLES_REASONS)
        if not judge_key:
            person_reason = person_reason or reason
        claims.append(
            Claim(
                text,
                _text_at(table, _EXCERPTS),
                table.get(judge_key),
                table.get(person_key),
                reason,
                person_reason,
            )
        )
    return ClaimList(claims, column, is_reference, judge, person)


def _factscore_list(row: Row) -> ClaimList | None:
    """Return the facts that people labelled in a row of FActScore; None for another row.

    Their excerpt is the sentence they are in. A sentence without facts, as one that is not about
    the topic, has none.
    """
    sentences = row.get(_FACTSCORE_LIST)
    if not isinstance(sentences, list) or not sentences:
        return None
    if not all(
        isinstance(sentence, dict) and _FACTSCORE_FACTS in sentence for sentence in sentences
    ):
        return None
    claims: list[Claim] = []
    for sentence in sentences:
        for fact in sentence[_FACTSCORE_FACTS] or ():
            claims.append(Claim(str(fact["text"]), str(sentence["text"]), None, fact["label"]))
    column = f"{_FACTSCORE_LIST}[].{_FACTSCORE_FACTS}"
    return ClaimList(claims, column, is_reference=False, person=FACTSCORE_PEOPLE)


def _key(table: Row, keys: Iterable[str]) -> str:
    """Return the first key under which a table has a label, or "".

    A label is a bool, a whole number, or a text. Blanks, and texts such as "n/a", are none.
    """
    for key in keys:
        value = table.get(key)
        if isinstance(value, bool | int | str) and text_value(value).strip():
            return key
    return ""


def _text_at(table: Row, keys: Iterable[str]) -> str:
    """Return what the first key with a text says, without the blanks around it; "" for none.

    A number or another value is written as text. None, NaN, and texts such as "n/a" count as none.
    """
    for key in keys:
        text = text_value(table.get(key)).strip()
        if text:
            return text
    return ""


# -- a table with them ----------------------------------------------------------------------------


def of_table(file: ForeignFile, rows: Rows) -> ForeignFile:
    """Return a table whose rows have lists of claims with these as traits of their questions.

    `file` is changed and returned. It has a trace for each of `rows`, in order. Rows without an id
    get their number as one, and those with the id of another row their number behind it.
    """
    questions: dict[str, Row] = {}
    columns: dict[str, None] = {}
    ids = Counter(str(trace.record.get("id")) for trace in file.traces())
    repeated_ids = {trace_id for trace_id, count in ids.items() if count > 1}
    for trace, lists in _claims_of_traces(file.traces, rows, repeated_ids):
        for claim_list in lists:
            columns[claim_list.column] = None
            _add_question(questions, _question_id(trace, claim_list), claim_list)
    left_out = Counter[str]()
    tables_traces = file.traces
    tables_notes = file.notes

    def traces() -> Iterator[ForeignTrace]:
        """Yield the traces with the verdicts on their claims, and with the question of these.

        Changes the traces. What is left out is counted anew at each pass.
        """
        left_out.clear()
        for trace, lists in _claims_of_traces(tables_traces, rows, repeated_ids):
            _take_out_of_metadata(trace)
            judged = list(trace.judged)
            people = list(trace.people)
            for claim_list in lists:
                question_id = _question_id(trace, claim_list)
                instructions = _instructions(questions[question_id], claim_list.trait)
                ruled = _Verdicts(claim_list, instructions, left_out)
                judged += ruled.of_judge()
                people += ruled.of_person()
            if lists:
                _give_question(trace, _question_id(trace, lists[0]))
            trace.judged = judged
            trace.people = people
            yield trace

    def notes() -> Sequence[str]:
        """Return the notes about the table, then how many claims were left out and why."""
        sentences = list(tables_notes())
        if left_out["irrelevant"]:
            sentences.append(f"{many(left_out['irrelevant'], 'irrelevant claim')} left out.")
        if left_out["unlabelled"]:
            sentences.append(f"{many(left_out['unlabelled'], 'claim')} without a label left out.")
        return sentences

    file.form = f"{file.form} with claims"
    file.traces = traces
    file.notes = notes
    file.questions = [*file.questions, *questions.values()]
    file.mapping = {**file.mapping, "claims": ", ".join(columns)}
    file.untold = None
    return file


def _claims_of_traces(
    traces: Callable[[], Iterator[ForeignTrace]], rows: Rows, repeated_ids: Collection[str]
) -> Iterator[tuple[ForeignTrace, list[ClaimList]]]:
    """Yield each trace with the lists of claims of its row.

    An id that several rows have is that of their question, as in FacTool's results of several
    models. Such a trace gets the number of its row behind it.
    """
    for number, (trace, row) in enumerate(zip(traces(), rows(), strict=False), 1):
        trace_id = str(trace.record.get("id"))
        if trace_id in repeated_ids:
            trace.record["id"] = f"{trace_id}-{number}"
            trace.record.setdefault("question_id", trace_id)
        yield trace, lists_in(row)


def _question_id(trace: ForeignTrace, claim_list: ClaimList) -> str:
    """Return the id of the question that claims are a trait of.

    Claims of a reference belong to everything that was answered to one question: its id, else its
    text. Those of a response are its own, so the id is the trace's, with its epoch behind it.
    """
    record = trace.record
    trace_key = f"{record.get('id', '')}"
    if record.get("epoch"):
        trace_key = f"{trace_key} {record['epoch']}"
    if claim_list.is_reference:
        return str(record.get("question_id") or record.get("question") or trace_key)
    return trace_key


def _give_question(trace: ForeignTrace, question_id: str) -> None:
    """Give a trace the question that its claims are a trait of; this changes its record.

    The id of another question that it had becomes its cluster, unless it has one, so that answers
    to one question keep together.
    """
    previous_id = trace.record.get("question_id")
    if previous_id not in (None, question_id):
        trace.record.setdefault("cluster", str(previous_id))
    trace.record["question_id"] = question_id


def _take_out_of_metadata(trace: ForeignTrace) -> None:
    """Remove the lists of claims from a trace's metadata, and metadata that is empty then."""
    metadata = trace.record.get("metadata")
    if not isinstance(metadata, dict):
        return
    spent = {*_RESPONSE_LISTS, *_REFERENCE_LISTS, *_FURTHER_LISTS, _FACTSCORE_LIST}
    remaining = {key: value for key, value in metadata.items() if key not in spent}
    trace.record["metadata"] = remaining
    if not remaining:
        del trace.record["metadata"]


def _add_question(questions: dict[str, Row], question_id: str, claim_list: ClaimList) -> None:
    """Add the claims of an answer to the trait of their question; known ones stay as they are.

    Only labelled claims are added, or the first if none is. Makes the question, or the trait, if it
    is new. Changes `questions`; nothing happens without claims.
    """
    texts = [claim.text for claim in claim_list.claims if _is_labelled(claim)]
    if not texts:
        texts = [claim.text for claim in claim_list.claims][:1]
    if not texts:
        return
    question = questions.setdefault(question_id, {"id": question_id, "metric_traits": []})
    for trait in question["metric_traits"]:
        if trait["name"] == claim_list.trait:
            instructions = trait["tp_instructions"]
            instructions += [text for text in texts if text not in instructions]
            return
    trait = {"name": claim_list.trait, **_TRAITS[claim_list.trait]}
    trait["tp_instructions"] = list(dict.fromkeys(texts))
    question["metric_traits"].append(trait)


_TRAITS: dict[str, Row] = {
    OF_RESPONSE: {
        "description": "Which claims of the response are supported?",
        "metrics": ["precision"],
    },
    OF_REFERENCE: {
        "description": "Which of these claims does the response make?",
        "metrics": ["recall"],
    },
}


def _is_labelled(claim: Claim) -> bool:
    """Return whether somebody labelled a claim as relevant."""
    return any(_label(word) in ("yes", "no") for word in (claim.judge, claim.person))


def _instructions(question: Row, trait_name: str) -> list[str]:
    """Return the TP instructions of a question's trait with this name; [] without such a trait."""
    for trait in question["metric_traits"]:
        if trait["name"] == trait_name:
            instructions: list[str] = trait["tp_instructions"]
            return instructions
    return []


# -- verdicts -------------------------------------------------------------------------------------


def _label(word: object) -> Label | None:
    """Return what a label of a claim says; None for no label, and for a word that is not known.

    Case and blanks do not matter.
    """
    text = " ".join(str(word).split()).casefold()
    return _LABEL_OF.get(text)


def _unknown(words: Iterable[object]) -> str:
    """Return why the first label that is not known is none, as a sentence; "" if all are known.

    Words that are None or blank are no labels and are passed over.
    """
    for word in words:
        if word is not None and str(word).strip() and _label(word) is None:
            known_words = "supported, not supported, irrelevant and the like"
            return f"{quoted(str(word))} is no label of a claim: {known_words} are."
    return ""


class _Verdicts:
    """What a judge and a person say of the claims of one answer, as verdicts on its trait."""

    def __init__(
        self,
        claim_list: ClaimList,
        instructions: Sequence[str],
        left_out: Counter[str],
    ) -> None:
        self._list = claim_list
        self._numbers = {text: number for number, text in enumerate(instructions, 1)}
        self._claims = _distinct(claim_list.claims)
        for claim in claim_list.claims:
            labels = {_label(claim.judge), _label(claim.person)}
            if "irrelevant" in labels and not labels & {"yes", "no"}:
                left_out["irrelevant"] += 1
            elif claim.judge is None and claim.person is None:
                left_out["unlabelled"] += 1

    def of_judge(self) -> list[JudgeVerdict]:
        """Return a list of the judge's verdict; [] if no judge labelled a claim.

        It failed if a label is an unknown word, or if every claim is irrelevant.
        """
        if not self._list.judge:
            return []
        wrong = _unknown(claim.judge for claim in self._claims)
        if wrong:
            return [JudgeVerdict(self._list.trait, judge=self._list.judge, failed=wrong)]
        table: Row = {"tp": [], "fn": [], "fp": [], "tn": [], "items": []}
        for claim in self._claims:
            self._put(table, _label(claim.judge), claim, claim.reason)
        if not table["items"]:
            failed = "The judge called every claim irrelevant, or none has its label."
            return [JudgeVerdict(self._list.trait, judge=self._list.judge, failed=failed)]
        reasons = [item["rationale"] for item in table["items"] if "rationale" in item]
        reason = "\n".join(dict.fromkeys(reasons))
        return [JudgeVerdict(self._list.trait, table, reason, self._list.judge)]

    def _put(self, table: Row, label: Label | None, claim: Claim, reason: str) -> None:
        """Put a claim into the lists that its label says; an irrelevant one is in none.

        The words that are looked up in the response are the excerpt that the file names, or those
        of the claim, which may be nowhere. One that is not supported is not found, either: so the
        checklist says of each claim which of the two it is.
        """
        if label == "yes":
            self._add(table, "tp", claim, claim.excerpt or claim.text, reason)
        if label == "no" and not self._list.is_reference:
            self._add(table, "fp", claim, claim.excerpt or claim.text, reason)
        if label == "no":
            self._add(table, "fn", claim, claim.text, reason)

    def _add(self, table: Row, bucket: str, claim: Claim, text: str, reason: str) -> None:
        """Add a text to a bucket, with the instruction that the claim is."""
        number = self._numbers[claim.text]
        item = {"bucket": bucket, "index": len(table[bucket]), "of": "tp", "instruction": number}
        table["items"].append(item | without_empty({"rationale": reason}))
        table[bucket].append(text)

    def of_person(self) -> list[PersonVerdict]:
        """Return the person's verdict; empty where no person labelled a claim in a known word.

        A claim without a label of theirs stays as the judge left it.
        """
        if not self._list.person:
            return []
        wrong = _unknown(claim.person for claim in self._claims)
        if wrong:
            return [PersonVerdict(self._list.trait, wrong, self._list.person)]
        labels = [_label(claim.person) for claim in self._claims]
        if "yes" not in labels and "no" not in labels:
            return []
        table: Row = {"tp": [], "fn": [], "fp": [], "tn": [], "items": []}
        for claim in self._claims:
            label = _label(claim.judge if claim.person is None else claim.person)
            self._put(table, label, claim, claim.person_reason)
        return [PersonVerdict(self._list.trait, table, self._list.person)]


def _distinct(claims: Iterable[Claim]) -> list[Claim]:
    """Return the claims that somebody labelled as relevant, those of one wording once."""
    distinct: dict[str, Claim] = {}
    for claim in claims:
        if _is_labelled(claim) or _unknown((claim.judge, claim.person)):
            distinct.setdefault(claim.text, claim)
    return list(distinct.values())

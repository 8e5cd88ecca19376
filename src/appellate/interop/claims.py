"""Answers with a list of claims, each of which a judge or a person labelled.

| whose | the list | labels |
| --- | --- | --- |
| FActScore | `annotations[].human-atomic-facts` | `label` of people: S, NS, IR |
| FacTool | `claims`, `claim_level_factuality` | `label` of people, `factuality` of the judge |
| Ragas, DeepEval | `statements`, `verdicts` | `verdict` of the judge |
| nuggets (TREC RAG) | `nuggets` | `assignment` of the judge |
| tables of one's own | `claims`, `facts`, `nuggets`, … | `judge`, `human` and the like |
| tables of one claim a row | `claim_rows` makes a list of them | as `--map` says |

They become a metric trait of their question, whose instructions are the claims. A claim of the
response is in TP if it is supported, in FP if not; its precision is the share that is supported.
A claim of a reference is in TP if the response has it, in FN if not; a partly found one is not, and
counted. How important it is, is the tag of its instruction. Claims that are irrelevant or have no
label are left out, and counted.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, Literal

from msgspec import Struct

from appellate.core.problem import many, quoted
from appellate.interop.cell_values import as_written, text_value
from appellate.interop.foreign import (
    ForeignFile,
    ForeignTrace,
    JudgeVerdict,
    PersonVerdict,
    Row,
    as_class,
    is_one_of,
    without_empty,
)
from appellate.interop.proposed_map import OF_REFERENCE, OF_RESPONSE
from appellate.interop.python_literals import value_in_cell
from appellate.interop.said_times import order_of
from appellate.interop.table_map import TraitMap
from appellate.interop.tables import Rows
from appellate.interop.yes_no_words import says_yes

FACTSCORE_PEOPLE = "FActScore's annotators"
Label = Literal["yes", "no", "irrelevant"]

_RESPONSE_LISTS = ("claims", "facts", "atomic_facts", "statements", "propositions")
_REFERENCE_LISTS = ("nuggets", "key_points", "reference_claims", "reference_facts")
_FACTSCORE_LIST = "annotations"
_FACTSCORE_FACTS = "human-atomic-facts"
_FURTHER_LISTS = ("claim_level_factuality", "verdicts")
"""Lists with what a judge says of the claims, in their order."""
_TEXTS = (
    "claim",
    "fact",
    "statement",
    "nugget",
    "atom",
    "proposition",
    "point",
    "text",
)
_EXCERPTS = ("sentence", "excerpt", "quote")
_JUDGES = (
    "judge",
    "judge_label",
    "judge_verdict",
    "factuality",
    "verdict",
    "is_supported",
    "supported",
    "model_label",
    "prediction",
    "assignment",
)
_PEOPLE = (
    "label",
    "human",
    "human_label",
    "person",
    "gold",
    "gold_label",
    "annotation",
    "expert",
)
IMPORTANCE = ("importance", "vitality")
"""Where a nugget says how important it is: vital or okay."""
_REASONS = ("reason", "reasoning", "rationale", "explanation", "judge_reason")
_PEOPLES_REASONS = ("human_reason", "person_reason", "comment")
_LABELS: dict[Label, str] = {
    "yes": "s|supported|support|supports|true|yes|1|correct|right|factual|faithful|entailed"
    "|entailment|found|covered|present",
    "no": "ns|not supported|not_supported|unsupported|not_support|not support|false|no|0"
    "|incorrect|wrong|non-factual|not factual|unfaithful|refuted|refutes|contradicted"
    "|contradiction|contradictory|neutral|not enough info|partial_support|partial support"
    "|partially supported|partly supported|partial|missing|absent|not found",
    "irrelevant": "ir|irrelevant|not relevant|not_relevant|n/a",
}
_PARTIAL = frozenset(
    {"partial support", "partially supported", "partly supported", "partial"},
)
_LABEL_OF: dict[str, Label] = {
    word: label for label, words in _LABELS.items() for word in words.split("|")
}
_LOOKED_AT = 200
"""Rows in which lists of claims are looked for."""


class PersonLabel(Struct, frozen=True):
    """What one person says of one claim."""

    label: object = None
    """The label as the file has it; None where there is none."""
    reason: str = ""
    at: str = ""
    """When they said it, as `said_times.said_time` has it; "" where the file does not say."""


class Claim(Struct, frozen=True):
    """One claim, with the words of a judge's and of people's labels as the file has them."""

    text: str
    excerpt: str = ""
    """Words of the response that make the claim; "" where the file does not say."""
    judge: object = None
    """The judge's label; None where there is none."""
    people: Sequence[PersonLabel] = ()
    """The label of each of the list's people, in their order."""
    reason: str = ""
    """The judge's reason."""
    importance: str = ""
    """How important it is, in a word; "" where the file does not say."""

    @property
    def labels(self) -> list[object]:
        """The judge's label, then those of people."""
        return [self.judge, *(person.label for person in self.people)]


class ClaimList(Struct, frozen=True):
    """The claims of one answer, and where they and their labels stand in its row."""

    claims: Sequence[Claim]
    column: str
    is_reference: bool
    """Whether the response should make them; else it does make them."""
    judge: str = ""
    """The name of the judge; "" if no claim of the row has a label of one."""
    people: Sequence[str] = ()
    """The names of the people; none if no claim of the row has a label of one."""
    trait_name: str = ""
    """What the trait is called that the claims become; "" for the usual name."""
    meaning: TraitMap = TraitMap()
    """What `--map` says of the labels."""

    @property
    def trait(self) -> str:
        """The name of the trait that the claims become."""
        return self.trait_name or (OF_REFERENCE if self.is_reference else OF_RESPONSE)

    @property
    def is_labelled(self) -> bool:
        """Whether some claim has a label."""
        return bool(self.judge or self.people)


# -- finding them ---------------------------------------------------------------------------------


def are_in(rows: Rows) -> bool:
    """Return whether one of a table's first `_LOOKED_AT` rows has a list of claims with labels.

    A list counts if somebody labelled one of its claims: one in a column such as `claims`, `facts`
    or `nuggets`, or FActScore's `annotations`. Reads the rows only up to there.
    """
    return any(lists_in(row) for row in islice(rows(), _LOOKED_AT))


def lists_in(row: Row) -> list[ClaimList]:
    """Return the lists of claims in one row in which somebody labelled a claim; [] for none.

    FActScore's list (`annotations`) comes first, even if it has no fact. Then come the columns of
    `_RESPONSE_LISTS` and of `_REFERENCE_LISTS` in their order. The row is not changed. Raises
    KeyError for a fact of FActScore without `text` or `label`.
    """
    claim_lists: list[ClaimList] = []
    factscore = _factscore_list(row)
    if factscore is not None:
        claim_lists.append(factscore)
    for column in (*_RESPONSE_LISTS, *_REFERENCE_LISTS):
        claims = _claim_tables(row.get(column))
        if not claims:
            continue
        tables = _with_second_list(claims, row)
        claim_list = _claim_list(
            tables,
            column,
            is_reference=column in _REFERENCE_LISTS,
        )
        if claim_list.is_labelled:
            claim_lists.append(claim_list)
    return claim_lists


def _claim_tables(value: object) -> list[Row]:
    """Return the entries of a list of claims, each as a table; [] if the value is no such list.

    An entry that is a text becomes `{"claim": TEXT}`. The list may also be written in a text
    (`_list_in`). A list with any other entry, as a number, is no list of claims.
    """
    tables: list[Row] = []
    for claim in _list_in(value):
        if isinstance(claim, str):
            tables.append({"claim": claim})
        elif isinstance(claim, dict):
            tables.append(claim)
        else:
            return []
    return tables


def _list_in(value: object) -> list[Any]:
    """Return a list, or the one that a cell of CSV has as a text; [] for any other value.

    Such a text is JSON, or a Python literal as pandas writes it. Nothing is run.
    """
    if isinstance(value, str) and value.lstrip().startswith("["):
        value = value_in_cell(value.strip())
    return value if isinstance(value, list) else []


def _with_second_list(claims: Sequence[Row], row: Row) -> Sequence[Row]:
    """Return the claims of a row with what a second list in the row says of each, by position.

    The second list is the first of `_FURTHER_LISTS` that has as many entries as there are claims,
    such as FacTool's `claim_level_factuality`. Its keys are added to each claim; the claim's own
    value of a key wins, and an entry that is no table adds nothing. Without such a list the claims
    are returned as they are.
    """
    for column in _FURTHER_LISTS:
        further = _list_in(row.get(column))
        if claims and len(further) == len(claims):
            joined: list[Row] = []
            for claim, more in zip(claims, further, strict=True):
                joined.append({**(more if isinstance(more, dict) else {}), **claim})
            return joined
    return claims


def _claim_list(tables: Iterable[Row], column: str, *, is_reference: bool) -> ClaimList:
    """Return the claims in a column of a row, with the names of the judge and the person.

    `tables` has one table for each claim; one without text is left out. `judge` and the person's
    name are `COLUMN.KEY` with the first key of a label that a claim has, and "" (no person) if no
    claim has such a label. A reason beside a claim without a label of a judge is the person's.
    `is_reference` says that they are claims of a reference.
    """
    claims: list[Claim] = []
    judge = ""
    person = ""
    for table in tables:
        text = _text_at(table, _TEXTS)
        if not text:
            continue
        judge_key = _label_key(table, _JUDGES)
        person_key = _label_key(table, _PEOPLE)
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
                [PersonLabel(table.get(person_key), person_reason)],
                reason,
                _text_at(table, IMPORTANCE),
            ),
        )
    return ClaimList(claims, column, is_reference, judge, [person] if person else [])


def _factscore_list(row: Row) -> ClaimList | None:
    """Return the facts that people labelled in a row of FActScore; None for a row of another form.

    A row is FActScore's if `annotations` is a list, not empty, of tables with `human-atomic-facts`.
    A fact's excerpt is the sentence that it is in. A sentence whose facts are None or [] gives
    none, nor does a fact whose text is null, so the list of claims can be empty. The person is
    `FACTSCORE_PEOPLE`. Raises KeyError for a fact without `label` or `text`, or whose sentence has
    no `text`.
    """
    sentences = row.get(_FACTSCORE_LIST)
    if not isinstance(sentences, list) or not sentences:
        return None
    if not all(
        isinstance(sentence, dict) and _FACTSCORE_FACTS in sentence
        for sentence in sentences
    ):
        return None
    claims: list[Claim] = []
    for sentence in sentences:
        for fact in sentence[_FACTSCORE_FACTS] or ():
            if fact["text"] is None:
                continue
            people = [PersonLabel(fact["label"])]
            claims.append(
                Claim(str(fact["text"]), as_written(sentence["text"]), people=people),
            )
    column = f"{_FACTSCORE_LIST}[].{_FACTSCORE_FACTS}"
    return ClaimList(claims, column, is_reference=False, people=[FACTSCORE_PEOPLE])


def _label_key(table: Row, keys: Iterable[str]) -> str:
    """Return the first of some keys under which a claim's table has a label; "" if none has one.

    A label is a bool, a whole number (also 1.0) or a text. Blank text and words such as "n/a" are
    no label, and nor is 0.5, a list or a table.
    """
    for key in keys:
        value = table.get(key)
        if isinstance(value, float) and value.is_integer():
            return key
        if isinstance(value, bool | int | str) and text_value(value).strip():
            return key
    return ""


def _text_at(table: Row, keys: Iterable[str]) -> str:
    """Return the text under the first of some keys that has one, without blanks at its ends, or "".

    Any value counts as its text, as 3 does. None, NaN, blanks and words such as "n/a" do not.
    """
    for key in keys:
        text = text_value(table.get(key)).strip()
        if text:
            return text
    return ""


# -- a table with them ----------------------------------------------------------------------------


def _give_verdicts(
    trace: ForeignTrace,
    lists: Sequence[ClaimList],
    questions: Mapping[str, Row],
    left_out: Counter[str],
) -> None:
    """Add to a trace the verdicts of judge and people on its claims, and the id of their question.

    `lists` are the trace's claims. `questions` has, by id (`_question_id`), the questions
    whose traits have the claims as instructions. `trace` is changed; another `question_id`
    that it had becomes its cluster. Without lists nothing is added. Claims that are left
    out are counted in `left_out` by the reason, and so are partly supported ones. Raises
    KeyError for a labelled claim that is no instruction.
    """
    judged = list(trace.judged)
    people = list(trace.people)
    question_id = _question_id(trace, lists)
    for claim_list in lists:
        question = questions.get(question_id, {})
        instructions = _instructions(question, claim_list.trait) or []
        ruled = _Verdicts(claim_list, instructions, left_out)
        judged += ruled.of_judge()
        people += ruled.of_people()
    if lists:
        _give_question(trace, question_id)
    trace.judged = judged
    trace.people = people


def of_table(
    file: ForeignFile,
    claims_of_rows: Callable[[], Iterable[Sequence[ClaimList]]],
) -> ForeignFile:
    """Return a table's file with the claims in its rows as metric traits of their questions.

    `file` itself is changed and returned: its traces get the claims' verdicts and a question, and
    its questions, form, notes and mapping are extended. `claims_of_rows` returns the lists of
    claims of each trace, in their order, from the beginning at each call. All traces are read twice
    here: ids that several rows have get the row's number behind them ("7-3"). The notes say how
    many claims were left out, or counted as something else, in the last pass. The error for a table
    without ids is cleared.
    """
    questions: dict[str, Row] = {}
    columns: dict[str, None] = {}
    id_counts: Counter[str] = Counter()
    for trace in file.traces():
        id_counts[str(trace.record.get("id"))] += 1
    for trace, lists in _claims_of_traces(file.traces, claims_of_rows, id_counts):
        for claim_list in lists:
            columns[claim_list.column] = None
            _add_question(questions, _question_id(trace, lists), claim_list)
    left_out = Counter[str]()
    tables_traces = file.traces
    tables_notes = file.notes

    def traces() -> Iterator[ForeignTrace]:
        """Yield the table's traces with the verdicts on their claims and these claims' question.

        Reads the table from the beginning, and changes each trace that the table's reader yields.
        An id that several rows have gets the row's number behind it. The count of claims left out
        starts again from 0. Lists of claims are taken out of the metadata.
        """
        left_out.clear()
        for trace, lists in _claims_of_traces(
            tables_traces,
            claims_of_rows,
            id_counts,
        ):
            _take_out_of_metadata(trace)
            _give_verdicts(trace, lists, questions, left_out)
            yield trace

    def notes() -> Sequence[str]:
        """Return the table's notes and then a sentence for each reason why claims were left out.

        They are right once the traces have been read to their end.
        """
        return [*tables_notes(), *_left_out_sentences(left_out)]

    file.form = f"{file.form} with claims"
    file.traces = traces
    file.notes = notes
    file.questions = [*file.questions, *questions.values()]
    if columns:
        file.mapping = {**file.mapping, "claims": ", ".join(columns)}
    file.untold = None
    return file


def _left_out_sentences(left_out: Counter[str]) -> Iterator[str]:
    """Yield a sentence for each reason for which claims were left out or counted as not supported.

    `left_out` counts claims by "irrelevant", "unlabelled", "repeated" and "partial". A reason that
    it lacks, or has with 0, has no sentence.
    """
    if left_out["irrelevant"]:
        yield f"{many(left_out['irrelevant'], 'irrelevant claim')} left out."
    if left_out["unlabelled"]:
        yield f"{many(left_out['unlabelled'], 'claim')} without a label left out."
    if left_out["repeated"]:
        repeated = many(left_out["repeated"], "claim")
        yield f"{repeated} left out: the same words are another claim of the answer."
    if left_out["partial"]:
        partial = many(left_out["partial"], "partly supported claim")
        yield f"{partial} counted as not supported."


def _claims_of_traces(
    traces: Callable[[], Iterator[ForeignTrace]],
    claims_of_rows: Callable[[], Iterable[Sequence[ClaimList]]],
    id_counts: Mapping[str, int],
) -> Iterator[tuple[ForeignTrace, Sequence[ClaimList]]]:
    """Yield each trace with the lists of claims of its row, in the order of the file.

    Reads both from the beginning and stops at the end of the shorter one. `id_counts` has how many
    rows have each id. A trace whose id several have is changed: its id becomes `ID-NUMBER` with the
    number of its row from 1, or `ID-NUMBER-NUMBER` if a row is called so, and `ID` its
    `question_id` unless it has one.
    """
    pairs = zip(traces(), claims_of_rows(), strict=False)
    for number, (trace, claim_lists) in enumerate(pairs, 1):
        trace_id = str(trace.record.get("id"))
        if id_counts[trace_id] > 1:
            new_id = f"{trace_id}-{number}"
            while new_id in id_counts:
                new_id += f"-{number}"
            trace.record["id"] = new_id
            trace.record.setdefault("question_id", trace_id)
        yield trace, claim_lists


def _question_id(trace: ForeignTrace, claim_lists: Iterable[ClaimList]) -> str:
    """Return the id of the question that a trace's claims become a trait of.

    Answers to one question share claims of a reference. So if all lists are of a reference,
    or if there are no lists, it is the trace's `question_id`, else its question's text. If
    a list is of the response, or if the trace has neither of these, it is the trace's id
    with its epoch behind it.
    """
    record = trace.record
    trace_key = f"{record.get('id', '')}"
    if record.get("epoch"):
        trace_key = f"{trace_key} {record['epoch']}"
    if all(claim_list.is_reference for claim_list in claim_lists):
        return str(record.get("question_id") or record.get("question") or trace_key)
    return trace_key


def _give_question(trace: ForeignTrace, question_id: str) -> None:
    """Set the `question_id` of a trace's record to that of the question that its claims belong to.

    An other `question_id` that it had becomes its `cluster`, unless it has one, so that answers to
    one question keep together.
    """
    previous_id = trace.record.get("question_id")
    if previous_id not in (None, question_id):
        trace.record.setdefault("cluster", str(previous_id))
    trace.record["question_id"] = question_id


def _take_out_of_metadata(trace: ForeignTrace) -> None:
    """Remove the columns that can hold lists of claims from a trace's metadata; changes its record.

    Metadata that is empty then is removed. Metadata that is no table stays. The dict of metadata
    itself is replaced, not changed.
    """
    metadata = trace.record.get("metadata")
    if not isinstance(metadata, dict):
        return
    spent = {*_RESPONSE_LISTS, *_REFERENCE_LISTS, *_FURTHER_LISTS, _FACTSCORE_LIST}
    remaining = {key: value for key, value in metadata.items() if key not in spent}
    trace.record["metadata"] = remaining
    if not remaining:
        del trace.record["metadata"]


def _add_question(
    questions: dict[str, Row],
    question_id: str,
    claim_list: ClaimList,
) -> None:
    """Add an answer's claims to their question in `questions`, as TP instructions of its trait.

    Only claims that somebody labelled yes or no are added; if none is, only the first claim. How
    important a claim is, is the instruction's tag. The question and the trait are made if they are
    new, with precision as metric for claims of the response and recall for those of a reference. A
    claim with the text of an instruction that is there already is not added again. Changes
    `questions`; nothing happens for a list without claims.
    """
    claims = [
        claim for claim in claim_list.claims if _is_labelled(claim, claim_list.meaning)
    ]
    if not claims:
        claims = list(claim_list.claims[:1])
    if not claims:
        return
    question = questions.setdefault(
        question_id,
        {"id": question_id, "metric_traits": []},
    )
    instructions = _instructions(question, claim_list.trait)
    if instructions is None:
        instructions = []
        usual_keys = _TRAITS[OF_REFERENCE if claim_list.is_reference else OF_RESPONSE]
        trait = {
            "name": claim_list.trait,
            **usual_keys,
            "tp_instructions": instructions,
        }
        if claim_list.meaning.criterion:
            trait["description"] = claim_list.meaning.criterion
        question["metric_traits"].append(trait)
    known_texts = {_text_of(instruction) for instruction in instructions}
    for claim in claims:
        if claim.text not in known_texts:
            instructions.append(_instruction(claim))
            known_texts.add(claim.text)


def _instruction(claim: Claim) -> str | Row:
    """Return a claim as an instruction of a rubric: its text, or a table with importance as tag.

    `"Paris is in France"` without an importance, else `{"text": "Paris is in France", "tags":
    ["vital"]}`.
    """
    if not claim.importance:
        return claim.text
    return {"text": claim.text, "tags": [claim.importance]}


def _text_of(instruction: str | Row) -> str:
    """Return what an instruction of a rubric asks for, word for word.

    An instruction is this text itself, or a table that has it under `text`, beside its tags. Raises
    KeyError for a table without it.
    """
    if isinstance(instruction, str):
        return instruction
    return str(instruction["text"])


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


def _is_labelled(claim: Claim, meaning: TraitMap) -> bool:
    """Return whether the judge or a person labelled a claim yes or no.

    "Irrelevant" and unknown words do not count. `meaning` is what `--map` says of the labels.
    """
    return any(_label(word, meaning) in ("yes", "no") for word in claim.labels)


def _instructions(question: Row, trait_name: str) -> list[str | Row] | None:
    """Return the list of TP instructions of a question's trait; None if it has no such trait.

    It is the question's own list, so that adding to it changes the question.
    """
    for trait in question.get("metric_traits", ()):
        if trait["name"] == trait_name:
            instructions: list[str | Row] = trait["tp_instructions"]
            return instructions
    return None


# -- verdicts -------------------------------------------------------------------------------------


def _label(word: object, meaning: TraitMap) -> Label | None:
    """Return what a label of a claim says: "yes", "no" or "irrelevant"; None for an unknown word.

    None for None and blanks, too. "yes" is supported. Case and blanks do not matter; True is "true"
    and 1.0 is "1". The words that `meaning` (`--map`) gives come first, then `_LABELS`, then the
    usual words for yes and no. "Partly supported" is "no".
    """
    text = " ".join(as_class(word).split()).casefold()
    if is_one_of(text, meaning.positive):
        return "yes"
    if is_one_of(text, meaning.negative):
        return "no"
    if is_one_of(text, meaning.none):
        return "irrelevant"
    label = _LABEL_OF.get(text)
    if label is not None:
        return label
    match says_yes(text):
        case True:
            return "yes"
        case False:
            return "no"
        case _:
            return None


def _has_label(word: object) -> bool:
    """Return whether a label of a claim says anything.

    It does not if it is None, blank, or a word for no value such as "n/a" (`is_missing`). A
    label need not be known.
    """
    return bool(text_value(word).strip())


def _unknown_label_sentence(words: Iterable[object], meaning: TraitMap) -> str:
    """Return a sentence about the first unknown label of a claim; "" if all labels are known.

    None, blanks and words such as "n/a" are passed over. `meaning` is what `--map` says of labels.
    """
    for word in words:
        if _has_label(word) and _label(word, meaning) is None:
            known_words = "supported, not supported, irrelevant and the like"
            return f"{quoted(str(word))} is no label of a claim: {known_words} are."
    return ""


class _Verdicts:
    """What a judge and a person say of the claims of one answer, as verdicts on its trait."""

    def __init__(
        self,
        claim_list: ClaimList,
        instructions: Sequence[str | Row],
        left_out: Counter[str],
    ) -> None:
        """Take the claims of one answer; count those that say nothing in `left_out`, which changes.

        They are counted as "repeated", "irrelevant" and "unlabelled". Claims that are partly
        supported are counted as "partial", but stay. `instructions` are those of the trait,
        numbered from 1.
        """
        self._list = claim_list
        self._meaning = claim_list.meaning
        self._numbers = {
            _text_of(instruction): number
            for number, instruction in enumerate(instructions, 1)
        }
        self._claims = self._distinct_claims(left_out)
        for claim in claim_list.claims:
            labels = {self._label(word) for word in claim.labels}
            if "irrelevant" in labels and not labels & {"yes", "no"}:
                left_out["irrelevant"] += 1
            elif not any(map(_has_label, claim.labels)):
                left_out["unlabelled"] += 1

    def _distinct_claims(self, left_out: Counter[str]) -> list[Claim]:
        """Return the claims of the list that somebody labelled yes, no or with an unknown word.

        If several claims have one text the first is taken, and the others are counted in
        `left_out` as "repeated". Claims taken that are partly supported are counted there
        as "partial". `left_out` is changed.
        """
        distinct: dict[str, Claim] = {}
        for claim in self._list.claims:
            if not _is_labelled(claim, self._meaning):
                wrong = _unknown_label_sentence(claim.labels, self._meaning)
                if not wrong:
                    continue
            if claim.text in distinct:
                left_out["repeated"] += 1
                continue
            distinct[claim.text] = claim
            left_out["partial"] += any(self._is_partial(word) for word in claim.labels)
        return list(distinct.values())

    def _is_partial(self, word: object) -> bool:
        """Return whether a label is partly supported, of which `--map` says nothing.

        Case, blanks and "_" do not matter.
        """
        label = str(word)
        bare = " ".join(label.split())
        bare = bare.casefold().replace("_", " ")
        if bare not in _PARTIAL:
            return False
        meaning = self._meaning
        mapped_words = [*meaning.positive, *meaning.negative, *meaning.none]
        return not is_one_of(label, mapped_words)

    def _label(self, word: object) -> Label | None:
        return _label(word, self._meaning)

    def of_judge(self) -> list[JudgeVerdict]:
        """Return a list of the judge's one verdict on all claims; [] if they have no judge.

        The verdict's value has the lists "tp", "fp", "fn", "tn" and the items that link
        them to instructions, with each claim that the judge labelled yes or no. A yes is in
        "tp". A no is in "fp" and "fn", but of a reference in "fn" only. Its reason is the
        claims' different reasons on lines. It is a failed verdict instead if one of the
        labels is an unknown word, or if no claim has a label that says yes or no.
        """
        if not self._list.judge:
            return []
        wrong = _unknown_label_sentence(
            (claim.judge for claim in self._claims),
            self._meaning,
        )
        if wrong:
            return [
                JudgeVerdict(self._list.trait, judge=self._list.judge, failed=wrong),
            ]
        table = _no_items()
        for claim in self._claims:
            self._put(table, self._label(claim.judge), claim, claim.reason)
        if not table["items"]:
            failed = "The judge called every claim irrelevant, or none has its label."
            return [
                JudgeVerdict(self._list.trait, judge=self._list.judge, failed=failed),
            ]
        reasons = [item["rationale"] for item in table["items"] if "rationale" in item]
        reason = "\n".join(dict.fromkeys(reasons))
        return [JudgeVerdict(self._list.trait, table, reason, self._list.judge)]

    def _put(self, table: Row, label: Label | None, claim: Claim, reason: str) -> None:
        """Add a claim to the lists that its label means in a verdict's `table`, which is changed.

        "yes" puts it into "tp". "no" puts a claim of the response into "fp" and "fn", so that the
        checklist answers both, and a claim of a reference into "fn" only. Any other label, also
        None, adds nothing. The text in "tp" and "fp" is the claim's excerpt from the response, else
        the claim; in "fn" the claim. `reason` is why the label was given, "" for none.
        """
        words_of_response = claim.excerpt or claim.text
        if label == "yes":
            self._add(table, "tp", claim, words_of_response, reason)
        if label == "no":
            if not self._list.is_reference:
                self._add(table, "fp", claim, words_of_response, reason)
            self._add(table, "fn", claim, claim.text, reason)

    def _add(
        self,
        table: Row,
        bucket: str,
        claim: Claim,
        text: str,
        reason: str,
    ) -> None:
        """Add a text to a list of a verdict's `table`, and an item that links it to an instruction.

        Changes `table`. The item has the text's index in the list from 0, and the number of the
        claim's instruction from 1. `reason` becomes its rationale, if not "". Raises KeyError for a
        claim that is no instruction.
        """
        number = self._numbers[claim.text]
        item = {
            "bucket": bucket,
            "index": len(table[bucket]),
            "of": "tp",
            "instruction": number,
        }
        table["items"].append(item | without_empty({"rationale": reason}))
        table[bucket].append(text)

    def of_people(self) -> list[PersonVerdict]:
        """Return the verdict of each person on the claims, in the order of the list's people.

        Its value has the lists "tp", "fp", "fn", "tn" and "items", filled as for the judge's
        verdict: a yes is in "tp", a no in "fp" and "fn", but of a reference in "fn" only. A claim
        that a person left blank has the judge's label. A person who labelled no claim yes or no
        gives no verdict. One who used an unknown word gives a verdict whose value is a sentence
        about that, so that it is refused later as a value.
        """
        verdicts: list[PersonVerdict] = []
        for index, name in enumerate(self._list.people):
            verdict = self._of_person(index, name)
            if verdict is not None:
                verdicts.append(verdict)
        return verdicts

    def _of_person(self, index: int, name: str) -> PersonVerdict | None:
        """Return the verdict of the list's person at `index` (from 0), who is called `name`.

        Its value has the lists "tp", "fp", "fn", "tn", and "items" that link them to instructions.
        If one of their labels is an unknown word, the value is a sentence about that instead, and
        has no time. Otherwise None if they labelled no claim yes or no. A claim that they left
        blank has the judge's label in their verdict. The time is the latest of their labels.
        """
        theirs = [claim.people[index] for claim in self._claims]
        wrong = _unknown_label_sentence(
            (person.label for person in theirs),
            self._meaning,
        )
        if wrong:
            return PersonVerdict(self._list.trait, wrong, name)
        if not any(self._label(person.label) in ("yes", "no") for person in theirs):
            return None
        table = _no_items()
        for claim, person in zip(self._claims, theirs, strict=True):
            word = person.label if _has_label(person.label) else claim.judge
            self._put(table, self._label(word), claim, person.reason)
        timestamp = max((person.at for person in theirs), key=order_of)
        return PersonVerdict(self._list.trait, table, name, at=timestamp)


def _no_items() -> Row:
    """Return an empty metric verdict: the lists tp, fn, fp, tn and items, new ones at each call."""
    return {"tp": [], "fn": [], "fp": [], "tn": [], "items": []}

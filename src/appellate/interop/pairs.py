"""Files that say which of two responses is better: each row becomes a trace with an `other`.

| whose | known by | `response` and `other` |
| --- | --- | --- |
| LLMBar, with or without an evaluator's results | `output_1`, `output_2`, `label` | 1 and 2 |
| PandaLM's test set, alone or with a judge's file | `idx`, `response1`, `annotator1` | 1 and 2 |
| MT-bench, pairs (FastChat's `gen_judgment`) | `g1_winner`, `g2_winner` | model 1 and 2 |
| AlpacaEval annotations | `output_1`, `output_2`, `preference` | 2 and 1: its win rate is of 2 |
| Chatbot Arena, MT-bench's human judgments | `model_a`, `model_b`, `conversation_a` | a and b |
| Arena's votes for Kaggle | `response_a`, `response_b`, `winner_tie` | a and b |

Ids of traces name no model, so that a person does not learn from them who wrote what.
"""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import islice
from typing import Any, NamedTuple

from msgspec.structs import replace

from appellate.core.problem import many
from appellate.interop.cell_values import as_written, cell_value
from appellate.interop.foreign import (
    PAIRWISE,
    ForeignFile,
    ForeignTrace,
    ForeignTrait,
    JudgeVerdict,
    PersonVerdict,
    Row,
    as_class,
    table_at,
    text_of_parts,
    trait_name,
    without_empty,
)
from appellate.interop.said_times import said_time
from appellate.interop.tables import Rows

TRAIT = "Which is better"
RESPONSE = "response"
OTHER = "other"
TIE = "tie"
EXPERTS = "LLMBar's experts"
PANDALM_PEOPLE = ("annotator1", "annotator2", "annotator3")
_NUMBERED = {"1": RESPONSE, "2": OTHER, "0": TIE, "Tie": TIE, "tie": TIE}
"""What the numbers of the two responses stand for."""
_MODELS = {"model_1": RESPONSE, "model_2": OTHER, "tie": TIE}
_LETTERED = {
    "model_a": RESPONSE,
    "model_b": OTHER,
    "tie": TIE,
    "tie (bothbad)": TIE,
    "bothbad": TIE,
    "both_bad": TIE,
}
_EVEN = 1.5
"""AlpacaEval's preference where neither is better: 1 is the first, 2 the second response."""


class _Form(NamedTuple):
    """A file of pairs that is recognised by the keys of its rows."""

    name: str
    keys: frozenset[str]
    trace: Callable[[Row, int], ForeignTrace]
    """Makes a trace of a row and its number, from 1."""
    mapping: Mapping[str, str]
    question: str = "Which response is better?"


def form_of(row: Row) -> str:
    """Return the name of the format of pairs that a row has, as "LLMBar", by its keys; or ""."""
    form = _form(row)
    if form:
        return form.name
    return ""


def is_judged_pandalm(row: Row) -> bool:
    """Return whether a row is a judge's verdict on PandaLM's test set, without the two responses.

    It has the keys `idx` and one that ends in `_result`, but no `response1`.
    """
    return "idx" in row and _prefix(row) != "" and "response1" not in row


def read(rows: Rows) -> ForeignFile:
    """Return what a file of pairs holds, in the format of its first row.

    `rows` returns the rows from the first one at each call. Only the first is read here.
    Each row becomes a trace with two responses; the rows of an arena that are about one
    pair become one trace, with the first verdict of a person on it. Further ones are
    counted in a note, once traces were read. Raises ValueError if the first row is no pair,
    and StopIteration without a row.
    """
    form = _form(next(iter(rows())))
    if form is None:
        raise ValueError("the first row is no pair")

    further = Counter[str]()

    def traces() -> Iterator[ForeignTrace]:
        """Yield the pairs as traces with the verdicts on them, in order, reading the rows anew.

        Each row is a trace. But the rows of an arena that are about one pair are one trace,
        which has the first verdict of people and of a judge. Further verdicts of people are
        only counted.
        """
        further.clear()
        if form.name != _ARENA.name:
            for number, row in enumerate(rows(), 1):
                yield form.trace(row, number)
            return
        yield from _merged_votes(rows, further)

    def notes() -> Sequence[str]:
        """Return a list of one sentence on how many verdicts of people were left out, or ().

        They are those of arenas, whose pairs keep the first. It is about the last reading of the
        traces; () before.
        """
        if not further["people"]:
            return ()
        count_text = many(
            further["people"],
            "further verdict of people",
            "further verdicts of people",
        )
        return [f"{count_text} left out: a pair keeps the first."]

    return _file(form.name, traces, form.mapping, form.question, notes)


def joined(test_set: Rows, verdicts: Rows) -> ForeignFile:
    """Return what PandaLM's test set holds, with a judge's verdicts from another file, by `idx`.

    `test_set` is read at each pass, and `verdicts` once here and held in memory. A pair without a
    verdict has none; a verdict without a pair or with a null `idx` is ignored, and of several on
    one pair the last counts. Raises KeyError for a verdict without `idx`.
    """
    by_id = {as_written(row["idx"]): row for row in verdicts()}
    by_id.pop("", None)

    def traces() -> Iterator[ForeignTrace]:
        """Yield the trace of each row of PandaLM's test set, with the judge's verdict if any.

        The majority of people is a verdict as well. Reads the test set anew. Raises KeyError for a
        row without `idx`.
        """
        for number, row in enumerate(test_set(), 1):
            trace = _pandalm_trace(row, number)
            verdict_row = by_id.get(as_written(row["idx"]))
            if verdict_row is not None:
                trace.judged = [_pandalm_verdict(verdict_row)]
            yield trace

    prefix = _prefix(next(iter(by_id.values()), {}))
    mapping = {
        **_PANDALM.mapping,
        "verdicts": f"{prefix}_result",
        "reasons": f"{prefix}_reason",
    }
    return _file(_PANDALM.name, traces, mapping, _PANDALM.question, list)


_SPELLINGS = {
    RESPONSE: "a 1 first left response response_a response_1 answer_a answer_1 output_1"
    " model_a model_1",
    OTHER: "b 2 second right other response_b response_2 answer_b answer_2 output_2"
    " model_b model_2",
    TIE: "draw equal same both neither bothbad both_bad",
}
"""What tables call the two responses and a tie, in any case; what begins with "tie" is one, too."""
_SPELLED = {
    word: winner for winner, words in _SPELLINGS.items() for word in words.split()
}


def of_table(file: ForeignFile) -> ForeignFile:
    """Turn a table with a second response in a column into a file of pairs; return that file.

    `file` itself is changed. Its mapped traits become pairwise: a verdict is "response", "other" or
    "tie", read from usual spellings such as "A", "model_b" or "2". 0 is a tie if a verdict among
    the first ones is 2; otherwise it is no side, since it may be the first of 0 and 1. A judge's
    verdict that is no side failed. A person's stays as it is, to be refused later. A record's
    second response becomes a table, with its model.
    """
    tables_traces = file.traces

    def traces() -> Iterator[ForeignTrace]:
        """Yield the table's traces as pairs; their verdicts are "response", "other" or "tie".

        A second response that is text becomes the table `other` of the record, with its model. A
        judge's verdict that is no side failed; a person's stays as it is. The first `_LOOKED_AT`
        traces are read twice, to see whether 2 is a verdict, so that 0 is a tie. Changes each
        trace.
        """
        first_traces = list(islice(tables_traces(), _LOOKED_AT))
        words = _SPELLED
        if any(_says_second(trace) for trace in first_traces):
            words = {**_SPELLED, "0": TIE}
        for trace in tables_traces():
            model = trace.record.pop("other.model", None)
            if isinstance(trace.record.get(OTHER), str):
                trace.record[OTHER] = without_empty({"model": model}) | {
                    RESPONSE: trace.record[OTHER],
                }
            trace.judged = [_with_winner(verdict, words) for verdict in trace.judged]
            trace.people = [
                replace(
                    person,
                    value=_winner_spelled(person.value, words) or person.value,
                )
                for person in trace.people
            ]
            yield trace

    for key in file.mapping:
        part, _, name = key.partition(".")
        if part in ("verdict", "person"):
            trait = file.traits.setdefault(
                trait_name(name),
                ForeignTrait(trait_name(name)),
            )
            trait.key = PAIRWISE
            trait.table = without_empty({"description": trait.description})
    file.traces = traces
    return file


_LOOKED_AT = 200
"""So many rows are looked at to know whether their verdicts are 0, 1 and 2."""


def _says_second(trace: ForeignTrace) -> bool:
    """Return whether some verdict on a pair, a judge's or a person's, has the value 2, 2.0 or "2".

    Other texts, as "2.0" or " 2", do not count.
    """
    values = [verdict.value for verdict in trace.judged]
    values += [verdict.value for verdict in trace.people]
    return any(as_class(value) == "2" for value in values)


def _with_winner(verdict: JudgeVerdict, words: Mapping[str, str]) -> JudgeVerdict:
    """Return a judge's verdict on a pair with the winner as value, from what a table says.

    `words` has the winner by its spellings. A value that is none of them gives a failed verdict; a
    verdict that failed already is returned as it is.
    """
    if verdict.failed:
        return verdict
    winner = _winner_spelled(verdict.value, words)
    if winner is None:
        failed = f"The verdict is {verdict.value!r}, and not A, B or a tie."
        return replace(verdict, value=None, failed=failed)
    return replace(verdict, value=winner)


def _winner_spelled(value: object, words: Mapping[str, str]) -> str | None:
    """Return the winner of a pair that a value means: "response", "other" or "tie"; else None.

    `words` has the winners by their spellings in small letters. Case, blanks and " wins" at the end
    do not matter. Whatever begins with "tie" is a tie.
    """
    text = " ".join(as_class(value).casefold().split()).removesuffix(" wins")
    if text.startswith("tie"):
        return TIE
    return words.get(text)


def _file(
    name: str,
    traces: Callable[[], Iterator[ForeignTrace]],
    mapping: Mapping[str, str],
    question: str,
    notes: Callable[[], Sequence[str]],
) -> ForeignFile:
    """Return a file of pairs with one pairwise trait (`TRAIT`) that asks `question`.

    `name` is what its form is called. `traces` reads it anew at each call, and `notes` makes
    sentences on its last reading. Neither is called here.
    """
    trait = ForeignTrait(TRAIT, key=PAIRWISE, table={"description": question})
    return ForeignFile(name, traces, mapping, {TRAIT: trait}, notes=notes)


def _form(row: Row) -> _Form | None:
    """Return the form of a row, or None if it is none of these."""
    return next((form for form in _FORMS if form.keys <= row.keys()), None)


def _text(value: object) -> object:
    """Return a response of a pair as text: anything but text becomes JSON, and None stays None.

    True becomes "true", 3 becomes "3".
    """
    if value is None or isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False)


# -- verdicts -------------------------------------------------------------------------------------


def _numbered_winner(value: object) -> str | None:
    """Return the winner that the number of a response names: "response" for 1, "other" for 2, "tie"
    for 0.

    The number may be a text with blanks around it, as in CSV, and have a point, as "1.0". "tie" and
    "Tie" are a tie, too. None for any other value, also "TIE" and 3.
    """
    return _NUMBERED.get(as_class(cell_value(value)))


def _verdict(
    winner: str | None,
    answer: object,
    reason: str,
    judge: str,
) -> JudgeVerdict:
    """Return a judge's verdict on a pair with this winner: "response", "other" or "tie".

    For None it is a failed verdict that quotes `answer`, what the file says.
    """
    if winner is None:
        return JudgeVerdict(
            TRAIT,
            judge=judge,
            failed=f"The verdict is {_quotation(answer)}.",
            reason=reason,
        )
    return JudgeVerdict(TRAIT, winner, reason, judge)


def _quotation(answer: object) -> str:
    """Return what a file says as a verdict, as Python writes it; "missing" for None."""
    return "missing" if answer is None else repr(answer)


def _verdict_of_both_orders(
    winners: Sequence[str | None],
    answers: Sequence[object],
    reasons: Sequence[str],
    judge: str,
) -> JudgeVerdict:
    """Return one verdict of a judge that was asked twice, the second time with responses swapped.

    `winners` ("response", "other", "tie" or None), `answers` (as the file has them) and `reasons`
    have two members each, the first for the order with the response first. Two different winners
    are a tie. The value is a table: `class` is the result, and `orders` both winners. The reason
    has a line for each order. If a winner is None the verdict failed, with that reason, and quotes
    both answers.
    """
    lines = []
    for name, reason in zip((RESPONSE, OTHER), reasons, strict=True):
        lines.append(f"[{name} first] {' '.join(reason.split())}")
    reason = "\n".join(lines)
    if None in winners:
        both = f"{_quotation(answers[0])} and {_quotation(answers[1])}"
        failed = f"The verdicts of the two orders are {both}."
        return JudgeVerdict(TRAIT, judge=judge, failed=failed, reason=reason)
    winner = winners[0] if winners[0] == winners[1] else TIE
    return JudgeVerdict(
        TRAIT,
        {"class": winner, "orders": list(winners)},
        reason,
        judge,
    )


# -- LLMBar and AlpacaEval ------------------------------------------------------------------------


def _llmbar_trace(row: Row, number: int) -> ForeignTrace:
    """Return the trace of a row of LLMBar: the label is a person's verdict, its results a judge's.

    The response is `output_1`, the other one `output_2`. The person is `EXPERTS`. The judge's
    verdict is made of both orders in the first of `results`, whose winners are 1 for `output_1` and
    2 for `output_2` also where these were swapped: a tie if they differ. Without results there is
    none. A label that is no side gives no verdict. `number` is the id. Raises KeyError for a row
    without `input`, an output or `label`.
    """
    record = without_empty({"id": str(number), "question": row["input"]})
    record |= {
        RESPONSE: _text(row["output_1"]),
        OTHER: {RESPONSE: _text(row["output_2"])},
    }
    people = []
    label = _numbered_winner(row["label"])
    if label is not None:
        people.append(PersonVerdict(TRAIT, label, EXPERTS))
    judged = []
    results = row.get("results")
    if isinstance(results, list) and results:
        orders = [
            table_at(results[0], f"swap = {swapped}") for swapped in (False, True)
        ]
        answers = [order.get("winner") for order in orders]
        reasons: list[str] = []
        for order in orders:
            completions = order.get("completion") or [""]
            reasons.append(as_written(completions[0]))
        winners = [_numbered_winner(winner) for winner in answers]
        judged.append(
            _verdict_of_both_orders(winners, answers, reasons, "LLMBar evaluator"),
        )
    return ForeignTrace(record, judged, people)


def _alpaca_eval_trace(row: Row, number: int) -> ForeignTrace:
    """Return the trace of a row of AlpacaEval, with the preference as the judge's verdict.

    The response is `output_2`, since AlpacaEval's win rate is of that one, and `output_1` the
    other. A preference above 1.5 is for the response, below it for the other; 1.5 and 0 are a tie,
    and no number or NaN a failed verdict. `number` is the id. Raises KeyError for a missing output
    or preference.
    """
    record = without_empty(
        {
            "id": str(number),
            "question": row.get("instruction"),
            "model": row.get("generator_2"),
            "metadata": without_empty({"dataset": row.get("dataset")}),
        },
    )
    other_response = without_empty({"model": row.get("generator_1")}) | {
        RESPONSE: _text(row["output_1"]),
    }
    record |= {RESPONSE: _text(row["output_2"]), OTHER: other_response}
    preference = cell_value(row["preference"])
    judge = str(row.get("annotator") or "AlpacaEval")
    reason = str(row.get("raw_completion") or "")
    winner = None
    if isinstance(preference, int | float):
        winner = TIE
        if preference and preference != _EVEN:
            winner = RESPONSE if preference > _EVEN else OTHER
    return ForeignTrace(record, [_verdict(winner, row["preference"], reason, judge)])


# -- PandaLM --------------------------------------------------------------------------------------


def _pandalm_trace(row: Row, number: int) -> ForeignTrace:
    """Return the trace of a row of PandaLM's test set, with the majority of people as a verdict.

    The response is `response1`, the other one `response2`. The question is the instruction and its
    input; the models are the two parts of `cmp_key`. Without a majority there is no verdict. The
    single votes are in the metadata. The id is `idx`, or `number` if that is null. Raises
    KeyError without `idx` or a response.
    """
    models = as_written(row.get("cmp_key")).partition("_")
    question = "\n\n".join(filter(None, (row.get("instruction"), row.get("input"))))
    votes = {
        name: row[name] for name in PANDALM_PEOPLE if row.get(name) not in (None, "")
    }
    metadata = without_empty({"motivation_app": row.get("motivation_app")}) | votes
    record = without_empty(
        {
            "id": as_written(row["idx"]) or str(number),
            "question": question,
            "model": models[0],
        },
    )
    record |= {
        RESPONSE: _text(row["response1"]),
        OTHER: without_empty({"model": models[2]})
        | {RESPONSE: _text(row["response2"])},
        "metadata": metadata,
    }
    people = []
    winner = _majority(list(votes.values()))
    if winner is not None:
        people.append(PersonVerdict(TRAIT, winner, f"majority of {', '.join(votes)}"))
    return ForeignTrace(record, (), people)


def _majority(votes: Sequence[object]) -> str | None:
    """Return the winner that more than half of PandaLM's votes name, or None.

    Votes 1, 2 and 0 name "response", "other" and "tie", one of which is returned. A vote that
    means nothing counts among all votes. None without votes.
    """
    counts = Counter(map(_numbered_winner, votes))
    for winner, count in counts.most_common(1):
        if count * 2 > len(votes):
            return winner
    return None


def _prefix(row: Row) -> str:
    """Return the judge's name in a row of PandaLM's results, from its key `NAME_result`; or "".

    The first such key counts.
    """
    return next(
        (key.removesuffix("_result") for key in row if key.endswith("_result")),
        "",
    )


def _pandalm_verdict(row: Row) -> JudgeVerdict:
    """Return a judge's verdict in a row of PandaLM's results, called after its key `NAME_result`.

    It failed, and quotes the value, if that names no side. Raises KeyError without such a key.
    """
    judge = _prefix(row)
    answer = row[f"{judge}_result"]
    winner = _numbered_winner(answer)
    reason = row.get(f"{judge}_reason") or ""
    return _verdict(winner, answer, str(reason), judge)


# -- MT-bench -------------------------------------------------------------------------------------

_QUESTION_START = re.compile(r"(?:\[User Question\]|### User:)\n")
_QUESTION_END = re.compile(r"\n\n(?:\[The Start|<\|The Start|### Assistant)")
_ANSWER_BOUNDS = (
    (
        r"\[The Start of Assistant {0}'s Answer\]\n",
        r"\n\[The End of Assistant {0}'s Answer\]",
    ),
    (
        r"<\|The Start of Assistant {0}'s [^|]*\|>\n",
        r"\n<\|The End of Assistant {0}'s [^|]*\|>",
    ),
)
"""Patterns of what goes before and after an answer, in FastChat's forms of a prompt."""


def _mt_bench_trace(row: Row, number: int) -> ForeignTrace:
    """Return the trace of a pair of MT-bench, with one verdict of the judge made of both orders.

    Both responses are cut out of the prompt of the first order; None if it is not written as
    FastChat does. In a conversation of two turns a response has both answers. If the orders name
    two winners it is a tie. The judge is the row's, else "MT-bench". The id is made of the
    question, the turn and `number`. Raises KeyError for a missing column.
    """
    prompt = str(row["g1_user_prompt"])
    question = _text_between(prompt, _QUESTION_START, _QUESTION_END)
    record = without_empty(
        {
            "id": f"{row['question_id']}-{row.get('turn') or 1}-{number}",
            "cluster": str(row["question_id"]),
            "question": None if question is None else question.strip(),
            "model": row["model_1"],
        },
    )
    record[RESPONSE] = _answer_in_prompt(prompt, "A")
    record[OTHER] = {RESPONSE: _answer_in_prompt(prompt, "B"), "model": row["model_2"]}
    answers = [row["g1_winner"], row["g2_winner"]]
    first_reason = str(row.get("g1_judgment") or "")
    second_reason = str(row.get("g2_judgment") or "")
    reasons = [first_reason, second_reason]
    winners = [_MODELS.get(str(winner)) for winner in answers]
    judge = row.get("judge")
    if isinstance(judge, list) and judge:
        judge = judge[0]
    name = str(judge or "MT-bench")
    return ForeignTrace(
        record,
        [_verdict_of_both_orders(winners, answers, reasons, name)],
    )


def _answer_in_prompt(prompt: str, letter: str) -> str | None:
    """Return the answer of assistant `letter` ("A", "B") in a prompt of FastChat, else None.

    Line ends around it are removed, and blanks stay. The letter is removed from the headings `###
    Assistant A:` within the answer, so that it does not tell the side.
    """
    for start_text, end_text in _ANSWER_BOUNDS:
        start = re.compile(start_text.format(letter))
        end = re.compile(end_text.format(letter))
        answer = _text_between(prompt, start, end)
        if answer is not None:
            # on the screen the letters are those of the sides, which a coin gives
            answer = answer.strip("\n")
            return answer.replace(f"### Assistant {letter}:", "### Assistant:")
    return None


def _text_between(
    text: str,
    start: re.Pattern[str],
    end: re.Pattern[str],
) -> str | None:
    """Return what is between the first match of `start` and the next of `end`, else None.

    It takes as long as the text is, where one pattern of both would begin again at each start.
    """
    start_match = start.search(text)
    if start_match is None:
        return None
    end_match = end.search(text, start_match.end())
    if end_match is None:
        return None
    return text[start_match.end() : end_match.start()]


# -- arenas ---------------------------------------------------------------------------------------


def _arena_trace(row: Row, number: int) -> ForeignTrace:
    """Return the trace of one vote in an arena, with the vote as a person's or a judge's verdict.

    Who voted is `judge`, else "arena"; a name that begins with "gpt" is a judge's. A vote
    that names no side is a failed verdict of a judge, and no verdict of a person. The
    response is that of model a. Conversations end with the turn that was voted on, if the
    row says which; the question is their first message. `number` is part of the id. Raises
    KeyError for a missing column, IndexError for an empty conversation, and ValueError for
    one that is a text but no JSON.
    """
    turn = cell_value(row.get("turn"))
    sides = []
    for key in ("conversation_a", "conversation_b"):
        messages = row[key]
        if isinstance(messages, str):
            messages = json.loads(messages)
        if turn:
            messages = messages[: 2 * int(turn)]
        sides.append(messages)
    question_id = as_written(row.get("question_id")) or str(number)
    record = without_empty(
        {"id": f"{question_id}-{number}", "model": row["model_a"]},
    )
    record["cluster"] = question_id
    record["question"] = _content_text(sides[0][0]["content"])
    record[RESPONSE] = _answer_in_conversation(sides[0])
    record[OTHER] = {
        RESPONSE: _answer_in_conversation(sides[1]),
        "model": row["model_b"],
    }
    judge = str(row.get("judge") or "arena")
    winner = _LETTERED.get(str(row["winner"]))
    if judge.startswith("gpt"):
        return ForeignTrace(record, [_verdict(winner, row["winner"], "", judge)])
    timestamp = said_time(row.get("tstamp"))
    people: list[PersonVerdict] = []
    if winner is not None:
        people.append(PersonVerdict(TRAIT, winner, judge, at=timestamp))
    return ForeignTrace(record, (), people)


def _answer_in_conversation(messages: Sequence[Mapping[str, Any]]) -> str:
    """Return the answer in a conversation of an arena, whose first message is the question.

    If one message follows, it is that message's text alone. If several follow, it is all of
    them as "ROLE: TEXT" paragraphs, with the role as the file has it. "" if there is only the
    question. Raises KeyError for a following message without content, or without role if there
    are several.
    """
    later = list(messages[1:])
    if len(later) == 1:
        return _content_text(later[0]["content"])
    paragraphs: list[str] = []
    for message in later:
        role = message["role"]
        content = _content_text(message["content"])
        paragraphs.append(f"{role}: {content}")
    return "\n\n".join(paragraphs)


def _content_text(content: object) -> str:
    """Return the text of a message's content in an arena: a text itself, or its parts on lines.

    Parts of a list are tables with a `text`. Others, such as pictures, are left out. "" for None.
    Any other content becomes JSON.
    """
    if content is None:
        return ""
    if not isinstance(content, list):
        return str(_text(content))
    return text_of_parts(content)


def _merged_votes(rows: Rows, further: Counter[str]) -> Iterator[ForeignTrace]:
    """Yield one trace for each pair of an arena, with the first verdict of people and of a judge.

    A pair is a question, two models and a turn; a row without a question's id is one by
    itself. Pairs come in the order of their first rows, and all are held in memory until
    the last row. Each further verdict of people is counted in `further["people"]`, which is
    changed.
    """
    traces: dict[tuple[object, ...], ForeignTrace] = {}
    for number, row in enumerate(rows(), 1):
        trace = _arena_trace(row, number)
        key: tuple[object, ...] = (number,)
        if as_written(row.get("question_id")):
            names = ("question_id", "model_a", "model_b", "turn")
            key = tuple(str(row.get(name)) for name in names)
        first = traces.setdefault(key, trace)
        if first is trace:
            continue
        first.judged = first.judged or trace.judged
        if first.people and trace.people:
            further["people"] += 1
        first.people = first.people or trace.people
    yield from traces.values()


def _kaggle_trace(row: Row, number: int) -> ForeignTrace:
    """Return the trace of one vote of the arena's export for Kaggle, with a verdict by "arena".

    The texts of the turns are a list, also as JSON, or one plain text; the response is model a's.
    Turns that only the prompts or only a response has are left out. The question is the first
    prompt. Each column of a winner that is 1 or true gives a verdict, so that there is none if no
    column is. The id is the row's, else `number`. Raises KeyError for a missing column, and
    IndexError for an empty list of prompts.
    """
    prompts = _texts_in_cell(row.get("prompt"))
    sides = []
    for key in ("response_a", "response_b"):
        messages: list[Row] = []
        for prompt, answer in zip(prompts, _texts_in_cell(row[key]), strict=False):
            messages.append({"role": "user", "content": prompt})
            messages.append({"role": "assistant", "content": answer})
        sides.append(messages)
    row_id = as_written(row.get("id")) or str(number)
    record = without_empty({"id": row_id, "model": row["model_a"]})
    record["question"] = prompts[0]
    record[RESPONSE] = _answer_in_conversation(sides[0])
    record[OTHER] = {
        RESPONSE: _answer_in_conversation(sides[1]),
        "model": row["model_b"],
    }
    votes = {"winner_model_a": RESPONSE, "winner_model_b": OTHER, "winner_tie": TIE}
    people = []
    for column, winner in votes.items():
        if as_class(cell_value(row[column])) in ("1", "true"):
            people.append(PersonVerdict(TRAIT, winner, "arena"))
    return ForeignTrace(record, (), people)


def _texts_in_cell(value: object) -> list[str]:
    """Return the texts in a cell of the arena's votes: of a list, also as JSON, or the one text.

    A text that begins with "[" and is no JSON is the one text. None becomes "", also as the cell,
    and other items of a list become text.
    """
    if isinstance(value, str) and value.startswith("["):
        with suppress(ValueError):
            value = json.loads(value)
    if not isinstance(value, list):
        return [str(value or "")]
    texts: list[str] = []
    for text in value:
        texts.append("" if text is None else str(text))
    return texts


_PANDALM = _Form(
    "PandaLM",
    frozenset({"idx", "response1", "response2", "annotator1"}),
    _pandalm_trace,
    {
        "id": "idx",
        "question": "instruction, input",
        "response": "response1",
        "other": "response2",
        "people": ", ".join(PANDALM_PEOPLE),
    },
    "Which response follows the instruction better?",
)
_ARENA = _Form(
    "arena votes",
    frozenset({"model_a", "model_b", "winner", "conversation_a", "conversation_b"}),
    _arena_trace,
    {
        "id": "question_id",
        "response": "conversation_a",
        "other": "conversation_b",
        "people": "winner, judge",
    },
)
_FORMS = (
    _PANDALM,
    _ARENA,
    _Form(
        "AlpacaEval annotations",
        frozenset({"output_1", "output_2", "preference"}),
        _alpaca_eval_trace,
        {
            "question": "instruction",
            "response": "output_2",
            "other": "output_1",
            "verdicts": "preference",
        },
        "Which response follows the instruction better?",
    ),
    _Form(
        "LLMBar",
        frozenset({"input", "output_1", "output_2", "label"}),
        _llmbar_trace,
        {
            "question": "input",
            "response": "output_1",
            "other": "output_2",
            "verdicts": "results",
            "people": "label",
        },
        "Which response follows the instruction better?",
    ),
    _Form(
        "MT-bench pairs",
        frozenset({"question_id", "model_1", "model_2", "g1_winner", "g2_winner"}),
        _mt_bench_trace,
        {
            "id": "question_id",
            "response": "g1_user_prompt",
            "other": "g1_user_prompt",
            "verdicts": "g1_winner, g2_winner",
        },
    ),
    _Form(
        "arena votes for Kaggle",
        frozenset({"model_a", "model_b", "response_a", "response_b", "winner_tie"}),
        _kaggle_trace,
        {
            "id": "id",
            "question": "prompt",
            "response": "response_a",
            "other": "response_b",
            "people": "winner_model_a, winner_model_b, winner_tie",
        },
    ),
)

"""The terms of a query that the text of a trace answers: words, and who wrote the response."""

import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from appellate.query.language import Query, Term, like

IN_TEXT = ("", "text", "question", "model")
"""The fields that are answered here; a bare word has the field ""."""
WordsTest = Callable[[str, str], bool]


def words_test(query: Query, questions: Mapping[str, str]) -> WordsTest | None:
    """Whether a trace, by its id and JSON, says what the query asks for.

    None where it asks for nothing that a trace says. `questions` are the rubric's, by id, which
    traces need not repeat.
    """
    terms = [term for term in query.terms if term.field.name in IN_TEXT]
    if not terms:
        return None
    quick = [_may_hold(term, questions.values()) for term in terms]

    def holds(name: str, body: str) -> bool:
        folded = body.casefold()
        if not all(may_hold(folded) for may_hold in quick):
            return False
        trace = json.loads(body)
        question = trace.get("question")
        if question is None:
            question = questions.get(trace.get("question_id", ""))
        return all(_holds(term, name, question or "", trace) for term in terms)

    return holds


def _may_hold(term: Term, questions: Iterable[str]) -> Callable[[str], bool]:
    """A quick look at folded JSON, as it stands, that never says no where the term holds."""
    words = [value.casefold() for value in term.values]
    if term.field.name == "model":
        words = [max(word.split("*"), key=len) for word in words]
    asked = [text.casefold() for text in questions]
    in_rubric = any(word in text for text in asked for word in words)
    if term.negated or (in_rubric and term.field.name not in ("text", "model")):
        return lambda _: True
    written = [json.dumps(word, ensure_ascii=False)[1:-1] for word in words]
    return lambda folded: any(word in folded for word in written)


def _holds(term: Term, name: str, question: str, trace: Mapping[str, Any]) -> bool:
    return _says(term, name, question, trace) is not term.negated


def _says(term: Term, name: str, question: str, trace: Mapping[str, Any]) -> bool:
    if term.field.name == "model":
        model = trace.get("model") or ""
        return model != "" and any(like(value)(model) for value in term.values)
    response = trace.get("response", "")
    texts = {"text": [response], "question": [question]}
    searched = texts.get(term.field.name, [name, question, response])
    words = [value.casefold() for value in term.values]
    return any(word in text.casefold() for text in searched for word in words)

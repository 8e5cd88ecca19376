"""Which cells a query asks for, term by term."""

import json

import pytest

from appellate.query.language import Vocabulary, parse
from appellate.query.matching import Page, Row, page_tests, row_test

WORDS = Vocabulary((), ("recall", "f1"))
FIGURES = {
    "standing": {"f1": 2 / 3, "recall": None},
    "judge": {"f1": 0.25, "recall": 0.996},
    "counts": {"tp": 3, "fn": 0, "fp": 1},
    "by": ["openai", "gpt-5"],
}
ROW = Row(
    *(7, "bcl2-1", 2, "BCL2 Accuracy", "reviewed", True, 1, 2, json.dumps(FIGURES)),
    bookmarked=True,
    commented=False,
    by={"ada"},
)
PENDING = Row(8, "ven", 1, "Coverage", "pending", False, 0, 0)
PAGE = Page("bcl2-1", "Where is BCL2?", "It sits on the long Straße of chromosome 18.", "gpt-5")


@pytest.mark.parametrize(
    ("text", "holds", "pending"),
    [
        ("", True, True),
        ("state:reviewed,failed", True, False),
        ("-state:reviewed", False, True),
        ("state:pending", False, True),
        ("is:flagged", True, False),
        ("is:bookmarked", True, False),
        ("is:commented", False, False),
        ("is:commented,signed", True, False),
        ("is:unverified", True, False),
        ("is:amiss", True, False),
        ("trait:bcl2*", True, False),
        ("id:BCL2-1", True, False),
        ("id:ven,x", False, True),
        ("by:a*", True, False),
        ("-by:ada", False, True),
        ("judge:gpt*", True, False),
        ("epoch:1,3", False, True),
        ("epoch>1", True, False),
        ("unverified>1", True, False),
        ("breaches=0", False, True),
        ("tp>=3 fn=0 fp<2", True, False),
        ("tn=0", False, False),
        ("-tp>3", True, True),
        ("f1<0.7", True, False),
        ("f1<=0.6", False, False),
        ("f1=0.67", True, False),
        ("f1=0.667", True, False),
        ("f1=0.66,0.1", False, False),
        ("f1:undefined", False, False),
        ("recall:undefined", True, False),
        ("recall>=0", False, False),
        ("-recall>=0", True, True),
        ("judge.f1<0.5", True, False),
        ("judge.recall=1", True, False),
        ("judge.recall:undefined", False, False),
    ],
)
def test_a_row_answers_a_term(text, holds, pending):
    test = row_test(parse(text, WORDS))
    assert (test(ROW), test(PENDING)) == (holds, pending)


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        ("STRASSE", True),
        ("bcl2-1", True),
        ("where", True),
        ("gpt", False),
        ("-where", False),
        ('text:"long straße",x', True),
        ("text:where", False),
        ("question:bcl2", True),
        ("model:GPT*", True),
        ("-model:gpt", True),
    ],
)
def test_a_page_answers_words(text, holds):
    ((_, test),) = page_tests(parse(text, WORDS))
    assert test(PAGE) is holds


def test_rows_and_pages_share_the_terms_of_a_query():
    query = parse("f1<0.7 cancer model:x state:failed", WORDS)
    assert [term.field for term, _ in page_tests(query)] == ["", "model"]
    assert not row_test(query)(ROW)
    assert row_test(parse("f1<0.7 cancer", WORDS))(ROW)

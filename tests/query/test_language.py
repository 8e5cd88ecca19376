"""The query line: what it says, what is wrong with it, what may stand at the cursor."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from appellate.core.cell import STATES
from appellate.core.kind import Measure, QueryField
from appellate.query.language import (
    MARKS,
    WORD,
    Query,
    QueryUnreadable,
    Term,
    Vocabulary,
    completions,
    fields,
    like,
    parse,
    values_text,
)

MEASURES = (
    *(Measure(name, name) for name in ("precision", "recall", "f1")),
    Measure("score", "s", -2, 10),
)
FIELDS = (
    QueryField("tp", "counts.tp", "count", "how many are right"),
    QueryField("class", "words.class", "text", "the class"),
    QueryField("length", "counts.length", "number", "how long it is"),
)
SEEN = {"class": ("partial", "none at all")}
WORDS = Vocabulary(
    ("BCL2 Accuracy", "Coverage"),
    MEASURES,
    FIELDS,
    ("ada", "bob"),
    ("gpt-5", "llama 3"),
    ("lexical",),
    SEEN,
    kinds=("metric", "llm"),
)


def term(name: str, op: str, values: tuple[str, ...], negated: bool = False) -> Term:
    return Term(fields(WORDS)[name] if name else WORD, op, values, negated)


def read(text: str) -> list[Term]:
    return list(parse(text, WORDS).terms)


def faults(text: str) -> list[tuple[str, str]]:
    """Each fault: the characters it is about, and its sentence."""
    with pytest.raises(QueryUnreadable) as raised:
        parse(text, WORDS)
    assert str(raised.value)
    return [
        (text[fault.start : fault.end], fault.sentence) for fault in raised.value.faults
    ]


def offered(text: str, cursor: int | None = None) -> list[str]:
    """The whole line after each completion."""
    at = len(text) if cursor is None else cursor
    return [
        text[: one.start] + one.text + text[one.end :]
        for one in completions(text, at, WORDS)
    ]


# -- what it says ---------------------------------------------------------------------------------


def test_the_example_of_the_readme_is_four_terms():
    assert read('state:proposed trait:"BCL2*" f1<0.5 text:apoptosis') == [
        term("state", ":", ("proposed",)),
        term("trait", ":", ("BCL2*",)),
        term("f1", "<", ("0.5",)),
        term("text", ":", ("apoptosis",)),
    ]


def test_a_field_that_every_workspace_has_keeps_its_name():
    usual = fields(Vocabulary())
    names = [name for name in usual if name != "evidence"]
    measures = tuple(Measure(name, name) for name in names)
    of_kind = tuple(QueryField(name, f"counts.{name}", "count", "x") for name in usual)
    found = fields(Vocabulary(measures=measures, fields=of_kind))
    assert {name: found[name] for name in names} == {
        name: usual[name] for name in names
    }
    assert found["evidence"].path == "counts.evidence"


def test_an_empty_line_asks_for_everything():
    assert parse("  ", WORDS) == Query()
    assert str(Query()) == ""


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("apoptosis", term("", ":", ("apoptosis",))),
        ('"in cancer"', term("", ":", ("in cancer",))),
        ("-cancer", term("", ":", ("cancer",), negated=True)),
        ("a,b", term("", ":", ("a,b",))),
        ('-text:"a b",c', term("text", ":", ("a b", "c"), negated=True)),
        (r'text:"say \"so\" \\ \n"', term("text", ":", (r'say "so" \ \n',))),
        ('id:a" b "c', term("id", ":", ("a b c",))),
        ('id:"a,b",c', term("id", ":", ("a,b", "c"))),
        ("STATE:Proposed,FAILED", term("state", ":", ("proposed", "failed"))),
        ("state=failed", term("state", ":", ("failed",))),
        ("tp:3", term("tp", "=", ("3",))),
        ("epoch:1,2", term("epoch", "=", ("1", "2"))),
        ("unverified>0", term("unverified", ">", ("0",))),
        ("F1:0.5", term("f1", "=", ("0.5",))),
        ("f1=Undefined", term("f1", ":", ("undefined",))),
        ("judge.f1>=.5", term("judge.f1", ">=", (".5",))),
        ("is:flagged", term("is", ":", ("flagged",))),
        ("is:amiss,Absent", term("is", ":", ("inconsistent", "missing-judge"))),
        ("class:Partial*", term("class", ":", ("Partial*",))),
        ("score>-2", term("score", ">", ("-2",))),
        ("length<2.5", term("length", "<", ("2.5",))),
        ("by:ADA", term("by", ":", ("ADA",))),
        ("model:nobody-knows", term("model", ":", ("nobody-knows",))),
        ("1:2", term("", ":", ("1:2",))),
    ],
)
def test_a_term_is_read(text, said):
    assert read(text) == [said]


def test_a_line_is_said_again_in_its_plain_form():
    assert (
        str(parse('  STATE=failed   -"a b" tp:3 "x:y" "-z"  ', WORDS))
        == 'state:failed -"a b" tp=3 "x:y" "-z"'
    )


words = st.text(min_size=1, max_size=8) | st.sampled_from(
    ["-a", 'a"b', "a b", "f1<0.5", "state:x", "\\", '\\"', ","],
)
numbers = st.sampled_from(["0", "1", "0.5", ".25", "1.", "0.333"])
counts = st.integers(0, 99).map(str)


def several(values: st.SearchStrategy[str]) -> st.SearchStrategy[tuple[str, ...]]:
    return st.lists(values, min_size=1, max_size=3).map(tuple)


terms = st.one_of(
    st.builds(
        term,
        st.just(""),
        st.just(":"),
        words.map(lambda word: (word,)),
        st.booleans(),
    ),
    st.builds(
        term,
        st.sampled_from(["text", "question", "id", "model"]),
        st.just(":"),
        several(words),
        st.booleans(),
    ),
    st.builds(
        term,
        st.just("state"),
        st.just(":"),
        several(st.sampled_from(STATES)),
        st.booleans(),
    ),
    st.builds(
        term,
        st.just("is"),
        st.just(":"),
        several(st.sampled_from(list(MARKS))),
        st.booleans(),
    ),
    st.builds(
        term,
        st.sampled_from(["tp", "epoch", "breaches"]),
        st.just("="),
        several(counts),
        st.booleans(),
    ),
    st.builds(
        term,
        st.sampled_from(["f1", "judge.recall"]),
        st.just("="),
        several(numbers),
        st.booleans(),
    ),
    st.builds(
        term,
        st.sampled_from(["f1", "judge.recall"]),
        st.sampled_from(["<", "<=", ">", ">="]),
        numbers.map(lambda number: (number,)),
        st.booleans(),
    ),
)


@given(st.lists(terms, max_size=4))
def test_what_a_query_says_is_read_as_the_same_query(found):
    query = Query(tuple(found))
    assert parse(str(query), WORDS) == query
    assert str(parse(str(query), WORDS)) == str(query)


@given(st.text(alphabet='af1:<>=-,"\\ *.0state', max_size=30), st.integers(0, 30))
def test_any_line_is_a_query_or_has_faults_and_can_be_completed(text, cursor):
    wrong = []
    try:
        query = parse(text, WORDS)
        assert parse(str(query), WORDS) == query
    except QueryUnreadable as unreadable:
        wrong = unreadable.faults
    assert all(0 <= fault.start < fault.end <= len(text) for fault in wrong)
    assert all(fault.sentence.endswith((".", "?")) for fault in wrong)
    for one in completions(text, min(cursor, len(text)), WORDS):
        assert 0 <= one.start <= one.end <= len(text)


# -- what is wrong with it ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "where", "told"),
    [
        ("stat:failed", "stat:", "did you mean state?"),
        ("http://x", "http:", 'quote them: "http://x"'),
        ("zzz:1", "zzz:", "there are state, is, precision"),
        ("specificity<1", "specificity<", "There is no field specificity"),
        ("state:propsed", "propsed", "did you mean proposed?"),
        ("state:failed,what", "what", "write pending, failed"),
        ("state<failed", "failed", "cannot be compared: write state:pending."),
        ("trait<x", "x", 'write trait:"BCL2 Accuracy"'),
        ("model>x", "x", "write model:gpt-5"),
        ("text<x", "x", "write text:word"),
        ("f1<", "f1<", "There is nothing after f1<, as in f1<0.5."),
        ("tp>", "tp>", "as in tp>0"),
        ("id:a,,b", "id:a,", "There is nothing after id:"),
        ("f1<0,5", "0", "takes one number: write .5"),
        ("f1<half", "half", "from 0 to 1"),
        ("f1<50", "50", "between 0 and 1"),
        ("score<11", "11", "score lies between -2 and 10: write score<4"),
        ("length>x", "x", "length is a number: write length>3"),
        ("class>x", "x", "cannot be compared: write class:partial"),
        ("f1<undefined", "undefined", "with a colon, and no other value"),
        ("f1:undefined,0.5", "undefined", "with a colon, and no other value"),
        ("tp>0.5", "0.5", "is a count"),
        ("epoch:1234567890", "1234567890", "is a count"),
        ("trait:Coverag", "Coverag", "write trait:Coverage, or trait:*Coverag*"),
        ("trait:q", "q", 'write trait:"BCL2 Accuracy"'),
        ("kind:metrik", "metrik", "write kind:metric"),
        ("by:eve", "eve", "No reviewer is called eve: write by:ada"),
        ('text:"a b', 'text:"a b', "not closed"),
        ("-", "-", "A minus is right before"),
        ('""', '""', "Empty quotes"),
    ],
)
def test_a_fault_says_where_and_what_would_be_right(text, where, told):
    found = faults(text)
    assert found[0][0] == where
    assert told in found[0][1]


def test_a_measure_with_large_bounds_gets_an_example_that_can_be_written():
    words = Vocabulary(measures=(Measure("rows", "r", 0, 3_000_000),))
    with pytest.raises(QueryUnreadable) as raised:
        parse("rows<-1", words)
    (fault,) = raised.value.faults
    assert fault.sentence == (
        "rows lies between 0 and 3000000: write rows<1500000 for the lower half."
    )
    assert parse("rows<1500000", words)


def test_all_faults_are_told_at_once():
    assert [where for where, _ in faults("stat:x cancer f1<2 by:ada by:eve")] == [
        "stat:",
        "2",
        "eve",
    ]


def test_an_audit_without_names_refuses_none():
    assert parse("trait:x by:y", Vocabulary())


# -- names ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("pattern", "names", "others"),
    [
        ("bcl2", ["BCL2", "bcl2"], ["bcl2-1"]),
        ("bcl2*", ["BCL2", "bcl2-1"], ["a-bcl2"]),
        ("*-1", ["bcl2-1", "-1"], ["bcl2-10"]),
        ("*cl*-*", ["bcl2-1"], ["bl-cl"]),
        ("a*a", ["aa", "aba"], ["a", "ab"]),
        ("*", ["", "x"], []),
        ("strasse", ["Straße"], []),
    ],
)
def test_a_star_stands_for_anything(pattern, names, others):
    assert all(map(like(pattern), names))
    assert not any(map(like(pattern), others))


# -- completing -----------------------------------------------------------------------------------


def test_fields_are_offered_that_begin_with_what_is_there():
    assert offered("st") == [
        *("state:", "steps>", "instruction:", "said.assistant:", "said.system:"),
        *("question:", "cluster:", "question_id:"),
    ]
    assert offered("-i")[:2] == ["-is:", "-id:"]
    assert offered("f1 reca") == ["f1 recall<", "f1 judge.recall<"]
    assert "unverified>" in offered("state:failed un", 15)[0]
    assert len(offered("")) == len(offered("f1<0.5 ")) > 10
    assert offered("-", 0)[0] == "state:-"


def test_a_field_is_replaced_with_its_operator():
    assert offered("stat:failed", 4) == ["state:failed"]
    assert offered("f>0.5", 1)[0] == "f1>0.5"


def test_values_are_offered_for_the_field_and_the_part_at_the_cursor():
    assert offered("state:p") == ["state:pending", "state:proposed"]
    assert offered("state:failed,rev") == ["state:failed,reviewed"]
    assert offered("is:fl") == ["is:flagged", "is:flipped"]
    assert offered("trait:bcl") == ['trait:"BCL2 Accuracy"']
    assert offered('trait:"acc') == ['trait:"BCL2 Accuracy"']
    assert offered("by:*b") == ["by:bob"]
    assert offered("model:") == ["model:gpt-5", 'model:"llama 3"']
    assert offered("judge:lex") == ["judge:lexical"]
    assert offered("f1:") == ["f1:undefined"]
    assert offered("class:") == ["class:partial", 'class:"none at all"']
    assert offered("text:a") == offered("nothing:a") == []
    street = WORDS._replace(traits=("Straße",))
    for typed in ("trait:straß", "trait:STRASS"):
        (offer,) = completions(typed, len(typed), street)
        assert offer.text == "Straße"


def test_a_completion_says_what_it_means():
    assert completions("state", 5, WORDS)[0].meaning.startswith("the state of a cell")
    assert completions("is:sig", 6, WORDS)[0].meaning == "signed off"


# -- metadata -------------------------------------------------------------------------------------

KEYS = ("Site", "dc:title", "judge.name", "site name", "turns")
HELD = WORDS._replace(
    metadata_keys=KEYS,
    words={"meta.Site": ("Berlin", "Paris"), "meta.turns": tuple("123456")},
)


@pytest.mark.parametrize(
    ("text", "name", "op", "values"),
    [
        ("meta.Site:berlin,paris", "meta.Site", ":", ("berlin", "paris")),
        ("meta.site=Berlin", "meta.Site", ":", ("Berlin",)),
        ("META.SITE:x", "meta.Site", ":", ("x",)),
        ("meta.turns>3", "meta.turns", ">", ("3",)),
        ("meta.judge.name:*4o*", "meta.judge.name", ":", ("*4o*",)),
        ('meta."site name":x', "meta.site name", ":", ("x",)),
        ('meta."dc:title":x', "meta.dc:title", ":", ("x",)),
        ("meta.turns<=2026-01-31", "meta.turns", "<=", ("2026-01-31",)),
    ],
)
def test_a_key_of_the_metadata_is_asked_for_by_its_name(text, name, op, values):
    (found,) = parse(text, HELD).terms
    assert (found.field.name, found.op, found.values) == (name, op, values)
    assert parse(str(found), HELD).terms == (found,)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("meta.sit:x", "No trace has sit in its metadata: did you mean meta.Site?"),
        ("meta.zzz:x", 'there are meta.Site, meta."dc:title", meta.judge.name'),
        ("site:x", "There is no field site"),
        ("turns>3", "did you mean meta.turns, of the metadata?"),
        ("meta.turns>many", "compared with a number or a date: write meta.turns>3"),
        ("meta.turns>", "There is nothing after meta.turns>"),
        ('meta."site name">', 'There is nothing after meta."site name">'),
        ("meta.turns>1,2", "takes one number"),
        ('meta."site name:x', "A quote is opened"),
    ],
)
def test_what_is_wrong_with_a_key_says_which_there_are(text, told):
    with pytest.raises(QueryUnreadable, match=re.escape(told)):
        parse(text, HELD)


def test_of_many_keys_the_first_are_named_and_the_others_counted():
    many = Vocabulary(metadata_keys=tuple(f"key{n}" for n in range(30)))
    with pytest.raises(QueryUnreadable, match=r"meta\.key11 and 18 more"):
        parse("meta.zzz:x", many)
    assert parse("meta.other:x", many._replace(has_more_keys=True))
    with pytest.raises(QueryUnreadable, match="the traces have no metadata"):
        parse("meta.other:x", WORDS)


def test_keys_of_the_metadata_are_offered_once_they_are_asked_for():
    def offers(text: str) -> list[str]:
        return [one.text for one in completions(text, len(text), HELD)]

    assert offers("")[-1] == offers("me")[-1] == "meta."
    assert [text for text in offers("") if text.startswith("meta.")] == ["meta."]
    assert offers("meta.")[0] == "meta.Site:"
    assert offers("meta.si") == ["meta.Site:", 'meta."site name":']
    assert offers('meta."site n') == ['meta."site name":']
    assert offers("titl") == ['meta."dc:title":']
    assert offers("meta.site:b") == ["Berlin"]
    assert offers("meta.none:b") == []
    meanings = {one.text: one.meaning for one in completions("meta.", 5, HELD)}
    assert meanings["meta.Site:"] == "metadata: Berlin, Paris"
    assert meanings["meta.turns:"] == "metadata: 1, 2, 3, 4 …"


def test_a_key_with_quotation_marks_is_offered_and_written_so_that_it_is_read_as_itself():
    keys = Vocabulary(metadata_keys=('"x"', "x", 'a "b', "c\\d"))
    for key in keys.metadata_keys:
        (asked,) = parse(
            str(Term(fields(keys)[f"meta.{key}"], ":", ("1",))),
            keys,
        ).terms
        assert asked.field.name == f"meta.{key}"
    (offer,) = completions(r'meta."a \"', 10, keys)
    assert offer.text == r'meta."a \"b":'


plain_keys = st.text(max_size=6) | st.text(alphabet='ab"\\ .:=,<>-', max_size=6)
any_key = plain_keys | plain_keys.map(lambda key: f'"{key}"')


@given(st.lists(any_key, min_size=1, max_size=4, unique=True), st.data())
def test_what_a_query_on_metadata_says_is_read_as_the_same_query(keys, data):
    vocabulary = Vocabulary(metadata_keys=tuple(keys))
    key = data.draw(st.sampled_from(keys))
    values = data.draw(several(words))
    asked = Term(
        fields(vocabulary)[f"meta.{key}"],
        ":",
        values,
        data.draw(st.booleans()),
    )
    assert parse(str(asked), vocabulary).terms == (asked,)


# -- what kinds count that share no instructions ---------------------------------------------------

COUNTED = {"grounding": ("supported", "partial")}


def answer_fault(text, answers=("found", "missing")):
    words = WORDS._replace(
        answers=answers,
        count_names=COUNTED,
        instructions=("Names it",),
    )
    with pytest.raises(QueryUnreadable) as raised:
        parse(text, words)
    return raised.value.faults[0].sentence


def test_an_answer_that_is_counted_elsewhere_says_where():
    counts = "grounding cells have counts (supported, partial), as in"
    assert f"{counts} partial>0" in answer_fault("answer:partial")
    assert "in other cells write judged:found" in answer_fault("judged:full")
    assert answer_fault("answer:full", ()).endswith(f"full: {counts} partial>0.")


def test_instructions_and_answers_are_offered_as_the_audit_has_them():
    words = WORDS._replace(answers=("found", "missing"), instructions=("Names it",))
    for text, offer in (
        ("answer:mi", "answer:missing"),
        ("instruction:n", 'instruction:"Names it"'),
    ):
        found = [
            text[: one.start] + one.text for one in completions(text, len(text), words)
        ]
        assert offer in [one.strip() for one in found]


def test_a_field_that_there_is_not_has_no_values_to_offer():
    assert completions("nothing:", 8, WORDS) == []


@pytest.mark.parametrize(
    ("told", "values"),
    [("C", ["C"]), ("style C, facts I", ["C", "I"])],
)
def test_values_of_several_scores_are_told_apart(told, values):
    assert values_text(told) == values

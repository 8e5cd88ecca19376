"""SQL finds the same cells, in the same order, as looking at every cell in turn."""

import json
import math
import random
import re
import sqlite3
from contextlib import closing
from fnmatch import translate

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from appellate.core.cell import STATES
from appellate.core.kind import Measure, QueryField
from appellate.query import sql
from appellate.query.language import MARKS, Vocabulary, parse
from appellate.query.sql import (
    ASKED,
    ORDERS,
    Reader,
    is_order,
    order_name,
    orders,
    statement,
)
from appellate.store import tables, trace_rows
from appellate.store.queue import look_up
from appellate.traits.rubric import Question
from cells import matrix, rubric

WORDS = Vocabulary(
    measures=(
        Measure("recall", "R"),
        Measure("f1", "F1"),
        Measure("score", "S", -1, 10),
    ),
    fields=(
        QueryField("tp", "counts.tp", "count", "how many are right"),
        QueryField("class", "words.class", "text", "the class"),
    ),
)
RUBRIC = rubric(
    matrix(),
    questions=[Question(id="q1", question="What is the Straße of BCL2?")],
)
NUMBERS = (0, 0.25, 0.334, 1 / 3, 0.665, 2 / 3, 0.996, 1, 1.5, 7)
IDS = ("bcl2-1", "BCL2", "Straße", "a,b", "Ünï")
TRAITS = ("BCL2 Accuracy", "Coverage")
KINDS = {"BCL2 Accuracy": "metric", "Coverage": "partial"}
PEOPLE = ("ada", "Bob")
SIDES = ("standing", "judge")
TO_A_ROW = 7  # traces
ACTS = ("commented", "corrected", "signed_off")
CHECKLISTS = (
    ("States the chromosome", "Names the Straße", "Says “no”"),
    ("Names the gene", "States the chromosome again"),
    (),
)
ANSWERS = ("found", "Missing", "STRASSE")


def figures(chance: random.Random) -> dict:
    """Measures, some of them 0/0 or not there, counts, words and judges, as the workspace keeps them."""
    made: dict = {"counts": {"tp": chance.randrange(4)}}
    for side in ("standing", "judge"):
        names = chance.sample(["recall", "f1", "score"], chance.randrange(4))
        made[side] = {name: chance.choice([None, *NUMBERS]) for name in names}
    if chance.random() < 0.5:
        made["words"] = {"class": chance.choice(["Partial", "none", "STRASSE"])}
    if chance.random() < 0.3:
        made["absent"] = 1
    made["by"] = chance.sample(["openai", "gpt-5", "Ada"], chance.randrange(3))
    return made


def trace_body(chance: random.Random, name: str) -> dict:
    texts = ["It sits on the long Straße.", "a “quoted” \\ text\nof BCL2", "nothing"]
    body = {"id": name, "response": chance.choice(texts)}
    body |= chance.choice([{}, {"question": "Where is it?"}, {"question_id": "q1"}])
    return body | chance.choice([{}, {"model": "GPT-5"}, {"model": "llama"}])


@pytest.fixture(scope="module")
def stock(tmp_path_factory):
    """A workspace file of cells that chance made, and the same cells as plain values."""
    chance, path = random.Random(7), tmp_path_factory.mktemp("cells") / "x.audit.db"
    cells, bodies = [], []
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        tables.create(db, RUBRIC, "0")
        db.executemany("INSERT INTO words VALUES (?, ?)", enumerate(ANSWERS))
        questions = []
        for number, texts in enumerate(CHECKLISTS, 1):
            db.execute("INSERT INTO checklists VALUES (?, ?)", (number, str(number)))
            asked = [(number, "tp", text) for text in texts]
            db.executemany(
                "INSERT INTO questions (checklist, of, text) VALUES (?, ?, ?)",
                asked,
            )
            sql_of = "SELECT no FROM questions WHERE checklist = ? ORDER BY no"
            questions.append([no for (no,) in db.execute(sql_of, (number,))])
        for trace in range(1, 26):
            name, epoch = IDS[trace % len(IDS)], trace // len(IDS) + 1
            body = trace_body(chance, name)
            text = json.dumps(body, ensure_ascii=False)
            db.execute(
                "INSERT INTO traces VALUES (?, ?, ?, ?)",
                (trace, name, epoch, text),
            )
            bodies.append(body)
            for trait in TRAITS:
                kept = chance.choice([None, figures(chance)])
                made = dict(kept or {})
                standing, judge = (
                    json.dumps(made.pop(side)) if side in made else None
                    for side in SIDES
                )
                judged_by = json.dumps(made.pop("by")) if made.get("by") else ""
                checklist = chance.randrange(len(CHECKLISTS))
                texts = CHECKLISTS[checklist]
                answers, judged = (
                    chance.choice(
                        [[None] * len(texts), chance.choices(range(3), k=len(texts))],
                    )
                    for _ in range(2)
                )
                given = list(zip(questions[checklist], answers, judged, strict=True))
                cell = {
                    "checklist": checklist + 1,
                    "trace": trace, "trait": trait, "kind": KINDS[trait], "state": chance.choice(STATES),
                    "flag": chance.randrange(2), "breaches": chance.randrange(2), "unverified": chance.randrange(4),
                    "figures": json.dumps(made) if kept else "",
                    "standing": standing, "judge": judge, "judged_by": judged_by, "round": chance.randrange(3),
                    "disagreement": chance.choice([None, 0.0, 0.5]), "suspect": chance.choice([0, 0, 2]),
                    "example": chance.randrange(2), "outdated": chance.randrange(2),
                    "sampled": chance.randrange(4),
                    "hasty": chance.randrange(2), "overruled": chance.randrange(3), "flipped": chance.randrange(3),
                    "unsettled": chance.randrange(2),
                    "goodness": chance.choice([None, 0.25, 0.5]), "lot": sql.lot(name, epoch, trait),
                }  # fmt: skip
                names = ", ".join(cell)
                marks = ", ".join("?" * len(cell))
                insertion = f"INSERT INTO cells ({names}) VALUES ({marks})"  # noqa: S608
                db.execute(insertion, list(cell.values()))
                no = len(cells) + 1
                rows = [(no, *row) for row in given]
                db.executemany(
                    "INSERT INTO given (cell, question, answer, judged) VALUES (?, ?, ?, ?)",
                    rows,
                )
                acts = [
                    (
                        chance.choice(PEOPLE),
                        chance.choice([None, 9]),
                        chance.choice(ACTS),
                    )
                    for _ in range(chance.randrange(3))
                ]
                for by, undone, act in acts:
                    db.execute(
                        "INSERT INTO acts (cell, by, undone, name) VALUES (?, ?, ?, ?)",
                        (no, by, undone, act),
                    )
                bookmarked = chance.choice([[], ["ada"], ["Bob"]])
                for by in bookmarked:
                    db.execute("INSERT INTO bookmarks VALUES (?, ?)", (by, no))
                stood = [(by, act) for by, undone, act in acts if undone is None]
                more = {
                    "no": no,
                    "id": name,
                    "epoch": epoch,
                    "body": body,
                    "acts": stood,
                    "given": given,
                }
                cells.append(
                    cell | more | {"figures": kept or {}, "bookmarked": bookmarked},
                )
        for first in range(0, len(bodies), TO_A_ROW):
            trace_rows.keep(db, first + 1, bodies[first : first + TO_A_ROW])
        db.executemany(
            "INSERT INTO totals VALUES (?, 'llm', 'cells', 25)",
            [(trait,) for trait in TRAITS],
        )
    return path, cells


# -- the same, plainly ------------------------------------------------------------------------------


def is_like(pattern: str, name: str) -> bool:
    literal = pattern.casefold().replace("[", "[[]").replace("?", "[?]")
    return (
        re.compile(translate(literal), re.IGNORECASE | re.DOTALL).fullmatch(
            name.casefold(),
        )
        is not None
    )


def compared(op: str, value, wanted: float) -> bool:
    if value is None:
        return False
    return {
        "<": value < wanted,
        "<=": value <= wanted,
        ">": value > wanted,
        ">=": value >= wanted,
    }.get(op, value == wanted)


def has_mark(cell: dict, mark: str) -> bool:
    match mark:
        case "flagged":
            return cell["flag"] == 1
        case "bookmarked":
            return "ada" in cell["bookmarked"]
        case "commented":
            return any(act == "commented" for _, act in cell["acts"])
        case "signed":
            return cell["state"] == "reviewed"
        case "inconsistent":
            return cell["breaches"] > 0
        case "disputed":
            return bool(cell["disagreement"])
        case "missing-judge":
            return "absent" in cell["figures"]
        case "suspicious":
            return cell["suspect"] > 0
        case "blind" | "ruled":
            return cell["sampled"] == {"blind": 2, "ruled": 3}[mark]
        case _:
            return cell[mark] > 0


def texts(cell: dict, name: str) -> list[str]:
    body = cell["body"]
    question = body.get("question") or (
        "What is the Straße of BCL2?" if "question_id" in body else ""
    )
    return {"text": [body["response"]], "question": [question]}.get(
        name,
        [cell["id"], question, body["response"]],
    )


def instructions_of(cell: dict) -> list[tuple[str, dict[str, str]]]:
    """The words of a cell's instructions and how they are answered and were judged, "" where nothing
    is.
    """
    words = {None: "", **dict(enumerate(ANSWERS))}
    both = [
        {"answer": words[one], "judged": words[other]}
        for _, one, other in cell["given"]
    ]
    return list(zip(CHECKLISTS[cell["checklist"] - 1], both, strict=True))


def has_instruction(cell: dict, terms) -> bool:
    """Whether one instruction is all that the terms want, and none that they mean is what they refuse."""
    about = [term for term in terms if term.field.name in ASKED]
    words = [term for term in about if term.field.name == "instruction"]
    answers = [term for term in about if term.field.name != "instruction"]

    def said(text, term):
        return any(value.casefold() in text.casefold() for value in term.values)

    def answered(answers, term):
        answer = answers[term.field.name]
        return bool(answer) and any(is_like(value, answer) for value in term.values)

    all_of_them = instructions_of(cell)
    if any(
        said(text, term) for text, _ in all_of_them for term in words if term.negated
    ):
        return False
    meant = [
        answer
        for text, answer in all_of_them
        if all(said(text, term) for term in words if not term.negated)
    ]
    if any(
        answered(answer, term) for answer in meant for term in answers if term.negated
    ):
        return False
    if all(term.negated for term in about):
        return True
    return any(
        all(answered(answer, term) for term in answers if not term.negated)
        for answer in meant
    )


def is_so(cell: dict, term) -> bool:  # noqa: C901 - one case for each field
    name, values, kept = term.field.name, term.values, cell["figures"]
    match name:
        case "state":
            return state_seen(cell) in values
        case "is":
            return any(has_mark(cell, value) for value in values)
        case "trait" | "kind" | "id":
            return any(is_like(value, cell[name]) for value in values)
        case "by":
            return any(is_like(value, by) for value in values for by, _ in cell["acts"])
        case "judge":
            return any(
                is_like(value, by) for value in values for by in kept.get("by", ())
            )
        case "model":
            return "model" in cell["body"] and any(
                is_like(value, cell["body"]["model"]) for value in values
            )
        case "" | "text" | "question":
            return any(
                value.casefold() in text.casefold()
                for value in values
                for text in texts(cell, name)
            )
        case "epoch" | "unverified" | "breaches" | "round" | "overruled" | "flipped":
            return any(compared(term.op, cell[name], int(value)) for value in values)
        case "tp":
            return any(
                compared(term.op, kept.get("counts", {}).get("tp"), int(value))
                for value in values
            )
        case "class":
            found = kept.get("words", {}).get("class")
            return found is not None and any(is_like(value, found) for value in values)
    side, _, measure = name.rpartition(".")
    found = kept.get(side or "standing", {})
    if values == ("undefined",):
        return measure in found and found[measure] is None
    if term.op != "=" or found.get(measure) is None:
        return any(
            compared(term.op, found.get(measure), float(value)) for value in values
        )
    decimals = [max(2, len(value.partition(".")[2])) for value in values]
    return any(
        round(found[measure], places) == round(float(value), places)
        for value, places in zip(values, decimals, strict=True)
    )


def state_seen(cell):
    """Of a blind cell one does not see whether, or how, the judge answered."""
    if cell["sampled"] == 2 and cell["state"] in ("proposed", "failed"):
        return "pending"
    return cell["state"]


def plainly(cells: list[dict], text: str) -> list[int]:
    terms = parse(text, WORDS).terms
    return [
        cell["no"]
        for cell in cells
        if has_instruction(cell, terms)
        and all(
            is_so(cell, term) is not term.negated
            for term in terms
            if term.field.name not in ASKED
        )
    ]


def standing(cell: dict, measure: str) -> float | None:
    return cell["figures"].get("standing", {}).get(measure)


def last_if_none(value: float | None) -> float:
    return math.inf if value is None else value


KEYS = {
    "loaded": lambda cell: 0,
    "unreviewed": lambda cell: cell["state"] == "reviewed",
    "failed": lambda cell: state_seen(cell) != "failed",
    "flagged": lambda cell: not cell["flag"],
    "lowest": lambda cell: last_if_none(cell["goodness"]),
    "unverified": lambda cell: -cell["unverified"],
    "disagreement": lambda cell: -(cell["disagreement"] or 0),
    "lowest f1": lambda cell: last_if_none(standing(cell, "f1")),
    "highest score": lambda cell: last_if_none(
        None if standing(cell, "score") is None else -standing(cell, "score"),
    ),
}

# -- the law ----------------------------------------------------------------------------------------

patterns = st.sampled_from(
    [
        "*",
        "bcl2*",
        "*-1",
        "strasse",
        "STRASSE",
        "b*2*",
        "ada",
        "*o*",
        "gpt*",
        "partial",
        '"a,b"',
    ],
)
words = st.sampled_from(
    [
        "straße",
        "STRASSE",
        "bcl2",
        "where",
        '"“QUOTED” \\\\"',
        '"text\nof"',
        "nothing",
        "what",
    ],
)
numbers = st.sampled_from(["0", ".25", "0.33", "0.334", "0.667", "1", "1.", "0.996"])
ops = st.sampled_from(["<", "<=", ">", ">="])
counted = st.sampled_from(
    ["epoch", "unverified", "breaches", "round", "overruled", "flipped", "tp"],
)
measured = st.sampled_from(["f1", "recall", "score", "judge.f1", "judge.score"])


def one_of(*values) -> st.SearchStrategy[str]:
    return st.lists(st.one_of(*values), min_size=1, max_size=2).map(",".join)


terms = st.one_of(
    words.filter(lambda word: word != ""),
    st.builds("{}:{}".format, st.sampled_from(["text", "question"]), one_of(words)),
    st.builds(
        "{}:{}".format,
        st.sampled_from(["trait", "kind", "id", "by", "judge", "model", "class"]),
        one_of(patterns),
    ),
    st.builds(
        "instruction:{}".format,
        one_of(st.sampled_from(["straße", "CHROMOSOME", "names"])),
    ),
    st.builds(
        "judged:{}".format,
        one_of(st.sampled_from(["missing", "f*", "strasse", "none"])),
    ),
    st.builds(
        "answer:{}".format,
        one_of(st.sampled_from(["missing", "f*", "strasse", "none"])),
    ),
    st.builds("state:{}".format, one_of(st.sampled_from(STATES))),
    st.builds("is:{}".format, one_of(st.sampled_from([*MARKS, "amiss", "absent"]))),
    st.builds("{}={}".format, counted, one_of(st.integers(0, 3).map(str))),
    st.builds("{}{}{}".format, counted, ops, st.integers(0, 3)),
    st.builds("{}={}".format, measured, one_of(numbers)),
    st.builds("{}{}{}".format, measured, ops, numbers),
    st.builds("{}:undefined".format, measured),
)
queries = st.lists(
    st.builds("{}{}".format, st.sampled_from(["", "-"]), terms),
    max_size=3,
).map(" ".join)


@given(queries, st.sampled_from(list(KEYS)))
@settings(max_examples=75, deadline=None)
def test_sql_finds_what_a_look_at_every_cell_finds_in_the_same_order(
    stock,
    text,
    order,
):
    path, cells = stock
    wanted = set(plainly(cells, text))
    expected = sorted((cell for cell in cells if cell["no"] in wanted), key=KEYS[order])
    found = look_up(path, parse(text, WORDS), order, by="ada")
    assert list(found.numbers) == [cell["no"] for cell in expected]
    assert found.of == len(cells)


# -- names and orders -------------------------------------------------------------------------------


def test_every_measure_can_be_ordered_by_from_either_end():
    told = [(order.id, order.name) for order in orders(["f1"])]
    assert told[: len(ORDERS)] == [tuple(order) for order in ORDERS]
    assert told[len(ORDERS) :] == [
        ("lowest f1", "lowest f1 first"),
        ("highest f1", "highest f1 first"),
    ]
    assert all(
        is_order(order.id) and order_name(order.id) == order.name
        for order in orders(["f1"])
    )


def test_an_order_that_there_is_not_is_refused():
    assert not is_order("none")
    with pytest.raises(KeyError):
        statement(parse("", WORDS), Reader(), "none")


@pytest.mark.parametrize(
    "field",
    ["id:", "text:", "tp=", "class:", "instruction:", "answer:", "said.user:"],
)
@pytest.mark.parametrize("sign", ["", "-"])
def test_a_term_may_have_more_values_than_sqlite_nests_conditions(stock, field, sign):
    path, _ = stock
    some = f"{sign}{field}" + ",".join(str(number) for number in range(3))
    many = some + "".join(f",{number}" for number in range(1000, 4000))
    found = [
        look_up(path, parse(text, WORDS)).numbers.tolist() for text in (some, many)
    ]
    assert found[0] == found[1]


def test_a_query_may_have_more_terms_than_sqlite_nests_conditions(stock):
    path, cells = stock
    text = " ".join(f"-id:{number}" for number in range(3000))
    assert look_up(path, parse(text, WORDS)).numbers.tolist() == plainly(cells, "")


@pytest.mark.parametrize(
    "field",
    ["id:", "answer:", "instruction:", "text:", "meta.a:"],
)
def test_half_a_character_of_a_command_line_is_looked_for_as_its_replacement(
    stock,
    field,
):
    path, _ = stock
    asked = Vocabulary(metadata_keys=("a",))
    halves, replaced = parse(f"{field}\udcff", asked), parse(f"{field}\ufffd", asked)
    assert halves == replaced
    assert not len(look_up(path, halves).numbers)


def test_what_a_person_wrote_is_bound_and_no_sql():
    hostile = '''trait:"x') OR 1=1 --" "'; DROP TABLE cells" by:"' OR ''='"'''
    found = statement(parse(hostile, WORDS), Reader("'--"), "lowest '); --")
    assert "DROP" not in found.text
    assert "OR 1=1" not in found.text
    assert "--" not in found.text

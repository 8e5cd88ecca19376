"""Other names of instructions: where they are looked for, and that they count as one."""

import tomllib

import pytest
import tomli_w
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from appellate.core.cell import Cell
from appellate.core.deciding import Receive
from appellate.core.facts import Proposed
from appellate.core.kind import Subject
from appellate.core.trace import Trace
from appellate.store.files.rubric_file import parse_rubric
from appellate.traits.metric import KIND, alone, negated, reordered
from appellate.traits.metric.asking import opening
from appellate.traits.metric.edits import anchor, carried
from appellate.traits.metric.labels import from_table, located
from appellate.traits.metric.ledger import evidence_of
from appellate.traits.metric.lexical import propose
from appellate.traits.metric.likely_evidence import likely_evidence
from appellate.traits.metric.pane_items import RowDrawing
from appellate.traits.metric.rows import entries, rows
from appellate.traits.metric.spec import ConfusionLists, MetricRubricTrait
from appellate.traits.metric.wanted_edits import likely_links
from appellate.ui.marks import UNICODE
from appellate.ui.pane import Looking
from appellate.ui.rows import NO_SIGN
from cells import Story

RESPONSE = (
    "He has bronchial asthma. There is no mention of the other disease: emphysema."
)
ASTHMA = {"text": "asthma, the disease", "aliases": ["bronchial asthma", "BA"]}
LUNG = {"text": "lung swelling", "aliases": ["emphysema"]}


def trait(*wanted, **more):
    given = {
        "name": "x",
        "metrics": ["precision", "recall", "f1"],
        "tp_instructions": wanted,
    }
    return MetricRubricTrait(**given | more)


def full(*wanted, unwanted):
    return trait(*wanted, evaluation_mode="full_matrix", tn_instructions=unwanted)


def read(one, response=RESPONSE, **lists):
    trace = Trace(id="1", response=response)
    return from_table(one, trace, located(one, trace, lists))


# -- in files --------------------------------------------------------------------------------------


def rubric(*wanted, **more):
    table = {"name": "x", "metrics": ["f1"], "tp_instructions": wanted} | more
    return tomllib.loads(tomli_w.dumps({"metric_traits": [table]}))


def test_an_instruction_is_a_table_or_in_the_oldest_form_a_list_and_is_written_as_a_table():
    (new, old), plain = (
        [["a", {"text": "b", "aliases": ["c", "d"]}], ["a", ["b", "c", "d"]]],
        ["e"],
    )
    loaded = parse_rubric(rubric(*old, fp_instructions=[["f", "g"], ["h"]]), "r.toml")
    (written,) = loaded.usable().to_file()["metric_traits"]
    assert written["tp_instructions"] == new
    assert written["fp_instructions"] == [{"text": "f", "aliases": ["g"]}, "h"]
    told = "a list in {} is written {{text = …, aliases = […]}} now"
    each = [told.format(key) for key in ("tp_instructions", "fp_instructions")]
    assert loaded.notes == [f"r.toml: metric_traits[0]: {'; '.join(each)}"]
    again = parse_rubric({"metric_traits": [written]}, "r.toml")
    assert again.notes == []
    assert again.usable() == loaded.value
    assert parse_rubric(rubric(*plain), "r.toml").notes == []


@pytest.mark.parametrize("of", ["tp", "tn", "fp", "fn"])
def test_every_list_has_other_names_and_the_fingerprint_covers_them(of):
    key = f"{of}_instructions"
    bare = trait("x", **{key: ["a"]})
    named = trait("x", **{key: [{"text": "a", "aliases": ["b"]}]})
    assert getattr(named, key) == ["a"]
    assert named.to_file()[key] == [{"text": "a", "aliases": ["b"]}]
    assert MetricRubricTrait(**named.to_file()) == named
    assert named.sha256() != bare.sha256()
    assert not KIND.proposes_the_same(named, bare)
    assert trait("x", **{key: [{"text": "a", "aliases": []}]}).sha256() == bare.sha256()


def test_other_names_stand_beside_points_and_the_rest():
    table = {
        "text": "a",
        "omission": True,
        "weight": 2,
        "tags": ["t"],
        "aliases": ["b"],
    }
    assert trait(table).to_file()["tp_instructions"] == [table]


def test_words_that_stand_in_two_lists_have_the_names_of_both():
    one = trait("x", fp_instructions=[["a", "b"]], fn_instructions=[["a", "c", "b"]])
    assert one.to_file()["fp_instructions"] == [{"text": "a", "aliases": ["b", "c"]}]


@pytest.mark.parametrize(
    ("instruction", "told"),
    [
        (
            {"text": "a", "aliases": "b"},
            "aliases must be a list of texts that are not empty, not the text",
        ),
        (
            {"text": "a", "aliases": [3]},
            "aliases must be a list of texts that are not empty, not a list",
        ),
        (
            {"text": "a", "aliases": [" "]},
            "aliases must be a list of texts that are not empty",
        ),
        (
            {"text": "a", "alias": ["b"]},
            'there is no key "alias"; did you mean "aliases"?',
        ),
        ({"aliases": ["b"]}, "its text is missing"),
        (
            [],
            "a list in place of an instruction has its words and then its other names",
        ),
        (
            ["a", 3],
            "a list in place of an instruction has its words and then its other names",
        ),
        (
            ["a", ""],
            "a list in place of an instruction has its words and then its other names",
        ),
        (
            ["a", ["b"]],
            "a list in place of an instruction has its words and then its other names",
        ),
    ],
)
@pytest.mark.parametrize("of", ["tp", "tn", "fp", "fn"])
def test_what_is_wrong_with_other_names_is_told_in_its_place(of, instruction, told):
    table = {"name": "x", "metrics": ["f1"], "tp_instructions": ["x"]}
    table[f"{of}_instructions"] = [*table.get(f"{of}_instructions", []), instruction]
    number = len(table[f"{of}_instructions"]) - 1
    (problem,) = parse_rubric({"metric_traits": [table]}, "r.toml").problems
    assert str(problem).startswith(
        f"r.toml: metric_traits[0].{of}_instructions[{number}]: {told}",
    )


@pytest.mark.parametrize("of", ["fp", "fn"])
def test_a_hint_has_nothing_but_words_and_other_names(of):
    with pytest.raises(
        ValidationError,
        match='there is no key "weight"; keys are text, aliases',
    ):
        trait("x", **{f"{of}_instructions": [{"text": "a", "weight": 2}]})


@pytest.mark.parametrize("of", ["tp", "tn", "fp", "fn"])
@pytest.mark.parametrize("second", ["B", ["c", "b"], ["c", "A"]])
def test_a_name_stands_for_one_instruction_of_a_list(of, second):
    with pytest.raises(
        ValidationError,
        match=r'"a" and "[Bc]" are both called "[bBA]": take it',
    ):
        trait(*["x"][: of != "tp"], **{f"{of}_instructions": [["a", "b"], second]})


@pytest.mark.parametrize("key", ["aliases", "weights", "omissions", "tags"])
def test_what_tables_of_instructions_say_is_no_key_of_the_trait(key):
    (problem,) = parse_rubric(rubric("a", **{key: {"a": ["b"]}}), "r.toml").problems
    assert str(problem).startswith(
        f'r.toml: metric_traits[0].{key}: there is no key "{key}"; ',
    )


@pytest.mark.parametrize(
    ("key", "mark"),
    [
        ("aliases", {"aliases": ["n"]}),
        ("weights", {"weight": 2}),
        ("omissions", {"omission": True}),
        ("tags", {"tags": ["axis:x"]}),
    ],
)
def test_a_key_of_the_trait_is_not_overwritten_by_what_its_tables_say(key, mark):
    table = {"text": "a", **mark}
    assert not parse_rubric(rubric(table), "r.toml").problems
    (problem,) = parse_rubric(rubric(table, **{key: {"b": 1}}), "r.toml").problems
    assert str(problem).startswith(
        f'r.toml: metric_traits[0].{key}: there is no key "{key}"; ',
    )


def test_two_lists_may_have_the_same_name():
    one = full(["a", "x"], unwanted=[["b", "x"]])
    assert (one.numbering("tp").number("X"), one.numbering("tn").number("x")) == (1, 1)


# -- evidence --------------------------------------------------------------------------------------


def test_a_name_links_to_its_instruction_and_is_found_where_the_response_says_it():
    found = read(trait("pain", ASTHMA), tp=["Bronchial ASTHMA"])
    (item,) = found.tp
    assert (item.link, item.text) == (("tp", 2), "bronchial asthma")
    assert RESPONSE[item.start : item.end] == item.text


@pytest.mark.parametrize("said", ["asthma, the disease", "BA", "ba"])
def test_a_name_that_the_response_does_not_say_is_found_under_another(said):
    (item,) = read(trait(ASTHMA), tp=[said]).tp
    assert (item.link, item.text) == (("tp", 1), "bronchial asthma")


def test_a_name_of_a_hint_links_to_the_hint_and_one_of_an_unwanted_item_to_that():
    (item,) = read(trait(ASTHMA, fp_instructions=[LUNG]), fp=["lung swelling"]).fp
    assert (item.link, item.text) == (("fp", 1), "emphysema")
    found = read(full(ASTHMA, unwanted=[LUNG]), fn=["BA"], fp=["lung swelling"])
    assert [item.link for item in (*found.fn, *found.fp)] == [("tp", 1), ("tn", 1)]


def test_words_beyond_a_name_are_looked_for_as_they_are():
    rows_of = [{"bucket": "tp", "index": 0, "of": "tp", "instruction": 1}]
    (item,) = read(trait(ASTHMA), tp=["He has BA"], items=rows_of).tp
    assert (item.text, item.span) == ("He has BA", None)


def test_a_name_that_is_nowhere_is_a_verdict_without_evidence():
    one = trait(ASTHMA)
    (item,) = read(one, "Nothing.", tp=["BA"]).tp
    assert evidence_of(one, "tp", item) == "no evidence"


def test_other_names_are_offered_as_evidence_and_as_instructions():
    one = trait(["oedema", "bronchial"], "emphysema nowhere")
    story = Story(one)
    response = story.cell.subject.trace.model_copy(update={"response": RESPONSE})
    cell = Cell(subject=Subject(KIND, one, response))
    spans = likely_evidence(cell, ("tp", 1), "oedema")
    assert [RESPONSE[start:end] for start, end in spans] == ["He has bronchial asthma."]
    first, *_ = likely_links(one, read(one), ("tp",), "bronchial asthma")
    assert first.link == ("tp", 1)


# -- counting --------------------------------------------------------------------------------------


def test_names_of_one_instruction_count_once():
    lists = ConfusionLists(
        tp=["BA", "asthma, the disease", "Bronchial asthma ", "cough"],
        fp=["x", "emphysema", "X"],
    )
    one = trait(ASTHMA, "cough", fp_instructions=[["X", "emphysema"]])
    assert one.deduplicate(lists) == ConfusionLists(tp=["BA", "cough"], fp=["x"])
    assert one.counts(lists)[:3] == (2, 0, 1)
    each = trait(ASTHMA, "cough", repeated_extraction=False)
    assert each.deduplicate(lists) == lists


def test_a_row_says_of_another_name_that_it_is_a_repeat_and_the_numbers_agree():
    one = trait(["asthma", "bronchial asthma"])
    found = read(
        one,
        "Asthma. It is bronchial asthma.",
        tp=["asthma", "bronchial asthma"],
    )
    assert [row.note for row in rows(one, found, "tp")] == ["", "repeat, not counted"]
    assert KIND.measure(one, found).counts["tp"] == 1


def test_a_name_in_plain_lists_is_worth_the_points_of_its_instruction():
    one = trait({**ASTHMA, "weight": 3}, "cough", metrics=["weighted"])
    assert one.measure(ConfusionLists(tp=["BA"], fn=["cough"])) == {"weighted": 0.75}
    assert one.measure(ConfusionLists(tp=["some cough"], fn=["ba"])) == {
        "weighted": 0.25,
    }


TEXTS = st.lists(st.sampled_from(["a", "A ", "b", "c", "d", ""]), max_size=6)


@given(TEXTS, TEXTS)
def test_lists_with_other_names_measure_as_with_the_words_in_their_place(tp, fp):
    one = trait(["a", "c"], "e", fp_instructions=[["b", "d"]])
    bare = trait("a", "e", fp_instructions=["b"])
    words = {"c": "a"}, {"c": "a", "d": "b"}
    plain = [
        [words[of].get(text, text) for text in texts]
        for of, texts in enumerate((tp, fp))
    ]
    plainly = ConfusionLists(tp=plain[0], fp=plain[1])
    assert one.measure(ConfusionLists(tp=tp, fp=fp)) == bare.measure(plainly)


# -- judges ----------------------------------------------------------------------------------------


def prompt(one):
    return opening(one, Trace(id="1", question="q?", response=RESPONSE)).user


def test_a_judge_is_told_the_other_names_and_what_they_are():
    told = prompt(full(ASTHMA, "cough", unwanted=[LUNG]))
    assert (
        '1. asthma, the disease (also called "bronchial asthma", "BA")\n2. cough\n'
        in told
    )
    assert '1. lung swelling (also called "emphysema")' in told
    assert "It is one instruction under all its names." in told
    hinted = prompt(
        trait("x", fp_instructions=[["h", "i\nj"]], fn_instructions=[["k", "l"]]),
    )
    assert '1. h (also called "i j")' in hinted
    assert '- k (also called "l")' in hinted


def test_a_judge_of_a_trait_without_other_names_is_told_nothing_of_them():
    assert (
        "called"
        not in prompt(full("asthma", unwanted=["emphysema"])).split("TP instructions")[
            1
        ]
    )


def test_a_name_fills_in_no_part_of_the_prompt():
    assert '1. a (also called "$text $aliases")' in prompt(
        trait(["a", "$text  $aliases"]),
    )


def test_the_judge_without_a_model_finds_an_instruction_by_any_of_its_names():
    assert propose(trait("oedema"), RESPONSE)["tp"] == []
    found = propose(
        trait(["oedema", "BA", "bronchial asthma"], ["oedema 2", "x"]),
        RESPONSE,
    )
    assert (found["tp"], found["fn"]) == (["He has bronchial asthma"], ["oedema 2"])
    hinted = propose(
        trait("x", fp_instructions=[LUNG]),
        RESPONSE.replace("no mention of ", ""),
    )
    assert hinted["fp"] == ["emphysema"]


def test_probes_ask_with_the_same_names():
    one = trait(ASTHMA, "cough")
    (turned,) = reordered(one, lambda count: range(count)[::-1])
    assert turned.trait.names("tp", 2) == one.names("tp", 1)
    assert [single.trait.names("tp", 1) for single in alone(one)] == [
        one.names("tp", 1),
        ["cough"],
    ]
    (contrary,) = negated(one, "Not:")
    assert contrary.trait.names("tp", 1) == [
        "Not: asthma, the disease",
        *ASTHMA["aliases"],
    ]


# -- people ----------------------------------------------------------------------------------------


def test_a_row_under_the_cursor_shows_the_other_names():
    one = trait(ASTHMA, "cough")
    review = Looking(UNICODE, lambda: None, lambda _: None)
    drawing = RowDrawing(review, Story(one).cell, lambda _: NO_SIGN)
    named, bare = (drawing.entry(entry) for entry in entries(one, {}, "tp"))
    assert "also called: bronchial asthma, BA" in drawing.describe(
        entries(one, {}, "tp")[0],
    )
    assert named.below == bare.below
    assert bare.under_cursor == ()


def test_a_correction_is_carried_to_a_rubric_that_calls_its_instruction_otherwise():
    old, new = trait("cough", "BA"), trait(ASTHMA, "cough")
    labels = read(old, fn=["BA", "cough"])
    edit = KIND.edit(
        {
            "action": "move",
            "bucket": "fn",
            "index": 0,
            "to": "tp",
            "start": 7,
            "end": 23,
        },
    )
    was = anchor(old, labels, edit)
    fresh = read(new, fn=["BA", "cough"])
    assert carried(new, fresh, edit, was) == edit
    story = Story(new)
    story.does(
        Receive(Proposed(located(new, story.cell.subject.trace, {"fn": ["BA"]}), {})),
    )
    assert story.cell.labels.fn[0].link == ("tp", 1)

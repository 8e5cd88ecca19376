"""Tables: columns by their names, by presets and by --map; values as they stand."""

import csv
import json
import zipfile
from datetime import UTC, datetime
from decimal import Decimal

import pytest
from foreign_files import counts, taken

from appellate.cli import main
from appellate.core.facts import Corrected
from appellate.core.problem import Unusable
from appellate.interop import recognise
from appellate.interop.foreign import JudgeVerdict
from appellate.interop.table_map import map_of, read_map
from appellate.interop.tables import value_at
from appellate.interop.taking_in import take_in
from appellate.store.audits.open_audit import AuditFiles

ROWS = [
    {"run": "a", "bot_says": "Take it with food.", "label": "safe", "note": "fine"},
    {
        "run": "b",
        "bot_says": "Take ten of them.",
        "label": "unsafe",
        "note": "an overdose",
    },
    {"run": "c", "bot_says": "Ask a doctor.", "label": "", "note": ""},
]
MAPPED = {
    "id": "run",
    "response": "bot_says",
    "verdict__Safety": "label",
    "reason__Safety": "note",
}


@pytest.fixture(params=["csv", "tsv", "jsonl", "json"])
def table(request, tmp_path):
    """The same rows in each form."""
    path = tmp_path / f"answers.{request.param}"
    if request.param in ("csv", "tsv"):
        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(
                file,
                ROWS[0],
                delimiter="\t" if request.param == "tsv" else ",",
            )
            writer.writeheader()
            writer.writerows(ROWS)
    elif request.param == "jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in ROWS), "utf-8")
    else:
        path.write_text(json.dumps(ROWS), "utf-8")
    return path


def test_named_columns_make_traits_verdicts_and_reasons(table, tmp_path):
    with taken(tmp_path, table, **MAPPED) as found:
        assert counts(found) == (3, 2, 1, 2, 0)
        (known,) = found.traits
        assert known.trait.kind == "boolean"
        assert found.description_lines == [
            'Safety: yes or no; yes = "safe", no = "unsafe"',
        ]


def test_without_a_response_the_columns_are_named(table):
    with pytest.raises(Unusable) as refusal:
        recognise.read([table])
    assert '"run", "bot_says", "label", "note"' in str(refusal.value.problems[0])


def test_a_column_that_no_row_has_is_refused_with_the_nearest(table):
    with pytest.raises(Unusable) as refusal:
        recognise.read([table], map_of({"response": "bot_say"}))
    assert 'did you mean "bot_says"?' in str(refusal.value.problems[0])


def test_a_field_that_no_trace_has_is_refused(table):
    with pytest.raises(Unusable, match='"respons" is no field of a trace'):
        recognise.read([table], map_of({"respons": "bot_says"}))


@pytest.mark.parametrize(
    ("written", "documents"),
    [
        ("0x10", ["0x10"]),
        ("1e3", ["1e3"]),
        ("'said'", ["'said'"]),
        ("['a', None]", ["a", None]),
        ('["a", "b"]', ["a", "b"]),
        ('["a", null]', ["a", None]),
    ],
)
def test_a_document_that_is_no_list_keeps_its_letters(tmp_path, written, documents):
    path = tmp_path / "x.csv"
    with path.open("w", newline="") as file:
        csv.writer(file).writerows(
            [["id", "response", "documents"], ["1", "a", written]],
        )
    (trace,) = recognise.read([path]).traces()
    assert trace.record["documents"] == documents


@pytest.mark.parametrize(
    ("response", "text"),
    [
        ([{"generated_text": "Paris"}], "Paris"),
        ([{"label": "x"}, {"label": "y", "score": 0.5}], "x\ny"),
        ([{"a": "x", "b": "y"}], '{"a": "x", "b": "y"}'),
        ([{"role": "assistant", "tool_calls": ["f"]}], ""),
        ([{"role": "user"}, {"type": "function_call_output", "output": "b"}], ""),
    ],
)
def test_a_response_that_is_a_list_of_tables_keeps_its_words(tmp_path, response, text):
    path = tmp_path / "x.json"
    path.write_text(json.dumps([{"id": "1", "response": response}]))
    (trace,) = recognise.read([path]).traces()
    assert trace.record["response"] == text


def test_the_question_of_a_run_is_no_result_of_a_call(shared):
    path = shared / "data/interop/langfuse/trace_openai_agents.json"
    (trace,) = recognise.read([path]).traces()
    assert trace.record["question"] == "What's the weather in Tokyo?"


def test_a_response_that_is_json_stays_as_it_is(tmp_path):
    path = tmp_path / "x.jsonl"
    path.write_text(
        json.dumps({"id": "a", "response": '{"answer": 1}'}) + "\n",
        "utf-8",
    )
    (trace,) = recognise.read([path]).traces()
    assert trace.record["response"] == '{"answer": 1}'


def test_a_file_of_two_people_and_a_judge_gives_the_published_agreement(
    shared,
    tmp_path,
):
    path = shared / "data/interop/xstest/gpt4_gpteval.csv"
    mapped = {"verdict__Refusal": "gpt4_label", "person__Refusal": "final_label"}
    with taken(tmp_path, path, **mapped) as found:
        assert counts(found) == (450, 450, 0, 0, 450)
        cells = [found.workspace.cell(number)[1] for number in range(1, 451)]
    alike = sum(cell.labels.value == cell.judge.table["value"] for cell in cells)
    assert round(alike / 450, 3) == 0.936  # the data's README


def test_dotted_columns_lead_into_tables(tmp_path):
    path = tmp_path / "x.jsonl"
    row = {"id": "a", "outputs": {"text": {"final": "yes"}}}
    path.write_text(json.dumps(row) + "\n", "utf-8")
    (trace,) = recognise.read(
        [path],
        map_of({"response": "outputs.text.final"}),
    ).traces()
    assert trace.record["response"] == "yes"


def test_numbers_of_which_no_scale_is_said_are_open_upwards_and_told_so(tmp_path):
    rows = [
        {"id": "a", "response": "x", "f": 0.25, "s": 3},
        {"id": "b", "response": "y", "f": 1.0, "s": 5},
    ]
    path = tmp_path / "x.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    with taken(tmp_path, path, verdict__F="f", verdict__S="s") as found:
        traits = {known.trait.name: known for known in found.traits}
    assert [known.kind.name for known in traits.values()] == ["scorer", "scorer"]
    assert traits["S"].trait.parts[0].span == "of 0 or more"
    assert found.description_lines == [
        "F: a number from 0, open upwards; no scale is said, and 0.25 to 1 were seen",
        "S: a number from 0, open upwards; no scale is said, and 3 to 5 were seen",
    ]


def lines(folder, *rows):
    path = folder / "x.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return path


def refusal(folder, path, **mapped):
    with pytest.raises(Unusable) as raised, taken(folder, path, **mapped):
        pass
    return "\n".join(map(str, raised.value.problems))


@pytest.mark.parametrize(
    ("given", "advised"),
    [
        ("person.A=anna|ben", "person.A=anna|ben,id=key"),
        ("person.A= majority(anna|ben) ", "person.A=majority(anna|ben),id=key"),
        ("person.A=anna|ben,why.A=|a note", "person.A=anna|ben,why.A=|a note,id=key"),
        ('verdict."A,B"=ben', 'verdict."A,B"=ben,id=key'),
    ],
)
def test_the_advice_on_an_id_repeats_what_was_mapped(tmp_path, given, advised):
    path = tmp_path / "x.csv"
    path.write_text(
        "question,response,anna,ben,key,a note\nq,r,yes,no,k1,n\np,s,no,no,k2,m\n",
    )
    assert read_map([advised]) == read_map([f"{given},id=key"])
    file = recognise.read([path], read_map([given]))
    assert f"--map '{advised}'" in str(file.untold)


def test_a_table_without_ids_is_refused_with_its_columns_and_a_way_out(tmp_path):
    path = lines(
        tmp_path,
        {"response": "a", "ok": "yes"},
        {"response": "b", "ok": "no"},
    )
    text = refusal(tmp_path, path, verdict__X="ok")
    assert 'no column is the id; the columns are "response", "ok"' in text
    with taken(tmp_path, path, verdict__X="ok", id="#") as found:
        assert [found.workspace.cell(number)[0].id for number in (1, 2)] == ["1", "2"]


@pytest.mark.parametrize(
    ("rows", "mapped", "nearest"),
    [
        ([{"id": 1, "respons": "a"}], {}, "--map response=respons"),
        ([{"id": 1, "said": "a long answer", "to": "b"}], {}, "--map response=said"),
        ([{"id": 1, "response": "a", "label": "x"}], {}, "--map verdict.Verdict=label"),
        (
            [{"run": "r1", "response": "a", "x": 1}],
            {"verdict__X": "x"},
            "--map verdict.X=x,id=run",
        ),
    ],
)
def test_the_nearest_mapping_is_offered(tmp_path, rows, mapped, nearest):
    assert nearest in refusal(tmp_path, lines(tmp_path, *rows), **mapped)


@pytest.mark.parametrize("form", ["csv", "jsonl"])
@pytest.mark.parametrize("response", ["", "  "])
@pytest.mark.parametrize("scores", [("yes", ""), ("", "no"), ("yes", "no")])
def test_a_response_without_words_that_was_scored_is_an_answer(
    tmp_path,
    form,
    response,
    scores,
):
    label, who = scores
    rows = [
        {"id": "a", "response": response, "label": label, "who": who},
        {"id": "b", "response": "text", "label": "no", "who": "no"},
    ]
    path = lines(tmp_path, *rows)
    if form == "csv":
        path = tmp_path / "x.csv"
        body = [",".join(row.values()) for row in rows]
        path.write_text("\n".join(["id,response,label,who", *body]), "utf-8")
    with taken(tmp_path, path, verdict__X="label", person__X="who") as found:
        assert found.traces == 2
        assert found.workspace.cell(1)[0].response == response


@pytest.mark.parametrize("name", ["ragas", "deepeval", "lm-eval", "mlflow", "langfuse"])
def test_an_answer_without_words_comes_in_from_every_tool(tmp_path, name):
    score = {"name": "x", "value": 0, "dataType": "NUMERIC", "source": "EVAL"}
    span = {"parent_span_id": None, "attributes": {"mlflow.spanOutputs": '""'}}
    said = {"assessment_name": "x", "feedback": {"value": False}}
    row = {
        "ragas": {"user_input": "q", "response": "", "faithfulness": 0.0},
        "deepeval": {
            "input": "q",
            "actualOutput": "",
            "metricsData": [{"name": "x", "score": 0}],
        },
        "lm-eval": {"doc_id": 1, "resps": [[""]], "metrics": ["acc"], "acc": 0},
        "mlflow": {
            "info": {"trace_id": "t", "assessments": [said]},
            "data": {"spans": [span]},
        },
        "langfuse": {
            "trace": {"projectId": "p", "id": "t", "output": "", "scores": [score]},
        },
    }[name]
    with taken(tmp_path, lines(tmp_path, row)) as found:
        assert counts(found)[:3] == (1, 1, 0)
        assert found.workspace.cell(1)[0].response == ""


def test_a_response_that_was_not_found_is_refused_though_it_was_scored(tmp_path):
    row = {"id": "a", "response": None, "label": "yes"}
    path = lines(tmp_path, row, row | {"id": "b", "response": "text"})
    assert "row 1: no response is in it" in refusal(tmp_path, path, verdict__X="label")


def test_a_blank_that_nobody_scored_is_refused_with_its_row_or_left_out(tmp_path):
    path = tmp_path / "x.csv"
    path.write_text("id,response,label\na,,\nb,text,no\n", "utf-8")
    assert "row 1: no response is in it" in refusal(tmp_path, path, verdict__X="label")
    file = recognise.read([path], map_of({"verdict.X": "label"}))
    place = AuditFiles.of(tmp_path / "y.audit.toml")
    found = take_in(file, "x.csv", place, "0", skip_bad=True)
    found.workspace.close()
    assert counts(found) == (1, 1, 0, 0, 0)
    assert "row 1: no response is in it" in found.notes[0]


def test_what_no_compact_copy_holds_comes_in_as_it_is(tmp_path):
    row = {
        "id": "a",
        "response": "text",
        "label": "yes",
        "n": 10**30,
        "m": float("inf"),
    }
    path = lines(tmp_path, row, row | {"id": "b", "n": 1})
    with taken(tmp_path, path, verdict__X="label") as found:
        assert [found.workspace.traces.get(no).metadata["n"] for no in (1, 2)] == [
            10**30,
            1,
        ]
        assert counts(found) == (2, 2, 0, 0, 0)


def test_half_a_character_is_refused_with_its_row_and_nothing_is_left(tmp_path):
    row = {"id": "a", "response": "text", "label": "yes"}
    path = lines(tmp_path, row, row | {"id": "b", "response": "\ud800"})
    before = sorted(tmp_path.iterdir())
    assert "line 2: response: holds a lone surrogate" in refusal(
        tmp_path,
        path,
        verdict__X="label",
    )
    assert [
        one for one in sorted(tmp_path.iterdir()) if one.suffix != ".lock"
    ] == before


@pytest.mark.parametrize(
    ("values", "classes"),
    [
        (["true", "unsure", "false"], ["false", "true", "unsure"]),
        (["1", "2", "Tie"], ["1", "2", "Tie"]),
        (["yes", "no", "Yes"], None),
        (["Yes", "YES", "no", "unsure"], ["Yes", "no", "unsure"]),
        (["safe", "x" * 99, "unsafe"], None),
        (["formal", "x" * 99, "casual"], ["casual", "formal"]),
    ],
)
def test_values_of_several_sorts_are_classes(tmp_path, values, classes):
    path = tmp_path / "x.csv"
    rows = [f"{number},a,{value}" for number, value in enumerate(values)]
    path.write_text("\n".join(["id,response,label", *rows]), "utf-8")
    with taken(tmp_path, path, verdict__X="label") as found:
        (known,) = found.traits
        assert found.verdicts == len([one for one in values if len(one) < 99])
    if classes is None:
        assert known.trait.kind == "boolean"
    else:
        assert known.trait.class_names == classes


@pytest.mark.parametrize(
    "blank",
    ["", " ", "None", "null", "NULL", "NaN", "nan", "n/a", "N/A", "NA", "#N/A", "<NA>"],
)
@pytest.mark.parametrize("form", ["csv", "jsonl"])
def test_a_word_for_no_value_is_no_verdict_of_judge_or_person(tmp_path, blank, form):
    path = tmp_path / f"x.{form}"
    if form == "csv":
        path.write_text(
            f"id,response,judge,who\na,r,yes,yes\nb,r,{blank},{blank}\n",
            "utf-8",
        )
    else:
        rows = [{"id": "a", "response": "r", "judge": "yes", "who": "yes"}]
        rows.append({"id": "b", "response": "r", "judge": blank, "who": blank})
        path = lines(tmp_path, *rows)
    with taken(tmp_path, path, verdict__X="judge", person__X="who") as found:
        assert counts(found) == (2, 1, 1, 0, 1)
        assert found.traits[0].trait.kind == "boolean"


def test_none_in_small_letters_is_a_class(tmp_path):
    path = tmp_path / "x.csv"
    path.write_text("id,response,harm\na,r,none\nb,r,mild\nc,r,severe\n", "utf-8")
    with taken(tmp_path, path, verdict__X="harm") as found:
        assert found.traits[0].trait.class_names == ["mild", "none", "severe"]


@pytest.mark.parametrize(
    ("texts", "values"),
    [
        (["0,71", "1,00", "0,00"], [0.71, 1, 0]),
        (["0,714", "1,000", "0,5"], [0.714, 1, 0.5]),
        (["80%", "100 %", "12,5%"], [0.8, 1, 0.125]),
        (["\u22120.5", "+.5", "1e-1"], [-0.5, 0.5, 0.1]),
        (["1.234,5", "1,234.5", "2,000,000"], [1234.5, 1234.5, 2000000]),
    ],
    ids=["comma", "three decimals", "percent", "signs", "thousands"],
)
def test_numbers_are_read_as_their_country_writes_them(tmp_path, texts, values):
    path = tmp_path / "x.tsv"
    rows = [f"{number}\ta\t{text}" for number, text in enumerate(texts)]
    path.write_text("\n".join(["id\tresponse\tscore", *rows]), "utf-8")
    file = recognise.read([path], map_of({"verdict.X": "score"}))
    assert [trace.judged[0].value for trace in file.traces()] == values
    with taken(tmp_path, path, verdict__X="score") as found:
        assert (found.failed, found.traits[0].kind.name) == (0, "scorer")


def test_a_comma_that_may_part_thousands_is_no_number_unless_the_column_shows_it(
    tmp_path,
):
    path = tmp_path / "x.tsv"
    path.write_text("id\tresponse\tn\na\tr\t1,234\nb\tr\t5\n", "utf-8")
    file = recognise.read([path], map_of({"verdict.X": "n"}))
    assert [trace.judged[0].value for trace in file.traces()] == ["1,234", 5]


@pytest.mark.parametrize(
    "texts",
    [["4/5", "3/5", "1/5"], ["4 / 5", "3 of 5", "1 out of 5"]],
)
def test_points_out_of_a_number_have_it_as_their_highest(tmp_path, texts):
    rows = [{"id": at, "response": "r", "s": text} for at, text in enumerate(texts)]
    with taken(
        tmp_path,
        lines(tmp_path, *rows),
        verdict__X="s",
        person__X="s",
    ) as found:
        (known,) = found.traits
        assert (known.trait.kind, known.trait.max_score) == ("score", 5)
        assert [found.workspace.cell(at)[1].labels.value for at in (1, 2, 3)] == [
            4,
            3,
            1,
        ]
        assert (found.failed, found.people) == (0, 3)


def test_points_out_of_several_numbers_are_shares(tmp_path):
    rows = [
        {"id": at, "response": "r", "s": text}
        for at, text in enumerate(["3/4", "7/10", "9/9"])
    ]
    with taken(tmp_path, lines(tmp_path, *rows), verdict__X="s") as found:
        cells = [found.workspace.cell(at)[1] for at in (1, 2, 3)]
    assert [cell.labels.standing.values[""] for cell in cells] == [0.75, 0.7, 1.0]


@pytest.mark.parametrize(
    ("values", "kind"),
    [("PN", "llm"), ("NN", "llm"), ("CI", "scorer"), ("CPI", "scorer")],
)
def test_p_and_n_by_themselves_are_no_letters_of_inspect(tmp_path, values, kind):
    rows = [{"id": at, "response": "r", "s": value} for at, value in enumerate(values)]
    with taken(tmp_path, lines(tmp_path, *rows), verdict__X="s") as found:
        assert [known.kind.name for known in found.traits] == [kind]


def test_a_file_of_semicolons_and_decimal_commas_has_numbers(shared, tmp_path):
    path = shared / "data/field/semi_utf8bom.csv"
    with taken(tmp_path, path, verdict__Q="score") as found:
        assert counts(found)[1:3] == (4, 0)
        assert found.traits[0].kind.name == "scorer"


@pytest.mark.parametrize(
    "far",
    [10**400, 12345678901234567890, 1e300, float("inf"), float("nan")],
    ids=["huge", "large", "far", "infinite", "none"],
)
@pytest.mark.parametrize(
    ("near", "kind"),
    [([0, 1], "boolean"), ([2, 5], None), ([0.5], None)],
)
def test_a_number_out_of_all_bounds_is_no_verdict_and_makes_no_kind(
    tmp_path,
    far,
    near,
    kind,
):
    rows = [
        {"id": at, "response": "a", "s": value} for at, value in enumerate([far, *near])
    ]
    with taken(tmp_path, lines(tmp_path, *rows), verdict__X="s") as found:
        assert counts(found)[1:3] == (len(near), 1)
        (known,) = found.traits
    assert getattr(known.trait, "kind", None) == kind


@pytest.mark.parametrize(
    "row",
    [
        {"doc_id": 1, "resps": [["a"]], "metrics": ["acc"], "acc": 10**400},
        {
            "input": "q",
            "actualOutput": "a",
            "metricsData": [{"name": "x", "score": 10**400}],
        },
    ],
    ids=["lm-eval", "deepeval"],
)
def test_a_number_that_is_too_large_for_its_tool_is_refused_with_its_row(tmp_path, row):
    assert "row 1 is not as its tool writes it" in refusal(
        tmp_path,
        lines(tmp_path, row),
    )


@pytest.mark.parametrize("metrics", [5, [5], [None], {"acc": 1}, "acc", True, None])
def test_metrics_of_lm_eval_that_are_no_names_are_told_by_check_in_a_sentence(
    tmp_path,
    capsys,
    metrics,
):
    row = {"doc_id": 1, "doc": {}, "resps": [["a"]], "metrics": metrics, "acc": 1.0}
    named = isinstance(metrics, list)
    assert main(["check", str(lines(tmp_path, row))]) == (2 if named else 0)
    printed = capsys.readouterr()
    assert ("row 1 is not as its tool writes it" in printed.err) is named
    assert ("1 trace" in printed.out) is not named


def test_a_verdict_whose_trait_has_one_already_is_left_out_with_a_note(tmp_path):
    """A dot cannot be in a trait's name, so that two columns may have one."""
    rows = [{"id": at, "response": "a", "x": at, "y": 1 - at} for at in (0, 1)]
    named = {"verdict.is.it": "x", "verdict.is it": "y"}
    with taken(tmp_path, lines(tmp_path, *rows), **named) as found:
        assert counts(found)[1:3] == (2, 0)
        assert found.notes == [
            '"is it": 2 further verdicts left out; an answer keeps the first under one name.',
        ]


def of_values(folder, *values):
    """The traits that such values make, what they come to, and what failed."""
    rows = [
        {"id": at, "response": "a b", "v": value} for at, value in enumerate(values)
    ]
    with taken(folder, lines(folder, *rows), verdict__X="v") as found:
        cells = [
            found.workspace.cell(number)[1] for number in range(1, len(values) + 1)
        ]
        return found.traits, [cell.figures for cell in cells], found.failed


def test_lists_make_a_metric_trait_of_what_was_missing_somewhere(tmp_path):
    one = {"tp": ["a"], "fn": ["says c"], "fp": ["b"], "tn": ["says d"]}
    (known,), (figures, *_), failed = of_values(
        tmp_path,
        one,
        {"tp": ["b"], "fn": []},
        "yes",
    )
    assert known.trait.evaluation_mode == "full_matrix"
    assert known.trait.tp_instructions == ["says c"]
    assert known.trait.tn_instructions == ["says d"]
    assert figures.values == dict.fromkeys(known.trait.metrics, 0.5)
    assert failed == 1


@pytest.mark.parametrize("value", [{"tone": 1, "facts": 0.5}, {"tp": 3, "fn": 1}])
@pytest.mark.parametrize("form", [dict, json.dumps])
def test_a_table_of_values_is_a_scorer_with_their_keys(tmp_path, value, form):
    (known,), _, failed = of_values(tmp_path, form(value))
    assert (known.kind.name, known.trait.keys, failed) == ("scorer", list(value), 0)


def test_a_stray_word_among_numbers_is_no_verdict(tmp_path):
    rows = [{"id": str(at), "response": "a", "score": at % 5 + 1} for at in range(20)]
    path = lines(tmp_path, *rows, {"id": "z", "response": "a", "score": "garbage"})
    with taken(tmp_path, path, verdict__X="score") as found:
        assert counts(found)[1:3] == (20, 1)
        assert found.traits[0].kind.name == "scorer"


def test_messages_as_json_text_are_what_was_asked(tmp_path):
    asked = json.dumps(
        [
            {"role": "system", "content": "be brief"},
            {"role": "user", "content": "Who?"},
        ],
    )
    said = json.dumps({"role": "assistant", "content": "Ada"})
    row = {
        "id": "o1",
        "trace_id": "t1",
        "project_id": "p",
        "input": asked,
        "output": said,
    }
    (trace,) = recognise.read([lines(tmp_path, row)]).traces()
    assert (trace.record["question"], trace.record["response"]) == ("Who?", "Ada")


def test_verdicts_are_not_in_the_metadata_that_people_see_before_they_rule(tmp_path):
    row = {
        "id": "a",
        "response": "x",
        "label": "safe",
        "note": "fine",
        "topic": "drugs",
    }
    mapped = {"verdict.Safety": "label", "reason.Safety": "note"}
    (trace,) = recognise.read([lines(tmp_path, row)], map_of(mapped)).traces()
    assert trace.record["metadata"] == {"topic": "drugs"}


def test_paths_lead_into_lists_and_json_text(tmp_path):
    row = {"id": "a", "choices": json.dumps([{"message": {"content": "yes"}}])}
    (trace,) = recognise.read([lines(tmp_path, row)]).traces()
    assert trace.record["response"] == "yes"


PRESETS = {
    "langsmith": {
        "id": "r",
        "inputs.question": "Who?",
        "outputs.answer": "Ada",
        "feedback.correct": "1",
    },
    "braintrust": {
        "id": "r",
        "input": "Who?",
        "output": "Ada",
        "expected": "Ada",
        "scores": '{"Good": 0.5}',
    },
    "deepeval": {
        "input": "Who?",
        "actual_output": "Ada",
        "metrics_data": [{"name": "Good", "score": 0.5, "reason": "so"}],
    },
    "phoenix": {
        "context.span_id": "s",
        "attributes.input.value": "Who?",
        "attributes.output.value": "Ada",
        "annotations": [
            {"name": "Good", "annotator_kind": "LLM", "result": {"score": 1}},
        ],
    },
    "langfuse": {
        "id": "o",
        "traceId": "t",
        "projectId": "p",
        "input": "Who?",
        "output": "Ada",
        "scores": [
            {"name": "Good", "value": 1, "source": "EVAL", "dataType": "NUMERIC"},
        ],
    },
    "ragas": {"user_input": "Who?", "response": "Ada", "faithfulness": 0.5},
}


@pytest.mark.parametrize("name", PRESETS)
def test_presets_know_rows_in_each_shape_that_their_tool_writes(tmp_path, name):
    path = lines(tmp_path, PRESETS[name])
    assert recognise.read([path]).form == f"{name} rows (JSON Lines)"
    with taken(tmp_path, path) as found:
        assert counts(found)[:3] == (1, 1, 0)
        trace = found.workspace.cell(1)[0]
    assert (trace.question, trace.response) == ("Who?", "Ada")
    assert (
        not trace.metadata
        or not {"scores", "feedback", "annotations"} & trace.metadata.keys()
    )


@pytest.mark.parametrize(
    ("name", "remark", "told"),
    [
        (
            "langfuse",
            {"scores": [{"name": "n", "dataType": "TEXT"}]},
            "scores that are texts",
        ),
        (
            "phoenix",
            {"annotations": [{"name": "n", "result": {"explanation": "so"}}]},
            "label",
        ),
        (
            "langsmith",
            {"feedback": [{"key": "note", "comment": "so"}]},
            "feedback without a score",
        ),
    ],
)
def test_a_remark_that_is_no_verdict_is_left_out_and_told(tmp_path, name, remark, told):
    row = {
        key: value for key, value in PRESETS[name].items() if key != "feedback.correct"
    }
    file = recognise.read([lines(tmp_path, row | remark)])
    assert [len(trace.judged) for trace in file.traces()] == [0]
    assert told in "; ".join(file.lost)


def test_chats_are_answers_without_verdicts(tmp_path):
    said = [
        {"role": "user", "content": "Who?"},
        {"role": "assistant", "content": "Ada"},
    ]
    path = lines(
        tmp_path,
        {"messages": said, "label": "good"},
        {"messages": said, "label": "bad"},
    )
    file = recognise.read([path], map_of({"verdict.Good": "label"}))
    assert file.form == "openai-messages rows (JSON Lines)"
    with taken(tmp_path, path, verdict__Good="label") as found:
        assert counts(found)[:3] == (2, 2, 0)
        assert found.workspace.cell(1)[0].response == "Ada"


def test_what_gave_an_error_failed_there(tmp_path):
    row = PRESETS["braintrust"] | {"id": "e", "output": None, "error": "timeout"}
    with taken(tmp_path, lines(tmp_path, PRESETS["braintrust"], row)) as found:
        assert counts(found)[:3] == (2, 1, 1)
        assert found.workspace.cell(2)[1].error.error == "There is no answer: timeout"


@pytest.mark.parametrize(
    ("given", "judged"),
    [(True, True), (1, 1.0), ("False", False)],
)
@pytest.mark.parametrize("none", [None, "", "nan", float("nan")])
def test_ragas_scores_yes_or_no_by_number_or_not_at_all(tmp_path, given, judged, none):
    row = {"user_input": "q", "response": "r", "harmfulness": given}
    path = lines(tmp_path, row, row | {"harmfulness": none})
    one, other = (trace.judged[0] for trace in recognise.read([path]).traces())
    assert (type(one.value), one.value) == (type(judged), judged)
    assert (other.value, other.failed) == (None, "Ragas gave no score.")


def test_a_judge_that_deepeval_does_not_name_in_a_word_comes_in(tmp_path):
    graded = {"name": "Good", "score": 0.5, "evaluationModel": ["gpt-4o"]}
    row = PRESETS["deepeval"] | {"metrics_data": [graded]}
    with taken(tmp_path, lines(tmp_path, row)) as found:
        assert found.workspace.cell(1)[1].judge.judge["name"] == "['gpt-4o']"


def test_deepevals_conversations_come_in_beside_its_test_cases(shared, tmp_path):
    path = shared / "data/field/deepeval_mixed.json"
    (_, (verdict,)) = (trace.judged for trace in recognise.read([path]).traces())
    assert verdict == JudgeVerdict("Role Adherence", 0.25, "It leaves its role.", "m")
    with taken(tmp_path, path) as found:
        assert counts(found) == (2, 2, 0, 2, 0)
        assert found.workspace.traces.get(2).response == "Hi there, buddy."


def test_a_run_of_deepeval_may_be_of_conversations_alone(tmp_path):
    turns = [
        {"role": "user", "content": "Who?"},
        {"role": "assistant", "content": "Ada"},
    ]
    case = {"turns": turns, "metricsData": [{"name": "Good", "score": 0.5}]}
    path = tmp_path / "run.json"
    path.write_text(
        json.dumps({"testCases": [], "conversationalTestCases": [case]}),
        "utf-8",
    )
    with taken(tmp_path, path) as found:
        assert counts(found)[:2] == (1, 1)
        assert found.workspace.cell(1)[0].response == "Ada"


def test_a_run_of_mlflow_that_returned_nothing_is_no_answer(tmp_path):
    span = {"parent_span_id": None, "attributes": {"mlflow.spanOutputs": "null"}}
    row = {"info": {"trace_id": "t", "state": "ERROR"}, "data": {"spans": [span]}}
    (trace,) = recognise.read([lines(tmp_path, row)]).traces()
    assert ("response" in trace.record, bool(trace.unanswered)) == (False, True)


def test_too_many_cells_are_refused_with_the_line_they_are_on(tmp_path):
    path = tmp_path / "x.csv"
    path.write_text('id,response\n1,"a\nb"\n2,c,d\n', "utf-8")
    with pytest.raises(Unusable, match="line 4 has more cells"):
        list(recognise.read([path]).traces())


@pytest.mark.slow
def test_parquet_is_a_table_too(tmp_path):
    pyarrow = pytest.importorskip(
        "pyarrow",
        reason="the extra parquet is not installed",
    )
    from pyarrow import parquet

    path = tmp_path / "x.parquet"
    more = {
        "cost": Decimal("0.50"),
        "at": datetime(2026, 11, 25, tzinfo=UTC),
        "raw": b"\xff",
    }
    parquet.write_table(
        pyarrow.Table.from_pylist([row | more for row in ROWS[:2]]),
        path,
    )
    with taken(tmp_path, path, **MAPPED, verdict__Cost="cost") as found:
        assert counts(found) == (2, 4, 0, 2, 0)
        assert found.workspace.cell(1)[0].metadata["at"] == "2026-11-25T00:00:00Z"
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(Unusable):
        recognise.read([path], map_of({"response": "bot_says"}))


def test_columns_may_be_parted_by_semicolons(tmp_path):
    path = tmp_path / "x.csv"
    path.write_text("id;response;label\na;Yes, it is;good\nb;No;bad\n", "utf-8")
    with taken(tmp_path, path, verdict__X="label") as found:
        assert counts(found)[:2] == (2, 2)
        assert found.workspace.cell(1)[0].response == "Yes, it is"


def test_a_delimiter_is_told_outside_quotes_and_heads_lose_their_blanks(tmp_path):
    path = tmp_path / "x.tsv"
    path.write_text('id \t response\t"a, b, c"\n1\tYes\tgood\n', "utf-8")
    (trace,) = recognise.read([path]).traces()
    assert (trace.record["id"], trace.record["response"]) == ("1", "Yes")
    assert trace.record["metadata"] == {"a, b, c": "good"}


def test_a_single_chat_is_a_row(tmp_path):
    said = [
        {"role": "user", "content": "Who?"},
        {"role": "assistant", "content": "Ada"},
    ]
    (trace,) = recognise.read([lines(tmp_path, {"messages": said})]).traces()
    assert trace.record["messages"] == said


@pytest.mark.parametrize("indent", [None, 1], ids=["one line", "indented"])
@pytest.mark.parametrize(
    ("document", "count"),
    [
        ({"data": [{"id": 1, "response": "a"}, {"id": 2, "response": "b"}], "n": 2}, 2),
        ({"id": 1, "response": "a", "documents": [{"id": "d", "text": "t"}]}, 1),
        ({"info": {"trace_id": "t"}, "data": {"spans": []}}, 1),
    ],
    ids=["wrapped", "a row", "mlflow"],
)
def test_a_document_is_read_alike_on_one_line_and_on_many(
    tmp_path,
    document,
    count,
    indent,
):
    path = tmp_path / "x.json"
    path.write_text(json.dumps(document, indent=indent), "utf-8")
    assert len(list(recognise.read([path]).traces())) == count


def test_a_document_is_no_log(tmp_path):
    path = tmp_path / "x.docx"
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("word/document.xml", "<document/>")
    with pytest.raises(Unusable, match="this zip is no Inspect log"):
        recognise.read([path])


def test_a_column_that_is_no_metric_of_ragas_is_metadata_and_told(shared, tmp_path):
    path = shared / "data/field/ragas_index.csv"
    (told,) = recognise.read([path]).lost
    assert told.startswith("the index, latency_s: no metric of Ragas, so metadata")
    with taken(tmp_path, path) as found:
        assert counts(found)[:3] == (3, 5, 1)
        assert sorted(found.workspace.cells.of_trace(1)) == [
            "answer_relevancy",
            "faithfulness",
        ]
        assert found.workspace.traces.get(1).metadata == {
            "index": "0",
            "latency_s": "1.23",
            "synthesizer_name": "single_hop_specifc_query_synthesizer",
        }


def test_a_metric_of_ones_own_is_mapped_beside_those_of_ragas(shared, tmp_path):
    path = shared / "data/field/ragas_index.csv"
    with taken(tmp_path, path, verdict__Speed="latency_s") as found:
        assert counts(found)[:3] == (3, 8, 1)
        assert "latency_s" not in found.workspace.traces.get(1).metadata


@pytest.mark.parametrize(
    "column",
    ["rouge_score(mode=fmeasure)", "noise_sensitivity_relevant"],
)
def test_the_mode_of_a_metric_is_part_of_its_name(tmp_path, column):
    row = {"user_input": "q", "response": "r", column: 0.5}
    (trace,) = recognise.read([lines(tmp_path, row)]).traces()
    assert [(one.trait, one.value) for one in trace.judged] == [(column, 0.5)]


@pytest.mark.parametrize(
    "row",
    [
        {"user_input": "q", "response": "r", "faithfulness": float("nan")},
        {
            "input": "q",
            "actualOutput": "r",
            "metricsData": [{"name": "Bias", "error": "late"}],
        },
        {"doc_id": 1, "resps": [["r"]], "metrics": ["mae"], "mae": float("inf")},
    ],
    ids=["ragas", "deepeval", "lm-eval"],
)
def test_a_metric_without_any_score_failed_and_is_no_question_for_a_model(
    tmp_path,
    row,
):
    with taken(tmp_path, lines(tmp_path, row)) as found:
        assert counts(found)[1:3] == (0, 1)
        assert [(one.kind.name, one.trait.scorer) for one in found.traits] == [
            ("scorer", "recorded"),
        ]


def annotation(output, edited=None, *, measured=1.0, accepted=True, **asked):
    """One answer of Ragas' annotations, under one metric."""
    prompts = {"prompt": {"prompt_output": output, "edited_output": edited}}
    asked = {"user_input": "Who?", "response": "Ada"} | asked
    row = {"metric_input": asked, "metric_output": measured, "prompts": prompts}
    return row | {"is_accepted": accepted}


def annotated(folder, row):
    path = folder / "annotated.json"
    path.write_text(json.dumps({"good": [row]}), "utf-8")
    (trace,) = recognise.read([path]).traces()
    return [one.value for one in trace.judged], [one.value for one in trace.people]


@pytest.mark.parametrize(
    ("row", "judged", "person"),
    [
        (annotation({"verdict": 0}), [False], [False]),
        (annotation({"verdict": 0}, {"verdict": 1}), [False], [True]),
        (annotation({"score": 2}, {"score": 5}, measured=5.0), [2], [5]),
        (annotation({"feedback": "so", "score": 3}, measured=3.0), [3], [3]),
        (annotation({"statements": []}, measured=0.75), [0.75], [0.75]),
        (
            annotation({"statements": []}, {"statements": []}, measured=0.5),
            [None],
            [0.5],
        ),
        (annotation({"score": 2}, accepted=False), [2], []),
        (annotation({}, measured=None), [None], []),
    ],
)
def test_an_annotation_has_the_value_that_its_metric_gives(
    tmp_path,
    row,
    judged,
    person,
):
    assert annotated(tmp_path, row) == (judged, person)


def test_an_annotation_keeps_what_was_given_beside_the_question(tmp_path):
    given = {
        "reference": "Ada Lovelace",
        "retrieved_contexts": ["a page"],
        "persona_name": "x",
    }
    path = lines(tmp_path, {"metric": "good", **annotation({"verdict": 1}, **given)})
    (trace,) = recognise.read([path]).traces()
    assert trace.record["reference"] == "Ada Lovelace"
    assert trace.record["documents"] == ["a page"]
    assert trace.record["metadata"] == {
        "metric": "good",
        "metric_input": {"persona_name": "x"},
    }


def rated(
    target,
    likelihoods,
    choices=(" Rome", " Paris"),
    *,
    context="Capital?",
    **more,
):
    """A row of lm-eval whose model rated choices; it writes numbers as text."""
    requests = {
        f"gen_args_{number}": {"arg_0": context, "arg_1": choice}
        for number, choice in enumerate(choices)
    }
    answers = [[str(number), "False"] for number in likelihoods]
    row = {
        "doc_id": 1,
        "doc": {"question": "Capital?"},
        "target": target,
        "arguments": requests,
    }
    row |= {"resps": [[one] for one in answers], "filtered_resps": answers}
    return row | {"metrics": ["acc"], "acc": 1.0} | more


def read_row(folder, row):
    (trace,) = recognise.read([lines(folder, row)]).traces()
    return trace


@pytest.mark.parametrize("target", [1, "1", "Paris", " Paris"])
def test_the_likeliest_choice_is_the_answer_and_the_right_one_the_reference(
    tmp_path,
    target,
):
    record = read_row(tmp_path, rated(target, [-9.5, -3.25])).record
    assert record["response"] == "Paris"
    assert record["choices"] == ["Rome", "Paris"]
    assert record["reference"] == "Paris"


def test_a_right_answer_of_thousands_of_digits_is_a_text_and_no_index(tmp_path):
    digits = "7" * 5000
    record = read_row(tmp_path, rated(digits, [-9.5, -3.25])).record
    assert record["reference"] == digits


def test_a_path_with_thousands_of_digits_leads_to_nothing():
    row = {"choices": ["a", "b"]}
    assert value_at(row, "choices.1") == "b"
    assert value_at(row, "choices.2") is None
    assert value_at(row, "choices." + "7" * 5000) is None


def test_choices_of_older_samples_and_those_rated_twice_are_read_alike(tmp_path):
    row = rated("0", [-1.0, -2.0, -3.0, -4.0], (" a", " b", " a", " b"))
    row["arguments"] = [["q", " a"], ["q", " b"], ["", " a"], ["", " b"]]
    record = read_row(tmp_path, row).record
    assert (record["response"], record["choices"], record["reference"]) == (
        "a",
        ["a", "b"],
        "a",
    )


def test_a_letter_is_shown_with_the_choice_that_it_stands_for(tmp_path):
    doc = {
        "question": "Capital?",
        "choices": {"text": ["Rome", "Paris"], "label": ["A", "B"]},
    }
    record = read_row(tmp_path, rated("B", [-1.0, -2.0], (" A", " B"), doc=doc)).record
    assert (record["response"], record["reference"]) == ("A. Rome", "B. Paris")


def test_choices_that_stand_in_the_question_are_read_from_there(tmp_path):
    row = rated("0", [-2.0, -1.0], (" fell.", " fell."))
    for number, name in enumerate(("Ada", "Ben")):
        row["arguments"][f"gen_args_{number}"]["arg_0"] = name
    record = read_row(tmp_path, row).record
    assert (record["response"], record["reference"]) == ("Ben", "Ada")


def test_a_text_that_was_only_rated_is_no_answer(tmp_path):
    row = rated("x", [-2.5], (" dog",)) | {"filtered_resps": [-2.5]}
    trace = read_row(tmp_path, row)
    assert "response" not in trace.record
    assert "the model rated how likely a text is" in trace.unanswered
    assert [one.failed for one in trace.judged] == [trace.unanswered]


def test_a_metric_that_is_a_list_is_no_failed_verdict_and_is_told(tmp_path):
    row = rated("1", [-2.0, -1.0], metrics=["acc", "f1"], f1=[1, 1])
    path = lines(tmp_path, row)
    assert (
        "f1: a number over all answers, and no verdict on one"
        in recognise.read([path]).lost
    )
    with taken(tmp_path, path) as found:
        assert counts(found)[:3] == (1, 1, 0)


def beside(folder, judge, people):
    """A table with a judge's column and a person's."""
    path = folder / "x.csv"
    values = enumerate(zip(judge, people, strict=True))
    rows = [f"{number},a,{one},{other}" for number, (one, other) in values]
    path.write_text("\n".join(["id,response,judge,human", *rows]), "utf-8")
    return path


def agreeing(folder, path):
    """The kind of the trait, and how many cells a person signed off as the judge has them."""
    with taken(folder, path, verdict__Good="judge", person__Good="human") as found:
        (known,) = found.traits
        assert found.failed == 0
        cells = [
            found.workspace.cell(number)[1] for number in range(1, found.traces + 1)
        ]
    corrected = [
        any(isinstance(fact.what, Corrected) for fact in cell.facts) for cell in cells
    ]
    assert all(cell.signed for cell in cells)
    return known.trait.kind, corrected.count(False)


def test_a_judges_1_and_0_are_a_persons_yes_and_no(shared, tmp_path):
    path = shared / "data/field/zero_one_beside_yes_no.csv"
    assert agreeing(tmp_path, path) == ("boolean", 40)


WORDS = [
    ("yes", "no"),
    ("True", "False"),
    ("pass", "fail"),
    ("Correct", "Incorrect"),
    ("1", "0"),
]


@pytest.mark.parametrize("judge", WORDS)
@pytest.mark.parametrize("person", WORDS)
def test_yes_is_true_pass_correct_and_1(tmp_path, judge, person):
    kind, alike = agreeing(tmp_path, beside(tmp_path, judge * 3, person * 3))
    assert alike == 6
    assert kind == "boolean" or judge == person


@pytest.mark.parametrize(
    ("judge", "person", "said"),
    [
        (
            ["0.93", "0.12"],
            ["yes", "no"],
            '"judge" says 0.12, 0.93 where "human" says no, yes',
        ),
        (["5", "1"], ["good", "bad"], '"judge" says 1, 5 where "human" says bad, good'),
        (
            ["good", "bad"],
            ["dear", "cheap"],
            '"judge" says bad, good where "human" says dear, cheap',
        ),
        (
            ["True", "False"],
            ["0.5", "0.7"],
            '"judge" says true, false where "human" says 0.5, 0.7',
        ),
        (
            ["1", "0"],
            ["yes", "unsure"],
            '"judge" says 0, 1 where "human" says yes, unsure',
        ),
    ],
)
def test_columns_of_unlike_words_are_refused(tmp_path, judge, person, said):
    path = beside(tmp_path, judge * 20, person * 20)
    wrong = refusal(tmp_path, path, verdict__Good="judge", person__Good="human")
    assert said in wrong
    assert (
        "say what is yes (--map positive.Good=WORD|WORD), write both columns" in wrong
    )


@pytest.mark.parametrize(
    ("judge", "person"),
    [
        (["1", "2", "Tie"], ["1", "2", "0"]),
        (["A", "A", "A"], ["B", "B", "B"]),
        (["good", "bad", "good"], ["good", "good", "unclear"]),
        (["0.5", "1", "0.25"], ["1", "0", "1"]),
        (["4", "5", "3"], ["1", "2", "2"]),
    ],
)
def test_columns_that_could_agree_come_in(tmp_path, judge, person):
    path = beside(tmp_path, judge, person)
    with taken(tmp_path, path, verdict__Good="judge", person__Good="human") as found:
        assert counts(found) == (3, 3, 0, 0, 3)


def test_epochs_of_a_data_frame_are_whole_numbers(tmp_path):
    rows = [
        {"id": "a", "epoch": 1.0, "response": "Ada", "safe": "yes"},
        {"id": "a", "epoch": 2.0, "response": "Bob", "safe": "no"},
        {"id": "b", "epoch": None, "response": "Eve", "safe": "no"},
    ]
    path = tmp_path / "answers.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)), "utf-8")
    with taken(tmp_path, path, verdict__Safe="safe") as found:
        keys = [found.workspace.traces.get(number).key for number in (1, 2, 3)]
    assert keys == [("a", 1), ("a", 2), ("b", 1)]


@pytest.mark.parametrize("error", ["False", "0", "None", "", float("nan"), None, 0])
def test_a_column_that_says_there_was_no_error_fails_no_verdict(tmp_path, error):
    row = {"id": "a", "response": "", "error": error, "safe": "no"}
    path = tmp_path / "answers.jsonl"
    path.write_text(json.dumps(row), "utf-8")
    with taken(tmp_path, path, verdict__Safe="safe") as found:
        assert counts(found)[:3] == (1, 1, 0)


@pytest.mark.parametrize("role", ["", "assistant"])
def test_all_text_parts_of_a_response_are_its_words(tmp_path, role):
    parts = [
        {"type": "text", "text": "One."},
        {"type": "output_text", "text": "Two."},
        {"type": "tool_use", "id": "1", "name": "search", "input": {}},
    ]
    message = [{"role": role, "content": parts}]
    row = {"id": "a", "response": message if role else parts, "safe": "yes"}
    path = tmp_path / "answers.jsonl"
    path.write_text(json.dumps(row), "utf-8")
    with taken(tmp_path, path, verdict__Safe="safe") as found:
        assert found.workspace.traces.get(1).response == "One.\nTwo."


@pytest.mark.parametrize(
    ("question", "text"),
    [("Who?", "Who?"), ({"stem": "Who?"}, "Who?"), (["Who?", "When?"], "Who?\nWhen?")],
)
def test_a_document_of_lm_eval_may_have_its_question_in_a_table(
    tmp_path,
    question,
    text,
):
    row = {
        "doc_id": 0,
        "doc": {"question": question},
        "target": "Ada",
        "arguments": [["Who?", {}]],
        "resps": [["Ada"]],
        "filtered_resps": ["Ada"],
        "metrics": ["exact_match"],
        "exact_match": 1.0,
    }
    with taken(tmp_path, lines(tmp_path, row)) as found:
        assert found.workspace.cell(1)[0].question == text


def test_tags_of_mlflow_in_a_list_are_metadata(tmp_path):
    tags = [{"key": "a", "value": "b"}]
    verdict = {"assessment_name": "Safe", "feedback": {"value": True}}
    info = {
        "trace_id": "t",
        "request_preview": "Who?",
        "response_preview": "Ada",
        "tags": tags,
        "assessments": [verdict],
    }
    path = lines(tmp_path, {"info": info, "data": {"spans": []}})
    with taken(tmp_path, path) as found:
        assert found.workspace.cell(1)[0].metadata == {"tags": tags}


def test_the_index_of_a_data_frame_is_nobodys_reason(tmp_path):
    path = tmp_path / "x.csv"
    path.write_text(",id,response,Safe,anna\n7,1,a,yes,no\n8,2,b,no,no\n")
    mapped = map_of({"verdict.Safe": "Safe", "person.Safe": "anna"})
    first, _ = recognise.read([path], mapped).traces()
    assert first.record["metadata"] == {"index": "7"}
    assert first.judged == [JudgeVerdict("Safe", "yes", judge="Safe")]
    assert [verdict.reason for verdict in first.people] == [""]


def test_a_column_without_a_name_is_not_offered_to_be_mapped(tmp_path):
    path = tmp_path / "x.csv"
    path.write_text(",id,response,Safe\nyes,1,a,yes\nno,2,b,no\nno,3,c,no\n")
    file = recognise.read([path])
    assert "--map verdict.safe=Safe," in f"{file.unjudged()},"
    assert "person" not in str(file.unjudged())
    assert recognise.read([path], map_of({"verdict.Safe": "Safe"})).lost == []


@pytest.mark.parametrize("place", ["data", "footer"])
def test_a_damaged_parquet_file_is_refused_in_a_sentence(tmp_path, capsys, place):
    pyarrow = pytest.importorskip(
        "pyarrow",
        reason="the extra parquet is not installed",
    )
    from pyarrow import parquet

    path = tmp_path / "x.parquet"
    answers = [f"Some words, {number} times." for number in range(3000)]
    columns = {"response": answers, "verdict": ["yes"] * len(answers)}
    parquet.write_table(pyarrow.table(columns), path)
    content = bytearray(path.read_bytes())
    damaged = slice(200, 2000) if place == "data" else slice(-60, -20)
    content[damaged] = b"\xff" * len(content[damaged])
    path.write_bytes(content)
    arguments = ["--dry-run", "--map", "verdict.V=verdict"]
    assert main(["import", str(path), *arguments]) == 2
    assert f"{path}: this Parquet file is damaged: " in capsys.readouterr().err

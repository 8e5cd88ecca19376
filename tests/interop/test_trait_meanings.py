"""What the values of a column mean: by known words, by what a map says, and what comes later."""

import csv
import json

import pytest
from foreign_files import counts, taken

from appellate.core.problem import Unusable
from appellate.interop import recognise
from appellate.interop.map_file import map_toml
from appellate.interop.table_map import map_of, read_map
from appellate.interop.taking_in import examined, take_in
from appellate.store.audits.open_audit import AuditFiles
from appellate.store.files.rubric_file import parse_rubric


def table(folder, *values, people=()):
    """Write a table with a judge's column and one of people."""
    path = folder / "t.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["id", "response", "judge", "human"])
        for number, value in enumerate(values):
            person = people[number] if people else ""
            writer.writerow([number, "an answer", value, person])
    return path


def told(folder, path, **mapped):
    with taken(folder, path, verdict__V="judge", **mapped) as found:
        (sentence,) = found.description_lines
        return sentence, [cell_value(found, at) for at in range(1, found.traces + 1)]


def cell_value(found, number):
    labels = found.workspace.cell(number)[1].labels
    if hasattr(labels, "standing"):
        return labels.standing.values.get("")
    return getattr(labels, "value", None)


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        (["faithful", "Unfaithful"], 'yes = "faithful", no = "Unfaithful"'),
        (["met", "not met"], 'yes = "met", no = "not met"'),
        (["erfüllt", "nicht erfüllt"], 'yes = "erfüllt", no = "nicht erfüllt"'),
        (["oui", "non"], 'yes = "oui", no = "non"'),
        (["válido", "inválido"], 'yes = "válido", no = "inválido"'),
        (["aprovado", "reprovado"], 'yes = "aprovado", no = "reprovado"'),
        (["TRUE", "FALSE"], 'yes = "true", no = "false"'),
        (["1", "0"], 'yes = "1", no = "0"'),
    ],
)
def test_known_words_are_yes_and_no_and_the_positive_one_is_said(
    tmp_path,
    values,
    sentence,
):
    assert told(tmp_path, table(tmp_path, *values)) == (
        f"V: yes or no; {sentence}",
        [True, False],
    )


@pytest.mark.parametrize(
    ("judge", "people", "sentence"),
    [
        ([1, 0, 0], [1.0, None, 0.0], 'yes or no; yes = "1", no = "0"'),
        (["yes", "no", "no"], [1.0, None, 0.0], 'yes = "1", "yes"'),
        ([1.0, 0.0, 0.0], [1, None, 0], "a number from 0"),
        ([1, 0, 0], [0.5, None, 0.0], "a number from 0"),
    ],
)
def test_people_who_saw_a_sample_may_have_whole_numbers_with_a_point(
    tmp_path,
    judge,
    people,
    sentence,
):
    path = tmp_path / "t.jsonl"
    with path.open("w", encoding="utf-8") as file:
        for number, (verdict, person) in enumerate(zip(judge, people, strict=True)):
            row = {"id": number, "response": "a", "judge": verdict, "human": person}
            file.write(json.dumps(row) + "\n")
    with taken(tmp_path, path, verdict__V="judge", person__V="human") as found:
        (description,) = found.description_lines
        assert sentence in description
        assert found.people == 2


def test_unknown_words_are_classes_of_which_none_is_better(tmp_path):
    sentence, values = told(tmp_path, table(tmp_path, "formal", "casual", "formal"))
    assert sentence == 'V: classes, none of them better: "casual", "formal"'
    assert values == [1, 0, 1]


def test_words_of_two_questions_are_classes(tmp_path):
    sentence, _ = told(tmp_path, table(tmp_path, "correct", "incorrect", "unsupported"))
    assert sentence.startswith("V: classes, none of them better")


def test_the_words_that_a_map_says_are_yes_and_the_other_word_is_no(tmp_path):
    path = table(tmp_path, "hallucinated", "ok", "hallucinated")
    sentence, values = told(tmp_path, path, positive__V="hallucinated")
    assert sentence == 'V: yes or no; yes = "hallucinated", no = "ok"'
    assert values == [True, False, True]


def test_a_map_may_turn_the_usual_words_round(tmp_path):
    sentence, values = told(
        tmp_path,
        table(tmp_path, "fail", "pass"),
        positive__V="fail",
    )
    assert sentence == 'V: yes or no; yes = "fail", no = "pass"'
    assert values == [True, False]


def test_a_word_that_no_side_has_fails_its_cell_by_name(tmp_path):
    path = table(tmp_path, "good", "bad", "I cannot say", "odd")
    with taken(tmp_path, path, verdict__V="judge", positive__V="good") as found:
        assert counts(found) == (4, 2, 2, 0, 0)
        assert "neither" in found.description_lines[0]
        failure = str(found.workspace.cell(4)[1].failure)
    assert '"odd" is neither yes ("good") nor no ("bad")' in failure


def test_both_sides_are_cut_at_a_number(tmp_path):
    path = table(tmp_path, "1", "3", "4", people=["2", "4", "1"])
    with taken(
        tmp_path,
        path,
        verdict__V="judge",
        person__V="human",
        cut__V="3",
    ) as found:
        assert found.description_lines == ["V: yes or no; yes = 3 or more"]
        cells = [found.workspace.cell(at)[1] for at in (1, 2, 3)]
    assert [cell.judged.what.table["value"] for cell in cells] == [False, True, True]
    assert [cell.labels.value for cell in cells] == [False, True, False]


def test_a_scale_that_is_said_makes_a_score(tmp_path):
    sentence, values = told(
        tmp_path,
        table(tmp_path, "3", "4", "-1"),
        scale__V="1..5",
        none__V="-1",
    )
    assert sentence == "V: a score from 1 to 5 (--map)"
    assert values == [3, 4, None]


def test_a_scale_that_is_not_said_is_open_upwards(tmp_path):
    sentence, values = told(tmp_path, table(tmp_path, "3", "4"))
    assert (
        sentence
        == "V: a number from 0, open upwards; no scale is said, and 3 to 4 were seen"
    )
    assert values == [3, 4]


def test_what_is_none_is_no_verdict_of_a_judge_or_a_person(tmp_path):
    path = table(tmp_path, "yes", "N.A.", people=["no", "skip"])
    mapped = {"verdict__V": "judge", "person__V": "human", "none__V": "n.a.|skip"}
    with taken(tmp_path, path, **mapped) as found:
        assert counts(found) == (2, 1, 1, 0, 1)
        assert found.description_lines == ['V: yes or no; yes = "yes", no = "no"']


def test_classes_that_are_said_hold_whatever_occurs(tmp_path):
    path = table(tmp_path, "pass", "partial")
    sentence, values = told(
        tmp_path,
        path,
        classes__V="fail<partial<pass",
        criterion__V="Is it so?",
    )
    assert sentence == 'V: classes from worst to best: "fail", "partial", "pass"'
    assert values == [2, 1]


@pytest.mark.parametrize(
    ("rows", "scale"),
    [
        ({"faithfulness": 0.5}, "a number from 0 to 1 (as Ragas documents it)"),
        ({"rubrics_score": 4}, "a number from 1 to 5 (as Ragas documents it)"),
        (
            {"rubrics_score": 7},
            "a number from 0, open upwards; no scale is said, and 7 was seen",
        ),
    ],
)
def test_a_tool_documents_the_scale_of_its_numbers(tmp_path, rows, scale):
    path = tmp_path / "r.jsonl"
    path.write_text(json.dumps({"user_input": "q", "response": "a"} | rows), "utf-8")
    with taken(tmp_path, path) as found:
        (name,) = rows
        assert found.description_lines == [f"{name}: {scale}"]


def test_the_grades_of_mt_bench_go_from_1_to_10_where_its_minus_1_is_none(
    shared,
    tmp_path,
):
    path = shared / "data/interop/mt_bench/gpt-4_single.jsonl"
    mapped = {
        "response": "user_prompt",
        "id": "#",
        "verdict__Q": "score",
        "reason__Q": "judgment",
    }
    with taken(tmp_path, path, none__Q="-1", **mapped) as found:
        assert found.description_lines == [
            "Q: a score from 1 to 10 (as MT-bench documents it)",
        ]
        assert counts(found) == (50, 11, 39, 50, 0)


def test_a_trait_that_no_verdict_is_on_is_refused_with_the_nearest(tmp_path):
    path = table(tmp_path, "yes", "no")
    file = recognise.read(
        [path],
        map_of({"verdict.Safe": "judge", "positive.Saef": "yes"}),
    )
    with pytest.raises(Unusable, match='there is no trait "Saef"'):
        take_in(file, "t.csv", AuditFiles.of(tmp_path / "x.audit.toml"), "0")


def test_a_map_that_is_written_says_the_same_when_it_is_read(tmp_path):
    entries = 'verdict."A, b"=judge,person."A, b"=human,classes."A, b"=fail<"so, so"<pass,none."A, b"=-1'
    given = read_map([entries])
    path = tmp_path / "map.toml"
    path.write_text(map_toml(given, {"A, b": "what it\nis"}), "utf-8")
    assert read_map([str(path)]) == given
    assert "# what it is\n" in path.read_text("utf-8")


@pytest.mark.parametrize(
    "meaning",
    [
        "scale.A=1..1234567",
        "scale.A=0.00001..",
        "scale.A=..1000000000",
        "cut.A=1234567.5",
        "cut.A=0.00001",
        "cut.A=3",
    ],
)
def test_a_map_that_is_written_has_all_digits_of_its_numbers(tmp_path, meaning):
    given = read_map([f"verdict.A=judge,{meaning}"])
    path = tmp_path / "map.toml"
    path.write_text(map_toml(given, {}), "utf-8")
    assert read_map([str(path)]) == given


def test_a_dry_run_writes_a_map_that_is_complete(tmp_path):
    path = table(tmp_path, "safe", "unsafe", people=["safe", "safe"])
    found = examined([path], map_of({"verdict.V": "judge", "person.V": "human"}))
    (tmp_path / "map.toml").write_text(found.map_text, "utf-8")
    read = read_map([str(tmp_path / "map.toml")])
    assert read.fields == {"response": "response", "id": "id"}
    assert read.traits["V"].positive == ("safe",)
    assert read.traits["V"].negative == ("unsafe",)
    assert (
        examined([path], read).imported.description_lines
        == found.imported.description_lines
    )


@pytest.mark.parametrize("name", ["Quality: tone", "v1.2"])
def test_a_written_map_says_what_a_trait_with_marks_was_taken_for(tmp_path, name):
    path = table(tmp_path, "safe", "unsafe")
    found = examined([path], map_of({f'verdict."{name}"': "judge"}))
    assert '# yes or no; yes = "safe", no = "unsafe"' in found.map_text


def test_a_trait_with_a_colon_that_the_rubric_lacks_is_not_told_as_taken(tmp_path):
    path = tmp_path / "rows.jsonl"
    row = {"id": "1", "input": "q", "output": "a", "expected": "e"}
    row["scores"] = {"Tone": 1, "Tone: first line": 1}
    path.write_text(json.dumps(row), "utf-8")
    rubric = parse_rubric(
        {"llm_traits": [{"name": "Tone", "kind": "boolean", "description": "?"}]},
        "r.toml",
    ).usable()
    found = examined([path], rubric=rubric)
    told_lines = "\n".join(found.lines)
    assert "Tone: the rubric's" in told_lines
    assert "Tone: first line: " not in told_lines


@pytest.mark.parametrize(
    ("meaning", "values", "sentence"),
    [
        ({}, [1, 2_500_000], "no scale is said, and 1 to 2500000 were seen"),
        ({}, [2_500_000, 2_500_000], "2500000 was seen"),
        ({"scale__V": "1..1234567"}, [1, 5], "a number from 1 to 1234567 (--map)"),
        ({"scale__V": "1234567.."}, [1234568], "a number from 1234567, open upwards"),
        ({"scale__V": "..1234567"}, [1, 5], "a number up to 1234567, open downwards"),
        ({"cut__V": "1234567.5"}, [1, 5], "yes = 1234567.5 or more"),
        (
            {"scale__V": "1234560..1234567", "kind__V": "score"},
            [1234567],
            "a score from 1234560 to 1234567",
        ),
    ],
)
def test_a_dry_run_tells_numbers_with_all_of_their_digits(
    tmp_path,
    meaning,
    values,
    sentence,
):
    assert sentence in told(tmp_path, table(tmp_path, *values), **meaning)[0]


@pytest.mark.parametrize("none", ["-1", "-1.0", "-1,0"])
def test_a_number_that_is_no_verdict_is_one_in_any_spelling(tmp_path, none):
    path = table(tmp_path, 3, "-1.0", -1, 5)
    assert told(tmp_path, path, none__V=f'"{none}"')[1] == [3, None, None, 5]


def test_numbers_that_mean_yes_do_so_in_any_spelling(tmp_path):
    path = table(tmp_path, 2, "1.0", 0, "3")
    sentence, values = told(tmp_path, path, positive__V="1.0|2.0", negative__V="0.0|3")
    assert sentence == 'V: yes or no; yes = "1.0", "2.0", no = "0.0", "3"'
    assert values == [True, True, False, False]


@pytest.mark.parametrize(
    ("meaning", "values"),
    [
        ({"cut__V": "4"}, [True, False, True]),
        ({"cut__V": "0.7"}, [True, False, True]),
        ({"positive__V": "4|5", "negative__V": "3"}, [True, False, True]),
        ({"kind__V": "classes"}, [1, 0, 2]),
        ({}, [4, 3, 5]),
    ],
)
def test_points_mean_what_a_map_says_of_their_number(tmp_path, meaning, values):
    path = table(tmp_path, "4/5", "3/5", "5/5")
    assert told(tmp_path, path, **meaning)[1] == values


def test_all_or_no_points_are_yes_or_no(tmp_path):
    path = table(tmp_path, "5/5", "0/5")
    assert told(tmp_path, path, kind__V="boolean")[1] == [True, False]

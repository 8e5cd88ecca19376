"""Rows of one claim each become the list of claims of their answer, a judge's and people's."""

import csv
import json
import random

import pytest
from foreign_files import counts, taken
from test_claims import cells_of, claims_in, share

from appellate.cli import main
from appellate.core.problem import Unusable
from appellate.interop import claim_rows, recognise
from appellate.interop.claims import OF_REFERENCE
from appellate.interop.table_map import read_map

RESPONSE = "BCL2 is an anti-apoptotic gene. It lies on chromosome 1."
OTHER = "TP53 is a tumour suppressor. It lies on chromosome 17."
GENE = "BCL2 is an anti-apoptotic gene"
PLACE = "BCL2 lies on chromosome 1"
ROWS = [
    {"response": RESPONSE, "claim": GENE, "judge": "supported", "human": "supported"},
    {
        "response": RESPONSE,
        "claim": PLACE,
        "judge": "supported",
        "human": "unsupported",
    },
    {
        "response": RESPONSE,
        "claim": "It is short",
        "judge": "irrelevant",
        "human": "irrelevant",
    },
    {
        "response": OTHER,
        "claim": "TP53 is on 17",
        "judge": "unsupported",
        "human": "supported",
    },
]
MAP = {"claim__Facts": "claim", "verdict__Facts": "judge", "person__Facts": "human"}


def table(folder, rows, name="claims.csv"):
    path = folder / name
    columns = list(dict.fromkeys(column for row in rows for column in row))
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, columns)
        writer.writeheader()
        writer.writerows(rows)
    return path


def with_ids(rows, column="id"):
    return [{column: f"c{number}", **row} for number, row in enumerate(rows)]


def asked(row):
    return {"question": "BCL2?" if row["response"] == RESPONSE else "TP53?", **row}


def test_rows_of_one_answer_become_lists_of_its_claims_on_both_sides(tmp_path):
    with taken(tmp_path, table(tmp_path, ROWS), **MAP) as found:
        assert counts(found) == (2, 2, 0, 0, 2)
        first, second = cells_of(found)
        assert claims_in(first, "tp", first.judge_labels) == [GENE, PLACE]
        assert (claims_in(first, "tp"), claims_in(first, "fp")) == ([GENE], [PLACE])
        assert share([second]) == (1, 0)
        assert first.labels.tp[0].span == (0, 30)
        assert first.signed.by == "human"
        assert first.subject.trait.name == "Facts"
        assert found.notes == ["1 irrelevant claim left out."]


@pytest.mark.parametrize("seed", range(3))
def test_the_rows_of_an_answer_need_not_follow_one_another(tmp_path, seed):
    rows = [*map(dict, ROWS)]
    random.Random(seed).shuffle(rows)
    with taken(tmp_path, table(tmp_path, rows), **MAP) as found:
        assert found.traces == 2
        assert share(cells_of(found)) == (2, 1)


def test_an_id_of_each_claim_does_not_part_an_answer_and_is_said_to_be_left_out(
    tmp_path,
):
    with taken(tmp_path, table(tmp_path, with_ids(ROWS)), **MAP) as found:
        assert found.traces == 2


def test_an_id_that_claims_share_parts_answers_of_the_same_words(tmp_path):
    rows = [{"id": "a", **ROWS[0]}, {"id": "a", **ROWS[1]}]
    rows += [{"id": "b", **ROWS[0]}, {"id": "b", **ROWS[1]}]
    with taken(tmp_path, table(tmp_path, rows), **MAP) as found:
        assert [cell.subject.trace.id for cell in cells_of(found)] == ["a", "b"]


def test_answers_of_several_models_to_one_question_are_several(tmp_path):
    rows = [
        {"id": "q", "model": "m1", **ROWS[0]},
        {"id": "q", "model": "m1", **ROWS[1]},
    ]
    rows += [{"id": "q", "model": "m2", **ROWS[0]}]
    with taken(tmp_path, table(tmp_path, rows), **MAP) as found:
        assert [cell.subject.trace.id for cell in cells_of(found)] == ["q-1", "q-2"]


def test_several_people_have_their_own_lists_with_reasons_and_times(tmp_path):
    rows = [
        dict(
            ROWS[0],
            anna="yes",
            ben="no",
            why="Not said.",
            when="2026-01-02T03:04:05Z",
        ),
        dict(
            ROWS[1],
            anna="no",
            ben="no",
            why="It is 18.",
            when="2026-01-03T03:04:05Z",
        ),
    ]
    people = {"person__Facts": "anna|ben", "why__Facts": "|why", "when__Facts": "when"}
    with taken(tmp_path, table(tmp_path, rows), **{**MAP, **people}) as found:
        (cell,) = cells_of(found)
        assert share([cell]) == (1, 1)
        assert cell.signed.what.said_at == "2026-01-03T03:04:05Z"
        assert any("of ben left out" in note for note in found.notes)


def test_what_most_people_say_of_a_claim_is_its_label(tmp_path):
    rows = [
        dict(ROWS[0], a="yes", b="no", c="no"),
        dict(ROWS[1], a="yes", b="yes", c="no"),
    ]
    people = {"person__Facts": "majority(a|b|c)"}
    with taken(tmp_path, table(tmp_path, rows), **{**MAP, **people}) as found:
        (cell,) = cells_of(found)
        assert (claims_in(cell, "tp"), claims_in(cell, "fp")) == ([PLACE], [GENE])


def test_one_column_has_the_reason_of_a_majority_for_its_label_of_a_claim(tmp_path):
    rows = [
        dict(ROWS[0], a="no", b="no", why="It is a gene family"),
        dict(ROWS[1], a="yes", b="yes", why=""),
    ]
    people = {"person__Facts": "majority(a|b)", "why__Facts": "why"}
    with taken(tmp_path, table(tmp_path, rows), **{**MAP, **people}) as found:
        (cell,) = cells_of(found)
        assert (claims_in(cell, "tp"), claims_in(cell, "fp")) == ([PLACE], [GENE])
        assert {fact.what.reason for fact in cell.corrections} == {
            "It is a gene family",
        }


def test_claims_of_a_reference_are_found_or_missing_with_their_importance(tmp_path):
    rows = [
        {"qid": "q", "response": RESPONSE, "nugget": GENE, "importance": "vital"}
        | {"assigned": "support"},
        {
            "qid": "q",
            "response": RESPONSE,
            "nugget": "On chromosome 18",
            "importance": "okay",
        }
        | {"assigned": "partial_support"},
        {"qid": "q", "response": OTHER, "nugget": GENE, "importance": "vital"}
        | {"assigned": "not_support"},
    ]
    mapped = {"id": "qid", "nugget__Found": "nugget", "verdict__Found": "assigned"}
    with taken(tmp_path, table(tmp_path, rows), **mapped) as found:
        first, second = cells_of(found)
        assert (claims_in(first, "tp"), claims_in(first, "fn")) == (
            [GENE],
            ["On chromosome 18"],
        )
        assert claims_in(second, "fn") == [GENE]
        assert [*first.subject.trait.tags.values()] == [["vital"], ["okay"]]
        assert found.notes == ["1 partly supported claim counted as not supported."]


def test_a_map_says_what_labels_of_claims_mean(tmp_path):
    rows = [
        dict(ROWS[0], judge="P"),
        dict(ROWS[1], judge="Q"),
        dict(ROWS[2], judge="R"),
    ]
    words = {"positive__Facts": "P", "negative__Facts": "Q", "none__Facts": "R"}
    del (only_judge := {**MAP, **words})["person__Facts"]
    with taken(tmp_path, table(tmp_path, rows), **only_judge) as found:
        (cell,) = cells_of(found)
        assert share([cell]) == (1, 1)
        assert "1 irrelevant claim left out." in found.notes


def test_a_word_that_is_no_label_fails_the_answer_by_name(tmp_path):
    rows = [dict(ROWS[0], judge="perhaps")]
    with taken(tmp_path, table(tmp_path, rows), **MAP) as found:
        (cell,) = cells_of(found)
        assert '"perhaps" is no label of a claim' in cell.error.error


def test_the_same_claim_twice_in_an_answer_counts_once_and_is_said(tmp_path):
    with taken(tmp_path, table(tmp_path, [ROWS[0], ROWS[0], ROWS[1]]), **MAP) as found:
        assert share(cells_of(found)) == (1, 1)
        assert any(
            note.startswith("1 claim left out: the same words") for note in found.notes
        )


def test_an_excerpt_of_the_response_is_looked_up_in_place_of_the_claim(tmp_path):
    rows = [dict(ROWS[1], sentence="It lies on chromosome 1.")]
    with taken(
        tmp_path,
        table(tmp_path, rows),
        **MAP,
        excerpt__Facts="sentence",
    ) as found:
        (cell,) = cells_of(found)
        assert RESPONSE[slice(*cell.labels.fp[0].span)] == "It lies on chromosome 1."


def test_another_trait_of_the_answers_comes_in_beside_its_claims(tmp_path):
    rows = [dict(row, safe="yes") for row in ROWS]
    with taken(tmp_path, table(tmp_path, rows), **MAP, verdict__Safe="safe") as found:
        assert sorted(cell.subject.trait.name for cell in cells_of(found)) == [
            *("Facts", "Facts", "Safe", "Safe"),
        ]


def test_a_verdict_on_an_answer_that_differs_among_its_claims_is_refused(tmp_path):
    path = table(tmp_path, [dict(ROWS[0], safe="yes"), dict(ROWS[1], safe="no")])
    with (
        pytest.raises(Unusable, match='"safe" differs among the claims of one answer'),
        taken(tmp_path, path, **MAP, verdict__Safe="safe"),
    ):
        pass


@pytest.mark.parametrize(
    ("entries", "wrong"),
    [
        ("claim.F=claim", "claim.F has no column of labels"),
        ("claim.F=claim,verdict.F=judge,scale.F=1..5", "claim.F makes lists of claims"),
        (
            "claim.F=claim,verdict.F=judge,kind.F=boolean",
            "claim.F makes lists of claims",
        ),
        ("claim.F=claim,nugget.F=claim,verdict.F=judge", "contradict one another"),
        ("excerpt.F=claim,verdict.F=judge", "no column of claims is mapped"),
        ("claim.F=clam,verdict.F=judge", 'no row has "clam"'),
    ],
)
def test_a_map_that_cannot_be_of_claims_is_refused_with_a_sentence(
    tmp_path,
    capsys,
    entries,
    wrong,
):
    assert main(["import", str(table(tmp_path, ROWS)), "--map", entries]) == 2
    assert wrong in capsys.readouterr().err


@pytest.mark.parametrize("rows", [ROWS, with_ids(ROWS), with_ids(ROWS, "claim_id")])
def test_the_dry_run_proposes_a_map_that_brings_the_claims_in(
    tmp_path,
    monkeypatch,
    capsys,
    rows,
):
    monkeypatch.chdir(tmp_path)
    path = str(table(tmp_path, list(map(asked, rows))))
    assert main(["import", path, "--dry-run"]) == 2
    entries = capsys.readouterr().err.partition("--map '")[2].partition("'")[0]
    assert entries.startswith(
        "claim.Claims supported=claim,verdict.Claims supported=judge",
    )
    assert "person.Claims supported=human" in entries
    assert main(["import", path, "--map", entries]) == 0
    assert main(["metrics", "claims.audit.toml"]) == 0
    assert "Claims supported is 0.667" in capsys.readouterr().out


def test_a_nuggets_column_is_proposed_as_what_the_response_should_say(tmp_path, capsys):
    rows = [{"response": RESPONSE, "nugget": GENE, "assignment": "support"}] * 2
    assert main(["import", str(table(tmp_path, rows)), "--dry-run"]) == 2
    assert f"nugget.{OF_REFERENCE}=nugget" in capsys.readouterr().err


def test_verdicts_of_claims_under_one_id_are_refused_with_the_map_that_groups_them(
    tmp_path,
    capsys,
):
    rows = [{"id": "a", **row} for row in ROWS[:2]]
    path = str(table(tmp_path, rows))
    assert main(["import", path, "--map", "verdict.V=judge,person.V=human"]) == 2
    message = capsys.readouterr().err
    assert 'the id "a" is there twice' in message
    assert "claim.Claims supported=claim,verdict.Claims supported=judge" in message


def test_answers_of_a_word_are_not_taken_for_claims(tmp_path, capsys):
    rows = [{"statement": "It is a gene", "response": "true", "label": "yes"}] * 2
    assert main(["import", str(table(tmp_path, rows)), "--dry-run"]) == 2
    assert "claim." not in capsys.readouterr().err


def test_the_map_of_claims_is_written_and_brings_them_in(
    tmp_path,
    monkeypatch,
    capsys,
):
    monkeypatch.chdir(tmp_path)
    path = table(tmp_path, ROWS[:3])
    entries = "claim.Facts=claim,verdict.Facts=judge,person.Facts=human"
    dry = [
        "import",
        str(path),
        "--map",
        entries,
        "--dry-run",
        "--write-map",
        "my map.toml",
    ]
    assert main(dry) == 0
    told = capsys.readouterr().err
    assert "then: appellate import … --map 'my map.toml'" in told
    assert 'claim.Facts = "claim"' in (tmp_path / "my map.toml").read_text()
    assert main(["import", str(path), "--map", "my map.toml"]) == 0
    assert main(["import", str(path)]) == 0


def test_rows_of_json_lines_and_joined_tables_are_grouped_alike(tmp_path):
    path = tmp_path / "rows.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in ROWS), "utf-8")
    with taken(tmp_path, path, **MAP) as found:
        assert share(cells_of(found)) == (2, 1)


def test_a_table_of_claims_is_gone_through_a_few_times_whatever_its_columns():
    passes = []

    def rows():
        passes.append(1)
        yield from with_ids(
            [dict(row, source_id="s", uuid=row["claim"]) for row in ROWS],
        )

    mapped = read_map(["claim.Facts=claim,verdict.Facts=judge,person.Facts=human"])
    file = claim_rows.read(rows, "claims.csv", "a table", mapped)
    assert len(list(file.traces())) == 2
    assert len(passes) <= 4


def test_the_majority_of_a_claim_is_of_what_is_said_and_not_of_its_spelling(tmp_path):
    rows = [
        dict(ROWS[0], a="No", b="no", c="yes"),
        dict(ROWS[1], a="yes", b="True", c="no"),
    ]
    mapped = {"person__Facts": "majority(a|b|c)", "positive__Facts": "yes|true"}
    with taken(tmp_path, table(tmp_path, rows), **{**MAP, **mapped}) as found:
        (cell,) = cells_of(found)
        assert (claims_in(cell, "tp"), claims_in(cell, "fp")) == ([PLACE], [GENE])


def test_nan_in_every_row_of_an_answer_is_no_difference(tmp_path):
    path = tmp_path / "claims.jsonl"
    nan = float("nan")
    rows = [{**row, "cost": nan, "parts": [nan]} for row in ROWS]
    del rows[1]["cost"]
    path.write_text("\n".join(map(json.dumps, rows)))
    with taken(tmp_path, path, **MAP) as found:
        assert found.traces == 2
        assert not [note for note in found.notes if "another value" in note]
    person = {**MAP, "person__Cost": "cost"}
    arguments = [f"{key.replace('__', '.')}={column}" for key, column in person.items()]
    file = recognise.read([path], read_map(arguments))
    assert [len(trace.judged) for trace in file.traces()] == [1, 1]

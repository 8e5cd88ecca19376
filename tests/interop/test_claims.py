"""Lists of claims with labels become a metric trait of their question, a judge's and a person's."""

import json
from pathlib import Path

import pytest
from foreign_files import counts, taken

from appellate.cli import main
from appellate.interop import recognise
from appellate.interop.claims import OF_REFERENCE, OF_RESPONSE
from appellate.store.audits.any_audit import WorkspaceAudit

DATA = Path(__file__).parents[2].parent / "shared" / "data"
needs_data = pytest.mark.skipif(
    not DATA.exists(),
    reason="the shared files are not here",
)
RESPONSE = "BCL2 is an anti-apoptotic gene. It lies on chromosome 1."


def written(folder, *rows):
    path = folder / "claims.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return path


def row(*claims, key="claims", **more):
    return {
        "id": "a",
        "question": "BCL2?",
        "response": RESPONSE,
        key: list(claims),
        **more,
    }


def cells_of(found):
    return [audited.cell for audited in WorkspaceAudit(found.workspace.db).cells]


def claims_in(cell, bucket, labels=None):
    """Return the claims in a bucket, by the instructions that its items answer."""
    items = (cell.labels if labels is None else labels).bucket(bucket)
    return [cell.subject.trait.words(*item.link) for item in items]


def share(cells):
    """Return the number of claims that are supported, and of those that are not."""
    supported = sum(len(cell.labels.tp) for cell in cells)
    return supported, sum(len(cell.labels.fp) for cell in cells)


@pytest.mark.slow
@needs_data
@pytest.mark.parametrize(
    ("file", "expected", "left_out"),
    [
        ("factscore/InstructGPT.jsonl", (65, 450), "119 irrelevant claims left out."),
        ("factool/knowledge_qa.jsonl", (177, 56), None),
        (
            "factool/factool_output_zh.jsonl",
            (80, 22),
            "10 claims without a label left out.",
        ),
    ],
)
def test_every_claim_of_a_published_file_comes_in(tmp_path, file, expected, left_out):
    with taken(tmp_path, DATA / "interop" / file) as found:
        assert share(cells_of(found)) == expected
        assert found.notes == ([left_out] if left_out else [])


@needs_data
def test_the_judges_and_the_persons_lists_come_in_and_excerpts_are_found(tmp_path):
    with taken(tmp_path, DATA / "field" / "facts_by_people.jsonl") as found:
        assert counts(found) == (2, 2, 0, 0, 2)
        first, second = cells_of(found)
        wrong = "BCL2 lies on chromosome 1"
        assert claims_in(first, "fp") == [wrong]
        assert claims_in(first, "tp", first.judge_labels)[1] == wrong
        assert len(second.labels.tp) == 2
        assert first.labels.tp[0].span == (0, 30)
        assert first.signed.by == "facts.human"


def test_who_agrees_with_every_claim_signs_the_judges_lists_off(tmp_path):
    path = written(
        tmp_path,
        row({"claim": "It is a gene", "judge": "yes", "human": "S"}),
    )
    with taken(tmp_path, path) as found:
        (cell,) = cells_of(found)
        assert (cell.state, cell.signed.by) == ("reviewed", "claims.human")


def test_a_persons_reason_stands_at_the_claim_that_it_is_about(tmp_path):
    claims = [
        {"claim": "It is a gene", "judge": "yes", "human": "yes"},
        {
            "claim": "On chromosome 1",
            "judge": "yes",
            "human": "no",
            "human_reason": "It is 18.",
        },
    ]
    with taken(tmp_path, written(tmp_path, row(*claims))) as found:
        (cell,) = cells_of(found)
        assert [
            fact.what.reason for fact in cell.facts if hasattr(fact.what, "edit")
        ] == ["It is 18."]


def test_a_claim_that_the_person_calls_irrelevant_is_dropped(tmp_path):
    claims = [
        {"claim": "It is a gene", "judge": "S", "human": "S"},
        {"claim": "It is written in English", "judge": "S", "human": "IR"},
    ]
    with taken(tmp_path, written(tmp_path, row(*claims))) as found:
        assert share(cells_of(found)) == (1, 0)


def test_a_label_may_be_a_number_with_a_point(tmp_path):
    claims = [
        {"claim": "A gene.", "verdict": 1.0},
        {"claim": "On 1.", "verdict": 0.0},
    ]
    with taken(tmp_path, written(tmp_path, row(*claims))) as found:
        assert share(cells_of(found)) == (1, 1)


def test_claims_of_a_reference_are_found_or_missing_and_belong_to_every_answer(
    tmp_path,
):
    nuggets = [
        {"text": "anti-apoptotic", "assignment": "support"},
        {"text": "on chromosome 18", "assignment": "not_support"},
    ]
    turned = [nuggets[1] | {"assignment": "support"}, nuggets[0]]
    rows = [row(*nuggets, key="nuggets"), row(*turned, key="nuggets") | {"id": "b"}]
    with taken(tmp_path, written(tmp_path, *rows)) as found:
        (known,) = found.traits
        assert (known.trait.name, known.trait.metrics) == (OF_REFERENCE, ["recall"])
        first, second = cells_of(found)
        assert (claims_in(first, "tp"), claims_in(first, "fn")) == (
            ["anti-apoptotic"],
            ["on chromosome 18"],
        )
        assert len(second.labels.tp) == 2


def test_statements_of_ragas_keep_their_reasons(tmp_path):
    statements = [
        {"statement": "It is a gene.", "reason": "The context says so.", "verdict": 1},
        {"statement": "It is on 1.", "reason": "It says 18.", "verdict": 0},
    ]
    with taken(
        tmp_path,
        written(tmp_path, row(*statements, key="statements")),
    ) as found:
        (cell,) = cells_of(found)
        assert share([cell]) == (1, 1)
        assert cell.labels.fp[0].rationale == "It says 18."
        assert cell.subject.trait.name == OF_RESPONSE


def test_a_word_that_is_no_label_fails_the_cell_by_name(tmp_path):
    path = written(tmp_path, row({"claim": "It is a gene", "judge": "perhaps"}))
    with taken(tmp_path, path) as found:
        (cell,) = cells_of(found)
        assert cell.state == "failed"
        assert '"perhaps" is no label of a claim' in cell.error.error


def test_rows_with_the_id_of_their_question_get_their_number_behind_it(tmp_path):
    claim = {"claim": "It is a gene", "judge": "yes"}
    with taken(tmp_path, written(tmp_path, row(claim), row(claim))) as found:
        traces = list(WorkspaceAudit(found.workspace.db).traces)
        assert [(one.id, one.cluster) for one in traces] == [("a-1", "a"), ("a-2", "a")]


def test_one_command_says_the_share_that_is_supported(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    claims = [
        {"claim": "It is a gene", "human": "S"},
        {"claim": "On chromosome 1", "human": "NS"},
        {"claim": "On chromosome 2", "human": "NS"},
        {"claim": "It", "human": "IR"},
    ]
    assert main(["import", str(written(tmp_path, row(*claims)))]) == 0
    assert "1 irrelevant claim left out." in capsys.readouterr().err
    assert main(["metrics", "claims.audit.toml"]) == 0
    assert "Claims supported is 0.333" in capsys.readouterr().out


@pytest.mark.parametrize("as_text", [json.dumps, repr])
def test_a_cell_of_csv_may_have_a_list_of_claims_as_json_or_as_pandas_writes_it(
    tmp_path,
    as_text,
):
    path = tmp_path / "claims.csv"
    claims = as_text(["It is a gene", "It is new"]).replace('"', '""')
    labels = as_text([{"factuality": True}, {"factuality": None}])
    labels = labels.replace('"', '""')
    path.write_text(
        "id,response,claims,claim_level_factuality\n"
        f'a,It is a gene.,"{claims}","{labels}"\n',
        "utf-8",
    )
    with taken(tmp_path, path) as found:
        assert share(cells_of(found)) == (1, 0)


@pytest.mark.parametrize("label", ["n/a", "None", " ", None])
def test_a_claim_whose_label_says_nothing_is_left_out_and_said(tmp_path, label):
    claims = [
        {"claim": "A gene.", "label": "supported"},
        {"claim": "On 1.", "label": label},
    ]
    with taken(tmp_path, written(tmp_path, row(*claims))) as found:
        assert share(cells_of(found)) == (1, 0)
        assert found.notes == ["1 claim without a label left out."]


def test_an_id_made_of_a_repeated_one_is_no_other_rows(tmp_path):
    path = tmp_path / "claims.jsonl"
    rows = [
        {
            "id": own_id,
            "response": f"R{own_id}.",
            "claims": [{"claim": "c", "judge": 1}],
        }
        for own_id in ("7", "7", "7-1")
    ]
    path.write_text("\n".join(map(json.dumps, rows)))
    traces = recognise.read([path]).traces()
    assert [trace.record["id"] for trace in traces] == ["7-1-1", "7-2", "7-1"]

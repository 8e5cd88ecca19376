"""Where the evidence of a conversation stands, as exports have it: by step, message, and place within."""

import csv
import json

import pytest
from foreign_files import taken

from appellate.core.facts import Proposed
from appellate.core.kind import Span
from appellate.core.messages import recorded
from appellate.core.trace import Trace
from appellate.interop import inspect_log, karenina, promptfoo
from appellate.interop.rows import FORMS, as_rows, write_csv
from appellate.interop.ruled import RuledCell, ruled_cells
from appellate.store.audits.audit import load_audit
from cells import bench
from conversations import PROPOSED, RUN, rubric, subject

REGEX = {"value": True, "hits": 0, "matches": []}


def judged(kind: str, reads: str) -> Proposed:
    of = subject(kind, reads)
    if kind == "regex":
        return Proposed(of.source.compute(of.trait, of.trace), {"name": "rule"})
    return Proposed(PROPOSED[kind], {"name": "gpt"})


def audited(folder, reads="conversation"):
    with bench(folder, RUN, of=rubric(reads)) as at:
        for number in range(1, 5):
            kind = at.open_unhidden(number)[1].subject.kind.name
            at.receive(number, judged(kind, reads))
            at.sign_off(number, 5.0)
        at.save()
        return load_audit(at.audit)


@pytest.fixture
def audit(tmp_path):
    return audited(tmp_path)


def cells_by_trait(audit) -> dict[str, RuledCell]:
    return {cell.trait: cell for cell in ruled_cells(audit)}


def test_evidence_has_step_message_and_place_within_the_step(audit):
    cells = cells_by_trait(audit)
    assert [row["text"] for row in cells["m"].evidence] == [
        "calls book_flight",
        "It is booked.",
    ]
    called, said = cells["m"].evidence
    assert (called["step"], called["message"]) == (3, 1)
    assert "step_start" not in called, "the heading is no word of the step"
    assert (said["step"], said["message"], said["step_start"], said["step_end"]) == (
        5,
        3,
        0,
        13,
    )
    assert [row["step"] for row in cells["l"].evidence] == [2]
    assert [row["step"] for row in cells["s"].evidence] == [5]
    assert cells["m"].steps == [3, 5]


def test_places_within_a_step_are_places_in_the_words_of_the_message(audit):
    for cell in ruled_cells(audit):
        for row in cell.evidence:
            if "step_start" not in row:
                continue
            turn = list(recorded(RUN.messages))[row["step"] - 1]
            words = turn.text[row["step_start"] : row["step_end"]]
            assert words == row["text"]
            assert row["text"] == cell.subject.text[row["start"] : row["end"]]


@pytest.mark.parametrize("form", ["", *FORMS])
def test_rows_say_what_was_read_and_where_the_evidence_is(audit, form):
    rows = [json.loads(line) for line in as_rows(audit, form)]
    assert len(rows) == 4
    for row in rows:
        flat = {**row, **row.get("metadata", {}), **row.get("source_info", {})}
        prefix = "" if form else "appellate."
        assert flat[f"{prefix}reads"] == "conversation"
        evidence = json.loads(flat[f"{prefix}evidence"])
        assert evidence
        assert all(
            {"step", "message", "start", "end"} <= one.keys() for one in evidence
        )


def test_csv_has_the_items_and_excerpts_of_both_sides_with_their_steps(audit, tmp_path):
    write_csv(audit, tmp_path)
    with (tmp_path / "items.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    found = [
        (row["trait"], row["bucket"], row["text"], row["step"])
        for row in rows
        if row["side"] == "person"
    ]
    assert ("m", "tp", "calls book_flight", "3") in found
    assert ("m", "fn", "thanks", "") in found
    assert ("l", "evidence", "One moment.", "2") in found
    assert ("l", "evidence", "nowhere", "") in found
    assert ("s", "spans", "It is booked.", "5") in found
    assert {row["side"] for row in rows} == {"person", "judge"}
    sides = {
        side: [
            row["step"] for row in rows if row["side"] == side and row["trait"] == "m"
        ]
        for side in ("person", "judge")
    }
    assert sides["person"] == sides["judge"] == ["3", "5", ""]


def test_evidence_of_a_response_has_offsets_alone(tmp_path):
    cells = cells_by_trait(audited(tmp_path, "response"))
    (row,) = cells["m"].evidence
    assert row == {"text": "It is booked.", "start": 0, "end": 13}
    assert cells["m"].steps == []
    [line] = [
        line for line in as_rows(load_audit(tmp_path / "x.audit.toml")) if '"m"' in line
    ]
    assert json.loads(line)["appellate.reads"] == ""


def test_a_step_that_no_message_has_names_none(tmp_path):
    plain = Trace(id="1", question="Which gene?", response="BCL2.")
    of = subject("llm", trace=plain)
    start = of.text.index("BCL2.")
    spans = [Span(start, start + 5)]
    cell = RuledCell(plain, of, "ada", "", {}, (), "l", {"value": True}, {}, spans)
    (row,) = cell.evidence
    assert row["step"] == 2
    assert "message" not in row


def test_inspect_gets_the_places_as_metadata(audit):
    rows = [json.loads(line) for line in inspect_log.precomputed(ruled_cells(audit))]
    by_scorer = {row["metadata"]["scorer"]: row["metadata"]["evidence"] for row in rows}
    assert [one["message"] for one in by_scorer["m"]] == [1, 3]


def test_promptfoos_comment_names_the_steps():
    cell = cell_of("llm", "One moment.", "It is booked.")
    part = {"pass": True, "score": 1, "assertion": {"type": "llm-rubric", "value": "l"}}
    row = {
        "id": "run",
        "success": True,
        "score": 1,
        "gradingResult": {"pass": True, "score": 1, "componentResults": [part]},
        "response": {"output": "It is booked."},
    }
    document, _, _ = promptfoo.rated([row], [cell])
    assert (
        document[0]["gradingResult"]["comment"]
        == "l: yes, evidence in steps 2, 5 (ada)"
    )


def cell_of(kind: str, *excerpts: str) -> RuledCell:
    of = subject(kind)
    spans = []
    for words in excerpts:
        start = of.text.index(words)
        spans.append(Span(start, start + len(words)))
    return RuledCell(
        RUN,
        of,
        "ada",
        "",
        {},
        (),
        "l",
        {"value": True},
        {"value": True},
        spans,
    )


def test_karenina_gets_the_texts_alone_and_that_is_said_once():
    row = {
        "metadata": {"result_id": "run", "question_id": "q"},
        "template": {},
        "rubric": {"llm_trait_scores": {"l": False}},
    }
    cells = [cell_of("llm", "One moment."), cell_of("llm", "It is booked.")]
    document, _, notes = karenina.corrected([row], cells)
    (note,) = notes
    assert note.startswith(
        '"l" reads the whole conversation: Karenina gets its texts alone',
    )
    assert not {"reads", "step", "steps", "start"} & set(
        json.dumps(document).replace('"', " ").split(),
    )


def test_rows_of_a_conversation_come_back_as_the_verdicts_that_they_were(
    audit,
    tmp_path,
):
    answers, rows = tmp_path / "a.jsonl", tmp_path / "rows.jsonl"
    record = {"id": "run", "response": RUN.response, "messages": RUN.messages}
    answers.write_text(json.dumps(record) + "\n", "utf-8")
    rows.write_text("".join(as_rows(audit)), "utf-8")
    again = tmp_path / "again"
    again.mkdir()
    with taken(again, answers, rows) as found:
        for trait, value in (("l", True), ("r", True)):
            number = found.workspace.cells.number(RUN.key, trait)
            cell = found.workspace.cell(number)[1]
            assert (cell.labels.value, cell.signed.by) == (value, "ada")

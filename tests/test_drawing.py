"""A sample is drawn all or not at all, and hides what the judge says wherever rows are read."""

import json

import pytest

from appellate.core.deciding import Correct
from appellate.core.problem import Refused
from appellate.query.language import parse
from appellate.store.breakdowns import breakdown
from appellate.store.cells import Sources
from appellate.store.queue import look_up, vocabulary
from appellate.traits.metric.edits import Edit
from cells import (
    GENE,
    bench,
    check_totals,
    everything,
    from_file_alone,
    link,
    matrix,
    panel,
    proposal,
    rubric,
    rules,
    sample_of,
    select,
    trace,
)

ADDED = Correct(Edit.from_row({"action": "add", "bucket": "fn", **link(1)}))


def columns(review, number: int, *names: str) -> tuple:
    sql = f"SELECT {', '.join(names)} FROM cells WHERE no = ?"  # noqa: S608 - names of columns
    return review.workspace.db.execute(sql, (number,)).fetchone()


def measured(review, number: int) -> list:
    sql = "SELECT judge, members, verdict FROM measured WHERE cell = ?"
    row = review.workspace.db.execute(sql, (number,)).fetchone()
    return [json.loads(told) if told else None for told in row]


def found(review, query: str) -> list[int]:
    path = review.workspace.path
    return list(look_up(path, parse(query, vocabulary(path)), "loaded", 1).numbers)


@pytest.fixture
def review(tmp_path):
    with bench(tmp_path, trace("a"), trace("b"), trace("c")) as review:
        for number in (1, 2):
            review.receive(number, panel())
        review.sign_off(1)
        yield review


def judged(review, number: int) -> set:
    """The judge's answers in a cell, as words by their numbers."""
    rows = review.workspace.db.execute(
        "SELECT judged FROM given WHERE cell = ?",
        (number,),
    )
    return {word for (word,) in rows} - {None}


HIDDEN = ("judge", "judged_by", "disagreement", "overruled", "headline")


def test_the_rows_of_a_blind_cell_have_nothing_of_the_judge_until_it_is_ruled(review):
    before = columns(review, 2, "judge", "judged_by", "disagreement")
    answers = judged(review, 2)
    assert answers
    review.draw(sample_of("b", "c"))
    assert columns(review, 2, *HIDDEN) == (None, "", None, 0, None)
    assert judged(review, 2) == set()
    assert columns(review, 2, "state", "sampled") == ("proposed", 2)
    assert found(review, "is:disputed") == [1]
    assert found(review, "is:blind") == [2, 3]
    rules(review, 2)
    assert columns(review, 2, "judge", "judged_by", "disagreement") == before
    assert judged(review, 2) == answers
    assert columns(review, 2, "sampled", "overruled")[0] == 3
    assert found(review, "is:ruled") == [2]
    assert found(review, "is:sampled") == [2, 3]
    check_totals(review.workspace)


def test_what_the_judge_counts_to_is_kept_for_estimates_and_the_verdict_beside_it(
    review,
):
    judge, members, verdict = measured(review, 2)
    assert judge["counts"]["tp"] >= 0
    assert len(members) == 2  # the third gave no labels
    assert verdict is None
    review.draw(sample_of("b"))
    rules(review, 2)
    assert measured(review, 2)[:2] == [judge, members]
    verdict_counts = measured(review, 2)[2]["counts"]
    assert (verdict_counts["fn"], verdict_counts["tp"]) == (4, 0)
    moved = {"action": "move", "bucket": "fn", "index": 0, "to": "tp", **select(GENE)}
    review.do(2, Correct(Edit.from_row(moved)))
    assert measured(review, 2)[2]["counts"] == verdict_counts


def test_who_reads_the_bench_is_shown_nothing_of_a_blind_cell(review):
    heard = []
    review.listeners.append(heard.append)
    review.draw(sample_of("b"))
    _, cell = review.open(2)
    assert (cell.judged, cell.labels, cell.hidden) == (None, None, True)
    review.receive(2, panel(round=2))
    review.do(2, ADDED)
    assert all(change.after.judge is None for change in heard)
    change = rules(review, 2)
    assert change.after.judge is not None
    assert change.before.judge is None


def test_agreement_counts_no_hidden_cell(review):
    before = breakdown(review.workspace.path, ("metric", "Accuracy")).whole.agreement.n
    review.draw(sample_of("a"))
    assert (
        before
        > breakdown(review.workspace.path, ("metric", "Accuracy")).whole.agreement.n
        == 0
    )


def test_a_sample_is_drawn_whole_or_not_at_all(review):
    before = everything(review.workspace)
    with pytest.raises(Refused, match="no trace d to draw"):
        review.draw(sample_of("b", "d"))
    assert everything(review.workspace) == before
    assert review.workspace.design.drawn() == []
    review.draw(sample_of("b"))
    with pytest.raises(Refused, match="in the sample already"):
        review.draw(sample_of("c", "b"))
    assert review.workspace.design.drawn() == [2]


def test_the_audit_file_alone_brings_a_sample_back(review):
    review.draw(sample_of("c", "a"))
    rules(review, 1)
    rows = [columns(review, no, *HIDDEN) for no in (1, 2, 3)]
    assert review.workspace.design.drawn() == [3, 1]
    with from_file_alone(review) as again:
        assert again.design.drawn() == [3, 1]
        review.workspace = again
        assert [columns(review, no, *HIDDEN) for no in (1, 2, 3)] == rows
        text = review.audit.read_text()
        review.save()
        assert review.audit.read_text() == text


def test_a_trait_that_comes_later_is_blind_in_the_traces_of_the_sample(review):
    review.draw(sample_of("b"))
    review.revise(rubric(matrix(), matrix(name="Second")))
    assert found(review, "is:blind") == [2, 5]
    review.receive(5, proposal())
    assert columns(review, 5, "judge", "state") == (None, "proposed")


def test_a_judge_is_still_asked_of_a_blind_cell_that_a_person_ruled_first(tmp_path):
    with bench(tmp_path, trace("a"), trace("b")) as review:
        review.draw(sample_of("a", of=2))
        review.do(1, ADDED)
        assert review.workspace.count_missing() == 2
        rules(review, 1)
        missing = Sources(["model"], ["metric"])
        assert review.workspace.cells.missing(missing, 0, 9) == [1, 2]
        assert review.workspace.cells.count_missing(missing) == 2
        change = review.receive(1, proposal())
        assert change.after.state == "reviewed"
        assert change.after.judge.table == proposal().table
        assert review.workspace.cells.missing(missing, 0, 9) == [2]
        assert review.workspace.count_missing() == 1

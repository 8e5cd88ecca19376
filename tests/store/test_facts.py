"""What happened, read back: the history, the session's tally, the pace, what judgments took."""

from appellate.core.deciding import Comment, Draw, Flag
from appellate.core.facts import (
    Commented,
    Corrected,
    Flagged,
    Ruled,
    SignedOff,
    Withheld,
)
from appellate.store.fact_rows import Done, JudgmentUsage, usage
from cells import MOVED, bench, corrects, proposal, rules, seat, trace


def test_the_acts_of_a_reviewer_are_told_newest_first_with_what_was_undone(tmp_path):
    with bench(tmp_path, trace("a"), trace("b", epoch=2)) as at:
        at.receive(1, proposal())
        at.do(1, MOVED)
        at.do(2, Comment("hm"))
        seat(at, tmp_path, "bob").do(2, Flag(True))
        at.undo()
        told = at.workspace.facts.acts("ada", 0, 10)
        assert [
            (row.n, row.cell, row.trace_id, row.epoch, row.trait, row.undone)
            for row in told
        ] == [
            (3, 2, "b", 2, "Accuracy", True),
            (2, 1, "a", 1, "Accuracy", False),
        ]
        assert told[0].what == Commented("hm")
        assert isinstance(told[1].what, Corrected)
        assert told[1].at.startswith("2026-11-21T12:00:0")
        assert at.workspace.facts.acts("ada", 1, 1) == told[1:]
        assert at.workspace.facts.acts("bob", 0, 10)[0].what == Flagged(True)
        assert [at.workspace.facts.count_acts(by) for by in ("ada", "bob", "eve")] == [
            2,
            1,
            0,
        ]


def test_what_was_done_before_the_judge_was_hidden_is_one_row_that_tells_nothing(
    tmp_path,
):
    with bench(tmp_path, trace("a"), trace("b")) as at:
        for number in (1, 2):
            at.receive(number, proposal())
            at.do(number, MOVED)
            at.do(number, Flag(True))
            at.do(number, Comment("hm"))
        at.undo()
        at.do(2, Draw(True))
        at.do(2, Comment("since"))
        told = at.workspace.facts.acts("ada", 0, 10)
        assert [(row.cell, row.what, row.undone) for row in told] == [
            (2, Commented("since"), False),
            (2, Withheld(), False),
            (2, Flagged(True), False),
            (1, Commented("hm"), False),
            (1, Flagged(True), False),
            (1, told[-1].what, False),
        ]
        assert at.workspace.facts.count_acts("ada") == len(told)
        assert at.workspace.facts.acts("ada", 1, 2) == told[1:3]


def test_what_stands_since_a_fact_is_counted(tmp_path):
    with bench(tmp_path, trace("a"), trace("b")) as at:
        at.receive(1, proposal())
        at.do(1, Flag(True))
        since = at.workspace.facts.last_n()
        assert at.workspace.facts.done_since(since, "ada") == Done({}, {})
        at.do(1, MOVED)
        at.do(1, corrects({"action": "drop", "bucket": "fp"}))
        at.do(1, Flag(False))
        at.do(2, Flag(True))
        at.do(2, Comment("hm"))
        at.sign_off(1)
        at.do(2, Comment("gone"))
        at.undo()
        seat(at, tmp_path, "bob").do(2, Comment("not hers"))
        assert at.workspace.facts.done_since(since, "ada") == Done(
            {
                "corrected": 2,
                "unflagged": 1,
                "flagged": 1,
                "commented": 1,
                "signed_off": 1,
            },
            {"TP → FN": 1, "drop FP": 1},
            cells=2,
            undone=1,
        )


def test_sign_offs_are_told_newest_first_without_those_undone(tmp_path):
    with bench(tmp_path, *(trace(f"t{n}") for n in range(4))) as at:
        for number in (1, 2, 3, 4):
            at.receive(number, proposal())
            if number == 2:
                at.do(number, Draw(True))
                rules(at, number)
            else:
                at.sign_off(number)
        at.undo()
        told = at.workspace.facts.sign_offs("ada")
        facts = [at.workspace.cell(number)[1].signed for number in (3, 2, 1)]
        assert told == [
            fact.at for fact in facts if isinstance(fact.what, SignedOff | Ruled)
        ]
        assert at.workspace.facts.sign_offs("ada", 1) == told[:1]
        assert at.workspace.facts.sign_offs("bob") == []


def test_the_latest_judgments_of_a_model_are_told_and_no_more_than_asked_for(tmp_path):
    with bench(tmp_path, *[trace(f"t{n}") for n in range(4)]) as desk:
        for number in range(1, 5):
            taken = {
                "template_sha256": "x",
                "tokens_in": 100 * number,
                "tokens_out": 10,
            }
            desk.receive(
                number,
                proposal(model="m" if number != 3 else "another", **taken),
            )
        path = desk.workspace.path
        assert usage(path, "m", 2) == [
            JudgmentUsage(4, "x", 0, 400, 10),
            JudgmentUsage(2, "x", 0, 200, 10),
        ]
        assert len(usage(path, "m")) == 3
        assert usage(path, "nobody") == []

"""Two audits beside each other: what can be compared, and what differs, in sentences."""

from itertools import permutations

import pytest
from msgspec.structs import replace

from appellate.core.problem import Unusable
from appellate.numbers.two_reviewers import by_trait, comparison_document
from appellate.store.audits.audit import load_audit
from appellate.store.audits.two_audits import beside
from appellate.traits.llm.spec import LLMRubricTrait
from appellate.traits.rubric import Question, Rubric
from cells import EXPECTED, RESPONSE, bench, checklist, matrix, proposal, rubric, trace
from two_reviewers import BOTH_MISSED, MISSED, audited, two


def compared(*paths):
    return beside(*((path, load_audit(path)) for path in paths))


def test_the_cells_that_both_signed_off_are_compared_question_by_question(tmp_path):
    found = two(tmp_path, {1: MISSED}, {2: BOTH_MISSED}, signed=2)
    assert [pair.first.subject.trace.id for pair in found.pairs] == ["t1", "t2"]
    assert (found.first.name, found.second.name) == ("ada", "bo")
    assert (found.cells, found.signed, found.notes) == (3, (2, 2), [])
    (trait,) = by_trait(found.pairs)
    assert (trait.trait, trait.cells, trait.is_blind) == ("Accuracy", 2, False)
    assert (trait.agreement.n, trait.agreement.agreed) == (12, 9)
    differing = {
        one.question.text: list(one.differing)
        for one in trait.questions
        if one.differing
    }
    assert differing == {
        EXPECTED[0]: [("t1", ("missing", "found")), ("t2", ("found", "missing"))],
        EXPECTED[1]: [("t2", ("found", "missing"))],
    }
    document = comparison_document(found, [trait])
    assert document["traits"][0]["questions"][1]["differing"] == [
        {"trace": "t2", "one": "found", "other": "missing"},
    ]
    # of fewer than 20 answers
    assert document["traits"][0]["coefficients"]["kappa"]["value"] is None


class ReadOneByOne(list):
    """The cells of an audit, which notes the name of each trace as its cell is read."""

    def __init__(self, cells):
        super().__init__(cells)
        self.read = []

    def __iter__(self):
        for audited_cell in super().__iter__():
            self.read.append(audited_cell.trace.id)
            yield audited_cell


def test_two_audits_are_read_side_by_side_and_as_often_as_somebody_goes_through(
    tmp_path,
):
    paths = [audited(tmp_path, name) for name in ("ada", "bo")]
    audits = [load_audit(path) for path in paths]
    one, other = (replace(audit, cells=ReadOneByOne(audit.cells)) for audit in audits)
    found = beside((paths[0], one), (paths[1], other))
    for _ in range(2):
        one.cells.read.clear()
        other.cells.read.clear()
        so_far = []
        for pair in found.pairs:
            so_far.append(pair.first.subject.trace.id)
            assert one.cells.read == other.cells.read == so_far
        assert so_far == ["t1", "t2", "t3"]


def test_cells_are_paired_in_the_order_of_the_first_whatever_that_of_the_second(
    tmp_path,
):
    paths = [audited(tmp_path, name, signed=2) for name in ("ada", "bo")]
    one, other = map(load_audit, paths)
    for places in permutations(range(3)):
        for count in (2, 3):
            chosen = places[:count]
            shuffled = replace(
                other,
                traces=[other.traces[place] for place in chosen],
                cells=[other.cells[place] for place in chosen],
            )
            found = beside((paths[0], one), (paths[1], shuffled))
            again = beside((paths[1], shuffled), (paths[0], one))
            ids = [f"t{place + 1}" for place in chosen if place < 2]
            assert of_both(again.pairs) == [(name, name) for name in ids]
            assert of_both(found.pairs) == [(name, name) for name in sorted(ids)]
            assert found.cells == again.cells == count
            assert len(found.pairs) == len(ids)


def of_both(pairs):
    """The names of the traces of each pair: of the first and of the second reviewer's cell."""
    return [tuple(cell.subject.trace.id for cell in pair) for pair in pairs]


def test_what_differs_in_the_rubric_or_in_traces_is_told_and_not_compared(tmp_path):
    one = audited(tmp_path, "ada", of=rubric(matrix(), checklist()), signed=6)
    other = audited(
        tmp_path,
        "bo",
        of=rubric(matrix(metrics=["f1"]), checklist(name="New")),
        signed=6,
    )
    text = other.read_text().replace('id = "t1"', 'id = "t9"')
    before, response, after = text.rpartition(
        f'"t2"\nepoch = 1\nresponse = "{RESPONSE}',
    )
    other.write_text(before + response + " More." + after)
    found = compared(one, other)
    assert [pair.first.subject.trace.id for pair in found.pairs] == ["t3"]
    told = "\n".join(found.notes)
    assert (
        'The trait "Accuracy" is measured differently in each ("Accuracy".metrics)'
        in told
    )
    assert 'Only ada.audit.toml has 1 trait ("Coverage").' in told
    assert 'Only bo.audit.toml has 1 trait ("New").' in told
    assert "The response is different in each in 1 trace (t2): not compared." in told
    assert "Only ada.audit.toml has 1 trace (t1)." in told
    assert "Only bo.audit.toml has 1 trace (t9)." in told


def test_another_response_or_another_question_of_a_trait_keeps_cells_apart(tmp_path):
    one = audited(tmp_path, "ada", cells=1, signed=1)
    other = audited(tmp_path, "bo", cells=1, signed=0)
    with pytest.raises(Unusable) as refused:
        compared(one, other)
    told = str(refused.value)
    assert "nothing in it can be compared with" in told
    assert (
        "none is signed off in both: 1 in ada.audit.toml and 0 in bo.audit.toml" in told
    )
    changed = audited(
        tmp_path,
        "dan",
        cells=1,
        of=rubric(matrix(tp_instructions=[*EXPECTED[:3], "x"])),
    )
    with pytest.raises(
        Unusable,
        match=r"is different in each .*tp_instructions.*: it is not compared",
    ):
        compared(one, changed)


def test_files_of_one_name_are_told_apart_by_their_folders(tmp_path):
    one = audited(tmp_path, "ada", cells=1, signed=1).rename(
        tmp_path / "ada" / "x.audit.toml",
    )
    other = audited(tmp_path, "bo", cells=1, signed=0).rename(
        tmp_path / "bo" / "x.audit.toml",
    )
    with pytest.raises(Unusable) as refused:
        compared(one, other)
    assert f"1 in {one} and 0 in {other}" in str(refused.value)


def test_audits_of_one_reviewer_are_told_apart_by_their_files_or_folders(tmp_path):
    one = audited(tmp_path, "ada", cells=1, signed=1)
    (tmp_path / "away").mkdir()
    renamed, moved = tmp_path / "again.audit.toml", tmp_path / "away" / one.name
    for other, names in (renamed, ("ada", "again")), (moved, (str(one), str(moved))):
        other.write_bytes(one.read_bytes())
        found = compared(one, other)
        assert (found.first.name, found.second.name) == names


def test_a_trait_that_differs_is_named_with_its_question(tmp_path):
    paths = []
    for who, metrics in ("ada", ["f1"]), ("bo", ["recall"]):
        question = Question(
            id="q7",
            question="?",
            metric_traits=[matrix(metrics=metrics)],
        )
        of = Rubric(name="Of questions", questions=[question])
        (tmp_path / who).mkdir()
        with bench(tmp_path / who, trace(question_id="q7"), of=of, reviewer=who) as at:
            at.receive(1, proposal())
            at.sign_off(1)
            at.save()
        paths.append(at.audit)
    (note,) = compared(*paths).notes
    assert note.startswith(
        'The trait "Accuracy" of question q7 is measured differently in each',
    )


def test_of_many_names_the_first_are_told(tmp_path):
    one = audited(tmp_path, "ada", cells=6, signed=6)
    text = one.read_text().replace('"ada"', '"bo"')
    for number in range(1, 6):
        text = text.replace(f'id = "t{number}"', f'id = "u{number}"')
    other = tmp_path / "bo.audit.toml"
    other.write_text(text)
    told = compared(one, other).notes
    assert "Only ada.audit.toml has 5 traces (t1, t2, t3 and 2 more)." in told


def test_a_trait_of_another_kind_is_not_compared(tmp_path):
    one = audited(tmp_path, "ada", cells=1, signed=1)
    trait = LLMRubricTrait(name="Accuracy", kind="boolean", description="?")
    with bench(tmp_path, trace("t1"), of=Rubric(name="BCL2", llm_traits=[trait])) as at:
        at.save()
        with pytest.raises(
            Unusable,
            match='"Accuracy" is of another kind in each: it is not compared',
        ):
            compared(one, at.audit)

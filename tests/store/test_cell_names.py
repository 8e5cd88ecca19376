"""A cell is found by every name that the program prints for it."""

import pytest

from appellate.store.cell_names import cell_called, instead_of, likeliest_cell
from appellate.traits.rubric import Question, Rubric
from cells import bench, checklist, matrix, rubric, trace


@pytest.fixture
def workspace(tmp_path):
    traces = [
        trace("a-1"), trace("a-1", epoch=2), trace("b"), trace("7"), trace("b Coverage"), trace("x", epoch=3),
    ]  # fmt: skip
    with bench(tmp_path, *traces, of=rubric(matrix(), checklist())) as at:
        yield at.workspace


@pytest.mark.parametrize(
    ("name", "cell"),
    [
        ("a-1", 1),
        (" a-1#2 ", 3),
        ("a-1#2/Coverage", 4),
        ("a-1#2 Coverage", 4),
        ("a-1#2 · Coverage", 4),
        ("a-1#2, Coverage", 4),
        ("Cell 4, trace a-1#2, trait Coverage", 4),
        ("trace 'a-1' epoch 2", 3),
        ('(trace "a-1#2")', None),
        ('trace "a-1#2"', 3),
        ("Coverage, trace a-1", None),
        ("trace 2/6", 3),
        ("2/6", 3),
        ("#2", 3),
        ("2", 3),
        ("7", 7),
        ("trace 6", 11),
        ("2/Coverage", 4),
        ("cell 4", 4),
        ("cell 99", None),
        ("0", None),
        ("b Coverage", 9),
        ("b/Coverage", 6),
        ("b Coverage/Coverage", 10),
        ("x", 11),
        ("x/Coverage", 12),
        ("x#1", None),
        ("Coverage", None),
        ("/Coverage", None),
        ("", None),
        ("9" * 5000, None),
        ("b\udcff", None),
        ("b\udcff#1", None),
        ("b\udcff/Coverage", None),
    ],
)
def test_a_cell_is_called_as_any_line_of_the_program_calls_it(workspace, name, cell):
    assert cell_called(workspace, name) == cell


def test_a_name_in_another_encoding_is_of_no_cell_and_means_what_is_like_it(workspace):
    assert likeliest_cell(workspace, "b\udcff") is None
    wrong, meant = instead_of(workspace, "a-1\udcff")
    assert wrong.startswith("there is no trace")
    assert "a-1" in meant


def test_the_likeliest_trace_is_one_whose_id_holds_the_words(workspace):
    assert likeliest_cell(workspace, "over") == 9
    assert likeliest_cell(workspace, "nothing") is None


@pytest.mark.parametrize(
    ("name", "told"),
    [
        (
            "a-1/Covrage",
            ("trace a-1 has no trait “Covrage”", "did you mean a-1/Coverage?"),
        ),
        (
            "a-1#2 · what",
            ("trace a-1#2 has no trait “what”", "it has Accuracy, Coverage"),
        ),
        ("a-11", ("there is no trace “a-11”", "did you mean a-1?")),
        ("a-11/Coverage", ("there is no trace “a-11/Coverage”", "did you mean a-1?")),
        ("x#1", ("there is no trace “x#1”", "")),
        ("zzz", ("there is no trace “zzz”", "")),
    ],
)
def test_a_name_that_no_cell_has_is_refused_with_what_comes_near_it(
    workspace,
    name,
    told,
):
    assert instead_of(workspace, name) == told


def test_a_trace_without_a_trait_has_no_cell_and_of_ids_that_hold_the_words_a_few_are_named(
    tmp_path,
):
    question = Question(id="q", question="Where?", metric_traits=[checklist()])
    names = ["one-1", "one-2", "one-3", "one-4"]
    with bench(
        tmp_path,
        *map(trace, names),
        trace("two", question_id="q"),
        of=Rubric(name="R", questions=[question]),
    ) as at:
        assert instead_of(at.workspace, "one-1/Coverage") == (
            "trace one-1 has no cell to review",
            "",
        )
        assert instead_of(at.workspace, "one") == (
            "there is no trace “one”",
            "did you mean one-1 or one-2 or one-3?",
        )

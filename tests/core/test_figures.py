"""Tables of figures as values: sorted, narrowed by words and by the room there is."""

import pytest

from appellate.core.figures import (
    NO_FIGURE,
    FigureColumn,
    FigureRow,
    FigureTable,
    RowOrder,
    Sentence,
    Sentences,
    ShownFigure,
    count_of,
)

COLUMNS = [FigureColumn("F1", 5), FigureColumn("cells", 5), FigureColumn("kappa", 8)]


def row(name, f1, **more):
    figure = NO_FIGURE if f1 is None else ShownFigure(f"{f1:.2f}", f1)
    return FigureRow(name, [figure, NO_FIGURE, NO_FIGURE], **more)


def table(*rows, **more):
    return FigureTable("traits", "Traits", COLUMNS, rows, **more)


def names(found):
    return [one.name for one in found.rows]


ROWS = [
    row("b", 0.5),
    row("A", None),
    row("all", 0.9, last=True),
    row("c", 0.25, about="metric"),
]


@pytest.mark.parametrize(
    ("order", "expected", "wording"),
    [
        (RowOrder(0, falling=False), ["A", "b", "c", "all"], "by name"),
        (RowOrder(0, falling=True), ["c", "b", "A", "all"], "by name, last first"),
        (RowOrder(1, falling=True), ["b", "c", "A", "all"], "highest F1 first"),
        (RowOrder(1, falling=False), ["c", "b", "A", "all"], "lowest F1 first"),
    ],
)
def test_rows_without_a_figure_and_what_is_last_come_last(order, expected, wording):
    found = table(*ROWS).sorted(order)
    assert names(found) == expected
    assert found.title == f"Traits, {wording}"


@pytest.mark.parametrize("order", [None, RowOrder(9, falling=True)])
def test_without_such_a_column_rows_stay_as_they_are(order):
    found = table(*ROWS).sorted(order)
    assert names(found) == ["b", "A", "all", "c"]
    assert found.title == "Traits"


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("", ["b", "A", "all", "c"]),
        ("METRIC", ["c"]),
        ("traits a", ["b", "A", "all", "c"]),
    ],
)
def test_rows_are_found_by_their_names_the_heading_and_what_they_are_about(
    words,
    expected,
):
    assert names(table(*ROWS).holding(words)) == expected


@pytest.mark.parametrize(
    ("focus", "room", "shown"),
    [(0, 80, range(3)), (0, 28, range(2)), (2, 28, range(2, 3)), (2, 10, range(2, 3))],
)
def test_as_many_columns_are_shown_as_there_is_room_for_with_the_one_in_focus(
    focus,
    room,
    shown,
):
    assert table(*ROWS).shown_from(focus, room) == shown


def test_names_get_what_they_take_as_far_as_there_is_room():
    found = table(row("a name of thirty characters, so", 1), least=8)
    assert found.name_width(range(1), 80) == 31
    assert found.name_width(range(1), 30) == 23
    assert found.name_width(range(3), 10) == 8


def test_a_count_of_nothing_asks_for_no_cells():
    assert count_of(0, "none failed", "state:failed") == ShownFigure(
        "0",
        0,
        "none failed",
        style="muted",
    )
    assert count_of(3, "failed", "state:failed").query == "state:failed"


def test_sentences_are_called_by_their_heading():
    assert Sentences("Checks", [Sentence("All is well.")]).key == "Checks"

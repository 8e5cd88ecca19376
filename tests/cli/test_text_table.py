"""Tables of figures as the commands print them and reports write them."""

from appellate.cli.text_table import figure_lines, text_lines
from appellate.core.figures import (
    FigureColumn,
    FigureRow,
    FigureTable,
    Sentence,
    Sentences,
    ShownFigure,
)
from appellate.numbers.blocks import ROWS, ReportTable, in_writing, plain

COLUMNS = (
    FigureColumn("sens", 5, words="sensitivity"),
    FigureColumn("0/0", 4),
    FigureColumn("n", 4, words="answers"),
)


def row(name, *texts):
    return FigureRow(name, [ShownFigure(text) for text in texts], detail=f"{name}.")


def test_a_column_without_a_figure_is_left_out_and_titles_are_words_where_there_is_room():
    table = FigureTable("key", "Traits", COLUMNS, [row("Tone", "0.5", "", "20")])
    assert plain(table).heads == ("", "sensitivity", "answers")
    assert list(figure_lines(table)) == [
        "  Traits:",
        "          sens   n",
        "    Tone   0.5  20",
    ]


def test_columns_without_room_come_below_with_the_names_again():
    heads = ("trait", *(f"column {place:02}" for place in range(9)))
    lines = list(text_lines(ReportTable(heads, [("Tone", *"123456789")], 1)))
    assert max(map(len, lines)) <= 80
    assert [line.split()[0] for line in lines if line] == ["trait", "Tone"] * 2
    assert lines[1].split()[-1] == "7"
    assert lines[-1].split() == ["Tone", "8", "9"]


def test_a_long_name_stands_whole_above_its_figures():
    name = "Says that the dose is to be halved in " + "kidney disease of any stage " * 2
    lines = list(text_lines(ReportTable(("", "n"), [(name, "20")], 1)))
    assert " ".join(" ".join(lines[1:-1]).split()) == name.strip()
    assert lines[-1].split() == ["20"]


def test_a_report_says_how_many_rows_it_leaves_out():
    rows = [row(f"t{place}", "0.5", "", "1") for place in range(ROWS + 3)]
    table = FigureTable("key", "Traits", COLUMNS, rows, notes=["Below."])
    heading, shown, below, rest = in_writing(table)
    assert (heading, below) == (Sentences("Traits", ()), Sentence("Below."))
    assert len(shown.rows) == ROWS
    assert rest == Sentence("3 further rows left out here; --format json has them all.")


def test_a_table_in_sentences_has_no_figures():
    table = FigureTable(
        "key",
        "Traits",
        COLUMNS,
        [row("Tone", "", "", "")],
        in_sentences=True,
    )
    assert list(in_writing(table)) == [Sentences("Traits", ()), Sentence("Tone.")]
    assert list(figure_lines(table)) == ["  Traits:", "  Tone."]

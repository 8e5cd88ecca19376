from appellate.cli.arguments import parser
from appellate.cli.demo import WELCOME, _opened, _toured
from appellate.store.session import Place
from appellate.workbench import Position, Workbench


def test_the_demo_leads_round_only_when_asked():
    assert not parser().parse_args(["demo"]).tour
    assert parser().parse_args(["demo", "--tour"]).tour


def test_a_tour_begins_where_the_demo_does_and_does_its_own_talking(tmp_path):
    place = Place.of(tmp_path / "demo.audit.toml")
    opened = _opened(place)
    with opened.workspace:
        bench = Workbench(opened.workspace, place.audit, "ada")
        first = bench.position()
        bench.keep_position(Position(first.cell + 3, "fp", 1))
        toured = _toured(opened, "ada")
        assert bench.position() == first
        assert bench.workspace.row(first.cell).trait == "BCL2 Accuracy"
        assert WELCOME in opened.notes
        assert WELCOME not in toured.notes

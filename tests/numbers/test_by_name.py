"""A package of its own may bring reducers of epochs and metrics over traces, by entry points."""

import json
import sys

import pytest

from appellate import Unusable, aggregate, reduce_epochs, score
from appellate.cli import main

STATS = '''
def lowest(scores):
    """The worst of the epochs, a letter where they have letters."""
    order = ["I", "N", "P", "C"]
    if all(score in order for score in scores):
        return min(scores, key=order.index)
    return min(scores)


def spread(numbers):
    return max(numbers) - min(numbers)


def broken(values):
    return 1 / 0


def wordy(values):
    return "very good"


def ended(values):
    raise SystemExit(0)


TABLE = {"no": "function"}
'''
POINTS = """
[appellate.reducers]
lowest = our_stats:lowest
mean = our_stats:broken
broken = our_stats:broken
wordy = our_stats:wordy
table = our_stats:TABLE
gone = our_stats:nothing

[appellate.metrics]
spread = our_stats:spread
median = statistics:median
mean = our_stats:broken
broken = our_stats:broken
wordy = our_stats:wordy
"""
RUBRIC = """
[[scorer_traits]]
name = "Right"
scorer = "match"
"""


def install(folder, package, points):
    info = folder / f"{package}-1.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Name: {package}\nVersion: 1\n", "utf-8")
    (info / "entry_points.txt").write_text(points, "utf-8")


@pytest.fixture
def package(tmp_path, monkeypatch):
    """An installed package with such functions, in a folder that is the working one, too."""
    site = tmp_path / "site"
    install(site, "our-stats", POINTS)
    (site / "our_stats.py").write_text(STATS, "utf-8")
    monkeypatch.setattr(sys, "path", [*sys.path, str(site)])
    monkeypatch.setitem(sys.modules, "our_stats", None)
    del sys.modules["our_stats"]
    monkeypatch.chdir(tmp_path)
    return site


@pytest.fixture
def audit(package, tmp_path, capsys):
    """Three epochs of one trace and two of another, as letters."""
    (tmp_path / "r.toml").write_text(RUBRIC, "utf-8")
    rows = []
    for name, letters in (("a", "CPC"), ("b", "CC")):
        for epoch, letter in enumerate(letters, 1):
            judged = {"Right": {"value": letter}}
            rows.append(
                {"id": name, "epoch": epoch, "response": "x", "judgments": judged},
            )
    (tmp_path / "t.jsonl").write_text(
        "".join(json.dumps(row) + "\n" for row in rows),
        "utf-8",
    )
    assert main(["judge", "r.toml", "t.jsonl", "-o", "x.audit.toml"]) == 0
    capsys.readouterr()
    return "x.audit.toml"


def test_its_reducer_reduces_the_epochs_in_every_form_of_the_numbers(audit, capsys):
    """The lowest of C P C counts .5, that of C C 1."""
    assert (
        main(["metrics", audit, "--json", "--reducer", "lowest", "--reducer", "max"])
        == 0
    )
    (trait,) = json.loads(capsys.readouterr().out)["traits"]
    assert trait["epochs"]["lowest"]["score"]["standing"]["macro"] == 0.75
    assert trait["epochs"]["max"]["score"]["standing"]["macro"] == 1.0
    assert main(["metrics", audit, "--reducer", "lowest"]) == 0
    assert "lowest of epochs" in capsys.readouterr().out
    assert main(["metrics", audit, "--csv", "--reducer", "lowest"]) == 0
    assert ",lowest," in capsys.readouterr().out
    assert main(["report", audit, "--reducer", "lowest", "-o", "-"]) == 0
    assert "lowest of epochs" in capsys.readouterr().out


def test_its_functions_are_known_in_python_by_their_names(package):
    assert reduce_epochs("lowest", ["C", "P", None]) == "P"
    assert reduce_epochs("lowest", [{"a": 1.0, "b": "C"}, {"a": 0.5, "b": "I"}]) == {
        "a": 0.5,
        "b": "I",
    }
    assert aggregate("spread", ["C", "P", None]) == 0.5
    assert aggregate("median", [1, 0, 1]) == 1.0
    assert aggregate("spread", []) == 0.0


def test_what_is_built_in_keeps_its_name(package):
    assert reduce_epochs("mean", ["C", "I"]) == 0.5
    assert aggregate("mean", ["C", "I"]) == 0.5


def test_its_reducer_makes_one_value_of_a_multi_scorer(package):
    members = [{"scorer": "includes"}, {"scorer": "exact"}]
    found = score(
        "multi_scorer",
        "In Paris.",
        "Paris",
        scorers=members,
        reducer="lowest",
    )
    assert found.value == "I"
    with pytest.raises(ValueError, match="package our-stats: its 'broken'"):
        score("multi_scorer", "In Paris.", "Paris", scorers=members, reducer="broken")


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("broken", "ZeroDivisionError: division by zero"),
        (
            "wordy",
            "ValueError: the reducer returned a word that is not one of its scores",
        ),
        ("table", "TypeError: it is no function, but a dict"),
        ("gone", "AttributeError: "),
    ],
)
def test_one_that_fails_ends_the_command_with_its_packages_name(
    audit,
    capsys,
    name,
    why,
):
    for command in (["metrics", audit], ["report", audit, "-o", "-"]):
        assert main([*command, "--reducer", name]) == 2
        told = capsys.readouterr()
        assert (
            f"package our-stats: its '{name}' (appellate.reducers) fails: {why}"
            in told.err
        )
        assert "mend the package, or uninstall it" in told.err
        assert "Traceback" not in told.err
        assert not told.out
    with pytest.raises(Unusable, match="package our-stats"):
        reduce_epochs(name, ["C"])


def test_a_metric_that_fails_is_named_with_its_package(package):
    for name in ("broken", "wordy"):
        with pytest.raises(Unusable, match="package our-stats: its '" + name):
            aggregate(name, [1.0])


def test_a_name_that_nobody_has_is_refused_with_those_that_there_are(audit, capsys):
    assert main(["metrics", audit, "--reducer", "lowst"]) == 2
    told = capsys.readouterr().err
    assert '"lowst" is not a way to reduce epochs' in told
    assert "pass_k_K" in told
    assert "lowest" in told
    with pytest.raises(ValueError, match="'lowst' is not a metric over traces"):
        aggregate("lowst", [1])
    with pytest.raises(ValueError, match="'lowst' is not a reducer of epochs"):
        reduce_epochs("lowst", [1])


def test_a_name_that_two_packages_have_is_refused_with_both(audit, package, capsys):
    install(package, "more-stats", "[appellate.reducers]\nlowest = our_stats:lowest\n")
    assert main(["metrics", audit, "--reducer", "lowest"]) == 2
    told = capsys.readouterr().err
    assert "packages more-stats and our-stats: each has a 'lowest'" in told
    assert "uninstall one of them" in told

"""What a gold set says of the judge goes first, in the report and in metrics; a changed file is refused."""

import json
import re

import pytest

from appellate.cli import main
from appellate.numbers.gold_verdict import read_gold_verdict
from gold_sets import erring, frozen
from loopback import served


@pytest.fixture(scope="module")
def checked(tmp_path_factory):
    """A folder with an audit, its gold set, and the check of a judge that errs twice."""
    folder = tmp_path_factory.mktemp("gold")
    frozen(folder, "judge.agreement>=.7")
    with served(erring(2, 3)) as server:
        words = ["gold", "check", str(folder / "x.gold.toml"), "--model", "new"]
        main([*words, "--base-url", server.url, "-o", str(folder / "check.json")])
    return folder


def test_a_judge_passed_by_which_bar_on_what(checked):
    (text,) = read_gold_verdict((checked / "check.json").read_text("utf-8")).describe()
    assert text.startswith(
        "new passed on the gold set of x.audit.toml (30 cells, 2026-11-21)",
    )
    assert ": judge.agreement>=0.7 reached, 0.933 (" in text


@pytest.mark.parametrize(
    ("judges", "told"),
    [(4, "1 more judge was tested on it."), (5, "2 more judges were tested on it.")],
)
def test_judges_after_the_third_are_counted(checked, judges, told):
    table = json.loads((checked / "check.json").read_text("utf-8"))
    verdict = read_gold_verdict(
        json.dumps(table | {"judges": table["judges"] * judges}),
    )
    assert list(verdict.describe())[3:] == [told]


def test_it_is_the_first_sentence_of_the_report_and_of_metrics(checked, capsys):
    options = [str(checked / "x.audit.toml"), "--gold", str(checked / "check.json")]
    main(["report", *options])
    report = capsys.readouterr().out
    assert report.index("new passed on the gold set") < report.index("Polite")
    main(["metrics", *options])
    assert capsys.readouterr().out.strip().startswith("new passed on the gold set")
    for command in (
        ["metrics", *options, "--json"],
        ["report", *options, "--format", "json"],
    ):
        main(command)
        table = json.loads(capsys.readouterr().out)["gold"]
        assert table["judges"][0]["verdict"] == "passed"
        assert table["sentences"][0].startswith("new passed")


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda _: "{", "this is not JSON"),
        (lambda _: "[]", "this is no check of a gold set"),
        (lambda text: text.replace('"cells": 30', '"cells": null', 1), "was changed"),
        (
            lambda text: text.replace('"verdict": "passed"', '"verdict": "fine"'),
            "was changed",
        ),
        (lambda text: text.replace('"low"', '"lower"'), "was changed"),
        (lambda text: re.sub('"source": "[^"]+"', '"source": null', text), "changed"),
        (lambda text: text.replace('"cells": 30', '"cells": "30"', 1), "was changed"),
        (lambda text: re.sub('"name": "new"', '"name": ["new"]', text), "was changed"),
        (lambda text: text.replace('"cells": 30', '"cells": 1e999', 1), "was changed"),
        (
            lambda text: re.sub(r'"low": [\d.]+', f'"low": 1{"0" * 400}', text),
            "was changed",
        ),
    ],
)
def test_another_file_is_refused_in_a_sentence(checked, tmp_path, capsys, change, told):
    text = (checked / "check.json").read_text("utf-8")
    (tmp_path / "other.json").write_text(change(text), "utf-8")
    options = [str(checked / "x.audit.toml"), "--gold", str(tmp_path / "other.json")]
    assert main(["report", *options]) == 2
    assert told in capsys.readouterr().err

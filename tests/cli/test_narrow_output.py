"""Standard output and standard error that are not in UTF-8."""

import csv
import io
import json
import os
import subprocess
import sys
from html.parser import HTMLParser

import pytest

from appellate.cli.narrow_output import write_on_error, write_on_output
from appellate.ui.marks import UNICODE, twins

RUBRIC = """
[[metric_traits]]
name = "Zürich µ"
metrics = ["recall"]
tp_instructions = ["Nennt “Zürich” … 😀", "Nennt den Fluß −5 °C"]
"""
TRACE = {
    "id": "größe",
    "question": "Wo?",
    "response": "In “Zürich” … 😀 am Fluß, −5 °C.",
}
NARROW = [
    pytest.param("ascii", marks=pytest.mark.slow),
    "cp1252",
    pytest.param("latin-1", marks=pytest.mark.slow),
    pytest.param("C", marks=pytest.mark.slow),
]
"""Encodings of the standard streams; C is a locale that Python leaves as it is."""
EVERY_COMMAND = """
import contextlib, json, os, sys, traceback
from appellate.cli import run
ended = {}
for words in json.loads(sys.argv[1]):
    sys.argv = ["appellate", *words]
    into = os.open(f"out-{len(ended)}", os.O_WRONLY | os.O_CREAT)
    os.dup2(into, 1)
    try:
        run()
    except SystemExit as left:
        ended[" ".join(words)] = left.code
    except BaseException as error:
        ended[" ".join(words)] = repr(error)
    with contextlib.suppress(ValueError):
        sys.stdout.flush()
with open("ended.json", "w") as file:
    json.dump(ended, file)
"""
COMMANDS = [
    ["judge", "r.toml", "t.jsonl", "-o", "x.audit.toml"],
    ["metrics", "x.audit.toml"],
    ["metrics", "x.audit.toml", "--csv"],
    ["metrics", "x.audit.toml", "--json"],
    ["log", "x.audit.toml"],
    ["report", "x.audit.toml"],
    ["report", "x.audit.toml", "-o", "-"],
    ["report", "x.audit.toml", "--format", "html"],
    ["report", "x.audit.toml", "--format", "json"],
    ["report", "x.audit.toml", "--format", "csv"],
    ["export", "x.audit.toml", "--to", "rows"],
    ["check", "r.toml", "t.jsonl", "x.audit.toml"],
    ["check", "--lint", "r.toml"],
    ["judge", "x.audit.toml", "--again", "--judge", "lexical", "--dry-run"],
    ["sample", "x.audit.toml"],
    ["batch", "list", "x.audit.toml"],
    ["probe", "x.audit.toml", "--probe", "order"],
    ["compare", "x.audit.toml", "x.audit.toml"],
    ["import", "t.csv", "--dry-run"],
    ["schema", "audit"],
    ["schema", "rubric"],
    ["config"],
    ["config", "--keys"],
    ["config", "--prompt"],
    ["config", "reviewer", "grün"],
    ["config", "reviewer"],
    ["new", "fresh", "--criterion", "Nennt Grüße"],
    ["help"],
    ["help", "keys"],
    ["help", "precision"],
    ["completion", "zsh"],
    ["--help"],
    ["judge", "--help"],
    [],
    ["nosuch"],
]


def run_all(folder, encoding, commands):
    """How each command ends, by its words; what it shows is in `out-N`."""
    (folder / "r.toml").write_text(RUBRIC, "utf-8")
    (folder / "t.jsonl").write_text(json.dumps(TRACE), "utf-8")
    (folder / "t.csv").write_text("id,response,ok\n1,“ü” …,yes\n2,b,no\n", "utf-8")
    environment = {**os.environ, "APPELLATE_CONFIG": str(folder / "config")}
    for name in ("PYTHONUTF8", "PYTHONIOENCODING", "LC_CTYPE", "LANG"):
        environment.pop(name, None)
    if encoding == "C":
        environment |= {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    else:
        environment |= {"PYTHONIOENCODING": encoding}
    program = [sys.executable, "-c", EVERY_COMMAND, json.dumps(commands)]
    done = subprocess.run(
        program,
        cwd=folder,
        env=environment,
        capture_output=True,
        check=True,
    )
    ended = json.loads((folder / "ended.json").read_text())
    return ended, done.stderr.decode("ascii" if encoding == "C" else encoding)


@pytest.mark.parametrize("encoding", NARROW)
def test_every_command_writes_to_a_stream_that_is_not_in_utf_8(tmp_path, encoding):
    ended, said = run_all(tmp_path, encoding, COMMANDS)
    assert [words for words, code in ended.items() if code not in (0, 2)] == []
    assert "Error" not in said
    assert "Nennt Grüße" in (tmp_path / "fresh/rubric.toml").read_text("utf-8")


def test_json_html_and_csv_stay_what_they_are_and_a_loss_is_told_once(tmp_path):
    """HTML says that it is in UTF-8, and JSON is in it: neither has a letter of another encoding."""
    commands = [COMMANDS[0]] + [
        ["report", "x.audit.toml", "--format", form]
        for form in ("html", "json", "csv", "md")
    ]
    _, said = run_all(tmp_path, "latin-1", commands)
    html = (tmp_path / "out-1").read_bytes().decode("ascii")
    read = []
    parser = HTMLParser()
    parser.handle_data = read.append
    parser.feed(html)
    assert "Zürich µ" in "".join(read)
    assert "Nennt “Zürich” … 😀" in "".join(read)
    report = json.loads((tmp_path / "out-2").read_bytes().decode("ascii"))
    assert "Nennt “Zürich” … 😀" in json.dumps(report, ensure_ascii=False)
    rows = list(
        csv.reader(io.StringIO((tmp_path / "out-3").read_bytes().decode("latin-1"))),
    )
    assert len({len(row) for row in rows}) == 1
    assert "Nennt 'Zürich' ... ?" in (tmp_path / "out-4").read_bytes().decode("latin-1")
    assert said.count("note: standard output is in") == 1


def handled(handler, text):
    """What an error handler makes of a text that ASCII lacks."""
    return handler(UnicodeEncodeError("ascii", text, 0, len(text), "not in range"))[0]


def test_a_mark_is_written_as_its_ascii_twin_and_a_letter_without_one_is_lost_or_escaped():
    assert handled(write_on_output, "✓→“”…−é😀") == "v->''...-??"
    assert handled(write_on_error, "→é😀") == "->\\xe9\\U0001f600"


def test_every_mark_has_a_twin_in_ascii():
    marks = [mark for mark in UNICODE if isinstance(mark, str) and len(mark) == 1]
    assert [mark for mark in marks if not (mark.isascii() or twins().get(mark))] == []
    assert "".join(twins().values()).isascii()

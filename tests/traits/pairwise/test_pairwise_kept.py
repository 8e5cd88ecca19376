"""A person's excerpts of a pair: durable before they are shown, and nothing of a hidden judge beside them."""

import re
import shutil

import pytest
from pairwise_cells import judged_with_evidence, located, pair

from app.review_stage import played, sitting
from appellate.cli import main
from appellate.core.deciding import Draw
from appellate.core.facts import Proposed
from appellate.store.audits.open_audit import create, resume
from cells import place

ADDED = ("v", "w", "w", "w", "plus")
OTHERS = ("v", "w", "w", "equals_sign")
REWORDED = ("e", "ctrl+u", *"with food", "enter")
DEEDS = {
    "dropped": (("j", "j", "j"), ("d",)),
    "added": (ADDED,),
    "replaced": (("j", "j", "j"), OTHERS),
    "reworded": (("j", "j", "j"), REWORDED),
    "ruled": (("2",),),
    "ruled on words": (("v", "w", "w", "2"),),
    "undone": (("j", "j", "j", "d"), ("u",)),
}


def supporting(cell):
    return [(each.answer, each.text, each.span) for each in cell.labels.supporting]


def left_by_a_kill(folder, copy):
    """What is in the files as they are now, opened by who comes after a kill -9."""
    shutil.copytree(folder, copy)
    with resume(place(copy)).workspace as workspace:
        return supporting(workspace.cell(1)[1])


@pytest.mark.slow
@pytest.mark.parametrize("deed", DEEDS)
async def test_what_is_shown_after_a_key_is_there_after_a_kill(tmp_path, deed):
    folder = tmp_path / "audit"
    folder.mkdir()
    async with sitting(folder, judged_with_evidence()) as at:
        for number, keys in enumerate(DEEDS[deed]):
            await at.press(*keys)
            copy = tmp_path / f"killed{number}"
            assert left_by_a_kill(folder, copy) == supporting(at.cell)


@pytest.mark.slow
@pytest.mark.parametrize("deed", DEEDS)
async def test_what_the_disk_refuses_is_not_shown_and_told(tmp_path, deed):
    *before, last = DEEDS[deed]
    async with sitting(tmp_path, judged_with_evidence()) as at:
        for keys in before:
            await at.press(*keys)
        shown = supporting(at.cell)
        drawn = [row for row in at.text.splitlines() if "“" in row]
        at.bench.workspace.db.execute("PRAGMA query_only = 1")
        await at.press(*last)
        assert "NOT SAVED" in at.text
        assert supporting(at.cell) == shown
        await at.press("escape")
        assert [row for row in at.text.splitlines() if "“" in row] == drawn
        at.bench.workspace.db.execute("PRAGMA query_only = 0")


# -- blind ------------------------------------------------------------------------------------------

WORDS = ("zyzzyva", "quokka")
"""What each of two judges says in its reasons, and as evidence that is in neither answer."""


def blind_audit(folder, side):
    """A folder with pairs that one of two judges was heard on, and which a person is to rule blind."""
    word = WORDS[side]
    winner = ("response", "other")[side]
    quoted = ("ask a doctor", "never take it")[side]
    table = {
        "class": winner,
        "orders": [winner, ("response", "response")[side]],
        "rationale": f"[response first] {word}\n[other first] {word}",
        "evidence": [quoted, word],
        "items": [{"index": 0, "answer": winner}, {"index": 1, "answer": winner}],
    }
    rubric = judged_with_evidence()[0]
    traces = [pair(1), pair(2)]
    folder.mkdir()
    opened = create(place(folder), rubric, traces, "0.1.0")
    said = [[Proposed(located(trace, table), {"name": "gpt"})] for trace in traces]
    bench = played(opened.workspace, folder, said)
    for number in (1, 2):
        bench.do(number, Draw(blind=True))
    bench.save()
    opened.workspace.close()
    return folder


TIME = re.compile(r"\d\d:\d\d")
WALK = (
    ADDED,
    ("1",),
    ADDED,
    ("v", "w", "w", "2"),
    ("j", "j", "j"),
    OTHERS,
    ("e", "escape"),
    REWORDED,
    ("d",),
    ("u",),
    ("u",),
    ("U",),
    ("H",),
    ("escape",),
    ("V",),
    ("escape",),
    ("J",),
    ("escape",),
    ("C",),
    ("escape",),
    ("b",),
    ("escape",),
    ("s",),
    ("escape",),
    ("r",),
    ("escape",),
    ("enter",),
    ("escape",),
    ("y",),
    ("escape",),
    ("question_mark",),
    ("escape",),
    ("ctrl+p",),
    (*"judge",),
    ("escape",),
    ("slash", *"doctor", "enter"),
    ("escape",),
    ("f", *"zyzzyva", "enter"),
    ("escape", "escape"),
    ("f", *"is:disagreement", "enter"),
    ("escape", "escape"),
    ("Q",),
    ("escape",),
    ("S",),
    ("escape",),
    ("ctrl+s",),
    ("K",),
    ("K",),
    ("escape",),
    ("full_stop",),
    ("comma",),
)


async def seen(folder):
    """What the screen shows after each step of a walk, before the cell is ruled.

    After the ruling it does show what the judge said.
    """
    found = []
    async with sitting(folder) as at:
        for keys in ((), *WALK):
            await at.press(*keys)
            text = TIME.sub("", at.text.replace(folder.name, "audit-0"))
            found.append((at.no, keys, text))
        assert at.cell.hidden
        assert len(supporting(at.cell)) > 0
        await at.press("a", "escape")
        assert WORDS[folder.name == "audit-2"] in at.text
    return found


@pytest.mark.slow
async def test_nothing_of_a_hidden_judge_shows_while_a_person_gives_excerpts(tmp_path):
    first = await seen(blind_audit(tmp_path / "audit-1", 0))
    second = await seen(blind_audit(tmp_path / "audit-2", 1))
    assert [one for one, other in zip(first, second, strict=True) if one != other] == []
    for _, keys, text in first:
        was_typed = "z" in keys
        assert was_typed or not any(word in text for word in WORDS)


@pytest.mark.slow
@pytest.mark.parametrize(
    "command",
    [
        ("log",),
        ("log", "--json"),
        ("metrics", "--all"),
        ("metrics", "--json"),
        ("metrics", "--csv"),
        ("status", "--json"),
        ("gate", "agreement>=.5"),
        *(("report", "--format", form) for form in ("md", "html", "json", "csv")),
    ],
)
def test_no_command_says_a_word_of_it(tmp_path, capsys, command):
    folder = blind_audit(tmp_path / "audit", 0)
    main([command[0], str(place(folder).audit), *command[1:]])
    printed = capsys.readouterr()
    assert not any(word in printed.out + printed.err for word in WORDS)

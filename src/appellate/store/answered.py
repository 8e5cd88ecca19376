"""How every cell answers its instructions, kept so that queries read little: which instructions a
cell has is a number (`checklists`), how each of them stands a letter (`letters`).
"""

import json
import sqlite3
from collections.abc import Iterable

from appellate.core.cell import Cell
from appellate.core.kind import Subject
from appellate.traits.digest import digest

_FIRST = "a"  # and those after it: none of them is a sign in a pattern
Row = dict[str, object]


class Answered:
    """What is known of checklists and letters while a workspace is open, or until a transaction is
    taken back.
    """

    def __init__(self) -> None:
        self._checklists: dict[int, tuple[Subject, int]] = {}
        self._letters: dict[str, str] = {}

    def row(self, db: sqlite3.Connection, cell: Cell) -> Row:
        """The columns that tell how a cell answers: nothing but the checklist where it has no
        labels.
        """
        answers = self._spelt(db, cell.standings.values())
        return {"checklist": self.checklist(db, cell.subject), "answered": answers}

    def judged(self, db: sqlite3.Connection, cell: Cell) -> Row:
        """The columns that tell how the judge answers, and how the verdict does, on the same
        checklist.
        """
        ruled_as = ""
        if cell.ruled_blind:
            subject = cell.subject
            standings = subject.kind.standings(subject.trait, cell.verdict)
            ruled_as = self._spelt(db, standings.values())
        judged_as = self._spelt(db, cell.counted.judge_standings.values())
        return {"judged_as": judged_as, "ruled_as": ruled_as}

    def _spelt(self, db: sqlite3.Connection, words: Iterable[str]) -> str:
        return "".join(self._letter(db, word) for word in words)

    def checklist(self, db: sqlite3.Connection, subject: Subject) -> int:
        """The number of the checklist that a cell's trait has."""
        known = self._checklists.get(id(subject.trait))
        if known is None:
            known = subject, _checklist(db, subject)
            self._checklists[id(subject.trait)] = known
        return known[1]

    def _letter(self, db: sqlite3.Connection, word: str) -> str:
        if word not in self._letters:
            self._letters[word] = _letter(db, word)
        return self._letters[word]


def _checklist(db: sqlite3.Connection, subject: Subject) -> int:
    kind = subject.kind
    asked = [[one.of, one.text] for one in kind.standings(subject.trait, kind.blank)]
    sha256 = digest({"asked": asked})
    text = json.dumps(asked, ensure_ascii=False)
    db.execute(
        "INSERT OR IGNORE INTO checklists (sha256, instructions) VALUES (?, ?)", (sha256, text)
    )
    (number,) = db.execute("SELECT no FROM checklists WHERE sha256 = ?", (sha256,)).fetchone()
    return int(number)


def asked(db: sqlite3.Connection) -> dict[int, list[tuple[str, str]]]:
    """The list and the words of the instructions of each checklist, by its number."""
    found: dict[int, list[tuple[str, str]]] = {}
    for number, value in db.execute("SELECT no, instructions FROM checklists"):
        found[number] = [(of, text) for of, text in json.loads(value)]
    return found


def checklists(db: sqlite3.Connection) -> dict[int, list[str]]:
    """The words of the instructions of each checklist, by its number."""
    return {number: [text for _, text in ones] for number, ones in asked(db).items()}


def instructions(db: sqlite3.Connection, most: int) -> tuple[str, ...]:
    """The words of instructions, each once, of the first checklists that come to so many."""
    found: dict[str, None] = {}
    for (value,) in db.execute("SELECT instructions FROM checklists ORDER BY no"):
        found |= dict.fromkeys(text for _, text in json.loads(value))
        if len(found) >= most:
            break
    return tuple(found)


def letters(db: sqlite3.Connection) -> dict[str, str]:
    """What each letter stands for."""
    return dict(db.execute("SELECT letter, answer FROM letters"))


def _letter(db: sqlite3.Connection, word: str) -> str:
    """The letter of a word, a new one where it has none yet."""
    found = db.execute("SELECT letter FROM letters WHERE answer = ?", (word,)).fetchone()
    if found:
        return str(found[0])
    (last,) = db.execute("SELECT max(letter) FROM letters").fetchone()
    letter = chr(ord(last) + 1) if last else _FIRST
    db.execute("INSERT INTO letters VALUES (?, ?)", (letter, word))
    return letter

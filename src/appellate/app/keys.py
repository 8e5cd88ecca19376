"""The keys of the whole screen, once: for bindings, the key strip, help and the manual's tables.

Each runs the command of its id (`palette.py`). The keys of a kind's pane stand with the pane.
"""

from collections.abc import Iterable
from importlib import import_module
from importlib.util import find_spec

from appellate.app.going_keys import GOING
from appellate.traits.kinds import kinds
from appellate.traits.rubric import Rubric
from appellate.ui.key import Key
from appellate.ui.pane import KindPane

TEXT, READ, CELL = "Text into a bucket", "Reading", "This cell"
SESSION = "Session"

KEYS = (
    Key(
        "item.reason", "r", "r", "reason", CELL, "say why the last correction here was made", 11, 10
    ),
    Key("text.select", "v", "v", "select", TEXT, "select words of the response", 3, 1),
    Key(
        "text.none",
        "0",
        "0",
        "none",
        TEXT,
        "there is no evidence: keep the instruction's own words",
    ),
    Key(
        "text.evidence",
        "o",
        "o",
        "evidence",
        READ,
        "the item's evidence in sight; again: into the text",
    ),
    Key(
        "text.next", "p", "p", "next evidence", READ, "the next evidence in the text, and its item"
    ),
    Key("text.previous", "P", "P", "evidence before", READ, "the evidence before, and its item"),
    Key("text.plea", "A", "A", "pleas", READ, "the next passage that seems to address the judge"),
    Key(
        "text.search",
        "slash",
        "/",
        "find",
        READ,
        "search the response; n and N then go from hit to hit",
        8,
        5,
    ),
    Key("text.markdown", "M", "M", "Markdown", READ, "Markdown rendered, or as it was written"),
    Key(
        "text.focus", "z", "z", "focus", READ, "the response alone on the screen; again: everything"
    ),
    Key(
        "page.on",
        "pagedown,space",
        "PgDn",
        "scroll",
        READ,
        "scroll the response on; Space too, where it turns no verdict",
    ),
    Key("page.back", "pageup", "PgUp", "scroll back", READ, "scroll the response back"),
    Key(
        "material",
        "K",
        "K",
        "read more",
        READ,
        "beside the response: reference, documents, conversation …; again: the next tab",
        10,
        21,
    ),
    Key("material.before", "L", "L", "tab before", READ, "the tab before, as K goes to the next"),
    Key(
        "cell.sign",
        "a",
        "a",
        "sign off",
        CELL,
        "sign off and go to the next cell that is not",
        2,
        2,
    ),
    Key(
        "cell.undo",
        "u,ctrl+z",
        "u",
        "undo",
        CELL,
        "take back your last act, wherever it was (Ctrl+Z too)",
        4,
        3,
    ),
    Key("cell.redo", "U,ctrl+y", "U", "redo", CELL, "do it again (Ctrl+Y too)", 16, 18),
    Key("cell.comment", "c", "c", "comment", CELL, "comment on the cell", 7, 9),
    Key(
        "cell.comments",
        "C",
        "C",
        "comments",
        CELL,
        "beside the response: the cell's comments and history",
    ),
    Key("cell.flag", "F", "F", "flag", CELL, "set the flag or take it down", 12, 11),
    Key(
        "cell.copy",
        "y",
        "y",
        "copy",
        CELL,
        "copy the item, its words or the cell: text, TOML, JSON",
    ),
    Key("cell.copy_again", "Y", "Y", "copy again", CELL, "copy the same kind of thing here"),
    Key(
        "cell.proposals",
        "V",
        "V",
        "proposals",
        CELL,
        "what each judge proposed: look at it, adopt it",
    ),
    Key("cell.judge", "J", "J", "judge", CELL, "have this cell judged"),
    *GOING,
    Key(
        "session",
        "S",
        "S",
        "numbers",
        SESSION,
        "the numbers in four pages: Judge, Estimate, Figures, Session",
        15,
        16,
    ),
    Key(
        "history",
        "H",
        "H",
        "history",
        SESSION,
        "what you did, newest first; undo and redo there too",
    ),
    Key(
        "sizes",
        "W",
        "W",
        "sizes",
        SESSION,
        "how much room each pane has: arrows, saved for next time",
    ),
    Key(
        "rubric.edit",
        "I",
        "I",
        "rubric",
        SESSION,
        "edit the rubric, see what that changes, take it",
    ),
    Key("theme", "T", "T", "theme", SESSION, "choose a theme and see it at once"),
    Key(
        "sample",
        "percent_sign",
        "%",
        "sample",
        SESSION,
        "the sample: draw traces at random, add to them, go through them",
    ),
    Key(
        "run.again",
        "D",
        "D",
        "judge again",
        SESSION,
        "judge again what the queue holds: a new round",
    ),
    Key("run.stop", "X", "X", "stop", SESSION, "stop the judge; what has arrived stays"),
    Key("save", "ctrl+s", "Ctrl+S", "export", SESSION, "export the audit file now", 17, 17),
    Key("palette", "ctrl+p", "Ctrl+P", "palette", SESSION, "every command by name"),
    Key(
        "help",
        "question_mark,f1",
        "?",
        "keys",
        SESSION,
        "what can be done here, and this list",
        1,
        20,
    ),
    Key("quit", "q,ctrl+q", "q", "quit", SESSION, "export the audit and quit", 18, 19),
)


def pane_of(kind: str) -> type[KindPane]:
    """The pane of a kind, loaded only where there is a screen; a plain one where it has none."""
    name = f"appellate.traits.{kind}.pane"
    if find_spec(f"appellate.traits.{kind}") is None or find_spec(name) is None:
        return KindPane
    found: type[KindPane] = import_module(name).PANE
    return found


def kinds_of(rubric: Rubric) -> list[str]:
    """The names of the kinds that a rubric has traits of."""
    return list(dict.fromkeys(kind.name for kind, _ in rubric.every_trait()))


def keys_of(names: Iterable[str]) -> list[Key]:
    """The keys of a screen for these kinds: theirs first, then the screen's own."""
    found: list[Key] = []
    for name in names:
        found += pane_of(name).KEYS
    return [*found, *KEYS]


def every_key() -> list[Key]:
    """All keys that there are, of every kind."""
    return keys_of(kinds())

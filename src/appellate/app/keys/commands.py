"""The keys of the whole screen, once: for bindings, the key strip, help and the manual's tables.

Each runs the command of its id (`palette.py`). The keys of a kind's pane stand with the pane.
"""

from collections.abc import Iterable
from importlib import import_module
from importlib.util import find_spec

from appellate.traits.kinds import kinds
from appellate.traits.rubric import Rubric
from appellate.ui.key import Key
from appellate.ui.pane import KindPane

GO = "Going about"

GOING = (
    Key("cell.next", "full_stop,right_square_bracket", ".", "next cell", GO, "go to the next cell"),
    Key(
        "cell.previous",
        "comma,left_square_bracket",
        ",",
        "cell before",
        GO,
        "go to the previous cell",
    ),
    Key("trace.next", "greater_than_sign", ">", "next trace", GO, "go to the next trace"),
    Key("trace.previous", "less_than_sign", "<", "trace before", GO, "go to the previous trace"),
    Key(
        "unreviewed.next",
        "n",
        "n",
        "next",
        GO,
        "go to the next cell not signed off (in a search: hit, in a long cell: unseen item)",
        5,
        4,
    ),
    Key(
        "unreviewed.previous",
        "N",
        "N",
        "previous",
        GO,
        "go to the one before that is not signed off (or hit)",
    ),
    Key("back", "left_parenthesis,backspace", "(", "back", GO, "back to the cell you came from"),
    Key("forward", "right_parenthesis", ")", "forward", GO, "forward again"),
    Key(
        "by_instruction",
        "b",
        "b",
        "by instruction",
        GO,
        "the instruction in every cell that is asked it: answer it again and again",
        10,
        15,
    ),
    Key(
        "side_by_side",
        "s",
        "s",
        "side by side",
        GO,
        "another answer to the same question beside this one: models, epochs",
        13,
        16,
    ),
    Key("jump", "g", "g", "jump", GO, "jump: letters on all in sight, type one; g g: the first"),
    Key("last", "G", "G", "last", GO, "the last line of the list, or of the response"),
    Key(
        "trace.go", "colon", ":", "go to", GO, "go to a trace by its id, its number or a part of it"
    ),
    Key("cell.bookmark", "B", "B", "bookmark", GO, "bookmark the cell, or take the bookmark away"),
    Key("bookmarks", "apostrophe,semicolon", "'", "bookmarks", GO, "the bookmarks, to go to one"),
    Key("queue", "Q", "Q", "queue", GO, "show the queue and go into it; again: back", 6, 12),
    Key(
        "queue.filter",
        "f",
        "f",
        "filter",
        GO,
        "which cells the queue holds: state:proposed f1<0.5 …",
        9,
        13,
    ),
    Key(
        "queue.order",
        "O",
        "O",
        "order",
        GO,
        "the order of the queue: unreviewed, lowest, random …",
        14,
        14,
    ),
    Key(
        "queue.hide",
        "Z",
        "Z",
        "hide done",
        GO,
        "hide in the queue what is signed off, or show it again",
    ),
)


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

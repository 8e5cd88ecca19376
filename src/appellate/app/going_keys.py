"""The keys of the whole screen that go from one cell to another, and say which there are."""

from appellate.ui.key import Key

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

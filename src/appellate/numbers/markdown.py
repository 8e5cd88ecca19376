"""The report as Markdown for any viewer: what comes from the audit can only be text."""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from appellate.core.figures import Sentence, Sentences
from appellate.numbers.blocks import (
    Acts,
    ReportTable,
    Verbatim,
    WrittenBlock,
    in_writing,
)
from appellate.numbers.formatting import LIST, cut, when, whole
from appellate.numbers.pictures import Picture
from appellate.numbers.report import FORMAT, ActReport, Report
from appellate.numbers.sections import sections, title, where

BEGINS = "<!-- appellate-report/"
_NAMED = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}
_NUMBERED = (
    "|@:."  # where a backslash would not do in every viewer, or not inside a table
)
_ACTIVE = re.compile(
    r"[\\`*_\[\]#~$&<>|@]|:(?=//)|(?<=www)\."
    r"|(?<=\w)\.(?=[^\W\d_])",  # some viewers make a link of anything like `name.al`
    re.IGNORECASE,
)


_BEFORE_MARK = re.compile(
    r"[0-9]{1,9}(?=[.)](?:\s|$))|(?=[-+](?:\s|$))|(?=-[-\s]*$)",
)
"""What is before the mark of a text that would begin a list, or be a rule: a number or nothing."""


def safe(text: str) -> str:
    """Return a text escaped so that Markdown reads it as text, without white space at its ends.

    It is text at the beginning of a line, too, where a list mark such as `-` or `1)` is escaped.
    The text passed must be inert already. Each newline becomes `↵`, and so do several together. A
    tab becomes a space.
    """
    escaped = _ACTIVE.sub(lambda match: _escaped(match[0]), text.strip())
    before_mark = _BEFORE_MARK.match(escaped)
    if before_mark:
        escaped = f"{before_mark[0]}\\{escaped[before_mark.end() :]}"
    return re.sub(r"(?<![ \t])[ \t]*+\n\s*", " ↵ ", escaped).replace("\t", " ")


def _escaped(mark: str) -> str:
    """Return the escape of a character that Markdown or HTML would read as a mark.

    It is a named one for `&`, `<` and `>`, a numbered one for `|`, `@`, `:` and `.`, and else the
    character with a backslash before it.
    """
    if mark in _NUMBERED:
        return f"&#{ord(mark)};"
    return _NAMED.get(mark, f"\\{mark}")


def markdown(report: Report) -> str:
    """Return the whole report as Markdown, in which what comes from the audit is only text.

    Long texts are cut, and some long tables have only their first rows. Pictures without a form in
    characters are left out. It ends with a newline.
    """
    return "".join(markdown_parts(report))


def markdown_parts(report: Report) -> Iterator[str]:
    """Yield the report as Markdown in parts; a long table comes in several.

    Texts of the audit are cut and escaped, so that they can only be text. Pictures without a form
    in characters are left out. A section that is not open is folded by a `<details>` of HTML. The
    last part ends with a newline.
    """
    yield f"{BEGINS}{FORMAT.split('/')[1]} -->\n\n# {safe(title(report))}"
    for section in sections(report):
        heading = f"## {safe(section.title)}"
        if section.open:
            yield f"\n\n{heading}"
        else:
            yield f"\n\n<details>\n<summary>\n\n{heading}\n\n</summary>"
        for block in section.blocks:
            for written in in_writing(block):
                yield from _block(written)
        if not section.open:
            yield "\n\n</details>"
    yield "\n"


def _block(block: WrittenBlock) -> Iterator[str]:
    """Yield a block as Markdown in parts, with an empty line before it and between its texts.

    Texts are cut and escaped, but not those for other programs. A picture that has no form in
    characters yields nothing.
    """
    match block:
        case Sentence(text):
            yield f"\n\n{safe(cut(text, LIST))}"
        case Sentences(heading, texts):
            yield f"\n\n**{safe(cut(heading))}**"
            yield from (f"\n\n{safe(cut(sentence.text, LIST))}" for sentence in texts)
        case ReportTable(heads, rows, figures):
            yield f"\n\n{_table_head(heads, figures)}"
            yield from _joined(f"\n{_row(map(safe, row))}" for row in rows)
        case Picture() if block.characters:
            yield f"\n\n{safe(block.caption)}:\n\n```text\n{block.characters}\n```"
        case Acts(acts, verb):
            yield "\n"
            yield from _joined(f"\n{_act(act, verb)}" for act in acts)
        case Verbatim(text):
            yield f"\n\n```bibtex\n{text}\n```"


_LINES = 500
"""Rows or acts that are written at once."""


def _joined(lines: Iterator[str]) -> Iterator[str]:
    """Yield texts of at most `_LINES` lines each, joined without anything between."""
    while batch := list(islice(lines, _LINES)):
        yield "".join(batch)


def _table_head(heads: Sequence[str], figures: int) -> str:
    """Return the two first lines of a table, without an end of the second: its heads, then the
    sides.

    The second line says which columns are at the right: those from number `figures` on, counted
    from 0. The heads are escaped here.
    """
    sides: list[str] = []
    for column in range(len(heads)):
        sides.append("---:" if column >= figures else "---")
    head = _row(map(safe, heads))
    return f"{head}\n{_row(sides)}"


def _row(cells: Iterable[str]) -> str:
    """Return one line of a table in Markdown, without a line end; the texts must be escaped."""
    line = " | ".join(cells)
    return f"| {line} |"


def _act(act: ActReport, verb: str) -> str:
    """Return an act as an entry of a list, with its number in the audit; its texts are escaped.

    It is two or three lines, without an end of the last: when, who and which cell, then what was
    done after `verb`, and why if that is known. An act that is not in force says why.
    """
    time = when(act.at)
    person = safe(cut(act.by))
    cell = safe(where(act.place))
    head = f"- **#{act.n}** {time} · {person} · {cell}"
    if act.fate:
        who_undid_it = safe(cut(act.undone_by))
        head += f" · **{act.fate}{who_undid_it}**"
    did = safe(whole(act.did))
    lines = [head, f"  - {verb}: {did}"]
    if act.reason:
        reason = safe(whole(act.reason))
        lines.append(f"  - because: {reason}")
    return "\n".join(lines)

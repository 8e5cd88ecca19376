"""The report as Markdown for any viewer: what comes from the audit can only be text."""

import re
from collections.abc import Iterable, Iterator, Sequence

from appellate.core.figures import Sentence, Sentences
from appellate.numbers.blocks import Acts, ReportTable, Verbatim, WrittenBlock, in_writing
from appellate.numbers.formatting import LIST, cut, when, whole
from appellate.numbers.pictures import Picture
from appellate.numbers.report import FORMAT, ActReport, Report
from appellate.numbers.sections import sections, title, where

BEGINS = "<!-- appellate-report/"
_NAMED = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}
_NUMBERED = "|@:."  # where a backslash would not do in every viewer, or not inside a table
_ACTIVE = re.compile(
    r"[\\`*_\[\]#~$&<>|@]|:(?=//)|(?<=www)\."
    r"|(?<=\w)\.(?=[^\W\d_])",  # some viewers make a link of anything like `name.al`
    re.IGNORECASE,
)


def safe(text: str) -> str:
    """Return a text escaped so that Markdown reads it as text, without white space at its ends.

    It must be inert. Each newline becomes `↵`, and so do several together. A tab becomes a space.
    """
    escaped = _ACTIVE.sub(lambda match: _escaped(match[0]), text.strip())
    return re.sub(r"(?<![ \t])[ \t]*+\n\s*", " ↵ ", escaped).replace("\t", " ")


def _escaped(mark: str) -> str:
    """Return the escape of a character that Markdown or HTML would read as a mark."""
    if mark in _NUMBERED:
        return f"&#{ord(mark)};"
    return _NAMED.get(mark, f"\\{mark}")


def markdown(report: Report) -> str:
    """Return the whole report as Markdown; no text from the audit is at the start of a line."""
    parts = [f"{BEGINS}{FORMAT.split('/')[1]} -->", f"# {safe(title(report))}"]
    for section in sections(report):
        heading = f"## {safe(section.title)}"
        if section.open:
            parts.append(heading)
        else:
            parts += "<details>\n<summary>", heading, "</summary>"
        for block in section.blocks:
            for written in in_writing(block):
                parts += _block(written)
        if not section.open:
            parts.append("</details>")
    return "\n\n".join(parts) + "\n"


def _block(block: WrittenBlock) -> Iterator[str]:
    """Yield a block as Markdown, in parts that have an empty line between them.

    A picture that has no form in characters yields nothing.
    """
    match block:
        case Sentence(text):
            yield safe(cut(text, LIST))
        case Sentences(heading, texts):
            yield f"**{safe(cut(heading))}**"
            yield from (safe(cut(sentence.text, LIST)) for sentence in texts)
        case ReportTable(heads, rows, figures):
            yield _table(heads, rows, figures)
        case Picture() if block.characters:
            yield f"{safe(block.caption)}:\n\n```text\n{block.characters}\n```"
        case Acts(acts, verb):
            yield "\n".join(_act(act, verb) for act in acts)
        case Verbatim(text):
            yield f"```bibtex\n{text}\n```"


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]], figures: int) -> str:
    """Return a table as Markdown; the columns from number `figures` on, from 0, are at the right.

    Its texts are escaped here.
    """
    rule = ["---:" if column >= figures else "---" for column in range(len(heads))]
    lines = [_row(map(safe, heads)), _row(rule)]
    lines += [_row(map(safe, row)) for row in rows]
    return "\n".join(lines)


def _row(cells: Iterable[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def _act(act: ActReport, verb: str) -> str:
    """Return an act as an entry of a list, with its number in the audit; its texts are escaped.

    An act that is not in force says why.
    """
    head = f"- **#{act.n}** {when(act.at)} · {safe(cut(act.by))} · {safe(where(act.place))}"
    if act.fate:
        head += f" · **{act.fate}{safe(cut(act.undone_by))}**"
    lines = [head, f"  - {verb}: {safe(whole(act.did))}"]
    if act.reason:
        lines.append(f"  - because: {safe(whole(act.reason))}")
    return "\n".join(lines)

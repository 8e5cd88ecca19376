"""The report as one HTML file that needs nothing else: no script, no request, all styles within.
Its policy forbids whatever could run or be fetched, and all text is escaped besides.
"""

from collections.abc import Iterable, Iterator
from importlib.resources import files
from itertools import chain, islice

from appellate.core.figures import Sentence, Sentences
from appellate.numbers.blocks import (
    Acts,
    ReportSection,
    ReportTable,
    Verbatim,
    WrittenBlock,
    in_writing,
)
from appellate.numbers.formatting import LIST, cut, when, whole
from appellate.numbers.pictures import (
    Attribute,
    Markup,
    Picture,
    element,
    own,
    together,
    void,
)
from appellate.numbers.report import FORMAT, ActReport, Report
from appellate.numbers.sections import sections, title, where

# -- the page -------------------------------------------------------------------------------------


BEGINS = "<!doctype html>\n<!-- appellate-report/"
POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
LINKED = (
    "traits",
    "errs",
    "worth",
    "numbers",
    "limits",
    "audit",
    "design",
    "people",
    "judge",
    "corrections",
    "reading",
    "methods",
)
"""Anchors of the parts that the top links to."""
_LONG = 40  # characters, from which on a column is kept wide


def html(report: Report) -> str:
    """Return the whole report as one HTML document that needs no other file.

    It ends with a newline. All text in it is escaped, long texts are cut, and some long tables have
    only their first rows. The links at the top lead to the main parts that there are, not to those
    of single traits.
    """
    return "".join(html_parts(report))


_ELEMENTS = 500
"""Elements of a table or a list that are written at once."""


def html_parts(report: Report) -> Iterator[str]:
    """Yield the whole report as one HTML document in parts, made as they are asked for.

    Joined they are a document that needs no other file, and ends with a newline. Texts of the audit
    are escaped, long ones are cut, and some long tables have only their first rows.
    """
    pieces = _page(report)
    while batch := list(islice(pieces, _ELEMENTS)):
        yield "".join(batch)


def _page(report: Report) -> Iterator[Markup]:
    """Yield the page in pieces: its head, then section by section, the rows of a table singly."""
    yield own(f"{BEGINS}{FORMAT.split('/')[1]} -->\n")
    body = _around("body", _around("main", _main_part(report)))
    yield from _around("html", chain([_head(report), own("\n")], body), lang="en")
    yield own("\n")


def _main_part(report: Report) -> Iterator[Markup]:
    """Yield what the page shows in pieces: its title, the links at the top, and all sections."""
    parts = sections(report)
    contents: list[str] = []
    for part in parts:
        if part.anchor in LINKED:
            contents += element("a", part.title, href=f"#{part.anchor}"), own("\n")
    yield element("h1", title(report))
    yield element("nav", *contents, aria_label="Contents")
    for part in parts:
        yield from _section(part)


def _around(
    name: str,
    inside: Iterable[Markup],
    **attributes: Attribute,
) -> Iterator[Markup]:
    """Yield an element of HTML in pieces: its opening tag, what is inside, its closing tag.

    A name of an attribute may end with `_`, as in `class_`; other underscores become hyphens.
    Values are escaped, and floats have four significant digits. What is inside must be markup.
    """
    yield void(name, **attributes)
    yield from inside
    yield own(f"</{name}>")


def _head(report: Report) -> Markup:
    """Return the head of the page: its policy, its title, and all styles.

    The policy forbids scripts and requests. The styles are read from the package.
    """
    style = files("appellate.numbers").joinpath("report.css").read_text("utf-8")
    return element(
        "head",
        void("meta", charset="utf-8"),
        own(f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'),
        void("meta", name="viewport", content="width=device-width, initial-scale=1"),
        void("meta", name="color-scheme", content="light dark"),
        void("meta", name="referrer", content="no-referrer"),
        element("title", title(report)),
        element("style", own(f"\n{style}")),
    )


def _section(part: ReportSection) -> Iterator[Markup]:
    """Yield a section of the page in pieces, folded below its title unless the part is `open`.

    The part's anchor is the id of the whole section, or of a folded one only of what is folded. The
    id of its title is that anchor with "-title" behind it.
    """
    title_id = f"{part.anchor}-title"
    heading = element("h2", element("bdi", part.title), id=title_id)
    yield own("\n")
    if part.open:
        inside = chain([heading], _blocks(part))
        yield from _around("section", inside, id=part.anchor)
        return

    summary = element("summary", heading)
    folded = _around("div", _blocks(part), id=part.anchor)
    yield from _around("details", chain([summary], folded))


def _blocks(part: ReportSection) -> Iterator[Markup]:
    """Yield the blocks of a section as HTML, in pieces."""
    for number, block in enumerate(part.blocks, 1):
        for written in in_writing(block):
            yield from _block(written, part, number)


def _block(
    block: WrittenBlock,
    part: ReportSection,
    number: int,
) -> Iterator[Markup]:
    """Yield a block as HTML, a table or a list of acts in several pieces; texts are escaped.

    Sentences, headings and acts are cut, text for other programs is not. `part` is the section that
    the block is in, and in an open one the cells of a table name their columns. `number` is that of
    the block within its part, from 1: the ids in a picture begin with it.
    """
    match block:
        case Sentence(text):
            yield element("p", cut(text, LIST))
        case Sentences(heading, texts):
            yield element("p", element("strong", element("bdi", cut(heading))))
            for sentence in texts:
                yield element("p", cut(sentence.text, LIST))
        case ReportTable():
            yield from _table(block, f"{part.anchor}-title", has_heads=part.open)
        case Verbatim(text):
            yield element("pre", text)
        case Acts(acts, _):
            yield from _around("ol", map(_act, acts), class_="acts")
        case Picture():  # pragma: no branch - every block is a case
            keys = [
                element("span", element("i", class_=class_), words, class_="key")
                for class_, words in block.keys
            ]
            caption = element("figcaption", f"{block.caption}.", *keys)
            yield element("figure", caption, block.svg(f"{part.anchor}-{number}"))


def _table(table: ReportTable, heading: str, *, has_heads: bool) -> Iterator[Markup]:
    """Yield a table that scrolls in its own box, named by the element with the id `heading`.

    It comes in pieces, row by row. All texts are escaped. With `has_heads` each cell has the head
    of its column, too, for a narrow page. If all heads are "", the table has no line for them.
    """
    lines = _around("tbody", _rows(table, has_heads=has_heads))
    if any(table.heads):
        lines = chain([element("thead", _head_row(table))], lines)
    yield from _around(
        "div",
        _around("table", lines),
        class_="wide",
        tabindex=0,
        role="region",
        aria_labelledby=heading,
    )


def _head_row(table: ReportTable) -> Markup:
    """Return the row of a table's heads; they are escaped.

    Those from the column `table.figures` on have the class of figures.
    """
    heads: list[Markup] = []
    for column, head in enumerate(table.heads):
        class_ = "figures" if column >= table.figures else "said"
        heads.append(element("th", head, scope="col", class_=class_))
    return element("tr", *heads)


def _rows(table: ReportTable, *, has_heads: bool) -> Iterator[Markup]:
    """Yield the rows of a table below its heads; with `has_heads` each cell has its column's.

    The head is in an attribute of the cell. All texts are escaped.
    """
    for row in table.rows:
        cells: list[Markup] = []
        for column, (head, text) in enumerate(zip(table.heads, row, strict=True)):
            attributes = {"data_head": head} if has_heads else {}
            cells.append(_entry(text, is_figure=column >= table.figures, **attributes))
        yield element("tr", *cells)


def _entry(text: str, *, is_figure: bool, **attributes: str) -> Markup:
    """Return a cell of a table: a figure, or a text, which is kept wide above `_LONG` characters.

    The text is escaped. `attributes` are further attributes of the cell.
    """
    if is_figure:
        return element("td", text, class_="figures", **attributes)
    class_ = "said"
    if len(text) > _LONG:
        class_ = "said long"
    return element("td", element("bdi", text), class_=class_, **attributes)


def _act(act: ActReport) -> Markup:
    """Return an act as an entry of a list, with a link to itself; its texts are inert and cut.

    It has the number, when, who and which cell, what was done, and why if that is known. An act
    that is not in force says why, and has another class.
    """
    anchor = f"act-{act.n}"
    head: list[str] = [element("a", f"#{act.n}", href=f"#{anchor}")]
    head += [" · ", when(act.at)]
    head += [" · ", element("bdi", cut(act.by))]
    head += [" · ", element("bdi", where(act.place))]
    class_ = "stands"
    if act.fate:
        class_ = "undone"
        fate = [act.fate]
        if act.undone_by:
            fate.append(element("bdi", cut(act.undone_by)))
        head += [" · ", element("strong", *fate)]
    did = element("bdi", whole(act.did))
    texts = [element("p", did, class_="text did")]
    if act.reason:
        because = element("bdi", whole(act.reason))
        texts.append(element("p", "because: ", because, class_="text"))
    first_line = element("p", *head, class_="head")
    entry = element("li", first_line, *texts, id=anchor, class_=class_)
    return together("\n", entry)

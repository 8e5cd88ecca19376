"""The report as one HTML file that needs nothing else: no script, no request, all styles within.

Its policy forbids whatever could run or be fetched, and `elements` escapes every text, so that neither
alone has to hold.
"""

from collections.abc import Iterator, Sequence

from appellate.report import plots
from appellate.report.elements import Markup, element, own, together, void
from appellate.report.report import FORMAT, Act, Report
from appellate.report.sections import (
    PICTURED,
    Acts,
    Bars,
    Block,
    Section,
    Sentence,
    Shares,
    Spread,
    Table,
    sections,
    title,
    where,
)
from appellate.report.style import STYLE
from appellate.report.words import cut, when, whole

BEGINS = "<!doctype html>\n<!-- appellate-report/"
POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
_LONG = 40  # characters, from which on a column is kept wide


def html(report: Report) -> str:
    """The whole report."""
    parts = sections(report)
    body = element(
        "main",
        element("h1", title(report)),
        element("nav", *_contents(parts), aria_label="Contents"),
        *map(_section, parts),
    )
    page = element("html", _head(report), "\n", element("body", body), lang="en")
    return f"{BEGINS}{FORMAT.split('/')[1]} -->\n{page}\n"


def _head(report: Report) -> Markup:
    return element(
        "head",
        void("meta", charset="utf-8"),
        own(f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'),
        void("meta", name="viewport", content="width=device-width, initial-scale=1"),
        void("meta", name="color-scheme", content="light dark"),
        void("meta", name="referrer", content="no-referrer"),
        element("title", title(report)),
        element("style", own(STYLE)),
    )


def _contents(parts: Sequence[Section]) -> Iterator[Markup]:
    for part in parts:
        yield element("a", part.title, href=f"#{part.anchor}")
        yield own("\n")


def _section(part: Section) -> Markup:
    heading = element("h2", element("bdi", part.title), id=f"{part.anchor}-title")
    blocks = [_block(block, part.anchor, number) for number, block in enumerate(part.blocks, 1)]
    return together("\n", element("section", heading, *blocks, id=part.anchor))


def _block(block: Block, part: str, number: int) -> Markup:
    anchor = f"{part}-{number}"
    match block:
        case Sentence(text):
            return element("p", text)
        case Table():
            return _table(block, f"{part}-title")
        case Bars(trait, sides):
            bars = plots.metric_bars(anchor, trait.metrics, "macro", sides)
            return _figure(bars, "Macro: the mean over traces.", *_key(sides))
        case Spread(metric, sides):
            columns = plots.histogram(anchor, metric, sides)
            return _figure(columns, f"Cells by {metric.name}, in tenths.", *_key(sides))
        case Shares(trait):
            told = "The instructions overruled most; found / missing / overruled."
            return _figure(plots.stacked(anchor, trait.instructions[:PICTURED]), told, *_key(plots.SHARES))
        case Acts(acts, _):
            return element("ol", *map(_act, acts), class_="acts")


def _key(names: Sequence[str]) -> Iterator[Markup]:
    for name in names:
        yield element("span", element("i", class_=name), name, class_="key")


def _figure(picture: Markup, *caption: str) -> Markup:
    return element("figure", element("figcaption", *caption), picture)


def _table(table: Table, heading: str) -> Markup:
    numbers = range(table.figures, len(table.heads))
    head = element("thead", element("tr", *(_head_cell(text, n in numbers) for n, text in enumerate(table.heads))))
    rows = [element("tr", *(_cell(text, n in numbers) for n, text in enumerate(row))) for row in table.rows]
    whole_table = element("table", head if any(table.heads) else "", element("tbody", *rows))
    return element("div", whole_table, class_="wide", tabindex=0, role="region", aria_labelledby=heading)


def _head_cell(text: str, figures: bool) -> Markup:
    return element("th", text, scope="col", class_="figures" if figures else "said")


def _cell(text: str, figures: bool) -> Markup:
    if figures:
        return element("td", text, class_="figures")
    return element("td", element("bdi", text), class_="said long" if len(text) > _LONG else "said")


def _act(act: Act) -> Markup:
    anchor = f"act-{act.n}"
    number = element("a", f"#{act.n}", href=f"#{anchor}")
    parts = [number, when(act.at), element("bdi", cut(act.by)), element("bdi", where(act.place))]
    by = [element("bdi", cut(act.undone_by))] if act.undone_by else []
    parts += [element("strong", act.fate, *by)] if act.fate else []
    head = element("p", *_dotted(parts), class_="head")
    reason = element("p", "because: ", element("bdi", whole(act.reason)), class_="text") if act.reason else ""
    did = element("p", element("bdi", whole(act.did)), class_="text did")
    return together("\n", element("li", head, did, reason, id=anchor, class_="undone" if act.fate else "stands"))


def _dotted(parts: Sequence[str]) -> Iterator[str]:
    for number, part in enumerate(parts):
        yield from (" · ", part) if number else (part,)

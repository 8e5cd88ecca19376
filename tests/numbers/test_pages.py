"""The pages of figures as values, word for word: each figure with what it is, and the query of its cells."""

from collections.abc import Iterable, Iterator
from itertools import groupby

import pytest

from appellate.core.deciding import Correct
from appellate.core.design_facts import Sampled
from appellate.core.figures import FigureTable, ShownFigure
from appellate.numbers.figures_page import figures_page, groups_page
from appellate.numbers.judge_page import TraitNumbers, by_trait, judge_page
from appellate.query.language import Vocabulary, parse
from appellate.store.audits.audit import load_audit
from appellate.traits.metric.edits import Edit
from cells import (
    PLACE,
    bench,
    breakdowns_of,
    link,
    matrix,
    place,
    proposal,
    rubric,
    select,
    trace,
)
from golden import golden

__all__ = ["golden"]

MOVE = Correct(
    Edit.from_row({"action": "move", "bucket": "tp", "index": 0, "to": "fn"}),
)
DENY = Correct(Edit("deny", "fn", **select(PLACE)))
WRONG = Correct(Edit("reword", "tp", wrong_evidence=True, **select(PLACE)))
BY_HAND = Correct(
    Edit.from_row({"action": "add", "bucket": "fn", "of": "tp", "instruction": 1}),
)
MISSING = [
    Correct(Edit.from_row({"action": "add", "bucket": bucket, **link(place)}))
    for bucket, place in (*(("fn", n) for n in (1, 2, 3, 4)), ("tn", -1), ("tn", -2))
]
"""A verdict that calls every instruction missing."""


def numbers_of(folder, *traces, act, of=None, by="") -> list[TraitNumbers]:
    with bench(folder, *traces, of=of) as at:
        act(at)
        at.save()
    audit = load_audit(place(folder).audit)
    return [
        TraitNumbers(one, shares_instructions=True) for one in breakdowns_of(audit, by)
    ]


def reviewed(at) -> None:
    """The first three of eight are ruled blind, four are signed off in sight, two of these corrected;
    the last is corrected and left.
    """
    strata = [{"name": "all", "units": 8, "drawn": 3}]
    drawn = [{"traces": [[name, 1]], "stratum": "all"} for name in ("t0", "t1", "t2")]
    for number in range(1, 9):
        at.receive(number, proposal())
    at.draw(Sampled("simple", [], 1, True, 8, "ab" * 32, "8a", strata, drawn))
    edits = {4: [MOVE], 5: [DENY], 7: [WRONG], 8: [MOVE]} | dict.fromkeys(
        (1, 2, 3),
        MISSING,
    )
    for number in range(1, 9):
        for edit in edits.get(number, ()):
            at.do(number, edit)
        if number < 8:
            at.sign_off(number)


def _shown(titled: tuple[str, ShownFigure]) -> tuple[str, str, str]:
    _, figure = titled
    return figure.text, figure.detail, figure.query


def written(tables: Iterable[FigureTable]) -> Iterator[str]:
    for table in tables:
        yield f"== {table.title}"
        for row in table.rows:
            yield f"{row.tag} {row.name}: {row.detail} [{row.query}]".lstrip()
            titled = zip(
                (column.title for column in table.columns),
                row.figures,
                strict=True,
            )
            for (text, detail, query), alike in groupby(titled, key=_shown):
                if text or detail:
                    titles = ", ".join(title for title, _ in alike)
                    yield f"    {titles} {text}: {detail} [{query}]"
        yield from filter(None, [table.empty, table.legend, *table.notes])


def test_the_pages_of_a_review_are_told_word_for_word(tmp_path, golden):
    traces = [
        trace(f"t{number % 6}", epoch=number // 6 + 1, model="ab"[number % 2])
        for number in range(8)
    ]
    traits = numbers_of(tmp_path, *traces, act=reviewed, by="model")
    golden("page_judge", "\n".join(written(judge_page(traits, is_blind=True))))
    pages = [*figures_page(traits), *groups_page(traits, ())]
    golden("page_figures", "\n".join(written(pages)))


def test_a_group_by_a_metadata_key_is_found_by_the_query_of_its_row(tmp_path):
    traces = []
    for number in range(8):
        metadata = {"site name": ["Berlin", "Paris"][number % 2]} if number < 6 else {}
        known = trace(f"t{number}")
        traces.append(known.model_copy(update={"metadata": metadata}))
    traits = numbers_of(tmp_path, *traces, act=reviewed, by="meta.site name")
    vocabulary = Vocabulary(metadata_keys=("site name",))
    queries = [row.query for row in groups_page(traits, ())[0].rows]
    terms = [str(parse(query, vocabulary).terms[1]) for query in queries]
    assert terms == [
        'meta."site name":Berlin',
        'meta."site name":Paris',
        '-meta."site name":*',
    ]


def test_before_anything_is_judged_the_pages_say_what_to_do():
    judge, figures = judge_page([], is_blind=False), figures_page([])
    assert [one.rows for one in (*judge, *figures)] == [(), ()]
    assert "{cell.judge:J} has one cell judged" in judge[0].empty
    assert "{cell.judge:J} has one judged" in figures[0].empty


def test_traits_without_a_verdict_are_named_in_a_sentence_below_the_others(tmp_path):
    def act(at):
        for number in range(1, 6):
            at.receive(number, proposal())
        at.sign_off(5)

    of = rubric(*(matrix(name=name) for name in "ABCDE"))
    table = by_trait(numbers_of(tmp_path, trace("one"), act=act, of=of), "By trait")
    assert [row.name for row in table.rows] == ["E"]
    assert table.notes[-1] == "No verdict yet for 4 traits: A, B, C, …"


@pytest.mark.parametrize(
    ("names", "told"),
    [("ABCD", "1 trait more has too few"), ("ABCDE", "2 traits more have too few")],
)
def test_traits_with_few_answers_after_the_third_are_counted(tmp_path, names, told):
    def act(at):
        for number in range(1, len(names) + 1):
            at.receive(number, proposal())
            at.sign_off(number)

    of = rubric(*(matrix(name=name) for name in names))
    table = by_trait(numbers_of(tmp_path, trace("one"), act=act, of=of), "By trait")
    assert [note for note in table.notes if f", {told}." in note]


def test_a_signed_cell_filled_by_hand_has_no_judge_beside_it(tmp_path):
    def act(at):
        at.do(1, BY_HAND)
        at.sign_off(1)

    signed, _ = figures_page(numbers_of(tmp_path, trace("one"), act=act))
    recall = next(row for row in signed.rows if row.name == "Accuracy · recall")
    assert [one.text for one in recall.figures[:5]] == ["1", "0", "0.000", "–", "–"]
    assert recall.figures[0].detail == "1 cell in the numbers, 0 in the judge's."

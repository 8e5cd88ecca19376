"""Tables of one claim a row: the rows of one answer become its list of claims.

    --map claim.Supported=claim,verdict.Supported=judge,person.Supported=human

Rows belong to one answer if they have the same response, question, model and epoch, and the same id
unless each row has an id of its own. They need not follow one another, so each answer and its
claims are held in memory, an answer's text once. `claims` makes a metric trait of them.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import NamedTuple

from msgspec.structs import replace

from appellate.core.problem import quoted
from appellate.interop import claims
from appellate.interop.cell_values import CellValue, is_gap, text_value
from appellate.interop.claims import Claim, ClaimList, PersonLabel
from appellate.interop.foreign import (
    ForeignFile,
    Row,
    first_names,
    said_by_most,
    trait_name,
)
from appellate.interop.table_map import TableMap, TraitMap
from appellate.interop.tables import (
    NAMES,
    Rows,
    check_columns,
    columns_of_traits,
    texts_of_each,
    times_of_each,
    value_at,
)
from appellate.interop.tables import read as read_table
from appellate.store.files.text_file import unusable

_OF_ANSWER = ("response", "messages", "question", "model", "epoch", "other")
"""The fields of a trace by which rows are known to be of one answer, beside the id."""


class _Answer(NamedTuple):
    """One answer, and the rows that have its claims."""

    row: Row
    """Its first row, with the columns alone that are the same in all of its rows."""
    claims: dict[str, list[Claim]]
    """The claims by the name of their trait, in the order of the file."""


def read(rows: Rows, name: str, kind: str, table_map: TableMap) -> ForeignFile:
    """Return what a table with one claim a row holds, as traces with lists of claims.

    `table_map` (`--map`) says which columns are the claim and its labels. Rows of one answer become
    one trace with all their claims, in the order of their first rows. Other columns that differ
    among the rows of one answer are left out and noted in `lost`. `rows` reads the table from the
    beginning and is called several times; the answers are held in memory. `name` is the file's in
    messages and `kind` what its form is called. Raises Unusable if there is no row, if no row has a
    mapped column, if a column mapped to the answer differs within one answer, and if no column can
    be the response.
    """
    sample = list(islice(rows(), 1))
    if not sample:
        raise unusable(name, "there is no row in it")
    of_claims = table_map.of_claims
    other_traits = {
        trait: trait_map
        for trait, trait_map in table_map.traits.items()
        if trait not in of_claims
    }
    map_of_answers = replace(table_map, traits=other_traits)
    merged = _with_every_column(rows)
    check_columns([merged], name, table_map.all_columns)
    keys = _Keys(rows, merged, map_of_answers)
    answers, varying = _answers_and_claim_columns(rows, keys, map_of_answers, of_claims)
    _check_varying(name, varying, map_of_answers)
    for answer in answers:
        for column in varying:
            answer.row.pop(column, None)

    file = read_table(
        lambda: [dict(answer.row) for answer in answers],
        name,
        kind,
        map_of_answers,
    )
    file.mapping = {**file.mapping, **table_map.columns}
    file.table_map = table_map
    left_out = [column for column in varying if column not in table_map.all_columns]
    if left_out:
        file.lost.append(f"{first_names(left_out)}: another value for each claim")
    return claims.of_table(
        file,
        lambda: [_claim_lists(answer, of_claims) for answer in answers],
    )


def _with_every_column(rows: Rows) -> Row:
    """Return one row with all columns of a table: for each its first value that is not None or "".

    A column without such a value has None or "". Reads all rows once; {} without rows.
    """
    merged: Row = {}
    for row in rows():
        for column, value in row.items():
            if merged.get(column) in (None, ""):
                merged[column] = value
    return merged


class _Keys:
    """Tells which answer a row is of.

    The rows are gone through once, for the id. `merged` is a row with all of their columns: only
    these are looked at.
    """

    def __init__(self, rows: Rows, merged: Row, table_map: TableMap) -> None:
        """Find the columns that tell answers apart: by `table_map`, else by their usual names.

        `merged` is a row with all columns of the table; a column that it lacks is not used.
        All rows are gone through once to find the column of the answer's id, unless
        `table_map` names it.
        """
        self._columns: list[str] = []
        for field in _OF_ANSWER:
            if field in table_map.fields:
                self._columns.append(table_map.fields[field])
            else:
                self._columns += NAMES[field]
        self._columns = _columns_in(merged, self._columns)
        id_column = table_map.fields.get("id", "")
        if not id_column:
            id_column = self._id_column_of_answers(
                rows,
                _columns_in(merged, NAMES["id"]),
            )
        if id_column:
            self._columns.append(id_column)

    def _id_column_of_answers(self, rows: Rows, columns: Sequence[str]) -> str:
        """Return the first of some id columns that is the answer's, not the claim's; "" if none is.

        Reads all rows once. A column that is blank in all rows is not taken. If each row is
        an answer of its own, any column with a value will do. Otherwise a column is not
        taken, either, if it differs among all rows of each answer, since it numbers the
        claims.
        """
        row_count = 0
        answer_keys: set[str] = set()
        keys_by_column: dict[str, set[str]] = {column: set() for column in columns}
        filled_columns: set[str] = set()
        for row in rows():
            row_count += 1
            answer_key = self.of(row)
            answer_keys.add(answer_key)
            for column, keys in keys_by_column.items():
                value = value_at(row, column)
                keys.add(f"{value!r} {answer_key}")
                if not is_gap(value) and value != "":
                    filled_columns.add(column)

        are_answers = len(answer_keys) == row_count
        for column, keys in keys_by_column.items():
            if column in filled_columns and (len(keys) < row_count or are_answers):
                return column
        return ""

    def of(self, row: Row) -> str:
        """Return the key of the answer that a row belongs to; rows of one answer have equal keys.

        It is a text of the row's values in the columns of the response, messages, question, model,
        epoch, second response and id.
        """
        return repr([value_at(row, column) for column in self._columns])


def _columns_in(merged: Row, columns: Iterable[str]) -> list[str]:
    """Return those of some column names that the table has, in their order.

    `merged` is a row with all of the table's columns. A path such as `metadata.id` counts if its
    first part is a column.
    """
    return [
        column
        for column in columns
        if {column, column.partition(".")[0]} & merged.keys()
    ]


def _answers_and_claim_columns(
    rows: Rows,
    keys: _Keys,
    table_map: TableMap,
    of_claims: Mapping[str, TraitMap],
) -> tuple[list[_Answer], list[str]]:
    """Return the answers of a table with one claim a row, and the columns that belong to claims.

    Answers are in the order of their first rows, and have the claims of all their rows by trait, in
    the order of the rows. A row whose claim is blank adds none. The columns of claims are those
    that `of_claims` maps, unless a field of the answer has them as well, and all that differ among
    rows of one answer. `table_map` is the map without the traits of claims. Reads all rows once.
    """
    fields = set(table_map.fields.values())
    varying: dict[str, None] = {}
    for column in columns_of_traits(TableMap(traits=of_claims)):
        if column not in fields:
            varying[column] = None
    answers: dict[str, _Answer] = {}
    for row in rows():
        answer = answers.setdefault(keys.of(row), _Answer(dict(row), {}))
        for column in {**answer.row, **row}:
            is_known = column in varying
            if not is_known and not _is_same(row.get(column), answer.row.get(column)):
                varying[column] = None
        for trait, trait_map in of_claims.items():
            claim = _claim(row, trait_map)
            if claim.text:
                answer.claims.setdefault(trait, []).append(claim)
    return list(answers.values()), list(varying)


def _is_same(value: object, other: object) -> bool:
    """Return whether two cells of a column have the same value: NaN is the same as NaN and as None.

    So is a list or table that differs from the other in nothing.
    """
    if is_gap(value) or is_gap(other):
        return is_gap(value) and is_gap(other)
    # NaN in a list is not equal to itself
    return value == other or repr(value) == repr(other)


def _check_varying(name: str, varying: Iterable[str], map_of_answers: TableMap) -> None:
    """Raise Unusable if a column mapped to the answer differs among the claims of one answer.

    `varying` are the columns that differ; those that the map of the answers does not name do not
    matter. The error is about the first one, names its key in `--map`, and advises `claim.TRAIT`.
    `name` is the file's name in it.
    """
    columns = map_of_answers.all_columns
    for column in varying:
        if column in columns:
            wrong = f"{quoted(column)} differs among the claims of one answer"
            keys = [
                key
                for key, mapped in map_of_answers.columns.items()
                if mapped == column
            ]
            right = (
                "leave it out, or map it to a trait with claim.TRAIT or nugget.TRAIT"
            )
            place = keys[0] if keys else ""
            raise unusable(name, wrong, right, place)


def _claim(row: Row, trait_map: TraitMap) -> Claim:
    """Return the claim of a row with its excerpt, importance, and judge's and people's labels.

    A text that is not mapped, or is blank in this row, is "", also that of the claim
    itself. The judge's label is None if it is not mapped.
    """
    return Claim(
        _text(row, trait_map.claim or trait_map.nugget),
        _text(row, trait_map.excerpt),
        value_at(row, trait_map.verdict) if trait_map.verdict else None,
        _labels_of_people(row, trait_map),
        _text(row, trait_map.reason),
        _importance(row, trait_map),
    )


def _text(row: Row, column: str) -> str:
    """Return the text in a column of a row, without blanks around it; "" if it stands for no value.

    "" as well for "" as `column`, which is one that is not mapped. A value that is no text becomes
    one.
    """
    if column:
        return text_value(value_at(row, column)).strip()
    return ""


def _importance(row: Row, trait_map: TraitMap) -> str:
    """Return how important a row's nugget is, as "vital": the first filled column of `IMPORTANCE`.

    "" if there is none, and if the map is of a claim of the response rather than of a nugget.
    """
    if not trait_map.nugget:
        return ""
    for column in claims.IMPORTANCE:
        text = _text(row, column)
        if text:
            return text
    return ""


def _labels_of_people(row: Row, trait_map: TraitMap) -> list[PersonLabel]:
    """Return what the people of a mapped trait say of a row's claim, one label for each column.

    They are in the order of the columns, and a blank cell is a label too, as the file has it. If
    the map asks for the majority it is one label for all: the word that more than half say, or ""
    if none is, with all different reasons joined, and the time only if all have the same. [] if the
    map names no person.
    """
    people = trait_map.person
    if people is None:
        return []
    count = len(people.columns)
    reasons = texts_of_each(row, trait_map.why, count)
    times = times_of_each(row, trait_map.when, count)
    words = [value_at(row, column) for column in people.columns]
    if people.is_majority:
        # one column may have the reason of all, so that there are fewer reasons than words
        different_reasons = dict.fromkeys(filter(None, reasons))
        reason = "; ".join(different_reasons)
        when = times[0] if len(set(times)) == 1 else ""
        filled_words = filter(None, map(text_value, words))
        said = said_by_most(list(map(CellValue, filled_words)), trait_map)
        word = "" if said is None else said.value
        return [PersonLabel(word, reason, when)]
    labels: list[PersonLabel] = []
    for word, reason, when in zip(words, reasons, times, strict=True):
        labels.append(PersonLabel(word, reason, when))
    return labels


def _claim_lists(answer: _Answer, of_claims: Mapping[str, TraitMap]) -> list[ClaimList]:
    """Return the claim lists of one answer, one for each trait that it has a claim of.

    `of_claims` has the map of each such trait. A list is of a reference if the map calls
    its column a nugget. The judge is named after the column of its labels, and is ""
    without one. People are named after their columns, and a majority is one person,
    "majority of a, b".
    """
    lists: list[ClaimList] = []
    for trait, of_trait in answer.claims.items():
        trait_map = of_claims[trait]
        people: Sequence[str] = ()
        if trait_map.person is not None:
            people = trait_map.person.columns
            if trait_map.person.is_majority:
                people = [f"majority of {', '.join(people)}"]
        lists.append(
            ClaimList(
                of_trait,
                trait_map.claim or trait_map.nugget,
                is_reference=bool(trait_map.nugget),
                judge=trait_map.verdict,
                people=people,
                trait_name=trait_name(trait),
                meaning=trait_map.meaning,
            ),
        )
    return lists

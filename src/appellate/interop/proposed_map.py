"""What `--map` should say of a table's verdicts, read from the names and values of its columns.

`proposed_map` is for a table of which nothing is said, and `unused_labels` for one of which not
everything is: a column of labels that nobody named would lie among the metadata without a word.
"""

from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

from appellate.core.verdict_like import words_of_name
from appellate.interop.column_advice import (
    COLUMN,
    GRADES,
    JUDGES,
    OF_NO_VERDICT,
    PEOPLE,
    REASONS,
    Values,
    fit,
    likely_verdict,
    may_grade,
    name_words,
    speaks_of_judge,
)
from appellate.interop.foreign import trait_name
from appellate.interop.table_map import in_quotes
from appellate.interop.yes_no_words import are_one_question, spelled

NAME = "NAME"
"""What stands for the name of a trait where no column is likely."""
_USUAL_NAME = "Verdict"
_OF_PEOPLE = PEOPLE | {"gold", "golden"}
_SETTLED = frozenset(
    {"final", "majority", "consensus", "adjudicated", "gold", "golden"},
)
"""Words of what several people came to."""
_NOTHING_SAID = GRADES | {
    "verdict",
    "verdicts",
    "by",
    "of",
    "the",
    "is",
    "a",
    "column",
    "value",
}
"""Words that do not say what a verdict is on."""


OF_RESPONSE = "Claims supported"
"""What the trait of claims that the response makes is called."""
OF_REFERENCE = "Claims found"
"""What the trait of claims that the response should make is called."""
_OF_RESPONSE = frozenset(
    {"claim", "fact", "statement", "atom", "proposition", "assertion"},
)
_OF_REFERENCE = frozenset({"nugget", "point", "keypoint"})
_LABELS_OF_CLAIMS = frozenset(
    {
        "assignment",
        "assigned",
        "support",
        "supported",
        "factuality",
        "factual",
        "found",
        "entailed",
    },
)
"""Words in the names of columns that label claims, and that are of no judge or person by name."""


class _Trait(NamedTuple):
    """The columns that are about one trait."""

    name: str
    verdict: str
    reason: str
    people: list[str]
    why: list[str]

    def entries(self) -> list[str]:
        """Return the entries of `--map` for this trait's columns, such as "verdict.Tone=label".

        They are the judge's verdict and reason, people and their reasons, in this order. A key
        without a column has no entry. Names are in quotes where they need it.
        """
        name = in_quotes(self.name)
        entries: list[str] = []
        if self.verdict:
            entries.append(f"verdict.{name}={in_quotes(self.verdict)}")
        if self.reason:
            entries.append(f"reason.{name}={in_quotes(self.reason)}")
        if self.people:
            people = "|".join(map(in_quotes, self.people))
            entries.append(f"person.{name}={people}")
        if self.why:
            reasons = "|".join(map(in_quotes, self.why))
            entries.append(f"why.{name}={reasons}")
        return entries


def proposed_map(values: Values, used: Collection[str]) -> str:
    """Return the `--map` entries that a table's verdicts probably need, with commas between; or "".

    `values` has the filled cells by column; columns in `used` are mapped already and not taken.
    Each judge's column makes a trait, with the columns of people and of reasons on the same topic.
    Without a judge's column those of people make one trait. "" if neither is likely.
    """
    entries: list[str] = []
    used_columns = set(used)
    judges = _judge_columns(values, used)
    for column in judges:
        trait = _trait_of(column, values, used_columns, is_only=len(judges) == 1)
        used_columns.update([trait.verdict, trait.reason, *trait.people, *trait.why])
        entries += trait.entries()
    if judges:
        return ",".join(entries)
    people = _people_columns(values, used)
    if not people:
        return ""
    reasons = _reasons_of_people(people, _reason_columns(values, used))
    return ",".join(
        _Trait(_topic(people[0]) or _USUAL_NAME, "", "", people, reasons).entries(),
    )


def proposed_claims(
    values: Values,
    used: Collection[str],
    answers: Sequence[object],
) -> str:
    """Return the `--map` entries for a table that has one claim a row; "" if it seems to have none.

    It seems so if the `answers`, one for each row, repeat, and a column is named as claims are. The
    first judge's column labels the claims, else those of people; "" without either. Columns in
    `used` are mapped already.
    """
    column = _claim_column(values, used)
    if not column or not _are_repeated_texts(answers):
        return ""
    used_columns = {*used, column}
    judges = _judge_columns(values, used_columns)
    people = _people_columns(values, used_columns)
    if not judges and not people:
        for label_column in _label_columns(values, used_columns):
            if not name_words(label_column).isdisjoint(_LABELS_OF_CLAIMS):
                judges.append(label_column)
    if judges:
        trait = _trait_of(judges[0], values, used_columns, is_only=len(judges) == 1)
    else:
        reasons = _reasons_of_people(people, _reason_columns(values, used_columns))
        trait = _Trait("", "", "", people, reasons)
    is_reference = name_words(column).isdisjoint(_OF_RESPONSE)
    trait = trait._replace(name=OF_REFERENCE if is_reference else OF_RESPONSE)
    entries = trait.entries()
    if not entries:
        return ""
    key = "nugget" if is_reference else "claim"
    claim_entry = f"{key}.{trait.name}={in_quotes(column)}"
    return ",".join([claim_entry, *entries])


def _are_repeated_texts(answers: Sequence[object]) -> bool:
    """Return whether answers are as long as sentences on average and one comes more than once.

    False for no answers.
    """
    texts = list(map(str, answers))
    different_texts = set(texts)
    if len(different_texts) == len(texts):
        return False
    letters = sum(map(len, texts))
    return letters >= _LETTERS_OF_SENTENCE * len(texts)


_LETTERS_OF_SENTENCE = 20
"""Letters that answers have in the mean, at least, if they are sentences."""


def _claim_column(values: Values, used: Collection[str]) -> str:
    """Return the first column of texts that is named as claims are ("claim", "nugget"), or "".

    A column is one of texts if some cell has several words. Columns in `used`, and those
    named as reasons, people, judges or grades, are not taken.
    """
    for column in fit(values, used, REASONS | _OF_PEOPLE | JUDGES | GRADES):
        is_named = not name_words(column).isdisjoint(_OF_RESPONSE | _OF_REFERENCE)
        is_text = any(
            isinstance(cell, str) and " " in cell.strip() for cell in values[column]
        )
        if is_named and is_text:
            return column
    return ""


def proposed_pair(columns: Iterable[str]) -> dict[str, str]:
    """Return the columns of two responses side by side, by the fields that they are for; or {}.

    `{"response": "answer_a", "other": "answer_b"}`, with "model" and "other.model" if both are
    there. Only names count; the first pair that is known counts, with "a" and "b" before 1 and 2.
    """
    names = set(columns)
    for first, second in (("a", "b"), ("1", "2")):
        for text in ("response", "answer", "output", "completion"):
            for joint in ("_", ""):
                pair = {
                    "response": f"{text}{joint}{first}",
                    "other": f"{text}{joint}{second}",
                }
                if not names.issuperset(pair.values()):
                    continue
                models = {
                    "model": f"model{joint}{first}",
                    "other.model": f"model{joint}{second}",
                }
                if names.issuperset(models.values()):
                    return pair | models
                return pair
    return {}


def unused_labels(
    values: Values,
    used: Collection[str],
    verdicts: Collection[str],
) -> list[str]:
    """Return the columns, in order, that look like labels and are not in `used`.

    Their cells are numbers or few words, and either the name speaks of a judge, people or a grade,
    or all their words are in a column of `verdicts`, which must be in `values`. [] if there are
    none.
    """
    columns: list[str] = []
    for column in _label_columns(values, used):
        words = name_words(column)
        is_named = speaks_of_judge(words) or not words.isdisjoint(_OF_PEOPLE | GRADES)
        is_alike = any(
            _has_its_words(values[column], values[verdict]) for verdict in verdicts
        )
        if is_named or is_alike:
            columns.append(column)
    return columns


def _label_columns(values: Values, used: Collection[str]) -> list[str]:
    """Return the columns whose cells can be verdicts and whose names are of no other field.

    Columns in `used` are left out.
    """
    return [
        column
        for column in fit(values, used, OF_NO_VERDICT)
        if may_grade(values[column])
    ]


def _judge_columns(values: Values, used: Collection[str]) -> list[str]:
    """Return the columns of labels whose names speak of a judge and not of people.

    If there are none it is a list of the one likely column of verdicts (`likely_verdict`), or [].
    Columns in `used` are left out.
    """
    columns: list[str] = []
    for column in _label_columns(values, used):
        words = name_words(column)
        if speaks_of_judge(words) and words.isdisjoint(_OF_PEOPLE):
            columns.append(column)
    if columns:
        return columns
    column = likely_verdict(values, used)
    if column == COLUMN:
        return []
    return [column]


def _people_columns(values: Values, used: Collection[str]) -> list[str]:
    """Return the columns of possible verdicts whose names speak of people, as "human_label".

    They are in their order. Columns in `used`, and those that are named as another field, are left
    out.
    """
    columns: list[str] = []
    for column in _label_columns(values, used):
        if not name_words(column).isdisjoint(_OF_PEOPLE):
            columns.append(column)
    return columns


def _reason_columns(values: Values, used: Collection[str]) -> list[str]:
    """Return the columns whose names speak of reasons and that hold not only numbers, in order.

    Columns in `used` are left out.
    """
    columns: list[str] = []
    for column in fit(values, used, ()):
        is_named = not name_words(column).isdisjoint(REASONS)
        if is_named and not _are_numbers(values[column]):
            columns.append(column)
    return columns


def _trait_of(
    column: str,
    values: Values,
    used_columns: Collection[str],
    *,
    is_only: bool,
) -> _Trait:
    """Return the trait that a judge's column makes: its name, and the columns on the same topic.

    A column of people belongs to it if its name has the same topic and its values could agree with
    the judge's. `is_only` says that there is no other judge: then the topic does not matter, and a
    column that names neither a person nor a judge belongs, too, if it has only words of the judge's
    column. People come in the table's order, those with settled labels such as `gold` last. Columns
    of reasons belong to people by their names, and to the judge by topic. Columns in `used_columns`
    are not taken; the name is the topic, or "Verdict".
    """
    topic = _topic(column)
    people: list[str] = []
    for candidate in _label_columns(values, {*used_columns, column}):
        is_persons = not name_words(candidate).isdisjoint(_OF_PEOPLE)
        is_on_it = is_only or _topic(candidate) == topic
        if is_persons and is_on_it and _are_alike(values[candidate], values[column]):
            people.append(candidate)
        if is_persons or not is_only or speaks_of_judge(name_words(candidate)):
            continue
        if _has_its_words(values[candidate], values[column]):
            people.append(candidate)
    people.sort(key=_is_settled)
    reasons = _reason_columns(values, used_columns)
    reasons_of_people = _reasons_of_people(people, reasons)
    judges = [
        reason_column
        for reason_column in reasons
        if reason_column not in reasons_of_people
        and _is_reason_of_judge(reason_column, people)
    ]
    if not is_only:
        judges = [
            reason_column
            for reason_column in judges
            if topic and topic == _topic(reason_column)
        ]
    return _Trait(
        topic or _USUAL_NAME,
        column,
        judges[0] if judges else "",
        people,
        reasons_of_people,
    )


def _topic(column: str) -> str:
    """Return what a verdict is on by its column's name: "tone" for "judge_tone_score"; or "".

    Words for judges, people, grades and reasons, and numbers, are left out; "" if nothing remains.
    """
    common_words = JUDGES | _OF_PEOPLE | _NOTHING_SAID | REASONS
    words: list[str] = []
    for word in words_of_name(column):
        bare = word.rstrip("0123456789")
        if bare and bare not in common_words and not speaks_of_judge([bare]):
            words.append(word)
    if words:
        return trait_name(" ".join(words))
    return ""


def _is_settled(column: str) -> bool:
    """Return whether a column is named as what several people came to, as "gold" or "majority"."""
    return not name_words(column).isdisjoint(_SETTLED)


def _reasons_of_people(people: Sequence[str], reasons: Sequence[str]) -> list[str]:
    """Return the column of each person's reasons, in the order of people; [] if one has none.

    A column is theirs if its name has all words of their own column's, as "anna_reason" for "anna".
    A single person may have any column whose name speaks of people.
    """
    columns: list[str] = []
    for person in people:
        columns_of_person = [
            column
            for column in reasons
            if set(words_of_name(person)) <= set(words_of_name(column))
        ]
        if not columns_of_person and len(people) == 1:
            columns_of_person = [
                column
                for column in reasons
                if not name_words(column).isdisjoint(_OF_PEOPLE)
            ]
        if not columns_of_person:
            return []
        columns.append(columns_of_person[0])
    return columns


def _is_reason_of_judge(column: str, people: Sequence[str]) -> bool:
    """Return whether a column of reasons is the judge's by its name.

    It is if the name speaks of no person, and has not all words of a column in `people`.
    """
    words = name_words(column)
    of_person = any(
        set(words_of_name(person)) <= set(words_of_name(column)) for person in people
    )
    return words.isdisjoint(_OF_PEOPLE) and not of_person


def _spelled_cells(cells: Iterable[object]) -> set[str]:
    return {spelled(str(cell)) for cell in cells}


def _has_its_words(cells: Sequence[object], of_judge: Sequence[object]) -> bool:
    """Return whether each cell of a column is, as a whole, also a cell of the judge's column.

    How a word is spelled does not matter (`spelled`). False without cells, and if the judge's
    column has only numbers or none.
    """
    words = _spelled_cells(of_judge)
    return not _are_numbers(of_judge) and bool(cells) and _spelled_cells(cells) <= words


def _are_alike(cells: Sequence[object], of_judge: Sequence[object]) -> bool:
    """Return whether the values of two columns could ever agree.

    They could agree if they share a word, if both are only numbers, or if both answer a
    yes-or-no question. An empty column counts as numbers.
    """
    words = _spelled_cells(cells)
    judge_words = _spelled_cells(of_judge)
    if words & judge_words:
        return True
    if _are_numbers(cells) and _are_numbers(of_judge):
        return True
    return are_one_question(words) and are_one_question(judge_words)


def _are_numbers(cells: Iterable[object]) -> bool:
    """Return whether all cells of a column are numbers, also as text ("0.5"); True for no cells.

    "nan" and "inf" count as numbers, and True does not.
    """
    for cell in cells:
        try:
            float(str(cell))
        except ValueError:
            return False
    return True

"""The base of kinds with one verdict: a value on a scale, given by a source or by a person.

`VerdictKind` has tables, numbers and answers. `OverruledKind` adds corrections to labels that keep
the source's own verdict; the kinds llm, regex and callable are such kinds.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any, ClassVar, Literal, Self, TypeGuard, TypeVar

from msgspec import Struct, ValidationError, convert
from msgspec.structs import FieldInfo, fields, replace

from appellate.core.kind import (
    CANNOT_TELL,
    CANNOT_TELL_COUNT,
    Answering,
    Called,
    E,
    Fault,
    Figures,
    Grounds,
    Instruction,
    Measure,
    Outcome,
    QueryField,
    Table,
    TraitKind,
)
from appellate.core.problem import Refused, describe_value, many, quoted
from appellate.core.scale import SHARE_OF_CLASS
from appellate.core.trace import Trace
from appellate.traits.verdict.scale import Meaning, Value, VerdictTrait, same


@cache
def _fields_of(edit_class: type[Struct]) -> tuple[FieldInfo, ...]:
    """Return the fields of a class of edits, which msgspec finds anew each time it is asked."""
    return fields(edit_class)


class RowEdit(Struct, frozen=True):
    """One correction that is kept as a row: an action and its arguments."""

    OF: ClassVar[str]
    """What the edit corrects, as a sentence names it."""

    action: str

    @classmethod
    def from_row(cls, row: Table) -> Self:
        """Return the correction in a row, whose other keys are ignored.

        The keys are those of `to_row`: {"action": "overrule", "value": true}. A value that is
        missing or None is its default; only the action has none. Raises ValueError with a sentence
        for a missing or unknown action, and for a value that is not possible.
        """
        values: dict[str, Any] = {}
        for field in _fields_of(cls):
            value = row.get(field.encode_name)
            if value is None and field.name != "action":
                continue
            try:
                values[field.name] = convert(value, field.type)
            except ValidationError:
                wrong = f"{field.encode_name} cannot be {value!r}"
                if field.name == "action":
                    wrong = f"{value!r} is not an edit of {cls.OF}"
                raise ValueError(wrong) from None
        return cls(**values)

    def to_row(self) -> dict[str, Any]:
        """Return the correction as facts and files keep it, by the fields' names there.

        It has the action, and what differs from a default: {"action": "overrule", "value": true}.
        """
        row = {}
        for field in _fields_of(type(self)):
            value = getattr(self, field.name)
            if field.name == "action" or value != field.default:
                row[field.encode_name] = value
        return row

    @property
    def span(self) -> tuple[int, int] | None:
        """The offsets of the words that the edit is about.

        None if it lacks one of them, as an edit that is not about words does.
        """
        start = getattr(self, "start", None)
        end = getattr(self, "end", None)
        if start is None or end is None:
            return None
        return start, end


class Edit(RowEdit, frozen=True, rename={"name": "class"}):
    """A verdict that a person gives ("overrule") or takes back ("restore").

    `name` is the name of a class; its `value` is then the index of that class.
    """

    OF = "a verdict"

    action: Literal["overrule", "restore"]
    value: Value | None = None
    name: str | None = None


UNANSWERED = "unanswered"
MEASURES = {
    "boolean": Measure("yes", "Yes", higher_is_better=None, word="verdict"),
    "score": Measure("score", "Score", higher_is_better=None),
    "literal": Measure("class_index", "Class", higher_is_better=None, word="class"),
}
"""The measure for each sort of verdict.

Its bounds and direction come from the trait.

`yes` is the share of answers that are yes, whether yes is good or bad: `passed` would be wrong for
a trait of which lower is better. The measure is `class_index`, since `class` is the name of the
class.
"""
MOST_STEPS = 20
"""The largest number of values that a measure lists one by one."""
VERDICT = QueryField(
    "verdict",
    "words.verdict",
    "text",
    "the verdict: yes, no, a score, a class",
)
CLASS = QueryField("class", "words.class", "text", "the name of the class")
COUNT_OF_CANNOT_TELL = QueryField(
    CANNOT_TELL_COUNT,
    f"counts.{CANNOT_TELL_COUNT}",
    "count",
    "1 where the verdict is that it cannot be told",
)


def share_name(class_name: str) -> str:
    """Return what the measure is called that is the share of a class: "share of red"."""
    return f"share of {class_name}"


def _share_of(class_name: str) -> Measure:
    """Return the measure of one class of a trait whose classes have no order.

    It is 1 where the class is the verdict, else 0.
    """
    steps = (f"not {class_name}", class_name)
    return Measure(
        share_name(class_name),
        class_name,
        higher_is_better=None,
        word=SHARE_OF_CLASS,
        steps=steps,
    )


def _measure_names(trait: VerdictTrait) -> list[str]:
    """Return the names of the measures of `VerdictKind` for a trait, in their order.

    It is one name if the verdicts have an order: "yes", "score" or "class_index". Otherwise it is
    one for each class, as "share of red".
    """
    if trait.has_order:
        return [MEASURES[trait.kind].name]
    return list(map(share_name, trait.class_names))


class Verdict(Struct, frozen=True):
    """Labels with one verdict; `value` is None until somebody gives one."""

    value: Value | None = None


class Overrulable(Verdict, frozen=True):
    """Labels with a current verdict and the one that the source gave, `found`."""

    found: Value | None = None

    @property
    def is_overruled(self) -> bool:
        """Whether the source gave a verdict, and the current one differs from it."""
        return self.found is not None and self.value != self.found


T = TypeVar("T", bound=VerdictTrait)
V = TypeVar("V", bound=Verdict)
R = TypeVar("R", bound=Overrulable)


class VerdictKind(TraitKind[T, V, E], Answering[T, V, E]):
    """A kind with one verdict: its tables, numbers and answers."""

    by = "judge"
    """Who gives the verdict if no person does, as sentences call it."""
    of = "verdict"
    """The name of the list that holds the trait's one question."""
    types: tuple[type, ...] = (bool, int, float)
    """The types that a value may have if the trait is not known."""
    untyped = "true, false or a number"
    """What a value must be if the trait is not known, for a sentence."""
    missing: tuple[tuple[str, ...], str] = (("value",), "is missing")
    """The place of a missing verdict in a table, and what a sentence says of it."""
    positives = frozenset({"yes"})
    unanswered = frozenset({UNANSWERED})
    fields: Sequence[QueryField] = (VERDICT, CLASS)

    def form(self, trait: T) -> str:
        return trait.form()

    # -- tables -----------------------------------------------------------------------------------

    def value(self, trait: T, table: Table) -> Value | None:
        """Return the verdict of a table, from its `value`, or else from its `class`.

        Returns None if it has neither. An unknown class has the index −1.
        """
        value: Value | None = table.get("value")
        if value is None and "class" in table:
            value = trait.get_class_index(table["class"])
        return value

    def faults(self, trait: T | None, trace: Trace, table: Table) -> Iterator[Fault]:
        """Yield what is wrong with the verdict of a table, and with items that it must not have.

        A fault is at ("value",), ("class",) or ("items",), a missing verdict at the place in
        `missing`. The table must have a value or a class, and the verdict must be one of the
        trait's. If the trait is None, any verdict of the kind's type is right, and any name of a
        class. Yields nothing if the table is right.
        """
        right_value = trait.legal_values() if trait else self.untyped
        value = table.get("value")
        name = table.get("class")
        fits = isinstance(value, self.types) or value == CANNOT_TELL
        if trait:
            fits = trait.is_value(value)
        if value is None and name is None:
            yield Fault(*self.missing, f"value is {right_value}")
        elif value is not None and not fits:
            shown_value = describe_value(value)
            yield Fault(("value",), f"must be {right_value}, not {shown_value}")
        yield from _class_faults(trait, name, value)
        if "items" in table and "items" not in self.label_schema:
            yield Fault(("items",), f"a {self.name} trait has no items")

    def majority(
        self,
        trait: T,
        trace: Trace,
        tables: Sequence[Table],
    ) -> dict[str, Any]:
        """Return the table that speaks for a panel, as a copy.

        It is the first with the winning value and sound excerpts, or the first with the winning
        value. Of yes or no, and of classes, the value with most votes wins; of scores it is the
        median. Of equal votes, and of two middle scores, the earlier member's wins. Members who
        cannot tell are one group of votes against all scores; if they are fewer, the median is that
        of the other members. Every table must have a verdict.
        """
        values = [self.value(trait, table) for table in tables]
        chosen: Value | None
        if trait.kind == "score":
            chosen = _middle_score(values)
        else:
            chosen = max(
                values,
                key=lambda value: (values.count(value), -values.index(value)),
            )
        backers = [table for table in tables if self.value(trait, table) == chosen]
        for table in backers:
            if not self.checks(trait, self.labels(trait, trace, table)):
                return dict(table)
        return dict(backers[0])

    # -- numbers ----------------------------------------------------------------------------------

    def measures(self, trait: T) -> Sequence[Measure]:
        """Return the trait's one measure, or one for each class if its classes have no order.

        The one measure has the trait's bounds and direction. Its possible values are listed by
        their words, as ("no", "yes"), if there are no more than `MOST_STEPS`.
        """
        if not trait.has_order:
            return [_share_of(name) for name in trait.class_names]
        steps: tuple[str, ...] = ()
        if len(trait.values) <= MOST_STEPS:
            steps = tuple(map(trait.describe, trait.values))
        measure = MEASURES[trait.kind]
        better = trait.higher_is_better
        return (
            replace(
                measure,
                low=trait.low,
                high=trait.high,
                higher_is_better=better,
                steps=steps,
            ),
        )

    def measure(self, trait: T, labels: V) -> Figures:
        """Return the verdict of labels as a number and in words, with other counts.

        Yes is 1 and no 0, a score is itself, and a class is its index. If classes have no order,
        each has a number of its own, as {"share of red": 1, "share of blue": 0}: 1 if it is the
        verdict. The number is undefined without a verdict and for "cannot tell", which is named as
        such and counted if the trait allows it. The verdict's text is there as "verdict", for a
        class also as "class", and if classes have no order as `SHARE_OF_CLASS`, too. Without a
        verdict there is no text.
        """
        names = _measure_names(trait)
        counts = dict(self.counts(labels))
        if trait.takes_cannot_tell:
            counts[CANNOT_TELL_COUNT] = int(labels.value == CANNOT_TELL)
        if labels.value is None:
            return Figures.of(dict.fromkeys(names), counts)
        if labels.value == CANNOT_TELL:
            unable = {"verdict": CANNOT_TELL}
            untold = frozenset(names)
            return Figures.of(
                dict.fromkeys(names),
                counts,
                words=unable,
                cannot_tell=untold,
            )
        words = {"verdict": trait.describe(labels.value)}
        if trait.kind == "literal":
            words["class"] = words["verdict"]
        if trait.has_order:
            return Figures.of({names[0]: float(labels.value)}, counts, words=words)
        words[SHARE_OF_CLASS] = words["verdict"]
        shares = {
            share_name(name): float(name == words["class"])
            for name in trait.class_names
        }
        return Figures.of(shares, counts, words=words)

    def corners(
        self,
        trait: T,
        measure: Measure,
        most_items: int,
    ) -> Sequence[tuple[float, float]] | None:
        """Return both ends of the scale, and 0/0 if the trait allows that it cannot be told.

        For scores from 1 to 5 they are [(1, 1), (5, 1)], with (0, 0) before them for 0/0: each is a
        pair of a value and its weight. An end of an unbounded scale is far from 0 (`NO_BOUND`).
        None for a measure that is a ratio of counts.
        """
        ends = super().corners(trait, measure, most_items)
        if ends is None or trait.takes_cannot_tell:
            return ends
        return [end for end in ends if end[1]]

    def counts(self, labels: V) -> Mapping[str, int]:
        """Return other counts of these labels, by name; a kind may have none."""
        return {}

    # -- the one answer ---------------------------------------------------------------------------

    def question(self, trait: T) -> Instruction:
        """Return the trait's one question."""
        return Instruction(self.of, 1, trait.question)

    def answers(self, trait: T, labels: V) -> Mapping[Instruction, str]:
        return {self.question(trait): trait.describe(labels.value) or UNANSWERED}

    def called(self, trait: T, labels: V, asked: Instruction) -> Called:
        """Return how tables name the question: by its words only; the name is ""."""
        return Called("", trait.question)

    def vocabulary(self, trait: T) -> Sequence[str]:
        """Return all answers in words ("yes", "3", a class), in their order of listing.

        The last is "unanswered", before it "cannot tell" if the trait allows it. Empty for scores
        that cannot be listed, as without bounds.
        """
        if not trait.choices:
            return ()
        return [*map(trait.describe, trait.choices), UNANSWERED]

    def may_leave_open(self, trait: T) -> bool:
        """Return whether the trait allows that it cannot be told; else a ruling has its verdict."""
        return trait.takes_cannot_tell

    def untold(self, trait: T) -> frozenset[str]:
        return frozenset({CANNOT_TELL}) if trait.takes_cannot_tell else frozenset()

    @property
    def answering(self) -> Answering[T, V, E]:
        return self

    def grounds(self, trait: T, labels: V, asked: Instruction) -> Grounds:
        """Return the verdict in words, and where in the response its evidence is.

        For example `Grounds("yes", "", ((0, 12),))`. Without a verdict the word is "unanswered".
        All evidence of the labels counts, whatever is `asked`.
        """
        answer = trait.describe(labels.value) or UNANSWERED
        evidence = self.evidence(trait, labels)
        spans = tuple((span.start, span.end) for span in evidence)
        return Grounds(answer, "", spans)

    def sayable(self, trait: T, asked: Instruction) -> Mapping[str, str]:
        """Return the answers that a person may give, with the verdict in words for each.

        For example {"1": "yes", "0": "no"}, or {"0": "billing", "1": "other"}: an answer is the
        number of a score or class, "1" or "0" for yes and no, or "cannot tell" if the trait allows
        it. What is `asked` makes no difference. Empty for scores that cannot be listed, as without
        bounds.
        """
        return {
            answer: trait.describe(value) for answer, value in trait.sayable.items()
        }

    def edits(
        self,
        trait: T,
        labels: V,
        asked: Instruction,
        answer: str,
    ) -> Sequence[E]:
        """Return the correction that makes labels give an answer; empty if they give it already.

        `answer` is the number of a score or class, "1" or "0" for yes and no, or "cannot tell".
        Raises Refused for an answer that the trait does not have, and for every score that cannot
        be listed.
        """
        if answer not in trait.sayable:
            raise Refused(f"The verdict of this trait is {trait.legal_values()}.")
        value = trait.sayable[answer]
        return () if labels.value == value else (self.giving(value),)

    def giving(self, value: Value) -> E:
        """Return the correction that gives a verdict."""
        raise NotImplementedError

    def permit(self, trait: T, trace: Trace, labels: V, edit: Any) -> Any:
        """Return an edit as it is kept: one that gives a class also gets the class's name.

        Any other edit is returned unchanged, even if its value is not possible.
        """
        is_class = trait.kind == "literal" and edit.value != CANNOT_TELL
        if is_class and trait.is_value(edit.value):
            return replace(edit, name=trait.describe(edit.value))
        return edit


def _middle_score(values: Sequence[Value | None]) -> Value | None:
    """Return the median of a panel's scores, or `CANNOT_TELL` if most say so.

    If as many cannot tell as give a score, it is `CANNOT_TELL` only if the first value is. Of two
    middle scores, the earlier member's is taken. A None is a member without a vote; returns None if
    all are.
    """
    scores: list[Value] = []
    for value in values:
        if value is not None and value != CANNOT_TELL:
            scores.append(value)
    untold_count = values.count(CANNOT_TELL)
    if untold_count > len(scores):
        return CANNOT_TELL
    is_tie = untold_count > 0 and untold_count == len(scores)
    if is_tie and values[0] == CANNOT_TELL:
        return CANNOT_TELL

    scores.sort()
    middle_scores = scores[(len(scores) - 1) // 2 : len(scores) // 2 + 1]
    for value in values:
        if value in middle_scores:
            return value
    return None


def _class_faults(
    trait: VerdictTrait | None,
    name: object,
    value: object,
) -> Iterator[Fault]:
    """Yield what is wrong with the class that a table names; nothing if it is right or None.

    `name` is the class as the table has it: any other value than a text is a fault. `value` is the
    table's value; if it is a verdict of the trait, it must be the index of the class. Without a
    trait only the type of `name` is checked.
    """
    if name is None:
        return
    if not isinstance(name, str):
        yield Fault(
            ("class",),
            f"must be the name of a class, not {describe_value(name)}",
        )
    elif trait is not None and trait.kind != "literal":
        wrong = f"there are no classes in a trait of kind {quoted(trait.kind)}"
        yield Fault(("class",), wrong, "give a value")
    elif trait is not None:
        index = trait.get_class_index(name)
        if index < 0:
            class_list = ", ".join(map(quoted, trait.class_names))
            yield Fault(
                ("class",),
                f"there is no class {quoted(name)}; classes are {class_list}",
            )
        elif trait.is_value(value) and index != value:
            wrong = f"{quoted(name)} is class {index}, but the value is {describe_value(value)}"
            yield Fault(("class",), wrong)


class OverruledKind(VerdictKind[T, R, Edit]):
    """A kind whose source gives one verdict, which a person may overrule or restore."""

    blank: Any = Overrulable()

    # -- tables -----------------------------------------------------------------------------------

    def locate(self, trait: T, trace: Trace, table: Table) -> dict[str, Any]:
        return trait.table(self.value(trait, table))

    def labels(self, trait: T, trace: Trace, table: Table) -> R:
        """Return the labels of a table, whose verdict is both current and the source's own.

        Without a verdict both are None.
        """
        value = self.value(trait, table)
        labels: R = replace(self.blank, value=value, found=value)
        return labels

    def write(self, labels: R) -> dict[str, Any]:
        return {"audited": {} if labels.value is None else {"value": labels.value}}

    # -- corrections ------------------------------------------------------------------------------

    def giving(self, value: Value) -> Edit:
        return Edit("overrule", value)

    def edit(self, row: Table) -> Edit:
        """Return the edit in a row of a fact or file, as {"action": "overrule", "value": true}.

        Raises ValueError, with what would be right, for an unknown action, for an "overrule" whose
        `value` is missing or of a type that no verdict of the kind has, and for a "restore" with a
        value or class. A class alone is no value.
        """
        right_value = "a value" if self.types != (bool,) else "value = true or false"
        wrong = f'a correction has action = "overrule" with {right_value}, or action = "restore"'
        try:
            edit = Edit.from_row(row)
        except ValueError:
            raise ValueError(wrong) from None
        is_overruling = isinstance(edit.value, self.types) or edit.value == CANNOT_TELL
        is_restoring = edit.value is None and edit.name is None
        is_right = is_overruling if edit.action == "overrule" else is_restoring
        if not is_right:
            raise ValueError(wrong)
        return edit

    def permit(self, trait: T, trace: Trace, labels: R, edit: Edit) -> Edit:
        """Return an edit as it is kept; nothing is refused here.

        If the verdict is overruled, an edit that gives the source's own verdict becomes a
        "restore", which takes the change back. Otherwise such an edit stays as it is. An
        edit that gives a class of the trait also gets the class's name.
        """
        if _is_back(labels, edit):
            return Edit("restore")
        kept: Edit = super().permit(trait, trace, labels, edit)
        return kept

    def apply(self, trait: T, trace: Trace, labels: R, edit: Edit) -> Outcome[R]:
        """Return the labels after an edit, and the verdict in words before and after it.

        No verdict is "". The source's own verdict stays known. Raises Refused for an edit that
        changes nothing, for one that takes back what nobody changed, and for a verdict that the
        trait does not have.
        """
        if edit.action == "restore":
            if not labels.is_overruled:
                raise Refused("Nobody changed the verdict here.")
            value = labels.found
        else:
            if not trait.is_value(edit.value):
                raise Refused(f"The verdict of this trait is {trait.legal_values()}.")
            if same(edit.value, labels.value):
                already = f"The verdict is {trait.describe(labels.value)} already"
                raise Refused(f"{already}: {{cell.sign:a}} signs it off.")
            value = edit.value
        after = replace(labels, value=value)
        return Outcome(after, trait.describe(labels.value), trait.describe(value))

    def anchor(self, trait: T, labels: R, edit: Edit) -> tuple[str, Meaning]:
        """Return what an edit depends on: the question and what verdicts mean.

        For example `("Is it polite?", ("boolean", (0.0, 0.0), False))`. The question is "" if no
        model is asked it. `labels` and `edit` make no difference.
        """
        return trait.question if self.asked else "", trait.meaning()

    def carried(
        self,
        trait: T,
        labels: R,
        edit: Edit,
        anchor: tuple[str, Meaning],
    ) -> Edit | None:
        """Return a person's verdict for changed labels or a changed trait; None if it stands.

        It is kept under a changed source as long as verdicts mean what they meant; a class is found
        by its name. If another verdict is in force, one that the source gives now becomes a
        "restore". None also for a "restore" with nothing to take back. `anchor` is what `anchor()`
        returned when the edit was made. Raises Refused if the question, the meaning of verdicts or
        the class is not there any more.
        """
        (asked, meaning_now) = self.anchor(trait, labels, edit)
        (was_asked, meant) = anchor
        if asked != was_asked:
            raise Refused("The question is another one now.")
        if meaning_now[:2] == meant[:2] and meaning_now != meant:
            raise Refused(
                "The trait was inverted, so yes and no mean something else now.",
            )
        if meaning_now != meant:
            raise Refused("The trait's verdicts mean something else now.")
        if edit.name is not None:
            if edit.name not in trait.class_names:
                raise Refused(f"There is no class {edit.name} any more.")
            edit = replace(edit, value=trait.class_names.index(edit.name))
        if edit.action == "restore" and labels.is_overruled:
            return edit
        if edit.action == "restore" or same(edit.value, labels.value):
            return None
        return Edit("restore") if _is_back(labels, edit) else edit

    def describe(self, edit: Edit, before: str, after: str) -> str:
        """Return what an edit did, in the past tense, as "changed the verdict: no → yes".

        A "restore" is "took the change back: yes → no". `before` and `after` are the verdict in
        words; if `before` is "", it is "gave the verdict: yes".
        """
        if edit.action == "restore":
            return f"took the change back: {before} → {after}"
        if not before:
            return f"gave the verdict: {after}"
        return f"changed the verdict: {before} → {after}"

    def brief(self, edit: Edit) -> str:
        return "taken back" if edit.action == "restore" else "verdict"


def _is_back(labels: Overrulable, edit: Edit) -> bool:
    """Return whether an edit gives an overruled verdict the value that the source gave.

    It is False if nobody overruled it, and for an edit that takes the change back itself.
    """
    is_given = edit.action == "overrule" and labels.is_overruled
    return is_given and same(edit.value, labels.found)


# -- stretches of the response in tables -----------------------------------------------------------


def pairs_schema(description: str) -> Table:
    """Return the JSON Schema of a list of [start, end] offsets in the response.

    Both are whole numbers from 0; that the end comes after the start is not in it.
    """
    offset = {"type": "integer", "minimum": 0}
    pair = {"type": "array", "items": offset, "minItems": 2, "maxItems": 2}
    return {"type": "array", "description": description, "items": pair}


def pair_faults(key: str, pairs: object, size: int, least: int) -> Iterator[Fault]:
    """Yield what is wrong with a list of [start, end] offsets; nothing if all is right.

    `key` is the table's key for the list; a fault is at (key,), or at (key, index) for one pair.
    `size` is the length of the response and `least` the fewest characters that a pair must span.
    """
    if not isinstance(pairs, list):
        wrong = f"must be a list of pairs [start, end], not {describe_value(pairs)}"
        yield Fault((key,), wrong)
        return
    for index, pair in enumerate(pairs):
        is_pair = isinstance(pair, list | tuple) and len(pair) == 2  # noqa: PLR2004
        if not is_pair or not all(map(is_count, pair)):
            yield Fault(
                (key, index),
                "must be a pair [start, end] of whole numbers from 0",
            )
        elif not pair[0] + least <= pair[1] <= size:
            yield Fault(
                (key, index),
                f"{pair} marks no part of a response of {many(size, 'character')}",
            )


def is_count(value: object) -> TypeGuard[int]:
    """Return whether a value is a whole number from 0."""
    return type(value) is int and value >= 0

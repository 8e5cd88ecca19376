"""Defines the scorer kind: inspect_ai's scorers, by rules of our own or graded by a judge.

A judge's table has `value` (a letter, a number, true or false, or a dictionary of them; nan or
"unscored" if it was left out), `answer` (what was extracted), `spans` (where that is in the
response), `explanation` (why) and `target` (what it was compared with).

A person gives a value, or says what the answer is, which is then scored again, or takes all of that
back.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice, starmap
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from appellate.core.kind import (
    Asked,
    Called,
    Check,
    Code,
    CodeSession,
    Computed,
    Fault,
    Figures,
    Instruction,
    Measure,
    NotComputed,
    Outcome,
    QueryField,
    Span,
    Table,
    TraitKind,
    asked_by,
    read_name,
    with_headline,
)
from appellate.core.problem import Refused, describe_value, quoted
from appellate.core.trace import Materials, Trace
from appellate.core.trait_pattern import PatternOfTrait
from appellate.stats.aggregates import value_to_float
from appellate.traits.evidence import Finder, selected, single_steps
from appellate.traits.matching import Offsets, Unmatched
from appellate.traits.scorer.labels import (
    ANY,
    LETTERS,
    UNSCORED,
    Edit,
    Labels,
    Ruling,
    Scalar,
    fits,
    legal,
    scalar,
    targets_of,
    texts,
    value_text,
    values_in,
    wanted,
)
from appellate.traits.scorer.spec import ScorePart, names_in, pattern_of
from appellate.traits.scorer.spec import ScorerRubricTrait as Trait
from appellate.traits.scorer.spec import majority as more_than_half
from appellate.traits.verdict.kind import UNANSWERED, pair_faults, pairs_schema

if TYPE_CHECKING:
    from appellate.traits.scorer.rules import Score

FEWEST = 3
"""An answer with fewer characters is not looked for: it would be found anywhere."""
_LONGEST = 80
"""The largest number of characters of an answer that queries can ask for."""


def _scores_the_same(trait: Trait, other: Trait) -> bool:
    """Return whether values of one trait hold for the other: they are scored alike.

    Name, summary and headline of the trait make no difference, nor do which end is good and which
    model grades. The description makes one only if a judge grades.
    """
    if trait.is_graded and trait.description != other.description:
        return False
    return trait.scored() == other.scored()


def compute(trait: Trait, trace: Trace) -> dict[str, Any]:
    """Return the judge's table of a scorer that asks nobody.

    It has value, explanation, spans and target, and the answer if one was extracted. Raises
    NotComputed with the reason: the trace has no reference, nothing can be compared with it, or a
    pattern takes too long.
    """
    # only where something is scored
    from appellate.traits.scorer.rules import Unscorable, scored

    targets = targets_of(trace)
    if not targets:
        raise NotComputed(
            "The trace has no reference, which is what the response is compared with.",
        )
    try:
        score = scored(trait, trace.own_words.text, targets, trace.choices or ())
    except (Unmatched, Unscorable) as failure:
        raise NotComputed(str(failure)) from None
    return table_of(score, trace, targets)


def table_of(score: "Score", trace: Trace, targets: Sequence[str]) -> dict[str, Any]:
    """Return a score as a judge's table has it: value, explanation, answer, spans and target.

    It is such as {"value": "C", "explanation": "", "answer": "42", "spans": [[3, 5]], "target":
    ["42"]}. Only the answer may be missing. An answer that is the whole response is not repeated; a
    single span of it is the answer then. The spans of the score are offsets in the assistant's own
    words, those of the table in the text that is judged.
    """
    own_words = trace.own_words
    answer = score.answer or ""
    if answer.strip().casefold() == own_words.text.strip().casefold():
        answer = ""
        if len(score.spans) == 1:
            start, end = score.spans[0]
            answer = own_words.text[start:end]
    table: dict[str, Any] = {
        "value": score.value,
        "explanation": score.explanation or "",
    }
    if answer:
        table["answer"] = answer
    table["spans"] = [list(own_words.in_text(span)) for span in score.spans]
    table["target"] = list(targets)
    return table


def _never(trait: Trait, trace: Trace) -> dict[str, Any]:
    """Raise NotComputed: functions run only in a session, which takes a permission."""
    raise NotComputed(f"{trait.function} was not run: that takes --allow-code.")


def _begin(folders: Sequence[str]) -> CodeSession[Trait]:
    """Return a session in which functions may run.

    Their modules are looked for in these folders first. No process is started yet.
    """
    from appellate.traits.scorer.running import ScorerRunner  # only where functions run

    return ScorerRunner(folders)


def _looked_at(trait: Trait) -> Materials | None:
    """Return the materials that the judge or rule of a scorer trait uses; None for recorded scores.

    For example {"response", "reference"}. Nobody knows what recorded scores are based on.
    """
    if trait.scorer == "recorded":
        return None
    return trait.material


FUNCTION = Computed(
    "callable",
    _never,
    _scores_the_same,
    Code(attrgetter("function"), _begin),
)
"""The source of a trait's scores if the trait names a function."""


class ScorerKind(TraitKind[Trait, Labels, Edit]):
    """The kind of traits that give a response one score or several, by a rule or by a judge."""

    name = "scorer"
    spec = Trait
    telling_keys = ("scorer",)
    label_schema = {
        "value": {
            "description": 'C, P, I or N, a number, true or false; "unscored"; or a table of them',
            "type": ["string", "number", "boolean", "object"],
            "additionalProperties": {"type": ["string", "number", "boolean"]},
        },
        "answer": {
            "type": "string",
            "description": "what was extracted from the response",
        },
        "spans": pairs_schema(
            "start and end of what was extracted, codepoints of the response",
        ),
        "named_step": {
            "type": "integer",
            "description": "the step of a conversation that the judge named, if it is another one",
        },
        "explanation": {"type": "string", "description": "why it matched or did not"},
        "target": {
            "type": ["string", "array"],
            "items": {"type": "string"},
            "description": "what the response was compared with",
        },
    }
    blank = Labels()
    asked = asked_by("appellate.traits.scorer.asking", _scores_the_same, _looked_at)
    computed = Computed("scorer", compute, _scores_the_same, material=_looked_at)
    positives = frozenset({"C", "yes"})
    unanswered = frozenset({UNANSWERED})
    fields = (
        QueryField(
            "value",
            "words.value",
            "values",
            "a score: C, P, I, N, a number, yes or no",
        ),
        QueryField(
            "extracted",
            "words.extracted",
            "text",
            "what was extracted from the response",
        ),
    )
    reading = (
        "A scorer gives a response a value: C (correct, 1), P (partly, 0.5), I (incorrect, 0), N"
        " (no answer, 0), a number, or yes and no (1 and 0). A value that was left out (unscored)"
        " is in no mean, and counted."
    )

    def patterns(self, trait: Trait) -> Sequence[PatternOfTrait]:
        """Return the patterns of the scorers `pattern` and `answer`, with their places.

        A place is the keys in the trait: ("pattern",), or ("scorers", 1, "pattern") for a member of
        a multi_scorer. That of `answer` is the expression that finds ANSWER:, not the setting
        "letter". A match of any is not by itself the trait's yes. Empty if there are none.
        """
        patterns: list[PatternOfTrait] = []
        pattern = pattern_of(trait)
        if pattern:
            patterns.append(PatternOfTrait(("pattern",), *pattern))
        for index, member in enumerate(trait.scorers):
            pattern = pattern_of(member)
            if pattern:
                patterns.append(PatternOfTrait(("scorers", index, "pattern"), *pattern))
        return patterns

    def lacking(self, trait: Trait, trace: Trace) -> str:
        """Return a sentence if a grader's template names what the trace lacks; "" if it does not.

        Only {criterion}, for the reference, and {question} are looked for. A trace with messages
        lacks no question. Metadata are not looked at.
        """
        for scorer in (trait, *trait.scorers):
            if not scorer.is_graded or scorer.template is None:
                continue
            names = names_in(scorer.template)
            if "criterion" in names and not targets_of(trace):
                return "The template has {criterion}, and the trace has no reference."
            has_question = bool(trace.question or trace.messages)
            if "question" in names and not has_question:
                return "The template has {question}, and the trace has no question."
        return ""

    def form(self, trait: Trait) -> str:
        return trait.scorer.replace("_", " ")

    def source(self, trait: Trait) -> Asked[Trait] | Computed[Trait]:
        """Return where the scores come from: a function, a judge, or a rule.

        Recorded scores count as those of a judge, and so do those of a multi_scorer with one graded
        member.
        """
        if trait.scorer == "callable":
            return FUNCTION
        is_asked = trait.is_graded or trait.scorer == "recorded"
        return self.asked if is_asked else self.computed

    # -- tables -----------------------------------------------------------------------------------

    def locate(self, trait: Trait, trace: Trace, table: Table) -> dict[str, Any]:
        """Return a table with its values in one form, and with the offsets of its answer.

        For example {"value": "C", "answer": "Paris", "spans": [[6, 11]], "target": ["Paris"]};
        `named_step` and `explanation` may be there too, and other keys are dropped. Offsets that it
        has stay. Otherwise the answer is looked for, unless a rule extracted it or it has fewer
        than three characters; one that is nowhere has the spans []. A step that the judge named
        stays unless the answer is there. The target is that of the trace if the table has none. An
        explanation that only repeats the response is left out. `table` is not changed.
        """
        values = values_in(trait, table)
        located: dict[str, Any] = {"value": values.get("", values)}
        answer = table.get("answer") or ""
        explanation = table.get("explanation") or ""
        if answer:
            located["answer"] = answer
        spans = table.get("spans")
        named_step = table.get("named_step")
        finder = Finder.of(trace)
        if spans is None and not trait.takes_answer and len(answer.strip()) >= FEWEST:
            spans = finder.find_parts(answer, step_no=named_step)
        if spans is not None:
            located["spans"] = list(map(list, spans))
        steps = {finder.step_no((start, end)) for start, end in spans or ()}
        if named_step is not None and steps != {named_step}:
            located["named_step"] = named_step
        # so inspect_ai explains what is no judge's
        if explanation and explanation.strip() != trace.text.strip():
            located["explanation"] = explanation
        # what a person's answer is scored by later must not follow a reference that is changed
        located["target"] = texts(table.get("target") or targets_of(trace))
        return located

    def labels(self, trait: Trait, trace: Trace, table: Table) -> Labels:
        """Return the labels of a table that `locate` has made.

        Its values are both current and proposed. A span over several steps of a conversation is
        divided.
        """
        spans = [(start, end) for start, end in table.get("spans", ())]
        single_spans = tuple(single_steps(trace, spans))
        ruling = Ruling(
            values_in(trait, table),
            table.get("answer", ""),
            single_spans,
            table.get("explanation", ""),
            table.get("named_step"),
        )
        return Labels(ruling, ruling, tuple(texts(table.get("target", ()))))

    def write(self, labels: Labels) -> dict[str, Any]:
        """Return the labels as a judgment of an audit file has them.

        For example {"audited": {"value": 3, "answer": "42", "spans": [[0, 2]]}}. The value is the
        current one, a dictionary by key if the trait has keys. What is empty is left out, so that
        blank labels give {"audited": {}}.
        """
        ruling = labels.standing
        audited: dict[str, Any] = {}
        if ruling.values:
            audited["value"] = ruling.values.get("", dict(ruling.values))
        if ruling.answer:
            audited["answer"] = ruling.answer
        if ruling.spans:
            audited["spans"] = list(map(list, ruling.spans))
        return {"audited": audited}

    def faults(
        self,
        trait: Trait | None,
        trace: Trace,
        table: Table,
    ) -> Iterator[Fault]:
        """Yield what is wrong with a table: its value, types and spans; nothing if it is right.

        `items`, which other kinds have, is a fault here. Other keys that are not known are none.
        Without a trait, any value is right that some trait could have.
        """
        yield from _value_faults(trait, table.get("value"))
        for key in ("answer", "explanation"):
            text_there = table.get(key, "")
            if not isinstance(text_there, str):
                yield Fault((key,), f"must be text, not {describe_value(text_there)}")
        named_step = table.get("named_step")
        if named_step is not None and type(named_step) is not int:
            wrong = f"must be the number of a step, not {describe_value(named_step)}"
            yield Fault(("named_step",), wrong)
        if "items" in table:
            wrong = "a scorer trait has no items"
            yield Fault(
                ("items",),
                wrong,
                "spans = [[start, end], …] says where the answer is",
            )
        target = table.get("target", [])
        is_list_of_texts = isinstance(target, list) and set(map(type, target)) <= {str}
        if not (is_list_of_texts or isinstance(target, str)):
            yield Fault(("target",), "must be a text, or a list of texts")
        yield from pair_faults(
            "spans",
            table.get("spans", []),
            len(trace.text),
            least=1,
        )

    def majority(
        self,
        trait: Trait,
        trace: Trace,
        tables: Sequence[Table],
    ) -> dict[str, Any]:
        """Return the table of what more than half of the graders say, for each part of the score.

        A part without such a majority is unscored. With `reducer = "mode"` the most frequent value
        wins instead, the first of equally frequent ones, and "unscored" may win, too; a
        multi_scorer always goes by the majority. Parts that no grader has are left out. If a grader
        says all of that, a copy of the table of the first one is returned. Otherwise it is a new
        table, whose explanation is such as "The graders do not agree: C, I, P.".
        """
        values_of_tables = [values_in(trait, table) for table in tables]
        chosen: dict[str, Scalar] = {}
        votes = []
        for part in trait.parts:
            if all(
                part.key not in values_of_table for values_of_table in values_of_tables
            ):
                continue
            values = [
                values_of_table.get(part.key, UNSCORED)
                for values_of_table in values_of_tables
            ]
            if trait.reducer == "mode" and trait.scorer != "multi_scorer":
                chosen[part.key] = max(values, key=values.count)
            else:
                typed_values: list[tuple[type, Any]] = []
                for value in values:
                    if value != UNSCORED:
                        typed_values.append((type(value), value))
                winner = more_than_half(typed_values, len(values))
                chosen[part.key] = UNSCORED
                if winner is not None:
                    _, chosen[part.key] = winner
            votes.append(
                f"{part.key}: {', '.join(map(value_text, values))}".removeprefix(": "),
            )
        for table, values_of_table in zip(tables, values_of_tables, strict=True):
            if values_of_table == chosen:
                return dict(table)
        text = f"The graders do not agree: {'; '.join(votes)}."
        return {"value": chosen.get("", chosen), "explanation": text, "spans": []}

    # -- numbers ----------------------------------------------------------------------------------

    def measures(self, trait: Trait) -> Sequence[Measure]:
        """Return a measure for each value, in the order of the trait's parts.

        It is called "score", or "score." and the key for a value of a dictionary. The one that the
        trait's `headline` names is marked as that.
        """
        measures = []
        for part in trait.parts:
            short = part.key or "Score"
            word = "" if part.key else "value"
            better = trait.higher_is_better
            measures.append(
                Measure(
                    part.measure_name,
                    short,
                    part.low,
                    part.high,
                    better,
                    word=word,
                ),
            )
        return tuple(with_headline(measures, trait.headline))

    def measure(self, trait: Trait, labels: Labels) -> Figures:
        """Return each value as a number and in words, and the extracted answer.

        There are no counts. A number is called "score", or "score." and the key for a value of a
        dictionary. Letters count as C 1, P 0.5, I and N 0. A value that is missing or unscored has
        no number; the unscored are named. The word "value" has all values, with their keys, as "a
        1, b C". The word "extracted" is the answer on one line, cut to 80 characters. Either is
        left out if there is none.
        """
        numbers = dict[str, float | None]()
        unscored = set()
        values = labels.standing.values
        answer = labels.standing.answer
        for part in trait.parts:
            name = part.measure_name
            value = values.get(part.key)
            numbers[name] = None
            if value == UNSCORED:
                unscored.add(name)
            elif value is not None:
                numbers[name] = value_to_float(value)
        words = {}
        if values:
            value_texts = [
                f"{key} {value_text(value)}".strip() for key, value in values.items()
            ]
            words["value"] = ", ".join(value_texts)
        if answer.strip():
            words["extracted"] = " ".join(answer.split())[:_LONGEST]
        return Figures.of(numbers, {}, words=words, unscored=frozenset(unscored))

    def likeness(self, labels: Labels) -> str:
        """Return what makes labels alike, as a text to compare.

        These are the values, the answer, and whether the answer is in the response.
        """
        ruling = labels.standing
        return repr((ruling.values, ruling.answer, bool(ruling.spans)))

    def checks(self, trait: Trait, labels: Labels) -> list[Check]:
        """Return a check for each value outside of its scale, and for an answer not in the text.

        Those of values are named "breach" and say such as "The score tone is 7, outside of 0 to
        1.". That of the answer is "unverified". The answer is the standing one, a judge's or a
        person's, and is looked at only if a judge grades the trait; 60 letters of it are quoted.
        Empty if nothing is wrong.
        """
        faults: list[Check] = []
        ruling = labels.standing
        for part in trait.parts:
            value = ruling.of(part.key)
            if value is None or fits(part, value):
                continue
            name = f"The score {part.key}".rstrip()
            _, _, scale = part.span.partition(" ")
            wrong = f"{name} is {value_text(value)}, outside of {scale}."
            faults.append(Check("breach", wrong))
        is_found = bool(ruling.spans)
        if ruling.answer and trait.is_graded and not is_found:
            on_one_line = " ".join(ruling.answer.split())
            text_name = read_name(trait)
            wrong = f"“{on_one_line[:60]}” is not in the {text_name}."
            faults.append(Check("unverified", wrong))
        return faults

    def evidence(self, trait: Trait, labels: Labels) -> list[Span]:
        return list(starmap(Span, labels.standing.spans))

    # -- answers ----------------------------------------------------------------------------------

    def answers(self, trait: Trait, labels: Labels) -> Mapping[Instruction, str]:
        """Return each value as a word, by the question that it answers.

        That is the trait's own, or the key for a value of a dictionary. A word is such as "C",
        "0.67", "yes" or "unscored"; a missing value is "unanswered".
        """
        answer_to: dict[Instruction, str] = {}
        for number, part in enumerate(trait.parts, 1):
            question = Instruction("score", number, part.key or trait.question)
            value = labels.standing.of(part.key)
            answer_to[question] = value_text(value) or UNANSWERED
        return answer_to

    def vocabulary(self, trait: Trait) -> Sequence[str]:
        """Return C, P, I and N, then "unscored" and "unanswered", if all values are letters.

        All four are there, whether or not the scorer gives partial credit. Empty otherwise, since
        numbers cannot be listed.
        """
        if all(map(attrgetter("is_letter"), trait.parts)):
            return (*LETTERS, UNSCORED, UNANSWERED)
        return ()

    def called(self, trait: Trait, labels: Labels, asked: Instruction) -> Called:
        """Return how tables name a value: by its key, and by the words of the question.

        The key of a single value is "".
        """
        return Called(trait.parts[asked.number - 1].key, asked.text)

    # -- corrections ------------------------------------------------------------------------------

    def edit(self, row: Table) -> Edit:
        """Return the edit in a row of a fact or file.

        Raises ValueError for an unknown action, a value of a wrong type, and "overrule" without a
        value.
        """
        edit = Edit.from_row(row)
        if edit.action == "overrule" and edit.value is None:
            raise ValueError('action = "overrule" has a value')
        return edit

    def permit(self, trait: Trait, trace: Trace, labels: Labels, edit: Edit) -> Edit:
        """Return an edit as it is kept; nothing is refused here.

        If a value or the answer is changed, an "overrule" that gives back all that the scorer gave,
        values and answer, becomes a "restore", which takes the change back. Others are returned
        unchanged, also those that `apply` will refuse.
        """
        if edit.action != "overrule" or not labels.is_overruled:
            return edit
        part = trait.part(edit.key)
        proposed = labels.proposed
        if part is None or proposed is None:
            return edit
        value = scalar(part, edit.value)
        if value is None:
            return edit
        overruled = _with_value(trait, labels.standing, edit.key, value)
        if replace(overruled, why=proposed.why) == proposed:
            return Edit("restore")
        return edit

    def apply(
        self,
        trait: Trait,
        trace: Trace,
        labels: Labels,
        edit: Edit,
    ) -> Outcome[Labels]:
        """Return the labels after an edit, and the value in words before and after it.

        "overrule" gives a value, "answer" an answer to be scored; "restore" takes both back to what
        was proposed. The words are those of `value_text`, "" for no value; several values have
        their keys. For "answer" the answer, if there is one, comes first, as “42”, C. What the
        scorer gave stays known. Raises Refused for an edit that changes nothing or does not fit the
        trait, and for an answer that cannot be scored.
        """
        before = labels.standing
        if edit.action == "answer":
            after = _answered(trait, trace, labels, edit)
            if after == before:
                raise Refused("That is the answer already.")
            outcome = _answer_in_words(before), _answer_in_words(after)
        else:
            if edit.action == "overrule":
                after = _overruled(trait, before, edit)
            elif labels.proposed is None or not labels.is_overruled:
                raise Refused("Nobody changed the score here.")
            else:
                after = labels.proposed
            outcome = (
                _values_in_words(before, edit.key),
                _values_in_words(after, edit.key),
            )
        return Outcome(replace(labels, standing=after), *outcome)

    def anchor(self, trait: Trait, labels: Labels, edit: Edit) -> ScorePart | None:
        """Return the part of the score that an edit gave, or None if the trait has no such key."""
        return trait.part(edit.key)

    def carried(
        self,
        trait: Trait,
        labels: Labels,
        edit: Edit,
        anchor: ScorePart | None,
    ) -> Edit | None:
        """Return an edit unchanged if it still changes something in other labels, else None.

        It changes nothing if the value is there already, or if it takes back a change and there is
        none. An answer is always given again, to be scored there. `anchor` is the part of the score
        that the edit gave; a value without one is refused. Raises Refused if the value's key is no
        longer there, if the value would mean something else now, or if no rule scores an answer any
        more.
        """
        if edit.action == "restore":
            if labels.is_overruled:
                return edit
            return None
        if edit.action == "answer":
            if not trait.takes_answer:
                raise Refused("No rule scores the answer any more.")
            return edit
        part = trait.part(edit.key)
        if part is None:
            raise Refused(f"There is no value {edit.key} any more.")
        if part != anchor:
            raise Refused("The value means something else now.")
        if labels.standing.of(edit.key) == scalar(part, edit.value):
            return None
        return edit

    def describe(self, edit: Edit, before: str, after: str) -> str:
        """Return what an edit did, in the past tense, such as "changed the score of tone: C → I".

        `before` and `after` are the value or the answer in words; `before` is "" if there was none,
        and then it says "gave the score: I". A restored score is "took the change back: I → C".
        """
        change = f"{before} → {after}"
        if edit.action == "restore":
            return f"took the change back: {change}"
        subject = "the answer"
        if edit.action == "overrule":
            subject = "the score"
            if edit.key:
                subject = f"the score of {edit.key}"
        if not before:
            return f"gave {subject}: {after}"
        return f"changed {subject}: {change}"

    def brief(self, edit: Edit) -> str:
        """Return the sort of an edit in a word or two: "score", "answer" or "taken back"."""
        return {"restore": "taken back", "answer": "answer", "overrule": "score"}[
            edit.action
        ]


KIND = ScorerKind()


def _value_faults(trait: Trait | None, value: object) -> Iterator[Fault]:
    """Yield what is wrong with the value of a table; nothing if it is right.

    A value must be there. For a trait with keys it must be a table with at least one of these, but
    not necessarily all, and with no other key. Every value must be one that its key can have.
    Without a trait it may also be a table with any keys, but not an empty one, and every value must
    be one that `legal` reads as a letter, number, boolean or "unscored".
    """
    if value is None:
        yield Fault(
            ("value",),
            "is missing",
            "value is C, P, I or N, a number, true or false",
        )
        return
    part_by_key = {part.key: part for part in _parts(trait, value)}
    values: Mapping[str, object] = {"": value}
    if "" not in part_by_key:
        if not isinstance(value, dict):
            keys = ", ".join(part_by_key)
            yield Fault(
                ("value",),
                f"must be a table of {keys}, not {describe_value(value)}",
            )
            return
        if not value:
            yield Fault(("value",), "is an empty table", "give a value for each key")
        values = value
    for key, entry in values.items():
        path: tuple[str, ...] = ("value", key)
        if "" in part_by_key:
            path = ("value",)
        if key not in part_by_key:
            yield Fault(path, f"the trait has no value {quoted(key)}")
        elif legal(part_by_key[key], entry) is None:
            right = wanted(part_by_key[key])
            shown_value = describe_value(entry)
            yield Fault(path, f"must be {right}, not {shown_value}")


def _parts(trait: Trait | None, value: object) -> Sequence[ScorePart]:
    """Return the parts of a trait's score, or for None those that `value` has.

    Without a trait they have no bounds: {"a": 1, "b": 2} has the parts "a" and "b", and any other
    value, also an empty dictionary, has a single one with the key "".
    """
    if trait is not None:
        return trait.parts
    if isinstance(value, dict) and value:
        return [ANY._replace(key=str(key)) for key in value]
    return [ANY]


# -- what an edit does -----------------------------------------------------------------------------


def _with_value(
    trait: Trait,
    standing: Ruling,
    key: str,
    value: Scalar,
) -> Ruling:
    """Return a ruling with another value for a key, in the order of the trait's parts.

    Its explanation is dropped. Its answer stays, and so do values of other keys that the trait has.
    """
    values = {**standing.values, key: value}
    ordered_values = {
        part.key: values[part.key] for part in trait.parts if part.key in values
    }
    return replace(standing, values=ordered_values, why="")


def _overruled(trait: Trait, standing: Ruling, edit: Edit) -> Ruling:
    """Return the ruling with a person's value in place of the one of the edit's key.

    Raises Refused for an unknown key, and for a value that is there already or does not fit.
    """
    part = trait.part(edit.key)
    if part is None:
        known_keys = ", ".join(part.key for part in trait.parts) or "one"
        raise Refused(f"There is no value {edit.key}; the values are: {known_keys}.")
    value = legal(part, edit.value)
    if value is None:
        raise Refused(f"The value here is {wanted(part)}.")
    if standing.of(edit.key) == value:
        raise Refused(
            f"The value is {value_text(value)} already: {{cell.sign:a}} signs it off.",
        )
    return _with_value(trait, standing, edit.key, value)


def _answered(trait: Trait, trace: Trace, labels: Labels, edit: Edit) -> Ruling:
    """Return the ruling on the answer that a person gives, scored by the trait's rule.

    The answer is compared with the target of the labels, else with the trace's. Selected words take
    precedence over typed ones. A typed answer has a span if it stands in the text as whole words; a
    short one only if it stands there once. Raises Refused if no rule scores answers, if there is
    nothing to compare with, for a blank answer, for one that the rule cannot score, and for
    selected words that are not in one step of the text.
    """
    # only where something is scored
    from appellate.traits.scorer.rules import Unscorable, scored

    if not trait.takes_answer:
        raise Refused("No rule scores the answer here: give the value itself.")
    targets = labels.target or tuple(targets_of(trace))
    if not targets:
        raise Refused(
            "The trace has no reference to score an answer by: give the value itself.",
        )
    if edit.span is None:
        answer = (edit.text or "").strip()
        spans = _typed_places(trace, answer)
    else:
        text = selected(trace, edit.span, "words do")
        answer = text.strip()
        start = edit.span[0] + len(text) - len(text.lstrip())
        spans = ((start, start + len(answer)),)
    if not answer:
        raise Refused(
            "Say what the answer is, or select it in the response ({text.select:v}).",
        )
    try:
        score = scored(trait, answer, targets, trace.choices or (), extracted=True)
    except Unscorable as failure:
        raise Refused(str(failure)) from None
    values = values_in(trait, {"value": score.value})
    return Ruling(values, answer, spans, score.explanation or "")


def _typed_places(trace: Trace, answer: str) -> tuple[Offsets, ...]:
    """Return the first span where a typed answer stands as whole words, in a tuple, or ().

    One of fewer than three characters must be there only once. In a conversation the assistant's
    steps are searched, and those of others only if it is nowhere there. A place over several steps
    does not count, nor does any after the second place. Case counts.
    """
    own_words = trace.own_words
    candidates: list[Offsets] = []
    for span in _places_of_words(own_words.text, answer):
        candidates.append(own_words.in_text(span))
    if not candidates and trace.transcript is not None:
        candidates = list(_places_of_words(trace.text, answer))
    single_spans: list[Offsets] = []
    for span in candidates:
        if single_steps(trace, [span]) == [span]:
            single_spans.append(span)
    if not single_spans:
        return ()
    if len(single_spans) > 1 and len(answer) < FEWEST:
        return ()
    return (single_spans[0],)


def _places_of_words(text: str, words: str) -> Iterator[Offsets]:
    """Yield the first two spans of a text where some words stand as whole words, in the same case.

    Yields nothing for "".
    """
    if not words:
        return
    as_whole_words = rf"(?<!\w){re.escape(words)}(?!\w)"
    matches = re.finditer(as_whole_words, text)
    for match in islice(matches, 2):
        yield match.span()


def _values_in_words(ruling: Ruling, key: str) -> str:
    """Return the value of a key in a word, "" if there is none.

    For the key "" of a dictionary, return all values, each with its key, as "a 1, b 0.5".
    """
    if key or ruling.value is not None:
        return value_text(ruling.of(key))
    texts: list[str] = []
    for name, value in ruling.values.items():
        texts.append(f"{name} {value_text(value)}")
    return ", ".join(texts)


def _answer_in_words(ruling: Ruling) -> str:
    """Return the answer in quotation marks and then the values of a ruling, such as “42”, C.

    Without an answer, return the values alone; "" if there are none either.
    """
    text = _values_in_words(ruling, "")
    if ruling.answer:
        return f"“{ruling.answer}”, {text}"
    return text

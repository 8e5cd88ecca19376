"""The scorer kind: inspect_ai's scorers, by rules of our own or graded by a judge.

A judge's table has `value` (a letter, a number, true or false, or a dictionary of them; nan or
"unscored" where it was left out), `answer` (what was extracted), `spans` (where that is in the
response), `explanation` (why) and `target` (what it was compared with).

A person gives a value by hand, says what the answer is (which is scored again), or takes all of
that back.
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
"""An answer of fewer characters is looked for nowhere: it would be found anywhere."""
_LONGEST = 80
"""So many characters of an answer can be asked for."""


def _scores_the_same(trait: Trait, other: Trait) -> bool:
    if trait.is_graded and trait.description != other.description:
        return False
    return trait.scored() == other.scored()


def compute(trait: Trait, trace: Trace) -> dict[str, Any]:
    """The table of a scorer that asks nobody; raises NotComputed with why there is none."""
    from appellate.traits.scorer.rules import Unscorable, scored  # only where something is scored

    targets = targets_of(trace)
    if not targets:
        raise NotComputed(
            "The trace has no reference, which is what the response is compared with."
        )
    try:
        found = scored(trait, trace.own_words.text, targets, trace.choices or ())
    except (Unmatched, Unscorable) as failure:
        raise NotComputed(str(failure)) from None
    return table_of(found, trace, targets)


def table_of(found: "Score", trace: Trace, targets: Sequence[str]) -> dict[str, Any]:
    """A score as a judge's table has it; an answer that is the whole response is not repeated.

    The spans of the score are of the assistant's own words, those of the table of the text that is
    judged.
    """
    own = trace.own_words
    answer = found.answer or ""
    if answer.strip().casefold() == own.text.strip().casefold():
        answer = ""
        if len(found.spans) == 1:
            start, end = found.spans[0]
            answer = own.text[start:end]
    table: dict[str, Any] = {"value": found.value, "explanation": found.explanation or ""}
    if answer:
        table["answer"] = answer
    spans = [list(own.in_text(span)) for span in found.spans]
    return {**table, "spans": spans, "target": list(targets)}


def _never(trait: Trait, trace: Trace) -> dict[str, Any]:  # noqa: ARG001
    """Runs nothing: a function runs in a session alone, which takes a permission."""
    raise NotComputed(f"{trait.function} was not run: that takes --allow-code.")


def _begin(folders: Sequence[str]) -> CodeSession[Trait]:
    """Functions that may run, whose modules are looked for in these folders first."""
    from appellate.traits.scorer.running import ScorerRunner  # only where functions run

    return ScorerRunner(folders)


def _looked_at(trait: Trait) -> Materials | None:
    """Return what a judge or a rule looks at; None of scores that come with the traces."""
    if trait.scorer == "recorded":
        return None
    return trait.material


FUNCTION = Computed("callable", _never, _scores_the_same, Code(attrgetter("function"), _begin))
"""Where the scores of a trait come from that has a function."""


class ScorerKind(TraitKind[Trait, Labels, Edit]):
    """A score, or several, by a rule or by a judge."""

    name = "scorer"
    spec = Trait
    telling_keys = ("scorer",)
    label_schema = {
        "value": {
            "description": 'C, P, I or N, a number, true or false; "unscored"; or a table of them',
            "type": ["string", "number", "boolean", "object"],
            "additionalProperties": {"type": ["string", "number", "boolean"]},
        },
        "answer": {"type": "string", "description": "what was extracted from the response"},
        "spans": pairs_schema("start and end of what was extracted, codepoints of the response"),
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
        QueryField("value", "words.value", "values", "a score: C, P, I, N, a number, yes or no"),
        QueryField("extracted", "words.extracted", "text", "what was extracted from the response"),
    )
    reading = (
        "A scorer gives a response a value: C (correct, 1), P (partly, 0.5), I (incorrect, 0), N"
        " (no answer, 0), a number, or yes and no (1 and 0). A value that was left out (unscored)"
        " is in no mean, and counted."
    )

    def patterns(self, trait: Trait) -> Sequence[PatternOfTrait]:
        """Those of the scorers `pattern` and `answer`, the members of a multi_scorer included."""
        found: list[PatternOfTrait] = []
        pattern = pattern_of(trait)
        if pattern:
            found.append(PatternOfTrait(("pattern",), *pattern))
        for index, member in enumerate(trait.scorers):
            pattern = pattern_of(member)
            if pattern:
                found.append(PatternOfTrait(("scorers", index, "pattern"), *pattern))
        return found

    def lacking(self, trait: Trait, trace: Trace) -> str:
        """That a template of a grader names what the trace has not."""
        for one in (trait, *trait.scorers):
            if not one.is_graded or one.template is None:
                continue
            names = names_in(one.template)
            if "criterion" in names and not targets_of(trace):
                return "The template has {criterion}, and the trace has no reference."
            if "question" in names and not (trace.question or trace.messages):
                return "The template has {question}, and the trace has no question."
        return ""

    def form(self, trait: Trait) -> str:
        return trait.scorer.replace("_", " ")

    def source(self, trait: Trait) -> Asked[Trait] | Computed[Trait]:
        if trait.scorer == "callable":
            return FUNCTION
        is_asked = trait.is_graded or trait.scorer == "recorded"
        return self.asked if is_asked else self.computed

    # -- tables -----------------------------------------------------------------------------------

    def locate(self, trait: Trait, trace: Trace, table: Table) -> dict[str, Any]:
        """A table with its values in one form, and the place of its answer."""
        values = values_in(trait, table)
        found: dict[str, Any] = {"value": values.get("", values)}
        answer = table.get("answer") or ""
        why = table.get("explanation") or ""
        if answer:
            found["answer"] = answer
        spans = table.get("spans")
        named_step = table.get("named_step")
        finder = Finder.of(trace)
        if spans is None and not trait.takes_answer and len(answer.strip()) >= FEWEST:
            spans = finder.find_parts(answer, step_no=named_step)
        if spans is not None:
            found["spans"] = list(map(list, spans))
        steps = {finder.step_no((start, end)) for start, end in spans or ()}
        if named_step is not None and steps != {named_step}:
            found["named_step"] = named_step
        if why and why.strip() != trace.text.strip():  # so inspect_ai explains what is no judge's
            found["explanation"] = why
        found["target"] = texts(table.get("target", targets_of(trace)))
        return found

    def labels(self, trait: Trait, trace: Trace, table: Table) -> Labels:
        given = [(start, end) for start, end in table.get("spans", ())]
        places = tuple(single_steps(trace, given))
        ruling = Ruling(
            values_in(trait, table),
            table.get("answer", ""),
            places,
            table.get("explanation", ""),
            table.get("named_step"),
        )
        return Labels(ruling, ruling, tuple(texts(table.get("target", ()))))

    def write(self, labels: Labels) -> dict[str, Any]:
        one = labels.standing
        audited: dict[str, Any] = {}
        if one.values:
            audited["value"] = one.values.get("", dict(one.values))
        if one.answer:
            audited["answer"] = one.answer
        if one.spans:
            audited["spans"] = list(map(list, one.spans))
        return {"audited": audited}

    def faults(self, trait: Trait | None, trace: Trace, table: Table) -> Iterator[Fault]:
        yield from _value_faults(trait, table.get("value"))
        for key in ("answer", "explanation"):
            given = table.get(key, "")
            if not isinstance(given, str):
                yield Fault((key,), f"must be text, not {describe_value(given)}")
        named_step = table.get("named_step")
        if named_step is not None and type(named_step) is not int:
            wrong = f"must be the number of a step, not {describe_value(named_step)}"
            yield Fault(("named_step",), wrong)
        if "items" in table:
            wrong = "a scorer trait has no items"
            yield Fault(("items",), wrong, "spans = [[start, end], …] says where the answer is")
        target = table.get("target", [])
        listed = isinstance(target, list) and set(map(type, target)) <= {str}
        if not (listed or isinstance(target, str)):
            yield Fault(("target",), "must be a text, or a list of texts")
        yield from pair_faults("spans", table.get("spans", []), len(trace.text), least=1)

    def majority(self, trait: Trait, trace: Trace, tables: Sequence[Table]) -> dict[str, Any]:
        """The table of what more than half of the graders say, unscored where no value has so many.

        With `reducer = "mode"` it is what most of them say; even votes go with the first.
        """
        given = [values_in(trait, table) for table in tables]
        chosen: dict[str, Scalar] = {}
        votes = []
        for part in trait.parts:
            if all(part.key not in own for own in given):
                continue
            values = [own.get(part.key, UNSCORED) for own in given]
            if trait.reducer == "mode" and trait.scorer != "multi_scorer":
                chosen[part.key] = max(values, key=values.count)
            else:
                known = [(type(value), value) for value in values if value != UNSCORED]
                _, chosen[part.key] = more_than_half(known, len(values)) or (str, UNSCORED)
            votes.append(f"{part.key}: {', '.join(map(value_text, values))}".removeprefix(": "))
        for table, own in zip(tables, given, strict=True):
            if own == chosen:
                return dict(table)
        text = f"The graders do not agree: {'; '.join(votes)}."
        return {"value": chosen.get("", chosen), "explanation": text, "spans": []}

    # -- numbers ----------------------------------------------------------------------------------

    def measures(self, trait: Trait) -> Sequence[Measure]:
        """One for each value: "score", or of a dictionary "score." with the key."""
        found = []
        for part in trait.parts:
            short = part.key or "Score"
            word = "" if part.key else "value"
            better = trait.higher_is_better
            found.append(Measure(_name_of(part), short, part.low, part.high, better, word=word))
        return tuple(found)

    def measure(self, trait: Trait, labels: Labels) -> Figures:
        """Each value as a number, 0/0 while there is none, and in words."""
        numbers = dict[str, float | None]()
        unscored = set()
        values = labels.standing.values
        answer = labels.standing.answer
        for part in trait.parts:
            name = _name_of(part)
            value = values.get(part.key)
            numbers[name] = None
            if value == UNSCORED:
                unscored.add(name)
            elif value is not None:
                numbers[name] = value_to_float(value)
        words = {}
        if values:
            given = [f"{key} {value_text(value)}".strip() for key, value in values.items()]
            words["value"] = ", ".join(given)
        if answer.strip():
            words["extracted"] = " ".join(answer.split())[:_LONGEST]
        return Figures.of(numbers, {}, words=words, unscored=frozenset(unscored))

    def likeness(self, labels: Labels) -> str:
        """The values, the answer, and whether that is in the response."""
        one = labels.standing
        return repr((one.values, one.answer, bool(one.spans)))

    def checks(self, trait: Trait, labels: Labels) -> list[Check]:
        """A value outside of its scale, and an answer that a judge gave, but that is not there."""
        found = []
        one = labels.standing
        for part in trait.parts:
            value = one.of(part.key)
            if value is not None and not fits(part, value):
                text = f"The score {part.key}".rstrip()
                scale = f"{part.low:g} to {part.high:g}"
                wrong = f"{text} is {value_text(value)}, outside of {scale}."
                found.append(Check("breach", wrong))
        if one.answer and not one.spans and trait.is_graded:
            shown = " ".join(one.answer.split())[:60]
            found.append(Check("unverified", f"“{shown}” is not in the {read_name(trait)}."))
        return found

    def evidence(self, trait: Trait, labels: Labels) -> list[Span]:
        return list(starmap(Span, labels.standing.spans))

    # -- answers ----------------------------------------------------------------------------------

    def answers(self, trait: Trait, labels: Labels) -> Mapping[Instruction, str]:
        """Each value in a word, as the answer to the trait's question, or to that of its key."""
        found = {}
        for number, part in enumerate(trait.parts, 1):
            asked = Instruction("score", number, part.key or trait.question)
            found[asked] = value_text(labels.standing.of(part.key)) or UNANSWERED
        return found

    def vocabulary(self, trait: Trait) -> Sequence[str]:
        """Letters, where all values are such."""
        if all(map(attrgetter("is_letter"), trait.parts)):
            return (*LETTERS, UNSCORED, UNANSWERED)
        return ()

    def called(self, trait: Trait, labels: Labels, asked: Instruction) -> Called:
        """A value by its key; the only one by the question."""
        return Called(trait.parts[asked.number - 1].key, asked.text)

    # -- corrections ------------------------------------------------------------------------------

    def edit(self, row: Table) -> Edit:
        edit = Edit.from_row(row)
        if edit.action == "overrule" and edit.value is None:
            raise ValueError('action = "overrule" has a value')
        return edit

    def permit(self, trait: Trait, trace: Trace, labels: Labels, edit: Edit) -> Edit:
        """The same; to give what the scorer says is to take a change back."""
        part = trait.part(edit.key)
        proposed = labels.proposed
        if edit.action != "overrule" or part is None or proposed is None or not labels.is_overruled:
            return edit
        given = _with(trait, labels.standing, edit.key, scalar(part, edit.value))
        if replace(given, why=proposed.why) == proposed:
            return Edit("restore")
        return edit

    def apply(self, trait: Trait, trace: Trace, labels: Labels, edit: Edit) -> Outcome[Labels]:
        """The value before and after; of an answer with that."""
        before = labels.standing
        if edit.action == "answer":
            after = _answered(trait, trace, labels, edit)
            if after == before:
                raise Refused("That is the answer already.")
            outcome = _with_answer(before), _with_answer(after)
        else:
            if edit.action == "overrule":
                after = _overruled(trait, before, edit)
            elif labels.proposed is None or not labels.is_overruled:
                raise Refused("Nobody changed the score here.")
            else:
                after = labels.proposed
            outcome = _shown(before, edit.key), _shown(after, edit.key)
        return Outcome(replace(labels, standing=after), *outcome)

    def anchor(self, trait: Trait, labels: Labels, edit: Edit) -> ScorePart | None:
        """The sort of value that an edit gave."""
        return trait.part(edit.key)

    def carried(
        self, trait: Trait, labels: Labels, edit: Edit, anchor: ScorePart | None
    ) -> Edit | None:
        """A person's value is about the response: kept, unless it would mean something else."""
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
        change = f"{before} → {after}"
        if edit.action == "restore":
            return f"took the change back: {change}"
        what = "the answer"
        if edit.action == "overrule":
            what = "the score"
            if edit.key:
                what = f"the score of {edit.key}"
        if not before:
            return f"gave {what}: {after}"
        return f"changed {what}: {change}"

    def brief(self, edit: Edit) -> str:
        return {"restore": "taken back", "answer": "answer", "overrule": "score"}[edit.action]


KIND = ScorerKind()


def _name_of(part: ScorePart) -> str:
    return f"score.{part.key}".rstrip(".")


def _value_faults(trait: Trait | None, given: object) -> Iterator[Fault]:
    if given is None:
        yield Fault(("value",), "is missing", "value is C, P, I or N, a number, true or false")
        return
    known = {part.key: part for part in _parts(trait, given)}
    values: Mapping[str, object] = {"": given}
    if "" not in known:
        if not isinstance(given, dict):
            keys = ", ".join(known)
            yield Fault(("value",), f"must be a table of {keys}, not {describe_value(given)}")
            return
        if not given:
            yield Fault(("value",), "is an empty table", "give a value for each key")
        values = given
    for key, value in values.items():
        path: tuple[str, ...] = ("value", key)
        if "" in known:
            path = ("value",)
        if key not in known:
            yield Fault(path, f"the trait has no value {quoted(key)}")
        elif legal(known[key], value) is None:
            yield Fault(path, f"must be {wanted(known[key])}, not {describe_value(value)}")


def _parts(trait: Trait | None, given: object) -> Sequence[ScorePart]:
    """The values that there are; of an unknown trait those that are given."""
    if trait is not None:
        return trait.parts
    if isinstance(given, dict) and given:
        return [ANY._replace(key=str(key)) for key in given]
    return [ANY]


# -- what an edit does -----------------------------------------------------------------------------


def _with(trait: Trait, standing: Ruling, key: str, value: Scalar | None) -> Ruling:
    """The ruling with another value for a key, in the order of the trait's."""
    values = dict(standing.values)
    if value is not None:
        values[key] = value
    kept = {part.key: values[part.key] for part in trait.parts if part.key in values}
    return replace(standing, values=kept, why="")


def _overruled(trait: Trait, standing: Ruling, edit: Edit) -> Ruling:
    part = trait.part(edit.key)
    if part is None:
        known_keys = ", ".join(map(attrgetter("key"), trait.parts))
        raise Refused(f"There is no value {edit.key}; the values are: {known_keys or 'one'}.")
    value = legal(part, edit.value)
    if value is None:
        raise Refused(f"The value here is {wanted(part)}.")
    if standing.of(edit.key) == value:
        raise Refused(f"The value is {value_text(value)} already: {{cell.sign:a}} signs it off.")
    return _with(trait, standing, edit.key, value)


def _answered(trait: Trait, trace: Trace, labels: Labels, edit: Edit) -> Ruling:
    """What the scorer says of the answer that a person gives."""
    from appellate.traits.scorer.rules import Unscorable, scored  # only where something is scored

    if not trait.takes_answer:
        raise Refused("No rule scores the answer here: give the value itself.")
    targets = labels.target or tuple(targets_of(trace))
    if not targets:
        raise Refused("The trace has no reference to score an answer by: give the value itself.")
    answer = (edit.text or "").strip()
    spans = _typed_places(trace, answer)
    if edit.span:
        text = selected(trace, edit.span, "words do")
        answer = text.strip()
        start = edit.span[0] + len(text) - len(text.lstrip())
        spans = ((start, start + len(answer)),)
    if not answer:
        raise Refused("Say what the answer is, or select it in the response ({text.select:v}).")
    try:
        found = scored(trait, answer, targets, trace.choices or (), extracted=True)
    except Unscorable as why:
        raise Refused(str(why)) from None
    values = values_in(trait, {"value": found.value})
    return Ruling(values, answer, spans, found.explanation or "")


def _typed_places(trace: Trace, answer: str) -> tuple[Offsets, ...]:
    """Return where a typed answer stands as words by themselves; a short one must be there once.

    Of a conversation the assistant's steps are looked through first, then those of others.
    """
    own = trace.own_words
    places = [own.in_text(place) for place in _places_of_words(own.text, answer)]
    if not places and trace.transcript is not None:
        places = list(_places_of_words(trace.text, answer))
    found = [place for place in places if single_steps(trace, [place]) == [place]]
    if not found or (len(found) > 1 and len(answer) < FEWEST):
        return ()
    return (found[0],)


def _places_of_words(text: str, words: str) -> Iterator[Offsets]:
    """Yield the first places where some words stand by themselves, two at most."""
    if words:
        for match in islice(re.finditer(rf"(?<!\w){re.escape(words)}(?!\w)", text), 2):
            yield match.span()


def _shown(ruling: Ruling, key: str) -> str:
    """The value of a key in a word; of an edit of all of them, each with its key."""
    if key or ruling.value is not None:
        return value_text(ruling.of(key))
    return ", ".join(f"{name} {value_text(value)}" for name, value in ruling.values.items())


def _with_answer(ruling: Ruling) -> str:
    text = _shown(ruling, "")
    if ruling.answer:
        return f"“{ruling.answer}”, {text}"
    return text

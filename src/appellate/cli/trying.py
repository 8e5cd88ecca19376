"""Answers `appellate check --try`: what the patterns of a rubric find in responses.

Each response is matched as in judging, in a process of its own and for as long at most.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Literal

from msgspec import Struct, field

from appellate.core.inert import escaped
from appellate.core.kind import as_read, reads_conversation
from appellate.core.problem import first_texts, many, quoted
from appellate.core.step_progress import OnProgress, ignore_progress
from appellate.core.trace import Trace, name_of
from appellate.core.trait_pattern import PatternOfTrait
from appellate.store.files.wording import key_path
from appellate.traits.matching import Matcher, Offsets, Unmatched
from appellate.traits.rubric import KeyPath, Rubric

EXAMPLES = 3
"""Responses that are shown with a match of a pattern, and names of others that are told."""
_AROUND = 20
"""Characters of the response that are shown before and after a match."""
_LONGEST = 60
"""Characters of a match that are shown."""


class TriedPattern(Struct):
    """One pattern of a rubric, and what it found in the responses that were looked at so far."""

    path: KeyPath
    trait: Any
    question: str | None
    """The id of the question whose traces alone get the trait; None if every trace does."""
    pattern: PatternOfTrait
    looked: int = 0
    matched: int = 0
    hits: int = 0
    more: bool = False
    """Whether there may be more hits than were counted."""
    examples: list[str] = field(default_factory=list)
    without: list[str] = field(default_factory=list)
    """The names of the responses that it finds nothing in."""
    slow: list[str] = field(default_factory=list)
    """The names of the responses on which it took too long."""
    why_slow: str = ""

    def look(self, trace: Trace, matcher: Matcher) -> None:
        """Search for the pattern in the response of a trace, and count and note what is found.

        Of a trait that reads the conversation it is searched for in the assistant's steps. Every
        response counts in `looked`, and one with a match in `matched` with its matches in `hits`;
        `more` becomes true if not all of them were counted. `examples` gets a line on the first
        match of the first `EXAMPLES` responses, and `without` the names, in quotes, of those that
        have none.

        A response on which the search takes too long is named in `slow` instead, and `why_slow`
        says why at the first of them. Nothing is raised.
        """
        read = as_read(self.trait, trace)
        self.looked += 1
        name = quoted(name_of(*trace.key))
        text = self.pattern.text
        case_sensitive = self.pattern.case_sensitive
        try:
            matches = matcher.find(
                text,
                read.own_words.text,
                case_sensitive=case_sensitive,
            )
        except Unmatched as failure:
            self.slow.append(name)
            self.why_slow = self.why_slow or str(failure)
            return
        if not matches.hits:
            self.without.append(name)
            return
        self.matched += 1
        self.hits += matches.hits
        self.more = self.more or matches.more
        if len(self.examples) < EXAMPLES:
            text = _match_text(read, matches.matches[0], matches.groups)
            self.examples.append(f"{name}, {text}")

    @property
    def tag(self) -> Literal["slow", "everything", "nothing", ""]:
        """What is suspicious about the pattern; "" if nothing is.

        It is "slow" if it took too long on any response. Else it is "everything" if it was found in
        every response, and "nothing" if in none, only if at least two were searched.
        """
        if self.slow:
            return "slow"
        if self.read > 1 and self.matched == self.read:
            return "everything"
        if self.read > 1 and not self.matched:
            return "nothing"
        return ""

    @property
    def read(self) -> int:
        """The number of responses in which the pattern was searched for in time."""
        return self.looked - len(self.slow)

    def lines(self, file: str) -> Iterator[str]:
        """Yield a line about the pattern, one for each example, and one on responses that lack it.

        The first begins with `file`, the rubric's name, the place of the pattern, and in brackets
        what is suspicious. Responses that lack it are left out if it is found in none. The last
        line names responses on which it was too slow, if there are any, with the reason. Of names
        the first `EXAMPLES` are given, and the others counted.
        """
        tag = f"[{self.tag}] " if self.tag else ""
        yield f"{file}: {key_path(self.path)}: {tag}{self._sentence()}"
        for example in self.examples:
            yield f"  {example}"
        if self.matched and self.without:
            yield f"  not in {first_texts(self.without, EXAMPLES)}"
        if self.slow:
            yield f"  too slow on {first_texts(self.slow, EXAMPLES)}: {self.why_slow}"

    def _sentence(self) -> str:
        """Return a clause: what the pattern looks for, and in how many responses it is found.

        That reads "in 2 of 3 responses". How many times follows if that is more, how many verdicts
        are yes if the pattern decides the trait, and that it tells none apart if it finds all or
        none of several. Responses on which it took too long are not counted. If no response has the
        trait, or the search was never in time, it says only that.
        """
        case = "" if self.pattern.case_sensitive else ", in any case"
        start = f"{quoted(self.trait.name)} looks for {quoted(self.pattern.text)}{case}"
        if not self.looked:
            return f"{start}: no response gets this trait"
        noun = "conversation" if reads_conversation(self.trait) else "response"
        total = many(self.read, noun)
        if not self.read:
            return f"{start}: in no {noun} in time"
        if self.matched == self.read and self.read > 1:
            count = f"in all {total}"
        elif not self.matched:
            count = f"in none of {total}"
        else:
            count = f"in {self.matched:,} of {total}"
        sentence = f"{start}: {count}"
        if self.hits > self.matched or self.more:
            least = "at least " if self.more else ""
            sentence += f", {least}{self.hits:,} times"
        if self.pattern.is_verdict:
            yes = self.matched
            if self.pattern.is_inverted:
                yes = self.read - self.matched
            sentence += f"; yes for {yes:,}"
        if self.tag in ("everything", "nothing"):
            sentence += f"; it tells no {noun} from another"
        return sentence


def patterns_of(rubric: Rubric) -> list[TriedPattern]:
    """Return every pattern of a rubric's traits, those of its questions too, not searched for yet.

    They are in the order of the rubric. [] for a rubric without patterns.
    """
    tried: list[TriedPattern] = []
    for trait_path, known_trait in rubric.every_place():
        question = None
        if trait_path[0] == "questions":
            question = rubric.questions[int(trait_path[1])].id
        for pattern in known_trait.kind.patterns(known_trait.trait):
            path = (*trait_path, *pattern.path)
            tried.append(TriedPattern(path, known_trait.trait, question, pattern))
    return tried


def try_patterns(
    tried: Iterable[TriedPattern],
    rubric: Rubric,
    traces: Iterable[Trace],
    matcher: Matcher,
    on_progress: OnProgress = ignore_progress,
) -> None:
    """Search for each pattern in the response of every trace that gets the pattern's trait.

    A trait of a question is for the traces of that question only, any other trait for all. Adds to
    the counts and examples of the patterns `tried`. `on_progress` is called after each trace with
    its number, from 1, and with None, as the share that is done is not known.
    """
    patterns = list(tried)
    for number, trace in enumerate(traces, 1):
        question = rubric.question_of(trace)
        question_id = question.id if question else None
        for pattern in patterns:
            if pattern.question in (None, question_id):
                pattern.look(trace, matcher)
        on_progress(number, None)


def _match_text(
    trace: Trace,
    match: Offsets,
    groups: Sequence[Offsets | None],
) -> str:
    """Return where a match in a trace is, its words, and the text around it.

    It is one line, as `line 3, character 7: "foo" in "…a foo b…"`, escaped for a terminal. In a
    conversation the place is the step, as `step 19`. The words of the pattern's groups come last,
    if there are any. Words are cut to `_LONGEST` characters. `match` and `groups` are places in the
    words that were searched; a group that took no part is None.
    """
    response = trace.own_words.text
    start, end = match
    words = "an empty match"
    if start < end:
        words = quoted(response[start:end], _LONGEST)
    place = _place_of_match(trace, match)
    text = f"{place}: {words} in {_match_in_context(response, start, end)}"
    if groups:
        words_of_groups = ", ".join(_group_text(response, span) for span in groups)
        text += f"; the groups are {words_of_groups}"
    return text


def _place_of_match(trace: Trace, span: Offsets) -> str:
    """Return in which line, or in which step of a conversation, a match begins.

    It reads "line 3, character 7", both from 1, or "step 19" for a trace with a conversation; "no
    step" if it is in none. `span` is the match's place in the words that were searched, in
    characters from 0.
    """
    if trace.transcript is not None:
        step = trace.transcript.step_at(trace.own_words.in_text(span)[0])
        return f"step {step.no}" if step else "no step"
    response = trace.response
    start = span[0]
    line = response.count("\n", 0, start) + 1
    column = start - (response.rfind("\n", 0, start) + 1) + 1
    return f"line {line}, character {column}"


def _match_in_context(response: str, start: int, end: int) -> str:
    """Return a match with the text before and after it, in quotes and on one line.

    `start` and `end` are the match's place in the response, in characters from 0. At most `_AROUND`
    characters are on each side; "…" marks text that is left out. A match longer than `_LONGEST`
    shows its beginning. Runs of white space become a space, and control characters are escaped.
    """
    low = max(start - _AROUND, 0)
    high = min(end + _AROUND, start + _LONGEST + _AROUND, len(response))
    before = "…" if low else ""
    after = "…" if high < len(response) else ""
    on_one_line = " ".join(response[low:high].split())
    return f'"{before}{escaped(on_one_line)}{after}"'


def _group_text(response: str, span: Offsets | None) -> str:
    """Return the words of a group of a match in quotes, escaped for a terminal, or `none`.

    `span` is its place in the response. It is None, and the text `none`, if the group took no part
    in the match; an empty group is `""`. Longer words are cut to `_LONGEST` characters, the last of
    them "…".
    """
    if span is None:
        return "none"
    return quoted(response[slice(*span)], _LONGEST)

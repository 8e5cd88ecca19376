"""Describes what a regex cell shows, its matches and flags, and prints it in line mode.

The pane draws the same `MatchesInSight`.
"""

from collections.abc import Sequence

from appellate.core.problem import many
from appellate.traits.verdict.linear import VerdictLines
from appellate.traits.verdict.pane_corrections import Stretches, VerdictInSight
from appellate.ui.contract import in_step
from appellate.ui.kind_lines import Paragraph

CONTEXT = 24
"""Characters of the response that are shown before a match in its row."""
_LONGEST = 400
"""Characters of a match, and of what follows it, that are looked at for its row."""
MATCH = "match"
"""The name of the group of matches, which are numbered from 0."""


class MatchesInSight(VerdictInSight):
    """The matches of a pattern and its flags, for pane and lines."""

    GROUPS = ("", MATCH)

    @property
    def stretches(self) -> Stretches:
        stretches: Stretches = self.labels.matches
        return stretches

    def follow_edit(self, edit: object) -> None:
        """Leave the cursor where it is."""

    def around(self, number: int) -> tuple[str, str, str]:
        """Return the text before a match, the match, and the text after it, line ends included.

        `number` counts from 0. They are cut without a sign of it: before the match are up to
        `CONTEXT` characters, the other two have up to `_LONGEST`. Raises IndexError for no such
        match.
        """
        response = self.subject.text
        (start, end) = self.labels.matches[number]
        text = response[start : min(end, start + _LONGEST)]
        return (
            response[max(0, start - CONTEXT) : start],
            text,
            response[end : end + _LONGEST],
        )

    @property
    def has_matches_known(self) -> bool:
        """Whether it is known what the pattern matches.

        It is not known if the pattern gave no verdict. Nor is it if the verdict contradicts the
        number of matches: then it was recorded without its matches.
        """
        pattern_verdict = self.labels.found
        hits = self.labels.hits
        return (
            pattern_verdict is not None
            and self.trait.verdict(is_found=hits > 0) == pattern_verdict
        )

    def hits_text(self) -> str:
        """Return how often the pattern matches, such as "matches nowhere" or "matches 3 times".

        Once and twice are words, too. It is "matches 100 times or more" if counting ended early,
        and "" if the number is not known.
        """
        if not self.has_matches_known:
            return ""
        hits = self.labels.hits
        times = many(hits, "time")
        if self.labels.more:
            return f"matches {times} or more"
        count_words = {0: "nowhere", 1: "once", 2: "twice"}
        in_words = count_words.get(hits, times)
        return f"matches {in_words}"

    def facts(self) -> list[str]:
        """Return a text on the flags that are not the default, and one on the number of matches.

        The first is as "in any case of letters, yes where nothing matches, no is better". It is
        left out if all flags are at their default. The second is as "it matches 3 times", and is
        left out if the number is not known.
        """
        flags = []
        if not self.trait.case_sensitive:
            flags.append("in any case of letters")
        if self.trait.invert_result:
            flags.append("yes where nothing matches")
        if not self.trait.higher_is_better:
            flags.append("no is better")
        hits = f"it {self.hits_text()}" if self.has_matches_known else ""
        return list(filter(None, [", ".join(flags), hits]))


class RegexLines(VerdictLines):
    """The lines of a regex cell: the verdict, then the matches to read."""

    sight_of = MatchesInSight

    def head(self) -> Sequence[Paragraph]:
        """Return the description, the pattern and its facts, as paragraphs to print.

        The description is left out if there is none; the facts are those of `facts`, none to two.
        """
        paragraphs = [
            Paragraph(self.sight.trait.pattern, "Pattern:", "strong", quoted=True),
        ]
        if self.sight.trait.description:
            paragraphs.insert(0, Paragraph(self.sight.trait.description))
        return [
            *paragraphs,
            *(Paragraph(text, style="muted") for text in self.sight.facts()),
        ]

    def stretch(self, number: int) -> Sequence[Paragraph]:
        """Return one paragraph to print: "Match 1:", then the match in brackets in its context.

        The context is `CONTEXT` characters on each side, and a match is cut to `_LONGEST`. In a
        conversation the step is named: "Match 1, step 19:". `number` counts from 0. Line ends and
        other white space are single blanks. Raises IndexError for no such match.
        """
        before, match_text, after = self.sight.around(number)
        passage = f"{before}[{match_text}]{after[:CONTEXT]}"
        on_one_line = " ".join(passage.split())
        span = self.sight.stretches[number]
        step = in_step(self.sight.subject, span)
        mark = f"Match {number + 1}{step}:"
        return [Paragraph(on_one_line, mark, "evidence", quoted=True)]


LINES = RegexLines

"""What there is to show of a regex cell, its matches and flags; and the cell line by line."""

from collections.abc import Sequence

from appellate.core.problem import many
from appellate.traits.verdict.linear import VerdictLines
from appellate.traits.verdict.pane_corrections import Stretches, VerdictInSight
from appellate.ui.contract import in_step
from appellate.ui.kind_lines import Paragraph

CONTEXT = 24
"""So many characters of the response are shown before a match in its row."""
_LONGEST = 400
"""So many characters of a match and of what follows it are looked at for its row."""
MATCH = "match"
"""The group of places: the matches, numbered from 0."""


class MatchesInSight(VerdictInSight):
    """What a pattern matches, and its flags, in words."""

    GROUPS = ("", MATCH)

    @property
    def stretches(self) -> Stretches:
        stretches: Stretches = self.labels.matches
        return stretches

    def follow_edit(self, edit: object) -> None:
        """The cursor stays where it is."""

    def around(self, number: int) -> tuple[str, str, str]:
        """What is before a match, the match, and what is after it."""
        response = self.subject.text
        (start, end) = self.labels.matches[number]
        text = response[start : min(end, start + _LONGEST)]
        return response[max(0, start - CONTEXT) : start], text, response[end : end + _LONGEST]

    @property
    def has_matches_known(self) -> bool:
        """Whether the pattern was tried: a verdict that came alone says nothing of matches."""
        found = self.labels.found
        hits = self.labels.hits
        return found is not None and self.trait.verdict(is_found=hits > 0) == found

    def hits_text(self) -> str:
        """How often the pattern matches: "matches nowhere", "matches 3 times"; "" if unknown."""
        hits = self.labels.hits
        if not self.has_matches_known:
            return ""
        if self.labels.more:
            return f"matches {many(hits, 'time')} or more"
        often = {0: "nowhere", 1: "once", 2: "twice"}
        return f"matches {often.get(hits) or many(hits, 'time')}"

    def facts(self) -> list[str]:
        """What differs from the defaults, and how often it matches where that is known."""
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
    """Asks for the verdict; the matches are there to be read."""

    sight_of = MatchesInSight

    def head(self) -> Sequence[Paragraph]:
        paragraphs = [Paragraph(self.sight.trait.pattern, "Pattern:", "strong", quoted=True)]
        if self.sight.trait.description:
            paragraphs.insert(0, Paragraph(self.sight.trait.description))
        return [*paragraphs, *(Paragraph(text, style="muted") for text in self.sight.facts())]

    def stretch(self, number: int) -> Sequence[Paragraph]:
        before, found, after = self.sight.around(number)
        text = " ".join(f"{before}[{found}]{after[:CONTEXT]}".split())
        step = in_step(self.sight.subject, self.sight.stretches[number])
        return [Paragraph(text, f"Match {number + 1}{step}:", "evidence", quoted=True)]


LINES = RegexLines

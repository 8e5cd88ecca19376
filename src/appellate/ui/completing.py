"""What may come next on a line that is being typed: listed above it, never in its way.

Nothing here takes the focus or room: the list lies over what is above the line and goes as it came.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol

from msgspec import Struct, field
from msgspec.structs import replace
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.widgets import Static

from appellate.ui.contract import Choice
from appellate.ui.lines import Lines
from appellate.ui.marks import UNICODE, Marks, spelt
from appellate.ui.own_keys import in_own_keys
from appellate.ui.rows import ListRow, StyledText
from appellate.ui.text import cell_width, column, flat, plain

TYPO = 75  # how alike, of 100, what was mistyped must be
SHORTEST_TYPO = 4


class Searched(NamedTuple):
    """A choice and its words as they are searched."""

    choice: Choice
    text: str
    whole: str


def searched(choices: Sequence[Choice]) -> list[Searched]:
    """Choices made ready to be searched at every key."""
    ready: list[Searched] = []
    for choice in choices:
        whole = f"{choice.number} {choice.text} {choice.note} {choice.group}"
        ready.append(Searched(choice, choice.text.casefold(), whole.casefold()))
    return ready


def best(among: Sequence[Searched], typed: str) -> list[Choice]:
    """The choices that hold every word typed; where none does, those with its letters in order, or
    nearly.
    """
    words = typed.casefold().split()
    if not words:
        return [one.choice for one in among]
    found = [one for one in among if all(word in one.whole for word in words)]
    found.sort(key=lambda one: _rank(one, words))
    if not found:
        found = _scattered(among, "".join(words)) or _mistyped(among, " ".join(words))
    return [one.choice for one in found]


def _rank(one: Searched, words: Sequence[str]) -> tuple[bool, bool, bool, int]:
    """First the choice of that number, then what can be taken, then those that begin so, then those
    with the most words begun so.
    """
    phrase = " ".join(words)
    begun = sum(f" {word}" in f" {one.whole}" for word in words)
    other = one.choice.number.casefold() != phrase
    return (other, one.choice.is_help, not one.text.startswith(phrase), -begun)


def _scattered(among: Sequence[Searched], letters: str) -> list[Searched]:
    """The choices with the letters in order, those that take the least room for them first."""
    found: list[tuple[int, Searched]] = []
    for one in among:
        held = _letters(one.whole, letters)
        if held:
            found.append((held[-1][1] - held[0][0], one))
    found.sort(key=lambda found: found[0])
    return [one for _, one in found]


def _mistyped(among: Sequence[Searched], typed: str) -> list[Searched]:
    """The choices most like what was typed."""
    if len(typed) < SHORTEST_TYPO:
        return []
    from rapidfuzz import fuzz, process  # only here: 30 ms

    wholes = [one.whole for one in among]
    found = process.extract(typed, wholes, scorer=fuzz.partial_ratio, score_cutoff=TYPO, limit=50)
    return [among[index] for _, _, index in found]


def places(text: str, typed: str) -> list[tuple[int, int]]:
    """Where the words typed stand in a text, else its letters in order; apart from each other, in
    order.
    """
    folded, words = text.casefold(), typed.casefold().split()
    if len(folded) != len(text) or not words:
        return []
    found: list[tuple[int, int]] = []
    for word in words:
        at = folded.find(word)
        if at >= 0:
            found.append((at, at + len(word)))
    if not found:
        return _letters(folded, "".join(words))
    apart: list[tuple[int, int]] = []
    done = 0
    for start, end in sorted(found):
        if end > done:
            apart.append((max(start, done), end))
            done = end
    return apart


def _letters(text: str, letters: str) -> list[tuple[int, int]]:
    """Where letters stand in a text in order, taken greedily; none where they are not all there."""
    found: list[tuple[int, int]] = []
    at = -1
    for letter in letters:
        at = text.find(letter, at + 1)
        if at < 0:
            return []
        found.append((at, at + 1))
    return found


def begun(found: Sequence[Choice], typed: str) -> int:
    """How many of the choices found begin with what was typed; they come first."""
    begin = typed.strip().casefold()
    if not begin:
        return 0
    count = 0
    while count < len(found) and found[count].text.casefold().startswith(begin):
        count += 1
    return count


# -- as rows ---------------------------------------------------------------------------------------


class Choices(Struct, frozen=True):
    """Choices as rows, with what was typed marked in them."""

    given: Sequence[Choice]
    numbered: int
    typed: str = ""

    def __len__(self) -> int:
        return len(self.given)

    def row(self, index: int, /) -> ListRow:
        choice = self.given[index]
        number = ""
        note: tuple[StyledText, ...] = ()
        if self.numbered:
            number = column(choice.number, self.numbered) + " "
        aside = choice.note
        if self.typed and not aside:
            aside = choice.group
        if aside:
            note = (StyledText(aside, "muted"),)
        *marked, rest = _marked(choice.text, self.typed)
        left = (StyledText(number, choice.style),)
        return ListRow(rest.text, left, note, key=choice.key, opening=tuple(marked))


def _marked(text: str, typed: str) -> list[StyledText]:
    """The text as pieces, those that were typed in bold; the last one is plain."""
    pieces: list[StyledText] = []
    done = 0
    for start, end in places(text, typed):
        pieces += [StyledText(text[done:start]), StyledText(text[start:end], "key")]
        done = end
    return [*pieces, StyledText(text[done:])]


MOST = 6
LONGEST_FAULT = 4
LONGEST_TEXT = 30
KEPT = 50
KEYS = (
    "{prompt.take:Tab} takes the first, or the one chosen · {prompt.up:↑} {prompt.down:↓} "
    "{prompt.page_up:PgUp} {prompt.page_down:PgDn} choose · Enter answers · "
    "{prompt.leave:Esc} leaves"
)


class Candidate(Protocol):
    """What would stand in the line instead of `start` to `end`, and what it means."""

    @property
    def start(self) -> int: ...
    @property
    def end(self) -> int: ...
    @property
    def text(self) -> str: ...
    @property
    def meaning(self) -> str: ...


Completing = Callable[[str, int], Sequence[Candidate]]
Checking = Callable[[str], str]


class Line(NamedTuple):
    """What stands in a line, and where its cursor is."""

    text: str
    cursor: int


class CandidateList(Struct, frozen=True):
    """Candidates for a line, and the one chosen by hand, if any."""

    candidates: tuple[Candidate, ...] = ()
    chosen: int | None = None

    def moved(self, by: int) -> "CandidateList":
        """The next or previous one chosen; beyond the ends none is, as before."""
        place = 0  # none of them
        if self.chosen is not None:
            place = self.chosen + 1
        place = (place + by) % (len(self.candidates) + 1)
        return replace(self, chosen=place - 1 if place else None)

    @property
    def first(self) -> Candidate | None:
        """What Tab takes: the one chosen, or the likeliest."""
        if not self.candidates:
            return None
        return self.candidates[self.chosen or 0]


def taken(line: str, candidate: Candidate) -> Line:
    """The line with a candidate in it, and the cursor behind that."""
    return Line(
        line[: candidate.start] + candidate.text + line[candidate.end :],
        candidate.start + len(candidate.text),
    )


def offered(line: Line, completing: Completing | None) -> CandidateList:
    """What may come at the cursor; nothing that stands there already."""
    if completing is None:
        return CandidateList()
    found = completing(line.text, line.cursor)
    return CandidateList(tuple(one for one in found if taken(line.text, one).text != line.text))


class History(Struct):
    """What was answered before, by purpose, for as long as the program runs.

    A purpose of "" keeps nothing.
    """

    purpose: str = ""
    _answers: dict[str, list[str]] = field(default_factory=dict)
    _back: int = 0

    def begin(self, purpose: str) -> None:
        """The next step back is to the latest answer."""
        self.purpose, self._back = purpose, 0

    @property
    def shown(self) -> str | None:
        """The answer gone back to; None where one has not gone back."""
        if not self._back:
            return None
        return self._answers[self.purpose][-self._back]

    def keep(self, answer: str) -> None:
        """Keeps an answer as the latest, once."""
        if not self.purpose or not answer.strip():
            return
        answers = self._answers.setdefault(self.purpose, [])
        if answer in answers:
            answers.remove(answer)
        answers.append(answer)
        del answers[:-KEPT]

    def step(self, by: int) -> str | None:
        """An answer further back, or on again, "" at the line one came from.

        None where there is none.
        """
        back = self._back + by
        if not 0 <= back <= len(self._answers.get(self.purpose, ())):
            return None
        self._back = back
        return self.shown or ""


class CandidateLines(Lines, can_focus=False):
    """The list of the program, under the keys of the line below it."""


class Candidates(Vertical):
    """Up to six candidates at a time, and a sentence on what is wrong with the line.

    They are drawn over what is above the line. The sentence keeps quiet as long as there is
    something to go on with.
    """

    ALLOW_SELECT = False
    DEFAULT_CSS = """
    Candidates {
        overlay: screen; display: none; background: $panel;
        & > Static { height: auto; max-height: 4; padding: 0 1; color: $state-failed; }
        & > .candidates--keys { height: 1; color: $muted; }
        &.-offering > .candidates--fault { color: $muted; }
        &.-refused > .candidates--fault { color: $state-failed; text-style: bold reverse; }
    }
    """

    def __init__(self, take: Callable[[Candidate], None], marks: Marks = UNICODE) -> None:
        super().__init__()
        self.marks = marks
        self._take = take
        self.offer = CandidateList()
        self.fault = ""
        self.refused = False

    def compose(self) -> ComposeResult:
        yield CandidateLines(marks=self.marks)
        yield Static(classes="candidates--fault", markup=False)
        keys = spelt(in_own_keys(KEYS, self.app), self.marks)
        yield Static(plain(keys), classes="candidates--keys")

    @property
    def lines(self) -> CandidateLines:
        return self.query_one(CandidateLines)

    def show(self, offer: CandidateList, fault: str = "", *, refused: bool = False) -> None:
        """Shows candidates and a fault; `refused` where it kept the line from being answered."""
        self.fault, self.refused = fault, refused
        self.set_class(bool(offer.candidates), "-offering")
        self.set_class(refused, "-refused")
        if offer.candidates != self.offer.candidates:
            self.lines.show_rows(_rows(offer.candidates))
        self._choose(offer)
        self.fit()

    def _choose(self, offer: CandidateList) -> None:
        self.offer, self.lines.points = offer, offer.chosen is not None
        self.lines.go(0, offer.chosen)

    def step(self, by: int) -> None:
        """Chooses the next or the previous one."""
        self._choose(self.offer.moved(by))

    def page(self, by: int) -> None:
        """Chooses one a page on or back."""
        if self.offer.chosen is None:
            self.step(by)
            return
        self.lines.action_page(by)
        self._choose(replace(self.offer, chosen=self.lines.cursor.row))

    def fit(self) -> None:
        """Takes the lines that are needed, above the line."""
        room, rows = self.app.size.width, min(len(self.offer.candidates), MOST)
        contents = plain(self.fault).wrap(max(room - 2, 1))[:LONGEST_FAULT] if self.fault else []
        fault, keys = self.query(Static)
        fault.update(plain("\n".join(line.plain.rstrip() for line in contents)))
        fault.display, keys.display = bool(contents), bool(rows)
        self.lines.display = bool(rows)
        self.lines.styles.height = rows
        height = rows + bool(rows) + len(contents)
        self.display = bool(height)
        self.styles.width, self.styles.height = room, height
        self.styles.offset = (0, -height)

    def on_lines_highlighted(self, event: Lines.Highlighted) -> None:
        event.stop()

    def on_lines_touched(self, event: Lines.Touched) -> None:
        """A click chooses a candidate, two take it; the line keeps the focus."""
        event.stop()
        self._choose(replace(self.offer, chosen=event.index))

    def on_lines_chosen(self, event: Lines.Chosen) -> None:
        event.stop()
        self._take(self.offer.candidates[event.index])


def _rows(candidates: Sequence[Candidate]) -> Choices:
    """Candidates as the rows of every list to pick from: what is taken, and what it means."""
    widest = max((cell_width(flat(one.text)) for one in candidates), default=1)
    choices = [Choice(one.text, flat(one.text), flat(one.meaning)) for one in candidates]
    return Choices(choices, min(widest, LONGEST_TEXT))

"""Reading the response: its face, searching it, its evidence from one to the next, and all there is beside it."""

from textual import on

from appellate.app import evidence
from appellate.app.copying import Copy, copies
from appellate.app.going import Going
from appellate.app.jump_targets import targets
from appellate.app.reading_screen import ReadingScreen, material
from appellate.core.wordforms import many
from appellate.ui.jumping import JumpScreen
from appellate.ui.lines import Lines
from appellate.ui.page import Span
from appellate.ui.picking import Choice as Pick
from appellate.ui.prompt import Dismissed
from appellate.ui.text import clip

QUOTED = 48  # cells of a passage that addresses the judge
LONG = 75_000  # characters, beyond which many terminals refuse what is copied


class Reading(Going):
    """What is done with the response, short of changing anything."""

    _plea_at = 0, 0  # the cell, and which of its passages that address the judge was gone to last

    # -- faces ------------------------------------------------------------------------------------

    def action_markdown(self) -> None:
        on = not self.response.rendered
        self.response.set_rendered(on)
        self.show_titles()
        self.show_keys()
        self.say("Markdown is rendered; M shows the response as it was written." if on else "The response as written.")

    def action_focus_mode(self) -> None:
        """The response has the whole screen, until the same key or Esc."""
        self.toggle_class("-focus")
        self.rest()

    def action_material(self) -> None:
        told = material(self.bench.workspace.rubric, self.trace, self.pane.detail().plain)
        self.app.push_screen(ReadingScreen(told, marks=self.marks))

    # -- searching --------------------------------------------------------------------------------

    def action_search(self) -> None:
        last = f"Enter: {self._looked_for} again" if self._looked_for else ""
        self.ask("Find", "", self._found, purpose="search", checking=self._look_for, hint=last)

    def _look_for(self, text: str) -> str:
        hits = self.response.search(text) if text else 0
        self.show_titles()
        self.show_keys()
        return "" if hits or not text else "not in the response"

    def _found(self, text: str) -> None:
        text = text or self._looked_for
        if not text:
            return
        self._looked_for = text
        count = self.response.search(text)
        self.show_titles()
        if count:
            self._at_hit()
        else:  # looked for again, in another response
            self.end_search()
            self.say(f"“{text}” is not in the response.")

    @on(Dismissed)
    def _search_dismissed(self, event: Dismissed) -> None:
        if event.purpose == "search":
            self.end_search()

    def next_hit(self, by: int) -> None:
        self.response.next_hit(by)
        self.show_titles()
        self._at_hit()

    def _at_hit(self) -> None:
        """Tells which hit one is at; a selection under way goes to it."""
        if self.gathering.on:
            self.response.to_hit()
        self.show_keys()

    # -- passages that address the judge ------------------------------------------------------------

    @property
    def _pleas(self) -> tuple[Span, ...]:
        """Looked for when the cell is opened; from then on only where there are some."""
        return evidence.pleas(self.trace.response, self.marks) if self.bench.suspect(self.no) else ()

    def _spans(self) -> list[Span]:
        return [*super()._spans(), *self._pleas]

    def show_titles(self) -> None:
        """The response's frame counts the passages, before what is unverified."""
        super().show_titles()
        here, all_of_them = len(self._pleas), self.bench.suspect(self.no)
        if all_of_them:
            told = (
                f"{many(here, 'passage')} {'addresses' if here == 1 else 'address'}"
                if here
                else "the question addresses"
            )
            more = self.response.border_subtitle
            self.response.border_subtitle = f"{self.marks.plea} {told} the judge" + (f", {more}" if more else "")

    def action_plea(self) -> None:
        """Brings the next passage that seems to address the judge into sight, the first behind the last."""
        if not self._pleas:
            asked = self.bench.suspect(self.no)
            self.say(
                f"Nothing in this response seems to address the judge{', but the question does' if asked else ''}."
            )
            return
        cell, last = self._plea_at
        place = last % len(self._pleas) + 1 if cell == self.no else 1
        self._plea_at = self.no, place
        found = self._pleas[place - 1]
        self.response.reveal(found.start, found.end)
        which = f"Passage {place} of {len(self._pleas)}" if len(self._pleas) > 1 else "A passage"
        words = clip(self.trace.response[found.start : found.end], QUOTED, self.marks)
        self.say(f"{which} that seems to address the judge: “{words}”. It is told to assess such words, not to follow.")

    # -- evidence ---------------------------------------------------------------------------------

    def action_evidence(self) -> None:
        """Brings the item's evidence into sight; where it is, goes into the response."""
        chosen = next((span for span in self._spans() if span.selected), None)
        if chosen is None:
            self.say("This item stands on no words of the response.")
            return
        low, high = self.response.in_sight
        seen = low <= chosen.start and chosen.end <= high
        self._looked()
        if seen:
            self.set_focus(self.response)
            self.say("In the response: arrows scroll, p next evidence, v selects, Esc returns.")

    def action_walk(self, by: int) -> None:
        """To the next evidence in the order of the text; the cursor follows among the items."""
        found = self.response.walk(by)
        if found is None:
            self.say("No item of this cell stands on words of the response.")
            return
        evidence = self.pane.evidence()[found]
        self.pane.go(evidence.bucket, evidence.index)
        self._looked()

    # -- jumping ----------------------------------------------------------------------------------

    def action_jump(self) -> None:
        self.call_after_refresh(self._ask_where)  # what was said has gone, and things stand where they stay

    def _ask_where(self) -> None:
        self.app.push_screen(JumpScreen(targets(self)), self._jumped)

    def _jumped(self, key: str | None) -> None:
        what, *where = (key or "nowhere").split()
        match what:
            case "top":
                self._to_end("first")
            case "item":
                self.pane.lines.visit(int(where[0]), int(where[1]))
                self.rest()
            case "cell":
                self.go(self.line.number(int(where[0])))
            case "evidence":
                evidence = self.pane.evidence()[int(where[0])]
                self.pane.go(evidence.bucket, evidence.index)
                self._looked()
            case "response":
                self.set_focus(self.response)
            case "queue":
                self.action_queue()

    def action_last(self) -> None:
        self._to_end("last")

    def _to_end(self, which: str) -> None:
        """To the first or last line of the list that has the focus, or of the response."""
        if self.focused is self.response:
            self.response.action_roll_home() if which == "first" else self.response.action_roll_end()
            return
        lines = self.focused if isinstance(self.focused, Lines) else self.pane.lines
        lines.action_first() if which == "first" else lines.action_last()

    # -- copying ----------------------------------------------------------------------------------

    def action_copy(self) -> None:
        if self.response.selected_text:
            self._copy(Copy("", "what is selected", self.response.selected_text))
            return
        choices = [Pick(one.key, "", one.label, _size(one.text)) for one in self._copies()]
        self.pick("Copy", choices, "", self._copy_kind)

    def action_copy_again(self) -> None:
        if self._copied:
            self._copy_kind(self._copied)
        else:
            self.action_copy()

    def _copies(self) -> list[Copy]:
        question = self.bench.workspace.rubric.question_text(self.trace) or ""
        return copies(self.trace, self.cell, question, self.pane.place)

    def _copy_kind(self, key: str) -> None:
        found = next((one for one in self._copies() if one.key == key), None)
        if found is None:
            self.say("There is nothing of that kind to copy here.")
            return
        self._copied = key
        self._copy(found)

    def _copy(self, copied: Copy) -> None:
        self.app.copy_to_clipboard(copied.text)
        much = " Many terminals take no more than 75 kB." if len(copied.text) > LONG else ""
        self.say(f"Copied {copied.label}: {_size(copied.text)}.{much}")


def _size(text: str) -> str:
    return f"{len(text)} characters"

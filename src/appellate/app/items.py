"""The items of the cell: what the pane asks for, and the keys that move, add and mend them."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from textual import on

from appellate.app.desk import Desk
from appellate.core.cell import proposals
from appellate.core.commands import Correct
from appellate.core.describe import describe
from appellate.core.refused import Refused
from appellate.core.trace import name_of
from appellate.ui.pane import Pane
from appellate.ui.picking import Choice as Pick
from appellate.ui.response import ResponseView
from appellate.ui.text import clip
from appellate.workbench import Act, Change

if TYPE_CHECKING:
    from appellate.app.proposals import Offer

TITLE = 60  # the cells of a menu's title
SAID = 2  # what an act made count no more, or several times, is said so often; the rows mark all of it


class Items(Desk):
    """Corrections, and words of the response on their way into a bucket."""

    # -- what the pane asks for --------------------------------------------------------------------

    def on_pane_asked(self, event: Pane.Asked) -> None:
        """Carries corrections out as one act, leaves out those that are refused, and says what became of them."""
        whys: list[str] = []

        def corrections(act: Act) -> None:
            for wish in event.wishes:
                try:
                    act.do(self.no, self._steps(wish, act))
                except Refused as refusal:
                    whys.append(str(refusal))

        changes = self.do(lambda: self.bench.do_together(corrections))
        if changes:
            self.pane.corrected(event.wishes[-1][-1])
        if changes is not None:
            remarks = [remark for change in changes for remark in self._remarks(change)]
            self.say(" ".join(filter(None, [_sum(event, changes, whys), *remarks])) or self._trouble)
        self.rest()

    def _remarks(self, change: Change) -> list[str]:
        """What a correction did beside what was asked."""
        counted = self.pane.remarks(change.before, change.after)
        if len(counted) > SAID:
            counted[SAID - 1 :] = [f"{counted[SAID - 1].removesuffix('.')} (and {len(counted) - SAID} more)."]
        unsigned = ["No longer signed off: a signs it again."] if change.before.signed else []
        return [*counted, *unsigned]

    def _steps(self, wish: Sequence[Any], act: Act) -> Iterator[Correct]:
        """The corrections for one item, each of the labels that the one before it left."""
        for edit in wish:
            yield Correct(self.pane.found_again(edit, act.cell(self.no)))

    def on_pane_told(self, event: Pane.Told) -> None:
        self.say(event.text)

    def on_pane_looked(self) -> None:
        self._looked()
        if self.gathering.on:
            self.rest()

    def on_pane_evidence_wanted(self, event: Pane.EvidenceWanted) -> None:
        self.gathering.evidence_for(lambda span: self.pane.tell(event.finished(span)), event.offers)

    def on_pane_link_wanted(self, event: Pane.LinkWanted) -> None:
        by_key = {str(number): option.link for number, option in enumerate(event.options, 1)}
        choices = [Pick(str(number), one.mark, one.text, one.note) for number, one in enumerate(event.options, 1)]

        def picked(key: str) -> None:
            self.on_pane_asked(event.finished(by_key.get(key)))

        self.pick(event.title, choices, event.none, picked, on_none=event.unlikely)

    def on_pane_text_wanted(self, event: Pane.TextWanted) -> None:
        def answered(text: str) -> bool:
            before, asked = self.cell, event.finished(text)
            self.say(asked) if isinstance(asked, str) else self.on_pane_asked(asked)
            return self.cell is not before

        self.ask(event.label, event.initial, answered, about=(event.label, self.no, event.initial))

    def on_pane_menu_wanted(self, event: Pane.MenuWanted) -> None:
        keys = {key.action: key.shown for key in self.keys}
        choices = [Pick(one.action, keys.get(one.action, ""), one.told) for one in event.entries]
        title = clip(event.title, TITLE, self.marks)
        self.pick(title, choices, "", lambda action: self.call_next(self.run_action, action))

    # -- keys ------------------------------------------------------------------------------------

    def _sees_item(self) -> bool:
        """Whether one sees what a key would change, as far as only the response is in sight; says so if not."""
        if not self.has_class("-focus"):
            return True
        chosen = next((span for span in self._spans() if span.selected), None)
        low, high = self.response.in_sight
        seen = chosen is not None and low < chosen.end and chosen.start < high and not self.pane.marked
        if not seen:
            self.say("The item is out of sight: p goes to the next one in the text, z shows them all.")
        return seen

    def action_move(self, to: str) -> None:
        if self.gathering.on:
            self.gathering.take(to)
        elif self._sees_item():
            self.pane.move(to)

    def action_select(self) -> None:
        self.gathering.begin()

    def action_no_evidence(self) -> None:
        if self.gathering.on:
            self.gathering.no_evidence()
        else:
            self.say("0 answers where evidence is asked for: a move from FN to TP or from TN to FP asks.")

    def action_drop(self) -> None:
        if self._sees_item():
            self.pane.drop()

    def action_reword(self) -> None:
        if self._sees_item():
            self.pane.reword()

    def action_relink(self) -> None:
        if self._sees_item():
            self.pane.relink()

    def action_split(self) -> None:
        if self._sees_item():
            self.pane.split()

    def action_merge(self) -> None:
        if self._sees_item():
            self.pane.merge()

    def action_missing(self) -> None:
        self.pane.missing()

    def action_repeat(self) -> None:
        if self._sees_item():
            self.pane.repeat()

    def action_view(self) -> None:
        self.rest()
        self.pane.toggle_view()

    def action_proposals(self) -> None:
        """What each judge proposed here: to look at, and to adopt one."""
        from appellate.app.proposals import ProposalsScreen

        if not proposals(self.cell):
            self.say("No judge has proposed anything here yet: J asks one.")
            return
        name = f"Proposals for {self.cell.subject.trait.name}, trace {name_of(self.trace.id, self.trace.epoch)}"
        rendered = self.response.reads_as_markdown
        self.app.push_screen(ProposalsScreen(self.cell, name, self.marks, rendered=rendered), self._adopt)

    def _adopt(self, offer: "Offer | None") -> None:
        self.rest()
        if offer is None or not self.may_change():
            return
        change = self.do(lambda: self.bench.adopt(self.no, offer.fact.n, offer.member))
        if change:
            unsigned = " No longer signed off: a signs it again." if change.before.signed else ""
            self.say(f"Adopted the labels of {offer.name}, round {offer.round}: u takes it back.{unsigned}")

    def action_mark(self) -> None:
        if self._sees_item():
            self.pane.toggle_mark()

    def action_mark_all(self) -> None:
        if self._sees_item():
            self.pane.mark_all()

    def action_menu(self) -> None:
        if self.gathering.on:
            self.gathering.enter()
        elif self._sees_item():
            self.pane.menu()

    def action_bucket(self, by: int) -> None:
        self.pane.take_focus()
        self.pane.to_bucket(by)

    def action_scroll(self, by: int) -> None:
        self.response.action_roll_page(by)

    @on(ResponseView.Selected)
    def _selected(self) -> None:
        self.gathering.selected()

    @on(ResponseView.SelectionEnded)
    def _selection_ended(self) -> None:
        if not self.response.selecting:  # another may have begun meanwhile
            self.gathering.end()

    @on(ResponseView.SpanClicked)
    def _span_clicked(self, event: ResponseView.SpanClicked) -> None:
        found = self.pane.evidence()[event.index]
        self.pane.go(found.bucket, found.index)
        self.rest()
        self._looked()


def _sum(event: Pane.Asked, changes: list[Change], whys: list[str]) -> str:
    """How many items were corrected, and why others were not; nothing of a single one that speaks for itself."""
    count = len(event.wishes)
    if count == 1 and whys:
        return whys[0]
    again = "Repeated: " if event.repeated else ""
    steps = sum(len(change.after.facts) - len(change.before.facts) for change in changes)
    if count == 1 and steps > 1:
        return f"{again}{event.verb.capitalize()} in {steps} steps: u takes them back together."
    if count == 1:
        after = changes[0].after
        return f"{again}{describe(after, after.facts[-1])}." if again else ""
    done = f"{again}{count - len(whys)} {event.verb}"
    if not whys:
        return f"{done}: u takes them back together."
    others = f" (and {len(set(whys)) - 1} other reasons)" if len(set(whys)) > 1 else ""
    return f"{done}, {len(whys)} not: {whys[0]}{others}"

"""The items of the cell: what the pane asks for, and the keys that move, add and mend them."""

from typing import Any

from textual import on

from appellate.app.desk import Desk
from appellate.app.material import MaterialScreen, material
from appellate.ui.picking import Choice as Pick
from appellate.ui.response import ResponseView


class Items(Desk):
    """Corrections, and words of the response on their way into a bucket."""

    def on_metric_pane_asked(self, event: Any) -> None:
        self.correct(event.edit)

    def on_metric_pane_told(self, event: Any) -> None:
        self.say(event.text)

    def on_metric_pane_looked(self) -> None:
        self._looked()

    def on_metric_pane_evidence_wanted(self, event: Any) -> None:
        self.gathering.evidence_for(event.edit)

    def on_metric_pane_link_wanted(self, event: Any) -> None:
        by_key = {f"{of} {number}": (of, number) for of, number in (option.link for option in event.options)}
        choices = [
            Pick(f"{one.link[0]} {one.link[1]}", one.mark, one.text, one.note, one.likely / 100)
            for one in event.options
        ]
        leaving = "" if event.left_open else None
        self.pick(event.title, choices, event.none, lambda key: self.correct(event.finished(by_key.get(key))), leaving)

    def on_metric_pane_text_wanted(self, event: Any) -> None:
        def answered(text: str) -> None:
            edit = event.finished(text)
            self.say(edit) if isinstance(edit, str) else self.correct(edit)

        self.ask(event.label, event.initial, answered)

    # -- keys ------------------------------------------------------------------------------------

    def action_move(self, to: str) -> None:
        if self.gathering.on:
            self.gathering.take(to)
        else:
            self.pane.move(to)

    def action_select(self) -> None:
        self.gathering.begin()

    def action_take_evidence(self) -> None:
        if self.gathering.on:
            self.gathering.take_evidence(with_words=True)

    def action_no_evidence(self) -> None:
        if self.gathering.on:
            self.gathering.take_evidence(with_words=False)

    def action_evidence(self) -> None:
        self._looked()

    def action_drop(self) -> None:
        self.pane.drop()

    def action_reword(self) -> None:
        self.pane.reword()

    def action_relink(self) -> None:
        self.pane.relink()

    def action_split(self) -> None:
        self.pane.split()

    def action_merge(self) -> None:
        self.pane.merge()

    def action_missing(self) -> None:
        self.pane.missing()

    def action_bucket(self, by: int) -> None:
        self.pane.take_focus()
        self.pane.to_bucket(by)

    def action_material(self) -> None:
        self.app.push_screen(MaterialScreen(material(self.bench.workspace.rubric, self.trace)))

    def action_scroll(self, by: int) -> None:
        self.response.action_roll_page(by)

    @on(ResponseView.Selected)
    def _selected(self) -> None:
        self.gathering.selected()

    @on(ResponseView.SelectionEnded)
    def _selection_ended(self) -> None:
        self.gathering.end()

    @on(ResponseView.SpanClicked)
    def _span_clicked(self, event: ResponseView.SpanClicked) -> None:
        found = self.pane.evidence()[event.index]
        self.pane.go(found.bucket, found.index)
        self.pane.take_focus()
        self._looked()

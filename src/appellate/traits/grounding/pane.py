"""Shows a grounding cell on the screen: sentences of response and documents, and their links."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.content import Content
from textual.events import Click
from textual.widgets import Static

from appellate.core.cell import Cell
from appellate.core.kind import Table
from appellate.traits.grounding.pane_corrections import (
    COPY_KEY,
    LINK_KEYS,
    OF_GROUNDING,
    RELEVANT_KEY,
    SAYING,
    SAYING_KEYS,
    UTILIZED_KEY,
    SupportCorrections,
)
from appellate.traits.grounding.pane_items import TwoTexts, why_unlabelled
from appellate.traits.grounding.sentences import KeyedSentence
from appellate.ui.contract import Evidence, Place, Review
from appellate.ui.docked import Passage
from appellate.ui.grouped_rows import GroupedLines, fitting
from appellate.ui.key import Hint, Key, OwnAct, Strip, first_names, in_group
from appellate.ui.lines import Lines, legend
from appellate.ui.marks import MarkHelp, Marks, helps_in, raised
from appellate.ui.own_keys import bindings
from appellate.ui.pane import InTexts, ItemsPane
from appellate.ui.text import entitle, inert, update_text

EDGES = 4  # cells around a title, and between the names of texts
"""Cells around a title, and between the names of texts."""
PART = 13
"""Each of these texts has at most this fraction of the height, one in so many lines."""
MANY = 1000
"""Sentences of a text beyond which each is one line; next to the response (K) they are shown in
full.
"""


_MARKS = """\
key  sentence b of document 0, sentence c of the response  0b  c
key  behind words, which sentence it is, with R and U  {keys}
key  relevance, utilization, completeness, adherence, their average  Rel Util Comp Adh Avg
tp  the documents say all that the sentence says  supported
fn  the documents say a part of it; counts as not supported  {partly} partly
fp  no document says it: a hallucinated claim  {fp} not
muted  a sentence without a label yet  {open}
key  a document sentence that is relevant to the question  R
key  a document sentence that the response uses  U
corrected  left: it supports the current claim; right: all claims that it supports  {linked}
corrected  what the judge said, then your reason  {moved} was
key  marked: 4, 5 and Space are done to all that are marked  {marked}
flag  labels that contradict each other  {doubt}
"""


class AroundTexts:
    """The texts above and between the two lists, each as far as there is room."""

    def __init__(self, review: Review, texts: TwoTexts, sources: Lines) -> None:
        """Make the texts around the two lists, which are empty until `draw`.

        `draw` also gives the list `sources`, that of the documents, its title.
        """
        self._review = review
        self._texts = texts
        self._sources = sources
        self.tabs = Static(id="tabs", markup=False)
        self.overall = Static(id="overall", classes="about", markup=False)
        self.relevance = Static(id="relevance", classes="about", markup=False)
        self.breaches = Static(id="breaches", classes="about breach", markup=False)

    def draw(self, width: int, height: int, *, one_text: bool) -> None:
        """Draw the texts around the lists, for a pane of `width` columns and `height` rows.

        The counts become the title of the documents' list. If only one list is shown, there are
        tabs, and of the other texts only contradictions, or why labels are missing. A text has at
        most a `PART`-th of the rows, but one at least.
        """
        max_lines = max(height // PART, 1)
        if one_text:
            self.tabs.update(self._tabs(width), layout=False)
        entitle(self._sources, self._counts(width - EDGES))
        is_blank = self._texts.grounded.cell.labels is None
        _show_fitting(
            self.overall,
            self._overall(),
            width,
            max_lines + is_blank,
            shown=is_blank or not one_text,
        )
        _show_fitting(
            self.relevance,
            self._relevance(),
            width,
            max_lines,
            shown=not one_text,
        )
        _show_fitting(self.breaches, self._breaches(), width, max_lines, shown=True)

    def _counts(self, width: int) -> str:
        """Return the numbers of document sentences, "Documents 3 relevant, 2 utilized of 12".

        By the definition "guide" the relevance follows as " · Rel 3/20", out of the trait's
        denominator. The first text that fits `width` is taken: that one, "Documents 3 R 2 U of 12 ·
        Rel 3/20", then both without the relevance. If none fits, the shortest, "Documents 3 R 2 U
        of 12", is returned anyway.
        """
        grounded = self._texts.grounded
        relevant = len(grounded.relevant)
        utilized = len(grounded.utilized)
        trait = grounded.cell.subject.trait
        relevance_text = ""
        if trait.definition == "guide":
            relevance_text = f" · Rel {relevant}/{trait.relevance_denominator}"
        text = ""
        for ending in dict.fromkeys((relevance_text, "")):
            for counts_text in (
                f"{relevant} relevant, {utilized} utilized",
                f"{relevant} R {utilized} U",
            ):
                text = f"Documents {counts_text} of {len(grounded.sources)}{ending}"
                if len(text) <= width:
                    return text
        return text

    def _tabs(self, width: int) -> Content:
        """Return the tabs: names and counts of the response, then of the documents.

        The current one is highlighted. The counts of the documents are shortened to fit `width`;
        names and the response's are not. It is for the caller to show them only while one list is
        shown at a time.
        """
        grounded = self._texts.grounded
        response = f" Response {grounded.counted()} "
        documents = f" {self._counts(width - len(response) - EDGES)} "
        highlight = "bold reverse"
        response_style = highlight
        documents_style = ""
        if self._texts.in_documents:
            response_style = ""
            documents_style = highlight
        return Content.assemble(
            (response, response_style),
            "  ",
            (documents, documents_style),
        )

    def _overall(self) -> Content:
        """Return the judge's verdict on the whole and its reason, or why there are no labels.

        It is as "judge: all of it is supported: …", also after corrections. Each is left out if the
        judge did not give it, so that both missing give an empty text. Without labels, it says what
        to do, too.
        """
        grounded = self._texts.grounded
        cell = grounded.cell
        labels = grounded.labels
        if cell.labels is None:
            return Content(inert(why_unlabelled(self._review, cell)))
        fields = {
            True: "judge: all of it is supported",
            False: "judge: not all of it is supported",
        }
        judge_labels = grounded.judged or labels
        text = "" if judge_labels.overall is None else fields[judge_labels.overall]
        parts = [text, judge_labels.overall_explanation]
        joined = ": ".join(filter(None, parts))
        return Content(inert(joined))

    def _relevance(self) -> Content:
        """Return the judge's reason for what is relevant, also after corrections, or nothing."""
        judge_labels = self._texts.grounded.judged or self._texts.grounded.labels
        text = judge_labels.relevance_explanation
        if not text:
            return Content()
        return Content(inert(f"judge: {text}"))

    def _breaches(self) -> Content:
        """Return the contradictions that no sentence shows, a line each, or nothing.

        They are those about several sentences of the response, about the whole or about unknown
        keys. One about several sentences of documents is shown at each of these.
        """
        sentences = self._texts.grounded.problems.get("", ())
        return Content(
            inert(
                "\n".join(
                    f"{self._review.marks.doubt} {sentence}" for sentence in sentences
                ),
            ),
        )

    def detail(self) -> Content:
        """Return all that there is to know: the sentence under the cursor, then the judge's words.

        Of a response sentence that is its label, the judge's reason and its links; of any sentence
        also what is contradictory about it. What a document sentence supports is not told. The
        judge's words are those on the whole and on relevance, followed by the cell's
        contradictions. Without a sentence there are only these.
        """
        sentence_text = "\n".join(self._lines_of_sentence())
        parts: list[Content] = []
        for part in (
            Content(inert(sentence_text)),
            self._overall(),
            self._relevance(),
            self._breaches(),
        ):
            if part.plain:
                parts.append(part)
        return Content("\n\n").join(parts)

    def _lines_of_sentence(self) -> list[str]:
        """Return all that there is to know of the sentence under the cursor, a text a line.

        First come its key and text. Those of the response then have their label, the judge's
        reason and their links. What is contradictory comes last. Empty without a sentence.
        """
        texts = self._texts
        grounded = texts.grounded
        key = texts.key
        sentence = grounded.sentences.find(key)
        if not sentence:
            return []
        lines = [f"{key} {sentence.text}"]
        if not texts.in_documents:
            lines.append(grounded.describe(key))
            explanation = grounded.why(key)
            if explanation:
                lines.append(f"judge: {explanation}")
            for link in grounded.links(key):
                lines.append(f"{link.key} {link.text}")
        lines.extend(grounded.problems.get(key, ()))
        return lines


def _show_fitting(
    widget: Static,
    content: Content,
    width: int,
    height: int,
    *,
    shown: bool,
) -> None:
    """Show as much of a text as fits into `width` columns and `height` lines.

    The widget is hidden if there is no text, or it is not to be `shown`.
    """
    widget.display = shown and bool(content.plain)
    if widget.display:
        update_text(widget, fitting(content, width, height))


class SupportInTexts(InTexts):
    """The support of a cell as response and documents show it where they are read."""

    def __init__(self, texts: TwoTexts) -> None:
        """Prepare to show the support of the cell of `texts`, whose cursors it follows."""
        self._texts = texts

    @property
    def place(self) -> Place | None:
        """The place of the response sentence whose support is shown, wherever the cursor is."""
        return self._texts.claim_place

    def passages(self) -> list[Passage]:
        """Return the document sentences with their keys and marks, as passages of the documents.

        They are in reading order, each with the index of its document and the offsets there. The
        sentence under the cursor is highlighted while keys act on the documents, else those that
        support the current response sentence. Sentences that are not in their text are left out.
        """
        texts = self._texts
        passages = list[Passage]()
        links = highlighted = texts.links
        if texts.in_documents and texts.source:
            highlighted = [texts.source]
        for number, sentences in enumerate(texts.grounded.sentences.documents):
            for sentence in sentences:
                if sentence.span:
                    key = sentence.key
                    style, mark = self._style_and_mark(key, is_linked=key in links)
                    passages.append(
                        Passage(
                            number,
                            *sentence.span,
                            style,
                            mark,
                            key in highlighted,
                        ),
                    )
        return passages

    def _style_and_mark(self, key: str, *, is_linked: bool) -> tuple[str, str]:
        """Return the style of a document sentence, and its mark: key, R and U in raised letters.

        The style is "evidence" if the sentence supports the current claim, else "tn" if it is
        utilized, else "tp" if it is relevant, else "". R follows the key of a relevant sentence and
        U that of a utilized one.
        """
        grounded = self._texts.grounded
        relevant = key in grounded.relevant
        utilized = key in grounded.utilized
        style = ""
        if is_linked:
            style = "evidence"
        elif utilized:
            style = "tn"
        elif relevant:
            style = "tp"
        return style, raised(
            f"{key}{'R' * relevant}{'U' * utilized}",
            self._texts.marks,
        )


def share_height(claims: Lines, sources: Lines) -> None:
    """Set the height of the response's list, so that both lists fit into what they have together.

    It is what the list needs, at most half of the rows or what the documents leave, whichever is
    more, and never limited to fewer than 3 rows. Does nothing unless both lists are shown.
    """
    are_both_shown = claims.display and sources.display
    if not are_both_shown or not claims.is_attached:
        return
    height = claims.size.height + sources.size.height
    left_by_documents = height - sources.height_uncut
    most = max(height // 2, left_by_documents, 3)
    claims.styles.height = min(claims.height_uncut, most)


class GroundingPane(ItemsPane):
    """Shows two texts, each under a cursor, or one at a time behind tabs."""

    DEFAULT_CSS = """
    GroundingPane {
        & > #tabs { height: 1; display: none; }
        & > .about { height: auto; padding: 0 1; color: $text-muted; }
        & > .breach { color: $state-failed; }
        & > #claims { height: 1fr; min-height: 3; }
        & > #sources { height: 1fr; min-height: 3; }
        & > #sources { border-top: solid $panel; border-title-color: $text-muted; }
        &.-one > #tabs { display: block; }
        &.-one > #sources { border-top: none; }
    }
    """
    items: TwoTexts
    in_texts: SupportInTexts
    NEAR = ("support.", "grounding.")
    MATERIAL = "documents"
    TITLE = "Support"
    ABOUT = (
        "the sentences of the response, each with what is said of its support, and those of the "
        "documents; the claim and what supports it are highlighted in both texts"
    )

    def __init__(self, review: Review, *, id: str | None = None) -> None:  # noqa: A002
        """Make a pane with both lists and without a cell."""
        super().__init__(review, id=id)
        self.items = TwoTexts(review, partial(GroupedLines, many=MANY))
        self.claims: GroupedLines[KeyedSentence] = self.items.claims  # type: ignore[assignment]
        self.sources: GroupedLines[KeyedSentence] = self.items.sources  # type: ignore[assignment]
        self.claims.id = "claims"
        self.sources.id = "sources"
        self.sources.uncut = True
        self.marked_rows = self.sources
        self.around = AroundTexts(review, self.items, self.sources)
        self.named_items = self.items
        self.in_texts = SupportInTexts(self.items)
        self.corrections = SupportCorrections(review, self.items)
        self._one = False

    def compose(self) -> ComposeResult:
        """Yield the lists of response and documents, with texts above, between and below them."""
        yield self.around.tabs
        yield self.around.overall
        yield self.claims
        yield self.around.breaches
        yield self.sources
        yield self.around.relevance

    # -- about itself -----------------------------------------------------------------------------

    @classmethod
    def marks_help(cls, marks: Marks) -> list[MarkHelp]:
        keys = f"{raised('a', marks)}  {raised('0b', marks)}"
        return helps_in(_MARKS, keys=keys, **marks._asdict())

    def first_keys(self, names: Mapping[str, str]) -> Sequence[tuple[str, str]]:
        """Return the keys that a beginner needs, as pairs of what to press and what it does.

        The first pair is ("1 2 3", "supported, partly, not"), the second that of links. `names` has
        what to press by the id of a key, and must have all three verdicts and "support.link".
        """
        saying_keys = " ".join(names[key_id] for key_id in SAYING)
        link_key = names["support.link"]
        return [(saying_keys, "supported, partly, not"), (link_key, "by what")]

    def hints(self, keys: Sequence[Key]) -> list[Hint]:
        """Return two hints for the strip: giving a verdict, and marking as relevant or utilized.

        They are as "1-3 supported, partly, not" and "4 5 relevant, utilized". The one for the text
        that keys act on comes first. `keys` must have all five.
        """
        key_names = first_names(keys)
        text = " ".join(key_names[key_id] for key_id in SAYING)
        if text == "1 2 3":
            text = "1-3"
        relevant_key = key_names["support.relevant"]
        utilized_key = key_names["support.utilized"]
        marks = f"{relevant_key} {utilized_key}"
        verdict = Hint(text, "supported, partly, not", "support.full")
        relevant = Hint(marks, "relevant, utilized", "support.relevant", 2)
        if self.items.in_documents:
            return [relevant, verdict]
        return [verdict, relevant]

    # -- the cell ---------------------------------------------------------------------------------

    def show(self, cell: Cell, *, fresh: bool) -> None:
        """Show a cell, a fresh one with the cursor on the first sentence of its response.

        Otherwise the cursors stay.
        """
        super().show(cell, fresh=fresh)
        self._lay_out()

    def follow(self, edit: Table, before: Cell, *, turned: bool) -> None:
        """Move the cursors after a correction, undo or redo, and draw the pane.

        They move as `TwoTexts.follow` does it.
        """
        super().follow(edit, before, turned=turned)
        self._lay_out()

    def _lay_out(self) -> None:
        """Show the list that keys act on, or both with room for each, and the texts around them.

        The frame says what the marks in the lists mean. Does nothing before a cell is shown.
        """
        if self.cell is None:
            return
        self.around.draw(
            self.content_size.width - 2,
            self.content_size.height,
            one_text=self._one,
        )
        self.claims.display = not (self._one and self.items.in_documents)
        self.sources.display = not (self._one and not self.items.in_documents)
        self.claims.styles.height = "1fr"
        if not self._one:
            share_height(self.claims, self.sources)
            # How wide the lists are is known by then.
            self.call_after_refresh(share_height, self.claims, self.sources)
        meanings = {
            self.marks.moved: "changed by you",
            self.marks.linked: "supports",
            "R": "relevant",
            "U": "utilized",
        }
        width = self.size.width - EDGES
        entitle(self, subtitle=legend([self.claims, self.sources], meanings, width))

    def on_resize(self) -> None:
        self._lay_out()

    def one_at_a_time(self, one: bool) -> None:
        """Show one list at a time with `one`, or both."""
        self._one = one
        self.set_class(one, "-one")
        self._lay_out()

    def evidence(self) -> Sequence[Evidence]:
        return self.items.evidence

    def detail(self) -> Content:
        """Return all that there is to know of the sentence under the cursor, and of the cell.

        After the sentence come the judge's words on the whole response and on relevance, and what
        is contradictory in the cell's labels; without a sentence there are only these. It is empty
        before a cell is shown.
        """
        return self.around.detail() if self.cell else Content()

    def summary(self) -> str:
        """Return how many sentences are supported, and the distance to the judge.

        For example "5/7 supported  .12 off judge's". The distance is left out before corrections.
        Returns "" for a cell without labels.
        """
        if self.cell is None or self.cell.labels is None:
            return ""
        grounded = self.items.grounded
        counts = grounded.counted()
        distance = grounded.consistency()
        return "  ".join(filter(None, (counts, distance)))

    # -- the cursor -------------------------------------------------------------------------------

    @property
    def lines(self) -> Lines:
        """The list that keys act on: that of the documents or that of the response."""
        return self.sources if self.items.in_documents else self.claims

    def go(self, group: str, number: int) -> None:
        super().go(group, number)
        self._show_current_list()

    def _show_current_list(self) -> None:
        """Draw the pane anew, and move the focus to the list that keys act on.

        The focus moves only if it is in one of the two lists.
        """
        self._lay_out()
        if self.screen.focused in (self.claims, self.sources):
            self.take_focus()

    def take_focus(self) -> None:
        """Move the focus to the list that keys act on, wherever it is."""
        self.screen.set_focus(self.lines)

    def lists(self) -> list[Lines]:
        """Return the lists that are shown, the one that keys act on first."""
        if self._one:
            return [self.lines]
        return sorted(
            (self.claims, self.sources),
            key=lambda lines: lines is not self.lines,
        )

    def action_go(self, step: Callable[[TwoTexts], str | None]) -> None:
        """Go to the other text or along a link, as `step` does, or say why that is not possible.

        `step` returns why, if it is not, and then nothing else happens. Otherwise the list that
        keys act on gets the focus, and the evidence is shown.
        """
        refused = step(self.items)
        if refused:
            self.review.say(refused)
            return
        self._show_current_list()
        self.take_focus()
        self.review.looked()

    def action_view(self) -> None:
        """Show only unsupported sentences of the response, or all of them, and say which.

        Does nothing before a cell is shown.
        """
        if self.cell is None:
            return
        self.items.turn_view()
        self._show_current_list()
        self.review.looked()
        text = "All sentences of the response."
        if self.items.only_unsupported:
            text = "Only the claims that are not supported; {grounding.view:t} shows all sentences."
        self.review.say(text)

    def on_descendant_focus(self) -> None:
        """Make a list that was clicked or reached by Tab the one that keys act on."""
        focused = self.screen.focused
        if focused in (self.claims, self.sources) and focused is not self.lines:
            self.items.to_other()
            self._lay_out()

    def on_lines_highlighted(self, event: Lines.Highlighted) -> None:
        """Draw what depends on a cursor after one moved, and count the item under it as seen.

        If it is the response's, that of the documents goes to the first sentence that supports the
        claim, unless it is on one already.
        """
        event.stop()
        if event.lines is self.claims:
            self.items.follow_claim()
        self._lay_out()
        self.review.looked()

    def on_lines_touched(self, event: Lines.Touched) -> None:
        """Open the menu on the right button; any other click does nothing more here."""
        event.stop()
        if event.right:
            self.open_menu()

    def on_click(self, event: Click) -> None:
        """Go to the other text on a click on the tabs."""
        if event.widget is self.around.tabs:
            self.action_go(TwoTexts.to_other)

    # -- marks ------------------------------------------------------------------------------------

    def action_mark(self) -> None:
        """Mark the document sentence under the cursor or unmark it, and go on to the next.

        Marked sentences are those that the next link or judgement of relevance is about. While keys
        act on the response, only a message says how to mark. If there is no document sentence, one
        says so.
        """
        if self.items.in_documents:
            self.sources.toggle_mark()
        else:
            self.review.say(
                "Sentences of the documents are marked: {grounding.over:Tab} goes to them.",
            )

    # -- the keys ---------------------------------------------------------------------------------

    KEYS = (
        *SAYING_KEYS,
        *in_group("Support", RELEVANT_KEY, UTILIZED_KEY, about=OF_GROUNDING),
        *LINK_KEYS,
        *in_group(
            "Support",
            Key(
                "support.mark",
                "x",
                "mark",
                "mark the document sentence; 4, 5 and Space then take all marked",
                OwnAct(action_mark),
            ),
            COPY_KEY,
            Key(
                "grounding.view",
                "t",
                "unsupported",
                "only the claims that are not supported, or all sentences again",
                OwnAct(action_view),
                strip=Strip(13, 15),
            ),
            about=OF_GROUNDING,
        ),
        *in_group(
            "Going about",
            Key(
                "grounding.on",
                "l,right",
                "its support",
                "to the sentence that the claim rests on, then to the next one",
                OwnAct(action_go, TwoTexts.to_support),
                shown="l →",
            ),
            Key(
                "grounding.back",
                "h,left",
                "its claim",
                "from a sentence to the claim that rests on it",
                OwnAct(action_go, TwoTexts.to_claim),
                shown="h ←",
            ),
            Key(
                "grounding.over",
                "tab,shift+tab",
                "the other text",
                "go from the response to the documents and back",
                OwnAct(action_go, TwoTexts.to_other),
                shown="Tab",
            ),
            about=OF_GROUNDING,
        ),
    )
    BINDINGS: ClassVar[list[BindingType]] = [*bindings(KEYS)]


PANE = GroundingPane

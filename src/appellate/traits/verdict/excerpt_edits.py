"""What corrections of excerpts have in common, whichever kind of trait has the excerpts."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Literal, Protocol, TypeVar

from appellate.core.problem import Refused

EVIDENCE_ALREADY = "These words are evidence already."
"""Why words are refused that another excerpt has."""


if TYPE_CHECKING:

    class _WithText(Protocol):
        @property
        def text(self) -> str: ...

    class _ExcerptEdit(Protocol):
        """A correction of an excerpt, as each kind with excerpts has it."""

        @property
        def action(self) -> str: ...
        @property
        def index(self) -> int: ...
        @property
        def span(self) -> tuple[int, int] | None: ...
        @property
        def text(self) -> str | None: ...
        @property
        def seen(self) -> str | None: ...


Excerpt = TypeVar("Excerpt", bound="_WithText")


def excerpt_of_edit(excerpts: Sequence[Excerpt], edit: "_ExcerptEdit") -> Excerpt:
    """Return the excerpt that an edit is about, by its index from 0.

    Raises Refused if there is none at that index, or if its text is not what the edit's `seen` says
    that the person saw. An edit with `seen` None is not compared.
    """
    index = edit.index
    if not 0 <= index < len(excerpts):
        raise Refused(f"There is no excerpt {index + 1}.")
    excerpt = excerpts[index]
    if edit.seen is not None and edit.seen != excerpt.text:
        raise Refused("That excerpt has changed in the meantime: look at it again.")
    return excerpt


def corrected_index(
    edit: "_ExcerptEdit",
    spans: Sequence[tuple[int, int] | None],
) -> int | None:
    """Return the index from 0 of the excerpt that an edit added, changed or, if undone, gave back.

    `spans` has a span or None for each excerpt as they are now. An added excerpt is looked for by
    its span. Any other edit gives its own index: after a drop that is the excerpt that moved up.
    None if there is no such excerpt now.
    """
    if edit.action == "add":
        is_there = edit.span is not None and edit.span in spans
        return spans.index(edit.span) if is_there else None
    index = edit.index
    return index if index < len(spans) else None


def with_others(
    excerpts: Sequence[Excerpt],
    index: int,
    *others: Excerpt,
) -> tuple[Excerpt, ...]:
    """Return excerpts with the one at `index` (from 0) replaced by others, or left out for none."""
    return (*excerpts[:index], *others, *excerpts[index + 1 :])


def new_wording(edit: "_ExcerptEdit", drop_key: str) -> str:
    """Return the words that an edit gives an excerpt, without blanks at their ends.

    Raises Refused for no words; `drop_key` is the key that drops an excerpt, as "{llm.drop:d}".
    """
    text = (edit.text or "").strip()
    if not text:
        raise Refused(f"An excerpt needs words; drop it ({drop_key}) to be rid of it.")
    return text


def joined_text(excerpts: "Iterable[_WithText]") -> str:
    """Return the texts of excerpts with " | " between them; "" for none."""
    return " | ".join(excerpt.text for excerpt in excerpts)


ExcerptAction = Literal["add", "drop", "replace", "reword"]
_DONE: dict[ExcerptAction, str] = {
    "add": "added evidence: “{after}”",
    "drop": "dropped evidence: “{before}”",
    "replace": "replaced evidence: “{before}” → “{after}”",
    "reword": "reworded evidence: “{before}” → “{after}”",
}


def described(action: ExcerptAction, before: str, after: str) -> str:
    """Return what an edit of an excerpt did: 'added evidence: “it rains”', without a full stop.

    `before` and `after` are the whole text of the excerpt before and after the edit. Both are shown
    for "replace" and "reword", with an arrow between them.
    """
    return _DONE[action].format(before=before, after=after)

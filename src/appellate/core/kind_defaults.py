"""What holds of a kind that says nothing of something (`core/kind.py`)."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from appellate.core.cell import Cell
    from appellate.core.kind import E, Edit, Instruction, Table, Trait, Weakness
    from appellate.core.trace import Trace


def none_remarked(trait: "Trait", before: object, after: object) -> Sequence[str]:  # noqa: ARG001
    """For a kind whose changes say all themselves."""
    return ()


def takes_none(wanted: "Sequence[Edit]") -> bool:  # noqa: ARG001 - as `Answering.takes_words`
    """For a kind whose answers need no words."""
    return False


def as_wanted(wanted: "Sequence[E]", span: tuple[int, int] | None) -> "Sequence[E]":  # noqa: ARG001
    """For a kind whose answers need no words."""
    return wanted


def none_likely(cell: "Cell", asked: "Instruction") -> Sequence[tuple[int, int]]:  # noqa: ARG001
    """For a kind whose answers need no words."""
    return ()


class Called(NamedTuple):
    """What people call one of a trait's questions ("4", "−1", "0a"; "" for the only one), and its
    words; `is_open` where labels say that nobody has answered it.
    """

    name: str
    text: str
    is_open: bool = False


def by_its_words(trait: "Trait", labels: object, asked: "Instruction") -> Called:  # noqa: ARG001
    """For a kind that asks one question, or whose questions have no number that is shown."""
    return Called("", asked.text)


def no_asides(
    trait: "Trait",  # noqa: ARG001 - as `TraitKind.asides`
    labels: object,  # noqa: ARG001
) -> "Mapping[Instruction, Sequence[str]]":
    """For a kind whose answers say all of an instruction."""
    return {}


def no_notes(trait: "Trait") -> Iterable[str]:  # noqa: ARG001 - as `TraitKind.notes`
    """For a kind all of whose legal traits make sense."""
    return ()


def no_weaknesses(trait: "Trait") -> "Iterable[Weakness]":  # noqa: ARG001 - as `weaknesses`
    """For a kind whose traits are not made of words."""
    return ()


def as_it_is(key: str, table: "Table") -> tuple[dict[str, Any], str]:  # noqa: ARG001 - as `renew`
    """For a kind whose tables in a rubric never had another form."""
    return dict(table), ""


def no_form(trait: "Trait") -> str:  # noqa: ARG001 - as `TraitKind.form`
    """For a kind that has one form only."""
    return ""


def always_judged(trait: "Trait", trace: "Trace", table: "Table") -> str:  # noqa: ARG001
    """For a kind all of whose right tables are judgments."""
    return ""


def no_vocabulary(trait: "Trait") -> Sequence[str]:  # noqa: ARG001 - as `TraitKind.vocabulary`
    """For a kind whose answers have no order of their own."""
    return ()

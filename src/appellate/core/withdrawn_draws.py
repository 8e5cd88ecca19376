"""What a sample that was withdrawn leaves in its cells: they are as if they had not been drawn."""

from collections.abc import Iterable

from appellate.core.facts import Adopted, Corrected, Drawn, Fact, Ruled, SignedOff, Undrawn
from appellate.core.problem import Refused

TOO_LATE = (
    "The sample stays: something in it is ruled on or signed off already, and whoever has seen a"
    " number may withdraw what does not suit them. More can be added to it."
)


def is_judged_since(facts: Iterable[Fact], draw: int) -> bool:
    """Whether a person gave a verdict after the draw of that number, be it undone by now."""
    return any(fact.n > draw and isinstance(fact.what, Ruled | SignedOff) for fact in facts)


def set_aside(facts: tuple[Fact, ...]) -> frozenset[int]:
    """The numbers of the draws that were withdrawn, and of what was done to labels that stood blind
    in between. Raises Refused where there was no such draw, or a verdict after it.
    """
    gone: set[int] = set()
    for place, fact in enumerate(facts):
        if isinstance(fact.what, Undrawn):
            gone.update(_of_draw(facts[:place], fact.what.of))
    return frozenset(gone)


def _of_draw(facts: tuple[Fact, ...], of: int) -> set[int]:
    drawn = next((one.what for one in facts if one.n == of), None)
    if not isinstance(drawn, Drawn):
        raise Refused(f"There was no draw {of} to withdraw.")
    if is_judged_since(facts, of):
        raise Refused(TOO_LATE)
    gone = {of}
    if drawn.blind:
        begun = (one.n for one in facts if isinstance(one.what, Corrected | Adopted))
        gone.update(n for n in begun if n > of)
    return gone

"""Every binding there is: known, with an id of its own, and with keys that can be written."""

import re
from collections import Counter
from pathlib import Path

import appellate
from appellate.app.keys.bindings import by_id, every, friendly, keys_of, named
from appellate.traits.kinds import kinds


def test_every_binding_written_in_the_program_is_known():
    source = Path(appellate.__file__).parent
    ids = {
        found
        for path in source.rglob("*.py")
        if "Binding(" in (text := path.read_text("utf-8"))
        for found in re.findall(r'\bid="([a-z_.]+)"\)', text)
        if "." in found
    }
    assert ids <= set(by_id())
    assert {key.id for key in keys_of(kinds())} <= set(by_id())


def test_every_key_of_the_program_can_be_written():
    written = {key: named(friendly(key)) for bound in every() for key in bound.keys}
    assert len(written) > 90
    assert {key: found for key, found in written.items() if found != key} == {}


def test_no_two_bindings_have_one_id():
    """A keymap could not tell them apart; a widget made of another has its bindings again."""
    owners = Counter(
        bound.id
        for bound in every()
        if not any(_inherits(bound, other) for other in every())
    )
    assert [name for name, count in owners.items() if count > 1] == []


def _inherits(bound, other) -> bool:
    return (
        bound.id == other.id
        and bound.owner is not other.owner
        and issubclass(bound.owner, other.owner)
    )

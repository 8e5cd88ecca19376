"""The keys of a pane with verdicts: those that each kind has under ids and words of its own."""

from collections.abc import Iterable, Mapping

from msgspec import Struct

from appellate.traits.verdict.scale import DIGITS, Scale, has_digits, key_of
from appellate.ui.contract import YES_NO
from appellate.ui.key import Key


class KindKeys(Struct, frozen=True):
    """The keys of a kind: how their ids begin, how their helps do, and their group there."""

    kind: str
    called: str
    group: str = "Verdict"

    def give(self, name: str, key: str, label: str, text: str, action: str) -> Key:
        """A key that gives a verdict by itself."""
        words = f"{self.called}: {text}"
        return Key(f"{self.kind}.{name}", key, key, label, self.group, words, own_action=action)

    def turn(self, text: str) -> Key:
        """The key of what is under the cursor."""
        words = f"{self.called}: {text}"
        return Key(
            f"{self.kind}.turn",
            "space",
            "Space",
            "turn",
            self.group,
            words,
            own_action="turn",
            near=True,
        )

    def verdicts(self) -> tuple[Key, ...]:
        """Those that give a verdict by themselves, and that of the one under the cursor."""
        text = "the verdict under the cursor; of yes and no the other, where it is given"
        return (
            self.give("yes", "y", "yes", "yes, where yes or no is asked", "yes"),
            *map(self._digit, range(DIGITS + 1)),
            self.turn(text),
        )

    def _digit(self, number: int) -> Key:
        text = f"score {number}"
        if number in YES_NO:
            text = f"{('no', 'yes')[YES_NO[number]]}, score {number} or class {number}"
        elif number:
            text += f" or class {number}"
        return self.give(str(number), str(number), f"score {number}", text, f"value({number})")

    def correction(
        self, what: str, keys: str, label: str, text: str, *, strip: int = 0, place: int = 0
    ) -> Key:
        """A key that makes a correction; the last character of `keys` is what it is called."""
        return Key(
            f"{self.kind}.{what}",
            keys,
            keys[-1],
            label,
            self.group,
            f"{self.called}: {text}",
            strip,
            place,
            f"correct('{what}')",
        )

    def over(self, label: str, text: str) -> Key:
        """The key that goes from the verdict to what it rests on."""
        return Key(
            f"{self.kind}.over",
            "l,right,tab,h,left,shift+tab",
            "l h Tab",
            label,
            "Going about",
            f"{self.called}: {text}",
            own_action="over",
        )

    def answers(self, trait: Scale) -> Mapping[str, str]:
        """The ids of the keys that give a verdict by themselves, and the answer of each."""
        if trait.kind == "boolean":
            return {f"{self.kind}.1": "1", f"{self.kind}.2": "0", f"{self.kind}.yes": "1"}
        if not has_digits(trait):
            return {}
        return {f"{self.kind}.{key_of(trait, value)}": str(value) for value in trait.counted}

    def offers(self, trait: Scale) -> dict[str, str]:
        """What the menu says of the keys that give a verdict by themselves, by their ids."""
        given = self.answers(trait).items()
        return {key: f"the verdict: {trait.describe(int(answer))}" for key, answer in given}

    def shown(self, trait: Scale, keys: Iterable[Key], pick: str) -> str:
        """The keys that give a verdict, as a person has them: `1 2`, `1-5`, or that of the list."""
        names = {key.id: key.shown for key in keys}
        if trait.kind == "boolean":
            return f"{names.get(f'{self.kind}.1', '1')} {names.get(f'{self.kind}.2', '2')}"
        if not has_digits(trait):
            return names.get(f"{self.kind}.{pick}", "i")
        first = key_of(trait, trait.counted[0])
        last = key_of(trait, trait.counted[-1])
        return (
            f"{names.get(f'{self.kind}.{first}', first)}-{names.get(f'{self.kind}.{last}', last)}"
        )

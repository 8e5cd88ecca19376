"""Whether Caps Lock is on where letters are keys: words are typed, and each letter would act."""

from collections.abc import Collection

PAUSE = 0.7
"""Seconds. Keys that follow each other as fast are typed words, or one key again and again."""
MANY = 3
"""So many different capitals in a row are no deliberate keys, each of which needs Shift."""
REPEATED = (
    "unreviewed.previous",
    "text.previous",
    "material",
    "cell.redo",
    "text.markdown",
    "step.previous",
)
"""The ids of the bench's keys that go somewhere or turn something, again and again."""
TYPING = ("enter", "backspace")
"""Keys of typed words beside those that have a character."""


class CapsLock:
    """Tells from keys, and the moments at which they came, that somebody types in capitals.

    Three capitals in a row, each within `PAUSE` of the one before, are doubted from the third on. A
    capital of `repeated` counts once however often it is pressed: it goes somewhere, and is pressed
    again and again on purpose. So do two capitals, and any with a pause between: they act. Once
    there is a doubt all that is typed without a pause is doubted, up to the first small letter.
    """

    def __init__(self, repeated: Collection[str] = ()) -> None:
        """Begin without a capital; one of `repeated` counts only once in a row.

        These are capitals that are keys which a person may press several times.
        """
        self.repeated = repeated
        self.capitals: list[str] = []
        """The capitals in a row, those of `repeated` once."""
        self._is_doubted = False
        self._latest = float("-inf")

    @property
    def sentence(self) -> str:
        """The sentence to say when `doubts` first returns True; it names the capitals so far.

        The sentence is the same at any time: nothing was done from the third letter on.
        """
        capitals = " ".join(self.capitals)
        return (
            f"Caps Lock? {capitals} looked like typed text: nothing was done from the third letter"
            " on. Keys act again after a short pause."
        )

    def forget(self) -> None:
        """Forget the capitals so far, and that keys were doubted.

        It is for when something else than a key came, such as a click.
        """
        self.capitals.clear()
        self._is_doubted = False

    def doubts(self, key: str, character: str | None, now: float) -> bool:
        """Count a key, and return whether it was typed as a part of words, so that it must not act.

        `character` is what the key types, None for a special key. `now` is the time in seconds. A
        key is doubted from the third capital in a row on, each within `PAUSE` of the key before. A
        capital of `repeated` counts once in a row. After that all printable keys and those of
        `TYPING` are doubted, up to a pause, a small letter or another special key: that key acts. A
        pause, and a key that is no capital, begin the count again.
        """
        is_quick = now - self._latest < PAUSE
        self._latest = now
        if not is_quick:
            self.forget()

        text = character or ""
        is_printable = text.isprintable() and bool(text)
        if self._is_doubted:
            if (is_printable or key in TYPING) and not text.islower():
                return True
            self.forget()
        if not (is_printable and text.isupper()):
            self.capitals.clear()
            return False

        is_again = text in self.repeated and text in self.capitals
        if not is_again:
            self.capitals.append(text)
        self._is_doubted = len(self.capitals) >= MANY
        return self._is_doubted

"""Small words that every part needs: how many of a thing, and letters in lower case."""


def many(count: int, one: str, several: str = "") -> str:
    """`1 cell`, `2 cells`, `1,000 cells`; `several` where the plural does not end in s."""
    if count == 1:
        return f"1 {one}"
    return f"{count:,} {several or one + 's'}"


def lower(text: str) -> str:
    """The text in lower case, codepoint for codepoint: one that would become two stays as it is."""
    lowered = text.lower()
    if len(lowered) == len(text):
        return lowered
    return "".join(map(_lower_alone, text))


def _lower_alone(char: str) -> str:
    lowered = char.lower()
    return lowered if len(lowered) == 1 else char

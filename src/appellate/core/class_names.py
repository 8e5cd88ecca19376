"""What the classes of a literal trait may be called, whatever its kind."""

from collections.abc import Collection, Iterator

from appellate.core.problem import quoted

FEWEST_CLASSES, MOST_CLASSES = 2, 20


def class_name_faults(names: Collection[str]) -> Iterator[str]:
    """What is wrong with the number of classes, and with the name of each."""
    if not FEWEST_CLASSES <= len(names) <= MOST_CLASSES:
        legal = f"{FEWEST_CLASSES} to {MOST_CLASSES}"
        yield f"there are {len(names)} classes, of {legal} that there may be"
    seen: dict[str, str] = {}
    for name in names:
        if not name.strip():
            yield "a class needs a name"
        elif name.lower() in seen:
            both = f"{quoted(seen[name.lower()])} and {quoted(name)}"
            yield f"the classes {both} differ in case alone"
        seen.setdefault(name.lower(), name)

"""Elements of HTML and SVG: a str is text until one is made of it."""

from html import escape

Attribute = str | int | float


class Markup(str):
    """Text that is markup already; only this module makes it."""

    __slots__ = ()


def element(name: str, /, *inside: str, **attributes: Attribute) -> Markup:
    """An element; `class_` is its class, `aria_label` its `aria-label`."""
    return Markup(f"{void(name, **attributes)}{together(*inside)}</{name}>")


def void(name: str, /, **attributes: Attribute) -> Markup:
    """An element that HTML never closes."""
    opening = name
    for key, value in attributes.items():
        text = f"{value:.4g}" if isinstance(value, float) else escape(str(value))
        opening += f' {key.rstrip("_").replace("_", "-")}="{text}"'
    return Markup(f"<{opening}>")


def together(*parts: str) -> Markup:
    """Markup as it is, and text escaped, one after the other."""
    return Markup("".join(part if isinstance(part, Markup) else escape(part) for part in parts))


def own(text: str) -> Markup:
    """Markup written in this package, never anything from a file."""
    return Markup(text)

"""HTML and SVG put together so that nobody can forget to escape: a str is text until an element is
made of it.
"""

from html import escape

Attribute = str | int | float


class Markup(str):
    """Text that is markup already; only this module makes it."""

    __slots__ = ()


def element(name: str, /, *inside: str, **attributes: Attribute) -> Markup:
    """An element; `class_` is its class, `aria_label` its `aria-label`."""
    opening = "".join(
        [name, *(f' {_attribute(key)}="{_value(value)}"' for key, value in attributes.items())]
    )
    return Markup(f"<{opening}>{together(*inside)}</{name}>")


def void(name: str, /, **attributes: Attribute) -> Markup:
    """An element that HTML never closes."""
    return Markup(
        f"<{name}" + "".join(f' {_attribute(k)}="{_value(v)}"' for k, v in attributes.items()) + ">"
    )


def together(*parts: str) -> Markup:
    """Markup as it is, and text escaped, one after the other."""
    return Markup("".join(part if isinstance(part, Markup) else escape(part) for part in parts))


def own(text: str) -> Markup:
    """Markup written in this package, never anything from a file."""
    return Markup(text)


def _attribute(key: str) -> str:
    return key.rstrip("_").replace("_", "-")


def _value(value: Attribute) -> str:
    return f"{value:.4g}" if isinstance(value, float) else escape(str(value))

"""Reads numbers in any script, with fractions and powers, as inspect_ai 0.3.285 does."""

import unicodedata
from math import isfinite

MINUS = "-−﹣－"
PLUS = "+＋﹢"
_SIGN = {**dict.fromkeys(MINUS, "-"), **dict.fromkeys(PLUS, "+")}
_NEGATIVE = MINUS + "负負"
_SIGNS = MINUS + PLUS + "负負正"
GROUPING = ",，﹐、٬ \u00a0\u202f\u2009\u2007\u2008'’ʼ＇"
"""The characters that may separate the digits of long numbers."""
_POINTS = "٫．"
_POWERS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺", "0123456789-+")
_POWER_DIGITS = "⁰¹²³⁴⁵⁶⁷⁸⁹"

_CHINESE_DIGITS = {
    char: digit
    for digit, chars in enumerate(
        (
            "零〇○",
            "一壹幺",
            "二贰貳两兩",
            "三叁參",
            "四肆",
            "五伍",
            "六陆陸",
            "七柒",
            "八捌",
            "九玖",
        ),
    )
    for char in chars
}
_TENS = {"廿": 20, "卅": 30, "卌": 40}
_UNITS = {"十": 10, "拾": 10, "百": 100, "佰": 100, "千": 1000, "仟": 1000}
_MYRIADS = {"万": 10**4, "萬": 10**4, "亿": 10**8, "億": 10**8, "兆": 10**12}
_CHINESE_POINTS = "点點"
_CHINESE = frozenset([*_CHINESE_DIGITS, *_TENS, *_UNITS, *_MYRIADS, *_CHINESE_POINTS])


def number(text: str) -> float | None:
    """Return the finite number that a whole text is in any script.

    What Python's `float` reads is read so, "1e3" and "1_000" among it. Signs, vulgar fractions and
    raised powers are understood: "-2½", "10⁻³"; the sign belongs to the base, so "-2²" is 4. Blanks
    and marks between groups of digits are ignored. The last point or comma begins decimals, but a
    comma without a point only if one to three digits follow: "1,000" is 1 and "1,0000" is 10000.
    Several commas are then several decimal signs, so "1,234,567" is None. Returns None for any
    other text, "" among them, and for infinity and NaN.
    """
    try:
        value = float(text)
    except ValueError:
        if not any(char.isnumeric() or char in _CHINESE for char in text):
            return None
        try:
            value = _signed_number(text)
        except (ValueError, ArithmeticError):
            return None
    return value if isfinite(value) else None


def _signed_number(text: str) -> float:
    """Return the number that a text is in any script, with signs, fraction and power.

    White space around it is ignored, and several signs are multiplied. The sign belongs to the base
    of a power: "-2²" is 4. Raises ValueError or ArithmeticError for a text that is no number, as
    "".
    """
    unsigned = text.strip()
    is_negative = False
    while unsigned and unsigned[0] in _SIGNS:
        is_negative ^= unsigned[0] in _NEGATIVE
        unsigned = unsigned[1:].lstrip()
    base = _symbol(unsigned)
    power = 1
    if base is None:
        base_text, power = _without_power(unsigned)
        base = _with_fraction(base_text)
    if is_negative:
        base = -base
    return float(base**power)


def _symbol(text: str) -> float | None:
    """Return the number that a single character stands for: 0.5 for ½, 12.0 for Ⅻ, 3.0 for 3.

    Returns None for another character and for a longer text.
    """
    if len(text) != 1:
        return None
    value: float | None = unicodedata.numeric(text, None)
    return value


def _without_power(text: str) -> tuple[str, int]:
    """Return the text of a number without its power, and the power.

    The power is the raised digits at the end with their sign, as in 10⁻³. White space and marks of
    `GROUPING` may follow them, and are dropped. The power is 1 if there are no such digits, or if
    nothing is before them. The text that is returned has no white space at its end.
    """
    trimmed = text
    while trimmed and (trimmed[-1].isspace() or trimmed[-1] in GROUPING):
        trimmed = trimmed[:-1]
    base = trimmed.rstrip(_POWER_DIGITS)
    if base == trimmed:
        return text.strip(), 1
    if base.endswith(("⁻", "⁺")):
        base = base[:-1]
    if not base.rstrip():
        return text.strip(), 1
    return base.rstrip(), int(trimmed[len(base) :].translate(_POWERS))


def _with_fraction(text: str) -> float:
    """Return a number without sign that may end with a vulgar fraction, such as 2½.

    White space and marks of `GROUPING` after the fraction do not count. Raises ValueError for what
    is no number, for two fractions and for other text after one.
    """
    positions = []
    for position, char in enumerate(text):
        if 0 < unicodedata.numeric(char, 0.0) < 1:
            positions.append(position)
    if not positions:
        return _plain_number(text)
    position = positions[0]
    whole_part = text[:position].strip()
    trailing = text[position + 1 :].strip()
    if len(positions) > 1:
        raise ValueError(text)
    for char in trailing:
        if not char.isspace() and char not in GROUPING:
            raise ValueError(text)
    fraction = unicodedata.numeric(text[position])
    if not whole_part:
        return fraction
    return _plain_number(whole_part) + fraction


def _plain_number(text: str) -> float:
    """Return a number without sign, fraction or power.

    It is read as Chinese numerals, else as digits, else as a single character. Raises ValueError
    for a text that is none of these.
    """
    stripped = text.strip()
    if any(char in _CHINESE for char in stripped):
        value = _chinese(stripped)
        if value is not None:
            return value
    try:
        return _digits(stripped)
    except ValueError:
        single = _symbol(stripped)
        if single is None:
            raise
        return single


def _digit(char: str) -> str | None:
    """Return a character of any script as a digit "0" to "9"; None if it is no digit.

    For example "٣" and "三" are "3". Chinese units such as "十" are none, but "²" and "①" are digits.
    """
    value = unicodedata.digit(char, _CHINESE_DIGITS.get(char))
    return None if value is None else str(value)


def _digits(text: str) -> float:
    """Return the number that digits of any script make, with decimals and powers of ten (e).

    "1.234.567,5" is 1234567.5, "1e3" is 1000 and "1,000" is 1. Blanks and marks between groups of
    digits are ignored. Raises ValueError for other characters, a sign before the number among them,
    for no digits, and if the sign of decimals is there twice.
    """
    point = _point(text)
    texts = []
    replacements = {
        "e": "e",
        "E": "e",
        **dict.fromkeys(GROUPING, ""),
        **dict.fromkeys(_POINTS, "."),
    }
    if point:
        replacements |= {",": "", ".": "", point: "."}
    previous = ""
    for char in text:
        replacement = replacements.get(char)
        if replacement is None and previous in ("e", "E"):
            replacement = _SIGN.get(char)
        if replacement is None and not char.isspace():
            replacement = _digit(char)
            if replacement is None:
                raise ValueError(text)
        texts.append(replacement or "")
        previous = char
    return float("".join(texts))


def _point(text: str) -> str:
    """Return the sign, "." or ",", that begins the decimals of a text; "" for neither.

    The last of the two is it. A comma without any point is it only if one to three digits follow.
    """
    dot = text.rfind(".")
    comma = text.rfind(",")
    if dot > comma:
        return "."
    decimals = len(list(filter(_digit, text[comma + 1 :])))
    if comma >= 0 and (dot >= 0 or 1 <= decimals <= 3):  # noqa: PLR2004 - three may be thousands
        return ","
    return ""


def _chinese(text: str) -> float | None:
    """Return the number that Chinese digits and units make, also with decimals after a point.

    Digits of other scripts may be among them. No text on one side of the point, or none at all,
    is 0. Returns None for other characters.
    """
    integer_text = text
    decimals = ""
    for point in (*_CHINESE_POINTS, "．", "."):
        if point in text:
            integer_text, _, decimals = text.partition(point)
            break
    if any(
        char in _UNITS or char in _MYRIADS or char in _TENS for char in integer_text
    ):
        integer = _with_units(integer_text)
    else:
        integer = _row_of_digits(integer_text)
    decimal_digits = _row_of_digits(decimals)
    if integer is None or decimal_digits is None:
        return None
    decimal_count = len("".join(decimals.split()))
    return float(integer + decimal_digits / 10**decimal_count)


def _row_of_digits(text: str) -> int | None:
    """Return the number that a row of digits of any script is; blanks between them do not count.

    Returns 0 for no text, and None if there are other characters.
    """
    digits = "0"
    for char in "".join(text.split()):
        digit = _digit(char)
        if digit is None:
            return None
        digits += digit
    return int(digits)


def _with_units(text: str) -> int | None:
    """Return the whole number of Chinese digits with units, such as 三百二十万.

    A unit without a digit before it counts once; of several digits in a row only the last counts.
    Blanks and zeros are ignored, and "" is 0. Returns None for other characters.
    """
    total = section = digit = 0
    for char in text:
        if char in _TENS:
            section += _TENS[char]
        elif char in _UNITS:
            section += (digit or 1) * _UNITS[char]
            digit = 0
        elif char in _MYRIADS:
            total += (section + digit) * _MYRIADS[char]
            section = digit = 0
        elif not (char.isspace() or char in "零〇○"):
            digit_text = _digit(char)
            if digit_text is None:
                return None
            digit = int(digit_text)
    return total + section + digit

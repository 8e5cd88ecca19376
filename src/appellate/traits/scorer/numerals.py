"""Numbers in any script, with fractions and powers; which texts are, as in inspect_ai 0.3.285."""

import unicodedata
from math import isfinite

MINUS = "-−﹣－"
PLUS = "+＋﹢"
_SIGN = {**dict.fromkeys(MINUS, "-"), **dict.fromkeys(PLUS, "+")}
_NEGATIVE = MINUS + "负負"
_SIGNS = MINUS + PLUS + "负負正"
GROUPING = ",，﹐、٬ \u00a0\u202f\u2009\u2007\u2008'’ʼ＇"
"""What parts the digits of long numbers."""
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
        )
    )
    for char in chars
}
_TENS = {"廿": 20, "卅": 30, "卌": 40}
_UNITS = {"十": 10, "拾": 10, "百": 100, "佰": 100, "千": 1000, "仟": 1000}
_MYRIADS = {"万": 10**4, "萬": 10**4, "亿": 10**8, "億": 10**8, "兆": 10**12}
_CHINESE_POINTS = "点點"
_CHINESE = frozenset([*_CHINESE_DIGITS, *_TENS, *_UNITS, *_MYRIADS, *_CHINESE_POINTS])


def number(text: str) -> float | None:
    """The finite number that a whole text is; None for any other text."""
    try:
        found = float(text)
    except ValueError:
        if not any(char.isnumeric() or char in _CHINESE for char in text):
            return None
        try:
            found = _written(text)
        except (ValueError, ArithmeticError):
            return None
    return found if isfinite(found) else None


def _written(text: str) -> float:
    """A number in any script; raises ValueError for none."""
    bare = text.strip()
    is_negative = False
    while bare and bare[0] in _SIGNS:
        is_negative ^= bare[0] in _NEGATIVE
        bare = bare[1:].lstrip()
    base = _symbol(bare)
    power = 1
    if base is None:
        rest, power = _without_power(bare)
        base = _with_fraction(rest)
    if is_negative:
        base = -base
    return float(base**power)


def _symbol(text: str) -> float | None:
    """What a single character stands for, such as ½ or Ⅻ."""
    if len(text) != 1:
        return None
    found: float | None = unicodedata.numeric(text, None)
    return found


def _without_power(text: str) -> tuple[str, int]:
    """A number without the power that it is raised to, and that: 1 where there is none."""
    bare = text
    while bare and (bare[-1].isspace() or bare[-1] in GROUPING):
        bare = bare[:-1]
    base = bare.rstrip(_POWER_DIGITS)
    if base == bare:
        return text.strip(), 1
    if base.endswith(("⁻", "⁺")):
        base = base[:-1]
    if not base.rstrip():
        return text.strip(), 1
    return base.rstrip(), int(bare[len(base) :].translate(_POWERS))


def _with_fraction(text: str) -> float:
    """A number that may end with a vulgar fraction, such as 2½; raises ValueError for none."""
    places = []
    for place, char in enumerate(text):
        if 0 < unicodedata.numeric(char, 0.0) < 1:
            places.append(place)
    if not places:
        return _plain(text)
    place = places[0]
    head = text[:place].strip()
    tail = text[place + 1 :].strip()
    if len(places) > 1 or any(not char.isspace() and char not in GROUPING for char in tail):
        raise ValueError(text)
    if not head:
        return unicodedata.numeric(text[place])
    return _plain(head) + unicodedata.numeric(text[place])


def _plain(text: str) -> float:
    """A number without sign, fraction or power; raises ValueError for none."""
    bare = text.strip()
    if any(char in _CHINESE for char in bare):
        found = _chinese(bare)
        if found is not None:
            return found
    try:
        return _digits(bare)
    except ValueError:
        single = _symbol(bare)
        if single is None:
            raise
        return single


def _digit(char: str) -> str | None:
    found = unicodedata.digit(char, _CHINESE_DIGITS.get(char))
    return None if found is None else str(found)


def _digits(text: str) -> float:
    point = _point(text)
    texts = []
    meant = {"e": "e", "E": "e", **dict.fromkeys(GROUPING, ""), **dict.fromkeys(_POINTS, ".")}
    if point:
        meant |= {",": "", ".": "", point: "."}
    before = ""
    for char in text:
        one = meant.get(char)
        if one is None and before in ("e", "E"):
            one = _SIGN.get(char)
        if one is None and not char.isspace():
            one = _digit(char)
            if one is None:
                raise ValueError(text)
        texts.append(one or "")
        before = char
    return float("".join(texts))


def _point(text: str) -> str:
    """Which of "." and "," parts the decimals of a text that is all digits; "" for neither."""
    dot = text.rfind(".")
    comma = text.rfind(",")
    if dot > comma:
        return "."
    decimals = len(list(filter(_digit, text[comma + 1 :])))
    if comma >= 0 and (dot >= 0 or 1 <= decimals <= 3):  # noqa: PLR2004 - three may be thousands
        return ","
    return ""


def _chinese(text: str) -> float | None:
    whole = text
    decimals = ""
    for point in (*_CHINESE_POINTS, "．", "."):
        if point in text:
            whole, _, decimals = text.partition(point)
            break
    if any(char in _UNITS or char in _MYRIADS or char in _TENS for char in whole):
        found = _with_units(whole)
    else:
        found = _joined(whole)
    behind = _joined(decimals)
    if found is None or behind is None:
        return None
    places = len("".join(decimals.split()))
    return float(found + behind / 10**places)


def _joined(text: str) -> int | None:
    """Digits one after the other; 0 for none."""
    digits = "0"
    for char in "".join(text.split()):
        digit = _digit(char)
        if digit is None:
            return None
        digits += digit
    return int(digits)


def _with_units(text: str) -> int | None:
    """Such as 三百二十万."""
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
            known = _digit(char)
            if known is None:
                return None
            digit = int(known)
    return total + section + digit

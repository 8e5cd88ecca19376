import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import SecretStr

from appellate.core.problem import Refused
from appellate.judges.endpoint import (
    Endpoint,
    access,
    body_without_key,
    secretless,
    without_key,
)

ENVIRON = {"OPENAI_API_KEY": "openai-key", "MY_KEY": "my-key\n"}


def key(endpoint, environ):
    secret = access(endpoint, environ).key
    return secret and secret.get_secret_value()


def test_openai_is_the_default_and_gets_its_key():
    assert access(Endpoint("m"), ENVIRON).url == "https://api.openai.com/v1"
    assert key(Endpoint("m"), ENVIRON) == "openai-key"


def test_another_server_is_not_sent_the_openai_key():
    assert key(Endpoint("m", "http://localhost:11434/v1"), ENVIRON) is None


def test_a_named_variable_goes_anywhere():
    assert key(Endpoint("m", "http://localhost:8000/v1", "MY_KEY"), ENVIRON) == "my-key"
    assert key(Endpoint("m", None, "MY_KEY"), ENVIRON) == "my-key"


def test_a_base_url_of_the_environment_gets_the_key_set_beside_it():
    environ = ENVIRON | {"OPENAI_BASE_URL": "https://gateway.example/v1"}
    assert access(Endpoint("m"), environ).host == "gateway.example"
    assert key(Endpoint("m"), environ) == "openai-key"
    assert key(Endpoint("m"), {"OPENAI_BASE_URL": "http://localhost:1/v1"}) is None
    assert key(Endpoint("m", "https://other.example/v1"), environ) is None


@pytest.mark.parametrize(
    "endpoint",
    [Endpoint("m"), Endpoint("m", "http://localhost/v1", "MISSING")],
)
def test_a_missing_key_is_refused_by_its_variable(endpoint):
    with pytest.raises(
        Refused,
        match=r"environment variable (OPENAI_API_KEY|MISSING) is not set",
    ):
        access(endpoint, {})


@pytest.mark.parametrize("bad", ["key\x00", "clé", "two\nlines"])
def test_a_key_that_is_none_is_refused_without_being_told(bad):
    with pytest.raises(Refused) as refusal:
        access(Endpoint("m", api_key_env="K"), {"K": bad})
    assert bad not in str(refusal.value)


@pytest.mark.parametrize(
    "url",
    ["localhost:11434/v1", "ftp://x/v1", "http://", "http://[::1", "http://x:port/v1"],
)
def test_what_is_no_base_url_is_refused_with_an_example(url):
    with pytest.raises(Refused, match=r"http://localhost:11434/v1"):
        access(Endpoint("m", url), {})


@pytest.mark.parametrize(
    "url",
    ["http://u:p@x/v1", "https://x/v1?key=1", "https://x/v1#k"],
)
def test_a_url_that_may_hold_a_secret_is_refused_without_being_told(url):
    with pytest.raises(Refused, match="--api-key-env"):
        access(Endpoint("m", url), {})


@pytest.mark.parametrize("url", ["http://x:1/v1/", " http://x:1/v1/chat/completions"])
def test_a_base_url_is_brought_into_its_plain_form(url):
    assert access(Endpoint("m", url), {}).url == "http://x:1/v1"


def test_this_machine_is_known_as_such():
    assert access(Endpoint("m", "http://localhost:1/v1"), {}).local
    assert not access(Endpoint("m", "http://example.org/v1"), {}).local


def test_a_key_is_not_in_the_representation():
    assert "openai-key" not in repr(access(Endpoint("m"), ENVIRON))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Bearer sesame-open-0123 is wrong", "Bearer [key] is wrong"),
        ("Bearer sesame-open-…", "Bearer [key]…"),
        ("Bearer sesa", "Bearer [key]"),
        ("Bearer ses", "Bearer ses"),
        ("sk-abcdef0123456789 is wrong", "[key] is wrong"),
    ],
)
def test_a_key_is_taken_out_of_what_is_told_also_where_the_text_was_cut_within_it(
    text,
    told,
):
    assert secretless(text, SecretStr("sesame-open-0123")) == told


QUOTED = "sk/proj_0123456789-abcdefghij"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (QUOTED, "[key]"),
        (f"{QUOTED}{QUOTED}", "[key][key]"),
        (
            f"it begins {QUOTED[:12]}, ends {QUOTED[-12:]}",
            "it begins [key], ends [key]",
        ),
        (f"it begins {QUOTED[:11]}", f"it begins {QUOTED[:11]}"),
        (QUOTED.replace("/", r"\/"), "[key]"),
        (rf'{{"a": "{{\"b\": \"{QUOTED}\"}}"}}', r'{"a": "{\"b\": \"[key]\"}"}'),
        ("".join(f"\\u{ord(sign):04x}" for sign in QUOTED), "[key]"),
        ("".join(rf"\\u{ord(sign):04X}" for sign in QUOTED) + r" a\/b", r"[key] a\/b"),
        (r"a\/b" + "\0".join(QUOTED) + r"a\/b", r"a\/b[key]a\/b"),
        (r"a\/b\u0000" + r"\u0000".join(QUOTED), r"a\/b\u0000[key]"),
    ],
)
def test_a_key_that_an_answer_quotes_is_replaced_whole_or_in_pieces_and_however_escaped(
    text,
    told,
):
    assert without_key(text, SecretStr(QUOTED)) == told


@given(
    st.text(max_size=40),
    st.integers(0, len(QUOTED) - 12),
    st.integers(12, 29),
    st.text(max_size=40),
)
def test_no_piece_of_a_key_is_left_wherever_it_stands(before, start, length, after):
    said = before + QUOTED[start : start + length] + after
    left = without_key(said, SecretStr(QUOTED))
    assert not any(QUOTED[at : at + 12] in left for at in range(len(QUOTED) - 11))


@given(
    st.text(max_size=60)
    | st.binary(max_size=60).map(lambda body: body.replace(b"\0", b"")),
)
def test_bytes_that_hold_no_key_stay_as_they_are(said):
    body = b"{}" + (said if isinstance(said, bytes) else said.encode())
    assert body_without_key(body, SecretStr(QUOTED)) == body
    assert body_without_key(body, None) == body


UTFS = [
    "utf-16",
    "utf-16-le",
    "utf-16-be",
    "utf-32",
    "utf-32-le",
    "utf-32-be",
    "utf-8-sig",
]


@pytest.mark.parametrize("encoding", UTFS)
def test_a_key_is_taken_out_whichever_utf_an_answer_comes_in(encoding):
    said = {"content": f"you sent {QUOTED}: é 𝔘"}
    body = body_without_key(
        json.dumps(said, ensure_ascii=False).encode(encoding),
        SecretStr(QUOTED),
    )
    assert json.loads(body) == {"content": "you sent [key]: é 𝔘"}


@given(st.binary(max_size=60), st.sampled_from(UTFS), st.binary(max_size=5))
def test_no_key_is_left_in_a_body_that_is_broken(before, encoding, after):
    body = body_without_key(before + QUOTED.encode(encoding) + after, SecretStr(QUOTED))
    for utf in UTFS[1:]:
        assert QUOTED not in body.decode(utf, "ignore")


def test_a_placeholder_for_a_key_is_left_in_answers():
    assert without_key("There are none.", SecretStr("none")) == "There are none."


@pytest.mark.parametrize(
    "text",
    ["pull it with ollama", "no model olla…", "ollama has none"],
)
def test_a_placeholder_for_a_key_is_left_in_what_is_told(text):
    assert secretless(text, SecretStr("ollama")) == text

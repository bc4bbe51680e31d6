"""Whatever is sent, nothing breaks: it is refused in the one shape, or answered; and no text that
came in becomes part of a page.
"""

from __future__ import annotations

import json
import re
import string
from urllib.parse import quote

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser

AT = "/w/apiary"
JSON = {"content-type": "application/json"}
BROWSER = {"accept": "text/html"}
POSTS = ("/search", "/ask", "/why", "/why-not", "/plan", "/path", "/feedback", "/compare")
quick = settings(
    max_examples=8,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


def fine(reply):
    """Answered, or refused in the one shape."""
    assert reply.status_code < 500, reply.text[:300]
    if reply.status_code >= 400:
        assert set(reply.json()) == {"error"}, reply.text[:300]
        assert set(reply.json()["error"]) == {"kind", "message"}
        assert reply.json()["error"]["message"]
        assert len(reply.json()["error"]["message"]) < 2000
    return reply


BODIES = {
    "nothing": b"",
    "bytes": bytes(range(256)),
    "no UTF-8": b'{"query": "\xff\xfe"}',
    "UTF-16": '{"query": "bees"}'.encode("utf-16"),
    "deep lists": b"[" * 30_000,
    "deep objects": b'{"query":' * 6_000,
    "deep within": b'{"query": "x", "filters": ' + b"[" * 900 + b"]" * 900 + b"}",
    "a number without end": b'{"query": "x", "limit": ' + b"9" * 5_000 + b"}",
    "a power": b'{"query": "x", "limit": 1e999}',
    "no number": b'{"query": "x", "limit": NaN}',
    "no end": b'{"query": "x", "limit": -Infinity}',
    "twice the same": b'{"query": "x", "query": 5}',
    "half a sign": b'{"query": "\\ud800"}',
    "half a sign as a name": b'{"query": "x", "\\udfff": 1}',
    "half a sign as a value": b'{"query": "x", "limit": "\\ud800"}',
    "a zero byte": b'{"query": "a\\u0000b"}',
    "only spaces": b'{"query": " \\t\\n\\u00a0\\u2003"}',
    "only signs that are not seen": '{"query": "\u200b\u200d\u2060\ufeff"}'.encode(),
    "right to left": '{"query": "\u202ebees\u202c \u0627\u0644\u0646\u062d\u0644"}'.encode(),
    "signs upon signs": ('{"query": "b' + "\u0301" * 5_000 + 'ees"}').encode(),
    "too long": b'{"query": "' + b"x" * 60_000 + b'"}',
    "words without end": b'{"query": "' + b"bees " * 1_590 + b'"}',
    "no object": b'"query"',
    "no text": b'{"query": {"query": "x"}}',
    "many filters": json.dumps({"query": "x", "filters": ["a=1"] * 5_000}).encode(),
    "a filter of words": b'{"query": "bees", "filters": ["\' OR 1=1 --=x"]}',
    "a filter of a field that is none": b'{"query": "bees", "filters": ["__proto__=1"]}',
    "a filter without end": b'{"query": "bees", "filters": ["year>=' + b"9" * 190 + b'"]}',
    "a collection of paths": b'{"query": "bees", "collections": ["../../etc/passwd"]}',
    "cut off": b'{"query": "bees"',
}  # fmt: skip


@pytest.mark.parametrize("content", BODIES.values(), ids=BODIES)
def test_bodies_that_are_none(served, content):
    for path in POSTS:
        fine(served.post(AT + path, content=content, headers=JSON))


@pytest.mark.parametrize("path", POSTS)
@quick
@given(content=st.binary(max_size=200))
def test_bodies_of_bytes(served, path, content):
    assert fine(served.post(AT + path, content=content, headers=JSON)).status_code >= 400


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=30),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=9), inner),
    max_leaves=8,
)


@pytest.mark.parametrize("path", POSTS)
@quick
@given(query=st.text(max_size=40) | anything, limit=anything, filters=anything, other=anything)
def test_bodies_of_other_types(served, path, query, limit, filters, other):
    body = {"query": query, "limit": limit, "filters": filters, "collections": other}
    for sent in (
        body,
        {**body, "passage": query},
        {"start": query, "end": other},
        {"query": query},
    ):
        content = json.dumps(sent).encode()
        fine(served.post(AT + path, content=content, headers=JSON))


@quick
@given(text=st.text(max_size=60))
@example(text="\u200b\u202e")
@example(text='"; DROP TABLE passages; --')
@example(text="'\"<>&%_*?[]{}()\\^~:+-/|!")
@example(text="MATCH (n) DETACH DELETE n //")
def test_questions_of_any_text(served, text):
    for path in ("/search", "/ask", "/why", "/ask/events"):
        fine(served.get(AT + path, params={"q": text}))


@pytest.mark.parametrize(
    "path",
    [
        "/w/%2e%2e/search?q=x", "/w/apiary/passages/%2e%2e%2f%2e%2e", "/w/apiary/passages/%00",
        "/static/%2e%2e/app.py", "/static/..%2fapp.py", "/static/%00", "/static/" + "x" * 3_000,
        "/static//etc/passwd", "/static/%2fetc%2fpasswd", "//evil.example/%2e%2e", "/w//search?q=x",
        "/w/apiary//search?q=x", "/w/apiary/reports/%2e%2e%2f%2e%2e%2fconsilience.toml",
        "/w/apiary/reports/..", "/w/apiary/jobs/%00", "/w/apiary/passages/" + "a" * 3_000,
        "/w/%F0%9F%90%9D", "/w/%ff%fe", "/w/apiary/search?q=%ff", "/w/apiary/search?%00=%00&q=bees",
        "/w/apiary/figures?kind=board&data=x", "/w/apiary/search?q=x&q=y&q=z&limit=1&limit=2",
        "/w/apiary/search;q=x", "/w/apiary/search?q=bees&" + "a=1&" * 5_000, "/login?next=%00",
    ],
)  # fmt: skip
def test_tricks_with_addresses(served, path):
    reply = fine(served.get(path))
    for secret in ("def create_app", "root:", "[models]"):
        assert secret not in reply.text


@pytest.mark.parametrize(
    "headers",
    [
        {"accept": "text/html" + ",x/y" * 3_000},
        {"accept": "\x00"},
        {"cookie": "consilience=" + "x" * 9_000},
        {"cookie": "=;;;=\x01"},
        {"authorization": "Bearer"},
        {"authorization": b"Bearer \xff\xfe"},
        {"x-forwarded-for": "<script>", "x-forwarded-proto": "gopher", "x-forwarded-host": "evil"},
        {"x-original-url": "/metrics", "x-http-method-override": "DELETE"},
        {"range": "bytes=0-,0-,0-"},
        {"origin": "http://["},
        {"content-type": "application/json; charset=nonsense"},
        {"content-type": "application/json; boundary=\xff".encode("latin-1")},
        {"if-none-match": "*", "if-modified-since": "never"},
    ],
)
def test_tricks_with_headers(served, headers):
    for address in ("/", AT + "/search?q=bees", "/static/page.css"):
        reply = served.get(address, headers=headers)
        assert reply.status_code < 500
        assert "evil" not in reply.headers.get("location", "")
    body = json.dumps({"query": "bees"}).encode()
    sent = served.post(AT + "/search", content=body, headers={**JSON, **headers})
    assert sent.status_code < 500


@pytest.mark.parametrize("method", ["TRACE", "CONNECT", "PROPFIND", "X" * 200, "OPTIONS", "HEAD"])
def test_other_methods(served, method):
    reply = served.request(method, AT + "/search?q=bees")
    assert reply.status_code == 405
    assert not [name for name in reply.headers if name.startswith("access-control")]


ATTACKS = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "'><svg/onload=alert(1)>",
    "</title></textarea></style><script>alert(1)</script>",
    "{{ 7*7 }}{% import os %}${7*7}",
    "<a href='javascript:alert(1)'>bees</a>",
    "[bees](javascript:alert(1)) ![x](http://evil.example/x)",
)
PAGES = (
    "/search?q={0}", "/ask?q={0}", "/ask?q={0}&whole=1", "/why?q={0}&passage={0}",
    "/why-not?q=bees&passage={0}", "/path?start={0}&end={0}", "/passages/{0}", "/reports/{0}",
    "/jobs/{0}", "/search?q=bees&where={0}", "/search?q=bees&in={0}", "/search?q=x&limit={0}",
    "/compare?q={0}&a={0}&b={0}", "/status?q={0}", "/settings?q={0}", "/{0}",
    "/search?{0}={0}&q=bees",
)  # fmt: skip


def is_harmless(page, attack):
    """No script of ours that is not a file, no handler, no address that runs something."""
    tree = LexborHTMLParser(page)
    for script in tree.css("script"):
        assert script.attributes.get("src", "").startswith("/static/"), script.html
        assert not script.text().strip()
    for node in tree.css("*"):
        for name, value in node.attributes.items():
            assert not name.startswith("on"), node.html[:200]
            assert name != "style", node.html[:200]
            told = "".join(one for one in (value or "") if one not in string.whitespace).casefold()
            if name in ("href", "src", "action", "formaction", "xlink:href", "srcset"):
                assert re.match(r"/(?![/\\])|[#?]|$|data:image/", told), node.html[:200]
    assert not tree.css("img[src=x], base, iframe, object, embed")
    for node in tree.css("meta[http-equiv]"):  # without scripts, the page comes whole
        assert re.fullmatch(r"0; ?url=/w/apiary/ask\?\S+", node.attributes["content"]), node.html
    if "7*7" in attack:
        assert ">49<" not in page


@pytest.mark.parametrize("attack", ATTACKS)
def test_what_is_asked_stays_text_on_every_page(served, attack):
    for address in PAGES:
        reply = served.get(AT + address.format(quote(attack, safe="")), headers=BROWSER)
        assert reply.status_code < 500, (address, reply.text[:200])
        if reply.headers["content-type"].startswith("text/html"):
            is_harmless(reply.text, attack)


@pytest.mark.parametrize("attack", ATTACKS)
def test_what_is_asked_stays_text_in_a_stream(served, attack):
    reply = served.get(AT + "/ask/events", params={"q": attack, "html": "1"})
    for line in reply.text.splitlines():
        if line.startswith("data: "):
            is_harmless(json.loads(line.removeprefix("data: ")).get("html", ""), attack)

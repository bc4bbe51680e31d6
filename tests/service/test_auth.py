"""With keys, nobody gets in without one; who may read changes nothing; guessing is slow."""

from __future__ import annotations

import pytest

from consilience.errors import UsageError
from consilience.service.auth import (
    COOKIE,
    FREE_ATTEMPTS,
    MAX_WAIT_S,
    SESSION_S,
    Authenticator,
    TooMany,
    Unknown,
    digest,
    local_address,
    read_keys,
    too_open,
)

READ, WRITE = "a-key-for-those-who-read", "a-key-for-those-who-write"
KEYS = {digest(READ): "read", digest(WRITE): "write"}
BROWSER = {"accept": "text/html"}
SEARCH = "/w/apiary/search?q=bees"


def bearer(key):
    return {"authorization": f"Bearer {key}"}


@pytest.fixture
def locked(serving, space):
    return serving(space, keys=KEYS, secret="known-to-this-machine")


def test_a_file_of_keys_keeps_only_digests(tmp_path):
    path = tmp_path / "keys"
    path.write_text(f"# who may what\n\nread {READ}\n  write   {WRITE}  \n")
    assert read_keys(path) == KEYS
    assert READ not in str(read_keys(path))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("read short", "line 1: a key has at least 16 letters"),
        (f"# x\nadmin {READ}", "line 2: a line is `read KEY` or `write KEY`"),
        (f"read {READ} and more", "line 1: a key has at least 16 letters and no spaces"),
        (f"read {READ}\nwrite {READ}", "line 2: this key stands there already"),
        ("# nothing\n", "holds no key"),
        (READ, "line 1: a line is `read KEY` or `write KEY`"),
    ],
)
def test_a_file_of_keys_that_is_wrong_is_refused_by_line_and_shows_no_key(tmp_path, text, told):
    path = tmp_path / "keys"
    path.write_text(text)
    with pytest.raises(UsageError, match=told) as refused:
        read_keys(path)
    assert READ not in str(refused.value)


def test_a_file_of_keys_that_is_none_is_refused(tmp_path):
    with pytest.raises(UsageError, match="cannot be read"):
        read_keys(tmp_path / "none")
    (tmp_path / "bytes").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(UsageError, match="cannot be read"):
        read_keys(tmp_path / "bytes")


def test_a_file_that_others_can_read_is_remarked_on(tmp_path):
    path = tmp_path / "keys"
    path.write_text(f"read {READ}\n")
    path.chmod(0o644)
    assert "chmod 600" in too_open(path)
    path.chmod(0o600)
    assert too_open(path) == ""


@pytest.mark.parametrize("path", ["/", SEARCH, "/openapi.json", "/metrics", "/nowhere", "/mcp"])
def test_without_a_key_nobody_gets_in(locked, path):
    for headers in ({}, {"authorization": "Basic eDp5"}, {"cookie": f"{COOKIE}=guess"}):
        reply = locked.get(path, headers=headers)
        assert (reply.status_code, reply.json()["error"]["kind"]) == (401, "Unknown")
        assert reply.headers["www-authenticate"] == "Bearer"


@pytest.mark.parametrize("path", ["/static/../metrics", "//metrics", "/static/%2e%2e/metrics"])
def test_no_trick_with_the_address_gets_in(locked, path):
    assert locked.get(path).status_code in (401, 404)


def test_a_key_gets_in_and_a_wrong_one_does_not(locked):
    assert locked.get(SEARCH, headers=bearer(READ)).status_code == 200
    assert locked.get("/metrics", headers=bearer(READ)).status_code == 200
    assert locked.get(SEARCH, headers={"authorization": f"bearer  {WRITE} "}).status_code == 200
    wrong = locked.get(SEARCH, headers=bearer(READ + "x"))
    assert wrong.status_code == 401
    assert READ not in wrong.text


def test_what_is_open_says_little(locked):
    assert set(locked.get("/health").json()) == {"status"}
    assert "workspaces" in locked.get("/health", headers=bearer(READ)).json()
    assert locked.get("/static/page.css").status_code == 200
    assert locked.get("/login", headers=BROWSER).status_code == 200


def test_who_may_read_changes_nothing(locked):
    for key, status in ((READ, 403), (WRITE, 404)):
        reply = locked.delete("/w/apiary/files/none.md", headers=bearer(key))
        assert reply.status_code == status, reply.text


def test_a_server_that_is_only_read_from_lets_nobody_write_but_its_own_machine(serving, space):
    client = serving(space, keys=KEYS, secret="known-to-this-machine", read_only=True)
    path = "/w/apiary/files/none.md"
    assert client.delete(path, headers=bearer(WRITE)).status_code == 403
    assert client.delete(path, headers=bearer("known-to-this-machine")).status_code == 404
    open_to_all = serving(space, secret="known-to-this-machine", read_only=True)
    assert open_to_all.delete(path).status_code == 403
    assert open_to_all.get(SEARCH).status_code == 200


def test_a_browser_is_led_to_the_page_for_keys_and_back(locked):
    reply = locked.get(SEARCH, headers=BROWSER, follow_redirects=False)
    assert reply.status_code == 303
    page = locked.get(reply.headers["location"], headers=BROWSER)
    assert 'value="/w/apiary/search?q=bees"' in page.text
    entered = locked.post(
        "/login", data={"key": READ, "next": "/w/apiary"}, headers=BROWSER, follow_redirects=False
    )
    assert (entered.status_code, entered.headers["location"]) == (303, "/w/apiary")
    cookie = entered.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=strict" in cookie
    assert "Secure" not in cookie
    assert READ not in cookie
    assert locked.get(SEARCH).status_code == 200
    assert locked.delete("/w/apiary/files/none.md").status_code == 403


def test_leaving_ends_a_visit(locked):
    locked.post("/login", data={"key": READ}, headers=BROWSER)
    kept = locked.cookies[COOKIE]
    assert locked.get(SEARCH).status_code == 200
    locked.post("/logout", headers=BROWSER)
    assert locked.get(SEARCH, headers={"cookie": f"{COOKIE}={kept}"}).status_code == 401


def test_behind_tls_the_cookie_stays_there(locked):
    headers = {**BROWSER, "x-forwarded-proto": "https"}
    reply = locked.post("/login", data={"key": READ}, headers=headers, follow_redirects=False)
    assert "Secure" in reply.headers["set-cookie"]


def test_a_wrong_key_is_told_on_the_page_and_to_programs(locked):
    page = locked.post("/login", data={"key": "<b>wrong"}, headers=BROWSER)
    assert page.status_code == 401
    assert 'role="alert"' in page.text
    assert "<b>wrong" not in page.text
    program = locked.post("/login", data={"key": "wrong"})
    assert (program.status_code, program.json()["error"]["kind"]) == (401, "Unknown")


def test_no_page_of_another_site_brings_a_key(locked):
    headers = {**BROWSER, "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate"}
    assert locked.post("/login", data={"key": READ}, headers=headers).status_code == 403


def test_guessing_gets_slow(locked):
    for _ in range(FREE_ATTEMPTS + 1):
        assert locked.get(SEARCH, headers=bearer("guess")).status_code == 401
    reply = locked.get(SEARCH, headers=bearer(READ))
    assert (reply.status_code, reply.json()["error"]["kind"]) == (429, "TooMany")
    assert int(reply.headers["retry-after"]) >= 1
    assert locked.post("/login", data={"key": READ}, headers=BROWSER).status_code == 429
    own = bearer("known-to-this-machine")
    assert locked.get(SEARCH, headers=own).status_code == 200


class Clock:
    now = 100.0

    def __call__(self):
        return self.now


def at(door, key="", cookie="", address="1.2.3.4"):
    return door.right(authorization=f"Bearer {key}" if key else "", cookie=cookie, address=address)


def test_the_wait_doubles_ends_and_is_forgotten():
    clock = Clock()
    door = Authenticator(KEYS, secret="s" * 24, clock=clock)
    for wait_s in (*([0] * FREE_ATTEMPTS), 2, 4, 8):
        with pytest.raises(Unknown):
            at(door, "guess")
        if wait_s:
            with pytest.raises(TooMany, match=f"in {wait_s} seconds"):
                at(door, READ)
        assert at(door, READ, address="5.6.7.8") == "read"
        clock.now += wait_s
    assert at(door, READ) == "read"
    with pytest.raises(Unknown):
        at(door, "guess")
    assert at(door, READ) == "read"


def test_nobody_waits_for_ever():
    clock = Clock()
    door = Authenticator(KEYS, secret="s" * 24, clock=clock)
    for _ in range(200):
        with pytest.raises(Unknown):
            at(door, "guess")
        clock.now += MAX_WAIT_S
    assert at(door, READ) == "read"


def test_a_visit_ends_by_itself():
    clock = Clock()
    door = Authenticator(KEYS, secret="s" * 24, clock=clock)
    visit = door.start_session(WRITE, address="")
    assert at(door, cookie=visit) == "write"
    clock.now += SESSION_S + 1
    assert at(door, cookie=visit) is None


@pytest.mark.parametrize(
    ("address", "onwards"),
    [
        ("/w/a?q=x%20y", "/w/a?q=x%20y"),
        ("", "/"),
        ("https://evil.example", "/"),
        ("//evil.example", "/"),
        ("/\\evil.example", "/"),
        ("/\tx", "/"),
        ("/a\r\nSet-Cookie: b", "/"),
        ("javascript:alert(1)", "/"),
        ("w/a", "/"),
    ],
)
def test_only_addresses_of_this_server_are_gone_on_to(address, onwards):
    assert local_address(address) == onwards


def test_without_keys_there_is_no_page_for_them(served):
    reply = served.get("/login?next=//evil.example", follow_redirects=False)
    assert (reply.status_code, reply.headers["location"]) == (303, "/")

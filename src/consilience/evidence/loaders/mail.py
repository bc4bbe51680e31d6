"""How is mail read? A message by its text and attachments; a mailbox message by message.

The subject is the title of one message, and the section in a mailbox. Sender, recipients and date
are fields. Of a text that comes both plain and as HTML the plain one is read.
"""

from __future__ import annotations

import mailbox
from contextlib import closing, suppress
from dataclasses import replace
from email import message_from_bytes, policy
from email.message import EmailMessage, Message
from email.utils import parsedate_to_datetime
from pathlib import Path

from consilience.errors import LoadError
from consilience.evidence.loaders.archive import load_member, paragraph_blocks
from consilience.evidence.loaders.common import (
    decode,
    one_line,
    plain,
    read_bytes,
    said,
    title_of,
    with_fields,
)
from consilience.evidence.loaders.html import PAGE_FURNITURE, read_blocks
from consilience.protocols import Format
from consilience.types import Block, Document, Locator, Value

_LEAST = frozenset(("from", "to", "subject", "date", "received", "message-id"))


def load(path: Path) -> Document:
    """Read a message (`.eml`) or a mailbox (`.mbox`)."""
    if path.suffix.lower() == ".mbox":
        return _load_mailbox(path)
    message = _parse(read_bytes(path))
    if _LEAST.isdisjoint(name.lower() for name in message):
        raise LoadError(f"{path.name} is not a mail message: it has no sender, date or subject")
    blocks, notes = _read(message, ())
    return Document(
        title=_header(message, "subject") or title_of(path),
        kind="document",
        blocks=with_fields(blocks, _fields(message)),
        notes=(*notes, *said(path, blocks)),
    )


def _load_mailbox(path: Path) -> Document:
    blocks: list[Block] = []
    notes: list[str] = []
    read_bytes(path)  # a file that cannot be opened is said plainly
    with closing(mailbox.mbox(path, create=False)) as box:
        for number, key in enumerate(box.iterkeys(), start=1):
            message = _parse(box.get_bytes(key))
            fields = _fields(message)
            subject = _header(message, "subject") or f"message {number}"
            found, remarks = _read(message, (subject,))
            for block in with_fields(found, fields):
                place = replace(block.locator, extra=(("message", number), *block.locator.extra))
                blocks.append(replace(block, locator=place))
            notes.extend(f"message {number}: {remark}" for remark in remarks)
    if not blocks:
        raise LoadError(f"{path.name} holds no messages; export the mailbox again")
    return Document(title=title_of(path), kind="document", blocks=tuple(blocks), notes=tuple(notes))


def _parse(data: bytes) -> EmailMessage:
    return message_from_bytes(data, policy=policy.default)


def _read(message: EmailMessage, section: tuple[str, ...]) -> tuple[list[Block], list[str]]:
    """The blocks of a message and its attachments, and what was not read."""
    place, notes = Locator(section=section), list[str]()
    try:
        body = message.get_body(preferencelist=("plain", "html"))
        parts = list(message.iter_attachments())
    except (AttributeError, KeyError, ValueError, TypeError, AssertionError):
        body, parts = None, []
        notes.append("its parts cannot be separated; its text is shown as it is")
    blocks: list[Block] = []
    if body is None and not parts:
        body = message
    if body is not None and not body.is_multipart():
        text = _text(body)
        if body.get_content_type() == "text/html":
            blocks = read_blocks(text, dropped=PAGE_FURNITURE, base=section)
        else:
            blocks = paragraph_blocks(text, place)
    for at, part in enumerate(parts, start=1):
        name = one_line(part.get_filename() or "") or f"attachment {at}"
        data = part.get_payload(decode=True)
        if part.get_content_type() == "message/rfc822":
            inner = part.get_payload(0)
            data, name = bytes(inner) if isinstance(inner, Message) else b"", f"{name}.eml"
        found, remarks = load_member(name, data if isinstance(data, bytes) else b"")
        notes.extend(remarks)
        for block in found:
            under = replace(block.locator, section=(*section, *block.locator.section))
            blocks.append(replace(block, locator=under))
    return blocks, notes


def _text(part: Message) -> str:
    data = part.get_payload(decode=True)
    declared = part.get_content_charset() or ""
    if not isinstance(data, bytes):
        return str(part.get_payload())
    try:
        return decode(data.replace(b"\0", b""), "the message", declared=declared)[0]
    except (LookupError, ValueError):
        return data.decode("utf-8", "replace")


def _header(message: Message, name: str) -> str:
    try:
        return one_line(plain(str(message.get(name) or "")))
    except Exception:  # noqa: BLE001 - the parser of headers fails on some broken ones in many ways
        return ""


def _fields(message: Message) -> dict[str, Value]:
    """Sender, recipients and date; what is not there is left out."""
    fields: dict[str, Value] = {
        name: text for name in ("from", "to", "cc") if (text := _header(message, name))
    }
    with suppress(ValueError, TypeError, IndexError, OverflowError):
        fields["date"] = parsedate_to_datetime(_header(message, "date")).date().isoformat()
    return fields


LOADER = Format(endings=(".eml", ".mbox"), version=1, load=load)

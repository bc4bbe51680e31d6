"""How does a language model write an answer? Outline, expand every section, assemble.

Each statement is checked as soon as it is whole; letters are drafts until then.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import (
    AsyncGenerator,
    AsyncIterator,
    Callable,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass
from typing import Any

from consilience.answer import prompts
from consilience.answer.task import Log, Task
from consilience.answer.transcript import Transcript
from consilience.errors import ModelError
from consilience.notations import begins_with_number
from consilience.protocols import Chunk, Generator
from consilience.settings import Answering
from consilience.text_markup import (
    BEGUN,
    MARK,
    OPENING,
    WRITTEN,
    escape_markdown,
    find_marks,
    mark_numbers,
    neutralize,
    strip_marks,
)
from consilience.types import Call, Drafted, Form, Note, Outline, Prompt, Said, Section, Statement
from consilience.understand.sentences import sentences

# --- How does text that a model wrote become harmless? ------------------------------------


HEADING = 80
"""Letters of a heading; the rest is left out."""

_LINK = re.compile(
    r"!?\[([^\[\]]*)\]\(\s*<?(?:[a-z][a-z0-9+.-]*:|//?|#|www\.)[^()]*(?:\([^()]*\)[^()]*)*\)",
    re.IGNORECASE,
)
_STRONG = re.compile(r"(?<![\w*])(\*{1,3}|_{1,3})(?=\S)(?P<text>[^*\n]+?)(?<=\S)\1(?![\w*])")
_LINKING = re.compile(r"(\[[0-9]{1,3}\])(?=[(:])")


def tidy(text: str) -> str:
    """A text without emphasis, the addresses of links, or spaces too many."""
    text = _LINK.sub(lambda link: f"[{link[1]}]" if link[1].isdigit() else link[1], text)
    return " ".join(_STRONG.sub(r"\g<text>", text).split())


def safe(text: str) -> str:
    """Text of a model that Markdown shows as it stands, but for our marks."""
    kept = MARK.sub("\ue000\\1\ue001", re.sub("[\ue000\ue001]", "", text))
    marked = re.sub("\ue000([0-9]+)\ue001", r"[\1]", escape_markdown(kept))
    # What follows a mark at once would make a link of it.
    return _LINKING.sub(r"\1 ", marked).strip()


def drafted(text: str) -> str:
    """Letters of a draft: nothing in them opens a tag or a link, wherever they were parted."""
    return re.sub(r"([<\[`\\])", r"\\\1", text)


def heading_of(heading: str) -> str:
    """A heading as one short line of plain text, without marks, numbers before it or signs."""
    line = " ".join(heading.split())
    line = WRITTEN.sub("", line)
    line = re.sub(r"^(?:[#>*_\s-]|\d{1,2}[.)]\s)+|[*_\s:;,.#-]+$", "", line)
    if len(line) > HEADING:
        line = line[: HEADING - 1].rsplit(" ", 1)[0].rstrip(" ,;:-–") + "…"
    return escape_markdown(neutralize(line))


# --- Where does a mark begin and end in letters that come one by one? ---------------------


class Marker:
    """Takes letters as they come and gives pieces: text, or one mark alone as a number."""

    def __init__(self) -> None:
        self._held = ""

    def take(self, text: str) -> Iterator[str | int]:
        """The pieces that are certain after these letters."""
        self._held += text
        while match := OPENING.search(self._held):
            if match.start():
                yield self._held[: match.start()]
                self._held = self._held[match.start() :]
            whole = WRITTEN.match(self._held)
            if whole:
                found = mark_numbers(whole)
                yield from found if found else (whole[0],)
                self._held = self._held[whole.end() :]
            elif BEGUN.fullmatch(self._held):
                return
            else:
                yield self._held[0]
                self._held = self._held[1:]
        if self._held:
            yield self._held
        self._held = ""

    def end(self) -> Iterator[str | int]:
        """What was held back and became no mark."""
        held, self._held = self._held, ""
        if held:
            yield held


def pieces(text: str) -> list[str | int]:
    """The pieces of a whole text."""
    marker = Marker()
    return [*marker.take(text), *marker.end()]


def marked(text: str) -> str:
    """A text with every mark in our form."""
    return "".join(f"[{one}]" if isinstance(one, int) else one for one in pieces(text))


# --- Where does a model stop thinking aloud? ----------------------------------------------


_ENDS = ("</think>", "</thinking>")
_END = re.compile(r"(?<!`)</think(?:ing)?>\s*")  # between backticks it is quoted


class Thinking:
    """Takes letters as they come and gives them; None where all before them was a thought."""

    def __init__(self) -> None:
        self._held = ""
        self._before = ""  # the last letter that was given

    def take(self, text: str) -> Iterator[str | None]:
        """What is certain after these letters."""
        known = self._before + self._held + text
        rest = after(known)
        if rest != known:
            yield None
            self._before, known = "", rest
        given = known[len(self._before) : len(known) - _begun(known)]
        self._held = known[len(self._before) + len(given) :]
        if given:
            self._before = given[-1]
            yield given

    def end(self) -> Iterator[str | None]:
        """What was held back and became no end of a thought."""
        held, self._held = self._held, ""
        if held:
            yield held


def after(text: str) -> str:
    """A text without what was thought aloud before it."""
    ends = list(_END.finditer(text))
    return text[ends[-1].end() :] if ends else text


def _begun(text: str) -> int:
    """How many letters at the end of a text may become the end of a thought."""
    at = text.rfind("<")
    return len(text) - at if at >= 0 and any(one.startswith(text[at:]) for one in _ENDS) else 0


# --- What does a model's Markdown say? ----------------------------------------------------


_HEADING = re.compile(
    r"\s{0,3}#{1,6}\s+(?P<text>.*?)\s*#*$|\s*(?:\*\*|__)(?P<bold>[^*_\[\]]+)(?:\*\*|__):?$"
)
_ITEM = re.compile(r"\s*(?:[-*+•]|(?P<number>\d{1,2})[.)])\s+(?=\S)")
_WORDED = re.compile(r"[^\W\d_]+[\s,;:'’]")
_LEFT_OUT = re.compile(
    r"\s*(?:[-*_=]\s*){3,}$|\s*(?:```|~~~)\S*$"
    r"|\W*(?:sources?|references?|citations?|evidence)\W*(?:\[[0-9]{1,3}\][\s,;]*)*$",
    re.IGNORECASE,
)
_TABLE_RULE = re.compile(r"[|\s:-]+$")
_MARKS = re.compile(r"(?:\s*\[[0-9]{1,3}\])+\s*")
_STOPPED = re.compile(r"[.!?…。！？｡؟।:][\W\d]*$")
_AFTER_STOP = re.compile(r"(?<!\.)([.!?…]+)((?:\s*\[[0-9]{1,3}\])+)")


class Reader:
    """Takes letters with marks in our form and gives the statements that are whole.

    `within` goes into every statement. With `heading` a heading stands before the first: the
    one that the model begins with, or else this one. With `late` nothing is given before the
    end. `given` says whether any statement was.
    """

    def __init__(self, within: Sequence[int], *, heading: str = "", late: bool = False) -> None:
        self.given = False
        self._within = tuple(within)
        self._late = "" if late else None  # the letters that wait for the end
        self._heading = self._first_heading = heading
        self._line = ""  # what came of the line that is being written
        self._within_line = False  # the beginning of that line was said already
        self._prose = ""
        self._item = ""
        self._number = ""  # of the entry
        self._table: list[str] = []
        self._opens = True

    def take(self, text: str) -> Iterator[Statement]:
        """The statements that these letters end."""
        if self._late is None:
            yield from self._headed(self._taken(text))
        else:
            self._late += text

    def end(self, *, cut: bool = False) -> Iterator[Statement]:
        """The rest; where the model was cut off, without what it did not finish."""
        late, self._late = self._late or "", None
        yield from self.take(late)
        yield from self._headed(self._rest(cut=cut))

    def anew(self) -> Reader:
        """Another reader of the same section, which has read nothing."""
        return Reader(self._within, heading=self._first_heading, late=self._late is not None)

    def _headed(self, statements: Iterator[Statement]) -> Iterator[Statement]:
        for one in statements:
            self.given = True
            heading, self._heading = self._heading, ""
            if heading:
                yield Statement(text=heading, form="heading")
            if one.text.casefold() != heading.casefold():
                yield one

    def _taken(self, text: str) -> Iterator[Statement]:
        *lines, self._line = (self._line + text).split("\n")
        for line in lines:
            yield from self._take_line(line)
            self._within_line = False
        if self._within_line or (self._begins_prose() and not (self._item or self._table)):
            yield from self._early()

    def _rest(self, *, cut: bool) -> Iterator[Statement]:
        line, self._line = self._line, ""
        block = not self._within_line and (_ITEM.match(line) or line.lstrip().startswith("|"))
        if not (cut and block and not _STOPPED.search(line)):
            yield from self._take_line(line)
        yield from self._flush(cut=cut)

    def _begins_prose(self) -> bool:
        """Whether the line can be nothing but prose, as far as it came."""
        return bool(re.match(r"\s*[^\W\d_]\w*\s", self._line))

    def _early(self) -> Iterator[Statement]:
        """The sentences of a paragraph that is still being written, but for the last."""
        known, space, begun = (self._prose + self._line).rpartition(" ")
        found = split(known)
        if len(found) < 2:
            return
        self._prose, self._line, self._within_line = found[-1] + space, begun, True
        yield from self._said(found[:-1])

    def _take_line(self, line: str) -> Iterator[Statement]:
        line = line.rstrip() if self._within_line else re.sub(r"^\s*(?:>\s?)+", "", line.rstrip())
        heading, item = _HEADING.match(line), _ITEM.match(line)
        if self._within_line and line:
            self._prose += line + " "
        elif begins_with_number().match(line):
            yield from self._flush()
            yield self._statement(safe(tidy(line)), form="lines")
        elif line.lstrip().startswith("|"):
            yield from self._flush(table=False)
            self._table.append(line.strip())
        elif heading or _LEFT_OUT.match(line) or not line:
            yield from self._flush()
            self._opens = True
            if heading and self._heading:
                self._heading = heading_of(heading["text"] or heading["bold"]) or self._heading
        elif item:
            yield from self._flush()
            self._item = line[item.end() :]
            self._number = item["number"] or ""
        elif self._item:
            self._item += " " + line.strip()
        else:
            yield from self._flush(prose=False)
            self._prose += line.strip() + " "

    def _flush(
        self, *, prose: bool = True, table: bool = True, cut: bool = False
    ) -> Iterator[Statement]:
        """What was open and has ended."""
        item, self._item = self._item, ""
        if item:
            yield self._statement(_entry(self._number, safe(tidy(item))))
        if table and self._table:
            rows, self._table = self._table, []
            if text := _table(rows):
                yield self._statement(text, form="table")
        if prose and self._prose:
            found, self._prose = split(self._prose), ""
            if cut and found and not _STOPPED.search(found[-1]):
                found.pop()
            yield from self._said(found)

    def _said(self, found: Sequence[str]) -> Iterator[Statement]:
        for one in found:
            if text := safe(tidy(one)):
                yield Statement(text=text, opens=self._opens, within=self._within)
                self._opens = False

    def _statement(self, text: str, *, form: Form = "prose") -> Statement:
        self._opens = True
        return Statement(text=text, form=form, opens=True, within=self._within)


def split(text: str) -> list[str]:
    """The sentences of a paragraph; marks after a stop belong to the sentence that it ends."""
    found: list[str] = []
    for one in sentences(_AFTER_STOP.sub(r"\2\1", " ".join(text.split()))):
        lead = _MARKS.match(one.text)
        rest = one.text
        if lead and found:
            found[-1] = f"{found[-1]} {lead[0].strip()}"
            rest = rest[lead.end() :]
        if any(sign.isalnum() for sign in rest):
            found.append(rest)
    return found


def _entry(number: str, text: str) -> str:
    """An entry of a list. Its number is kept where words follow, and none takes it for a fact."""
    counted = number and _WORDED.match(strip_marks(text))
    return f"{int(number)}. {text}" if counted else f"- {text}"


def _table(rows: Sequence[str]) -> str:
    """A table of at least one row under its head, each row as wide as the head; or nothing."""
    cells = [
        [safe(tidy(cell)) for cell in re.split(r"(?<!\\)\|", row.strip("|"))]
        for row in rows
        if not _TABLE_RULE.match(row)
    ]
    if len(cells) < 2:
        return ""
    wide = len(cells[0])
    lines = [f"| {' | '.join([*row, *[''] * wide][:wide])} |" for row in cells]
    return "\n".join([lines[0], "|" + " --- |" * wide, *lines[1:]])


# --- What did each request to the model take? ---------------------------------------------


STOPPED = "stopped before its end"
LOOPED = "it repeated itself and was stopped"
LOOP = 60
"""Letters that stand in a text so often only when a model turns in a circle."""
TURNS = 4


@dataclass(slots=True, kw_only=True)
class Caller:
    """Asks a model, at most so many requests at a time, and keeps what each took."""

    generator: Generator
    log: Log
    settings: Answering
    room: asyncio.Semaphore

    async def letters(
        self, prompt: Prompt, *, most: int, schema: Mapping[str, Any] | None = None
    ) -> AsyncGenerator[Chunk]:
        """What the model writes, as it comes; what it took is logged however it ends.

        A model that turns in a circle is stopped, and counts as cut off.
        """
        async with self.room:
            started, counts, error, text = time.perf_counter(), Chunk(), STOPPED, ""
            try:
                stream = self.generator.generate(prompt, most=most, schema=schema)
                async with _closing(stream) as chunks:
                    async for chunk in chunks:
                        counts = _more(counts, chunk)
                        yield chunk
                        text += chunk.text
                        if loops(text):
                            break
                error = LOOPED if loops(text) else ""
                yield Chunk(written=most if error else 0)
            except ModelError as failure:
                error = str(failure)
                raise
            except Exception as failure:
                # A plug-in raises whatever its client raised.
                error = f"language model {self.generator.name!r} failed ({failure!r})"
                raise ModelError(error) from failure
            finally:
                took = (time.perf_counter() - started) * 1000
                self.log.calls.append(self._call(prompt.stage, took, counts, error))

    async def whole(
        self, prompt: Prompt, *, most: int, schema: Mapping[str, Any] | None = None
    ) -> str:
        """All that the model writes, but for what it thought aloud before."""
        self.log.prompts.append(prompt)
        async with _closing(self.letters(prompt, most=most, schema=schema)) as chunks:
            return after("".join([chunk.text async for chunk in chunks]))

    def _call(self, stage: str, ms: float, counts: Chunk, error: str) -> Call:
        prices = self.settings.price_asked, self.settings.price_written
        counted = counts.asked or counts.written
        spent = counts.asked * prices[0] + counts.written * prices[1]
        return Call(
            stage=stage,
            ms=ms,
            asked=counts.asked,
            written=counts.written,
            cost=spent / 1e6 if counted and any(prices) else None,
            retries=counts.retries,
            error=error,
        )


def loops(text: str) -> bool:
    """Whether the end of a text, if it is more than signs and spaces, stands in it often."""
    end = text[-LOOP:]
    worded = 3 * sum(map(str.isalnum, end)) >= LOOP
    return worded and len(text) > TURNS * LOOP and text.count(end) >= TURNS


def _more(counts: Chunk, chunk: Chunk) -> Chunk:
    return Chunk(
        asked=counts.asked or chunk.asked,
        written=max(counts.written, chunk.written),
        retries=max(counts.retries, chunk.retries),
    )


class Writing:
    """A section on its way: written by a task of its own, read whenever its turn comes."""

    def __init__(self, caller: Caller, prompt: Prompt, *, most: int) -> None:
        self.cut = False
        self._caller = caller
        self._prompt = prompt
        self._most = most
        self._came: asyncio.Queue[str | None] = asyncio.Queue()
        self._over = False
        caller.log.prompts.append(prompt)
        self.task = asyncio.create_task(self._write())

    @property
    def model(self) -> str:
        """The name of the model that writes."""
        return self._caller.generator.name

    async def letters(self) -> AsyncGenerator[str | None]:
        """What was written so far, then the rest as it comes; raises what the task raised.

        None says that all that came before it was a thought.
        """
        while not (self._over and self._came.empty()):
            text = await self._came.get()
            if text != "":
                yield text
        await self.task

    async def _write(self) -> None:
        thinking = Thinking()
        try:
            letters = self._caller.letters(self._prompt, most=self._most)
            async with _closing(letters) as chunks:
                async for chunk in chunks:
                    self.cut = self.cut or chunk.written >= self._most
                    self._put(thinking.take(chunk.text))
            self._put(thinking.end())
        finally:
            self._over = True
            self._came.put_nowait("")  # whoever waits need not wait longer

    def _put(self, pieces: Iterator[str | None]) -> None:
        for piece in pieces:
            while piece is None and not self._came.empty():
                self._came.get_nowait()  # nobody has read this thought yet
            self._came.put_nowait(piece)


@asynccontextmanager
async def _closing(stream: AsyncIterator[Chunk]) -> AsyncGenerator[AsyncIterator[Chunk]]:
    """Stops the model when its reader stops; a plug-in's stream may have nothing to close."""
    try:
        yield stream
    finally:
        close = getattr(stream, "aclose", None)
        if close is not None:
            await close()


# --- How does what a model writes become what is said? ------------------------------------


ALIKE = 0.9
"""Share of words from which two sentences with the same numbers say the same."""
Words = tuple[frozenset[str], frozenset[str]]
"""The words of a statement, and the numbers among them."""


class Speaker:
    """Speaks through a transcript.

    `said` counts the statements that stood the check, `words` their words, `failed` the others.
    """

    def __init__(self, task: Task, transcript: Transcript) -> None:
        self.transcript = transcript
        self.said = 0
        self.words = 0
        self.failed = 0
        self._every = tuple(one.mark for one in task.exhibits)
        self._known: list[Words] = []
        self._repeated = 0
        self._marked = False  # a mark was drafted last

    def opening(self, text: str) -> Iterator[Drafted | Said]:
        """What the outline gives as the answer in brief."""
        marker, reader = Marker(), Reader(self._every)
        for piece in (*marker.take(text), *marker.end()):
            yield from self._heard(piece, reader)
        yield from self._say(reader.end())

    def heading(self, text: str) -> Iterator[Drafted | Said]:
        """A section begins."""
        yield Drafted(text=f"\n\n## {text}\n\n" if text else "\n\n")
        if text:
            yield self.transcript.say(Statement(text=text, form="heading"))

    async def heard(self, writing: Writing, reader: Reader) -> AsyncGenerator[Drafted | Said]:
        """What a section says, as it comes; a thought that ends is forgotten.

        Raises `ModelError` where a part of the thought was said already.
        """
        marker = Marker()
        async with aclosing(writing.letters()) as letters:
            async for text in letters:
                if text is None:
                    marker, reader = Marker(), _anew(reader, writing.model)
                    yield Drafted(text="\n\n")
                    continue
                for piece in marker.take(text):
                    for event in self._heard(piece, reader):
                        yield event
        for piece in marker.end():
            for event in self._heard(piece, reader):
                yield event
        for said in self._say(reader.end(cut=writing.cut)):
            yield said

    def notes(self) -> Iterator[Note]:
        """What was left out."""
        if self._repeated:
            told = f"sentences of the model left out, as others say the same: {self._repeated}"
            yield Note("answer", told)

    def _heard(self, piece: str | int, reader: Reader) -> Iterator[Drafted | Said]:
        if isinstance(piece, int):
            text = f"[{piece}]"
            yield Drafted(text=text, citation=self.transcript.citation(piece))
        else:
            text = piece
            # What follows a mark at once would make a link of it.
            apart = " " if self._marked and text.startswith(("(", ":")) else ""
            yield Drafted(text=apart + drafted(text))
        self._marked = isinstance(piece, int)
        yield from self._say(reader.take(text))

    def _say(self, statements: Iterable[Statement]) -> Iterator[Said]:
        for one in statements:
            words = _words(one)
            if self._repeats(words):
                self._repeated += 1
                continue
            said = self.transcript.say(one)
            if one.form != "heading":
                self._count(one, words, stood=bool(said.text))
            yield said

    def _count(self, statement: Statement, words: Words, *, stood: bool) -> None:
        if not stood:
            self.failed += 1
            return
        self.said += 1
        self.words += len(strip_marks(statement.text).split())
        self._known.append(words)

    def _repeats(self, words: Words) -> bool:
        own, numbers = words
        return any(
            numbers == seen and len(own & known) >= ALIKE * len(own | known)
            for known, seen in self._known
        )


def _anew(reader: Reader, model: str) -> Reader:
    if reader.given:
        raise ModelError(
            f"language model {model!r} thought aloud where its answer should stand; let its server "
            f"keep thoughts apart (vLLM: --reasoning-parser, llama.cpp: --reasoning-format), ask "
            f"again, or choose another model"
        )
    return reader.anew()


def _words(statement: Statement) -> Words:
    text = re.sub(r"^\d+[.)] ", "", strip_marks(statement.text))  # its number in a list
    words = re.findall(r"\w+", text.casefold())
    return frozenset(words), frozenset(one for one in words if any(map(str.isdigit, one)))


# --- How does a language model write an answer? -------------------------------------------


FAILED = 2
"""Where more than so many statements fail for one that stands, the rest is no answer."""
CLOSING = "Taken together"
"""The heading of the closing paragraph, where the model gives none in the question's language."""


class NoAnswer(ModelError):
    """The model read the evidence and found no answer in it."""


async def write(
    task: Task,
    transcript: Transcript,
    generator: Generator,
    log: Log,
    *,
    fallback: Callable[[Task], Outline],
) -> AsyncGenerator[Drafted | Said]:
    """Drafts as the model writes them, and each statement once it was checked.

    Raises `NoAnswer` when the model cites nothing, as one does that finds no answer, and another
    `ModelError` when it fails or when too little of what it wrote is borne out.
    """
    room = asyncio.Semaphore(max(1, task.settings.parallel))
    caller = Caller(generator=generator, log=log, settings=task.settings, room=room)
    plan = await _plan(task, caller, fallback)
    log.outline = plan
    speaker = Speaker(task, transcript)
    for event in speaker.opening(plan.opening):
        yield event
    async with aclosing(_expanded(task, plan, caller, speaker)) as events:
        async for event in events:
            yield event
    if speaker.said and len(plan.sections) > 1:
        async with aclosing(_closed(task, caller, speaker)) as events:
            async for event in events:
                yield event
    if speaker.said and not transcript.citations:
        raise NoAnswer(
            f"language model {generator.name!r} found no answer in the evidence: it cites none of "
            f"the {len(task.exhibits)} passages that it was given"
        )
    if speaker.words < prompts.SIZES[task.length].least or speaker.failed > FAILED * speaker.said:
        raise ModelError(
            f"of {speaker.said + speaker.failed} statements that language model "
            f"{generator.name!r} wrote, {speaker.said} are borne out by the evidence, which is too "
            f"little for an answer; choose a larger model"
        )
    log.notes.extend(speaker.notes())


async def _plan(task: Task, caller: Caller, fallback: Callable[[Task], Outline]) -> Outline:
    """The outline of the model with all the evidence in it; one by rule where it has none."""
    if _has_one_section(task):
        return _one_section(task)
    found = await _outlined(task, caller)
    plan = found or Outline(sections=fallback(task).sections)
    return prompts.complete(plan, task) if plan.sections else _one_section(task)


def first_prompt(task: Task) -> Prompt:
    """What the model is asked first: for an outline, or at once for an answer of one section."""
    one = _has_one_section(task)
    return prompts.expand(task, _one_section(task), 0) if one else prompts.outline(task)


def _has_one_section(task: Task) -> bool:
    return prompts.SIZES[task.length].sections == 1 or len(task.exhibits) == 1


def _one_section(task: Task) -> Outline:
    every = tuple(one.mark for one in task.exhibits)
    return Outline(sections=(Section(heading="", marks=every),))


async def _outlined(task: Task, caller: Caller) -> Outline | None:
    """The model's outline; it is asked a second time if the first cannot be read."""
    from consilience.answer import outline as outlining  # noqa: PLC0415 - pydantic is slow to import

    schema, most = outlining.schema(task), prompts.SIZES[task.length].outline_tokens
    problem = ""
    for _ in range(2):
        prompt = prompts.outline(task, problem=problem)
        try:
            reply = await caller.whole(prompt, most=most, schema=schema)
            plan, repairs = outlining.parse(reply, task)
        except ValueError as error:
            problem = str(error)
            continue
        except ModelError as error:
            problem = str(error)
            break
        if prompt.stage != "outline":
            repairs.insert(0, "the first reply could not be read")
        if repairs:
            told = "; ".join(dict.fromkeys(repairs))
            caller.log.notes.append(Note("answer", f"the model's outline was repaired: {told}"))
        return plan
    told = f"the model gave no outline ({problem}); sections were made by rule"
    caller.log.notes.append(Note("answer", told))
    return None


async def _expanded(
    task: Task, plan: Outline, caller: Caller, speaker: Speaker
) -> AsyncGenerator[Drafted | Said]:
    most = prompts.SIZES[task.length].tokens
    sections = [
        Writing(caller, prompts.expand(task, plan, place), most=most)
        for place in range(len(plan.sections))
    ]
    try:
        for section, writing in zip(plan.sections, sections, strict=True):
            for event in speaker.heading(section.heading if len(sections) > 1 else ""):
                yield event
            async with aclosing(speaker.heard(writing, Reader(section.marks))) as events:
                async for event in events:
                    _refuse_failed(sections)
                    yield event
    finally:
        await _ended(sections)


def _refuse_failed(sections: Sequence[Writing]) -> None:
    """A section that failed ends the answer at once: there is no use in writing the others."""
    for one in sections:
        if one.task.done() and not one.task.cancelled() and (error := one.task.exception()):
            raise error


async def _ended(sections: Sequence[Writing]) -> None:
    for one in sections:
        one.task.cancel()
    await asyncio.gather(*(one.task for one in sections), return_exceptions=True)


async def _closed(task: Task, caller: Caller, speaker: Speaker) -> AsyncGenerator[Drafted | Said]:
    """The closing paragraph; an answer without it is still one, so a failure is only noted."""
    text = speaker.transcript.text
    marks = find_marks(text)
    prompt = prompts.assemble(task, text, marks)
    writing = Writing(caller, prompt, most=prompts.SIZES[task.length].closing_tokens)
    try:
        yield Drafted(text="\n\n")
        reader = Reader(marks, heading=CLOSING, late=True)  # what failed was never said
        async with aclosing(speaker.heard(writing, reader)) as events:
            async for event in events:
                yield event
    except ModelError as error:
        told = f"the closing paragraph could not be written: {error}"
        caller.log.notes.append(Note("answer", told))
    finally:
        await _ended([writing])

"""True statements taken from passages, and the same with one error each.

What counts as an error is decided here by comparing letters, without the checker's own reading
of numbers and names: a planted value is one that does not stand in the passage.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from consilience.answer.checker import check
from consilience.text_markup import neutralize
from consilience.types import Exhibit, Form, Locator, Passage, Statement

SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z“\"])")
NUMBER = re.compile(r"(?<![\w.,/-])\d+(?:[.,]\d+)*(?![\w/]|[.,]\d|-\d)")
NAME = re.compile(
    r"(?<=[a-z,] )(?:[A-Z][a-zà-ÿ]{2,})(?: (?:of |de )?[A-Z][a-zà-ÿ]{2,})*(?=[\s.,;:)])"
)
MONTHS = (
    *("January", "February", "March", "April", "May", "June", "July", "August"),
    *("September", "October", "November", "December"),
)
DATE = re.compile(
    rf"\b(?:\d{{1,2}} (?:{'|'.join(MONTHS)}) \d{{4}}|(?:{'|'.join(MONTHS)}) \d{{1,2}}, \d{{4}}"
    rf"|(?:{'|'.join(MONTHS)}),? \d{{4}}|(?<=[Ii]n )\d{{4}}(?=[\s,.;]))"
)
UNITS = {
    "metres": "feet", "feet": "metres", "m": "ft", "ft": "m", "km": "miles", "miles": "km",
    "kilometres": "miles", "million": "billion", "billion": "million", "percent": "tonnes",
    "%": " kg", "kg": "lb", "hours": "days", "days": "hours", "minutes": "hours",
    "tons": "kilograms", "tonnes": "pounds", "mm": "cm", "years": "months", "seconds": "minutes",
}  # fmt: skip
UNIT = re.compile(
    r"(?<=\d)( ?)(" + "|".join(sorted(map(re.escape, UNITS), key=len, reverse=True)) + r")(?![\w])"
)
MONEY = re.compile(r"([$€£])(?=\s?\d)")
RECORDS = ("row", "node", "edge", "path")
FEWEST, MOST = 7, 45  # words of a sentence that is taken
OTHERS = 11  # exhibits beside the one that a statement is from


@dataclass(frozen=True)
class Case:
    """A statement with its exhibits, and what was planted in it: nothing where it is true."""

    statement: Statement
    exhibits: dict[int, Exhibit]
    planted: str = ""


def cases(passages: Sequence[Passage], count: int, seed: int = 7) -> Iterator[Case]:
    """Up to `count` true statements, each also reworded and with every error that fits it."""
    chance = random.Random(seed)
    spoken = [one for one in passages if one.kind not in RECORDS]
    names = proper_names([one.text for one in spoken])
    words = sorted(
        {word for one in spoken[:300] for word in re.findall(r"\b[a-z]{4,}\b", one.text)}
    )
    pool = [(one, sentence) for one in spoken for sentence in sentences(one.text)]
    for passage, sentence in chance.sample(pool, min(count, len(pool))):
        exhibits, mark = around(passage, passages, chance)
        yield Case(said(sentence, mark), exhibits)
        for other in reworded(sentence):
            yield Case(said(other, mark), exhibits)
        quotation = quoted(sentence, chance)
        if quotation:
            yield Case(said(f"As it says there, “{quotation}”.", mark), exhibits)
        for planted, text in planted_in(sentence, passage, names, chance):
            yield Case(said(text, mark), exhibits, planted)
        if quotation:
            wrong = misquoted(quotation, words, passage.text, chance)
            yield Case(said(f"As it says there, “{wrong}”.", mark), exhibits, "quotation")
        elsewhere = [one for one in exhibits if one != mark and not alike(sentence, exhibits[one])]
        if elsewhere:
            yield Case(said(sentence, chance.choice(elsewhere)), exhibits, "wrong source")
        yield from joined(sentence, passage, exhibits, mark, chance)
        stray = said(sentence, mark).text.replace(
            f"[{mark}]", f"[{mark}] [{chance.randint(60, 99)}]"
        )
        yield Case(Statement(text=stray), exhibits, "stray mark")


def joined(
    sentence: str,
    passage: Passage,
    exhibits: dict[int, Exhibit],
    mark: int,
    chance: random.Random,
) -> Iterator[Case]:
    """A sentence and one of another passage in one, each with its mark; and numbers changed over.

    Only numbers that stand in one of the two passages alone are changed over.
    """
    other = chance.choice([one for one in exhibits if one != mark])
    theirs = exhibits[other].passage
    found = sentences(theirs.text)
    if not found or theirs.kind in RECORDS:
        return
    first, second = neutralize(sentence)[:-1], neutralize(chance.choice(found))[:-1]
    yield Case(Statement(text=f"{first} [{mark}], and {second} [{other}]."), exhibits)
    mine = [one for one in NUMBER.finditer(first) if not held(one[0], theirs)]
    others = [one for one in NUMBER.finditer(second) if not held(one[0], passage)]
    if mine and others:
        one, two = chance.choice(mine), chance.choice(others)
        first = first[: one.start()] + two[0] + first[one.end() :]
        second = second[: two.start()] + one[0] + second[two.end() :]
        text = f"{first} [{mark}], and {second} [{other}]."
        yield Case(Statement(text=text), exhibits, "changed over")


def proper_names(texts: Sequence[str]) -> list[str]:
    """The names of a corpus: capitals within a sentence, of words that are never without."""
    small = {word for text in texts for word in re.findall(r"\b[a-z]+\b", text)}
    small |= {month.casefold() for month in MONTHS}
    return sorted(
        {
            name
            for text in texts
            for name in NAME.findall(text)
            if small.isdisjoint(name.casefold().split())
        }
    )


def sentences(text: str) -> list[str]:
    """The sentences of a text that can be taken: whole, neither short nor endless, no table."""
    found = []
    for line in text.split("\n"):
        for one in SENTENCE.split(line.strip()):
            fits = FEWEST <= len(one.split()) <= MOST and one[:1].isupper() and one.endswith(".")
            if fits and "|" not in one and one.count("“") == one.count("”") and '"' not in one:
                found.append(one)
    return found


def said(sentence: str, mark: int, form: Form = "prose") -> Statement:
    """A sentence that cites a mark."""
    body = neutralize(sentence)
    return Statement(text=f"{body[:-1]} [{mark}]{body[-1]}", form=form)


def around(
    passage: Passage, passages: Sequence[Passage], chance: random.Random
) -> tuple[dict[int, Exhibit], int]:
    """A passage among others, those of its own document first; its mark as well."""
    near = [one for one in passages if one.document == passage.document and one.id != passage.id]
    near = chance.sample(near, min(5, len(near)))
    far = chance.sample(passages, min(OTHERS + 6, len(passages)))
    taken = {one.id: one for one in (*near, *far) if one.id != passage.id}
    chosen = [passage, *list(taken.values())[:OTHERS]]
    chance.shuffle(chosen)
    exhibits = {
        mark: Exhibit(mark=mark, passage=one, label=f'Book - "{one.title}"', text=one.text)
        for mark, one in enumerate(chosen, start=1)
    }
    return exhibits, 1 + chosen.index(passage)


def alike(sentence: str, exhibit: Exhibit) -> bool:
    """Whether a passage repeats a good part of a sentence."""
    words = re.findall(r"\w+", sentence.casefold())
    there = " ".join(re.findall(r"\w+", exhibit.passage.text.casefold()))
    runs = [" ".join(words[at : at + 4]) for at in range(len(words) - 3)]
    return sum(run in there for run in runs) > 0.2 * len(runs)


# --- rewording ----------------------------------------------------------------------------


def reworded(sentence: str) -> Iterator[str]:
    """The same said otherwise: clauses turned round, numbers and dates in another format."""
    head, comma, tail = sentence[:-1].partition(", ")
    if comma and len(head.split()) > 2 and len(tail.split()) > 3 and ", " not in tail:
        first = (
            head
            if re.match(r"[A-Z][\w’']* [A-Z]|[A-Z]{2}|[A-Z]\.", head)
            else head[0].lower() + head[1:]
        )
        yield f"{tail[0].upper()}{tail[1:]}, {first}."
    number = re.search(r"(?<![\w.,])(\d{1,3}(?:,\d{3})+)(\.\d+)?(?![\w.,])", sentence)
    if number:
        turned = str.maketrans(",.", ".,")
        yield NUMBER.sub(lambda one: one[0].translate(turned), sentence)
        yield sentence.replace(number[0], number[0].replace(",", ""))
    date = re.search(rf"\b(\d{{1,2}}) ({'|'.join(MONTHS)}) (\d{{4}})", sentence)
    if date:
        yield sentence.replace(date[0], f"{date[2]} {date[1]}, {date[3]}")
        yield sentence.replace(
            date[0], f"{date[3]}-{1 + MONTHS.index(date[2]):02}-{int(date[1]):02}"
        )


def quoted(sentence: str, chance: random.Random) -> str:
    """Some words of a sentence, to the letter."""
    words = sentence[:-1].split()
    length = chance.randint(5, 12)
    start = chance.randint(0, max(0, len(words) - length))
    found = " ".join(words[start : start + length])
    return "" if re.search(r"[“”\"«»\[\]]", found) else found


# --- errors -------------------------------------------------------------------------------


def planted_in(
    sentence: str, passage: Passage, names: Sequence[str], chance: random.Random
) -> Iterator[tuple[str, str]]:
    """A sentence with one error, of every class that it has room for."""
    for name, plant in (
        ("digit", digit), ("sign", sign), ("decimal", decimal), ("unit", unit), ("date", date)
    ):  # fmt: skip
        text = plant(sentence, passage, chance)
        if text:
            yield name, text
    text = name_swapped(sentence, passage, names, chance)
    if text:
        yield "name", text


def held(value: str, passage: Passage) -> bool:
    """Whether a value stands in a passage, by letters alone."""
    fields = " ".join(f"{name} {value}" for name, value in passage.metadata.items())
    place = f"{passage.title} {passage.locator} {fields}"
    there = re.sub(r"(?<=\d),(?=\d{3})", "", f"{passage.text} {place}")
    wanted = re.sub(r"(?<=\d),(?=\d{3})", "", value)
    return bool(re.search(rf"(?<![\w.]){re.escape(wanted)}(?!\w|[.,]\d)", there))


def digit(sentence: str, passage: Passage, chance: random.Random) -> str:
    found = [one for one in NUMBER.finditer(sentence) if not DATE.search(sentence)]
    chance.shuffle(found)
    for one in found:
        places = [at for at, letter in enumerate(one[0]) if letter.isdigit()]
        at = chance.choice(places)
        new = one[0][:at] + str((int(one[0][at]) + chance.randint(1, 9)) % 10) + one[0][at + 1 :]
        if not new.startswith("0") and not held(new, passage):
            return sentence[: one.start()] + new + sentence[one.end() :]
    return ""


def sign(sentence: str, passage: Passage, chance: random.Random) -> str:
    falls = re.search(
        r"(?i)\b(?:decreas|declin|loss|lost|fell|less|reduc|cost|expens|used|paid|lower|down|under|below|benefit|cut|drop|fewer|minus|negative|credit|deduct|impair|deficit|contract)",
        passage.text,
    )
    if falls or DATE.search(sentence):
        return ""
    for one in NUMBER.finditer(sentence):
        apart = sentence[max(0, one.start() - 1) : one.start()] == " "
        year = re.fullmatch(r"1\d{3}|20\d{2}", one[0])
        there = held("-" + one[0], passage) or f"({one[0]}" in passage.text
        if apart and not year and not there:
            return sentence[: one.start()] + "-" + sentence[one.start() :]
    return ""


def decimal(sentence: str, passage: Passage, chance: random.Random) -> str:
    for one in NUMBER.finditer(sentence):
        if re.fullmatch(r"1\d{3}|20\d{2}", one[0]):
            continue
        whole, point, rest = one[0].partition(".")
        new = f"{whole}{rest[0]}.{rest[1:]}".rstrip(".") if point else f"{one[0]}0"
        if "," in one[0] and not point:
            new = one[0].replace(",", "") + "0"
        if not held(new, passage):
            return sentence[: one.start()] + new + sentence[one.end() :]
    return ""


def unit(sentence: str, passage: Passage, chance: random.Random) -> str:
    for one in UNIT.finditer(sentence):
        other = UNITS[one[2]]
        if not re.search(rf"(?<![a-z]){re.escape(other.strip())}(?![a-z])", passage.text):
            return sentence[: one.start()] + (one[1] or " ") + other.strip() + sentence[one.end() :]
    for one in MONEY.finditer(sentence):
        other = chance.choice([sign for sign in "$€£" if sign != one[1]])
        if other not in passage.text:
            return sentence[: one.start()] + other + sentence[one.end() :]
    return ""


def date(sentence: str, passage: Passage, chance: random.Random) -> str:
    for one in DATE.finditer(sentence):
        for _ in range(9):
            year = str(
                int(re.findall(r"\d{4}", one[0])[-1]) + chance.choice((-11, -3, -1, 1, 2, 10))
            )
            new = one[0][:-4] + year
            day = re.search(r"\b\d{1,2}\b", one[0])
            if day and chance.random() < 0.4:
                new = one[0][: day.start()] + str(1 + int(day[0]) % 28) + one[0][day.end() :]
            month = next((name for name in MONTHS if name in one[0]), "")
            if month and chance.random() < 0.4:
                new = one[0].replace(
                    month, chance.choice([name for name in MONTHS if name != month])
                )
            if not held(new, passage):
                return sentence[: one.start()] + new + sentence[one.end() :]
    return ""


def name_swapped(
    sentence: str, passage: Passage, names: Sequence[str], chance: random.Random
) -> str:
    found = [one for one in NAME.finditer(sentence) if one[0] in names]
    chance.shuffle(found)
    for one in found:
        for other in chance.sample(names, min(30, len(names))):
            strange = not any(held(word, passage) for word in other.split())
            if strange and len(other.split()) == len(one[0].split()):
                return sentence[: one.start()] + other + sentence[one.end() :]
    return ""


def misquoted(quotation: str, words: Sequence[str], text: str, chance: random.Random) -> str:
    """A quotation with one word changed, left out or put in."""
    parts = quotation.split()
    at = chance.randint(1, len(parts) - 2)
    other = chance.choice(words)
    for new in chance.sample(
        (
            [*parts[:at], other, *parts[at + 1 :]],
            [*parts[:at], *parts[at + 1 :]],
            [*parts[:at], other, *parts[at:]],
        ),
        3,
    ):
        if " ".join(new) not in " ".join(text.split()):
            return " ".join(new)
    return f"{quotation} {other}"


# --- games --------------------------------------------------------------------------------

GAMES = {
    "Morphy against two in a box at the opera, Paris 1858": """1. e4 e5 2. Nf3 d6 3. d4 Bg4 {The
        pin does not last.} 4. dxe5 Bxf3 5. Qxf3 dxe5 6. Bc4 Nf6 7. Qb3 Qe7 {Both f7 and b7 were
        attacked.} 8. Nc3 c6 9. Bg5 b5 10. Nxb5 cxb5 11. Bxb5+ Nbd7 12. O-O-O Rd8 {Every white
        piece plays.} 13. Rxd7 Rxd7 14. Rd1 Qe6 15. Bxd7+ Nxd7 16. Qb8+ Nxb8 17. Rd8#""",
    "Anderssen against Kieseritzky, London 1851": """1. e4 e5 2. f4 exf4 3. Bc4 Qh4+ 4. Kf1 b5
        5. Bxb5 Nf6 6. Nf3 Qh6 7. d3 Nh5 8. Nh4 Qg5 9. Nf5 c6 10. g4 Nf6 11. Rg1 cxb5 {A piece is
        given for time.} 12. h4 Qg6 13. h5 Qg5 14. Qf3 Ng8 15. Bxf4 Qf6 16. Nc3 Bc5 17. Nd5 Qxb2
        (17... d6 was possible) 18. Bd6 Bxg1 19. e5 Qxa1+ 20. Ke2 Na6 21. Nxg7+ Kd8 22. Qf6+ Nxf6
        23. Be7#""",
    "Anderssen against Dufresne, Berlin 1852": """1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 4. b4 Bxb4 5. c3
        Ba5 6. d4 exd4 7. O-O d3 8. Qb3 Qf6 9. e5 Qg6 10. Re1 Nge7 11. Ba3 b5 12. Qxb5 Rb8 13. Qa4
        Bb6 14. Nbd2 Bb7 15. Ne4 Qf5 16. Bxd3 Qh5 17. Nf6+ gxf6 18. exf6 Rg8 19. Rad1 Qxf3 {Black
        threatens mate and is mated.} 20. Rxe7+ Nxe7 21. Qxd7+ Kxd7 22. Bf5+ Ke8 23. Bd7+ Kf8 24.
        Bxe7#""",
    "Byrne against Fischer, New York 1956": """1. Nf3 Nf6 2. c4 g6 3. Nc3 Bg7 4. d4 O-O 5. Bf4 d5
        6. Qb3 dxc4 7. Qxc4 c6 8. e4 Nbd7 9. Rd1 Nb6 10. Qc5 Bg4 11. Bg5 Na4 {A knight at the edge
        that cannot be taken.} 12. Qa3 Nxc3 13. bxc3 Nxe4 14. Bxe7 Qb6 15. Bc4 Nxc3 16. Bc5 Rfe8+
        17. Kf1 Be6 {The queen is left to be taken.} 18. Bxb6 Bxc4+ 19. Kg1 Ne2+ 20. Kf1 Nxd4+""",
}  # fmt: skip
MOVE = re.compile(r"(?:[KQRBN][a-h]?x?[a-h][1-8]|[a-h]x[a-h][1-8]|[a-h][1-8]|O-O-O|O-O)[+#]?")


def games() -> list[Passage]:
    """Annotated games, a passage each."""
    return [
        Passage(
            id=f"game{place}", collection="games", document="games.pgn", kind="game",
            title=title, text=" ".join(text.split()), locator=Locator(extra=(("game", place),)),
        )
        for place, (title, text) in enumerate(GAMES.items(), start=1)
    ]  # fmt: skip


def game_cases(count: int, seed: int = 7) -> Iterator[Case]:
    """Lines of the games as sentences and as lines, and each with a move that is wrong."""
    chance = random.Random(seed)
    passages = games()
    exhibits = {
        mark: Exhibit(mark=mark, passage=one, label=f"Game - {one.title}", text=one.text)
        for mark, one in enumerate(passages, start=1)
    }
    for _ in range(count):
        mark = chance.randint(1, len(passages))
        text = re.sub(r"\{[^}]*\}|\([^)]*\)", "", exhibits[mark].passage.text)
        moves = MOVE.findall(re.sub(r"\d+\.", " ", text))
        start = 2 * chance.randint(0, (len(moves) - 8) // 2)
        line = moves[start : start + chance.randint(1, 6)]
        yield Case(_line(line, start, mark, chance), exhibits)
        yield Case(_line(_wrong(line, moves, chance), start, mark, chance), exhibits, "move")
        shifted = start + 2 * chance.choice((1, 2, -1))
        if (
            moves[shifted : shifted + len(line)] != line
            and line[0] not in moves[shifted : shifted + 1]
        ):
            yield Case(_line(line, shifted, mark, chance), exhibits, "move number")


def _line(line: Sequence[str], start: int, mark: int, chance: random.Random) -> Statement:
    space = chance.choice(("", " "))
    numbered = [
        f"{1 + (start + at) // 2}.{space}{move}" if (start + at) % 2 == 0 else move
        for at, move in enumerate(line)
    ]
    shown = " ".join(numbered)
    if chance.random() < 0.5:
        return Statement(text=f"{shown} [{mark}]", form="lines")
    return Statement(text=f"Play went on with {shown} [{mark}].")


def _wrong(line: Sequence[str], moves: Sequence[str], chance: random.Random) -> list[str]:
    """A line with one move replaced, left out, or an illegal one."""
    at = chance.randrange(len(line))
    others = [move for move in (*moves, "Ke5", "Qa8", "Nh1", "Rxh6", "b3") if move != line[at]]
    return [*line[:at], chance.choice(others), *line[at + 1 :]]


# --- counting -----------------------------------------------------------------------------


def tally(
    found: Iterator[Case], missed: Callable[[Case, tuple[str, ...]], None] | None = None
) -> dict[str, tuple[int, int]]:
    """Of each class how many were faulted and how many there were; "" are the true ones."""
    counts: dict[str, tuple[int, int]] = {}
    for case in found:
        verdict = check(case.statement, case.exhibits)
        faulted = not verdict.sound
        if case.planted == "stray mark":
            faulted = any(one.check == "mark" for one in verdict.faults) and verdict.sound
        hit, of = counts.get(case.planted, (0, 0))
        counts[case.planted] = (hit + faulted, of + 1)
        if missed and faulted == (not case.planted):
            missed(case, tuple(one.told for one in verdict.faults))
    return counts

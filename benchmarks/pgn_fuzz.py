"""Does any file of games crash the loader, or keep it busy without end?

Makes mutated PGN files from a fixed random seed: truncated, with noise, of several encodings, with
endless comments and variations nested hundreds deep. Each is loaded and cut, under a time guard, in
a process of its own pool. A file may load or be refused with `LoadError`; anything else is a crash.
Passages over the limit count as crashes, too.

    python benchmarks/pgn_fuzz.py --number 10000 --json
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import random
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import chess

from consilience.errors import LoadError
from consilience.models.static_embedder import open_fast
from consilience.packs.chess.pgn import cut, load
from consilience.protocols import Room
from consilience.settings import Settings

SEED = 20_240
PATIENCE = 60  # seconds of processor time for one file
HUGE = 10_000_000
NESTED = 500
ENCODINGS = ("utf-8", "utf-8-sig", "utf-16", "utf-16-le", "cp1252", "cp1251", "latin-1", "cp850")
SAID = "Weiß steht besser; the knight d5! Слон, однако Éluder 12.Nd5 (see) [%eval 0.3] — №"


def games(chance: random.Random, number: int) -> str:
    """Some annotated games with random legal moves."""
    return "\n\n".join(game(chance) for _ in range(number)) + "\n"


def game(chance: random.Random) -> str:
    tags = {
        "Event": chance.choice(["Bled", "?", "Plans: weak squares"]),
        "White": chance.choice(["Petrosian, Tigran V", "Müller", "?"]),
        "Black": "Pachman, Luděk",
        "Result": chance.choice(["1-0", "0-1", "*"]),
        "ECO": chance.choice(["A07", "?", "B90"]),
    }
    head = "\n".join(f'[{name} "{value}"]' for name, value in tags.items())
    return f"{head}\n\n{line(chance, chess.Board(), chance.randrange(1, 60))} {tags['Result']}"


def line(chance: random.Random, board: chess.Board, length: int) -> str:
    words: list[str] = []
    for _ in range(length):
        legal = list(board.legal_moves)
        if not legal:
            break
        move = chance.choice(legal)
        dots = "." if board.turn else "..."
        words.append(f"{board.fullmove_number}{dots} {board.san(move)}")
        if chance.random() < 0.15:
            words.append(f"{{{' '.join(chance.choices(SAID.split(), k=chance.randrange(1, 40)))}}}")
        if chance.random() < 0.08 and length > 2:
            words.append(f"({line(chance, board.copy(), chance.randrange(1, length // 2 + 1))})")
        board.push(move)
    return " ".join(words)


# --- mutations, each of bytes -----------------------------------------------------------


def truncated(chance: random.Random, data: bytes) -> bytes:
    return data[: chance.randrange(len(data) + 1)]


def noisy(chance: random.Random, data: bytes) -> bytes:
    at = chance.randrange(len(data) + 1)
    return data[:at] + chance.randbytes(chance.randrange(1, 400)) + data[at:]


def flipped(chance: random.Random, data: bytes) -> bytes:
    found = bytearray(data)
    for _ in range(chance.randrange(1, 50)):
        found[chance.randrange(len(found))] = chance.randrange(256)
    return bytes(found)


def swapped(chance: random.Random, data: bytes) -> bytes:
    found = bytearray(data)
    for _ in range(chance.randrange(1, 50)):
        a, b = chance.randrange(len(found)), chance.randrange(len(found))
        found[a], found[b] = found[b], found[a]
    return bytes(found)


def marked(chance: random.Random, data: bytes) -> bytes:
    """Braces, brackets and quotes where none belong."""
    found = bytearray(data)
    for _ in range(chance.randrange(1, 30)):
        found.insert(chance.randrange(len(found) + 1), chance.choice(b'{}()[]";%$*\\\n'))
    return bytes(found)


def unmarked(chance: random.Random, data: bytes) -> bytes:
    """Without some of the marks that belong there."""
    gone = chance.choice(b'{}()[]"\n.')
    return bytes(byte for byte in data if byte != gone or chance.random() < 0.5)


def tagged(chance: random.Random, data: bytes) -> bytes:
    """Tags twice, and tags that say what cannot be."""
    more = chance.choice(
        [
            b'[FEN "8/8/8/8/8/8/8/8 w - - 0 1"]\n',
            b'[FEN "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR b KQkq e3 0 99999999999999"]\n',
            b'[FEN "KKKKKKKK/8/8/8/8/8/8/kkkkkkkk w KQkq - -5 x"]\n[SetUp "1"]\n',
            b'[Variant "Chess960"]\n',
            b'[Variant "Crazyhouse"]\n',
            b'[Result "maybe"]\n[Date "99.99"]\n[ECO "Z99"]\n',
            b'[White "' + b"W" * 100_000 + b'"]\n',
        ]
    )
    return data.replace(b"[White", more + b"[White", chance.choice([1, -1])) + data[:200]


def encoded(chance: random.Random, data: bytes) -> bytes:
    text = data.decode("utf-8", "replace")
    return text.encode(chance.choice(ENCODINGS), "replace")


def mixed(chance: random.Random, data: bytes) -> bytes:
    """Games of several encodings, one behind the other."""
    return b"\n\n".join(encoded(chance, data) for _ in range(3))


def ended(chance: random.Random, data: bytes) -> bytes:
    return data.replace(b"\n", chance.choice([b"\r\n", b"\r", b"\n\n", b" ", b"\x00\n"]))


def shuffled(chance: random.Random, data: bytes) -> bytes:
    words = data.split(b" ")
    chance.shuffle(words)
    return b" ".join(words)


def nested(chance: random.Random, data: bytes) -> bytes:
    """Variations inside variations, closed or not."""
    depth = chance.choice([NESTED, 2 * NESTED])
    inside = chance.choice([b"( 2... Nh5 3. Nf3 Nf6 4. Ng1 Ng8 ", b"(2... Nd5 (2... Nh5 "]) * depth
    closed = chance.choice([b"", b")" * 2 * depth])
    return data + b'\n\n[White "Deep"]\n\n1. Nf3 Nf6 2. Ng1 Ng8 ' + inside + closed


def bracketed(chance: random.Random, data: bytes) -> bytes:
    return data + chance.choice([b"(", b"{", b"[", b"$", b"[%a", b"e4 ", b";\n", b"1."]) * 50_000


def endless(chance: random.Random, data: bytes) -> bytes:
    """A comment of many megabytes, of words or of one word."""
    said = chance.choice([b"words and words, ", b"A sentence. ", b"x", b"\xd0\xb0", b"[%eval 1] "])
    return b"1. e4 {" + said * (HUGE // len(said)) + chance.choice([b"} e5 *\n\n", b""]) + data


MUTATIONS: tuple[Callable[[random.Random, bytes], bytes], ...] = (
    truncated, noisy, flipped, swapped, marked, unmarked, tagged, encoded, mixed, ended, shuffled,
)  # fmt: skip
RARE = (nested, bracketed)


def mutant(number: int, *, huge: bool = True) -> bytes:
    """The file of this number: the same every time."""
    chance = random.Random(SEED + number)
    data = games(chance, chance.randrange(1, 4)).encode()
    if huge and number % 500 == 7:
        return endless(chance, data)
    if number % 50 == 3:
        data = chance.choice(RARE)(chance, data)
    for _ in range(chance.randrange(1, 4)):
        data = chance.choice(MUTATIONS)(chance, data) if data else data
    return data


# --- running ----------------------------------------------------------------------------


def outcome(path: Path, room: Room) -> str:
    """What becomes of a file: `loaded`, `refused`, or how it failed."""
    try:
        document = load(path)
        cutted = cut(document, room)
    except LoadError:
        return "refused"
    except TimeoutError:
        return "over time"
    except Exception:  # noqa: BLE001 - this is what is looked for
        return f"crashed: {traceback.format_exc(limit=-3)}"
    sizes = room.sizes(cutted.title, cutted.blocks)
    return "loaded" if max(sizes) <= room.limit else f"crashed: a passage of {max(sizes)} tokens"


def _late(number: int, frame: object) -> None:
    raise TimeoutError


@cache
def _room() -> Room:
    model = open_fast("", Settings())
    return Room(count=model.count, limit=model.limit, target=180)


def _run(number: int) -> tuple[int, str, float]:
    signal.signal(signal.SIGPROF, _late)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"mutant {number}.pgn"
        path.write_bytes(mutant(number))
        started = time.process_time()
        signal.setitimer(signal.ITIMER_PROF, PATIENCE)
        try:
            found = outcome(path, _room())
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
        return number, found, time.process_time() - started


def _results(numbers: range, workers: int) -> Iterator[tuple[int, str, float]]:
    with multiprocessing.Pool(workers) as pool:
        yield from pool.imap_unordered(_run, numbers, chunksize=20)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0] if __doc__ else "")
    parser.add_argument("--number", type=int, default=10_000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    counts: Counter[str] = Counter(loaded=0, refused=0, crashed=0)
    counts["over time"] = 0
    slowest = (0.0, -1)
    numbers = range(given.first, given.first + given.number)
    for number, found, seconds in _results(numbers, given.workers):
        counts[found.partition(":")[0]] += 1
        slowest = max(slowest, (seconds, number))
        if found.startswith(("crashed", "over")):
            print(f"{number}: {found}", file=sys.stderr)
    told = {**counts, "slowest_s": round(slowest[0], 1), "slowest": slowest[1]}
    if given.json:
        print(json.dumps(told))
    else:
        print(", ".join(f"{name} {value}" for name, value in told.items()))
    return 1 if counts["crashed"] or counts["over time"] else 0


if __name__ == "__main__":
    sys.exit(main())

"""Does every game and book of a folder come in, whole, and how long does that take?

Makes a workspace of the chess pack, adds every `chess_*` folder through `Workspace.add`, as a
person would, and accounts for what became of it. Games are counted in the files apart from the
loader, by their tags and moves, and read a second time by python-chess: the positions of all
moves and variations of a game must be those that its passages know, and where a game is one
passage, the moves printed in it must be its moves. Everything written is removed at the end.

    python benchmarks/chess_ingest.py --data ../shared/data --tier fast --json
"""

from __future__ import annotations

import argparse
import io
import json
import logging
import re
import shutil
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

import chess
import chess.pgn
from ingest import Memory, Stages

from consilience.evidence.ingest import Report
from consilience.packs.chess.books import is_pgn
from consilience.settings import build_settings
from consilience.types import Passage
from consilience.workspace import Workspace, init_workspace, open_workspace

TAG = re.compile(r"\s*\[\s*([A-Za-z]\w*)\s+\"")
MOVES = re.compile(r"\s*(?:1\s*\.|\{|\*|1-0|0-1|1/2-1/2|[KQRBNOa-h])")
SHOWN = 10  # things of a kind that are listed
NOTE = re.compile(r"game \d+ \(")
OUT = re.compile(r"game \d+ \(.*; left out$", re.DOTALL)
MORE = re.compile(r"; and (\d+) more")
COUNTED = re.compile(r"of \d+ games (\d+) were left out")


@dataclass(slots=True)
class Games:
    """What became of the games of all files."""

    files: int = 0
    by_tags: int = 0
    by_reading: int = 0
    loaded: int = 0
    faulty: int = 0
    identical: int = 0
    absent: int = 0
    differing: list[str] = field(default_factory=list)
    unexplained: list[str] = field(default_factory=list)


def text_of(path: Path) -> str:
    """A file's text, in the encoding that it can be read in."""
    data = path.read_bytes()
    for encoding in ("utf-8-sig", "cp1252"):
        try:
            return data.decode(encoding)
        except UnicodeDecodeError:
            continue
    return data.decode("latin-1")


def count_by_tags(text: str) -> int:
    """How many games begin in a text: groups of tags, and moves that no tags stand before.

    A tag that was there already begins another group, so that games without moves count too.
    """
    count, inside, depth = 0, False, 0
    tags: set[str] = set()
    for line in text.splitlines():
        tag = TAG.match(line) if depth == 0 else None
        if tag:
            count += not tags or tag[1] in tags
            tags = {tag[1]} if tag[1] in tags else {*tags, tag[1]}
            inside = False
        elif line.strip():
            count += not (tags or inside or depth) and bool(MOVES.match(line))
            tags, inside = set(), True
        depth = max(0, depth + line.count("{") - line.count("}"))
    return count


def games_in(text: str) -> Iterator[chess.pgn.Game]:
    """The games of a text as python-chess reads them."""
    stream = io.StringIO(text)
    while (game := chess.pgn.read_game(stream)) is not None:
        yield game


def positions_of(game: chess.pgn.GameNode) -> set[str]:
    """The keys of all positions of a game, its variations among them."""
    found = {game.board().epd(en_passant="legal")}
    waiting = [(game, game.board())]
    while waiting:
        node, board = waiting.pop()
        for child in node.variations:
            after = board.copy(stack=False)
            after.push(child.move)
            found.add(after.epd(en_passant="legal"))
            waiting.append((child, after))
    return found


def printed_moves(passage: Passage, start: str) -> list[str]:
    """The main line that is printed in a passage, read again."""
    _, _, moves = passage.text.partition("\n\n")
    tags = f'[SetUp "1"]\n[FEN "{start}"]\n\n' if start else ""
    game = chess.pgn.read_game(io.StringIO(f"{tags}{moves}\n"))
    return [move.uci() for move in game.mainline_moves()] if game else []


def same(game: chess.pgn.Game, passages: Sequence[Passage]) -> str:
    """How a game and its passages differ; empty when they do not."""
    known = {key for one in passages for key in one.metadata.get("positions", ())}
    wanted = positions_of(game)
    if wanted != known:
        return f"{len(wanted - known)} positions missing, {len(known - wanted)} of no move"
    if len(passages) == 1:
        start = game.board().fen() if "FEN" in game.headers else ""
        if printed_moves(passages[0], start) != [move.uci() for move in game.mainline_moves()]:
            return "the moves printed are others"
    return ""


def explained(path: Path, report: Report) -> int:
    """How many games of a file are told as left out, each with its reason."""
    failed = [reason for name, reason in report.failed if Path(name) == path]
    if failed:
        more = MORE.search(failed[0])
        return len(NOTE.findall(failed[0])) + (int(more[1]) if more else 0)
    notes = [note for name, note in report.notes if Path(name) == path]
    counted = [int(found[1]) for note in notes if (found := COUNTED.search(note))]
    return counted[0] if counted else sum(bool(OUT.match(note)) for note in notes)


def compare(path: Path, passages: dict[int, list[Passage]], found: Games, report: Report) -> None:
    """Add to the account what became of one file's games."""
    text = text_of(path)
    found.files += 1
    count = count_by_tags(text)
    found.by_tags += count
    found.loaded += len(passages)
    for number, game in enumerate(games_in(text), start=1):
        found.by_reading += 1
        if game.errors:
            found.faulty += 1
        if number not in passages or game.errors:
            continue
        if reason := same(game, passages[number]):
            found.differing.append(f"{path.name}, game {number}: {reason}")
        else:
            found.identical += 1
    missing, reasons = count - len(passages), explained(path, report)
    found.absent += missing
    if missing != reasons:
        found.unexplained.append(f"{path.name}: {missing} games are not there, {reasons} are told")


def is_games(path: Path) -> bool:
    """Whether a file holds games, by its name or by how it begins."""
    suffix = path.suffix.lower()
    return suffix == ".pgn" or (suffix == ".txt" and is_pgn(path))


def account(
    workspace: Workspace, folders: Sequence[Path], report: Report
) -> tuple[Games, dict[str, object]]:
    """What became of the games and of the books."""
    by_game: dict[str, dict[int, list[Passage]]] = defaultdict(lambda: defaultdict(list))
    books: Counter[str] = Counter()
    placed: Counter[str] = Counter()
    over, sizes = 0, Counter[str]()
    for collection in workspace.catalogue.counts():
        for batch in batches(workspace.catalogue.each(collection), 500):
            counts = workspace.embedder.count([one.indexed for one in batch])
            over += sum(count > workspace.embedder.limit for count in counts)
            for one in batch:
                sizes[one.kind] += 1
                if one.kind == "game":
                    by_game[one.document][int(str(one.metadata["game"]))].append(one)
                elif one.kind == "book":
                    books[one.document] += 1
                    placed[one.document] += bool(one.metadata.get("positions"))
    found = Games()
    for path in sorted(one for folder in folders for one in folder.rglob("*") if one.is_file()):
        if is_games(path):
            compare(path, by_game.get(str(path), {}), found, report)
    return found, {
        "passages": dict(sizes),
        "passages_over_the_limit": over,
        "books": {
            Path(name).name: {"passages": books[name], "with_positions": placed[name]}
            for name in sorted(books)
        },
    }


def batches(passages: Iterator[Passage], size: int) -> Iterator[list[Passage]]:
    """The passages, some at a time."""
    while batch := list(islice(passages, size)):
        yield batch


def left_out(report: Report) -> dict[str, list[str]]:
    """What the files' notes say, by kind: games that are out, parts of books, the rest."""
    told: dict[str, list[str]] = {"games": [], "parts_of_books": [], "other": []}
    for path, note in report.notes:
        games = NOTE.match(note) or COUNTED.search(note)
        kind = "games" if games else "parts_of_books" if note.startswith("left out") else "other"
        told[kind].append(f"{Path(path).name}: {note}")
    return told


def run(data: Path, tier: str) -> dict[str, object]:
    """Take everything in and account for it."""
    folders = sorted(one for one in data.resolve().glob("chess_*") if one.is_dir())
    if not folders:
        raise SystemExit(f"no folder chess_* in {data}; name the folder that holds them by --data")
    place = Path(tempfile.mkdtemp(prefix="chess-ingest-"))
    try:
        init_workspace(place / "space", pack="chess")
        settings = build_settings({"pack": "chess", "models.embed": tier})
        with open_workspace(place / "space", settings=settings) as workspace:
            workspace.embedder.embed_query("loading the model is not what is measured")
            stages, started = Stages(), time.perf_counter()
            with Memory() as memory:
                report = workspace.add(folders, progress=stages)
            seconds = time.perf_counter() - started
            stages.stage("", total=0, unit="")
            games, rest = account(workspace, folders, report)
        return {
            "files_read": report.read,
            "files_failed": [f"{Path(path).name}: {reason}" for path, reason in report.failed],
            "files_of_no_kind": list(report.ignored),
            "seconds": round(seconds, 1),
            "passages_per_s": round(report.indexed / seconds),
            "stages_s": {name: round(spent, 1) for name, spent in stages.seconds.items()},
            "peak_mb": memory.peak_mb,
            "disk_mb": disk(place),
            **rest,
            "games": told(games),
            "left_out": left_out(report),
        }
    finally:
        shutil.rmtree(place)


def disk(folder: Path) -> dict[str, int]:
    """What the workspace takes on disk, in megabytes, by engine and in all."""
    sizes: Counter[str] = Counter()
    for path in folder.rglob("*"):
        if path.is_file():
            parts = path.relative_to(folder).parts
            name = parts[4] if "collections" in parts else parts[-1]
            sizes[name] += path.stat().st_blocks * 512
            sizes["all"] += path.stat().st_blocks * 512
    return {name: round(size / 1e6) for name, size in sizes.most_common() if size > 1e6}


def told(games: Games) -> dict[str, object]:
    """The account of the games, with the first of those that differ."""
    return {
        "files": games.files,
        "in_the_files_by_tags": games.by_tags,
        "in_the_files_by_python_chess": games.by_reading,
        "loaded": games.loaded,
        "left_out": games.absent,
        "left_out_without_a_reason": games.unexplained,
        "faulty_for_python_chess": games.faulty,
        "replayed_identically": games.identical,
        "differing": len(games.differing),
        "differing_first": games.differing[:SHOWN],
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="the folder of chess_* folders")
    parser.add_argument("--tier", choices=("fast", "fine"), default="fast")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    logging.getLogger("chess.pgn").setLevel(logging.CRITICAL)
    found = run(options.data, options.tier)
    if options.json:
        json.dump(found, sys.stdout, indent=2, ensure_ascii=False)
        print()
        return
    for name, value in found.items():
        print(f"{name:>26}: {value}")


if __name__ == "__main__":
    main()

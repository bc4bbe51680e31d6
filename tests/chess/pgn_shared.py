"""What do tests of games share? Random games, a room to fit them into, and a second reading.

The second reading is python-chess's own parser, which our reader does not use: what it finds in a
file must be found in the passages, too.
"""

import io
import random
import re
from collections import Counter
from pathlib import Path

import chess.pgn

from consilience.packs.chess.pgn import cut, load
from consilience.protocols import Room

SHARED = Path(__file__).parents[3] / "shared" / "data"
WORDS = (
    "White", "wants", "the", "knight", "on", "d5.", "Here", "an", "isolated", "pawn,", "however,",
    "is", "weak!", "Éluder", "grüßt", "12.Nd5", "“why?”", "(see", "below)", "—", "then;", "1-0",
)  # fmt: skip
COMMANDS = ("[%eval 0.31]", "[%eval #-4]", "[%eval -2.5,18]", "[%clk 0:01:02]", "[%csl Gd4,Re5]")
_TOKENS = re.compile(r"\w+|[^\w\s]")
_COMMAND = re.compile(r"\[%[^\]]*\]")


def count(texts):
    """Tokens as word pieces count them, nearly: words, marks, and two more."""
    return [2 + sum((len(one) + 5) // 6 for one in _TOKENS.findall(text)) for text in texts]


def room(limit):
    return Room(count=count, limit=limit, target=limit)


def random_game(seed, *, moves=60, chatter=0.2, branching=0.15):
    """A game with random moves, variations, comments and marks."""
    chance = random.Random(seed)
    game = chess.pgn.Game()
    game.headers["White"], game.headers["Black"] = "Petrosian, Tigran V", "Pachman, Ludek"
    ends = [game]
    for _ in range(moves):
        node = ends[-1] if chance.random() > branching else chance.choice(ends)
        board = node.board()
        legal = [move for move in board.legal_moves if not node.has_variation(move)]
        if legal:
            node = node.add_variation(chance.choice(legal))
            node.comment = remark(chance, chatter)
            node.nags = {chance.randrange(1, 20)} if chance.random() < chatter else set()
            if node.starts_variation():
                node.starting_comment = remark(chance, chatter)
            ends.append(node)
    game.comment = remark(chance, chatter)
    return game


def remark(chance, chatter):
    if chance.random() > chatter:
        return ""
    size = 400 if chance.random() < 0.05 else 12
    words = [chance.choice(WORDS) for _ in range(chance.randrange(1, size))]
    return " ".join([*([chance.choice(COMMANDS)] if chance.random() < 0.3 else []), *words])


def written(folder, text, *, encoding="utf-8", name="games.pgn"):
    path = folder / name
    path.write_bytes(text.encode(encoding))
    return path


def passages(path, limit=256):
    """The passages of a file."""
    return cut(load(path), room(limit)).blocks


def moves_of(game, *, ply=0):
    """Every move of a game: at which half move, from which position, to which."""
    found = Counter()
    waiting = [(game, game.board(), ply)]
    while waiting:
        node, board, place = waiting.pop()
        for child in node.variations:
            after = board.copy(stack=False)
            after.push(child.move)
            found[place + 1, board.epd(), after.epd()] += 1
            waiting.append((child, after, place + 1))
    return found


def walk(game):
    waiting = [game]
    for node in waiting:
        waiting.extend(node.variations)
    return waiting


def words_of(games):
    """Every word that people wrote in comments."""
    found = Counter()
    for game in games:
        for node in walk(game):
            for text in (node.starting_comment, node.comment):
                found.update(_COMMAND.sub(" ", text).replace("}", ")").split())
    return found


def replayed(block):
    """A passage's movetext, read by python-chess from the position that it starts from."""
    header, _, moves = block.text.partition("\n\n")
    assert header
    assert "\n" not in header
    tags = f'[FEN "{block.metadata["positions"][0]} 0 {1}"]\n\n'
    game = chess.pgn.read_game(io.StringIO(f"{tags}{moves}\n"))
    assert game.errors == []
    return game


def compare(path, limit=256):
    """Assert that a file's passages hold what python-chess finds in it, all of it, and fit."""
    with path.open(encoding="utf-8-sig") as file:
        sources = list(iter(lambda: chess.pgn.read_game(file), None))
    blocks = passages(path, limit)
    assert max(room(limit).sizes(load(path).title, blocks)) <= limit
    told = [replayed(block) for block in blocks]
    for number in sorted({block.metadata["game"] for block in blocks}):
        wanted, found = moves_of(sources[number - 1]), Counter()
        for block, game in zip(blocks, told, strict=True):
            if block.metadata["game"] == number:
                found.update(moves_of(game, ply=block.metadata["ply_first"] - 1))
        assert not wanted - found
        assert set(found) <= set(wanted)
    assert words_of(told) == words_of(sources)
    return blocks

"""How are false twins of true sentences made? By rules, one function a kind; labels are exact.

A twin differs from its sentence in one thing: negation, direction, an entity or a number of the
neighbouring clause, roles, cause, quantity, an added detail. Twins are also made of the premise
itself: then the twin is supported and the true sentence is contradicted. So a model that looks at
the statement alone cannot tell which is which.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

SUPPORT, CONTRADICT, SILENT = 0, 1, 2
Twin = tuple[str, str, int]  # kind, text, label

_SENTENCE = re.compile(r"(?<=[.!?])[\"')\]]*\s+(?=[A-Z0-9\"'(])")
_AUX = r"is|are|was|were|can|will|would|should|could|may|might|must|has|have|had|does|do|did"
_NUMBER = re.compile(r"(?<![\w.,-])\d+(?:,\d{3})*(?:\.\d+)?(?![\w-])")
_ENTITY = re.compile(r"(?<=[a-z,;] )(?:[A-Z][\w'-]+(?: (?:of|de|the|van)? ?[A-Z][\w'-]+)*)")
_ANY_ENTITY = re.compile(r"\b[A-Z][a-z][\w'-]+(?: [A-Z][\w'-]+)*")
_PAIRS = """
increase decrease|increases decreases|increased decreased|increasing decreasing|higher lower|
high low|highest lowest|more less|more fewer|larger smaller|large small|largest smallest|
greater smaller|before after|above below|rise fall|rises falls|rose fell|gain loss|gains losses|
first last|maximum minimum|always never|all none|positive negative|early late|earlier later|
strong weak|stronger weaker|better worse|best worst|upper lower|faster slower|fast slow|long short|
longer shorter|north south|northern southern|east west|eastern western|left right|open closed|
include exclude|includes excludes|including excluding|accept reject|accepted rejected|
improve worsen|improves worsens|improved worsened|easy difficult|easier harder|simple complex|
true false|public private|internal external|win lose|wins loses|won lost|white black|black white|
begin end|begins ends|began ended|start stop|older younger|old new|rich poor|success failure|
support oppose|supported opposed|allow prevent|allows prevents|allowed prevented|
enable disable|enabled disabled|add remove|adds removes|added removed|cheap expensive|wide narrow|
overestimate underestimate|profit loss|buy sell|import export|imports exports|dependent independent|
linear nonlinear|supervised unsupervised|necessary unnecessary|possible impossible|likely unlikely|
correct incorrect|valid invalid|stable unstable|known unknown|similar different|same different|
deep shallow|dense sparse|hot cold|warm cool|dry wet|heavy light|near far|inside outside|
major minor|majority minority|most least|often rarely|usually rarely|everyone nobody
"""
_SWAPS = (
    r"causes?|caused|affects?|affected|increases?|reduces?|reduced|leads? to|led to|produces?|"
    r"produced|precedes?|preceded|follows?|followed|contains?|contained|uses?|used|requires?|"
    r"required|depends? on|replaces?|replaced|exceeds?|exceeded|outperforms?|outperformed|"
    r"defeat(?:s|ed)|beat|attack(?:s|ed)|controls?|controlled|protects?|protected|supports?|"
    r"supported|inherits? from|calls?|called|generates?|generated|explains?|explained|implies|"
    r"implied|determines?|determined|creates?|created|influences?|influenced|is part of|"
    r"is better than|is worse than|is larger than|is smaller than|is greater than|is less than|"
    r"is higher than|is lower than|is followed by|is caused by|results? in|includes?|included|"
    r"captures?|captured|wins? against|invaded|succeeded|taught|married|founded|acquired|bought"
)
_ROLES = re.compile(
    rf"^(?P<a>(?:[A-Z][\w'-]*|[Tt]he [\w'-]+|An? [\w'-]+)(?: [\w'-]+){{0,4}}) (?P<v>{_SWAPS}) "
    r"(?P<b>(?:[\w'-]+ ){0,5}[\w'-]+)(?P<rest>[.,;].*)?$"
)
_CAUSE = re.compile(
    r"^(?P<a>[^,;:]{20,140}?),? (?P<v>because|so that|in order to|if|when|unless) "
    r"(?P<b>[^,;:]{15,140}?)\.$"
)
_QUANTITY = (
    ("some", "all"), ("many", "no"), ("most", "all"), ("most", "few"), ("all", "some of the"),
    ("every", "no"), ("each", "no"), ("both", "neither of the"), ("only", "not only"),
    ("may", "will always"), ("might", "certainly will"), ("can", "must"), ("usually", "never"),
    ("often", "never"), ("at least", "at most"), ("at most", "at least"),
    ("more than", "less than"), ("less than", "more than"), ("up to", "at least"),
    ("half", "most"), ("twice", "half"), ("almost", "more than"), ("several", "no"),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Lexicon:
    """Opposites of words, and verbs in their third person."""

    opposites: dict[str, str]
    verbs: dict[str, str]


def read_lexicon(wordnet: Path) -> Lexicon:
    opposites: dict[str, str] = {}
    for pair in _PAIRS.replace("\n", "").split("|"):
        a, b = pair.split()
        opposites.setdefault(a, b)
        opposites.setdefault(b, a)
    words, links = {}, []
    for line in (wordnet / "data.adj").read_text(encoding="utf-8").splitlines():
        if line.startswith("  "):
            continue
        fields = line.split(" | ")[0].split()
        count = int(fields[3], 16)
        names = [re.sub(r"\(.*", "", fields[4 + 2 * at]) for at in range(count)]
        words[fields[0]] = names
        at = 4 + 2 * count
        for number in range(int(fields[at])):
            symbol, offset, part, ends = fields[at + 1 + 4 * number : at + 5 + 4 * number]
            if symbol == "!" and part == "a":
                links.append((names[int(ends[:2], 16) - 1], offset, int(ends[2:], 16) - 1))
    for name, offset, index in links:
        other = words[offset][index]
        if "_" not in name + other and len(name) > 3:
            opposites.setdefault(name, other)
    verbs = {}
    for line in (wordnet / "index.verb").read_text(encoding="utf-8").splitlines():
        verb = line.split(" ")[0]
        if verb.isalpha() and len(verb) > 2:
            ending = "es" if re.search(r"(s|x|z|ch|sh|o)$", verb) else "s"
            third = verb[:-1] + "ies" if re.search(r"[^aeiou]y$", verb) else verb + ending
            verbs[third] = verb
    return Lexicon(opposites=opposites, verbs=verbs)


def split_sentences(text: str) -> list[str]:
    return [sentence.strip() for sentence in _SENTENCE.split(text) if sentence.strip()]


def is_plain(sentence: str) -> bool:
    """A whole sentence of prose, short enough to be a statement."""
    words = sentence.split()
    return (
        6 <= len(words) <= 38
        and sentence[0].isupper()
        and sentence[-1] == "."
        and sum(map(str.isalpha, sentence)) > 0.72 * len(sentence)
        and not re.search(r"[\\\\<>{}`|=]|et al|arXiv|https?:", sentence)
    )


def _sub(
    pattern: str, change: Callable[[re.Match[str]], str], text: str, rng: random.Random
) -> str:
    matches = list(re.finditer(pattern, text))
    if not matches:
        return ""
    match = rng.choice(matches)
    return text[: match.start()] + change(match) + text[match.end() :]


def negate(s: str, context: Sequence[str], rng: random.Random, lexicon: Lexicon) -> str:
    """`is` → `is not`, `cannot` → `can`, `never` and `not` dropped."""
    if re.search(r"\b(not|never|cannot)\b|n't\b", s):
        s, count = re.subn(rf"\b({_AUX}) not ", r"\1 ", s, count=1)
        if count:
            return s
        for old, new in (("cannot", "can"), (" never ", " "), ("n't ", " "), (" not ", " ")):
            if old in s:
                return s.replace(old, new, 1)
    return _sub(rf"\b(?:{_AUX}) (?!not)", lambda m: m[0] + "not ", s, rng)


def negate_verb(s: str, context: Sequence[str], rng: random.Random, lexicon: Lexicon) -> str:
    """`reduces` → `does not reduce`."""

    def change(match: re.Match[str]) -> str:
        return f"{match[1]} does not {lexicon.verbs[match[2]]} {match[3]}"

    verbs = [
        m
        for m in re.finditer(
            r"\b([a-z]+|[A-Z][a-z]+) ([a-z]+s) (the|a|an|to|in|on|from|that|by|all|its)\b", s
        )
        if m[2] in lexicon.verbs and m[1] not in ("the", "a", "an", "of", "and", "or", "to", "in")
    ]
    if not verbs:
        return ""
    m = verbs[0]
    return s[: m.start()] + change(m) + s[m.end() :]


def turn_direction(s: str, context: Sequence[str], rng: random.Random, lexicon: Lexicon) -> str:
    """A word by its opposite."""
    words = [m for m in re.finditer(r"\b[a-z]+\b", s) if m[0] in lexicon.opposites]
    if not words:
        return ""
    m = rng.choice(words)
    return s[: m.start()] + lexicon.opposites[m[0]] + s[m.end() :]


def replace_entity(s: str, context: Sequence[str], rng: random.Random, lexicon: Lexicon) -> str:
    """A name by another name of the passage."""
    here = _ENTITY.findall(s) or _ANY_ENTITY.findall(s)[1:]
    others = {e for c in context for e in _ENTITY.findall(c) if e not in s and e not in here}
    if not here or not others:
        return ""
    name = rng.choice(here)
    return s.replace(name, rng.choice(sorted(others)), 1)


def replace_number(s: str, context: Sequence[str], rng: random.Random, lexicon: Lexicon) -> str:
    """A number by another number of the passage."""
    here = _NUMBER.findall(s)
    others = {n for c in context for n in _NUMBER.findall(c) if n not in here}
    if not here or not others:
        return ""
    number = rng.choice(here)
    same = sorted(n for n in others if len(n) == len(number)) or sorted(others)
    return re.sub(rf"(?<![\w.,]){re.escape(number)}(?![\w,])", rng.choice(same), s, count=1)


def change_number(s: str, context: Sequence[str], rng: random.Random, lexicon: Lexicon) -> str:
    """A number by one that the passage does not have."""
    here = _NUMBER.findall(s)
    if not here:
        return ""
    number = rng.choice(here)
    digits = [at for at, c in enumerate(number) if c.isdigit()]
    at = rng.choice(digits[: max(1, len(digits) // 2)])
    digit = rng.choice([d for d in "123456789" if d != number[at]])
    return s.replace(number, number[:at] + digit + number[at + 1 :], 1)


def swap_numbers(s: str, context: Sequence[str], rng: random.Random, lexicon: Lexicon) -> str:
    """Two numbers of one sentence change places: right numbers for the wrong things."""
    return _swap(s, [m for m in _NUMBER.finditer(s)], rng)


def swap_names(s: str, context: Sequence[str], rng: random.Random, lexicon: Lexicon) -> str:
    """Two names of one sentence change places."""
    names = list(_ANY_ENTITY.finditer(s))
    if names and names[0].start() == 0 and names[0][0].split()[0].lower() in _FUNCTION:
        names = names[1:]
    return _swap(s, names, rng)


_FUNCTION = frozenset(
    "the this that these those in on at for from by with as if when while it they he she we i a an "
    "there however but and or although since because after before to of our its their his her such "
    "one some many most all each both no not here thus then so where what how why who".split()
)


def _swap(s: str, spans: list[re.Match[str]], rng: random.Random) -> str:
    pairs = [
        (a, b)
        for a, b in zip(spans, spans[1:], strict=False)
        if a[0] != b[0]
        and not re.fullmatch(
            r"[\s,;/&–-]*(?:and|or|vs\.?|versus|to)?[\s,]*", s[a.end() : b.start()]
        )
    ]
    if not pairs:
        return ""
    a, b = rng.choice(pairs)
    return s[: a.start()] + b[0] + s[a.end() : b.start()] + a[0] + s[b.end() :]


def swap_roles(s: str, context: Sequence[str], rng: random.Random, lexicon: Lexicon) -> str:
    """Who did what to whom, turned round."""
    match = _ROLES.match(s)
    passive = ("is", "are", "was", "were", "be", "been", "being", "we", "not", "can", "to")
    if not match or match["a"].split()[-1].lower() in (*passive, "i", "you", "they", "it"):
        return ""
    a, b, rest = match["a"], match["b"], match["rest"] or "."
    first = a.split()[0]
    a = a if first.lower() not in _FUNCTION and first not in ("A", "An") else a[0].lower() + a[1:]
    return f"{b[0].upper()}{b[1:]} {match['v']} {a}{rest}"


def swap_cause(s: str, context: Sequence[str], rng: random.Random, lexicon: Lexicon) -> str:
    """Cause and effect, or condition and result, change places."""
    match = _CAUSE.match(s)
    if not match or match["v"] == "in order to":
        return ""
    a, b = match["a"], match["b"]
    a = a if a.split()[0].lower() not in _FUNCTION else a[0].lower() + a[1:]
    return f"{b[0].upper()}{b[1:]} {match['v']} {a}."


def change_quantity(s: str, context: Sequence[str], rng: random.Random, lexicon: Lexicon) -> str:
    """`some` → `all`, `at least` → `at most`, `may` → `will always`."""
    fits = [(a, b) for a, b in _QUANTITY if re.search(rf"\b{a}\b", s)]
    if not fits:
        return ""
    a, b = rng.choice(fits)
    return re.sub(rf"\b{a}\b", b, s, count=1)


_PREDICATE = re.compile(
    rf"^(?P<a>[A-Z][^,;:]{{2,60}}?) (?P<v>{_AUX}|[a-z]+s|[a-z]+ed) (?P<b>.{{15,}})$"
)


def splice(s: str, context: Sequence[str], rng: random.Random, lexicon: Lexicon) -> str:
    """The subject of one sentence with what is said of another."""
    here = _PREDICATE.match(s)
    pronouns = ("It ", "They ", "This ", "These ", "He ", "She ", "We ", "There ", "In ", "For ")
    others = [m for c in context if c != s and (m := _PREDICATE.match(c))]
    others = [m for m in others if not m[0].startswith(pronouns)]
    if not here or s.startswith(pronouns) or not others:
        return ""
    other = rng.choice(others)
    if other["a"] == here["a"]:
        return ""
    return f"{here['a']} {other['v']} {other['b']}"


def add_detail(s: str, context: Sequence[str], rng: random.Random, lexicon: Lexicon) -> str:
    """A detail that nobody mentions: when, where, by whom, how much."""
    names = sorted({e for c in context for e in _ENTITY.findall(c) if e not in s})
    details = [
        f" in {rng.randint(1900, 2024)}", f" in about {rng.randint(5, 95)} percent of cases",
        " for the first time", " in most countries", " according to a recent survey",
        f" after {rng.randint(2, 12)} years", " because of its low cost",
        " at a higher price", " in both groups", " without any exception",
    ]  # fmt: skip
    if names:
        name = rng.choice(names)
        details += [f" by {name}", f" in {name}", f", together with {name}"] * 2
    return s.rstrip(".") + rng.choice(details) + "."


KINDS: dict[str, tuple[Callable[..., str], int]] = {
    "negation": (negate, CONTRADICT),
    "verb negation": (negate_verb, CONTRADICT),
    "direction": (turn_direction, CONTRADICT),
    "entity": (replace_entity, CONTRADICT),
    "number of neighbour": (replace_number, CONTRADICT),
    "number": (change_number, CONTRADICT),
    "numbers swapped": (swap_numbers, CONTRADICT),
    "names swapped": (swap_names, CONTRADICT),
    "roles": (swap_roles, CONTRADICT),
    "cause": (swap_cause, CONTRADICT),
    "quantity": (change_quantity, CONTRADICT),
    "splice": (splice, SILENT),
    "detail": (add_detail, SILENT),
}


def twins(
    s: str, context: Sequence[str], rng: random.Random, lexicon: Lexicon, *, most: int = 3
) -> Iterator[Twin]:
    """False twins of a sentence, of different kinds, rare kinds first."""
    rare = ["roles", "cause", "numbers swapped", "names swapped"]
    others = [kind for kind in KINDS if kind not in rare]
    rng.shuffle(rare)
    rng.shuffle(others)
    count = 0
    for kind in [*rare, *others]:
        change, label = KINDS[kind]
        altered = change(s, context, rng, lexicon)
        if altered and altered != s and altered not in context:
            yield kind, altered, label
            count += 1
            if count == most:
                return


_WORDS = "zero one two three four five six seven eight nine ten eleven twelve".split()


def restate_numbers(s: str, rng: random.Random) -> str:
    """A true restatement: rounded with `about`, spelt out, in millions, as a fraction."""
    numbers = [m for m in _NUMBER.finditer(s) if not re.fullmatch(r"(1[5-9]|20)\d\d", m[0])]
    if not numbers:
        return ""
    m = rng.choice(numbers)
    value = float(m[0].replace(",", ""))
    after = s[m.end() : m.end() + 9]
    if value == int(value) and value <= 12 and not after.startswith(("%", " percent", ".")):
        new = _WORDS[int(value)]
    elif value >= 1_000_000:
        new = f"about {value / 1e6:.3g} million"
    elif value >= 200:
        size = 10 ** (len(str(int(value))) - 2)
        new = f"{rng.choice(['about', 'roughly', 'around'])} {round(value / size) * size:,.0f}"
    elif value != int(value):
        new = f"about {value:.2g}" if value < 10 else f"about {value:.0f}"
    else:
        return ""
    return s[: m.start()] + new + s[m.end() :]

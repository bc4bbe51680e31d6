"""Which things does a text ask for that not every country has: to do, to see, to sleep in?

Some are known by name, with the forms that their words have. Others are found by where they stand:
what somebody wants to see, to watch or to meet, and what days are said to be "of".
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from consilience.packs.travel.trips.reading.ordinary import is_ordinary
from consilience.packs.travel.trips.reading.spoken.asides import is_aside
from consilience.understand.names import singular_or_plural, surface

_STEMS = {
    "skiing": r"ski(?:ing|s|[- ]in|[- ]resorts?| slopes?| holidays?| trips?)?",
    "dog sledding": r"dog[- ]sled\w*|husky (?:rides?|tours?|safari)",
    "northern lights": r"northern lights|aurora(?: borealis)?|polar lights",
    "whale watching": r"whale[- ]watching|see whales",
    "bungee jumping": r"bungee\w*",
    "skydiving": r"sky ?div\w+|parachut\w+",
    "hot air balloon": r"hot[- ]air balloon\w*|balloon (?:rides?|flights?)",
    "kitesurfing": r"kite[- ]?surf\w*",
    "diving": r"scuba(?: diving)?|diving",
    "canyoning": r"canyon(?:ing|eering)",
    "zip lines": r"zip[- ]?lin\w+",
    "horse riding": r"horse[- ](?:riding|back|rides?)",
    "hot springs": r"hot springs?|onsen",
    "vineyards": r"vineyards?|wineries|winery|wine estates?",
    "caving": r"caving|spelunking",
    "theme parks": r"theme parks?|amusement parks?",
    "castles": r"castles?",
    "cherry blossom": r"cherry[- ]blossoms?",
    "Formula 1": r"formula (?:1|one)|grand prix",
    "ice climbing": r"ice[- ]climbing",
    "gondolas": r"gondolas?|gondoliers?",
    "sled dogs": r"sled dogs?|husk(?:y|ies)",
    "a bullet train": r"bullet trains?|maglev\w*|shinkansen|hyperloop",
    "steam trains": r"steam (?:trains?|locomotives?|railways?)",
    "roller coasters": r"roller[- ]?coasters?|coasters?",
    "an ice rink": r"(?:ice|skating) rinks?",
    "big wheels": r"(?:ferris|big) wheels?",
    "water slides": r"water ?slides?|water ?parks?",
    "an underwater restaurant": r"underwater (?:restaurants?|dining)",
    "a revolving restaurant": r"revolving restaurants?",
    "basketball games": r"nba(?: games?)?|basketball (?:games?|matches)",
    "American football": r"nfl|super ?bowl|american football",
    "a cruise ship": r"cruise liners?|ocean liners?",
}
_PLAIN = """
snow snowboard* snowmobil* sledd* toboggan* ice-skat* glacier* iceberg* geyser* fjord* tundra*
volcano* lava desert* dune* savanna* safari* bullfight* rodeo* cowboy* sumo geisha* samurai
opera* ballet* musical* casino* vineyard* surf surfing golf* rafting kayak* snorkel* paraglid*
dinosaur* mammoth* unicorn*
mermaid* vampire* fairies zombie* yeti* alien* ufo* dragon-rid* pyramid* pharaoh* sphinx viking*
gladiator* moai windmill* lighthouse* tulip* lavender oktoberfest carnival mardi-gras wrestling
ice-hockey baseball superbowl wimbledon olympic* world-cup rocket* spaceship* submarine* zeppelin*
time-machine* teleport* wizard* monorail* speedway broadway midnight-sun polar-night monsoon-surf
truffle* sauna* heli-ski* dog-sled* falconry jousting flamenco tango kabuki moon-landing
planetarium* observatory observatories circus* distiller* oceanarium* bowling-alley* go-kart*
zorbing bullring* colosseum amphitheatre* aqueduct* tulip-field* sunflower-field* olive-grove*
zero-gravity ski-jump* bobsleigh bobsled* snowman snowmen ice-fish* helicopter*
"""
_ANIMALS = """
penguin* lion lions giraffe* zebra* hippo* rhino* gorilla* chimpanzee* kangaroo* koala* panda*
polar-bear* grizzl* wolf wolves reindeer moose bison walrus* seal seals llama* alpaca* tiger*
jaguar* leopard* orca* whale whales hammerhead* manta-ray* whale-shark* flamingo* toucan* elephant*
bear bears crocodile* monkey* turtle* dolphin* shark sharks eagle* snake* camel* dinosaur*
orang-utan* orangutan* lemur* meerkat* ostrich* sloth sloths anaconda* piranha* puffin* sea-lion*
bonobo* wildebeest* yak yaks komodo-dragon* platypus* narwhal* manatee* beluga* lynx* cheetah*
hyena* antelope* gazelle* condor* macaw* armadillo* alligator* wombat* tapir* anteater* emu emus
mountain-goat* caribou husky huskies donkey* pony ponies peacock* otter otters
"""
_DOUBLE = re.compile(r"(?<!jet )(?<!water )(?<!sand )(?<!wind )$", re.IGNORECASE)
_WANTED = re.compile(
    r"\b(?:(?:see|seeing|watch|watching|meet|meeting|spot|spotting|photograph|feed|ride|riding"
    r"|attend|attending|hunt|hunting|climb)\s+(?:(?:a|an|the|some|real|live|living|wild|many"
    r"|lots of)"
    r"\s+)*|(?:days?|week|weeks|weekend|fortnight|trip|holiday)\s+of\s+(?:real |wild )?)"
    r"(?P<thing>[a-z]{4,})\b(?!\s+(?:of|in law))",
    re.IGNORECASE,
)
_LED = re.compile(
    r"\b(?P<thing>[a-z]{5,})[ -](?:spotting|watching|hunting|racing|fights?|tracking|feeding"
    r"|petting|cuddling)\b",
    re.IGNORECASE,
)
_OUTING = re.compile(
    r"[ -](?:trek\w*|track\w*|watch\w*|spotting|safaris?|rid(?:es?|ing)|feeding|petting|cuddling"
    r"|viewing|encounters?|hunt\w*|racing|fights?|tours?|photograph\w*)\b"
)
"""What is done with animals; before it, one is meant even at the beginning of a sentence."""
_PEOPLE_WORDS = """
    cousin cousins family relatives brother sister aunt uncle grandma grandpa parents locals folks
    everything everyone someone anything highlights sights much more most what where that which them
    both stuff attractions classics essentials basics icons greatest famous must-sees must biggest
    true real authentic nothing travel travelling traveling exploring discovery fun bliss nothing
    indulgence wonders marvels beauty charm doing being having going lounging laziness sightseeing
    colleagues clients customers minorities minority tribes ethnic people youngsters grandchildren
    holiday vacation leave sabbatical intense pure total complete absolute proper serious typical
"""
_PEOPLE = frozenset(_PEOPLE_WORDS.split())


def things_asked(text: str) -> tuple[tuple[str, str], ...]:
    """What a text asks for by name, each with the form that its words have."""
    found: dict[str, str] = {}
    for name, stem in (*_STEMS.items(), *_listed(_PLAIN)):
        for match in re.finditer(rf"\b(?:{stem})\b", text, re.IGNORECASE):
            if _DOUBLE.search(text[: match.start()]) and not is_aside(text, *match.span()):
                found.setdefault(name or match[0].casefold(), stem)
                break
    covered = "|".join(found.values())
    for word in _by_position(text):
        if not covered or not re.search(rf"\b(?:{covered})\b", word, re.IGNORECASE):
            forms = sorted({word, *singular_or_plural(word)})
            found.setdefault(word, "|".join(map(re.escape, forms)))
    return tuple(found.items())


def animals_asked(text: str) -> tuple[tuple[str, str], ...]:
    """Animals that a text asks for, each with the form that its word has."""
    found: dict[str, str] = {}
    for _, stem in _listed(_ANIMALS):
        for match in re.finditer(rf"\b(?:{stem})\b", text, re.IGNORECASE):
            meant = match[0].islower() or _OUTING.match(text, match.end())
            if meant and not is_aside(text, *match.span()):
                found.setdefault(match[0].casefold(), stem)
    return tuple(found.items())


def _listed(words: str) -> Iterator[tuple[str, str]]:
    for one in words.split():
        stem = one.removesuffix("*").replace("-", "[- ]")
        yield "", stem + (r"\w*" if one.endswith("*") else "")


def _by_position(text: str) -> Iterator[str]:
    """Words that are no ordinary ones, where the point of a trip stands."""
    for form in (_WANTED, _LED):
        for match in form.finditer(text):
            word = match["thing"]
            key = surface(word)
            known = is_ordinary(key) or key in _PEOPLE or key.endswith(("ing", "ed", "ly"))
            if word.islower() and not known and not is_aside(text, *match.span("thing")):
                yield key

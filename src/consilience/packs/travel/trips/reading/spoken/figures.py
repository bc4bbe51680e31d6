"""Which words of a text are a figure of speech, so that they do not mean what they say?

"Free as a bird" asks for no birds, "I could sleep for a week" for no week, and "over the moon" is
no place. What stands in a figure is not read: neither as a theme nor as an amount, a time or a
place. Only figures that nobody means literally on a journey are here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from consilience.packs.travel.trips.reading.sentence import Sentence, either
from consilience.packs.travel.trips.reading.spoken.joking import jokes_in

_QUALITIES = """
free|fit|happy|busy|poor|sick|blind|strong|quiet|snug|cool|cold|hungry|drunk|proud|slow|fast|quick
mad|bald|brave|calm|clear|clean|cheap as chips|dead|deaf|dry|easy|flat|fresh|gentle|good|hard
healthy|keen|light|lost|nervous|old|pale|plain|pleased|poor|pretty|quick|red|rich|right|safe|sly
sober|solid|stubborn|sure|tough|ugly|weak|white|wise|bored|excited|stiff|tired|thick|thin|tall
excited|giddy|white|brown|sharp|bright|big|small|useless|rare|cute
"""
_SIMILES = (
    # as happy as a clam, poor as church mice, cheap as chips
    (
        rf"\b(?:as )?{either(_QUALITIES)} as (?:an? |the |two |church |hell\b|chips\b|larry\b)"
        r"(?:(?:[a-z]+)\b(?: (?:in|on|at|with|of) (?:an? |the |his |its )?[a-z]+)?)?"
    ),
    # sleep like bears, swim like a fish, treated like royalty, packed like sardines
    (
        r"\b(?:sleep|slept|eats?|drinks?|lives?|living|runs?|running|swims?|sweat\w*|works?|working"
        r"|worked"
        r"|feels?|treat\w*|smells?|sings?|snores?|fights?|behaves?|walks?|grin\w*|cries|cry|breed"
        r"|looks?"
        r"|packed|climbs?|dances?|drives?|spends?|fly|flies|hops?|wander\w*|crawl\w*|burn|burns"
        r"|stand out)"
        r" (?:us |me |him |her |them |you )?like (?:an? |the |two |some )?"
        r"(?!locals?\b|this\b|that\b|to\b|it\b|we\b|i\b)"
        r"(?:(?:drunken|headless|wild|little|old|mad|caged|hungry|baby|mountain) )?[a-z]+"
        r"(?: (?:out of|in|on|off) (?:an? |the )?[a-z]+(?: (?:factory|pan|shop))?)?"
    ),
)
_APPETITE = (
    # I could eat a thousand bowls, could sleep for a week, could murder a curry
    (
        r"\b(?:could|can|might|would) (?:easily |happily |literally |probably |just )?"
        r"(?:eat|drink|sleep|murder|swallow|devour|talk|listen|live|hug|kiss|cry|watch|stay awake"
        r"|dance)"
        r" (?:an? (?!day|city|town|place)|for (?:an?|days|weeks|months|years|hours|\d+|one|two|ten)"
        r"|one|two|ten|\d[\d.,]*|the whole|on [a-z]+ alone)[^.,;!?()]*"
    ),
    (
        r"\b(?:a|one|ten|hundreds?|thousands?|millions?|\d[\d.,]*)"
        r" (?:hundred |thousand |million |zillion )?(?:times|thanks|words|reasons|kisses|hugs"
        r"|excuses)\b"
        r"(?! (?:in|a) )"
    ),
    r"\b(?:zillions?|gazillions?|bazillions?|umpteen)(?: of)? [a-z]+",
    r"\b(?:thanks|thank you) a (?:million|thousand|bunch|lot)",
    r"\b(?:looks?|feels?|feeling) like a million(?: dollars| bucks| quid)?",
    r"\b(?:one|chance) in a million|million[- ]dollar (?:smile|question|view)s?",
    r"\bnot (?:in|for) a (?:million|thousand|hundred)(?: [a-z]+)?",
    r"\bif (?:i|we) had (?:an? |one )?(?:dollar|penny|euro|pound|cent|dong|rupee)s? for [^.,;!?]*",
)
_DYING = either(r"""
to die for|dying (?:to|for)|d(?:ie|ied|ying|ies) (?:of|from) (?:it|boredom|embarrassment|shame
|laughter|laughing|heat|hunger|thirst|cold|stress|curiosity|envy|jealousy|happiness|joy|overwork)
(?:nearly|almost|practically|literally) died|kill(?:ing|s)? (?:me|us|for|time)|'?d kill for
(?:bored|scared|worked|frozen|worried|loved?) to death|over my dead body|drop[- ]dead
dead (?:tired|on my feet|on our feet|beat)|kick(?:s|ed)? the bucket|death by [a-z]+|bite the bullet
shoot me|be the death of (?:me|us)|wouldn't be caught dead
""")
_COSTS = either(r"""
(?:costs?|costing|cost me|cost us|charge\w*|paid|pay) (?:me |us |you )?an arm and a leg
an arm and a leg|worth (?:its|their|her|his) weight in gold|money (?:doesn't|does not) grow on trees
my two cents|a penny for (?:your|my) thoughts|bet (?:my|your) (?:bottom dollar|life)
for all the (?:tea in china|money in the world|gold in [a-z]+)|sell (?:a kidney|my soul|our souls)
(?:rob|robbing|robbed) a bank|first[- ]?born child|win(?:ning)? the lottery|won the lottery
""")
_ANIMALS = either(r"""
wild horses|wild goose chases?|elephants? in the room|monkey business|busy (?:bees?|beavers?)
early birds?(?! (?:watch|tour|walk))|night owls?|party animals?|eager beavers?|a little bird told
two birds with one stone|hold your horses|sleeping dogs lie|raining cats and dogs|cat ?naps?
bear(?:s|ing)? in mind|bear with (?:me|us)|lion'?s share|guinea pigs?
butterflies in [a-z]+ stomachs?
(?:when|until) (?:pigs|hell) (?:fly|freezes over)|black sheep|crocodile tears|herd(?:ing)? cats
fish out of water|eat (?:a|an entire|a whole) (?:horse|elephant|cow)|horse around|dark horses?
cash cows?|snake oil|tiger (?:mom|mum|parent)s?|one[- ]trick pony|rat race|cold turkey
bull in a china shop|straight from the horse's mouth|the bee's knees|the cat's (?:pyjamas|whiskers)
a fly on the wall|like water off a duck's back|ugly duckling|lone wolf|wolf in sheep's clothing
cry wolf|a whale of a time|the world is (?:my|our|your) oyster|mama bear|papa bear|beach bums?
dog'?s? (?:life|tired|days)|sick as a (?:dog|parrot)|love birds?|lovebirds?|bird brain\w*|duck soup
pet peeves?|stag night ruined
""")
_SKIES = either(r"""
over the moon|to the moon and back|once in a blue moon|on cloud nine|in seventh heaven
out of this world|shoot(?:ing)? for the (?:moon|stars)|reach(?:ing)? for the (?:moon|stars)
(?:not |isn't |no )?rocket science|(?:the )?sky(?:'s| is) the limit|on top of the world
(?:on|from) another planet|the man in the moon|asking for the moon|promis\w+ (?:me |us )?the moon
under the weather|a storm in a teacup|(?:the )?tip of the iceberg|a drop in the (?:ocean|bucket)
(?:plain|smooth) sailing|(?:in|all in) the same boat|miss(?:ed)? the boat|rock the boat
snowed under|break(?:ing)? the ice|ice[- ]?breakers?|(?:the )?icing on the cake|(?:got
|get) cold feet
a walk in the park|piece of cake|on thin ice|skating on thin ice|in hot water|in deep water
castles? in the (?:air|sky|clouds)|(?:the )?light at the end of the tunnel|tunnel vision
burn(?:ing|t)? the candle at both ends|concrete jungle|out of the woods
a snowball'?s chance(?: in hell)?
needle in a haystack|(?:make|making) a mountain out of a molehill|a mountain of (?:work|laundry
|debt|paper\w*|e-?mails)
(?:move|moving|moved) mountains|drown(?:ing|ed)? in (?:work|e-?mails?|paper\w*|meetings|deadlines
|nappies)
water under the bridge|a storm is brewing at [a-z]+|a can of worms|snow white|ice queen
""")
_PLACES = either(r"""
(?:all )?roads lead to rome|when in rome|rome wasn't built in a day|rome was not built in a day
going dutch|go dutch|(?:coals|owls) to (?:newcastle|athens)|from here to timbuktu
to timbuktu and back
(?:it's |is )?all greek to (?:me|us)|we'?ll always have paris|a new york minute|russian roulette
chinese whispers|mexican (?:wave|standoff)|dutch courage|french leave|brazil nuts?|panama hats?
bermuda shorts|swiss army knife|guinness world records?|sent to coventry|a slow boat to china
the (?:paris|venice|switzerland|monaco|hawaii|maldives) of (?:the )?[a-z]+
""")
_EFFORTS = either(r"""
(?:drives?|driving|drove) (?:me|us|him|her|them|everyone|everybody) (?:crazy|mad|nuts|insane|bananas
|bonkers|up the wall|round the bend|to drink|to despair)|reinvent(?:ing)? the wheel|train of thought
in the fast lane|time flies|third wheel|fifth wheel|hit(?:ting)? the road|back to the drawing board
(?:cross|crossing|swim|swimming|row|rowing) the (?:pacific|atlantic|channel|ocean)
(?:climb|climbing) (?:mount )?everest|run(?:ning)? a marathon|win(?:ning)? a (?:medal|nobel prize
|beauty contest)
(?:break|breaking|set|setting) (?:any |a |a world |the )?(?:world )?records?
king[- ]?sized?(?: beds?)?
queen[- ]?sized?(?: beds?)?|royal pain|(?:the )?emperor's new clothes|prince charming|drama queens?
a dog and pony show|in a heartbeat|in the blink of an eye|once in a lifetime|the whole nine yards
walking on (?:air|eggshells)|walk the plank|war and peace|(?:the )?third world war|world war three
sold my soul|saved? my soul|poor souls?|not a soul|old souls?|the life and soul
""")
_TIMES = (
    # since Thanksgiving, since last winter: how long something has gone on, not when to go
    (
        r"\b(?:ever )?since (?:the )?(?:last |early |late |about |around |before |mid-?)*"
        r"(?:thanksgiving|christmas|xmas|easter|new year'?s?(?: eve| day)?|halloween"
        r"|valentine'?s(?: day)?"
        r"|tet|diwali|ramadan|childhood|birth|school|college|university|graduation|the wedding"
        r"|yesterday"
        r"|(?:mon|tues|wednes|thurs|fri|satur|sun)day|(?:spring|summer|autumn|fall|winter)"
        r"|(?:year|month|week|decade|century)|covid|lockdown|the pandemic"
        r"|(?:january|february|march|april|may|june|july|august|september|october|november|december)"
        r"(?: \d{1,2}(?:st|nd|rd|th)?\b)?(?: (?:19|20)\d\d)?|(?:19|20)\d\d)\b"
    ),
    # my knees date from 1968, a liver of 1970 vintage
    (
        r"\b(?:dates?|dating|dated|vintage|built|made|born|class|model) "
        r"(?:from|back to|of|in|since)?(?: the)? ?(?:1[0-9]{3})s?\b"
    ),
)
_FIGURES = re.compile(
    "|".join(
        (
            *_SIMILES,
            *_APPETITE,
            *_TIMES,
            *(
                rf"(?<!\w){one}(?!\w)"
                for one in (_DYING, _COSTS, _ANIMALS, _SKIES, _PLACES, _EFFORTS)
            ),
        )
    ),
    re.IGNORECASE,
)


@lru_cache(maxsize=64)
def figures_in(text: str) -> tuple[tuple[int, int], ...]:
    """Where the figures of speech of a text stand."""
    return tuple(_spans(text.replace("’", "'").replace("‘", "'")))


def in_figure(text: str, start: int) -> bool:
    """Whether what begins there belongs to a figure of speech."""
    return any(low <= start < high for low, high in figures_in(text))


def leave_out_figures(sentence: Sentence) -> None:
    """Take figures of speech and jokes out of what is left to read; places in them stay."""
    for start, end in (*figures_in(sentence.text), *jokes_in(sentence.text)):
        sentence.use(start, end)


def _spans(text: str) -> Iterator[tuple[int, int]]:
    for match in _FIGURES.finditer(text):
        yield match.span()

"""Is a word an ordinary one, so that it is a name only where it is written as one?"""

from __future__ import annotations

from functools import cache

from consilience.packs.travel.vocabulary import features_in, kinds_in, themes_in
from consilience.understand.names import singular_or_plural

_WORDS = """
a about above active activities actually adult adults advance adventure after afternoon again age
aged ago all alone along already also although always am among amount an and animal anniversary
any anyone anything anywhere apr april are area around arrive arriving art as asap ask at aug
august autumn average avoid away baby back backpack backpacking bad bamboo bar bars base based
basic bath bay bazaar be beach beaches beautiful because bed before begin beginning best better
between big bike birthday bit black blue boat book booking both boy boyfriend boys bread break
breakfast bridge budget bus busy but by cafe call calm can car care cash castle cathedral cave
caves center central centre cheap child children choose christmas church circuit cities city class
clean clear click close club coast code coffee cold colleagues come comfort comfortable completely
cook cooking cool cost country countryside couple course cover crowds cruise crystal cuisine
culture currency cycling daily dance dates daughter day days deal dec december decent definitely
depart design destination destinations different dinner discover do does dollars don't dong double
down dragon dream drink drive drop during each early east easter eastern easy eat eight either
elderly eleven else end ending enjoy enough especially euro euros even evening event ever every
everyone everything exactly except excursion expensive experience explore exploring extra family
fan far farm fast father favourite feb february feel festival few fifteen fifth finally find fine
finish first fish fit five flat flexible flight flights fly flying food foodie foot for forest
fort four free french fresh fri friday friend friendly friends from full fun garden gardens gate
general get getaway getting girl girlfriend girls give go going golden good grand grandparents
great green group guide guided had half halloween happy harbour has hate have hear heart heavy
help her here heritage hi hidden high highlights hike hiking hill hills him his history holiday
holidays home honeymoon hope hostel hot hotel hotels hour hours house how huge husband i idea
ideal ideally if imperial in inc include including indoor inner interested into is island islands
it itinerary its jade jan january journey jul july jun june just keen keep kid kids kind know lake
lakes landscape lane lantern lanterns large last late later lazy learn least leave leisurely less
let life light like limited list little live local locals lodge long look looking lot lots lotus
love lovely low lower luxury made main mainly make male many map mar march market markets massage
max maximum may maybe me meal meet mid middle midrange mild million mind minutes miss mix mobile
modest mon monday money month months moon moonlight more morning most mostly mother motorbike
mountain mountains move much museum museums music must my name national nature near nearby need
new next nice night night-time nightlife nights nine no none normal north northern not nothing nov
november now number oct october of off often ok old on once one only open option or orange other
our out outdoor outdoors outer outside over own pace packed page pagoda pair palace paradise
parents park part partner party past path peace peaceful pearl people per perfect person photo
photography pick pier place places plan planning please point port possible pound pounds prefer
preferably pretty price private probably quarter quay quick quiet rain rather reading ready really
red region relax relaxed relaxing rent resort rest restaurant restaurants return rice ride river
road romance romantic room route royal rush safe same sanctuaries sanctuary sand sat saturday save
say scenery school scooter sea season second see seeing seen senior sep sept september seven
several shop shopping short should show sight sights sightseeing silver since single sister sit
six sleep slow small snow so solo some someone something sometimes somewhere son soon south
southern spa spend split spot spring square star start starting stay staying still stop stops
street student stuff style suggest suitable summer summit sun sunday sunny sunset sure surf swim
swimming take taking tall taste temple temples ten than that the theatre their them then there
these they thing things think third this those thousand three through thu thursday tiger tight
time times tired to today together tomorrow tonight too top total tour touristy tours towards
tower town towns train transport travel traveler traveling travellers travelling trek trip trips
try tue tuesday twelve twenty twice two under until up upper us use usual vacation valley van
vegan vegetarian very via view views village villages visit visiting walk walking walks wall want
war warm was watch water way we weather wed wedding wednesday week weekend weekends weeks well
were west western what when where which while white who whole why wife wild wildlife will wine
winter wish with within without wonder wonderful work world worth would wow year years yes yet you
young your zoo
"""
_KNOWN = frozenset(_WORDS.split())


def is_plain(word: str) -> bool:
    """Whether a word is one of everyday speech, whatever it says of themes."""
    return word in _KNOWN or any(form in _KNOWN for form in singular_or_plural(word))


@cache
def is_ordinary(word: str) -> bool:
    """Whether a word (as `surface` spells it) is one that people use without naming a place."""
    if is_plain(word) or word.isdigit() or len(word) < 2:
        return True
    return bool(themes_in(word) or features_in(word) or kinds_in(word))

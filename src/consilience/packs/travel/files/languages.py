"""What do types, themes, days and months of other languages mean? The English word of each.

German, French, Spanish, Italian and Portuguese, in the spelling that `surface` gives: without
accents, in small letters.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from consilience.understand.names import surface

_TYPES = """
city: stadt gemeinde ville commune ciudad citta cidade municipio municipalite localidad kleinstadt \
  grossstadt
village: dorf pueblo villaggio aldeia borgo bourg weiler
region: bundesland provinz departement provincia regione regiao kanton comunidad landkreis
country: staat pays pais paese
island: insel ile isla isola ilha
neighbourhood: stadtteil viertel quartier barrio quartiere bairro altstadt ortsteil arrondissement
square: platz piazza plaza praca
hotel: hoteles alberghi albergo hotels
hostel: jugendherberge auberge albergue ostello
guesthouse: pension gasthof gasthaus pensao pensione hostal ferienwohnung unterkunft hebergement \
  alojamiento alloggio gite agriturismo pousada
restaurant: gaststatte gaststaette wirtshaus ristorante restaurante trattoria osteria lokal \
  brasserie imbiss
cafe: kaffeehaus konditorei caffe cafeteria
bar: kneipe weinstube taverna taverne bodega biergarten
bakery: backerei baeckerei boulangerie panaderia panetteria padaria
museum: musee museo museu
church: kirche eglise iglesia chiesa igreja kapelle chapelle
cathedral: dom kathedrale munster cathedrale catedral duomo
monastery: kloster monastere abbaye monasterio monastero mosteiro convento
castle: schloss burg chateau castillo castello castelo festung forteresse
palace: palast palais palacio palazzo
bridge: brucke bruecke pont puente ponte
tower: turm tour torre
market: markt marche mercado mercato
park: parque parco stadtpark
garden: garten jardin giardino jardim
beach: strand plage playa spiaggia praia
lake: see lac lago
mountain: berg montagne montana montagna montanha gipfel
waterfall: wasserfall cascade cascada cascata
cave: hohle hoehle grotte cueva grotta gruta
viewpoint: aussichtspunkt belvedere mirador miradouro belvedere panorama
monument: denkmal monumento
ruins: ruine ruinen ruines ruinas rovine
theatre: theater teatro
zoo: tierpark tiergarten
attraction: sehenswurdigkeit sehenswuerdigkeit curiosite atraccion attrazione atracao attraktion
activity: aktivitat aktivitaet activite actividad attivita atividade erlebnis
tour: fuhrung fuehrung visite excursion ausflug visita
hike: wanderung randonnee senderismo escursione caminhada
airport: flughafen aeroport aeropuerto aeroporto
"""
_THEMES = """
adventure: abenteuer aventure aventura avventura
art: kunst arte kunstler
beach: strand plage playa spiaggia praia meer baden
budget: gunstig guenstig preiswert billig economique barato economico
culture: kultur cultura kulturell culturel
family: familie famille familia famiglia kinder enfants ninos bambini familienfreundlich
food: essen gastronomie gastronomia gastronomico cuisine kulinarik kuche cucina comida genuss
hiking: wandern randonnee senderismo trekking escursionismo wanderung
history: geschichte histoire historia storia historisch historique
luxury: luxus luxe lujo lusso luxo
nature: natur naturaleza natura natureza
nightlife: nachtleben ausgehen vida nocturna
photography: fotografie photographie fotografia
relaxation: erholung entspannung wellness detente relajacion relax descanso
romance: romantik romantisch romantique romantico romantica romance
shopping: einkaufen achats compras acquisti
spirituality: spiritualitat religion spiritualite religioso
wildlife: tiere animaux animales animali
water-sports: wassersport
"""
_WEEKS: Mapping[str, tuple[str, ...]] = {
    "German": (r"mo(?:ntags?)?", r"di(?:enstags?)?", r"mi(?:ttwochs?)?", r"do(?:nnerstags?)?",
               r"fr(?:eitags?)?", r"sa(?:mstags?)?|sonnabends?", r"so(?:nntags?)?"),
    "French": (r"lu(?:n(?:di)?)?", r"ma(?:r(?:di)?)?", r"me(?:r(?:credi)?)?", r"je(?:u(?:di)?)?",
               r"ve(?:n(?:dredi)?)?", r"sa(?:m(?:edi)?)?", r"di(?:m(?:anche)?)?"),
    "Spanish": (r"lun(?:es)?|lu", r"mar(?:tes)?|ma", r"mi[eé](?:rcoles)?|mi", r"jue(?:ves)?|ju",
                r"vie(?:rnes)?|vi", r"s[aá]b(?:ado)?|s[aá]", r"dom(?:ingo)?|do"),
    "Italian": (r"lun(?:ed[iì])?", r"mar(?:ted[iì])?", r"mer(?:coled[iì])?", r"gio(?:ved[iì])?",
                r"ven(?:erd[iì])?", r"sab(?:ato)?", r"dom(?:enica)?"),
}  # fmt: skip
_DAYS = ("Mo", "Tu", "We", "Th", "Fr", "Sa", "Su")
_WORD = re.compile(r"[^\W\d_]{2,}\.?")
_BETWEEN = {"bis": "-", "au": "-", "a": "-", "al": "-", "und": ",", "et": ",", "y": ",", "e": ",",
            "geschlossen": "off", "ferme": "off", "cerrado": "off", "chiuso": "off",
            "taglich": "Mo-Su", "tous les jours": "Mo-Su", "uhr": ""}  # fmt: skip
_MONTHS = """
1 januar janvier enero gennaio janeiro
2 februar fevrier febrero febbraio fevereiro
3 marz maerz mars marzo marco
4 avril abril aprile
5 mai mayo maggio maio
6 juni juin junio giugno junho
7 juli juillet julio luglio julho
8 aout agosto
9 septembre septiembre settembre setembro
10 oktober octobre octubre ottobre outubro
11 novembre noviembre novembro
12 dezember decembre diciembre dicembre dezembro
"""


def _read(table: str) -> dict[str, str]:
    lines = table.replace("\\\n", "").strip().splitlines()
    return {
        word: english
        for english, _, words in (line.partition(": ") for line in lines)
        for word in words.split()
    }


_ENGLISH_TYPES = _read(_TYPES)
_ENGLISH_THEMES = _read(_THEMES)
MONTHS: Mapping[str, int] = {
    word: int(line.split()[0]) for line in _MONTHS.strip().splitlines() for word in line.split()[1:]
}
"""The months by their names in other languages, without accents."""


def type_in_english(words: str) -> str:
    """The English word for a type of place; empty for one that is not known."""
    return _ENGLISH_TYPES.get(surface(words), "")


def theme_in_english(words: str) -> str:
    """The English word for a theme; empty for one that is not known."""
    return _ENGLISH_THEMES.get(surface(words), "")


def days_in_english(text: str) -> str:
    """Opening hours with the days as OpenStreetMap spells them; the text itself where no one
    language has all of its words.
    """
    for week in _WEEKS.values():
        days = [re.compile(rf"(?:{one})\.?", re.IGNORECASE) for one in week]
        found = [_day(match[0], days) for match in _WORD.finditer(text)]
        if found and None not in found:
            told = _replaced(text, found)
            return re.sub(
                r"(\d{1,2})h(?!\d)", r"\1:00", re.sub(r"(\d{1,2})h(\d\d)", r"\1:\2", told)
            )
    return text


def _replaced(text: str, words: Sequence[str | None]) -> str:
    given = iter(words)
    return _WORD.sub(lambda _: next(given) or "", text)


def _day(word: str, days: list[re.Pattern[str]]) -> str | None:
    plain = surface(word)
    if plain in _BETWEEN:
        return _BETWEEN[plain]
    if plain == "h":
        return word
    return next((_DAYS[at] for at, day in enumerate(days) if day.fullmatch(word)), None)

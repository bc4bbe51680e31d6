"""What do the fields of a record mean, however they are spelt? `lng`, `Longitude` and `x` are one.

Every field has one meaning of the table below, or none: then it is kept under its own name.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from consilience.evidence.loaders.common import one_line, tidy
from consilience.evidence.loaders.json_records import Json

_TABLE = """
id: id node node_id place_id identifier slug uid uuid key poi_id business_id
code: code codes iata iata_code icao icao_code iso iso2 iso3 iso_code iso_a2 iso_a3 cca2 cca3 ccn3 \
  cioc fips alpha2 alpha3 alpha_2 alpha_3 ident gps_code local_code isonumeric geonameid \
  geoname_id osm_id wikidata wikidata_id dafif
name: name title label name_en english_name common_name display_name full_name place_name \
  attraction_name hotel_name restaurant_name airport_name activity_name poi_name site_name \
  property_name business_name listing_name nom titre titel bezeichnung nombre nome naam titulo
local_name: local_name native_name name_local local native original_name endonym name_native
aliases: aliases alias other_names other_name also_known_as aka alternatenames alternate_names \
  alternative_names alternate_name alternative_name alt_names alt_name alt alt_spellings synonyms \
  former_name former_names asciiname ascii_name name_ascii city_ascii int_name official_name \
  old_name short_name nickname translations names capital_of
lat: lat latitude y lat_deg geo_lat latitude_deg
lon: lon lng long longitude x lon_deg geo_lon geo_lng longitude_deg
point: coordinates coords coordinate geo position latlng latlon lat_lng lat_lon lat_long gps \
  geo_point geopoint geometry geolocation gps_coordinates centroid center centre point wkt \
  geographic_coordinates latitude_longitude location_coordinates
location: location
category: category node_kind kind place_type class entity_type categories place_category \
  feature_class kategorie categorie categoria
type: type subtype subcategory sub_category place_subtype tourism amenity historic leisure natural \
  aeroway types sub_type attraction_type hotel_type room_type property_type typ art tipo
city: city town located_in in_city city_id city_name parent parent_id municipality addr_city \
  located_in_city destination town_name city_town host_city nearest_city ort stadt ville ciudad \
  citta cidade gemeinde municipio addr_town addr_village locality
region: region region_id region_name province state admin_name admin1 admin1_name prefecture \
  county addr_state addr_province part_of province_name state_name administrative_region \
  bundesland provinz provincia regione departement
country: country country_code countrycode country_id country_name nation iso_country addr_country \
  land pays pais paese
description: description semantic_text summary text about overview content details abstract body \
  intro introduction short_description long_description desc info description_en blurb \
  beschreibung descripcion descrizione descricao editorial_summary
suits: suits themes theme tags tag interests interest vibes vibe good_for best_for ideal_for \
  suitable_for keywords schlagworte themen etiquetas \
  travel_styles travel_style traveler_types traveller_types moods mood \
  recommended_for
price: price cost entrance_fee entry_fee fee fees ticket ticket_price tickets admission \
  admission_fee price_per_night nightly_rate price_per_person avg_price average_price price_from \
  room_rate room_price rate price_vnd price_usd price_eur cost_usd cost_vnd entry_cost \
  estimated_cost charge fare ticket_cost adult_price average_cost cost_per_person preis prix \
  precio prezzo preco eintritt eintrittspreis tarif
currency: currency currency_code price_currency currencycode currencies waehrung wahrung devise \
  moneda valuta moeda
hours: hours opening_hours open opening_times opening_time business_hours open_hours \
  operating_hours opening visiting_hours oeffnungszeiten offnungszeiten horaires horario \
  horarios orari heures_d_ouverture
visit_minutes: visit_minutes duration visit_duration time_needed recommended_duration \
  suggested_duration duration_minutes duration_min duration_hours visit_time time_required \
  typical_duration average_duration visit_hours minutes avg_visit_minutes time_spent hours_needed \
  time_needed_to_visit
best_months: best_months best_time_to_visit best_time best_season months when_to_go when_to_visit \
  best_month best_in peak_months ideal_months recommended_months beste_reisezeit reisezeit \
  meilleure_periode
season: season weather climate seasons
getting_around: getting_around get_around transport transportation getting_there get_in \
  how_to_get_there local_transport
safety: safety stay_safe warnings warning safety_tips safety_notes
booking: booking reservation reservations how_to_book booking_info booking_advice
slots: slots time_of_day best_time_of_day times_of_day part_of_day
effort: effort difficulty activity_level physical_level fitness
features: features attributes accessibility
level: level price_level budget_level tier price_range price_category cost_level star_rating \
  hotel_class stars budget_category
suggested_days: suggested_days days recommended_days ideal_days recommended_stay ideal_stay \
  suggested_stay length_of_stay min_days
offers: offers activities things_to_do has_activity experiences to_do
serves: serves cuisine cuisines dishes specialities specialties menu signature_dishes \
  signature_dish must_try
known_for: known_for famous_for highlights renowned_for highlight famous_foods local_food
invented: invented fictional fictitious
relations: connections relations relationships links edges related
"""


def _read_table(text: str) -> dict[str, str]:
    lines = text.replace("\\\n", "").strip().splitlines()
    return {
        spelling: meaning
        for meaning, _, spellings in (line.partition(": ") for line in lines)
        for spelling in spellings.split()
    }


MEANINGS: Mapping[str, str] = _read_table(_TABLE)
_PLACED_WORDS = """
lat lon point location category type city region country description suits price hours
visit_minutes best_months offers serves known_for suggested_days level relations
"""
PLACED = frozenset(_PLACED_WORDS.split())
"""What a record with a name says besides, where it tells of a place."""
_CAPITALS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_OTHER = re.compile(r"[^0-9a-z]+")
_MARKS = re.compile(r"[\u0300-\u036f]")  # accents
_PRICED = re.compile(r"(?:price|cost|fee|fare)_[a-z]{3}")  # in a currency, or the least
_UNIT = re.compile(r"_in_[a-z]{1,7}$|_(?:hrs|hours|minutes|mins|usd|eur|inr|vnd)$")
_LANGUAGE = re.compile(r"(?:name|alt_name|title)_[a-z]{2,3}(?:_[a-z]{2,4})?")


@lru_cache(4096)
def spelt(name: str) -> str:
    """A field's name in one spelling: `bestTimeToVisit` and `Best time to visit` are one."""
    return _OTHER.sub("_", unaccented(_CAPITALS.sub("_", name).casefold())).strip("_")


def unaccented(text: str) -> str:
    """A text without accents: `Öffnung` is `Offnung`."""
    return _MARKS.sub("", unicodedata.normalize("NFKD", text))


@lru_cache(4096)
def meaning_of(name: str) -> str:
    """What a field means; empty for one that is not known."""
    plain = spelt(name)
    if plain in MEANINGS:
        return MEANINGS[plain]
    if _LANGUAGE.fullmatch(plain):
        return "aliases"
    if _PRICED.fullmatch(plain):
        return "price"
    return MEANINGS.get(_UNIT.sub("", plain), "")


@dataclass(slots=True)
class Fields:
    """The fields of a record by what they mean, each with its own name; and the others."""

    known: dict[str, list[tuple[str, Json]]] = field(default_factory=dict)
    others: dict[str, Json] = field(default_factory=dict)

    def each(self, meaning: str) -> list[tuple[str, Json]]:
        """All fields of a meaning that hold something, as (name, value)."""
        return self.known.get(meaning, [])

    def first(self, meaning: str) -> Json:
        """The first value of a meaning; None where there is none."""
        return next((value for _, value in self.each(meaning)), None)

    def text(self, meaning: str) -> str:
        """The first value of a meaning that is plain, as a line of text."""
        return next((text for _, value in self.each(meaning) if (text := as_text(value))), "")

    def texts(self, meaning: str) -> list[str]:
        """All plain values of a meaning, tidy, each once."""
        found = (tidy(str(value)) for _, value in self.each(meaning) if as_text(value))
        return list(dict.fromkeys(found))

    def __contains__(self, meaning: str) -> bool:
        return meaning in self.known


def as_text(value: Json) -> str:
    """A plain value as a line; empty for lists, objects, truths and nothing."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return ""
    return one_line(str(value))


def items_of(value: Json) -> list[str]:
    """The plain values of a list, or the value itself, as lines."""
    return list(filter(None, map(as_text, value if isinstance(value, list) else [value])))


def is_empty(value: Json) -> bool:
    """Whether a value says nothing: null, blank, an empty list."""
    return value is None or value in ([], {}) or (isinstance(value, str) and not value.strip())


def sort_out(record: Mapping[str, Json], *, besides: Iterable[str] = ()) -> Fields:
    """The fields of a record by their meaning; those named in `besides` are left aside."""
    aside, fields = frozenset(besides), Fields()
    for name, value in record.items():
        if is_empty(value) or name in aside:
            continue
        meaning = meaning_of(name)
        if meaning:
            fields.known.setdefault(meaning, []).append((name, value))
        else:
            fields.others[name] = value
    return fields

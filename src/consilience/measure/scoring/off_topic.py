"""Which questions should nobody find an answer to here? Everyday ones from other walks of life.

Each comes with its telling words. A question is asked only where none of them occurs anywhere in
the evidence, so a cook's workspace is not asked about sourdough.
"""

from __future__ import annotations

import re

from consilience.catalogue import Catalogue

_QUESTIONS: tuple[tuple[str, str], ...] = (
    ("How long should sourdough bread prove before baking?", "sourdough"),
    ("What is the offside rule in football?", "offside"),
    ("How do I remove a red wine stain from a carpet?", "stain carpet"),
    ("Which vaccinations does a kitten need?", "kitten"),
    ("How often should I water an orchid?", "orchid"),
    ("What is the best way to descale a kettle?", "descale kettle"),
    ("How do I change a flat bicycle tyre?", "bicycle"),
    ("What tempo is a Viennese waltz danced at?", "waltz"),
    ("How do you fold an origami crane?", "origami"),
    ("When should tomato seedlings be planted out?", "tomato seedling"),
    ("How many stitches do I cast on for a knitted scarf?", "knitted scarf"),
    ("What shutter speed freezes a running dog?", "shutter"),
    ("How do I tune a ukulele?", "ukulele"),
    ("What is the difference between a latte and a cappuccino?", "latte cappuccino"),
    ("How is mozzarella made?", "mozzarella"),
    ("What should I pack for a newborn's hospital bag?", "newborn"),
    ("How do I stop a toddler from biting?", "toddler"),
    ("Which yoga pose helps against a stiff neck?", "yoga"),
    ("How do I unblock a kitchen sink?", "unblock sink"),
    ("What is a good mascara for sensitive eyes?", "mascara"),
    ("How long does it take to hard-boil a quail egg?", "quail"),
    ("How do I get rid of slugs in the lettuce bed?", "slugs lettuce"),
    ("What does a goalkeeper wear in ice hockey?", "goalkeeper hockey"),
    ("How do I wax a surfboard?", "surfboard"),
    ("Which wood is best for a guitar neck?", "guitar"),
    ("How do I fix a squeaky door hinge?", "squeaky hinge"),
    ("What is the right wine for roast duck?", "duck roast"),
    ("How do hairdressers layer curly hair?", "hairdresser curly"),
    ("How do I teach a parrot to talk?", "parrot"),
    ("What are the ingredients of a mojito?", "mojito"),
    ("How do I clean suede shoes?", "suede"),
    ("How deep should a garden pond be for goldfish?", "goldfish"),
    ("What is the score of a perfect game in bowling?", "bowling"),
    ("How do I crochet a granny square?", "crochet"),
    ("Which detergent is best for washing wool jumpers?", "detergent jumper"),
    ("How do I apply gel nail polish at home?", "manicure polish nail"),
    ("What is the plot of the opera The Magic Flute?", "opera flute"),
    ("How do I make a piñata for a birthday party?", "piñata birthday"),
    ("How does a beekeeper calm an angry hive?", "beekeeper hive"),
    ("What size of skis does a beginner need?", "skis"),
    ("How do I prune an old apple tree?", "prune apple"),
    ("Which spices go into a Thai green curry?", "curry spice"),
)

OFF_TOPIC: tuple[str, ...] = tuple(text for text, _ in _QUESTIONS)
"""Questions that most evidence has nothing to say about."""

_WORD = re.compile(r"[^\W\d_]+")


def off_topic(catalogue: Catalogue) -> list[str]:
    """The off-topic questions of which no telling word occurs in the evidence."""
    wanted = {form for _, words in _QUESTIONS for word in words.split() for form in _forms(word)}
    found: set[str] = set()
    for collection in catalogue.counts():
        for passage in catalogue.each(collection):
            found.update(wanted.intersection(_WORD.findall(passage.indexed.casefold())))
    return [
        text
        for text, words in _QUESTIONS
        if not any(form in found for word in words.split() for form in _forms(word))
    ]


def _forms(word: str) -> tuple[str, ...]:
    """A word in one and in many: slug, slugs."""
    stem = word.casefold().removesuffix("s")
    return (stem, f"{stem}s", f"{stem}es")

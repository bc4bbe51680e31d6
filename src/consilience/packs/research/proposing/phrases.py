"""Which runs of words could be the name of a concept, and of what kind is it?

There is no tagger of parts of speech here: a name is a run of words without those that tie
sentences together, it ends in a word that can be a noun, and says more than "this approach".
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from consilience.understand.names import singular_or_plural, surface

MOST_WORDS = 5
SHORTEST = 3
_WORDS = re.compile(r"[^\W_]+(?:['’\-‐‑–/][^\W_]+)*")
_BETWEEN = frozenset(("of", "in", "for", "on", "with", "to"))
_TYING = frozenset(
    """
    a about above across after again against all almost alone along already also although always
    am among an and another any anyone anything are around as at away back be became because
    become been before behind being below beside besides between beyond both but by came can
    cannot come could did do does doing done down during each either else enough even ever every
    everyone everything except few fewer first for from further gave get give given gives go
    goes gone got had has have having he hence her here hers herself him himself his how however
    i if in indeed inside instead into is it its itself just kept know known last least less let
    like made make makes making many may me might mine more moreover most much must my myself
    near nearly need neither never next no nobody none nor not nothing now of off often on once
    one ones only onto or other others otherwise our ours ourselves out outside over own per
    perhaps quite rather really same second see seem seems seen several shall she should since
    so some someone something sometimes soon still such take taken takes than that the their
    theirs them themselves then there therefore these they thing things third this those though
    three through throughout thus to together too toward towards two under unless unlike until
    up upon us use used uses using usually very via want was way we well went were what whatever
    when where whereas whether which while who whole whom whose why will with within without
    would yes yet you your yours zero four five six seven eight nine ten simply merely always
    here's it's that's don't doesn't isn't
    """.split()  # noqa: SIM905 - a long list of words is not easier to read
)
# Words that end no name, or that alone name nothing.
_GENERAL = frozenset(
    """
    abstract acknowledgements advice aim analyst analysts answer answers appendix approach
    approaches argument article aside author authors background book care case cases caution
    cautions cell cells chapter choice claim column columns comment comments conclusion
    conclusions cost data day days definition detail details difference differences discussion
    end equation example examples exercise exercises fact figure figures finding formula
    formulas goal group groups hand idea ideas introduction issue kind kinds lecture lesson
    lessons level levels limit limits line lines list literature look matter meaning method
    methods model models name names note notes number numbers order outcome outcomes outline
    overview page paper papers part parts people person place point points practice preface
    problem problems procedure purpose question questions reader reading reason reasons record
    recommendation recommendations reference references remark remarks report result results
    role row rows rule rules sample section sections sense sentence set setting settings setup
    side sign size software step steps strategy student students study subject summary
    supplement table tables task technique term terms text theory thing time times tool tools
    topic treatment tutorial type types unit units value values variable variables version view
    warning week weeks word words work year years assumption assumptions test tests estimate
    estimates estimator estimators estimand estimands method's dataset datasets effect effects
    number average simple common usual large small new old good bad better best worse worst high
    low long short different similar important standard main key basic little great real right
    wrong true false full partial several possible likely clear common
    """.split()  # noqa: SIM905
)
# Words that begin no name: they say which one is meant, or what somebody thinks of it.
_VAGUE = frozenset(
    """
    older newer good bad better typical particular following previous present usual recent
    similar different poor important useful named said chosen given resulting corresponding
    related above relevant
    """.split()  # noqa: SIM905
)
_SHORTENED = re.compile(r"['’](?:ll|m|re|ve|d|t)$")
_VERBS = re.compile(
    r"(?:require|assume|need|use|address|extend|generali[sz]e|relax|detect|correct|remove|reduce|"
    r"avoid|compare|give|show|make|ask|hold|fail|turn|allow|combine|estimate|produce|apply|"
    r"appl(?=ie)|carr(?=ie)|check|become|lead|tend|remain)(?:s|es|ies)"
)
_NO_NOUN = re.compile(r"(?:ly|ed|ous|ful|ible|able|ical|ish|ive|ent|ant|wise|less|ic|al|ary)$")
_NOUNS = frozenset(
    """
    hypothesis estimand estimate confounder panel trial credible interval variable experiment
    treatment coefficient gradient instrument statement moment component element event percent
    adjustment assignment alternative residual principal critic statistic heuristic logic
    objective prior additive descent agent measurement requirement improvement experiment
    covariant metric variant invariant constant determinant quotient exponent need speed seed
    survival potential differential interval total proposal signal removal approval kernel level
    counterfactual table derivative representative family anomaly assembly supply library
    summary boundary dictionary
    """.split()  # noqa: SIM905
)
_KIND_WORDS = {
    "test": "test tests diagnostic diagnostics check checks falsification placebo",
    "assumption": (
        "assumption assumptions condition conditions restriction exogeneity ignorability "
        "independence monotonicity positivity overlap stationarity exchangeability "
        "unconfoundedness normality linearity homoskedasticity ergodicity sparsity trends"
    ),
    "estimand": (
        "estimand estimands effect effects parameter parameters quantity ratio hazard elasticity "
        "expectation functional odds curve"
    ),
    "problem": (
        "bias problem problems confounding heteroskedasticity endogeneity collinearity "
        "multicollinearity overfitting misspecification noncompliance attrition missingness "
        "paradox fallacy curse dependence correlation contamination leakage error errors imbalance "
        "separation drift threat interference censoring truncation inflation hacking"
    ),
    "dataset": "dataset datasets data survey cohort registry census benchmark corpus records",
}
KIND_OF = {word: kind for kind, words in _KIND_WORDS.items() for word in words.split()}
_METHOD_WORDS = frozenset(
    """
    method methods estimator estimators procedure algorithm design model models regression
    approach technique estimation learner forest network matching weighting imputation analysis
    """.split()  # noqa: SIM905
)
_PAIRS = {
    "standard error": "method",
    "standard errors": "method",
    "fixed effects": "method",
    "random effects": "method",
    "information criterion": "method",
    "missing data": "problem",
    "confidence interval": "method",
}
"""Pairs of words whose last word alone would mislead."""
HEADS = frozenset(KIND_OF) | _METHOD_WORDS
"""Words that name concepts of research often end in."""
LOOSE = frozenset(
    ("estimator", "method", "approach", "procedure", "technique", "model", "analysis")
)
"""Words that may follow a concept's name without making it another."""


def words_of(text: str) -> list[re.Match[str]]:
    """The words of a text, those with hyphens whole."""
    return list(_WORDS.finditer(text))


def cleaned(phrase: str) -> str:
    """A phrase without the articles it begins with and the signs around it."""
    found = [one[0] for one in _WORDS.finditer(phrase)]
    while found and found[0].casefold() in (
        "a",
        "an",
        "the",
        "any",
        "this",
        "such",
        "its",
        "their",
    ):
        found.pop(0)
    return " ".join(found)


def is_name(phrase: str, *, alone: bool = False) -> bool:
    """Whether a phrase could name a concept; one word only where `alone` allows it."""
    found = [one.casefold() for one in phrase.split()]
    if not (1 if alone else 2) <= len(found) <= MOST_WORDS or len(phrase) < SHORTEST:
        return False
    if len(found) == 1 and (
        found[0] in _GENERAL or singular_or_plural(found[0])[:1] == [found[0][:-1]]
    ):
        return False
    inner, ends = found[1:-1], (found[0], found[-1])
    return (
        not any(one in _TYING for one in ends)
        and not any(one in _TYING and one not in _BETWEEN for one in inner)
        and not any(len(one) == 1 or one[0].isdigit() for one in ends)
        and _is_noun(found[-1])
        and not found[0].endswith("ly")
        and (phrase[0].isupper() or not found[0].endswith(("'s", "’s")))
        and not any(_SHORTENED.search(one) for one in found)
        and found[0] not in _VAGUE
        and not any(_VERBS.fullmatch(one) for one in found)
        and not all(one in _GENERAL or one in _BETWEEN for one in found)
    )


def _is_noun(word: str) -> bool:
    part = re.split(r"[-‐‑–/]", word)[-1]
    return part in _NOUNS or part in HEADS or not _NO_NOUN.search(part)


def runs(sentence: str) -> Iterator[tuple[int, int]]:
    """Where runs of two to four words stand that could be names, within one clause."""
    found = words_of(sentence)
    for place, first in enumerate(found):
        if first[0].casefold() in _TYING:
            continue
        for last in range(place + 1, min(place + 4, len(found))):
            gap = sentence[found[last - 1].end() : found[last].start()]
            if gap.strip() or found[last][0].casefold() in _TYING:
                break
            yield first.start(), found[last].end()


def kind_of(name: str, told: str = "") -> str:
    """The kind of a concept by the words of its name, or of what it is told to be.

    `told` is how a sentence that defines it goes on: `the assumption that both groups …`.
    """
    words = surface(name).split()
    head = " ".join(words[-2:])
    if head in _PAIRS:
        return _PAIRS[head]
    if words and (known := _word_kind(words[-1])):
        return known
    for word in surface(told).split()[:7]:
        if known := _word_kind(word):
            return known
        if word in ("that", "which", "of", "for"):
            break
    return "method"


def _word_kind(word: str) -> str:
    return "method" if word in _METHOD_WORDS else KIND_OF.get(word, "")

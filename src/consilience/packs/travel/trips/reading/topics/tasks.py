"""Is a text a task that is no trip: something to write, to fill in, to send, to repair?

A poem about a town and a form for its visa name a place, and nobody wants to go there. A task is
known by what it is to make, by a verb and its object at the beginning of a sentence, or by what
somebody is in need of. "Write me a plan for four days" makes a trip.
"""

from __future__ import annotations

import re

from consilience.packs.travel.trips.reading.sentence import either

_GREETING = either(r"""
hi|hello|hey|hiya|howdy|yo|good (?:morning|afternoon|evening|day)|g'?day|greetings|dear(?: \w+){1,3}
bonjour|salut|bonsoir|hola|buenos d[ií]as|buenas|ol[áa]|oi|bom dia|boa tarde|ciao|buongiorno|salve
guten (?:tag|morgen|abend)|hallo|moin|servus|gr[uü](?:e|ß|ss)[\w ]{0,8}|hoi|goedemorgen|hej|hei
hallå
cze[sś][cć]|dzie[nń] dobry|ahoj|dobr[ýy] den|zdravo|privet|merhaba|selam|salaam|salam|shalom|marhaba
namaste(?: ji)?|namaskar|vanakkam|xin ch[àa]o|ch[àa]o(?: b[ạa]n)?|sawasdee|konnichiwa|ni hao
annyeong
mabuhay|kumusta|selamat (?:pagi|siang)|habari|jambo|kia ora|aloha|sir|madam|team|guys|folks|friend
everyone|everybody|all|there|mate
""")  # fmt: skip
_ASKED = either("""
please|pls|plz|kindly|ok|okay|so|well|now|just|also|and|then|quick(?: one)?|first|next|can you
could you
would you|will you|can u|i want you to|i need you to|i'd like you to|help me(?: to)?
help us(?: to)?|you
must|should|quickly|for me|thanks|thank you|sorry|one request|small request|favou?r
""")
POLITE = rf"^\W*(?:(?:{_GREETING}|{_ASKED})\b\W+)*"
"""What stands before the point of a text: greetings of many languages, and please."""
_WORK = either(r"""
poems?|haikus?|songs?|stor(?:y|ies)|essays?|jokes?|letters?|e-?mails?|functions?|scripts?|ballads?
odes?
(?:computer|python|java|training|exercise|c\+\+) programs?|programs? (?:that|which|in (?:python
|java|c))
code|sql|regex|recipes?|speech(?:es)?|cv|resume|limericks?|tweets?|blog ?posts?|applications?|raps?
articles?|summary|summaries|workouts?|meal plans?|diet plans?|riddles?|lyrics|novels?|obituar(?:y
|ies)
cover letters?|business plans?|lesson plans?|unit tests?|captions?|slogans?|sonnets?|toasts?
pitch(?:es)?
reviews?|presentations?|spreadsheets?|websites?|apps?|logos?|hashtags?|quiz(?:zes)?|crosswords?
rhymes?
crossword clues?|press releases?|book reports?|dissertations?|thesis|screenplays?|dialogues?
fairy tales?
usernames?|passwords?|headlines?|bios?|name ideas|pick-?up lines?|puns?|status updates?|complaints?
(?:linkedin |facebook |instagram |reddit |forum )?posts?|meal prep|shopping lists?|to-?do lists?
(?:study|training|exercise|fitness|revision|weight loss|meal prep|marketing) plans?
jingles?|(?:intros?|introductions?|outros?)(?! to)|voice-?overs?|voicemail greetings?|newsletters?
eulog(?:y|ies)|slide ?(?:decks?|shows?)|memos?|testimonials?|melod(?:y|ies)
(?<!water )(?<!water-)slides(?= (?:on|about|for (?:my|our|class|school)))
monologues?|verses?|lullab(?:y|ies)|anthems?|abstracts?|(?:lab|term|school|history|research) papers?
papers?(?=\s*(?:on|about|due|for (?:my|our|school|class|college|uni\w*))\b)|teasers?|trailers?
(?:(?:lab|school|expense|police|status|progress|annual) )?reports?(?! cards?)
\d+ words(?= on(?! the way)| about)
repl(?:y|ies)|contracts?|invoices?|powerpoints?|posters?|flyers?|tattoos?|memes?|playlists?
translations?
""")  # fmt: skip
_MAKES = (
    r"write|compose|draft|generate|create|make|tell|give|sing|need|want|build|design|prepare"
    r"|produce|invent|craft|drop|pen|print|draw up|set up|work out|finish|improve|polish|edit"
    r"|check|correct|(?:i|we) (?:need|want)"
    r"|i'd like|i would like|do|send"
)
_NO_LEAVE = r"(?!(?:[\w'-]+ ){0,2}?(?:break|escape|holiday|rest|days?|weeks?|weekend|time off)\b)"
"""Not "a break from e-mails"."""
_MADE = re.compile(
    rf"{POLITE}(?:{_MAKES})\s+(?:me |us |up |for me |for us |out )*"
    rf"(?:an? |one |the |some |my |our |this |two |three |\d+ )?{_NO_LEAVE}"
    rf"(?:[\w'-]+ ){{0,3}}?{_WORK}\b(?!\s+(?:tour|walk|trail|trip|about (?:the )?(?:trip|plan)))",
    re.IGNORECASE,
)
"""Something to be made: "write me a short poem"."""
_FORMS = either(r"""
jingles?|intros?(?! to)|outros?|voice-?overs?|voicemail greetings?|captions?|scripts?|bios?
eulog(?:y|ies)|slide ?(?:decks?|shows?)|powerpoints?|newsletters?|essays?|poems?|limericks?|haikus?
toasts?|speech(?:es)?|press releases?|blog ?posts?|tweets?|cover letters?|term papers?|book reports?
(?:lab|school|research|history) (?:papers?|reports?)
(?:papers?|reports?)(?= (?:on|about))
sonnets?|slogans?|taglines?|lyrics|monologues?|obituar(?:y|ies)
(?<!water )(?<!water-)slides(?= (?:on|about|for (?:my|our|class|school)))
""")  # fmt: skip
"""What is written, spoken or recorded, and no part of a journey."""
_COUNTED = re.compile(
    r"\b\d[\d,.]*[- ]words? (?:(?:on|about)(?! the way)|essays?|articles?|papers?|reports?|texts?"
    r"|stor(?:y|ies)|pieces?)\b",
    re.IGNORECASE,
)
"""So many words on something: "800 words on the causes of a war"."""
_WRITTEN = re.compile(
    r"\b(?:please|kindly|(?:can|could|would|will) you|you to|you must) (?:please |just )?"
    r"(?:write|compose|draft|record|script|pen|type|ghost-?write) (?:it|this|that|one|them)"
    r"(?=\s*(?:[.,;:!?]|$)|\s+(?:for (?:me|us|him|her)|please|by|now|today|tonight)\b)",
    re.IGNORECASE,
)
"""A thing just named that is to be written: "please write it"."""
_WANTED = re.compile(
    r"\b(?:needs?|wants?|require[sd]?|looking for|would like|['’]d like|could use|missing"
    r"|lack(?:s|ing)?"
    r"|(?:have|has|need|got|must|supposed) (?:to )?(?:turn in|hand in|submit|deliver|give|present"
    r"|write|record|compose|finish|prepare|hold|read))\s+(?:me |us )?"
    rf"(?:an? |some |my |our |the |her |his |\d+ )?{_NO_LEAVE}(?:[\w'-]+ ){{0,3}}?{_FORMS}\b"
    r"(?! (?:competition|contest|winner|writer|workshop|class|course|night|slam|reading))",
    re.IGNORECASE,
)
"""What somebody lacks, or has to hand in: "my video needs a voice-over"."""
_NAMED = re.compile(
    rf"{POLITE}(?:an? |one |the |some |my |\d+ |two |three |ten )?(?:[\w'-]+ ){{0,3}}?{_WORK}"
    r"(?:,? (?:please|pls))?\s*"
    r"(?:\b(?:about|on|for (?:my|our|his|her|an?(?! living)|the|insta\w*|linkedin)|of the"
    r"|to (?:my|a|an|the|his|her)"
    r"|in the style|comparing|rhyming|starring|where|titled|called|with (?:the|footnotes"
    r"|quantities))\b)"
    rf"|{POLITE}(?:crossword clue|riddle|anagram|joke)s?\s*:",
    re.IGNORECASE,
)
"""The same without a verb: "limerick about a sailor"."""
_CRAFTS = either(r"""
(?:excel|google sheets?|spreadsheet|vba|latex)(?! course)|formulas? (?:for|to|that)
(?:(?:duty|work|shift|cleaning|staff|night|on-call|chore) )?(?:rosters?|rotas?)
(?:duty|shift|cleaning|chore|staff) (?:schedules?|plans?)|(?:seating|table) plans?|packing lists?
(?:gift|present|costume|fancy dress|birthday present) (?:ideas?|suggestions?)
(?:best man'?s?|wedding|farewell|birthday|retirement|acceptance|after-dinner) (?:speech|toast|vows)
vows|eulog(?:y|ies)|horoscopes?|star signs?|interview questions|excuses? (?:for|to)|report cards?
job descriptions?|knitting patterns?|multiple[- ]choice
""")
_CRAFTED = re.compile(
    rf"{POLITE}(?:(?:{_MAKES}|suggest|recommend|find|what(?:'s| is| are| would be)|looking for|any"
    r"|ideas? for)\s+)?(?:me |us |help with )?(?:an? |the |some |any |my |our |\d+ )?"
    rf"(?:good |nice |best |simple |funny |fitting |short |weekly |monthly |fair )*{_CRAFTS}\b",
    re.IGNORECASE,
)
"""What is put together at a desk or at home: "Excel formula for a roster", "gift ideas"."""
_CHRISTENED = re.compile(
    r"\b(?:suggest|recommend|think of|come up with|pick|choose|find|need|give|looking for|want"
    r"|ideas? for|what(?:'s| is| would be| about))\b(?: (?:me|us|him|her|it))?"
    r" (?:an?|some|\d+|two|three|five|ten)(?: [\w'-]+){0,3}? (?:nick)?names?\b"
    r"(?= (?:for|with|that|starting|beginning|ideas)\b|\s*(?:[?.!,]|$))"
    r"|\b(?:what|how) (?:should|shall|could|can|do|would) (?:we|i|they|you|he|she) (?:name|call)\b"
    r"|\bhelp (?:me|us|him|her|them)? ?(?:to )?name\b|\b(?:naming|christening) (?:our|my|the|a)"
    r" (?:new )?(?:parrot|dog|cat|puppy|kitten|pet|baby|boat|band|horse|hamster|goldfish|rabbit)\b",
    re.IGNORECASE,
)
"""A name to be found for a pet, a child or a boat."""
_FRAME = re.compile(
    rf"{POLITE}(?:(?:role-?\s?play|exercise|example|sample|scenario|case(?: study)?"
    r"|training(?: case)?|practice|test(?: case)?|demo|mock|client|customer|assignment|drill"
    r"|simulation|asking for|on behalf of|for my)\b[^.:!?\n]{0,60}[:.!]\s*"
    r"|(?:role-?play|act|imagine|pretend|simulate|you are|you're)(?: as| you(?:'re| are)| to be)?"
    r" (?:an?|my|our|the) (?:[\w-]+ ){0,2}?(?:(?:travel|trip|tour|holiday)[ -]?(?:agent|planner"
    r"|guide|adviser|advisor|expert|designer|operator|consultant)|concierge|guide)\b"
    r"[^.:!?\n]{0,40}?(?:[:.!,]|\band\b|\bwho\b)\s*)",
    re.IGNORECASE,
)
"""What a wish is put into: "Role-play 1, for the trainee:", "act as a travel agent and"."""
_DONE = re.compile(
    rf"{POLITE}(?:fix|debug|refactor|compile|implement|translate|solve|calculate|compute|integrate"
    r"|differentiate|proofread|summari[sz]e|rewrite|rephrase|paraphrase|convert|define|diagnose"
    r"|notari[sz]e"
    r"|spell-?check|decode|encrypt|hack|simulate|pretend|role-?play|act as|imagine you(?:'re| are)"
    r"|impersonate"
    r"|repeat (?:the|after|this)|print (?:your|the)|reveal|rap battle|teach me|teach us)\b",
    re.IGNORECASE,
)
"""What is done to something that is no journey."""
_ORDERS = re.compile(
    r"\b(?:ignore|forget|disregard|override|cancel)(?: \w+){0,3} (?:instructions?|rules|prompts?"
    r"|you were"
    r" told|guidelines)\b|\b(?:system|hidden|secret|initial) prompt\b|\byou are now (?:an? "
    r"|the )?\w+bot\b"
    r"|\byou are now dan\b|\b(?:previous|prior|earlier) rules are\b|\b(?:api keys?"
    r"|admin password)\b",
    re.IGNORECASE,
)
"""Orders to be something else."""
_THINGS = either(r"""
(?:e-?)?visas?|forms?|applications?|passports?|permits?|licen[cs]es?|tax returns?|declarations?
claims?
arrival cards?|landing cards?|questionnaires?|surveys?|paperwork|certificates?|residence cards?
id cards?|insurance|complaints?|petitions?|documents?
""")
_PARCELS = either(r"""
parcels?|packages?|letters?|e-?mails?|messages?|sms|flowers|money|cards?|gifts?|presents?
postcards?|boxes
box|it today|it now|documents?|invoices?|dollars|euros|dong|pounds|luggage|suitcases?|order|food
pizzas?
""")
_CALLED = either(r"""
hotel|hostel|host|guide|driver|embassy|consulate|doctor|wife|husband|mother|mum|mom|father|boss
airline
police|taxi|cab|restaurant|bank|landlord|agency|reception|owner|ambulance|ex|girlfriend|boyfriend
teacher
""")
_SERVED = re.compile(
    rf"{POLITE}(?:(?:fill|fill in|fill out|fill up|complete|submit|lodge|file|renew|extend|apply"
    rf"|sign"
    rf"|prepare|get|arrange|sort out|obtain)\s+(?:[\w'-]+ ){{0,5}}?{_THINGS}\b(?! (?:run|free))"
    rf"|(?:send|post|mail|ship|deliver|forward|transfer|wire|track|trace|pay|order|courier|pick up"
    rf"|collect)"
    rf"\s+(?:[\w'-]+ ){{0,4}}?{_PARCELS}\b"
    rf"|(?:call|phone|ring|text|e-?mail|message|contact|warn|ask|tell)\s+(?:my |our |the |a |his "
    rf"|her )"
    rf"(?:\w+ )?{_CALLED}\b"
    r"|(?:sell|rent out|auction|insure|transfer|wire|repair|fix|clean|paint|feed|babysit|adopt)"
    r" (?:my|our|this|his|her|\d+)\b"
    r"|(?:change|move|rebook|upgrade|confirm|modify|reschedule|postpone|update|cancel|correct"
    r"|verify)"
    r" (?:my|our|the|this|his|her) (?:\w+ )?(?:flights?|bookings?|reservations?|tickets?|seats?"
    r"|address"
    r"|appointments?|password|names?|phone|account|orders?|subscription|details|profile)\b"
    r"|(?:draw|paint|sketch|illustrate|animate|photoshop) (?:me |us )?(?:an? |the |my )(?!line\b)"
    r"|buy (?:me |us )?(?:\d+|an?|the|some|my) "
    r"|order (?:me |us )?(?:an? |the |one |two |three |some |\d+ )|(?:call|order|get) (?:me "
    r"|us )?(?:a |an )"
    r"(?:taxi|cab|uber|grab|ambulance)\b"
    r"|(?:charge|debit) (?:my|this)|wake (?:me|us) up|remind (?:me|us)|set (?:an alarm|a timer"
    r"|a reminder)"
    r"|check (?:me|us) in\b|log (?:me|us) in\b|reset my|sign (?:me|us) up)",
    re.IGNORECASE,
)
"""A service: a form to fill in, a parcel to send, somebody to call."""
_NEEDED = re.compile(
    r"\b(?:i need|we need|need|find (?:me|us)|get (?:me|us)|hire|looking for|recommend|want"
    r"|seeking)"
    r" (?:an? |the |some )?(?:\w+ ){0,2}?(?:jobs?|lawyer|attorney|plumber|electrician|accountant"
    r"|notary"
    r"|dentist|nanny|babysitter|tutor|developer|cleaner|maid|flatmate|roommate|investors?|mechanic"
    r"|job (?:teaching|in)|internship|work permit|surgeon|therapist|apartment to (?:rent|buy)"
    r"|flat to rent"
    r"|office space|girlfriend|boyfriend|husband|wife|loan|mortgage)\b"
    r"|\b(?:broke down|won't start|does not start|doesn't start|stopped working|is leaking"
    r"|is broken"
    r"|flat tyre|flat tire|crashed my|stole my|got stolen|was stolen|what (?:spare )?part do)\b"
    r"|\b(?:mg|milligrams?) (?:of|should|do|can|i)\b|\bantibiotics?\b|\bprescri(?:be|ption)\b"
    r"|\b(?:tax office|tax return|business expense|work permit|birth certificate|security deposit"
    r"|my deposit"
    r"|court case|custody|alimony|visa (?:form|application)|due tomorrow|account number|iban)\b"
    r"|\bcrossword\b|\bname (?:for|ideas for) (?:my|our|a|an)\b",
    re.IGNORECASE,
)
"""What somebody is in need of that no journey gives."""
_FEAST_AT_HOME = re.compile(
    rf"{POLITE}(?:plan|organi[sz]e|arrange|prepare|cater)\s+(?:[\w']+ ){{0,4}}?(?:party|wedding"
    rf"|funeral|dinner"
    r"|barbecue|meeting|conference|baby shower|reunion)\b[^.!?]*\bat (?:our|my"
    r"|the) (?:\w+ )?(?:house|home"
    r"|flat|apartment|garden|office|school)\b",
    re.IGNORECASE,
)
_CHATS = re.compile(
    r"\bhow (?:was|is|are|were) (?:you|your)\b|\bhow's (?:it going|life|your)\b|\bwhat'?s up\b"
    r"|\b(?:are|were) you (?:human|real|a (?:bot|robot|machine|person)|an ai|sentient|single"
    r"|there)\b"
    r"|\bwho (?:are|made|built) you\b|\bdo you (?:love|like|dream|sleep|speak|feel|believe)\b"
    r"|^\W*(?:i'm|i am|we're|we are|feeling)(?: \w+)? (?:bored|lonely|sad|tired|hungry|happy|drunk"
    r"|sorry"
    r"|angry|in love)\W*$",
    re.IGNORECASE,
)
"""Small talk."""
_DRAWN_UP = re.compile(
    r"\b(?:make|write|draw up|build|create|set up|work out|fill(?: in)?) (?:me |us )?(?:an? |the "
    r"|our |my )?(?:\w+ ){0,2}?(?:rosters?|rotas?|timesheets?|seating plans?)\b",
    re.IGNORECASE,
)
"""The same behind another sentence: "night shifts: make a roster"."""
_TASKS = (_COUNTED, _DRAWN_UP, _MADE, _NAMED, _DONE, _ORDERS, _CRAFTED, _CHRISTENED)
"""What makes a text a task, however long somebody speaks of."""
_SENTENCES = re.compile(r"(?<=[.!?\n])\s+|\n+|;\s+")


def is_small_talk(text: str) -> bool:
    """Whether a text only greets, or asks after the one who reads it."""
    return _CHATS.search(text) is not None


def unframed(text: str) -> str:
    """A text without what it is put into: "Exercise 3: five days in Hue" without the exercise."""
    frame = _FRAME.search(text)
    return text[frame.end() :] if frame and text[frame.end() :].strip() else text


def is_task(text: str, *, length: bool) -> bool:
    """Whether a text is a task; one that says how long a trip is may do so with other words."""
    if any(form.search(text) for form in _TASKS):
        return True
    if length:
        return False
    if any(form.search(text) for form in (_NEEDED, _WANTED, _WRITTEN, _FEAST_AT_HOME)):
        return True
    return any(
        form.search(one)
        for one in _SENTENCES.split(text)
        for form in (_SERVED, _MADE, _NAMED, _DONE)
    )

"""A question's kind is read from what it names and what it asks for."""

import pytest

from consilience.pack import Reading
from consilience.packs.chess.questions import read_question
from consilience.packs.chess.routing import FOLLOWS, intent, route

OPENING = """
main line of the Najdorf
B90 games
what does White play against the Caro-Kann?
best response to 3...a6
Show me the main line of the Marshall Attack
How should Black meet the Evans Gambit?
Who was Morphy's opponent in the Opera Game?
How did Capablanca beat Tartakower in New York 1924?
Petrosian–Pachman, Bled 1961
What happens after 1.e4 e5 2.Nf3 Nc6 3.Bc4 Nf6 4.Ng5?
Is the Latvian Gambit sound?
Which line does Black choose against the Yugoslav Attack?
How do I play against the London System as Black?
What should I play against 1.d4?
Games in the Winawer with 7.Qg4
What are the traps in the Englund Gambit?
e4 e5 Nf3 Nc6 Bb5 a6
rnbqkbnr/pp1ppppp/8/2p5/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2
Find games with the Exchange Variation of the Slav
What is Black's best reply to the Scotch Gambit?
What are the moves of the Fried Liver Attack?
How does the Benko Gambit begin?
Which move order reaches the Maroczy Bind?
Kasparov vs Topalov, Wijk aan Zee 1999
Who won the game between Anderssen and Kieseritzky known as the Immortal Game?
How does Black decline the Queen's Gambit?
E97 theory
Which fifth move defines the Sveshnikov?
How does White answer 2...Nf6 in the Petroff?
Are there games with 6.Bg5 in the Najdorf?
Can Black take the pawn in the Smith-Morra?
g1f3 d7d5 c2c4
What is the refutation of the Damiano Defence?
Classical Dutch repertoire
In which game did Fischer sacrifice his queen against Byrne?
Which games feature the Poisoned Pawn Najdorf?
What does theory recommend for Black after 1.e4 c5 2.Nf3 Nc6 3.Bb5?
In the Ruy Lopez Exchange, how does Black recapture on c6?
What are White's options on move six against the Najdorf?
Is 4.Ng5 playable in the Two Knights?
how to beat the scandinavian
King's Gambit accepted, Kieseritzky line
After 1.d4 d5 2.c4 dxc4, what are White's main third moves?
What is the standard sequence in the Classical Caro-Kann after 4...Bf5?
Which player won the 1972 game with the Alekhine Defence?
Give me annotated games in the Catalan
What did Fischer play against Spassky in game 6 of 1972?
Show the Opera Game
Which line of the Sicilian starts with 2.c3?
Does Black have a good reply to 3.e5 in the Caro-Kann?
how do you play the vienna gambit
D37 main continuation
What's the move order for the Accelerated Dragon?
Position after 1.e4 e5 2.f4 exf4 3.Nf3 g5
What does Black do about the threat on f7 in the Two Knights Defense?
Has anyone played 5...h5 in the Grünfeld?
1. c4 e5 2. Nc3 Nf6 3. g3
Which games reached the Berlin endgame?
What are the sidelines against the French?
How did Tal beat Botvinnik in game six of their 1960 match?
Can you recommend a line for White against the Pirc?
What is White's sharpest try versus the Semi-Slav?
Queen's Indian: 4.g3 Ba6 or 4...Bb7?
Rubinstein's Immortal: how did the game end?
What is the Botvinnik Variation of the Semi-Slav?
What is the Halloween Gambit?
Who plays the Trompowsky and how should Black react to 2.Bg5?
Wie spielt man gegen 1.e4 e5 2.Sf3 Sc6 3.Lb5?
Nimzo-Indian Rubinstein, 4.e3 O-O 5.Bd3
What is the theory on the Mar del Plata?
Which games show Black winning with the Benoni?
""".strip().splitlines()
CONCEPT = """
how do I exploit an isolated queen's pawn?
What is zugzwang?
How do I win with king and pawn against king?
Explain the Lucena position
What makes a bishop bad?
When should I trade queens?
How do I use the minority attack?
What is prophylaxis in chess?
How to defend a rook endgame a pawn down?
What is the opposition?
How do you mate with bishop and knight?
Why are rooks strong on the seventh rank?
What is a fork in chess?
What is the principle of two weaknesses?
Why are doubled pawns weak?
How do I attack the castled king?
When does the Greek gift sacrifice Bxh7+ work?
What is the value of the bishop pair?
How do I calculate variations better?
What is an outpost and how do I use one on d5?
Should I push my passed pawn or blockade first?
Why is the centre important in the opening?
How can I avoid time trouble?
How do knights compare with bishops in closed positions?
What does overprotection mean?
What is a zwischenzug?
How do I recognise a mating net?
opposite-coloured bishops in the middlegame
What is the Philidor position?
What is the difference between a pin and a skewer?
Which side benefits from hanging pawns?
When is an exchange sacrifice justified?
What did Steinitz teach about weaknesses?
what is triangulation?
How should I use my king in the endgame?
What is the best opening for beginners?
Why should I castle early?
How do I convert an extra pawn in a rook ending?
What's a good way to study endgames?
How can a knight be better than a bishop?
What should I do when I have more space?
Where should rooks be placed?
Is it better to have two bishops or two knights?
How do I create a passed pawn?
When should the king become active?
What are the typical mistakes in pawn endings?
Tell me about backward pawns
What is meant by a weak colour complex?
How do I stop my opponent's attack?
Which pieces should I exchange when I am ahead in material?
What is the square rule?
Explain the difference between a good and a bad bishop
How to play with hanging pawns
Does the side with the isolated pawn want to trade pieces?
What is a rook lift?
How do you hold rook against rook and bishop?
What is the seventh rank good for?
Why do masters talk about restraint before blockade?
How many tempi do I need to lose to triangulate?
What did Nimzowitsch mean by prophylaxis?
Smothered mate pattern
How do I punish early queen moves?
How do I find a plan in a quiet position?
What is the fifty-move rule?
In a pawn race, how do I count?
How did Capablanca treat endgames?
When is a knight on the rim dim?
What is interference in tactics?
What signals that a combination exists?
Is doubling rooks on an open file useful?
What should I think about on my opponent's time?
how to stop blundering
""".strip().splitlines()
MIXED = """
plan against the isolated pawn after 12…Nd5
typical plans in the King's Indian
why is ...c5 important in the French?
What is the idea behind the Berlin Defence?
What is White's plan in the Exchange Caro-Kann?
Why does Black give up a pawn in the Benko Gambit, with games?
What pawn structure arises from the Exchange QGD?
How does White exploit the weak d5 square in the Sveshnikov?
Explain the strategy after 1.d4 Nf6 2.c4 e6 3.Nc3 Bb4
How does the minority attack work in the Queen's Gambit Declined Exchange?
Compare the Najdorf and the Dragon
Why does White play 6.Bg5 in the Najdorf?
What is the purpose of 5...a6 in B90?
Model games with an isolated queen's pawn
What compensation does White get in the Evans Gambit?
Why did Petrosian sacrifice the exchange against Reshevsky at Zurich 1953?
What are the strategic ideas of the Stonewall Dutch?
In the Advance French, why does Black attack d4?
Bad bishop in the French: how to solve it?
How does Black create counterplay in the Modern Benoni?
Which weaknesses does the Hedgehog have?
When should Black play ...d5 in the Scheveningen?
King safety in the Yugoslav Attack
What is the point of 9.Ne1 in the King's Indian?
What is Black trying to achieve with ...b5 in the Najdorf?
Why is the Berlin endgame considered so solid?
Which pawn breaks does Black rely on in the King's Indian, and which games show them?
How should White handle the isolated queen's pawn that arises from the Tarrasch Defence?
What is the strategic point of 4.f3 against the Nimzo-Indian?
Explain the minority attack with an example from the Exchange Queen's Gambit
What are the long-term plans for both sides in the Maroczy Bind?
Who benefits from the opposite-side castling in the Yugoslav Attack and why?
What is the idea of 3...a6 in the Spanish?
The bad French bishop: how does Black solve it in the Rubinstein?
Which squares become weak after ...g6 in the Dragon?
Good knight versus bad bishop in the French Winawer
Why does Black accept doubled pawns after 1.e4 c6 2.d4 d5 3.Nc3 dxe4 4.Nxe4 Nf6 5.Nxf6+?
Which plan should White follow after 12.Rb1 in the KID?
What does White get for the sacrificed pawn in the Göring Gambit?
How do outposts on d5 matter in the Sveshnikov?
Explain the purpose of the move 7...Nc6 in the Mar del Plata
Stonewall Dutch: what about the hole on e5?
How does prophylaxis show in Petrosian's games in the Queen's Indian?
Typical exchange sacrifice on c3 in the Sicilian: when does it work?
Is the queenside majority in the Exchange Lopez really an advantage in the endgame?
Main ideas and main lines of the Catalan
Why did Kasparov choose 4.Nxe5 against the Petroff?
After 1.e4 e6 2.d4 d5 3.e5 c5, what is the logic of attacking the base of the chain?
""".strip().splitlines()
NEITHER = """
What is the capital of France?
How do I bake sourdough bread?
vitamin B12 deficiency symptoms
Who was the queen of England in 1600?
Why is the sky blue?
How tall is the Eiffel Tower?
What is the best plan for a holiday in Italy?
Who won the war between the English and the Dutch?
How do I file my taxes?
What time does the museum open?
Explain photosynthesis
Which French wine goes with fish?
Who wrote Hamlet?
How do I fix a flat tyre?
What is the exchange rate of the dollar?
Best pizza in Naples
How do computers store data?
What is the strategy of the company?
What's the weather in Paris?
How many moons does Jupiter have?
Who is the president of Russia?
Recommend a novel by Tolstoy
What is the boiling point of water?
How do I learn Spanish?
When did the Berlin Wall fall?
How do I cook Scotch eggs?
History of the London Underground
What is machine learning?
""".strip().splitlines()

KINDS = {"opening": OPENING, "concept": CONCEPT, "mixed": MIXED}
ALL = [(question, kind) for kind, questions in KINDS.items() for question in questions]


def of(question):
    rule = route(Reading(text=question))
    return rule.intent if rule else None


@pytest.mark.parametrize(("question", "kind"), ALL)
def test_questions_of_players_are_of_their_kind(question, kind):
    assert of(question) == kind, read_question(question)


@pytest.mark.parametrize("question", NEITHER)
def test_words_that_are_no_chess_are_of_no_kind(question):
    assert not read_question(question).chess
    assert of(question) == ("concept" if read_question(question).why else "none")


def test_games_keep_their_voice_where_an_opening_is_named():
    assert not route(Reading(text="the Najdorf with 6.Bg5")).damps
    assert route(Reading(text="the opposition")).damps


def test_moves_alone_are_looked_up_before_they_are_read():
    bare, named = (
        route(Reading(text=text)) for text in ("1.e4 c5 2.Nf3 d6", "the Sicilian with 2.Nf3 d6")
    )
    assert bare.weights == FOLLOWS["exact"].weights
    assert named.weights == FOLLOWS["opening"].weights


def test_spelling_does_not_matter():
    for question, kind in ALL:
        assert of(f"  {question} ") == kind
        assert of(question.replace("'", "’")) == kind, question


def test_a_rule_says_what_fired():
    rule = route(Reading(text="typical plans in the Najdorf"))
    assert rule.name == "an opening (Najdorf) and words of explanation (plans)"
    rule = route(Reading(text="What should White do after 1.e4 c5 2 Nf3 d6?"))
    assert rule.name == "moves (1.e4 c5 2.Nf3 d6)"
    rule = route(Reading(text="B90-B99: explain 1.e4 c5 2.Nf3, and what of 30.Qh7?"))
    assert rule.name == (
        "moves (1.e4 c5 2.Nf3), an ECO code (B90–B99), a move (30.Qh7) "
        "and words of explanation (explain)"
    )
    rule = route(Reading(text="plan against the isolated pawn after 12…Nd5"))
    assert rule.name == (
        "a move (12...Nd5), words of explanation (plan) and a theme (isolated pawn)"
    )


def test_what_follows_favours_the_side_that_answers():
    opening, concept, mixed = (FOLLOWS[kind] for kind in ("opening", "concept", "mixed"))
    assert opening.shares["games"] > 1
    assert "books" not in opening.shares
    assert concept.shares["books"] > 1
    assert "games" not in concept.shares
    assert not mixed.shares
    assert set(opening.cover) == {"game"}
    assert set(concept.cover) == {"book"}
    assert set(mixed.cover) == {"game", "book"}
    for kind, questions in KINDS.items():
        for question in questions[:3]:
            rule = route(Reading(text=question))
            if read_question(question).bare:
                continue
            assert (rule.cover, rule.shares) == (FOLLOWS[kind].cover, FOLLOWS[kind].shares)
            assert (rule.weights, rule.depths) == (FOLLOWS[kind].weights, FOLLOWS[kind].depths)
            assert rule.fires(Reading(text=question))
            assert rule.fires(Reading(text="Why is the sky blue?")) == (kind == "concept")


def test_how_asks_for_moves_where_an_opening_is_named_and_for_reasons_where_none_is():
    assert of("How do I play against the London System?") == "opening"
    assert of("How do I play against an isolated pawn?") == "concept"
    assert of("How do I play against the isolated pawn in the Panov Attack?") == "mixed"


def test_players_without_a_game_name_no_game():
    assert of("What did Capablanca think of rook endings?") == "concept"
    assert of("How did Capablanca beat Tartakower?") == "opening"
    assert of("Why did Capablanca beat Tartakower?") == "mixed"


def test_an_empty_question_is_of_no_kind():
    assert of("") is None
    assert intent(read_question("?!")) is None


def test_reasons_for_moves_that_are_given_are_answered_by_what_has_the_moves():
    assert route(Reading(text="After 1.e4 e5 2.Qh5, which reply is best and why?")).emphasis == (
        "lines"
    )
    assert route(Reading(text="Why ...a6 in the Najdorf?")).emphasis == "ideas"

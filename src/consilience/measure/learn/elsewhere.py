"""Which questions teach a calibration what nothing looks like? Those of other subjects.

A golden set seldom has questions without an answer, and a calibration that never saw one finds
everything likely. So these are asked too: learned subjects of all sorts, other questions than
those of the control `off_topic`, which must stay unseen to be worth anything.
"""

from __future__ import annotations

ELSEWHERE: tuple[str, ...] = (
    "Which treaty ended the Thirty Years' War?",
    "What is the boiling point of liquid nitrogen?",
    "How does a suspension bridge carry its load?",
    "Who composed the Brandenburg Concertos?",
    "What does habeas corpus mean in common law?",
    "How do glaciers carve a fjord?",
    "When did the Ming dynasty move its capital to Beijing?",
    "What distinguishes a sonnet from a villanelle?",
    "How is the price of a zero-coupon bond computed?",
    "Which enzymes cut DNA at palindromic sites?",
    "What causes the northern lights?",
    "How does a jet engine's turbofan produce thrust?",
    "Who painted the ceiling of the Sistine Chapel?",
    "What is the grammatical gender of nouns in Swahili?",
    "How do bats find insects in the dark?",
    "Which king issued the Edict of Nantes?",
    "What is the half-life of carbon-14?",
    "How are diamonds graded by clarity?",
    "What did the Council of Trent decide about indulgences?",
    "How does a refrigerator move heat out of its box?",
    "Which muscles does a rower use in the drive phase?",
    "What is the tonnage of a Panamax container ship?",
    "How did the Phoenicians make purple dye?",
    "What are the symptoms of altitude sickness?",
    "How does a parliament pass a vote of no confidence?",
    "Which alphabet did Saints Cyril and Methodius devise?",
    "How deep is the Mariana Trench?",
    "What is a Byzantine fault in a distributed system?",
    "How do silkworms spin their cocoons?",
    "What is the role of the chorus in Greek tragedy?",
)
"""Questions that few corpora answer many of."""

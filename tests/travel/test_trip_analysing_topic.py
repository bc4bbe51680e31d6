"""Is a text a wish for a trip? Questions, tasks and nonsense are none; ordinary wishes are."""

import pytest
from wishes_shared import read

OTHER = [
    "",
    "   ",
    "???",
    "asdf qwer zxcv",
    "What is the GDP of France?",
    "write me a poem",
    "fix my python code",
    "how do I bake bread",
    "Write a poem about a trip to Lindow",
    "Translate 'good morning' into Spanish",
    "Solve x^2 = 4",
    "Who won the world cup?",
    "tell me a joke",
    "give me a recipe for bread",
    "a 5-day workout plan",
    "Explain photosynthesis",
    "my laptop does not start",
    "How tall is Mount Everest?",
    "draft an email to my boss",
    "what is 2 + 2",
    "debug this function for me",
    "lorem ipsum dolor sit amet",
    "Should I buy bitcoin?",
    "meal plan for a week",
    "why is the sky blue",
    "my cat is 3 years old and ill",
    "Hi there! How are you today? 🙂",
    "my css grid breaks on safari, how do i fix it??",
    "The hotel in Lindow was dirty, I want my money back",
]
QUESTIONS = [
    "is Lindow worth it?",
    "How long is the train from Port Aurel to Lindow?",
    "When is the best time to visit Lindow?",
    "What is Lindow known for?",
    "tell me about Sandmouth",
    "Is 3 days enough for Lindow?",
    "How many days do I need in Lindow?",
    "Which beaches are best for families?",
    "Is it safe to travel alone in Velmora?",
    "compare Lindow and Sandmouth",
    "Where can I eat in Lindow?",
    "what does the ferry to the Isle of Wren cost",
    "Do I need a visa for Velmora?",
    "best restaurants in Lindow",
    "How do I get from Lindow to Sandmouth?",
    "Are there museums in Brackwell?",
]
WISHES = [
    "Is this doable: land in Lindow on 6 March, two nights in Sandmouth, out on the 12th?",
    "A romantic four-day trip, good food, no hiking, mid-range.",
    "Lindow",
    "four days",
    "beach and food",
    "Can you plan a week in Velmora?",
    "Could you put together five days of food and history for us?",
    "Where should we go for a week in October with kids?",
    "What can we do in 3 days in Lindow?",
    "How should I spend four days in Port Aurel?",
    "Any ideas for a long weekend by the sea?",
    "I need a holiday",
    "we'd love to get away for a few days",
    "Plan my honeymoon",
    "I want to relax by the sea",
    "Take us somewhere warm for ten days in February",
    "family trip next summer, two kids, not too expensive",
    "Show us the best of Velmora in ten days",
    "looking for an adventure: rafting, caves, hiking",
    "5 days, 300 euros",
    "history buff here, got a week",
    "Solo female traveller, 2 weeks, slow pace, yoga and beaches",
    "Itinerary for Lindow and Sandmouth please",
    "city break with good museums and bars",
    "my parents turn 60 and we want to treat them to a week of good food",
    "surprise me with 3 days of art",
    "What would be a good 5-day itinerary for foodies?",
    "Is it possible to see Lindow and Sandmouth in 4 days?",
    "we are two couples who like wine, four days",
    "birthday trip for my wife, 3 nights, luxury",
    "7 days. Beaches. No museums. 1000 euros.",
    "Food tour of the Hills, 4 days",
    "Paris for a week",
    "Help me plan a trip for my family",
    "quiet week, lots of nature, vegetarian food",
    "hi! we're 4 friends and would like to hike for 6 days in May, cheap hostels are fine",
]


@pytest.mark.parametrize("text", OTHER)
def test_what_is_no_wish_is_off_topic(text):
    assert read(text).off_topic


@pytest.mark.parametrize("text", QUESTIONS)
def test_a_question_is_to_be_asked_as_one(text):
    assert "consilience ask" in read(text).off_topic


@pytest.mark.parametrize("text", WISHES)
def test_a_wish_is_one(text):
    assert read(text).off_topic == ""

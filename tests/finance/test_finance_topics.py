"""What must evidence speak of to answer a question? Its things, and not how it is asked."""

import pytest
from test_finance_routing import reading

from consilience.packs.finance.routing import topics


def names(text):
    return [one.names[0] for one in topics(reading(text))]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("What was Acme's customer churn in 2024?", ["Acme", "churn", "2024"]),
        ("Who is the chief financial officer of Acme?", ["chief", "officer", "Acme"]),
        ("Why did deliveries in Spain collapse?", ["deliveries", "Spain"]),
        ("How does Umber define like-for-like growth?", ["Umber", "like-for-like"]),
        ("Over how many years does Acme depreciate kilns?", ["Acme", "kilns"]),
        ("When will sprinklers be installed at Sines?", ["sprinklers", "Sines"]),
        ("What went wrong in Spain?", ["Spain"]),
        ("How do Acme and Umber define net debt?", ["net debt"]),
    ],
)
def test_topics_are_things_and_neither_verbs_nor_words_of_asking(text, wanted):
    assert names(text) == wanted


def test_the_company_and_the_one_year_must_be_spoken_of():
    found = {
        one.names[0]: one for one in topics(reading("What were Acme's Scope 3 emissions in 2024?"))
    }
    assert found["Acme"].must
    assert found["2024"].must
    assert found["Acme"].names == ("Acme", "Acme Materials")
    assert not found["emissions"].must


def test_a_measure_is_known_by_its_names_in_the_reports():
    found = topics(reading("Why did capex rise?"))
    assert [one.names for one in found] == [("capex", "Capital expenditure")]

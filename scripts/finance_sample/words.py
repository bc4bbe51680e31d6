"""How do the reports name things? In English as each group says it, and in German."""

from __future__ import annotations

LONG = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September",
    "October", "November", "December",
)  # fmt: skip
GERMAN = (
    "Januar", "Februar", "März", "April", "Mai", "Juni", "Juli", "August", "September",
    "Oktober", "November", "Dezember",
)  # fmt: skip

_ENGLISH = {
    "Change on": "Change on",
    "budget %": "budget %",
    "last year %": "last year %",
    "EBIT": "Operating profit (EBIT)",
    "EBITDA margin %": "EBITDA margin (%)",
    "by country and division": "{} by country and division",
    "EBITDA and margin by country": "EBITDA and EBITDA margin by country and division",
    "Volumes and prices": "Sales volumes and average prices",
    "continued": " (continued)",
    "Months of the year": "Revenue and EBITDA by month, {}",
    "Actual of": "Actual {}",
    "Forecast of": "Forecast {}",
    "Headcount by country": "Headcount at month end by country",
    "Total": "Total {}",
    "Sum": "Total",
    "Sum last year": "Total last year",
    "Group total": "Group total",
    "Corporate": "Corporate and eliminations",
    "pp": "pp",
}
_VELDMARK = _ENGLISH | {
    "in money": "US$ million",
    "people": "employees",
    "people long": "employees",
    "EBITDA margin": "EBITDA margin",
    "note ebitda": "¹ EBITDA before restructuring costs; see Definitions.",
    "note fcf": "² Operating cash flow less capital expenditure. There is no monthly cash budget.",
    "Corporate": "Corporate",
}
_TESSENHOF = _ENGLISH | {
    "in money": "in € thousands",
    "€k": "€k",
    "people": "FTE",
    "people long": "full-time equivalents (FTE)",
    "Last year": "PY",
    "budget %": "∆ % Bud.",
    "last year %": "∆ % PY",
    "Revenue": "Net sales",
    "Headcount": "Employees",
    "Key figures of the group": "Group key figures at a glance",
    "Months of the year": "Net sales and EBITDA by month, {}",
    "Sales volume (t)": "Sales volume (t)",
    "note ebitda": "PY = prior year; Bud. = budget. ∆ of percentages in percentage points (pp).",
    "note fcf": "* Not budgeted by month.",
    "Net profit": "Net income",
    "Sum last year": "Total PY",
}
_DEUTSCH = _TESSENHOF | {
    "in money": "in T€",
    "€k": "T€",
    "people": "VZÄ",
    "people long": "in Vollzeitäquivalenten (VZÄ)",
    "Unit": "Einheit",
    "Actual": "Ist",
    "Budget": "Plan",
    "Last year": "Vorjahr",
    "budget %": "∆ % Plan",
    "last year %": "∆ % VJ",
    "Revenue": "Umsatzerlöse",
    "EBITDA margin": "EBITDA-Marge",
    "EBITDA margin %": "EBITDA-Marge (%)",
    "EBIT": "Betriebsergebnis (EBIT)",
    "Operating profit (EBIT)": "Betriebsergebnis (EBIT)",
    "Net profit": "Periodenergebnis",
    "Capital expenditure": "Investitionen",
    "Free cash flow": "Freier Cashflow",
    "Net debt": "Nettoverschuldung",
    "Headcount": "Beschäftigte",
    "Key figures of the group": "Kennzahlen des Konzerns auf einen Blick",
    "note ebitda": "VJ = Vorjahr. ∆ von Prozentwerten in Prozentpunkten (PP).",
    "note fcf": "* Nicht monatlich geplant.",
    "pp": "PP",
    "by country and division": "{} nach Ländern und Sparten",
    "EBITDA and margin by country": "EBITDA und EBITDA-Marge nach Ländern und Sparten",
    "Volumes and prices": "Absatz und Durchschnittspreise",
    "Sales volume (t)": "Absatz (t)",
    "Average price (€/t)": "Durchschnittspreis (€/t)",
    "Country / division": "Land / Sparte",
    "By division": "Nach Sparten",
    "Total": "Summe {}",
    "Sum": "Summe",
    "Sum last year": "Summe Vorjahr",
    "of which": "davon",
    "Group total": "Konzern",
    "Corporate": "Zentrale und Konsolidierung",
    "Income statement": "Gewinn- und Verlustrechnung",
    "Raw materials and packaging": "Rohstoffe und Verpackung",
    "Energy": "Energie",
    "Logistics": "Logistik",
    "Personnel expenses": "Personalaufwand",
    "Marketing": "Marketing",
    "Other operating expenses": "Sonstige betriebliche Aufwendungen",
    "Depreciation and amortisation": "Abschreibungen",
    "Net finance costs": "Finanzergebnis",
    "Profit before tax": "Ergebnis vor Steuern",
    "Income tax": "Ertragsteuern",
    "Cash flow statement": "Kapitalflussrechnung",
    "Change in working capital": "Veränderung des Working Capital",
    "Income tax paid": "Gezahlte Ertragsteuern",
    "Interest paid": "Gezahlte Zinsen",
    "Cash flow from operating activities": "Cashflow aus laufender Geschäftstätigkeit",
    "Dividends paid": "Gezahlte Dividende",
    "Change in borrowings": "Veränderung der Finanzschulden",
    "Change in cash": "Veränderung der Zahlungsmittel",
    "Net debt at start of period": "Nettoverschuldung am Anfang der Periode",
    "Net debt at end of period": "Nettoverschuldung am Ende der Periode",
    "Balance sheet": "Bilanz",
    "As at": "Stand",
    "Property, plant and equipment": "Sachanlagen",
    "Other non-current assets": "Sonstige langfristige Vermögenswerte",
    "Non-current assets": "Langfristige Vermögenswerte",
    "Inventories": "Vorräte",
    "Trade receivables": "Forderungen aus Lieferungen und Leistungen",
    "Cash and cash equivalents": "Zahlungsmittel",
    "Current assets": "Kurzfristige Vermögenswerte",
    "Total assets": "Summe Aktiva",
    "Equity": "Eigenkapital",
    "Borrowings": "Finanzschulden",
    "Provisions": "Rückstellungen",
    "Trade payables": "Verbindlichkeiten aus Lieferungen und Leistungen",
    "Total liabilities": "Summe Schulden",
    "Total equity and liabilities": "Summe Passiva",
    "Months of the year": "Umsatzerlöse und EBITDA nach Monaten {}",
    "Actual of": "Ist {}",
    "Forecast of": "Prognose {}",
    "Full year": "Gesamtjahr",
    "Headcount by country": "Beschäftigte am Monatsende nach Ländern",
    "Dairy": "Molkerei",
    "Bakery": "Backwaren",
    "Frozen": "Tiefkühlkost",
    "Drinks": "Getränke",
    "Germany": "Deutschland",
    "Austria": "Österreich",
    "Netherlands": "Niederlande",
    "Belgium": "Belgien",
    "Denmark": "Dänemark",
    "Czechia": "Tschechien",
    "Italy": "Italien",
}


class Words:
    """The words of one report; a name that is not listed is printed as it is."""

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self._said = {"veldmark": _VELDMARK, "tessenhof": _TESSENHOF, "deutsch": _DEUTSCH}[kind]
        self._months = GERMAN if kind == "deutsch" else LONG

    def __call__(self, name: str) -> str:
        """The word for a thing."""
        return self._said.get(name, name)

    def month(self, key: str) -> str:
        """A month with its year."""
        return f"{self._months[int(key[5:7]) - 1]} {key[:4]}"

    def short(self, month: int) -> str:
        """A month in three letters."""
        return self._months[month - 1][:3]

    def ytd(self, key: str) -> str:
        """The year up to a month."""
        year, month = key[:4], int(key[-2:])
        if self.kind == "veldmark":
            return f"Year to date {self._months[month - 1]} {year}"
        if self.kind == "tessenhof":
            return f"YTD Jan–{self.short(month)} {year}"
        return f"kumuliert Januar–{self._months[month - 1]} {year}"

    def day(self, key: str) -> str:
        """A day: 31 August 2025, or 31.08.2025."""
        year, month, day = key.split("-")
        if self.kind == "deutsch":
            return f"{day}.{month}.{year}"
        if self.kind == "tessenhof":
            return f"{day} {LONG[int(month) - 1][:3]} {year}"
        return f"{int(day)} {LONG[int(month) - 1]} {year}"

"""What are the reports of the `finance` sample made of? Figures, texts, tables and pages."""

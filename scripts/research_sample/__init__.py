"""What is the sample of `research` made of? Texts, set as PDF, Markdown, HTML and TeX."""

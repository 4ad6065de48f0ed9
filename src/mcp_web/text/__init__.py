"""Pure functions over text that every layer may use: words, Markdown, URLs, dates."""

"""The library in and out: JSON lines, a Markdown folder, BibTeX, CSL-JSON, WARC."""

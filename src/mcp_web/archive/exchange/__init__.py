"""Export and import of the archive: JSON lines, a Markdown folder, BibTeX, CSL-JSON, WARC."""

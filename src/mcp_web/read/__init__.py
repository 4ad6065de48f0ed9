"""Selects and shows parts of a document: windows, sections, passages, links, quotes. Pure: no input or output."""

"""HTML to Document: parse once, choose the content, write Markdown."""

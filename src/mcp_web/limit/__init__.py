"""Shared pace: how fast an outside service may be asked, and doing the same work only once."""

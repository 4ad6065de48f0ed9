"""Adapters to embedding models: static, local, cross-language, remote, none."""

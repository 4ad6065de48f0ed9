"""The door to embedding models: local, remote, none."""

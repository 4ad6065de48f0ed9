"""The web interface: what the server is, how to connect, what it keeps."""

"""The page for people: what the server is, how to connect, what it keeps."""

"""What the bundle starts: mcp-web on stdin and stdout."""

from mcp_web.__main__ import main

main()

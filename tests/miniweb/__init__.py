"""A small real web on loopback, for every component's tests. See README.md beside this file."""

from miniweb.server import Reply, Request, Wire
from miniweb.site import Site
from miniweb.web import MiniWeb

__all__ = ["MiniWeb", "Reply", "Request", "Site", "Wire"]

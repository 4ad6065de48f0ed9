"""The door to processes: runs a pure function on hostile bytes where it can be ended."""

"""Worker processes: run a pure function on untrusted bytes in a process that can be killed."""

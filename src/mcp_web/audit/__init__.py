"""The audit log: who called which tool, without the arguments and the results."""

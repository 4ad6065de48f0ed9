"""The audit log: who called what, without what was asked or answered."""

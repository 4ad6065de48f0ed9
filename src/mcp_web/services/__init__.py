"""The operations of the application, one async function per file: each only orders the steps."""

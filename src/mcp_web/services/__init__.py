"""The verbs: one async function per file, the order of the steps and nothing else."""

"""What the application can do, one async function per file: the order of the steps and nothing else."""

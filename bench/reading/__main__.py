"""`python -m bench reading`."""

from __future__ import annotations

import anyio

from bench.reading import quality, speed


def main() -> None:
    quality.main()
    anyio.run(speed.main)


if __name__ == "__main__":
    main()

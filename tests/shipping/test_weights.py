"""A package of our own with the model's weights: built by the script, found before the other one."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_weights_from_our_own_package_are_found_first(tmp_path: Path) -> None:
    subprocess.run([sys.executable, ROOT / "scripts" / "weights.py", tmp_path], check=True)
    (wheel,) = tmp_path.glob("mcp_web_weights-*.whl")
    with zipfile.ZipFile(wheel) as packed:
        packed.extractall(tmp_path / "site")
    code = "import sys; sys.path.insert(0, sys.argv[1]); from mcp_web.embed import granite; print(granite.find())"
    found = subprocess.run([sys.executable, "-c", code, tmp_path / "site"], capture_output=True, text=True, check=True)
    assert Path(found.stdout.strip()).parent == tmp_path / "site" / "mcp_web_weights"


def test_another_file_does_not_become_a_package(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"not these weights")
    command = [sys.executable, ROOT / "scripts" / "weights.py", tmp_path, tmp_path / "file"]
    refused = subprocess.run(command, capture_output=True, text=True, check=False)
    assert refused.returncode != 0
    assert "hash" in refused.stderr
    assert not list(tmp_path.glob("*.whl"))

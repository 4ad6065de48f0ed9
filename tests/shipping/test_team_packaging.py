"""The ways to run a team's server: what the files name exists, and probes and limits are what the server has."""

from __future__ import annotations

import configparser
import os
import re
import stat
from pathlib import Path
from typing import Any

import pytest
import yaml

from mcp_web.settings import load
from mcp_web.tools.options import ToolOptions

PACKAGING = Path(__file__).parents[2] / "packaging"
KNOWN = {name for row in load(environ={}).rows for name in row.variables}
DEADLINE = load(environ={}).of(ToolOptions).deadline


def compose() -> dict[str, Any]:
    found = yaml.safe_load((PACKAGING / "compose.team.yaml").read_text())
    assert isinstance(found, dict)
    return found


def objects() -> dict[str, Any]:
    found = yaml.safe_load_all((PACKAGING / "kubernetes" / "mcp-web.yaml").read_text())
    return {one["kind"]: one for one in found}


@pytest.mark.parametrize("name", ["mcp-web-1", "mcp-web-2"])
def test_both_replicas_share_database_and_redis(name: str) -> None:
    services = compose()["services"]
    server = services[name]
    assert set(server["environment"]) <= KNOWN
    assert "--team" in server["command"]
    assert "ports" not in server, "only the proxy is reached from outside"
    assert set(server["depends_on"]) <= set(services)
    for other in server["depends_on"]:
        assert "healthcheck" in services[other]
    seconds = int(server["stop_grace_period"].removesuffix("s"))
    assert seconds > DEADLINE + 2, "running calls are finished"


def test_the_compose_file_mounts_what_exists_and_defines_its_volumes() -> None:
    whole = compose()
    for service in whole["services"].values():
        for mount in service.get("volumes", []):
            source = mount.split(":")[0]
            assert (PACKAGING / source).exists() if source.startswith(".") else source in whole["volumes"]
    script = PACKAGING / "postgres" / "create-database.sh"
    assert stat.S_IMODE(os.stat(script).st_mode) & 0o111
    text = script.read_text()
    assert "SUPERUSER" not in text
    assert "CREATE EXTENSION vector" in text


def test_the_proxy_asks_for_readiness_and_passes_streams_on() -> None:
    text = (PACKAGING / "caddy" / "Caddyfile").read_text()
    assert "health_uri /readyz" in text
    assert "flush_interval -1" in text
    assert set(re.findall(r"(mcp-web-\d):8765", text)) == {"mcp-web-1", "mcp-web-2"}


def test_the_container_has_the_extras_that_the_team_s_settings_need() -> None:
    given = compose()["services"]["mcp-web-1"]["build"]["args"]
    assert all(f"ARG {name}=" in (PACKAGING / "Containerfile").read_text() for name in given)
    pinned = (PACKAGING.parent / given["CONSTRAINTS"]).read_text()
    for package in ("redis", "psycopg", "joserfc", "opentelemetry-sdk"):
        assert re.search(rf"^{package}(\[.*\])?==", pinned, re.M), package


def test_kubernetes_probes_the_server_s_own_paths_and_scales_it() -> None:
    found = objects()
    pod = found["Deployment"]["spec"]["template"]["spec"]
    (container,) = pod["containers"]
    assert container["livenessProbe"]["httpGet"]["path"] == "/healthz"
    assert container["readinessProbe"]["httpGet"]["path"] == "/readyz"
    assert pod["terminationGracePeriodSeconds"] > DEADLINE + 2
    assert pod["securityContext"]["runAsNonRoot"] is True
    assert container["securityContext"]["readOnlyRootFilesystem"] is True
    assert {*found["ConfigMap"]["data"], *found["Secret"]["stringData"]} <= KNOWN
    scaler = found["HorizontalPodAutoscaler"]["spec"]
    assert scaler["minReplicas"] >= 2
    assert scaler["scaleTargetRef"]["name"] == found["Deployment"]["metadata"]["name"]
    labels = found["Deployment"]["spec"]["template"]["metadata"]["labels"]
    assert found["Service"]["spec"]["selector"] == labels
    assert found["PodDisruptionBudget"]["spec"]["selector"]["matchLabels"] == labels


def test_the_systemd_unit_starts_the_team_s_server_and_lets_it_finish() -> None:
    unit = configparser.ConfigParser(strict=False, interpolation=None)
    unit.optionxform = str  # type: ignore[assignment,method-assign]
    unit.read(PACKAGING / "mcp-web.service")
    service = unit["Service"]
    assert service["ExecStart"].endswith("mcp-web serve --team")
    assert int(service["TimeoutStopSec"]) > DEADLINE + 2
    assert service["DynamicUser"] == "yes"
    assert service["StateDirectory"] in service["Environment"]

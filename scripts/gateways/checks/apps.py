"""Sample apps of the app kit, to which a gateway is the one address there is."""

import os
import subprocess

from app_kit.samples import SAMPLES, match

from .. import ports
from ..nginx import Nginx
from ..plain import way_to
from ..waiting import require

# What documents and devices need: changes, conflicts, a stream, a call that is refused.
APPS = ("smart-home", "journal")


def _run(stage, gateway, label):
    # URLSession on Linux trusts the authorities of the system alone.
    with way_to(gateway.port, stage.certificate) as port:
        for name in APPS:
            run = subprocess.run(
                [stage.root / ".build/app-kit/samples/debug" / name], capture_output=True, text=True, timeout=60,
                env=os.environ | {"GATEHOUSE": f"http://localhost:{port}", "SAMPLE_DATA": str(stage.folder / f"apps-{label}")})
            require(run.returncode == 0, f"{name} ended with {run.returncode}:\n{run.stdout}{run.stderr}")
            match(name, run.stdout.splitlines(), SAMPLES[name])


def through_envoy(stage):
    """Apps with the kit work through Envoy."""
    _run(stage, stage.envoy, "envoy")


def through_nginx(stage):
    """Apps with the kit work through nginx."""
    # That of the stage has no EntitlementService behind it.
    [port] = ports.free(1)
    nginx = Nginx(stage, "apps-nginx", port, stage.applications[0].port, ports={})
    try:
        _run(stage, nginx, "nginx")
    finally:
        nginx.stop()

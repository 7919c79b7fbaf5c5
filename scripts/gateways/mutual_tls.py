"""The services and Envoy with deploy/mutual-tls.patch: every connection between them is mutual TLS."""

import shutil
import subprocess

from . import ports, services
from .calls import Calls
from .client import Client
from .envoy import Envoy
from .people import People


class MutualTLS(People):
    """Beside a stage, of which it has the programs and the front door's certificate."""

    def __init__(self, stage):
        super().__init__()
        self.root, self.envoy_program = stage.root, stage.envoy_program
        self.certificate, self.key, self.page_origin = stage.certificate, stage.key, stage.page_origin
        self.folder = stage.folder / "mutual-tls"
        self.folder.mkdir()
        self.deploy = self.folder / "deploy"
        shutil.copytree(self.root / "deploy", self.deploy)
        subprocess.run(
            ["patch", "--silent", "--fuzz=0", "-p1", "-d", self.deploy, "-i", self.root / "deploy/mutual-tls.patch"],
            check=True)
        found = ports.free(7)
        self._envoy_ports = found[3:]
        self.services = services.Services(stage.programs, self.root, self.deploy, self.folder, found[:3], [])
        self._make_certificates()
        self.envoy = None

    def _make_certificates(self):
        for folder in ("certificates", "stranger"):
            subprocess.run([self.root / "scripts/helpers/make-certificates", self.folder / folder], check=True)
        for file in (self.folder / "certificates").iterdir():
            shutil.copy(file, self.folder / "keys")

    def open(self):
        self.services.start_all()
        self.envoy = Envoy(self, "envoy", *self._envoy_ports[:2])
        self.envoy.wait()

    def close(self):
        if self.envoy:
            self.envoy.stop()
        self.services.stop_all()

    def other_envoy(self, change):
        """The same Envoy once more, but for a change of its configuration."""
        return Envoy(self, "other-envoy", *self._envoy_ports[2:], change=change)

    def identity(self, name, authority="certificates"):
        """A certificate and its key."""
        return self.folder / authority / f"{name}.pem", self.folder / authority / f"{name}.key"

    @property
    def authority(self):
        return self.folder / "certificates/authority.pem"

    def calls(self, service, identity):
        """A connection for gRPC, to a service itself."""
        return Calls(self.authority, self.services.ports[service], identity=identity)

    def client(self, service, identity, token=None):
        """A client of REST, of a service itself."""
        return Client(self.authority, self.services.ports[service], token, identity=identity)

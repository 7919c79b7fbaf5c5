"""What all checks share: services, gateways, servers behind them, and people."""

import subprocess

from . import ports, services
from .application import Application
from .browser import Pages
from .envoy import Envoy
from .mutual_tls import MutualTLS
from .nginx import Nginx
from .people import People
from .upstream import Upstream

EXT_AUTHZ = "envoy.filters.http.ext_authz"
PER_ROUTE = "type.googleapis.com/envoy.extensions.filters.http.ext_authz.v3.ExtAuthzPerRoute"


def own_route(prefix, extensions=None):
    """A route of an installation's own, as docs/operations/gateways.md shows it."""
    route = {"match": {"prefix": prefix}, "route": {"cluster": "tenancy"}}
    if extensions:
        route["typed_per_filter_config"] = {
            EXT_AUTHZ: {"@type": PER_ROUTE, "check_settings": {"context_extensions": extensions}}}
    return route


class Stage(People):
    """`envoy` has the three services behind it. `other_envoy` has two servers of ours in place of
    TenancyService; whether a request gets to them, the real one decides. `nginx` has two in place of
    EntitlementService, of which the first is also the server of somebody's own. `console_ports` are for the gateways of
    the console's checks: Envoy's administration, Envoy, nginx."""

    def __init__(self, root, programs, envoy_program, nginx_program, folder):
        super().__init__()
        self.root = root
        self.programs = programs
        self.deploy = root / "deploy"
        self.folder = folder
        self.envoy_program = envoy_program
        self.nginx_program = nginx_program
        self.certificate, self.key = folder / "gateway.pem", folder / "gateway.key"
        self._make_certificate()
        found = ports.free(11)
        self._ports, self.console_ports = found[3:8], found[8:]
        self.services = services.Services(programs, root, self.deploy, folder, found[:3], gateway_routes=[
            {"path": "/listed/{entity}", "methods": ["GET"], "action": "portfolio.view"},
            {"path": "/pages/**", "access": "public"},
        ], console=[f"https://localhost:{port}" for port in self.console_ports[1:]])
        self._mutual_tls = None
        self.upstreams, self.applications = [], []
        self.envoy = self.other_envoy = self.nginx = None
        self.pages = Pages()

    @property
    def page_origin(self):
        """The one origin whose pages may call."""
        return self.pages.origin("localhost")

    def open(self):
        self.services.start_all()
        self.upstreams = [Upstream(), Upstream()]
        self.applications = [Application(), Application()]
        self.envoy = Envoy(self, "envoy", *self._ports[0:2])
        self.other_envoy = Envoy(
            self, "other-envoy", *self._ports[2:4],
            upstreams={"tenancy": [upstream.port for upstream in self.upstreams]},
            routes=[own_route("/own/", {"action": "portfolio.view", "path": "/own/{entity}"}),
                    own_route("/listed/"), own_route("/pages/"), own_route("/unlisted/")])
        self.nginx = Nginx(
            self, "nginx", self._ports[4], self.applications[0].port,
            ports={"entitlement": [application.port for application in self.applications]})
        for envoy in (self.envoy, self.other_envoy):
            envoy.wait()

    @property
    def mutual_tls(self):
        """The same services behind an Envoy of their own, with deploy/mutual-tls.patch."""
        if self._mutual_tls is None:
            self._mutual_tls = MutualTLS(self)
            self._mutual_tls.open()
        return self._mutual_tls

    def recover(self):
        """As after `open`, whatever a check has left behind."""
        for server in self.upstreams:
            server.recover()
        for application in self.applications:
            application.failures_left = 0
        for name in services.NAMES:
            self.services.thaw(name)
            if not self.services.is_running(name):
                self.services.start(name)
            self.services.wait(name)
        for envoy in (self.envoy, self.other_envoy):
            envoy.wait()

    def close(self):
        if self._mutual_tls:
            self._mutual_tls.close()
        for process in (self.envoy, self.other_envoy, self.nginx):
            if process:
                process.stop()
        self.services.stop_all()
        for server in [*self.upstreams, *self.applications, self.pages]:
            server.close()

    def _make_certificate(self):
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
             "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-keyout", self.key,
             "-out", self.certificate], check=True, capture_output=True)

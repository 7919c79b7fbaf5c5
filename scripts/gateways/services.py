"""The three services, started for a check with stores and keys of their own."""

import json
import os
import re
import signal
import subprocess

from . import waiting

NAMES = ("auth", "tenancy", "entitlement")
# Longer than Envoy needs for two checks, whatever else the machine does; nobody waits for its end.
DRAIN_DELAY = 30


class Services:
    """Processes by name. Their starter ends them."""

    def __init__(self, programs, root, deploy, folder, ports, gateway_routes, console=()):
        """`console` has the origins at which browsers find AuthService's console; without any there is none."""
        self.programs = programs
        self.root = root
        self.deploy = deploy
        self.folder = folder
        self.ports = dict(zip(NAMES, ports))
        self.gateway_routes = gateway_routes
        self.console = list(console)
        self.processes = {}
        subprocess.run([programs / "gatehouse", "keys", folder / "keys"], check=True, stdout=subprocess.DEVNULL)
        for name in NAMES:
            self._settings_file(name).write_text(json.dumps(self._settings(name)))

    def start_all(self):
        for name in NAMES:
            self.start(name)
        for name in NAMES:
            self.wait(name)

    def start(self, name, environment=None):
        """`environment` has other settings."""
        with open(self.log_file(name), "ab") as log:
            self.processes[name] = subprocess.Popen(
                [self.programs / f"{name}-service", "--config", self._settings_file(name)],
                stdout=log, stderr=log, env=os.environ | (environment or {}))

    def wait(self, name):
        """Until it answers that it is ready."""
        def answers():
            waiting.require(self.processes[name].poll() is None, f"{name} ended; {self.log_file(name).read_text()}")
            return subprocess.run(
                [self.programs / f"{name}-service", "probe", "--config", self._settings_file(name)],
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0
        waiting.until(f"{name} is ready", answers)

    def freeze(self, name):
        """It no longer answers, but its connections stay."""
        self.processes[name].send_signal(signal.SIGSTOP)

    def thaw(self, name):
        self.processes[name].send_signal(signal.SIGCONT)

    def drain(self, name):
        self.processes[name].send_signal(signal.SIGTERM)

    def kill(self, name):
        self.processes[name].kill()
        self.processes[name].wait()

    def is_running(self, name):
        return self.processes[name].poll() is None

    def grant_super_admin(self, user):
        subprocess.run(
            [self.programs / "auth-service", "grant-super-admin", user, "--config", self._settings_file("auth")],
            check=True, stdout=subprocess.DEVNULL)

    def log_file(self, name):
        return self.folder / f"{name}.log"

    def stop_all(self):
        for process in self.processes.values():
            process.send_signal(signal.SIGCONT)
            process.kill()
            process.wait()

    def _settings_file(self, name):
        return self.folder / f"{name}.json"

    def _settings(self, name):
        """NAME.json of `deploy`: paths and addresses are others, and what a check needs is added."""
        text = (self.deploy / f"{name}.json").read_text()
        for pattern, place in [
            (r"/var/lib/gatehouse/", f"{self.folder}/"),
            (r"/etc/gatehouse/policy\.json", str(self.root / "policies/smart-home.json")),
            (r"/etc/gatehouse/catalog\.json", str(self.root / "tiers/default.json")),
            (r"/etc/gatehouse/|/run/secrets/", f"{self.folder}/keys/"),
            (r"0\.0\.0\.0:74\d\d", f"127.0.0.1:{self.ports[name]}"),
        ]:
            text = re.sub(pattern, place, text)
        for other in NAMES:
            # Their certificates name this host by its name.
            text = re.sub(rf"(tcp|tls)://{other}:74\d\d", rf"\1://localhost:{self.ports[other]}", text)
        settings = json.loads(text) | {"admin": False, "drain_delay": DRAIN_DELAY}
        if name == "tenancy":
            settings["gateway_routes"] = self.gateway_routes
        if name == "auth" and self.console:
            # As docs/guides/console.md shows it.
            settings["console"] = {"address": self.console[0]}
            settings["passkeys"] = {"relying_party_id": "localhost", "origins": self.console}
        return settings

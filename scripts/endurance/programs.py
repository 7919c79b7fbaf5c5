"""The programs of the three services, with settings of the run's own, which can be killed, stopped and started again."""

import json
import os
import pathlib
import signal
import subprocess
import time

SERVICES = ("auth", "tenancy", "entitlement")
ROOT = pathlib.Path(__file__).resolve().parents[2]


class Program:
    """One program of a service: `tenancy-2`."""

    def __init__(self, fleet, service, number):
        self.fleet, self.service, self.name = fleet, service, f"{service}-{number}"
        self.port, self.admin = fleet.take_port(), fleet.take_port()
        self.process = None

    @property
    def log(self):
        return self.fleet.folder / f"{self.name}.log"

    @property
    def settings(self):
        return self.fleet.folder / f"{self.name}.json"

    def start(self):
        with open(self.log, "ab") as log:
            clocks = self.fleet.clocks
            self.process = subprocess.Popen(
                [self.fleet.programs / f"{self.service}-service", "--config", self.settings], stdout=log, stderr=log,
                env=os.environ | (clocks.environment(self.name) if clocks else {}))

    def is_ready(self):
        return self.process.poll() is None and subprocess.run(
            [self.fleet.programs / f"{self.service}-service", "probe", "--config", self.settings],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0

    def wait(self, seconds=60):
        """Until it is ready; starts it again if it has ended, as a supervisor would. How often it did."""
        deadline, starts = time.monotonic() + seconds, 0
        while not self.is_ready():
            if time.monotonic() > deadline:
                raise TimeoutError(f"{self.name} is not ready after {seconds:.0f} s; see {self.log}")
            if self.process.poll() is not None:
                time.sleep(0.3)
                self.start()
                starts += 1
            time.sleep(0.1)
        return starts

    def kill(self):
        self.process.kill()
        self.process.wait()

    def end(self, seconds):
        """Ends it as an update does; its exit code."""
        self.process.terminate()
        return self.process.wait(seconds)

    def stop(self):
        self.process.send_signal(signal.SIGSTOP)

    def go_on(self):
        self.process.send_signal(signal.SIGCONT)

    def memory(self):
        """The memory that it has in use, in MiB (RSS); 0 if it does not run."""
        try:
            text = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        except OSError:
            return 0
        return next((int(line.split()[1]) // 1024 for line in text.splitlines() if line.startswith("VmRSS")), 0)


class Fleet:
    """All programs of an installation. `stores` gives the setting of a program's store, `clocks` their wall clocks."""

    def __init__(self, programs, folder, count, stores, extra=None, first_port=21_000, clocks=None):
        self.programs, self.folder = pathlib.Path(programs), folder
        self._next_port, self.clocks = first_port, clocks
        self.by_service = {
            service: [Program(self, service, number + 1) for number in range(count)] for service in SERVICES}
        self.all = [one for programs in self.by_service.values() for one in programs]
        subprocess.run([self.programs / "gatehouse", "keys", folder / "keys"], check=True, stdout=subprocess.DEVNULL)
        for one in self.all:
            one.settings.write_text(json.dumps(self._settings(one) | stores(one) | (extra or {}).get(one.service, {})))

    @property
    def ports(self):
        """As `calls.Installation` takes them."""
        return {service: {one.name: one.port for one in programs} for service, programs in self.by_service.items()}

    def named(self, name):
        return next(one for one in self.all if one.name == name)

    def take_port(self):
        self._next_port += 1
        return self._next_port

    def start(self):
        for one in self.all:
            one.start()
            # The first of a service makes its store, before the others look at it.
            if one.name.endswith("-1"):
                one.wait()
        for one in self.all:
            one.wait()

    def close(self):
        for one in self.all:
            if one.process and one.process.poll() is None:
                one.go_on()
                one.kill()

    def grant_super_admin(self, user):
        subprocess.run([self.programs / "auth-service", "grant-super-admin", user, "--config",
                        self.by_service["auth"][0].settings], check=True, stdout=subprocess.DEVNULL)

    def _settings(self, program):
        keys, service = self.folder / "keys", program.service
        others = [other for other in SERVICES if other != service]
        own = {
            # Sign-ins are many, and not what is looked at.
            "auth": {"secrets": str(keys / "auth.secrets.json"), "password_hash": {"memory_kib": 8, "passes": 1},
                     "source_limits": {"account_sign_ins": 1_000_000},
                     "mail": {"spool": str(self.folder / f"{program.name}.mail")}, "access_token_seconds": 900},
            "tenancy": {"policy": str(ROOT / "policies")},
            "entitlement": {"catalog": str(ROOT / "tiers/default.json"), "apple": {"bundle_id": "com.example.app"}},
        }[service]
        if service == "auth":
            (self.folder / f"{program.name}.mail").mkdir()
        return own | {
            "listen": [f"127.0.0.1:{program.port}"], "admin": f"127.0.0.1:{program.admin}",
            "peers": {other: "tcp://" + ",".join(f"127.0.0.1:{one.port}" for one in self.by_service[other])
                      for other in others},
            "service_keys": {"private_key": str(keys / f"{service}.private.pem"),
                             "trusted": {other: str(keys / f"{other}.public.pem") for other in others}},
        }


def programs_argument(parser):
    parser.add_argument("--programs", required=True, help="folder with the built programs")


def nice():
    """Clients are to be served, not to compete with the services for the processors."""
    os.nice(2)

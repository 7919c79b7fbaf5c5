"""The three services as processes, with stores and keys of their own."""

import json
import os
import random
import re
import resource
import socket
import subprocess
import time
import urllib.request
from pathlib import Path

from . import hashing, peers, processes

SERVICES = ("auth", "tenancy", "entitlement")
POLICY = peers.REPOSITORY / "policies/smart-home.json"
CATALOG = peers.REPOSITORY / "tiers/default.json"


def free_port():
    """One that no connection gets by itself before a program listens there (ip(7), ip_local_port_range)."""
    while True:
        port = random.randrange(10_000, 32_000)
        with socket.socket() as taken:
            try:
                taken.bind(("127.0.0.1", port))
                return port
            except OSError:
                pass


def is_ready(address, seconds=1):
    """Whether the admin port says that its service is ready; OSError when it says nothing."""
    with socket.create_connection(address, timeout=seconds) as probe:
        probe.sendall(b"GET /readyz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        return b" 200 " in probe.recv(200).split(b"\r\n")[0]


def service_of(name):
    """The service that a program is one of."""
    return name.partition("-")[0]


class Suite:
    """The three services in a folder of their own, on ports that were free.

    A folder that a suite was in before is used again, with what is in its stores. Programs are known by name: "auth"
    is the first of AuthService, "auth-2" the second.
    """

    def __init__(self, programs, folder, settings=None, loops=2, core=None, cores=None,
                 descriptors=None, tls=None, log_budget=1 << 20, servers=None, counts=None):
        """`settings` are added to those of the services that it names; `core` pins all programs,
        `cores` those that it names; each may have so many descriptors open; `tls` is a folder with
        `server.pem` and `server.key`, which all show and believe. A few users
        measure what thousands do, so each may leave `log_budget` MiB of log. `servers` has the addresses
        of stores on PostgreSQL, by service or program, and `counts` how many programs a service
        has, if there are several."""
        self.programs = Path(programs)
        self.folder = Path(folder)
        self.servers = servers or {}
        self.names = [service if number == 1 else f"{service}-{number}"
                      for service in SERVICES for number in range(1, (counts or {}).get(service, 1) + 1)]
        self.cores = cores or ({} if core is None else {name: core for name in self.names})
        self.extra = settings or {}
        self.loops = loops
        self.descriptors = descriptors
        self.tls = tls
        self.log_budget = log_budget
        self.running = {}

    def program(self, name):
        return str(self.programs / name)

    def __enter__(self):
        try:
            self.start_all()
        except BaseException:
            self.__exit__()
            raise
        return self

    def start_all(self):
        keys = self.folder / "keys"
        if not keys.exists():
            subprocess.run([self.program("gatehouse"), "keys", str(keys)], check=True,
                           capture_output=True)
        self.ports = {name: free_port() for name in self.names}
        scheme = "tls" if self.tls else "tcp"
        self.targets = {name: f"{scheme}://127.0.0.1:{port}" for name, port in self.ports.items()}
        self.admins = {name: ("127.0.0.1", free_port()) for name in self.names}
        peers = {service: f"{scheme}://" + ",".join(f"127.0.0.1:{self.ports[name]}" for name in self.names_of(service))
                 for service in SERVICES}
        own = {
            "auth": {"secrets": str(keys / "auth.secrets.json")},
            "tenancy": {"policy": str(POLICY)},
            "entitlement": {"catalog": str(CATALOG),
                            "apple": {"bundle_id": "com.unifiedsmarthome.app", "apple_id": 1}},
        }
        self.started = {}
        for name in self.names:
            service = service_of(name)
            server = self.servers.get(name, self.servers.get(service))
            store = {"store": server} if server else {"database": str(self.store(service))}
            settings = {
                "listen": [f"127.0.0.1:{self.ports[name]}"],
                "admin": f"127.0.0.1:{self.admins[name][1]}",
                "loops": self.loops, **store,
                "log": {"level": "warning"}, "log_budget_mib": self.log_budget,
                "peers": {other: peers[other] for other in SERVICES if other != service},
                "service_keys": {
                    "private_key": str(keys / f"{service}.private.pem"),
                    "trusted": {other: str(keys / f"{other}.public.pem")
                                for other in SERVICES if other != service}},
                **own[service], **self.extra.get(service, {}),
            }
            if server and service == "auth":
                # A service whose store is a file has it beside the file.
                settings.setdefault("mail", {"spool": str(self.folder / f"{name}.mail")})
            if self.tls:
                settings["tls"] = {"certificate": str(self.tls / "server.pem"),
                                   "key": str(self.tls / "server.key")}
            if service == "tenancy":
                del settings["peers"]["entitlement"]
            path = self.folder / f"{name}.json"
            path.write_text(json.dumps(settings))
            self.started[name] = self.start(name)

    def names_of(self, service):
        """The programs of a service."""
        return [name for name in self.names if service_of(name) == service]

    def command(self, name):
        """What starts a program, without its arguments."""
        pinned = ["taskset", "-c", str(self.cores[name])] if name in self.cores else []
        return [*pinned, self.program(f"{service_of(name)}-service")]

    def start(self, name):
        """Starts a service; returns the seconds until its probe for readiness says yes."""
        began = time.monotonic()
        with open(self.log(name), "a") as log:
            process = subprocess.Popen(
                [*self.command(name), "--config", str(self.folder / f"{name}.json")],
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=log,
                env={**os.environ, "SSL_CERT_FILE": str(self.tls / "server.pem")} if self.tls else None,
                preexec_fn=self.limit_descriptors if self.descriptors else None)
        processes._running.add(process)
        self.running[name] = process
        while time.monotonic() - began < 120:
            if process.poll() is not None:
                raise RuntimeError(self.log(name).read_text()[-600:])
            try:
                if is_ready(self.admins[name]):
                    return time.monotonic() - began
            except OSError:
                pass
            time.sleep(0.002)
        raise RuntimeError(f"{name} is not ready after 120 s")

    def limit_descriptors(self):
        resource.setrlimit(resource.RLIMIT_NOFILE, (self.descriptors, self.descriptors))

    def log(self, name):
        return self.folder / f"{name}.log"

    def store(self, name):
        return self.folder / f"{name}.db"

    def resident_bytes(self, name, field="VmRSS"):
        """Memory in use; `VmHWM` is the most that it was (proc_pid_status(5)).

        0 for a process that has ended and was not waited for.
        """
        with open(f"/proc/{self.running[name].pid}/status") as status:
            found = re.search(rf"{field}:\s+(\d+) kB", status.read())
            return int(found.group(1)) * 1024 if found else 0

    def metric(self, name, metric):
        """The value of a metric without labels that a service shows."""
        host, port = self.admins[name]
        with urllib.request.urlopen(f"http://{host}:{port}/metrics", timeout=10) as answer:
            return float(re.search(rf"^{metric} (\S+)$", answer.read().decode(), re.MULTILINE).group(1))

    def client(self, *arguments, token=None):
        words = [self.program("gatehouse"), "--session", str(self.folder / "session.json")]
        for name in SERVICES:
            words += ["--target", f"{name}={self.targets[name]}"]
        done = subprocess.run([*words, *arguments], capture_output=True, text=True, timeout=60,
                              env={**os.environ, "GATEHOUSE_PASSWORD": hashing.PASSWORD,
                                   **({"GATEHOUSE_TOKEN": token} if token else {})})
        if done.returncode != 0:
            raise RuntimeError(f"gatehouse {' '.join(arguments)}: {done.stderr.strip()}")
        return done.stdout

    def __exit__(self, *_):
        for process in self.running.values():
            processes.end(process)

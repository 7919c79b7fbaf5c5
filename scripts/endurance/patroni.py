"""Two servers of PostgreSQL that Patroni manages, with an etcd, and faults after which it joins them again."""

import json
import os
import pathlib
import shutil
import signal
import subprocess
import threading
import time
import urllib.request

from .etcd import Etcd
from .postgres import Servers, Switch
from .probe import Probe

# The shortest times that Patroni's manual allows, in seconds: how long the leader's key counts, how often it is
# renewed, and how long etcd is tried.
TTL, LOOP_WAIT, RETRY_TIMEOUT = 20, 1, 3
SCOPE = "gatehouse"
# The state in /proc/net/tcp.
LISTENS = "0A"
# By the third API of etcd older ones take back a leader's key that has run out, although the other server has it by
# then, and what that has acknowledged is lost.
SAFE_WITH_API_3 = (3, 0, 3)


class Patroni(Servers):
    """A leader and a standby, which change places; which is which Patroni decides.

    Not strict: of two servers the one that is left goes on alone, and Patroni notes before that the other one may not
    take over (`synchronous_mode_strict` would have every write wait until a lost machine is back).
    """

    # With how often each happens beside the others.
    FAULTS = {"machine": 3, "crash": 2, "unfenced": 3, "switchover": 3, "etcd": 2}
    FAULTS_ARE_LONG = True
    MAY_BE_RELIEVED = True
    # How long Patroni may take for two servers that are together again, with a new copy of one.
    SECONDS_MAX = 120

    def __init__(self, folder, ports, schemas, first_port, is_synchronous, has_failsafe):
        """`first_port` is the first of four that etcd and Patroni listen on."""
        if not shutil.which("patroni"):
            raise SystemExit("no Patroni; run scripts/setup --patroni")
        super().__init__(folder, ports)
        self.is_synchronous, self.has_failsafe, self._api = is_synchronous, has_failsafe, _etcd_api()
        self._apis = dict(zip(ports, (first_port, first_port + 1)))
        self._keepers = {}
        self._over, self._watch = threading.Event(), None
        self.etcd = Etcd(folder.parent, first_port + 2, first_port + 3)
        try:
            self._make(schemas)
        except BaseException:
            self.close()
            raise

    def _make(self, schemas):
        for number, port in enumerate(self.ports):
            self._settings(port).write_text(json.dumps(self._configuration(port)))
            self._settings(port).chmod(0o644)
            self._start(port)
            self._wait_until_whole(self.ports[:number + 1])
        self._as_superuser("CREATE ROLE gatehouse LOGIN; GRANT CREATE ON DATABASE postgres TO gatehouse")
        for schema in schemas:
            self.query(f"CREATE SCHEMA {schema}")
        self.probe = Probe({port: [self.programs / "psql", *self._client(port, "postgres")] for port in self.ports})

    @property
    def port(self):
        """Where the leader is, as etcd has it."""
        return self._leader(self._members())

    def watch(self, tell):
        """From now on `tell` hears of each port whether its server is there."""
        self._watch = threading.Thread(target=self._look, args=(tell,), daemon=True)
        self._watch.start()

    def fail(self, kind, rng):
        """A fault, from its beginning until both servers are together again."""
        self._wait_until_whole()
        leader = self.port
        since = time.monotonic()
        {"machine": self._lose_machine, "crash": self._crash, "unfenced": self._freeze, "switchover": self._switch_over,
         "etcd": self._lose_etcd}[kind](leader, rng)
        self._wait_until_whole()
        return Switch(kind, since, time.monotonic(), leader, self.port)

    def close(self):
        self._over.set()
        if self._watch:
            self._watch.join()
        if self.probe:
            self.probe.end()
        for keeper in self._keepers.values():
            keeper.kill()
            keeper.wait()
        super().close()
        self.etcd.kill()

    # Faults

    def _lose_machine(self, leader, rng):
        keeper = self._keepers[leader]
        self._lose(leader, keeper.pid)
        keeper.wait()
        self._wait_for_commit(self._other(leader))
        time.sleep(rng.uniform(0, 5))
        if rng.random() < 0.3:
            # Its disk is lost too.
            shutil.rmtree(self._data(leader))
        self._start(leader)

    def _crash(self, leader, rng):
        """PostgreSQL alone."""
        keeper = self._keepers[leader]
        keeper.send_signal(signal.SIGSTOP)
        self._lose(leader)
        keeper.send_signal(signal.SIGCONT)
        self._wait_for_commit(*self.ports)

    def _freeze(self, leader, rng):
        """Patroni alone, for longer than its key counts: its server goes on, and nothing fences it."""
        keeper = self._keepers[leader]
        keeper.send_signal(signal.SIGSTOP)
        try:
            self._wait_for_commit(self._other(leader))
            time.sleep(rng.uniform(2, 12))
        finally:
            keeper.send_signal(signal.SIGCONT)

    def _switch_over(self, leader, rng):
        with open(self.folder.parent / "patronictl.log", "ab") as log:
            subprocess.run(["patronictl", "-c", self._settings(leader), "switchover", SCOPE, "--leader", str(leader),
                            "--candidate", str(self._other(leader)), "--force"], check=True, stdin=subprocess.DEVNULL,
                           stdout=log, stderr=log)

    def _lose_etcd(self, leader, rng):
        self.etcd.kill()
        time.sleep(rng.uniform(10, 20))
        self.etcd.start()
        self._wait_for_commit(*self.ports)

    # What Patroni says

    def _members(self):
        """Of each server the port, with its role and its state."""
        for api in self._apis.values():
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{api}/cluster", timeout=2) as answer:
                    rows = json.load(answer)["members"]
                return {int(row["name"]): (row["role"], row["state"]) for row in rows}
            except (OSError, ValueError):
                continue
        return {}

    def _leader(self, members):
        for port, (role, _) in members.items():
            if role == "leader":
                return port
        raise RuntimeError(f"there is no leader: {members}; see {self.folder.parent}")

    def _other(self, port):
        return next(one for one in self.ports if one != port)

    def _wait_until_whole(self, ports=None):
        """Until one of the servers leads, and the other is what commits wait for."""
        ports = ports or self.ports
        standby = "sync_standby" if self.is_synchronous else "replica"
        roles = ["leader", standby][:len(ports)]
        self._wait("are not together", lambda: sorted(
            role for role, state in self._members().values() if state in ("running", "streaming")) == sorted(roles))

    def _wait_for_commit(self, *ports):
        """Until one of the servers has acknowledged a commit that it was asked for from now on."""
        since = time.monotonic()
        self._wait("acknowledge nothing", lambda: any(
            begun > since for port in ports for begun, _ in self.probe.commits[port][-1:]))

    def _wait(self, failure, is_done):
        deadline = time.monotonic() + self.SECONDS_MAX
        while not is_done():
            if time.monotonic() > deadline:
                raise RuntimeError(
                    f"after {self.SECONDS_MAX} s servers {failure}: {self._members()}; see {self.folder.parent}")
            time.sleep(0.05)

    # Processes

    def _settings(self, port):
        return self.folder.parent / f"patroni-{port}.json"

    def _start(self, port):
        owner = {"user": "postgres", "group": "postgres", "extra_groups": ()} if os.geteuid() == 0 else {}
        with open(self.folder.parent / f"patroni-{port}.log", "ab") as log:
            self._keepers[port] = subprocess.Popen(
                ["patroni", self._settings(port)], stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd="/",
                start_new_session=True, **owner)

    def _as_superuser(self, text):
        return self._run("psql", *self._client(self.port, "postgres"), "-c", text)

    def _look(self, tell):
        """Has the relay listen for the servers that listen, which a client of theirs would see."""
        here = set(self.ports)
        while not self._over.wait(0.05):
            now = {port for port in self.ports if _listens(port)}
            for port in here ^ now:
                tell(port, port in now)
            here = now

    def _configuration(self, port):
        """JSON is YAML, which Patroni reads."""
        home = self._home(port)
        return {
            "scope": SCOPE, "name": str(port), "log": {"level": "INFO"},
            "restapi": {"listen": f"127.0.0.1:{self._apis[port]}", "connect_address": f"127.0.0.1:{self._apis[port]}"},
            self._api: {"host": f"127.0.0.1:{self.etcd.port}"},
            "bootstrap": {
                "dcs": {"ttl": TTL, "loop_wait": LOOP_WAIT, "retry_timeout": RETRY_TIMEOUT,
                        "synchronous_mode": self.is_synchronous, "failsafe_mode": self.has_failsafe,
                        "postgresql": {"use_pg_rewind": True, "parameters": {
                            "max_connections": 200, "wal_keep_size": "512MB",
                            # A crash of the machine need not be survived, so nothing waits for the disk.
                            "fsync": False, "wal_retrieve_retry_interval": "200ms",
                            # Nothing of a server that is lost stays in memory.
                            "dynamic_shared_memory_type": "mmap"}}},
                "initdb": [{"auth": "trust"}, {"encoding": "UTF8"}, "no-locale"],
            },
            "postgresql": {
                "listen": f"127.0.0.1:{port}", "connect_address": f"127.0.0.1:{port}",
                "data_dir": str(self._data(port)), "bin_dir": str(self.programs), "pgpass": str(home / "pgpass"),
                "authentication": {"superuser": {"username": "postgres"}, "replication": {"username": "postgres"}},
                "parameters": {"unix_socket_directories": str(home), "logging_collector": False},
                "pg_hba": ["local all all trust", "host all all 127.0.0.1/32 trust",
                           "host replication all 127.0.0.1/32 trust"],
                # It rejoins, whatever became of it.
                "remove_data_directory_on_rewind_failure": True, "remove_data_directory_on_diverged_timelines": True,
            },
        }


def _listens(port):
    rows = pathlib.Path("/proc/net/tcp").read_text().splitlines()[1:]
    return any(row.split()[1].endswith(f":{port:04X}") and row.split()[3] == LISTENS for row in rows)


def _etcd_api():
    said = subprocess.run(["patroni", "--version"], check=True, stdout=subprocess.PIPE, text=True).stdout
    return "etcd3" if tuple(map(int, said.split()[-1].split(".")[:3])) >= SAFE_WITH_API_3 else "etcd"

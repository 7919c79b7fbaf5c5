"""Servers of PostgreSQL of the run's own: one that can crash, and a standby that can take over."""

import os
import pathlib
import pwd
import shutil
import signal
import subprocess
import time

PROGRAMS = pathlib.Path("/usr/lib/postgresql")
STANDBY = "standby"
# The class of the lock for a turn to write.
WRITING = 0x6761_7465


class Servers:
    """Servers on ports of this machine, of which the one on `port` is written to. Each has a folder with its socket."""

    # Faults of its own, with how often each happens beside the others.
    FAULTS = {}
    # Whether they last for so long that other faults go on beside them.
    FAULTS_ARE_LONG = False
    # Whether one that was relieved may answer reads from before, until a program has found the new one.
    MAY_BE_RELIEVED = False
    # What asks them for commits all the time, if anything does.
    probe = None

    def __init__(self, folder, ports):
        found = sorted(PROGRAMS.glob("*/bin"), key=lambda path: int(path.parent.name))
        if not found:
            raise SystemExit(f"no PostgreSQL in {PROGRAMS}; run scripts/setup --postgresql")
        self.programs, self.folder, self.ports = found[-1], folder, ports
        for one in (folder, *(self._home(port) for port in ports)):
            one.mkdir()
            if os.geteuid() == 0:
                owner = pwd.getpwnam("postgres")
                os.chown(one, owner.pw_uid, owner.pw_gid)

    def address(self, schema, ports):
        """The store of a service, reached by ports that lead to the servers."""
        hosts = ",".join(f"127.0.0.1:{port}" for port in ports)
        return f"postgresql://gatehouse@{hosts}/postgres?options=-csearch_path%3D{schema}"

    def query(self, text):
        """The rows of an answer as text."""
        return self._run("psql", *self._client(self.port, "gatehouse"), "-c", text)

    def expand(self, schema, table, name):
        """A migration that programs of before outlive (docs/decisions/0241): a new table and a new column.

        With the turn to write (`PostgresTurn`), in one transaction, and with the waits of a program.
        """
        self.query(
            f"SET lock_timeout = '15s'; SET search_path = {schema};"
            f" SELECT pg_advisory_xact_lock({WRITING}, CAST(CAST(oid AS bigint) AS integer)) FROM pg_namespace"
            f" WHERE nspname = '{schema}';"
            " SET lock_timeout = '2s';"
            f" CREATE TABLE {name} (id text PRIMARY KEY, text text NOT NULL);"
            f" ALTER TABLE {table} ADD COLUMN {name} text;"
            " UPDATE store_schema SET own_version = own_version + 1")

    def versions(self, schema):
        """The version of a service's tables, and the oldest one that a program must know."""
        found = self.query(f"SELECT own_version, oldest_own FROM {schema}.store_schema")
        return tuple(map(int, found.split("|")))

    def close(self):
        for port in self.ports:
            try:
                self._run("pg_ctl", "-D", self._data(port), "-m", "immediate", "-w", "stop")
            except subprocess.CalledProcessError:
                pass
        shutil.rmtree(self.folder, ignore_errors=True)

    def _home(self, port):
        return self.folder / str(port)

    def _data(self, port):
        return self._home(port) / "data"

    def _client(self, port, user):
        """What psql is called with."""
        return "-X", "-q", "-A", "-t", "-h", self._home(port), "-p", str(port), "-U", user, "-d", "postgres"

    def _lose(self, port, *others):
        """Ends all processes of a server, and others of its machine, as a machine does that loses its power.

        They stop first: a backend that outlives the first process by a moment shows commits that the standby lacks.
        """
        # The seventh line has the key and the number of a piece of shared memory.
        memory = (self._data(port) / "postmaster.pid").read_text().splitlines()[6].split()[1]
        _signal(others, signal.SIGSTOP)
        own = self._processes(port)
        everything, first = [*others, *own], own[0]
        _signal(everything, signal.SIGSTOP)
        _signal(everything, signal.SIGKILL)
        while pathlib.Path(f"/proc/{first}").exists() and not _is_zombie(first):
            time.sleep(0.01)
        subprocess.run(["ipcrm", "-m", memory], check=True)
        # A process that is over and that nobody has waited for yet would still own its socket.
        for path in self._home(port).glob(".s.PGSQL.*"):
            path.unlink()

    def _processes(self, port):
        """All processes of a server; the first of them, which makes the others, is stopped."""
        first = int((self._data(port) / "postmaster.pid").read_text().split()[0])
        os.kill(first, signal.SIGSTOP)
        return [first, *map(int, pathlib.Path(f"/proc/{first}/task/{first}/children").read_text().split())]

    def end_connections(self, count):
        """Ends so many connections of programs, any of them."""
        self.query("SELECT pg_terminate_backend(pid) FROM (SELECT pid FROM pg_stat_activity"
                   f" WHERE usename = 'gatehouse' AND pid <> pg_backend_pid() ORDER BY random() LIMIT {count})"
                   " AS chosen")

    def _run(self, program, *arguments):
        as_owner = ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []
        log = self.folder.parent / "postgresql.commands"
        with open(log, "ab") as errors:
            # The server outlives pg_ctl, and must not hold a pipe of ours.
            captures = program == "psql"
            done = subprocess.run([*as_owner, self.programs / program, *arguments], check=True, cwd="/", text=True,
                                  stdout=subprocess.PIPE if captures else errors, stderr=errors, stdin=subprocess.DEVNULL)
        return done.stdout.strip() if captures else ""


class Switch:
    """A fault of servers: what it was, when it began, when all was well again, and which port led before and after."""

    def __init__(self, kind, since, until, before, after):
        self.kind, self.since, self.until, self.before, self.after = kind, since, until, before, after


class Postgres(Servers):
    """Listens on the first of its ports; with a second one there is a standby too, and they change places.

    A commit is acknowledged when the standby has it as well.
    """

    FAULTS = {"crash": 1, "promote": 2, "old primary": 1}
    # How long a standby may take to have everything, and to take over.
    SECONDS_MAX = 30
    # How long a server may take to start beside a build.
    START_SECONDS = "180"
    # After a standby took over, until every program that is not cut off has connected to it.
    FINDING_SECONDS = 1.5

    def __init__(self, folder, ports, schemas):
        super().__init__(folder, ports)
        self.port, self._tell = ports[0], None
        self._run("initdb", "-D", self._data(self.port), "-A", "trust", "-U", "gatehouse", "--no-locale", "-E", "UTF8")
        with open(self._data(self.port) / "postgresql.conf", "a", encoding="ascii") as settings:
            settings.write("include_if_exists 'run.conf'\n")
        self._start(self.port)
        for schema in schemas:
            self.query(f"CREATE SCHEMA {schema}")
        self._add_standby()

    def watch(self, tell):
        """From now on `tell` hears of a port whether its server is there."""
        self._tell = tell

    def fail(self, kind, rng):
        """A fault, from its beginning until the server writes again and has its standby."""
        before = self.port
        since = {"crash": self._crash, "promote": self._promote, "old primary": self._bring_back}[kind](rng)
        return Switch(kind, since, time.monotonic(), before, self.port)

    def _crash(self, rng):
        since = time.monotonic()
        self._run("pg_ctl", "-D", self._data(self.port), "-m", "immediate", "-w", "stop")
        time.sleep(rng.uniform(0, 1))
        self._start(self.port)
        return since

    def _promote(self, _):
        """Loses the server with its data, has the standby take over, and makes a new standby; when it was lost."""
        self._wait_for_standby()
        since = time.monotonic()
        lost, self.port = self.port, next(port for port in self.ports if port != self.port)
        self._lose(lost)
        self._tell(lost, False)
        self._take_over()
        self._replace(lost)
        return since

    def _bring_back(self, rng):
        """Has the standby take over from a server that is up again afterwards, for seconds, beside the new one.

        It takes writes and acknowledges none, since its standby has left it. Connections to the new server end all the
        time, so that programs choose again. Then the old one is lost, and a new standby made in its place.
        """
        if self.port != self.ports[0]:
            # Programs try the hosts of their address in order.
            self._promote(rng)
        self._wait_for_standby()
        since = time.monotonic()
        old, self.port = self.ports
        _signal(self._processes(old), signal.SIGSTOP)
        self._tell(old, False)
        self._take_over()
        # Programs know of the new one when they have found it.
        time.sleep(self.FINDING_SECONDS)
        _signal(self._processes(old), signal.SIGCONT)
        self._tell(old, True)
        deadline = time.monotonic() + rng.uniform(2, 5)
        while time.monotonic() < deadline:
            self.end_connections(3)
            time.sleep(0.3)
        self._lose(old)
        self._tell(old, False)
        self._replace(old)
        return since

    def _take_over(self):
        """Has the standby take over, which is the server that is written to now."""
        # Waits for no standby until there is one.
        self._set_standby("")
        if self.query("SELECT pg_promote(true)") != "t":
            raise RuntimeError("the standby does not take over")

    def _replace(self, lost):
        """Makes a new standby in the place of a server that is lost."""
        shutil.rmtree(self._data(lost))
        self._add_standby()
        self._tell(lost, True)

    def _start(self, port):
        # A crash of the machine need not be survived, so nothing waits for the disk.
        options = (f"-p {port} -k {self._home(port)} -c fsync=off -c full_page_writes=off -c max_connections=200"
                   # Nothing of a server that is lost stays in memory; a standby comes back soon after a crash.
                   " -c dynamic_shared_memory_type=mmap -c wal_retrieve_retry_interval=200ms")
        self._run("pg_ctl", "-D", self._data(port), "-l", self._home(port) / "log", "-w", "-t", self.START_SECONDS,
                  "-o", options, "start")

    def _add_standby(self):
        """A copy of the server on the other port, which follows it; commits wait for it from then on."""
        for port in self.ports:
            if port == self.port:
                continue
            source = f"host=127.0.0.1 port={self.port} user=gatehouse application_name={STANDBY}"
            self._run("pg_basebackup", "-D", self._data(port), "-d", source, "-R", "-c", "fast", "-X", "stream")
            self._start(port)
            self._set_standby(STANDBY)
            self._wait_for_standby()

    def _set_standby(self, name):
        path = self._data(self.port) / "run.conf"
        path.write_text(f"synchronous_standby_names = '{name}'\n", encoding="ascii")
        path.chmod(0o644)
        self._run("pg_ctl", "-D", self._data(self.port), "reload")

    def _wait_for_standby(self):
        """Until it has all that the server has: a crash shows what only the server has."""
        position = self.query("SELECT pg_current_wal_flush_lsn()")
        deadline = time.monotonic() + self.SECONDS_MAX
        while not self.query("SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync'"
                             f" AND flush_lsn >= '{position}'"):
            if time.monotonic() > deadline:
                raise RuntimeError(f"the standby does not follow; see {self.folder}")
            time.sleep(0.05)


def _signal(processes, number):
    for one in processes:
        try:
            os.kill(one, number)
        except ProcessLookupError:
            pass


def _is_zombie(process):
    try:
        return pathlib.Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0] == "Z"
    except OSError:
        return True

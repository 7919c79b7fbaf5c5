"""A PostgreSQL of one's own for the length of a measurement, loaded by its own pgbench, and a relay before it."""

import json
import pwd
import re
import shutil
import signal
import subprocess
from pathlib import Path
from urllib.parse import quote

from . import peers, processes

# PostgreSQL refuses to run as root; its package makes this user.
USER = "postgres"
# Transactions of each connection in a run that is taken off a longer one.
SHORT_RUN = 20


def programs():
    """The folder of its newest installed version, as Debian lays them out; None without one."""
    versions = sorted(Path("/usr/lib/postgresql").glob("*/bin/pgbench"),
                      key=lambda path: int(path.parts[-3]))
    return versions[-1].parent if versions else None


def address(folder, database):
    """A database as libpq names it, by the Unix socket in a folder."""
    return f"postgresql://{USER}@/{database}?host={quote(str(folder), safe='')}"


class Postgres:
    """A cluster in a folder, with Debian's settings: each commit waits for its fsync."""

    def __init__(self, folder, core):
        self.bin, self.folder, self.core = programs(), Path(folder), core

    def words(self, name, *arguments):
        """A command as PostgreSQL's user, who owns the cluster."""
        return ["runuser", "-u", USER, "--", str(self.bin / name), *map(str, arguments)]

    def run(self, name, *arguments, core=None, timeout=120):
        pinned = [] if core is None else ["taskset", "-c", str(core)]
        done = subprocess.run([*pinned, *self.words(name, *arguments)], capture_output=True, text=True,
                              timeout=timeout, cwd="/")
        if done.returncode != 0:
            raise RuntimeError(f"{name}: {done.stdout.strip()} {done.stderr.strip()}")
        return done.stdout

    def __enter__(self):
        self.folder.mkdir()
        shutil.chown(self.folder, USER, pwd.getpwnam(USER).pw_gid)
        # The folders above belong to anyone who measures.
        for parent in self.folder.parents[:3]:
            parent.chmod(parent.stat().st_mode | 0o011)
        self.run("initdb", "--auth=trust", "--pgdata", self.folder / "data")
        self.server = processes.start(
            self.words("postgres", "-D", self.folder / "data", "-k", self.folder, "-c",
                       "listen_addresses="), self.core, stdout=subprocess.DEVNULL,
            stderr=open(self.folder / "log", "w"), cwd="/")
        for _ in range(100):
            try:
                self.run("pg_isready", "--host", self.folder, "--timeout", 5)
                return self
            except RuntimeError:
                if self.server.poll() is not None:
                    break
        raise RuntimeError((self.folder / "log").read_text()[-600:])

    def __exit__(self, *_):
        processes.end(self.server)

    def execute(self, statements, database="postgres", timeout=120):
        """Runs statements; the rows of their answers, as text."""
        printed = self.run("psql", "--host", self.folder, "--no-psqlrc", "--quiet", "--tuples-only", "--no-align",
                           "--field-separator", "\t", "--set=ON_ERROR_STOP=1", "--command", statements, database,
                           timeout=timeout)
        return [line.split("\t") for line in printed.splitlines() if line]

    def address(self, database):
        """A database as libpq names it, by the server's Unix socket."""
        return address(self.folder, database)

    def cpu_seconds(self):
        """Processor time of the processes that are there: connections that last, and what writes for them."""
        children = subprocess.run(["ps", "-o", "pid=", "--ppid", self.main_process()], capture_output=True, text=True)
        total = 0.0
        for pid in children.stdout.split():
            try:
                total += processes.cpu_seconds(int(pid))
            except OSError:
                pass
        return total

    def main_process(self):
        return (self.folder / "data/postmaster.pid").read_text().split()[0]

    def measure(self, script, seconds, callers=64, database="postgres"):
        """What transactions of `script` by so many connections cost, for about so many seconds.

        `rate` in a second, `us` of processor time of the connections' processes, and `log_bytes`. Of the last two a
        short run comes off, as connections and plans are made in both.
        """
        def run(each):
            return self.counted(script, database, "--client", callers, "--transactions", each)

        short = run(SHORT_RUN)
        long = run(2 * SHORT_RUN + round(short["rate"] * seconds / callers))
        count = long["count"] - short["count"]
        return {"rate": long["rate"], "us": (long["cpu"] - short["cpu"]) / count * 1e6,
                "log_bytes": (long["log"] - short["log"]) / count}

    def counted(self, script, database, *limits):
        """Runs `script`; its transactions, their rate, processor time and bytes of log."""
        cpu, ((start,),) = self.backend_seconds(), self.execute("SELECT pg_current_wal_insert_lsn()")
        printed = self.pgbench(script, database, *limits)
        ((log,),) = self.execute(f"SELECT pg_current_wal_insert_lsn() - '{start}'::pg_lsn")
        count = int(re.search(r"actually processed: (\d+)", printed).group(1))
        rate = float(re.search(r"tps = ([\d.]+)", printed).group(1))
        return {"count": count, "rate": rate, "cpu": self.backend_seconds() - cpu, "log": float(log)}

    def backend_seconds(self):
        """Processor time of the connections' processes that have ended (proc_pid_stat(5), cutime and cstime)."""
        with open(f"/proc/{self.main_process()}/stat") as stat:
            fields = stat.read().rpartition(")")[2].split()
        return (int(fields[13]) + int(fields[14])) / processes.TICK

    def once(self, script, database):
        """Runs `script` as `measure` does, once."""
        self.pgbench(script, database, "--transactions", 1)

    def pgbench(self, script, database, *limits):
        path = self.folder / "script.sql"
        path.write_text(script)
        path.chmod(0o644)
        printed = self.run("pgbench", "--host", self.folder, "--no-vacuum", "--protocol=prepared", "--jobs", 1,
                           *limits, "--file", path, database, core=processes.LOAD_CORE)
        if not re.search(r"number of failed transactions: 0 ", printed):
            raise RuntimeError(f"pgbench: {printed}")
        return printed


class Relay:
    """A relay before a server, which is as far away as a round trip says, on the server's core."""

    def __init__(self, postgres, round_trip_us):
        self.postgres, self.round_trip_us = postgres, round_trip_us
        self.folder = postgres.folder.with_name("relay")

    def __enter__(self):
        self.folder.mkdir()
        socket = ".s.PGSQL.5432"
        self.process = processes.start(
            [str(peers.BIN / "relay"), "--listen", str(self.folder / socket), "--target",
             str(self.postgres.folder / socket), "--round-trip-us", str(self.round_trip_us)],
            self.postgres.core, stdout=subprocess.PIPE)
        processes.first_line(self.process, 5)
        return self

    def __exit__(self, *_):
        processes.end(self.process)

    def address(self, database):
        """A database as libpq names it, by the relay."""
        return address(self.folder, database)

    def round_trips(self):
        """Round trips of each connection that there ever was."""
        self.process.send_signal(signal.SIGUSR1)
        return json.loads(processes.first_line(self.process, 5))["round_trips"]


class RoundTrips:
    """Round trips in a `with` block: of the connection with the most, which writes, and of all others together.

    Where writes go in two lanes, the two with the most write.

    One connection of each program asks 50 times a second for what others have committed.
    """

    def __init__(self, relay):
        self.relay = relay

    def __enter__(self):
        self.before = self.relay.round_trips()
        return self

    def __exit__(self, *_):
        after = self.relay.round_trips()
        self.each = sorted((count - before for count, before in
                            zip(after, self.before + [0] * len(after))), reverse=True)

    @property
    def most(self):
        return self.each[0]

    @property
    def most_of_two(self):
        return sum(self.each[:2])

    @property
    def others(self):
        return sum(self.each[1:])

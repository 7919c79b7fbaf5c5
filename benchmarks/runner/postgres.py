"""A PostgreSQL of one's own for the length of a measurement, loaded by its own pgbench."""

import pwd
import re
import shutil
import subprocess
from pathlib import Path

from . import processes

# PostgreSQL refuses to run as root; its package makes this user.
USER = "postgres"


def programs():
    """The folder of its newest installed version, as Debian lays them out; None without one."""
    versions = sorted(Path("/usr/lib/postgresql").glob("*/bin/pgbench"),
                      key=lambda path: int(path.parts[-3]))
    return versions[-1].parent if versions else None


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

    def execute(self, statements):
        self.run("psql", "--host", self.folder, "--quiet", "--set=ON_ERROR_STOP=1",
                 "--command", statements, "postgres")

    def rate(self, script, seconds, callers=64):
        """Transactions per second of `script` by so many connections."""
        path = self.folder / "script.sql"
        path.write_text(script)
        path.chmod(0o644)
        printed = self.run("pgbench", "--host", self.folder, "--no-vacuum", "--protocol=prepared",
                           "--client", callers, "--jobs", 1, "--time", max(1, round(seconds)),
                           "--file", path, "postgres", core=processes.LOAD_CORE)
        found = re.search(r"tps = ([\d.]+)", printed)
        if not found or not re.search(r"number of failed transactions: 0 ", printed):
            raise RuntimeError(f"pgbench: {printed}")
        return float(found.group(1))

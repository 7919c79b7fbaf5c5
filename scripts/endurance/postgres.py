"""A server of PostgreSQL of the run's own, which can crash."""

import os
import pathlib
import pwd
import shutil
import subprocess

PROGRAMS = pathlib.Path("/usr/lib/postgresql")


class Postgres:
    """Has its files in a folder, and listens on a port of the loopback interface and on a socket in that folder."""

    def __init__(self, folder, port, schemas):
        found = sorted(PROGRAMS.glob("*/bin"), key=lambda path: int(path.parent.name))
        if not found:
            raise SystemExit(f"no PostgreSQL in {PROGRAMS}; run scripts/setup --postgresql")
        self.programs, self.folder, self.port = found[-1], folder, port
        folder.mkdir()
        if os.geteuid() == 0:
            owner = pwd.getpwnam("postgres")
            os.chown(folder, owner.pw_uid, owner.pw_gid)
        self._run("initdb", "-D", folder / "data", "-A", "trust", "-U", "gatehouse", "--no-locale", "-E", "UTF8")
        self.start()
        for schema in schemas:
            self.query(f"CREATE SCHEMA {schema}")

    def address(self, schema, port):
        """The store of a service, reached by a port that leads here."""
        return f"postgresql://gatehouse@127.0.0.1:{port}/postgres?options=-csearch_path%3D{schema}"

    def start(self):
        # A crash of the machine need not be survived, so nothing waits for the disk.
        options = f"-p {self.port} -k {self.folder} -c fsync=off -c full_page_writes=off -c max_connections=200"
        self._run("pg_ctl", "-D", self.folder / "data", "-l", self.folder / "log", "-w", "-o", options, "start")

    def crash(self):
        self._run("pg_ctl", "-D", self.folder / "data", "-m", "immediate", "-w", "stop")

    def query(self, text):
        """The rows of an answer as text."""
        return self._run("psql", "-X", "-q", "-A", "-t", "-h", self.folder, "-p", str(self.port), "-U", "gatehouse",
                         "-d", "postgres", "-c", text)

    def close(self):
        try:
            self.crash()
        except subprocess.CalledProcessError:
            pass
        shutil.rmtree(self.folder, ignore_errors=True)

    def _run(self, program, *arguments):
        as_owner = ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []
        log = self.folder.parent / "postgresql.commands"
        with open(log, "ab") as errors:
            # The server outlives pg_ctl, and must not hold a pipe of ours.
            captures = program == "psql"
            done = subprocess.run([*as_owner, self.programs / program, *arguments], check=True, cwd="/", text=True,
                                  stdout=subprocess.PIPE if captures else errors, stderr=errors, stdin=subprocess.DEVNULL)
        return done.stdout.strip() if captures else ""

"""Starts servers and generators on their cores, reads their counters, and ends them."""

import os
import re
import resource
import select
import signal
import subprocess
import time

SERVER_CORE, LOAD_CORE = 0, 1
# Unit of /proc/stat.
TICK = os.sysconf("SC_CLK_TCK")
_running = set()


def prepare():
    """Makes room for 1,000 connections, and makes every way out end what was started."""
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 16384), hard))
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: exit_now())


def exit_now():
    end_all()
    os._exit(1)


def end_all():
    for process in list(_running):
        end(process)


def end(process):
    """Asks first; after three seconds it no longer asks."""
    if process.poll() is None:
        process.terminate()
        try:
            process.wait(timeout=3)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait(timeout=3)
    _running.discard(process)


def start(command, core, environment=None, **options):
    process = subprocess.Popen(
        ["taskset", "-c", str(core), *command], env={**os.environ, **(environment or {})},
        stdin=subprocess.DEVNULL, text=True, **options)
    _running.add(process)
    return process


def first_line(process, seconds):
    """The first line a program prints, or an error when it takes too long or ends."""
    ready, _, _ = select.select([process.stdout], [], [], seconds)
    line = process.stdout.readline() if ready else ""
    if not line:
        end(process)
        raise RuntimeError(f"no output from {process.args}")
    return line.strip()


class RunningServer:
    """A server for the length of a `with` block."""

    def __init__(self, server, arguments=(), environment=None, **options):
        self.server = server
        self.arguments = arguments
        self.environment = {**server.environment, **(environment or {})}
        self.options = options

    def __enter__(self):
        self.process = start(
            (*self.server.command, *self.arguments), SERVER_CORE, self.environment,
            stdout=subprocess.PIPE, **self.options)
        word, _, self.address = first_line(self.process, 10).partition(" ")
        if word != "listening":
            end(self.process)
            raise RuntimeError(f"{self.server.name} says {word!r} instead of its address")
        return self

    def __exit__(self, *_):
        crashed = self.process.poll() is not None
        end(self.process)
        if crashed:
            raise RuntimeError(f"{self.server.name} ended by itself")

    @property
    def pid(self):
        return self.process.pid

    def resident_bytes(self):
        with open(f"/proc/{self.pid}/status") as status:
            return int(re.search(r"VmRSS:\s+(\d+) kB", status.read()).group(1)) * 1024


def cpu_seconds(pid):
    """User and system time of a process with all its threads, to the nanosecond.

    The clock is the one of clock_getcpuclockid(3), which Python does not have; /proc counts in hundredths of a second.
    """
    return time.clock_gettime((~pid << 3) | 2)


def busy_seconds():
    """Processor time that anything on the machine used, and time the hypervisor took away."""
    with open("/proc/stat") as stat:
        user, nice, system, _, _, irq, softirq, steal = map(int, stat.readline().split()[1:9])
    return (user + nice + system + irq + softirq) / TICK, steal / TICK


def core_speed():
    """Turns per second of a fixed loop on the server's core.

    On a virtual machine a core's speed depends on strangers who share the processor, and no counter
    shows it; this does.
    """
    allowed = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {SERVER_CORE})
    try:
        turns, began = 0, time.process_time()
        while time.process_time() - began < 0.03:
            for number in range(1000):
                turns += number & 1
        return round(turns / (time.process_time() - began))
    finally:
        os.sched_setaffinity(0, allowed)


def snapshot(pids):
    return (time.monotonic(), *(cpu_seconds(pid) for pid in pids), *busy_seconds())


def measured_run(server_pid, command, warmup, seconds):
    """Runs a generator and watches both processors while it measures.

    Returns its output and how many cores were used by the server, by the generator, by anything
    else, and by the hypervisor for others. The window is a little shorter than the generator's own,
    so that neither end is in it.
    """
    process = start(command, LOAD_CORE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    margin = min(0.25, seconds / 8)
    try:
        time.sleep(warmup + margin)
        before = snapshot((server_pid, process.pid))
        time.sleep(seconds - 2 * margin)
        took, server, load, busy, stolen = (
            after - was for after, was in zip(snapshot((server_pid, process.pid)), before))
        cores = {"server_cores": server / took, "load_cores": load / took,
                 "other_cores": max(0.0, (busy - server - load) / took),
                 "stolen_cores": stolen / took}
        output, errors = process.communicate(timeout=warmup + seconds + 30)
        if process.returncode != 0:
            raise RuntimeError(f"{' '.join(command)}: {errors.strip() or process.returncode}")
        return output, cores
    finally:
        end(process)


def system_calls(server_pid, command, seconds, log):
    """Counts the server's system calls while a generator runs; returns the count and its output."""
    tracer = start(["strace", "-c", "-f", "-p", str(server_pid), "-o", str(log)], LOAD_CORE,
                   stderr=subprocess.DEVNULL)
    try:
        deadline = time.monotonic() + 5
        while not re.search(r"TracerPid:\s+[1-9]", open(f"/proc/{server_pid}/status").read()):
            if tracer.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError("strace could not attach")
            time.sleep(0.02)
        load = start(command, LOAD_CORE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        try:
            output, _ = load.communicate(timeout=seconds + 30)
        finally:
            end(load)
        tracer.send_signal(signal.SIGINT)
        tracer.wait(timeout=10)
    finally:
        end(tracer)
    # The last line of the summary: percent, seconds, (microseconds per call,) calls, [errors,] total
    fields = re.search(r"^100\.00\s+(.*)\s+total$", log.read_text(), re.MULTILINE).group(1).split()
    return int(fields[2] if "." not in fields[1] else fields[1]), output

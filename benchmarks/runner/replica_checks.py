"""Checks of TenancyService with its store on PostgreSQL, beside a file: cold, in memory, and by two programs."""

import statistics
import threading
from contextlib import contextmanager

from . import processes
from .postgres import Postgres, Relay, RoundTrips
from .service_load import accept, loaded, service_credential, without_errors
from .suite import Suite
from .tree_store import Trees, fill_file, fill_server

# Entities and roles of a tree are a hundred each, as near as units of four devices let them be.
TREES = Trees(count=3000, devices=76)
# A network between service and server.
ROUND_TRIP_US = 1000
# So few that all have been asked before they are measured, as the roles of a user who may not are looked up once.
QUESTIONS = 2000
# First checks of a round: a service's proof lives for a minute, and ten round trips each may be slow.
FIRST_CHECKS = 500
PERCENTILES = ("p50_us", "p99_us")


@contextmanager
def filled(programs, folder, trees, round_trip_us=ROUND_TRIP_US, settings=None):
    """Services with the trees in a file and on a server, and the relay before the server.

    Of the second, "tenancy" has core 0, "tenancy-2" core 1, and "tenancy-3" core 0 and the relay in its way.
    """
    folder_of = {}
    for name in ("file", "server"):
        folder_of[name] = folder / name
        folder_of[name].mkdir()
    with Postgres(folder / "postgres", processes.LOAD_CORE) as postgres, Relay(postgres, round_trip_us) as relay:
        postgres.execute("CREATE DATABASE tenancy")
        server = {"tenancy": postgres.address("tenancy")}
        with Suite(programs, folder_of["file"]) as suite:
            pass
        fill_file(suite.store("tenancy"), trees)
        accept(suite, "tenancy")
        with Suite(programs, folder_of["server"], servers=server):
            pass
        fill_server(postgres, "tenancy", trees)
        with Suite(programs, folder_of["file"], settings, loops=1,
                   cores={"tenancy": processes.SERVER_CORE}) as file:
            with Suite(programs, folder_of["server"], settings, loops=1, counts={"tenancy": 3},
                       servers={**server, "tenancy-3": relay.address("tenancy")},
                       cores={"tenancy": processes.SERVER_CORE, "tenancy-2": processes.LOAD_CORE,
                              "tenancy-3": processes.SERVER_CORE}) as several:
                yield file, several, relay


def medians(windows, figures):
    return {figure: round(statistics.median(window[figure] for window in windows), 2) for figure in figures}


def first_checks(kinds, folder, relay, options):
    """One check after the other, each of a tree that is not in memory, by kind: medians of rounds that alternate."""
    found, share = {}, min(FIRST_CHECKS, TREES.count // options.rounds)
    for round_ in range(options.rounds):
        requests = folder / f"first{round_}.bin"
        TREES.write_first_questions(requests, range(round_ * share, (round_ + 1) * share))
        for kind, (suite, name) in kinds.items():
            before = suite.metric(name, "gatehouse_tenancy_trees")
            with RoundTrips(relay) as trips:
                window = without_errors(loaded(suite, requests, service_credential(suite), options, 1, 1,
                                               calls=share, name=name))
            # One of its connections asks 50 times a second for what others commit.
            window["round_trips"] = (trips.most + trips.others) / share - window["seconds"] * 50 / share
            loads = suite.metric(name, "gatehouse_tenancy_trees") - before
            if loads != share:
                raise RuntimeError(f"{share} first checks loaded {loads:.0f} trees")
            found.setdefault(kind, []).append(window)
    figures = (*PERCENTILES, "round_trips")
    return {kind: medians(windows, figures) for kind, windows in found.items()} | {"checks": share}


def warm(suite, name, requests, options):
    """Asks all questions, one after the other, as often as it takes until no more trees come into memory."""
    trees = -1
    while trees != suite.metric(name, "gatehouse_tenancy_trees"):
        trees = suite.metric(name, "gatehouse_tenancy_trees")
        loaded(suite, requests, service_credential(suite), options, 2, 2, calls=QUESTIONS, name=name)


def in_memory(kinds, requests, options):
    """Checks in trees that are in memory, as many at once as a core takes, and one after the other."""
    found = {}
    for _ in range(options.rounds):
        for kind, (suite, name) in kinds.items():
            window = without_errors(loaded(suite, requests, service_credential(suite), options, name=name))
            alone = without_errors(loaded(suite, requests, service_credential(suite), options, 1, 1, name=name))
            found.setdefault(kind, []).append({**window, "p50_us": alone["p50_us"], "p99_us": alone["p99_us"]})
    return {kind: medians(windows, ("rate", "server_us_per_call", *PERCENTILES)) for kind, windows in found.items()}


def at_once(calls):
    """Runs what measures at the same time; what each has found."""
    found = [None] * len(calls)

    def run(place):
        try:
            found[place] = calls[place]()
        except Exception as error:  # pylint: disable=broad-except
            found[place] = error

    threads = [threading.Thread(target=run, args=(place,)) for place in range(len(calls))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for one in found:
        if isinstance(one, Exception):
            raise one
    return found


def by_two(suite, requests, options):
    """Processor time of a check by one program and by two at once, each with its load on a core of its own."""
    cores = {"tenancy": processes.SERVER_CORE, "tenancy-2": processes.LOAD_CORE}

    def call(name):
        return lambda: without_errors(loaded(suite, requests, service_credential(suite), options, name=name,
                                             core=cores[name]))

    one, two, rates = [], [], []
    for _ in range(options.rounds):
        one += [call(name)()["server_us_per_call"] for name in cores]
        both = at_once([call(name) for name in cores])
        two += [window["server_us_per_call"] for window in both]
        rates.append(sum(window["rate"] for window in both))
    return {"one_us": round(statistics.median(one), 2), "two_us": round(statistics.median(two), 2),
            "rate": round(statistics.median(rates))}


def measure(programs, options, folder):
    """Cold checks, checks in memory with what they read, and two programs."""
    with filled(programs, folder, TREES) as (file, several, relay):
        kinds = {"file": (file, "tenancy"), "server": (several, "tenancy")}
        found = {"trees": TREES.count, "entities": TREES.rows, "round_trip_us": ROUND_TRIP_US,
                 "first": first_checks({**kinds, "relayed": (several, "tenancy-3")}, folder, relay,
                                       options)}
        requests = folder / "questions.bin"
        TREES.write_questions(requests, QUESTIONS)
        for suite, name in (*kinds.values(), (several, "tenancy-2"), (several, "tenancy-3")):
            warm(suite, name, requests, options)
        found["in_memory"] = in_memory(kinds, requests, options)
        with RoundTrips(relay) as trips:
            window = without_errors(loaded(several, requests, service_credential(several), options, name="tenancy-3"))
        found["reads"] = {"checks": window["calls_total"], "round_trips": trips.others}
        found["by_two"] = by_two(several, requests, options)
    return found

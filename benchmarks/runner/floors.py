"""The share of its floor that a server reaches.

A floor (peers/c) frames what it reads and answers with fixed bytes, so its processor time per call is the least that
a server of its wire takes on this machine. The share is that time divided by the server's. Rounds are compared with
the round of the floor next to them, because the speed of a shared core changes, and their median counts.
"""

import statistics


def share(floor, server):
    """Of processor times per call, round by round; None without any."""
    pairs = [(least, own) for least, own in zip(floor, server) if least and own]
    return round(statistics.median(least / own for least, own in pairs), 3) if pairs else None


def add_shares(servers, closed):
    """Adds `floor_share` to the closed loops of servers whose floor was loaded by the same generator."""
    for server in servers:
        floors = {(run["shape"], run["generator"]): run for run in closed.get(server.floor, ())}
        for run in closed[server.name]:
            floor = floors.get((run["shape"], run["generator"]))
            if floor:
                run["floor_share"] = share(floor["cpus_us"], run["cpus_us"])


def percent(share):
    """A share as reports show it; small ones with a digit more."""
    if share is None:
        return "–"
    return f"{share * 100:.0f} %" if share >= 0.1 else f"{share * 100:.1f} %"

"""Fills TenancyService's store with a million devices, and makes questions about them."""

import random
import sqlite3
import time

# Devices below one entity of each type, nearest the root first.
BELOW = {"portfolio": 1000, "property": 100, "unit": 4, "device": 1}
PREFIXES = {"portfolio": "prt", "property": "prp", "unit": "unt", "device": "dev"}
# What each of twenty associations is held on: half units, a quarter devices, few portfolios.
LEVELS = ("unit", "device", "unit", "property") * 4 + ("unit", "device", "unit", "portfolio")
ROLES = {"portfolio": "portfolio_admin", "property": "property_manager", "unit": "tenant",
         "device": "guest"}
ACTIONS = ("device.view", "device.unlock", "device.update")


class Names:
    """Identifiers like those of the services: time-ordered, 30 letters."""

    def __init__(self, generator):
        self.generator, self.made = generator, 0

    def next(self, prefix):
        self.made += 1
        return f"{prefix}_{1_780_000_000_000 + self.made // 50:012x}{self.generator.getrandbits(56):014x}"


def fill(path, count, user):
    """Adds `count` devices and as many associations; `user` gets one portfolio of them.

    Returns the questions' material: devices, and pairs of a subject and a device that it reaches.
    """
    generator = random.Random(7)
    names, now = Names(generator), int(time.time() * 1000)
    entities = {}
    rows = []
    for kind, below in BELOW.items():
        above = {"portfolio": None, "property": "portfolio", "unit": "property", "device": "unit"}[kind]
        found = []
        for index in range(max(1, count // below)):
            parent, root = "sys_root", None
            name = names.next(PREFIXES[kind])
            if above:
                place = min(index * below // BELOW[above], len(entities[above]) - 1)
                parent, root = entities[above][place]
            found.append((name, root or name))
            attributes = '{"kind":"lock"}' if kind == "device" else "{}"
            rows.append((name, kind, parent, root or name, kind, attributes, "", 0, now, now))
        entities[kind] = found
    users = [names.next("usr") for _ in range(max(1, count // 2))]
    held, reached = [], []
    for index in range(count):
        kind = LEVELS[index % len(LEVELS)]
        place, subject = generator.randrange(len(entities[kind])), generator.choice(users)
        until = now + 86_400_000 if kind == "device" else None
        held.append((names.next("asc"), subject, entities[kind][place][0], ROLES[kind],
                     now - 1000 if until else None, until, "", now, index + 1000))
        device = min(place * BELOW[kind] + generator.randrange(BELOW[kind]), len(entities["device"]) - 1)
        reached.append((subject, entities["device"][device][0]))
    held.append((names.next("asc"), user, entities["portfolio"][0][0], "owner", None, None, "", now,
                 count + 2000))
    store = sqlite3.connect(path)
    store.execute("PRAGMA synchronous = OFF")
    store.execute("PRAGMA cache_size = -1000000")
    with store:
        store.executemany("INSERT INTO entity VALUES (?,?,?,?,?,?,?,?,?,?)", rows)
        store.executemany("INSERT INTO association VALUES (?,?,?,?,?,?,?,?,?)", held)
    store.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    store.close()
    return [name for name, _ in entities["device"]], reached


def field(number, text):
    return bytes([number << 3 | 2, len(text)]) + text.encode()


def write_questions(path, count, devices, reached, subject=None):
    """Half about devices that an association reaches, half about any; of one subject, or of all."""
    generator = random.Random(11)
    with open(path, "wb") as file:
        for index in range(count):
            asked, device = generator.choice(reached)
            if index % 2 or subject:
                device = generator.choice(devices)
            if subject and index % 2:
                device = devices[generator.randrange(min(1000, len(devices)))]
            message = b"" if subject else field(1, asked)
            message += field(2, ACTIONS[index % len(ACTIONS)]) + field(3, device)
            assert len(message) < 128, "the length must fit into one byte"
            file.write(bytes([len(message)]) + message)


def add_history(path, root, user, count):
    """Adds `count` audit records of a tree, as operating its devices leaves them, a second apart, the
    last of them now."""
    now = int(time.time() * 1000)
    store = sqlite3.connect(path)
    store.execute("PRAGMA synchronous = OFF")
    with store:
        store.executemany(
            "INSERT INTO audit_log (recorded_at, actor, request_id, action, object, scope, outcome,"
            " detail) VALUES (?, ?, ?, 'device.unlock', ?, ?, 'done', '')",
            ((now - (count - index) * 1000, f"user:{user}", f"req_{index:026d}",
              f"dev_{index % 1000:026d}", root) for index in range(count)))
    store.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    store.close()

"""Fills TenancyService's store with a million devices, and makes questions about them."""

import collections
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
ENTITY = ("id", "type", "parent_id", "root_id", "name", "attributes", "desired_state", "revision", "created_at",
          "updated_at", "placed_at")
ASSOCIATION = ("id", "user_id", "entity_id", "role", "valid_from", "valid_until", "granted_by",
               "created_at", "added")

# What questions are made of: devices, pairs of a subject and a device that it reaches, and pairs of a
# subject and a portfolio that it administers.
World = collections.namedtuple("World", "devices reached administered")


class Names:
    """Identifiers like those of the services: time-ordered, 30 letters."""

    def __init__(self, generator):
        self.generator, self.made = generator, 0

    def next(self, prefix):
        self.made += 1
        return f"{prefix}_{1_780_000_000_000 + self.made // 50:012x}{self.generator.getrandbits(56):014x}"


def fill(path, count, user):
    """Adds `count` devices and as many associations; `user` gets one portfolio of them."""
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
            rows.append((name, kind, parent, root or name, kind, attributes, "", 0, now, now, now))
        entities[kind] = found
    users = [names.next("usr") for _ in range(max(1, count // 2))]
    held, reached, administered = [], [], []
    for index in range(count):
        kind = LEVELS[index % len(LEVELS)]
        place, subject = generator.randrange(len(entities[kind])), generator.choice(users)
        until = now + 86_400_000 if kind == "device" else None
        held.append((names.next("asc"), subject, entities[kind][place][0], ROLES[kind],
                     now - 1000 if until else None, until, "", now, index + 1000))
        device = min(place * BELOW[kind] + generator.randrange(BELOW[kind]), len(entities["device"]) - 1)
        reached.append((subject, entities["device"][device][0]))
        if kind == "portfolio":
            administered.append((subject, entities[kind][place][0]))
    held.append((names.next("asc"), user, entities["portfolio"][0][0], "owner", None, None, "", now,
                 count + 2000))
    store = sqlite3.connect(path)
    store.execute("PRAGMA synchronous = OFF")
    store.execute("PRAGMA cache_size = -1000000")
    with store:
        for table, columns, values in (("entity", ENTITY, rows), ("association", ASSOCIATION, held)):
            store.executemany(f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({', '.join('?' * len(columns))})", values)
    store.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    store.close()
    return World([name for name, _ in entities["device"]], reached, administered)


def field(number, text):
    return bytes([number << 3 | 2, len(text)]) + text.encode()


def write_messages(path, messages):
    """Messages for rpcload, each behind its length."""
    with open(path, "wb") as file:
        for message in messages:
            assert len(message) < 128, "the length must fit into one byte"
            file.write(bytes([len(message)]) + message)


def write_questions(path, count, devices, reached, subject=None):
    """Half about devices that an association reaches, half about any; of one subject, or of all."""
    generator = random.Random(11)

    def message(index):
        asked, device = generator.choice(reached)
        if index % 2 or subject:
            device = generator.choice(devices)
        if subject and index % 2:
            device = devices[generator.randrange(min(1000, len(devices)))]
        start = b"" if subject else field(1, asked)
        return start + field(2, ACTIONS[index % len(ACTIONS)]) + field(3, device)

    write_messages(path, map(message, range(count)))


def write_broad_questions(folder, count, world):
    """Files of requests by the method that answers them: who may view a device, why somebody may do
    something to one that it reaches, and all that an administrator may below a portfolio."""
    generator = random.Random(13)

    def explained(index):
        subject, device = generator.choice(world.reached)
        return field(1, subject) + field(2, ACTIONS[index % len(ACTIONS)]) + field(3, device)

    def fetched(_):
        subject, portfolio = generator.choice(world.administered)
        return field(1, subject) + field(2, portfolio)

    made = {"ListSubjects": lambda _: field(1, generator.choice(world.devices)) + field(2, ACTIONS[0]),
            "Explain": explained, "Fetch": fetched}
    files = {}
    for method, message in made.items():
        files[method] = folder / f"{method}.bin"
        write_messages(files[method], map(message, range(count)))
    return files


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

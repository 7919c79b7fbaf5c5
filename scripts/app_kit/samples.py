"""What sample apps print."""

import re

# What each sample app prints, by patterns of whole lines.
SAMPLES = {
    "smart-home": ["signed in: Eva", "the stream brought the new device", r"Front door \(lock\) in Flat 2",
                   "unlocking Front door|not unlocked: .+"],
    "stables": ["signed in: Ada", "tier: .+", "members: true administrator: true", "analytics: .+", "invoices: .+",
                ".+", "chip number: true", "view horse: allowed", "room for a second stable: false",
                "The limit of your plan is reached. Die Grenze deines Tarifs ist erreicht.",
                "after signing out: false"],
    "journal": ["signed in: Uma", r"(moods: \[.*\])", "This has changed. Please look again and try once more.",
                "server knows of the sign-out: true"],
    "family": ["signed in: Pia", "role known: none", "role: parent", "parent (true|false .+)", "The PIN is wrong.",
               "parent mode is open", "after unpairing: none"],
}


def match(name, lines, patterns):
    """Each pattern matches a line, in their order; `moods:` may come any number of times."""
    rest = iter(lines)
    for pattern in patterns:
        assert any(re.fullmatch(pattern, line) for line in rest), f"{name}: no line {pattern!r} in {lines}"

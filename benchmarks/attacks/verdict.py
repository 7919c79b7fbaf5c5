"""The bounds, and which of them an outcome missed."""

import collections
import math

MEBIBYTE = 1 << 20
# What a good client may notice of an attack. A call that fails is always one too many.
CALL_P99_SECONDS = 0.05
MEMORY_BYTES = 256 * MEBIBYTE
# A store keeps what it is told for years; its log alone takes a few mebibytes.
GROWTH_BYTES_PER_SECOND = 4 * MEBIBYTE


def percentile(seconds, share):
    """The value that `share` of all are no longer than, or 0 when there are none."""
    ordered = sorted(seconds)
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)] if ordered else 0.0


class Figures:
    """Calls of one kind in numbers."""

    def __init__(self, records):
        self.count = len(records)
        self.codes = collections.Counter(code for _, code in records if code != "OK")
        self.failed = self.codes.total()
        # Failures count with the time that they took: a fast refusal must not make a good median,
        # but neither is it one that took forever, and `failed` names it.
        seconds = [taken for taken, _ in records]
        self.p50 = percentile(seconds, 0.5)
        self.p99 = percentile(seconds, 0.99)


def missed(outcome, with_latency):
    """The bounds that the services missed, in words; empty when all held."""
    found = [] if outcome.is_stopped else noticed(outcome, with_latency)
    return found + missed_at_rest(outcome)


def missed_at_rest(outcome):
    """The bounds that say the same however busy the machine is."""
    found = list(outcome.wrong)
    found += [f"memory of {name}" for name, size in outcome.peak.items() if size > MEMORY_BYTES]
    growth_max = outcome.seconds * GROWTH_BYTES_PER_SECOND
    found += [f"store of {name}" for name, size in outcome.growth.items() if size > growth_max]
    return found


def noticed(outcome, with_latency):
    """What the good client noticed."""
    found = []
    for kind, records in outcome.records.items():
        figures = Figures(records)
        if figures.failed or not figures.count:
            found.append(f"{kind.replace('_', '-')} failed" if figures.count else f"no {kind}")
    if with_latency and Figures(outcome.records["calls"]).p99 > CALL_P99_SECONDS:
        found.append("p99")
    return found

"""Outcomes as one table, for a terminal or for a document."""

import collections

from .verdict import MEBIBYTE, Figures

COLUMNS = ("attack", "on", "calls", "failed", "p50 ms", "p99 ms", "writes", "sign-ins", "connects",
           "probes", "codes", "peak MiB", "end MiB", "store MiB", "verdict")


def other(records):
    """Failed of all, and the p99 in milliseconds."""
    figures = Figures(records)
    return f"{figures.failed}/{figures.count} {figures.p99 * 1000:.0f} ms"


def memory(sizes, service):
    return f"{sizes[service] / MEBIBYTE:.0f}" if service in sizes else "-"


def cells(outcome, missed):
    calls = Figures(outcome.records["calls"])
    codes = collections.Counter()
    for records in outcome.records.values():
        codes += Figures(records).codes
    return (
        outcome.name, outcome.service, str(calls.count), str(calls.failed),
        f"{calls.p50 * 1000:.1f}", f"{calls.p99 * 1000:.1f}",
        *(other(outcome.records[kind]) for kind in ("writes", "sign_ins", "connections", "probes")),
        ", ".join(f"{code} {count}" for code, count in codes.most_common()) or "-",
        memory(outcome.peak, outcome.service), memory(outcome.end, outcome.service),
        f"{outcome.growth[outcome.service] / MEBIBYTE:.1f}",
        "held" if not missed else "missed: " + ", ".join(missed))


def aligned(rows):
    widths = [max(len(row[index]) for row in rows) for index in range(len(COLUMNS))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in rows)


def markdown(rows):
    lines = ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join([lines[0], "|---" * len(COLUMNS) + "|", *lines[1:]])


def legend(outcomes):
    """What each attack did, and what it met."""
    lines = []
    for outcome in outcomes:
        met = ", ".join(f"{what} {count:,}" for what, count in sorted(outcome.tally.items()))
        lines.append(f"{outcome.name}: {outcome.title}. Attacker: {met or 'nothing'}; "
                     f"log lines {outcome.log_lines[outcome.service]}.")
    return lines


def render(judged, as_markdown=False):
    """The table of outcomes with what each missed."""
    rows = [COLUMNS, *(cells(outcome, missed) for outcome, missed in judged)]
    lines = legend([outcome for outcome, _ in judged])
    if as_markdown:
        return "\n".join([markdown(rows), "", *(f"- {line}" for line in lines)])
    return "\n".join([aligned(rows), "", *lines])

"""How long nothing was written around faults of servers: at the servers themselves, and by each service."""


def judge_switches(stage, over):
    """The lines of the report about faults that were gone when clients stopped calling, at `over`."""
    lines, later = [], []
    for one in stage.faults.switches:
        if one.until > over:
            continue
        silences = stage.installation.silences(one.since, one.until)
        service = max(silences, key=silences.get)
        line = (f"{one.kind}, {one.before} led and then {one.after}: {service} wrote nothing for"
                f" {silences[service]:.1f} s")
        if probe := stage.postgres.probe:
            own = probe.silence(one.since, one.until)
            later.append(silences[service] - own)
            line += f", the servers for {own:.1f} s"
            _judge_leaders(stage, one, probe)
        lines.append(line)
    if later:
        lines.append(f"services were silent for {max(later):.1f} s longer than the servers at most")
    return lines


def _judge_leaders(stage, switch, probe):
    """Once the new leader has acknowledged a commit, the one before acknowledges none."""
    if switch.kind != "unfenced" or switch.before == switch.after:
        return
    first = min(end for begun, end in probe.commits[switch.after] if begun > switch.since)
    if late := [end for begun, end in probe.commits[switch.before] if first < begun and end < switch.until]:
        stage.problems.add("two servers acknowledged commits at once", (
            f"{switch.before} did {len(late)} times, until {late[-1] - first:.1f} s after {switch.after} began to"))

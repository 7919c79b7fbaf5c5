"""Tables in Markdown, and what stands in their cells."""


def table(header, rows):
    lines = ["| " + " | ".join(header) + " |", "|" + "---|" * len(header)]
    return lines + ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows] + [""]


def thousands(number):
    return "–" if number is None else f"{number:,.0f}"


def verdict(value, target, is_most=False):
    """Whether a figure reaches its target, and by how much it does not."""
    if value is None:
        return "not measured"
    if is_most:
        return "yes" if value <= target else f"no: {value / target:.2f} × the target"
    return "yes" if value >= target else f"no: {value / target * 100:.0f} % of the target"

"""Tables in Markdown."""


def table(header, rows):
    lines = ["| " + " | ".join(header) + " |", "|" + "---|" * len(header)]
    return lines + ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows] + [""]


def thousands(number):
    return "–" if number is None else f"{number:,.0f}"

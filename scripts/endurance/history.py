"""The record of a run: what was answered when, and what cannot be."""

import threading

# Without a revision a program may be behind by so many seconds, when nothing is wrong with it: it asks every 20 ms for
# the commits of others (docs/operations/postgresql.md), and the machine is busy.
BEHIND_MAX = 1.0
# Services refuse tokens of an ended session within a second (proto/auth/v1/authentication.proto); a busy machine has two.
GRACE_OF_ENDS = 2.0


class Problems:
    """What was found to be wrong; the first of each kind are kept in full."""

    KEPT = 5

    def __init__(self):
        self._lock, self._by_kind = threading.Lock(), {}

    def add(self, kind, text):
        with self._lock:
            self._by_kind.setdefault(kind, []).append(text)

    def __bool__(self):
        return bool(self._by_kind)

    def lines(self):
        for kind, texts in sorted(self._by_kind.items()):
            yield f"{len(texts)} × {kind}"
            for text in texts[:self.KEPT]:
                yield f"    {text}"


class Write:
    """A change of a register by its only writer."""

    def __init__(self, value, start):
        # `end`, `program` and `token` come with the answer.
        self.value, self.start, self.end, self.program, self.token = value, start, None, None, None


class Read:
    """A look at a register; `after` is the write or the read whose token it showed, if any."""

    def __init__(self, value, start, end, program, after):
        self.value, self.start, self.end, self.program, self.after = value, start, end, program, after
        # The oldest write that it can have seen, once it was judged.
        self.floor = 0


class Register:
    """A value that one writer changes and many read, at any program.

    Writes are numbered from 1; before the first it has `initial`.
    """

    def __init__(self, name, initial):
        self.name, self.initial = name, initial
        self.writes, self.reads = [], []
        self._lock = threading.Lock()

    def begin(self, value):
        with self._lock:
            write = Write(value, None)
            self.writes.append(write)
            return write

    def add(self, read):
        with self._lock:
            self.reads.append(read)

    def newest_acknowledged(self):
        with self._lock:
            return next((one for one in reversed(self.writes) if one.end), None)

    def judge(self, faults, problems):
        """Finds reads that no order of what happened explains; how old the oldest answer was, in seconds."""
        number = {id(write): index + 1 for index, write in enumerate(self.writes)}
        values = [self.initial, *(write.value for write in self.writes)]
        oldest = 0.0
        for read in sorted(self.reads, key=lambda one: one.end):
            low, why = 0, "it is the first value"
            if isinstance(read.after, Write):
                low, why = number[id(read.after)], "the token of that write was shown"
            elif isinstance(read.after, Read):
                low, why = read.after.floor, "the token of a read was shown that had that"
            for index, write in enumerate(self.writes, 1):
                if index <= low or write.end is None or write.end > read.start:
                    continue
                if write.program == read.program:
                    low, why = index, f"{read.program} itself had acknowledged that write"
                elif (read.start - write.end > BEHIND_MAX
                      and not faults.touched(read.program, write.end, read.end)):
                    low, why = index, f"that write was acknowledged {read.start - write.end:.1f} s before, without a fault"
            high = max((index for index, write in enumerate(self.writes, 1) if write.start and write.start < read.end),
                       default=0)
            possible = [index for index in range(low, high + 1) if values[index] == read.value]
            if not possible:
                problems.add("a read that is too old or of nothing that was written", (
                    f"{self.name} at {read.program}, {read.start:.3f}…{read.end:.3f}: {read.value!r}, although write "
                    f"{low} gave {values[low]!r}: {why}; begun until then: {high}"))
                continue
            read.floor = possible[0]
            if not read.after and possible[-1] < high and (later := self.writes[possible[-1]]).end:
                oldest = max(oldest, read.start - later.end)
        return oldest

"""The pages of a store that a commit leaves in its write-ahead log."""

import collections
import os
import sqlite3
import struct

# sqlite.org/fileformat2.html, section 4.
HEADER_BYTES, FRAME_HEADER_BYTES = 32, 24


def frames(path):
    """The numbers of the pages in the log of a store, in order; those of a log before this one are left out."""
    if not os.path.exists(f"{path}-wal"):
        return []
    with open(f"{path}-wal", "rb") as log:
        header = log.read(HEADER_BYTES)
        if len(header) < HEADER_BYTES:
            return []
        page_bytes, salts = struct.unpack(">I", header[8:12])[0], header[16:24]
        found = []
        while len(frame := log.read(FRAME_HEADER_BYTES)) == FRAME_HEADER_BYTES and frame[8:16] == salts:
            found.append(struct.unpack(">I", frame[:4])[0])
            log.seek(page_bytes, os.SEEK_CUR)
        return found


def trees(path):
    """The table or index that each page is of, and whether it is a leaf."""
    connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    try:
        return {number: (name, kind == "leaf") for name, number, kind in
                connection.execute("SELECT name, pageno, pagetype FROM dbstat")}
    finally:
        connection.close()


def by_tree(pages, known):
    """How many of the pages each table or index has, the most first."""
    return collections.Counter(known.get(number, ("free", True))[0] for number in pages)

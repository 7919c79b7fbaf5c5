"""Argon2id by libsodium with the service's default cost, and nothing else.

As a program it hashes, on one thread, until it is ended.
"""

import ctypes
import ctypes.util
import os
import threading
import time

PASSWORD = "a long pass phrase for everybody"
# As the service does it by default: kibibytes and passes.
MEMORY_KIB, PASSES = 19456, 2


def hasher():
    """A function that hashes once."""
    sodium = ctypes.CDLL(ctypes.util.find_library("sodium"))
    sodium.sodium_init()
    tag = ctypes.create_string_buffer(32)
    # The service hashes at this priority too, so that other work takes as much from both.
    os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), 10)
    return lambda: sodium.crypto_pwhash(
        tag, ctypes.c_ulonglong(32), PASSWORD.encode(), ctypes.c_ulonglong(len(PASSWORD)),
        b"0123456789abcdef", ctypes.c_ulonglong(PASSES), ctypes.c_size_t(MEMORY_KIB * 1024), 2)


def rate(seconds):
    """Hashes per second with a thread for each core."""
    counts = [0] * len(os.sched_getaffinity(0))
    end = time.monotonic() + seconds

    def hashing(index):
        hash_once = hasher()
        while time.monotonic() < end:
            hash_once()
            counts[index] += 1

    threads = [threading.Thread(target=hashing, args=(index,)) for index in range(len(counts))]
    began = time.monotonic()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sum(counts) / (time.monotonic() - began)


if __name__ == "__main__":
    hash_once = hasher()
    while True:
        hash_once()

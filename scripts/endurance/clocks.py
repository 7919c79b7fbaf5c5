"""Wall clocks of programs that are wrong, by a library that is loaded before theirs; other clocks are left alone."""

import pathlib
import shutil
import struct
import subprocess


class Clocks:
    """Wrong by at most half of `spread` seconds, so that any two differ by no more than that."""

    def __init__(self, folder, spread):
        self.folder, self.error_max = folder, spread / 2
        self.library = folder / "wall_clock.so"
        # That of the toolchain, if there is no other.
        clang = shutil.which("clang") or str(pathlib.Path(shutil.which("swift")).resolve().parent / "clang")
        source = pathlib.Path(__file__).with_name("wall_clock.c")
        subprocess.run([clang, "-O2", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-o", self.library, source],
                       check=True)

    def environment(self, name):
        """What a program is started with; it is wrong from its start on, the second of a service the other way."""
        if not self._path(name).exists():
            self.set(name, self.error_max if name.endswith("-1") else -self.error_max)
        return {"LD_PRELOAD": str(self.library), "WALL_CLOCK_ERROR": str(self._path(name))}

    def set(self, name, seconds):
        """Has the clock of a program be ahead by `seconds`, or behind, from now on."""
        # In place, where the program looks.
        with open(self._path(name), "r+b" if self._path(name).exists() else "wb", buffering=0) as file:
            file.write(struct.pack("=q", int(seconds * 1e9)))

    def _path(self, name):
        return self.folder / f"{name}.clock"

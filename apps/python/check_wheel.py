"""Looks into wheels: python check_wheel.py [--paths] WHEEL...

Each holds the licences of what is compiled in, and a module of the stable ABI where its name says abi3; whether the module keeps
to it, abi3audit tells. With --paths: no path of this machine is in it.
"""

from __future__ import annotations

import sys
import tempfile
import zipfile
from pathlib import Path



def faults(wheel: Path, with_paths: bool) -> list[str]:
    told = []
    with zipfile.ZipFile(wheel) as z:
        names = z.namelist()
        wanted = ["upsweep.txt", "nanobind.txt", "robin_map.txt", "boost.txt"]
        if "cu1" in wheel.name:
            wanted.append("cuda.txt")
        for licence in wanted:
            if not any(n.endswith("/" + licence) and ".dist-info/" in n for n in names):
                told.append(f"the licence {licence} is missing")
        modules = [n for n in names if n.endswith(".so")]
        if len(modules) != 1:
            return [*told, f"it holds the modules {modules}; expected one"]
        if "-abi3-" in wheel.name and not modules[0].endswith(".abi3.so"):
            told.append(f"{modules[0]} is no module of the stable ABI")
        if with_paths:
            here = str(Path(__file__).resolve().parents[2])
            for path in {here, str(Path.home()), tempfile.gettempdir()}:
                for name in names:
                    if len(path) > 1 and (path + "/").encode() in z.read(name):
                        told.append(f"the path {path} of this machine is in {name}")
    return told


def main() -> int:
    arguments = sys.argv[1:]
    with_paths = "--paths" in arguments
    wheels = [Path(a) for a in arguments if a != "--paths"]
    wrong = [f"{w.name}: {fault}" for w in wheels for fault in faults(w, with_paths)]
    print(*(wrong or [f"{w.name}: {w.stat().st_size / 1e6:.1f} MB, nothing is amiss" for w in wheels]), sep="\n")
    return 1 if wrong or not wheels else 0


if __name__ == "__main__":
    sys.exit(main())

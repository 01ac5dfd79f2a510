"""Reads newest_cccl.cu with the headers of the newest CCCL, which pip fetches; skips where it cannot.

    newest_cccl.py FOLDER COMPILER FLAG...
"""

import pathlib
import subprocess
import sys
import zipfile

PACKAGE = "nvidia-cuda-cccl"


def fetched(folder):
    """The include folder of the newest CCCL, below `folder`: that of an earlier run where there is no network."""
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--quiet", "--disable-pip-version-check"]
    command += ["--retries", "0", "--timeout", "20", "--only-binary", ":all:", "--dest", str(folder), PACKAGE]
    said = subprocess.run(command, capture_output=True, text=True)
    wheels = sorted(folder.glob("*.whl"), key=lambda wheel: wheel.stat().st_mtime)
    if not wheels:
        words = said.stderr.strip().splitlines() or ["pip said nothing"]
        print(f"SKIP: pip fetched no {PACKAGE}: {words[-1]}")
        sys.exit()
    unpacked = folder / wheels[-1].stem
    if not unpacked.exists():
        with zipfile.ZipFile(wheels[-1]) as wheel:
            wheel.extractall(unpacked)
    print(f"with {wheels[-1].name}")
    return next(unpacked.glob("**/include/cccl"))


def main():
    folder, compiler, *flags = sys.argv[1:]
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    include = fetched(folder)
    source = pathlib.Path(__file__).parent / "newest_cccl.cu"
    sys.exit(subprocess.run([compiler, *flags, "-I", include, source]).returncode)


main()

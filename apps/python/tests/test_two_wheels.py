"""The two wheels beside each other. Both have the same files but for the compiled module, so a copy stands for the other one."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

import upsweep

if find_spec("upsweep_cu13") is not None:
    pytest.skip("upsweep-cu13 is installed, and is found beside every copy", allow_module_level=True)

here = Path(upsweep.__file__).parent
alias = Path(__file__).parents[1] / "cu13" / "upsweep.py"
look = (
    "import sys, numpy, upsweep; import upsweep._sort; from upsweep import _scan\n"
    "assert upsweep.sort(numpy.array([2, 1])).tolist() == [1, 2]\n"
    "assert upsweep._sort is sys.modules[upsweep.sort.__module__]\n"
    "print(upsweep._core.__file__)"
)


def packages(folder: Path, *names: str) -> Path:
    for name in names:
        shutil.copytree(here, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    if "upsweep_cu13" in names:
        shutil.copy(alias, folder)
    return folder


def imported(folder: Path) -> tuple[Path, str]:
    """Where the compiled module is from that a new Python uses, and what it says of it."""
    environment = {**os.environ, "PYTHONPATH": str(folder)}
    told = subprocess.run([sys.executable, "-c", look], env=environment, capture_output=True, text=True, cwd=folder)
    assert told.returncode == 0, told.stderr
    return Path(told.stdout.strip()).parent, told.stderr


@pytest.mark.parametrize("name", ["upsweep", "upsweep_cu13"])
def test_one_alone(tmp_path, name):
    folder = packages(tmp_path, name)
    assert imported(folder) == (folder / name, "")


def test_both(tmp_path):
    folder = packages(tmp_path, "upsweep", "upsweep_cu13")
    assert imported(folder) == (folder / "upsweep_cu13", "")


def test_both_of_different_versions(tmp_path):
    folder = packages(tmp_path, "upsweep", "upsweep_cu13")
    (folder / "upsweep" / "_version.py").write_text('version = "9.9.9"\n')
    where, told = imported(folder)
    assert where == folder / "upsweep" and "upsweep is 9.9.9 and upsweep-cu13 is" in told


def test_one_that_cannot_be_loaded(tmp_path):
    folder = packages(tmp_path, "upsweep", "upsweep_cu13")
    for module in (folder / "upsweep_cu13").glob("_core*.so"):
        module.write_bytes(b"no module")
    where, told = imported(folder)
    assert where == folder / "upsweep" and "upsweep-cu13 cannot be loaded, so GPUs are not used" in told

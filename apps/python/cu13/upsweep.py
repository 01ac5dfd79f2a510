"""upsweep where only upsweep-cu13 is installed: the package upsweep of the other wheel is found before this file."""

import sys

import upsweep_cu13

for _name, _module in list(sys.modules.items()):
    if _name == "upsweep_cu13" or _name.startswith("upsweep_cu13."):
        sys.modules["upsweep" + _name[len("upsweep_cu13") :]] = _module

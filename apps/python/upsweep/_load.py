"""Which compiled module is used: that of the CUDA wheel where it is installed in the same version, else this package's."""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from ._version import version


def choose_core(package: str) -> None:
    """Lets `package._core` be the module that is used."""
    if package == "upsweep_cu13" or find_spec("upsweep_cu13") is None:
        return
    # The other package's __init__ would import all of itself: two of its files are loaded alone, the module only where it is
    # used, as one process can have the types of one module only.
    from importlib.machinery import PathFinder
    from importlib.util import module_from_spec

    places = list(find_spec("upsweep_cu13").submodule_search_locations or [])  # type: ignore[union-attr]

    def loaded(name: str) -> Any:
        spec = PathFinder.find_spec(name, places)
        if spec is None or spec.loader is None:
            raise ModuleNotFoundError(name)
        module = module_from_spec(spec)
        spec.loader.exec_module(module)
        return module

    import warnings

    try:
        theirs = loaded("_version").version
        if theirs == version:
            core = sys.modules[package + "._core"] = loaded("_core")
            setattr(sys.modules[package], "_core", core)
            return
    except ModuleNotFoundError:  # a folder that was left behind
        return
    except ImportError as e:  # of a newer Linux, say
        warnings.warn(f"upsweep-cu13 cannot be loaded, so GPUs are not used: {e}", stacklevel=3)
        return
    warnings.warn(
        f"upsweep is {version} and upsweep-cu13 is {theirs}: GPUs are not used until both are of one version", stacklevel=3
    )


def architectures() -> list[str]:
    """The GPUs that this installation has kernels for, as CMake names them: ["90-real", "120"]; empty without CUDA.

    >>> isinstance(architectures(), list)
    True
    """
    core = import_module("._core", __package__)
    return list(core.architectures.split())

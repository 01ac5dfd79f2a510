"""Which compiled module is used: that of the CUDA wheel where it is installed in the same version, else this package's."""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.util import find_spec

from ._version import version


def choose_core(package: str) -> None:
    """Lets `package._core` be the module that is used."""
    if package == "upsweep_cu13" or find_spec("upsweep_cu13") is None:
        return
    # The other package's __init__ would import all of itself: its module is loaded by its file alone.
    from importlib.machinery import ExtensionFileLoader, PathFinder

    places = find_spec("upsweep_cu13").submodule_search_locations  # type: ignore[union-attr]
    spec = PathFinder.find_spec("_core", list(places or []))
    if spec is None or not isinstance(spec.loader, ExtensionFileLoader):
        return
    from importlib.util import module_from_spec

    import warnings

    try:
        other = module_from_spec(spec)
        spec.loader.exec_module(other)
    except ImportError as e:  # of a newer Linux, say
        warnings.warn(f"upsweep-cu13 cannot be loaded, so GPUs are not used: {e}", stacklevel=3)
        return
    if other.version == version:
        sys.modules[package + "._core"] = other
        setattr(sys.modules[package], "_core", other)
        return
    warnings.warn(
        f"upsweep is {version} and upsweep-cu13 is {other.version}: GPUs are not used until both are of one version",
        stacklevel=3,
    )


def architectures() -> list[str]:
    """The GPUs that this installation has kernels for, as CMake names them: ["90-real", "120"]; empty without CUDA.

    >>> isinstance(architectures(), list)
    True
    """
    core = import_module("._core", __package__)
    return list(core.architectures.split())

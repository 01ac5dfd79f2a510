"""What the tests share: arrays of the libraries that are installed and of the devices that work."""

from __future__ import annotations

import importlib

import numpy
import pytest

import upsweep


def _library(name: str):
    try:
        return importlib.import_module(name)
    except ImportError:
        pytest.skip(f"{name} is not installed")


class OnGpu:
    """Arrays of one library on the first GPU."""

    takes_out = True

    def __init__(self, name: str) -> None:
        self.name = name
        if name == "torch":
            self.torch = _library("torch")
            if not self.torch.cuda.is_available():
                pytest.skip("torch finds no GPU")
        elif name == "cupy":
            self.cupy = _library("cupy")
            try:
                self.cupy.zeros(1)
            except Exception as e:
                pytest.skip(f"cupy finds no GPU: {e}")
        else:
            self.takes_out = False
            self.jax = _library("jax")
            if self.jax.default_backend() != "gpu":
                pytest.skip("jax finds no GPU")

    def array(self, x: numpy.ndarray):
        if self.name == "torch":
            return self.torch.from_numpy(x.copy()).cuda()
        return self.cupy.asarray(x) if self.name == "cupy" else self.jax.numpy.asarray(x)

    def back(self, x) -> numpy.ndarray:
        if self.name == "torch":
            return x.cpu().numpy()
        return self.cupy.asnumpy(x) if self.name == "cupy" else numpy.asarray(x)

    def is_own(self, x) -> bool:
        if self.name == "torch":
            return isinstance(x, self.torch.Tensor) and x.is_cuda
        return isinstance(x, self.cupy.ndarray) if self.name == "cupy" else isinstance(x, self.jax.Array)


@pytest.fixture(params=["torch", "cupy", "jax"])
def gpu(request) -> OnGpu:
    if not upsweep.has_cuda():
        pytest.skip("this upsweep has no CUDA kernels")
    return OnGpu(request.param)

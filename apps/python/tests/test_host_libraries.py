"""Arrays of other libraries than NumPy that lie on the host: the results are theirs."""

from __future__ import annotations

import numpy
import pytest

import upsweep


def torch_arrays():
    torch = pytest.importorskip("torch")
    return torch.from_numpy, lambda x: x.numpy(), torch.Tensor


def jax_arrays():
    jax = pytest.importorskip("jax")
    here = jax.devices("cpu")[0]
    return lambda x: jax.device_put(x, here), numpy.asarray, jax.Array


@pytest.mark.parametrize("library", [torch_arrays, jax_arrays])
def test_results_are_of_the_library(library):
    of, back, kind = library()
    x = numpy.random.default_rng(1).standard_normal(500).astype(numpy.float32)
    mask = x > 0
    for call, expected in (
        (lambda: upsweep.sort(of(x)), numpy.sort(x)),
        (lambda: upsweep.argsort(of(x)), numpy.argsort(x)),
        (lambda: upsweep.select(of(x), of(mask)), x[mask]),
        (lambda: upsweep.nonzero(of(mask), dtype="int32"), numpy.flatnonzero(mask)),
        (lambda: upsweep.nonzero(of(x)), numpy.flatnonzero(x)),
        (lambda: upsweep.cumsum(of(mask)), numpy.cumsum(mask)),
        (lambda: upsweep.cumsum(of(mask.astype(numpy.float32).reshape(-1, 2)), axis=0), numpy.cumsum(mask.reshape(-1, 2), axis=0)),
        (lambda: upsweep.topk(of(x), 3, indices=False), numpy.sort(x)[::-1][:3]),
        (lambda: upsweep.unique(of(numpy.arange(50, dtype=numpy.int32) % 7)), numpy.arange(7)),
        (lambda: upsweep.cumsum(of(numpy.arange(9, dtype=numpy.float16))), numpy.cumsum(numpy.arange(9))),
        (lambda: upsweep.group_by(of(mask.astype(numpy.int32)), 2)[0], numpy.argsort(mask, kind="stable")),
    ):
        got = call()
        assert isinstance(got, kind)
        numpy.testing.assert_array_equal(back(got), expected)


def test_what_jax_cannot_do_is_told():
    of, _, _ = jax_arrays()
    x = of(numpy.arange(5, dtype=numpy.int32))
    with pytest.raises(TypeError, match="arrays of JAX, which cannot be written; leave out= away"):
        upsweep.sort(x, out=x)
    with pytest.raises(TypeError, match='count="device" is not available'):
        upsweep.select(x, x > 2, count="device")


def test_bfloat16():
    ml_dtypes = pytest.importorskip("ml_dtypes")
    of, back, _ = jax_arrays()
    x = numpy.random.default_rng(1).standard_normal(500).astype(ml_dtypes.bfloat16)
    numpy.testing.assert_array_equal(back(upsweep.sort(of(x))), numpy.sort(x))

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


def test_a_gradient_is_not_lost_in_silence():
    torch = pytest.importorskip("torch")
    x = torch.randn(50, requires_grad=True)
    for call in (
        lambda: upsweep.sort(x),
        lambda: upsweep.cumsum(x),
        lambda: upsweep.select(x, x > 0),
        lambda: upsweep.sort_by_key(torch.arange(50), x),
        lambda: upsweep.topk(x, 3),
    ):
        with pytest.raises(RuntimeError, match="requires a gradient, and there are none: pass x.detach"):
            call()
        with torch.no_grad():
            call()
    assert torch.equal(upsweep.argsort(x).long(), torch.argsort(x, stable=True))
    assert torch.equal(upsweep.nonzero(x > 0).long(), (x > 0).nonzero().flatten())


def test_integers_of_64_bits_do_not_wrap():
    torch = pytest.importorskip("torch")
    far = numpy.array([1 << 32, -(1 << 40), 1, (1 << 62) + 1])
    for x in (torch.from_numpy(far), torch.from_numpy(far.view(numpy.uint64))):
        assert upsweep.histogram(x, 3).tolist() == [0, 1, 0]


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

"""The operators of torch, compiled into whole graphs."""

from __future__ import annotations

import numpy
import pytest

import upsweep

torch = pytest.importorskip("torch")
ops = pytest.importorskip("upsweep.torch_ops")


@pytest.fixture(params=["cpu", "cuda"])
def device(request):
    if request.param == "cuda" and not (upsweep.has_cuda() and torch.cuda.is_available()):
        pytest.skip("no GPU")
    return request.param


def test_a_compiled_function_is_one_graph(device):
    def frame(x):
        kept, n = ops.select_counted(x * 2, x > 0)
        return ops.sort(x, True), ops.argsort(x), ops.cumsum(x, 0), kept, n, *ops.sort_pairs(x, x + 1)

    x = torch.randn(700, device=device)
    # The backend traces and checks as inductor does, and needs no compiler.
    compiled = torch.compile(frame, backend="aot_eager", fullgraph=True)
    n = int((x > 0).sum())
    for got, expected in zip(compiled(x), frame(x)):
        assert got.dtype == expected.dtype
        k = n if got.shape == (700,) and expected is not None and torch.equal(got[:n], (x * 2)[x > 0]) else len(got)
        numpy.testing.assert_array_equal(got[:k].cpu().numpy(), expected[:k].cpu().numpy())
    assert torch.equal(compiled(x)[0], torch.sort(x, descending=True).values)


def test_the_operators_are_as_torch_wants_them(device):
    x = torch.randn(50, device=device)
    for op, arguments in (
        (ops.sort, (x, True)),
        (ops.argsort, (x,)),
        (ops.cumsum, (x, 0)),
        (ops.select, (x, x > 0)),
        (ops.sort_pairs, (x, x + 1)),
    ):
        torch.library.opcheck(op, arguments, test_utils=("test_schema", "test_faketensor"))

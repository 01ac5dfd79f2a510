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


def test_more_of_them_compile_into_one_graph(device):
    def frame(x):
        places, n = ops.nonzero_counted(x > 0)
        (kept, twice), _ = ops.compact_counted([x, 2 * x], x > 0)[:2], n
        return ops.topk(x, 3)[0], ops.scan(x, "max", 0), ops.sum_of_parts(x, (x > 0).to(torch.int32)), n, kept + twice, places

    x = torch.randn(900, device=device).round()
    told = torch.compile(frame, backend="aot_eager", fullgraph=True)(x)
    n = int((x > 0).sum())
    assert torch.equal(told[0], torch.topk(x, 3).values) and torch.equal(told[1], torch.cummax(x, 0).values)
    assert int(told[3]) == n
    assert torch.equal(told[4][:n], 3 * x[x > 0]) and torch.equal(told[5][:n].long(), (x > 0).nonzero().flatten())


def test_the_operators_are_as_torch_wants_them(device):
    x = torch.randn(50, device=device)
    groups = torch.arange(50, dtype=torch.int32, device=device) % 7
    for op, arguments in (
        (ops.sort, (x, True)),
        (ops.argsort, (x,)),
        (ops.cumsum, (x, 0)),
        (ops.select, (x, x > 0)),
        (ops.sort_pairs, (x, x + 1)),
        (ops.scan, (x, "max", 0, False, True)),
        (ops.sum_of_parts, (x, torch.arange(50, device=device) // 7)),
        (ops.sum_of_parts, (x, None, torch.tensor([0, 7, 50], device=device), True)),
        (ops.scan_of_parts, (x, "max", torch.arange(50, device=device) // 7)),
        (ops.scan_of_parts, (x, "min", None, torch.tensor([0, 7, 50], device=device), True)),
        (ops.compact_counted, ([x, x.reshape(-1, 1).repeat(1, 3)], x > 0)),
        (ops.partition_counted, (x, x > 0)),
        (ops.nonzero_counted, (x > 0,)),
        (ops.unique_counted, (x,)),
        (ops.reduce_by_key_counted, (x, x)),
        (ops.histogram, (groups, 7)),
        (ops.group_by, (groups, 7)),
        (ops.segmented_sort, (x, torch.tensor([0, 7, 50], device=device))),
        (ops.topk, (x, 5)),
        (ops.searchsorted, (torch.sort(x).values, x)),
        (ops.merge, (torch.sort(x).values, torch.sort(x[:9]).values)),
        (ops.run_length_encode_counted, (groups.sort().values,)),
        (ops.expand_counted, (groups, int(groups.sum()))),
    ):
        torch.library.opcheck(op, arguments, test_utils=("test_schema", "test_faketensor"))

"""The calls on arrays of PyTorch, CuPy and JAX on a GPU."""

from __future__ import annotations

import threading

import numpy
import pytest

import upsweep

sizes = [0, 1, 1000, 100_000, 3_000_001]


def floats(n: int, seed: int = 1) -> numpy.ndarray:
    return numpy.random.default_rng(seed).standard_normal(n).astype(numpy.float32)


def ints(n: int, most: int = 1 << 30, seed: int = 1) -> numpy.ndarray:
    return numpy.random.default_rng(seed).integers(-most, most, n, dtype=numpy.int32)


@pytest.mark.parametrize("n", sizes)
def test_sorts(gpu, n):
    for x in (floats(n), ints(n)):
        got = upsweep.sort(gpu.array(x))
        assert gpu.is_own(got)
        numpy.testing.assert_array_equal(gpu.back(got), numpy.sort(x))
        places = gpu.back(upsweep.argsort(gpu.array(x)))
        assert places.dtype == numpy.int32
        numpy.testing.assert_array_equal(places, numpy.argsort(x, kind="stable"))
        by_bits = gpu.back(upsweep.argsort(gpu.array(x), nan="bits", descending=True))
        numpy.testing.assert_array_equal(x[by_bits], numpy.sort(x)[::-1])


@pytest.mark.parametrize("n", sizes)
def test_selects(gpu, n):
    x = ints(n)
    mask = x % 3 == 0
    got = upsweep.select(gpu.array(x), gpu.array(mask))
    assert gpu.is_own(got)
    numpy.testing.assert_array_equal(gpu.back(got), x[mask])
    numpy.testing.assert_array_equal(gpu.back(upsweep.nonzero(gpu.array(mask), dtype="int32")), numpy.flatnonzero(mask))
    for some in (mask, mask[1:]):
        numpy.testing.assert_array_equal(gpu.back(upsweep.nonzero(gpu.array(mask)[-some.size or n :])), numpy.flatnonzero(some))
    if n:
        kept, count = upsweep.partition(gpu.array(x), gpu.array(mask))
        numpy.testing.assert_array_equal(gpu.back(kept), numpy.concatenate([x[mask], x[~mask]]))
        assert count == mask.sum()


@pytest.mark.parametrize("n", sizes)
def test_sums(gpu, n):
    x = ints(n, 1000)
    got = gpu.back(upsweep.cumsum(gpu.array(x)))
    numpy.testing.assert_array_equal(got, numpy.cumsum(x).astype(got.dtype))
    mask = x > 0
    assert gpu.back(upsweep.cumsum(gpu.array(mask))).dtype.kind == "i"
    if gpu.takes_out and n > 10:
        rows = x[: n // 5 * 5].reshape(-1, 5)
        half = rows.shape[0] // 2
        count = upsweep.DeviceCount(gpu.array(numpy.array([half])), n)
        for reverse in (False, True):
            got = gpu.back(upsweep.cumsum(gpu.array(rows), axis=0, reverse=reverse, n=count))[:half]
            there = rows[:half][::-1] if reverse else rows[:half]
            expected = numpy.cumsum(there, axis=0)[::-1] if reverse else numpy.cumsum(there, axis=0)
            numpy.testing.assert_array_equal(got, expected)
    rows = x[: n // 2 * 2].reshape(-1, 2)
    got = gpu.back(upsweep.cumsum(gpu.array(rows), axis=0))
    numpy.testing.assert_array_equal(got, numpy.cumsum(rows, axis=0).astype(got.dtype))
    y = floats(n)
    same = gpu.back(upsweep.cumsum(gpu.array(y), reproducible=True))
    on_the_host = upsweep.cumsum(y, reproducible=True)
    assert same.tobytes() == on_the_host.tobytes()


def test_reproducible_sums_along_an_axis_have_the_bits_of_the_host(gpu):
    # Lines within a tile, of several, and of more than a group of tiles; one row from its last item on.
    for shape, axis in (((50, 40), 0), ((50, 40), 1), ((30_001, 3), 0), ((3, 30_001), 1), ((120_000, 2), 0), ((2, 3000, 33), 1), ((210_000,), 0)):
        y = floats(int(numpy.prod(shape))).reshape(shape)
        for reverse in (False, True):
            for call in (upsweep.cumsum, upsweep.exclusive_sum):
                got = gpu.back(call(gpu.array(y), axis, reverse=reverse, reproducible=True))
                on_the_host = call(y, axis, reverse=reverse, reproducible=True)
                assert got.tobytes() == on_the_host.tobytes(), f"{shape}, {axis}, reverse={reverse}"
    wide = floats(40_000).astype(numpy.float64).reshape(-1, 2)
    if gpu.name != "jax":
        got = gpu.back(upsweep.cumsum(gpu.array(wide), 0, reproducible=True))
        assert got.tobytes() == upsweep.cumsum(wide, 0, reproducible=True).tobytes()
    y = floats(30_000).reshape(-1, 3)
    if gpu.name != "jax":
        count = upsweep.DeviceCount(gpu.array(numpy.array([7000])), 10_000)
        got = gpu.back(upsweep.cumsum(gpu.array(y), 0, reverse=True, reproducible=True, n=count))[:7000]
        assert got.tobytes() == upsweep.cumsum(y, 0, reverse=True, reproducible=True, n=7000)[:7000].tobytes()


def test_scans_by_key_and_of_segments(gpu):
    r = numpy.random.default_rng(3)
    for n in (1, 700, 100_000, 2_000_001):
        cuts = numpy.unique(numpy.concatenate([[0], r.integers(0, n, max(1, n // 1000)), [n]]))
        offsets = cuts.astype(numpy.int32 if gpu.name == "jax" else numpy.int64)
        keys = numpy.repeat(numpy.arange(cuts.size - 1, dtype=numpy.int32), numpy.diff(cuts))
        x = ints(n)
        ops = {"max": numpy.maximum, "min": numpy.minimum, "or": numpy.bitwise_or, "product": numpy.multiply, "sum": numpy.add}
        for op, f in ops.items():
            for y in (x, x.view(numpy.uint32)) + ((floats(n),) if op in ("max", "min") else ()) + (
                (x.astype(numpy.int64) << 20,) if gpu.name != "jax" else ()
            ):
                expected = numpy.concatenate([f.accumulate(y[a:b], dtype=y.dtype) for a, b in zip(cuts, cuts[1:])])
                for how in ({"keys": gpu.array(keys)}, {"segments": gpu.array(offsets)}):
                    got = gpu.back(upsweep.scan(gpu.array(y), op, **how))
                    numpy.testing.assert_array_equal(got, expected, err_msg=f"{op} of {n} {y.dtype}, {list(how)}")
                    init = y.dtype.type(7)
                    got = gpu.back(upsweep.scan(gpu.array(y), op, exclusive=True, init=7, **how))
                    before = numpy.concatenate(
                        [f.accumulate(numpy.concatenate([[init], y[a : b - 1]]), dtype=y.dtype) for a, b in zip(cuts, cuts[1:])]
                    )
                    numpy.testing.assert_array_equal(got, before, err_msg=f"exclusive {op} of {n} {y.dtype}, {list(how)}")


def test_scans_by_operators(gpu):
    for n in (1, 5000, 100_000, 9_000_001):
        x = ints(n)
        for y in (x, x.view(numpy.uint32), floats(n), x.astype(numpy.int64) << 20 if gpu.name != "jax" else x):
            for op, f in (("max", numpy.maximum), ("min", numpy.minimum)):
                got = gpu.back(upsweep.scan(gpu.array(y), op))
                numpy.testing.assert_array_equal(got, f.accumulate(y), err_msg=f"{op} of {n} {y.dtype}")
        for op, f in (("and", numpy.bitwise_and), ("or", numpy.bitwise_or), ("xor", numpy.bitwise_xor)):
            y = x | 0x55 if op == "and" else x
            numpy.testing.assert_array_equal(gpu.back(upsweep.scan(gpu.array(y), op)), f.accumulate(y), err_msg=op)
        got = gpu.back(upsweep.scan(gpu.array(x | 1), "product"))
        numpy.testing.assert_array_equal(got, numpy.multiply.accumulate(x | 1, dtype=numpy.int32))
        got = gpu.back(upsweep.scan(gpu.array(x), "sum", exclusive=True, init=-5))
        numpy.testing.assert_array_equal(got, numpy.cumsum(numpy.concatenate([[-5], x[:-1]]), dtype=numpy.int32))
        got = gpu.back(upsweep.scan(gpu.array(x), "max", exclusive=True))
        assert got[0] == numpy.iinfo(numpy.int32).min


def test_rows_of_every_size(gpu):
    if gpu.name == "jax":
        return
    for columns in (1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 16, 17):
        for n in (700, 300_001):
            x = ints(n * columns).reshape(n, columns)
            mask = x[:, 0] % 3 == 0
            numpy.testing.assert_array_equal(gpu.back(upsweep.select(gpu.array(x), gpu.array(mask))), x[mask])
            flat = gpu.array(numpy.concatenate([[0], x.ravel()]).astype(numpy.int32))[1:].reshape(n, columns)
            numpy.testing.assert_array_equal(gpu.back(upsweep.select(flat, gpu.array(mask))), x[mask])


def test_topk_of_every_type(gpu):
    for n in (3000, 2_000_000):
        x = ints(n)
        for y in (x, x.view(numpy.uint32), floats(n)) + ((x.astype(numpy.int64) << 20,) if gpu.name != "jax" else ()):
            for k in (1, 100, 3000):
                for largest in (True, False):
                    values, places = upsweep.topk(gpu.array(y), k, largest=largest)
                    expected = numpy.sort(y)[::-1][:k] if largest else numpy.sort(y)[:k]
                    numpy.testing.assert_array_equal(gpu.back(values), expected)
                    numpy.testing.assert_array_equal(y[gpu.back(places)], expected)


def test_runs_and_groups(gpu):
    x = numpy.sort(ints(50_000, 500))
    for got, expected in zip(
        upsweep.unique(gpu.array(x), counts=True, inverse=True),
        numpy.unique(x, return_inverse=True, return_counts=True),
    ):
        numpy.testing.assert_array_equal(gpu.back(got), expected)
    for y in (ints(70_001, 500), floats(70_001), ints(3_000_001)):
        numpy.testing.assert_array_equal(gpu.back(upsweep.unique(gpu.array(y))), numpy.unique(y))
    groups = numpy.abs(ints(50_000, 16))
    places, offsets = upsweep.group_by(gpu.array(groups), 17)
    numpy.testing.assert_array_equal(gpu.back(places), numpy.argsort(groups, kind="stable"))
    numpy.testing.assert_array_equal(gpu.back(upsweep.histogram(gpu.array(groups), 17)), numpy.bincount(groups, minlength=17))
    values, at = upsweep.topk(gpu.array(x), 10)
    numpy.testing.assert_array_equal(gpu.back(values), numpy.sort(x)[::-1][:10])
    numpy.testing.assert_array_equal(x[gpu.back(at)], gpu.back(values))
    offsets = numpy.array([0, 20, 20, 50_000], numpy.int64)
    if gpu.name != "jax":
        y = ints(50_000)
        got = gpu.back(upsweep.segmented_sort(gpu.array(y), gpu.array(offsets)))
        numpy.testing.assert_array_equal(got, numpy.concatenate([numpy.sort(y[:20]), numpy.sort(y[20:])]))
    z = floats(50_000)
    keys, values = upsweep.sort_by_key(gpu.array(x % 7), gpu.array(z))
    numpy.testing.assert_array_equal(gpu.back(values), z[numpy.argsort(x % 7, kind="stable")])


def test_a_count_stays_on_the_gpu(gpu):
    x = ints(100_000)
    if not gpu.takes_out:
        with pytest.raises(TypeError, match="JAX"):
            upsweep.select(gpu.array(x), gpu.array(x > 0), count="device")
        return
    kept, n = upsweep.select(gpu.array(x), gpu.array(x > 0), count="device")
    ordered = upsweep.sort(kept, n=n)
    places = upsweep.argsort(kept, n=n)
    sums = upsweep.cumsum(ordered, n=n, dtype="int32")
    expected = numpy.sort(x[x > 0])
    assert int(n) == len(expected)
    numpy.testing.assert_array_equal(gpu.back(ordered)[: int(n)], expected)
    numpy.testing.assert_array_equal(x[x > 0][gpu.back(places)[: int(n)]], expected)
    numpy.testing.assert_array_equal(gpu.back(sums)[: int(n)], numpy.cumsum(expected, dtype=numpy.int32))


def test_runs_and_groups_into_arrays(gpu):
    if not gpu.takes_out:
        return
    x = frame_inputs(3)
    kept = x[x > 0]
    a, lengths = gpu.array(numpy.sort(kept)), gpu.array(numpy.zeros(kept.size, numpy.int32))
    items, n = gpu.array(numpy.zeros_like(kept)), upsweep.DeviceCount.empty(a, kept.size)
    told = upsweep.run_length_encode(a, out=(items, lengths), count=n)
    assert told[0] is items and told[1] is lengths and told[2] is n
    for got, expected in zip(told, numpy.unique(kept, return_counts=True)):
        numpy.testing.assert_array_equal(gpu.back(got)[: int(n)], expected)
    places, offsets = gpu.array(numpy.zeros(kept.size, numpy.int32)), gpu.array(numpy.zeros(91, numpy.int64))
    assert upsweep.group_by(gpu.array(kept), 90, out=(places, offsets))[0] is places
    numpy.testing.assert_array_equal(gpu.back(places), numpy.argsort(kept, kind="stable"))
    counts = gpu.array(numpy.zeros(90, numpy.int32))
    assert upsweep.histogram(gpu.array(kept), 90, out=counts) is counts
    numpy.testing.assert_array_equal(gpu.back(counts), numpy.diff(gpu.back(offsets)))
    owners = gpu.array(numpy.zeros(kept.size, numpy.int32))
    assert upsweep.expand(counts, total=kept.size, out=owners) is owners
    numpy.testing.assert_array_equal(gpu.back(owners), numpy.sort(kept))
    with pytest.raises(ValueError, match=r"out\[0\] shares memory with x"):
        upsweep.run_length_encode(a, out=(a, lengths))


def test_plans(gpu):
    x = floats(10_000)
    if not gpu.takes_out:
        with pytest.raises(ValueError, match="out is .* read-only"):
            upsweep.sort_plan(gpu.array(x))(gpu.array(x), gpu.array(x))
        return
    a, out = gpu.array(x), gpu.array(numpy.zeros_like(x))
    upsweep.sort_plan(a)(a, out)
    numpy.testing.assert_array_equal(gpu.back(out), numpy.sort(x))
    mask, count = gpu.array(x > 0), gpu.array(numpy.zeros(1, numpy.int64))
    upsweep.select_plan(a, mask)(a, mask, out, count)
    numpy.testing.assert_array_equal(gpu.back(out)[: int(count[0])], x[x > 0])
    with pytest.raises(ValueError, match="the plan expects a dense float32"):
        upsweep.sort_plan(a)(a, a[:10])


def test_refuses_what_lies_elsewhere(gpu):
    x = floats(10)
    with pytest.raises(ValueError, match="nothing is copied between devices"):
        upsweep.select(gpu.array(x), x > 0)
    with pytest.raises(TypeError if not gpu.takes_out else ValueError):
        upsweep.sort(x, out=gpu.array(x))


def test_a_frame_in_a_graph_of_torch():
    torch = pytest.importorskip("torch")
    if not (torch.cuda.is_available() and upsweep.has_cuda()):
        pytest.skip("no GPU")
    x = torch.from_numpy(ints(200_000)).cuda()
    mask = torch.empty(200_000, dtype=torch.bool, device="cuda")
    kept, ordered, sums = (torch.empty_like(x) for _ in range(3))
    n = upsweep.DeviceCount.empty(x, 200_000)

    def frame():
        torch.gt(x, 0, out=mask)
        upsweep.select(x, mask, out=kept, count=n)
        upsweep.sort(kept, out=ordered, n=n)
        upsweep.cumsum(ordered, out=sums, n=n, dtype="int32")

    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        frame()
    for seed in range(5):
        new = ints(200_000, seed=seed)
        x.copy_(torch.from_numpy(new))
        # What a graph uses must not be anybody else's between its replays.
        upsweep.sort(torch.from_numpy(ints(500_000, seed=9)).cuda())
        graph.replay()
        expected = numpy.sort(new[new > 0])
        assert int(n) == len(expected)
        numpy.testing.assert_array_equal(sums.cpu().numpy()[: len(expected)], numpy.cumsum(expected, dtype=numpy.int32))


def frame_of(x, mask):
    """All of a frame: what it gives, none of which is ever waited for."""
    kept, n = upsweep.select(x, mask, count="device")
    different, lengths, runs = upsweep.unique(kept, counts=True, n=n, count="device")
    keys, places = upsweep.sort_by_key(kept, kept, n=n)
    best, at = upsweep.topk(keys, 7, n=n)
    highest = upsweep.scan(kept, "max", n=n)
    groups, offsets = upsweep.group_by(kept, 64, n=n)
    owners, total = upsweep.expand(lengths, total=x.shape[0], n=runs, count="device")
    together = upsweep.merge(keys, different, n_a=n, n_b=runs)
    return [n, different, lengths, runs, keys, places, best, at, highest, groups, offsets, owners, total, together, kept]


def check_frame(told, x: numpy.ndarray, back):
    n, different, lengths, runs, keys, places, best, at, highest, groups, offsets, owners, total, together, _ = told
    kept = x[x > 0]
    of, how_often = numpy.unique(kept, return_counts=True)
    assert int(n) == kept.size and int(runs) == of.size and int(total) == kept.size
    ordered = numpy.sort(kept)
    order = numpy.flatnonzero(kept < 64)
    order = order[numpy.argsort(kept[order], kind="stable")]
    k = min(7, kept.size)
    for got, expected in (
        (different, of),
        (lengths, how_often),
        (keys, ordered),
        (places, ordered),
        (best, ordered[::-1][:k]),
        (highest, numpy.maximum.accumulate(kept) if kept.size else kept),
        (groups, order),
        (offsets, numpy.concatenate([[0], numpy.cumsum(numpy.bincount(kept[kept < 64], minlength=64))])),
        (owners, numpy.repeat(numpy.arange(of.size), how_often)),
        (together, numpy.sort(numpy.concatenate([kept, of]), kind="stable")),
    ):
        numpy.testing.assert_array_equal(back(got)[: len(expected)], expected)
    numpy.testing.assert_array_equal(ordered[back(at)[:k]], ordered[::-1][:k])


def frame_inputs(seed: int, n: int = 100_000) -> numpy.ndarray:
    """Few or many of which are kept, none of them once."""
    r = numpy.random.default_rng(seed)
    x = r.integers(1, 90, n, dtype=numpy.int32)
    x[r.random(n) < (0.1, 0.9, 1.0, 0.5, 0.0)[seed % 5]] *= -1
    return x


def test_a_whole_frame_in_a_graph_of_torch():
    torch = pytest.importorskip("torch")
    if not (torch.cuda.is_available() and upsweep.has_cuda()):
        pytest.skip("no GPU")
    x = torch.from_numpy(frame_inputs(3)).cuda()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        told = frame_of(x, x > 0)
    for seed in range(6):
        new = frame_inputs(seed)
        x.copy_(torch.from_numpy(new))
        upsweep.sort(torch.from_numpy(ints(500_000, seed=9)).cuda())
        graph.replay()
        check_frame(told, new, lambda a: a.cpu().numpy())


def test_a_whole_frame_in_a_graph_of_cupy():
    cupy = pytest.importorskip("cupy")
    if not upsweep.has_cuda():
        pytest.skip("no CUDA kernels")
    stream = cupy.cuda.Stream(non_blocking=True)
    x = cupy.asarray(frame_inputs(3))
    cupy.cuda.Device().synchronize()
    with stream:
        # CuPy's pool allocates nothing while it is captured: what the frame needs lies there afterwards.
        warm = [frame_of(x, x > 0) for _ in range(2)]
        del warm
        stream.begin_capture()
        told = frame_of(x, x > 0)
        graph = stream.end_capture()
        for seed in range(6):
            new = frame_inputs(seed)
            x.set(new, stream)
            upsweep.sort(cupy.asarray(ints(500_000, seed=9)))
            graph.launch(stream)
            stream.synchronize()
            check_frame(told, new, cupy.asnumpy)


def test_a_wait_while_a_stream_is_captured_is_refused():
    torch = pytest.importorskip("torch")
    if not (torch.cuda.is_available() and upsweep.has_cuda()):
        pytest.skip("no GPU")
    x = torch.arange(1000, device="cuda")
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        with pytest.raises(RuntimeError, match='cannot wait for a count.*count="device"'):
            upsweep.select(x, x > 3)
    assert upsweep.select(x, x > 3).numel() == 996


def test_nan_orders(gpu):
    x = floats(100_001)
    x[::5] = numpy.nan
    x[::7] = -x[::7]
    numbers, nans = numpy.flatnonzero(~numpy.isnan(x)), numpy.flatnonzero(numpy.isnan(x))
    order = numbers[numpy.argsort(x[numbers], kind="stable")]
    for nan, expected in (("last", numpy.concatenate([order, nans])), ("first", numpy.concatenate([nans, order]))):
        keys, moved = upsweep.sort_by_key(gpu.array(x), gpu.array(numpy.arange(x.size, dtype=numpy.int32)), nan=nan)
        numpy.testing.assert_array_equal(gpu.back(moved), expected)
        assert gpu.back(keys).tobytes() == x[expected].tobytes()
        assert gpu.back(upsweep.topk(gpu.array(x), 9, largest=False, nan=nan)[0]).tobytes() == x[expected][:9].tobytes()
        assert gpu.back(upsweep.sort(gpu.array(x), nan=nan)).tobytes() == x[expected].tobytes()


def test_numba_arrays():
    cuda = pytest.importorskip("numba.cuda")
    if not (upsweep.has_cuda() and cuda.is_available()):
        pytest.skip("no GPU")
    x = ints(5000)
    got = upsweep.sort(cuda.to_device(x))
    assert type(got).__module__.startswith("numba")
    numpy.testing.assert_array_equal(got.copy_to_host(), numpy.sort(x))
    kept = upsweep.select(cuda.to_device(x), cuda.to_device(x > 0))
    numpy.testing.assert_array_equal(kept.copy_to_host(), x[x > 0])


def test_a_frame_on_a_stream_of_numba_in_a_graph_of_cupy():
    """numba has no graphs; its streams can be captured by others."""
    cuda, cupy = pytest.importorskip("numba.cuda"), pytest.importorskip("cupy")
    if not (upsweep.has_cuda() and cuda.is_available()):
        pytest.skip("no GPU")
    x = ints(100_000)
    stream = cuda.stream()
    a, mask = cuda.to_device(x, stream=stream), cuda.to_device(x > 0, stream=stream)
    kept, ordered = cuda.device_array(x.size, numpy.int32, stream=stream), cuda.device_array(x.size, numpy.int32, stream=stream)
    n = upsweep.DeviceCount(cuda.device_array(1, numpy.int64, stream=stream), x.size)
    handle = getattr(stream.handle, "value", stream.handle)
    captured = cupy.cuda.ExternalStream(int(handle))
    stream.synchronize()
    captured.begin_capture()
    upsweep.select(a, mask, out=kept, count=n)
    upsweep.sort(kept, out=ordered, n=n)
    graph = captured.end_capture()
    graph.launch(captured)
    stream.synchronize()
    numpy.testing.assert_array_equal(ordered.copy_to_host()[: int(n)], numpy.sort(x[x > 0]))


def test_arrays_of_the_second_gpu():
    torch = pytest.importorskip("torch")
    if not (upsweep.has_cuda() and torch.cuda.device_count() > 1):
        pytest.skip("fewer than two GPUs")
    x = ints(100_000)
    here, there = torch.from_numpy(x).cuda(0), torch.from_numpy(x).cuda(1)
    for call in (
        lambda: upsweep.sort(here, out=torch.empty_like(there)),
        lambda: upsweep.select(here, there > 0),
        lambda: upsweep.sort_by_key(here, there),
        lambda: upsweep.sort(here, n=upsweep.DeviceCount(torch.tensor([5], device="cuda:1"), 9)),
    ):
        with pytest.raises(ValueError, match="GPU 0 .*GPU 1|GPU 1 .*GPU 0"):
            call()
    plan = upsweep.sort_plan(there)
    with pytest.raises(ValueError, match="on GPU 0; the plan expects a dense int32 of shape .* on GPU 1"):
        plan(here, torch.empty_like(here))
    for current in (0, 1):
        with torch.cuda.device(current):
            for y in (here, there):
                got = upsweep.sort(y)
                assert got.device == y.device and torch.cuda.current_device() == current
                numpy.testing.assert_array_equal(got.cpu().numpy(), numpy.sort(x))
                kept = upsweep.select(y, y > 0)
                numpy.testing.assert_array_equal(kept.cpu().numpy(), x[x > 0])
            plan(there, out := torch.empty_like(there))
            numpy.testing.assert_array_equal(out.cpu().numpy(), numpy.sort(x))


def test_numba_arrays_of_the_second_gpu():
    cuda = pytest.importorskip("numba.cuda")
    if not (upsweep.has_cuda() and cuda.is_available() and len(cuda.gpus) > 1):
        pytest.skip("fewer than two GPUs")
    x = ints(5000)
    with cuda.gpus[1]:
        a, out = cuda.to_device(x), cuda.device_array(x.size, numpy.int32)
        assert upsweep._core.read(a, "a").device == 1  # which numba does not tell
        upsweep.sort(a, out=out)
        numpy.testing.assert_array_equal(out.copy_to_host(), numpy.sort(x))


def test_threads_and_streams_of_torch():
    torch = pytest.importorskip("torch")
    if not (torch.cuda.is_available() and upsweep.has_cuda()):
        pytest.skip("no GPU")
    wrong = []

    def work(seed):
        with torch.cuda.stream(torch.cuda.Stream()):
            for i in range(50):
                host = ints(1 + 1777 * (seed + i), seed=seed * 100 + i)
                x = torch.from_numpy(host).cuda()
                if not numpy.array_equal(upsweep.sort(x).cpu().numpy(), numpy.sort(host)):
                    wrong.append((seed, i))
                kept = upsweep.select(x, x > 0)
                if not numpy.array_equal(kept.cpu().numpy(), host[host > 0]):
                    wrong.append((seed, i))

    threads = [threading.Thread(target=work, args=(s,)) for s in range(6)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert wrong == []


def test_arrays_of_jax_are_not_written():
    torch, jax = pytest.importorskip("torch"), pytest.importorskip("jax")
    if not (torch.cuda.is_available() and upsweep.has_cuda() and jax.default_backend() == "gpu"):
        pytest.skip("no GPU")
    x = torch.arange(1000, dtype=torch.int32, device="cuda")
    out, count = jax.numpy.zeros(1000, jax.numpy.int32), upsweep.DeviceCount.empty(x, 1000)
    for call in (
        lambda: upsweep.sort(x, out=out),
        lambda: upsweep.argsort(x, out=out),
        lambda: upsweep.select(x, x > 3, out=out, count=count),
        lambda: upsweep.nonzero(x > 3, out=out, count=count),
    ):
        with pytest.raises(TypeError, match="out is an array of JAX, which cannot be written"):
            call()
    assert (numpy.asarray(out) == 0).all()


def test_a_large_workspace_spares_little():
    torch = pytest.importorskip("torch")
    if not (torch.cuda.is_available() and upsweep.has_cuda()):
        pytest.skip("no GPU")
    upsweep.free_workspaces()
    x = torch.zeros(1 << 26, dtype=torch.int32, device="cuda")
    upsweep.argsort(x)
    needed = upsweep.argsort_plan(x).workspace_bytes
    assert needed <= upsweep.workspace_bytes_held() <= needed + (32 << 20)
    upsweep.free_workspaces()


def test_memory_does_not_grow():
    torch = pytest.importorskip("torch")
    if not (torch.cuda.is_available() and upsweep.has_cuda()):
        pytest.skip("no GPU")
    x = torch.from_numpy(ints(1024)).cuda()
    mask, out = x > 0, torch.empty_like(x)
    count = upsweep.DeviceCount.empty(x, 1024)
    upsweep.select(x, mask, out=out, count=count)
    torch.cuda.synchronize()
    import resource

    held, free = upsweep.workspace_bytes_held(), torch.cuda.mem_get_info()[0]
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for _ in range(1_000_000):
        upsweep.select(x, mask, out=out, count=count)
    torch.cuda.synchronize()
    assert upsweep.workspace_bytes_held() == held
    assert free - torch.cuda.mem_get_info()[0] < 4 << 20
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 8 << 10

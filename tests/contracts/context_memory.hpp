// What atomics, ordered accesses, fences, vector and streaming accesses and shared memory of the block context mean.
#pragma once

#include <cstdint>
#include <type_traits>
#include <vector>

#include "contracts/context_checks.hpp"
#include "support/random_items.hpp"
#include "upsweep/simt/warp_types.hpp"

namespace upsweep::test {

/// The cells that a whole grid updates: sum, least, greatest, conjunction, disjunction, parity.
inline constexpr int atomic_cells = 6;

template <class T>
std::vector<T> fresh_cells() {
  return {T{0}, T{100}, T{100}, static_cast<T>(~T{0}), T{0}, T{0}};
}

/// Every thread updates cells of the device and cells of its block. Shared cells are checked by the block.
template <class T>
struct atomics_kernel {
  static constexpr int block_threads = 64;
  struct temp_storage {
    T cell[atomic_cells];
  };

  template <class Ctx>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage& s, int* lines, T* cells, std::uint32_t* tickets) const {
    const kernel_checks check(block, lines);
    const int rank = block.thread_rank();
    if (rank == 0) {
      s.cell[0] = s.cell[4] = s.cell[5] = T{0};
      s.cell[1] = s.cell[2] = T{100};
      s.cell[3] = static_cast<T>(~T{0});
    }
    block.barrier();
    const T old = update(block, s.cell, rank, block_scope);
    check.that(old < T{block_threads});
    block.barrier();
    check.that(s.cell[0] == T{block_threads});
    check.that(s.cell[1] == T{10});
    check.that(s.cell[2] == T{100 + 63});
    check.that(s.cell[3] == static_cast<T>(~T{0} ^ T{63}));
    check.that(s.cell[4] == T{63});
    check.that(s.cell[5] == T{0});
    const T ticket = update(block, cells, rank, device_scope);
    block.atomic_add(tickets + ticket, 1u);
  }

 private:
  template <class Ctx, class Scope>
  UPSWEEP_DEVICE T update(Ctx& block, T* cell, int rank, Scope scope) const {
    const T value = static_cast<T>(rank);
    block.atomic_min(cell + 1, static_cast<T>(10 + 63 - rank), scope);
    block.atomic_max(cell + 2, static_cast<T>(100 + rank), scope);
    block.atomic_and(cell + 3, static_cast<T>(~value), scope);
    block.atomic_or(cell + 4, value, scope);
    block.atomic_xor(cell + 5, value, scope);
    return block.atomic_add(cell, T{1}, scope);
  }
};

/// Signed and negative, and floating-point, where the sign or the rounding could be lost.
template <class T>
struct signed_atomics_kernel {
  static constexpr int block_threads = 64;
  struct temp_storage {};

  template <class Ctx>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage&, int*, T* cells) const {
    const T value = static_cast<T>(block.thread_rank() - 40);
    block.atomic_add(cells, value);
    if constexpr (std::is_integral_v<T>) {
      block.atomic_min(cells + 1, value);
      block.atomic_max(cells + 2, static_cast<T>(value - 100));
    }
  }
};

/// Sixteen bytes that are read and written at once.
struct alignas(16) pair16 {
  std::uint64_t count, total;
  friend UPSWEEP_HOST_DEVICE bool operator==(const pair16& a, const pair16& b) {
    return a.count == b.count && a.total == b.total;
  }
};

template <class T>
UPSWEEP_DEVICE T numbered(std::uint32_t i) {
  if constexpr (std::is_same_v<T, pair16>) {
    return {i, ~std::uint64_t{i}};
  } else {
    return static_cast<T>(i);
  }
}
template <class T>
UPSWEEP_DEVICE std::uint32_t number_of(const T& v) {
  if constexpr (std::is_same_v<T, pair16>) {
    return static_cast<std::uint32_t>(v.count);
  } else {
    return static_cast<std::uint32_t>(v);
  }
}

/// Each thread puts numbers of its own into the cell and marks what it took out: in the end all but one have been taken
/// out once. Then all count the second cell up by compare and exchange.
template <class T>
struct exchange_kernel {
  static constexpr int block_threads = 64;
  static constexpr std::uint32_t exchanges = 16;
  struct temp_storage {};

  template <class Ctx>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage&, int* lines, T* cells, std::uint32_t* taken) const {
    const kernel_checks check(block, lines);
    const auto me = static_cast<std::uint32_t>(block.block_index() * block_threads + block.thread_rank());
    for (std::uint32_t i = 0; i < exchanges; ++i) {
      const T old = block.atomic_exchange(cells, numbered<T>(me * exchanges + i + 1));
      check.that(old == numbered<T>(number_of(old)));
      block.atomic_add(taken + number_of(old), 1u);
    }

    T seen = numbered<T>(0);
    for (;;) {
      const T next = numbered<T>(number_of(seen) + 1);
      const T found = block.atomic_compare_exchange(cells + 1, seen, next);
      if (found == seen) break;
      check.that(found == numbered<T>(number_of(found)));
      seen = found;
    }
  }
};

/// A message of any size an ordered access can have: all its bytes are the same, so that a torn one shows.
template <int Bytes>
struct alignas(Bytes) message {
  unsigned char byte[Bytes];

  static UPSWEEP_DEVICE message of(std::int64_t i) {
    message m;
    for (int b = 0; b < Bytes; ++b) m.byte[b] = static_cast<unsigned char>(i % 200 + 1);
    return m;
  }
  UPSWEEP_DEVICE bool is_of(std::int64_t i) const {
    bool same = true;
    for (int b = 0; b < Bytes; ++b) same = same && byte[b] == static_cast<unsigned char>(i % 200 + 1);
    return same;
  }
};

enum class passing { release_acquire, relaxed_with_fences };

/// Each block waits for the message of the block that started before it, reads that one's plain data, and sends its
/// own.
template <int Bytes, passing How>
struct message_kernel {
  static constexpr int block_threads = 64;
  struct temp_storage {
    std::uint32_t ticket;
  };

  template <class Ctx>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage& s, int* lines, std::uint32_t* tickets,
                                 message<Bytes>* messages, int* data) const {
    const kernel_checks check(block, lines);
    const int rank = block.thread_rank();
    if (rank == 0) s.ticket = block.atomic_add(tickets, 1u);
    block.barrier();
    const std::int64_t mine = s.ticket;
    if (mine > 0) {
      if (rank == 0) {
        for (;;) {
          const message<Bytes> m = How == passing::release_acquire ? block.load_acquire(messages + mine - 1)
                                                                   : block.load_relaxed(messages + mine - 1);
          if (m.byte[0] != 0) {
            check.that(m.is_of(mine - 1));
            break;
          }
          block.back_off();
        }
        if (How == passing::relaxed_with_fences) block.fence();
      }
      block.barrier();
      const int other = block_threads - 1 - rank;
      check.that(data[(mine - 1) * block_threads + other] == static_cast<int>((mine - 1) * 1000 + other));
    }
    data[mine * block_threads + rank] = static_cast<int>(mine * 1000 + rank);
    block.barrier();
    if (rank == 0) {
      if (How == passing::release_acquire) {
        block.store_release(messages + mine, message<Bytes>::of(mine));
      } else {
        block.fence();
        block.store_relaxed(messages + mine, message<Bytes>::of(mine));
      }
    }
  }
};

/// The same between two warps of a block, at block scope, in shared memory.
template <int Bytes, passing How>
struct block_message_kernel {
  static constexpr int block_threads = 64;
  struct temp_storage {
    message<Bytes> sent;
    int data;
  };

  template <class Ctx>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage& s, int* lines) const {
    const kernel_checks check(block, lines);
    if (block.thread_rank() == 0) block.store_relaxed(&s.sent, message<Bytes>{}, block_scope);
    block.barrier();
    if (block.thread_rank() == 40) {
      s.data = 4711;
      if (How == passing::release_acquire) {
        block.store_release(&s.sent, message<Bytes>::of(9), block_scope);
      } else {
        block.fence(block_scope);
        block.store_relaxed(&s.sent, message<Bytes>::of(9), block_scope);
      }
    }
    if (block.thread_rank() == 7) {
      for (;;) {
        const message<Bytes> m = How == passing::release_acquire ? block.load_acquire(&s.sent, block_scope)
                                                                 : block.load_relaxed(&s.sent, block_scope);
        if (m.byte[0] != 0) {
          check.that(m.is_of(9));
          break;
        }
        block.back_off();
      }
      if (How == passing::relaxed_with_fences) block.fence(block_scope);
      check.that(s.data == 4711);
    }
  }
};

/// Copies by vectors of N.
template <class T, int N>
struct vector_kernel {
  static constexpr int block_threads = 64;
  struct temp_storage {};

  template <class Ctx>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage&, int* lines, const T* in, T* out) const {
    const kernel_checks check(block, lines);
    const std::int64_t at = (block.block_index() * block_threads + block.thread_rank()) * N;
    const vector_of<T, N> v = block.template load_vector<N>(in + at);
    for (int i = 0; i < N; ++i) check.that(v.item[i] == in[at + i]);
    block.store_vector(out + at, v);
  }
};

struct streaming_kernel {
  static constexpr int block_threads = 64;
  struct temp_storage {};

  template <class Ctx, class T>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage&, int*, const T* in, T* out) const {
    const std::int64_t at = block.block_index() * block_threads + block.thread_rank();
    block.store_streaming(out + at, block.load_streaming(in + at));
  }
};

/// Static and dynamic shared memory are each the block's own, do not overlap, and have the sizes that were asked for.
template <int StorageBytes>
struct shared_memory_kernel {
  static constexpr int block_threads = 128;
  struct temp_storage {
    alignas(16) unsigned char bytes[StorageBytes];
  };

  template <class Ctx>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage& s, int* lines, int dynamic_bytes) const {
    const kernel_checks check(block, lines);
    check.that(block.dynamic_shared_bytes() == static_cast<std::size_t>(dynamic_bytes));
    auto* const dynamic = static_cast<unsigned char*>(block.dynamic_shared());
    check.that(reinterpret_cast<std::uintptr_t>(dynamic) % 1024 == 0);
    check.that(reinterpret_cast<std::uintptr_t>(&s) % alignof(temp_storage) == 0);
    const auto salt = static_cast<int>(block.block_index());
    for (int i = block.thread_rank(); i < StorageBytes; i += block_threads) {
      s.bytes[i] = static_cast<unsigned char>(i * 3 + salt);
    }
    for (int i = block.thread_rank(); i < dynamic_bytes; i += block_threads) {
      dynamic[i] = static_cast<unsigned char>(i * 5 + salt + 1);
    }
    block.barrier();
    for (int i = block_threads - 1 - block.thread_rank(); i < StorageBytes; i += block_threads) {
      check.that(s.bytes[i] == static_cast<unsigned char>(i * 3 + salt));
    }
    for (int i = block_threads - 1 - block.thread_rank(); i < dynamic_bytes; i += block_threads) {
      check.that(dynamic[i] == static_cast<unsigned char>(i * 5 + salt + 1));
    }
  }
};

template <class Stream>
struct context_memory {
  using device_type = test_device<Stream>;
  /// Enough for the sim to use several threads of the CPU.
  static constexpr std::int64_t blocks = 160;
  static constexpr std::size_t threads = blocks * 64;

  template <class T>
  static void atomics_of(device_type& device) {
    guarded_array<T, Stream> cells(device, fresh_cells<T>());
    guarded_array<std::uint32_t, Stream> tickets(device, std::vector<std::uint32_t>(threads, 0));
    expect_checks_hold(device, blocks, atomics_kernel<T>{}, cells.data(), tickets.data());
    const std::vector<T> expected = {static_cast<T>(threads),       T{10}, T{163},
                                     static_cast<T>(~T{0} ^ T{63}), T{63}, T{0}};
    EXPECT_TRUE(same_items(cells.items(), expected));
    EXPECT_TRUE(same_items(tickets.items(), std::vector<std::uint32_t>(threads, 1)));
  }
  template <class T>
  static void signed_atomics_of(device_type& device) {
    guarded_array<T, Stream> cells(device, std::vector<T>{T{1}, T{0}, T{-1000}});
    expect_checks_hold(device, blocks, signed_atomics_kernel<T>{}, cells.data());
    T sum = 1;
    for (int rank = 0; rank < 64; ++rank) sum += static_cast<T>(blocks * (rank - 40));
    std::vector<T> expected = {sum, T{0}, T{-1000}};
    if (std::is_integral_v<T>) expected = {sum, T{-40}, T{-77}};
    EXPECT_TRUE(same_items(cells.items(), expected));
  }
  static void atomics(device_type& device) {
    atomics_of<std::uint32_t>(device);
    atomics_of<std::int32_t>(device);
    atomics_of<std::uint64_t>(device);
    atomics_of<std::int64_t>(device);
    signed_atomics_of<std::int32_t>(device);
    signed_atomics_of<std::int64_t>(device);
    signed_atomics_of<float>(device);
    signed_atomics_of<double>(device);
  }

  template <class T>
  static void exchanges_of(device_type& device) {
    guarded_array<T, Stream> cells(device, std::vector<T>{numbered<T>(0), numbered<T>(0)});
    constexpr std::size_t numbers = threads * exchange_kernel<T>::exchanges + 1;
    guarded_array<std::uint32_t, Stream> taken(device, std::vector<std::uint32_t>(numbers, 0));
    expect_checks_hold(device, blocks, exchange_kernel<T>{}, cells.data(), taken.data());
    const std::vector<T> now = cells.items();
    std::vector<std::uint32_t> expected(numbers, 1);
    expected[number_of(now[0])] = 0;
    EXPECT_TRUE(same_items(taken.items(), expected));
    EXPECT_TRUE(now[1] == numbered<T>(threads));
  }
  static void exchanges(device_type& device) {
    exchanges_of<std::uint32_t>(device);
    exchanges_of<std::int64_t>(device);
    exchanges_of<float>(device);
    exchanges_of<double>(device);
  }
  static void exchanges_of_16_bytes(device_type& device) {
    if (!device.has_16_byte_atomics()) GTEST_SKIP() << "atomics of 16 bytes need sm_90";
    exchanges_of<pair16>(device);
  }

  template <int Bytes, passing How>
  static void messages_of(device_type& device) {
    constexpr std::size_t many = 100;
    guarded_array<std::uint32_t, Stream> tickets(device, std::vector<std::uint32_t>{0});
    guarded_array<message<Bytes>, Stream> messages(device, std::vector<message<Bytes>>(many));
    guarded_array<int, Stream> data(device, many * 64);
    expect_checks_hold(device, many, message_kernel<Bytes, How>{}, tickets.data(), messages.data(), data.data());
    messages.expect_guards();
    data.expect_guards();
    expect_checks_hold(device, 3, block_message_kernel<Bytes, How>{});
  }
  template <passing How>
  static void messages(device_type& device) {
    messages_of<1, How>(device);
    messages_of<2, How>(device);
    messages_of<4, How>(device);
    messages_of<8, How>(device);
    messages_of<16, How>(device);
  }

  template <class T, int N>
  static void vectors_of(device_type& device) {
    const auto items = random_items<T>(threads * N);
    guarded_array<T, Stream> in(device, items), out(device, items.size());
    expect_checks_hold(device, blocks, vector_kernel<T, N>{}, static_cast<const T*>(in.data()), out.data());
    EXPECT_TRUE(same_items(out.items(), items));
    in.expect_unchanged();
  }
  static void vectors(device_type& device) {
    vectors_of<std::uint8_t, 4>(device);
    vectors_of<std::uint8_t, 16>(device);
    vectors_of<std::uint16_t, 2>(device);
    vectors_of<std::uint32_t, 1>(device);
    vectors_of<std::uint32_t, 4>(device);
    vectors_of<float, 2>(device);
    vectors_of<std::uint64_t, 2>(device);
  }

  template <class T>
  static void streaming_of(device_type& device) {
    std::vector<T> items(threads);
    const auto bytes = random_items<std::uint8_t>(threads * sizeof(T));
    std::memcpy(static_cast<void*>(items.data()), bytes.data(), bytes.size());
    guarded_array<T, Stream> in(device, items), out(device, items.size());
    expect_checks_hold(device, blocks, streaming_kernel{}, static_cast<const T*>(in.data()), out.data());
    const std::vector<T> now = out.items();
    EXPECT_EQ(std::memcmp(now.data(), bytes.data(), bytes.size()), 0);
  }
  static void streaming(device_type& device) {
    streaming_of<std::uint8_t>(device);
    streaming_of<std::int16_t>(device);
    streaming_of<float>(device);
    streaming_of<std::uint64_t>(device);
    streaming_of<pair16>(device);
  }

  static void shared_memory(device_type& device) {
    expect_checks_hold(device, 9, shared_memory_kernel<1000>{}, 0);
    expect_checks_hold(device, grid(9, 5000), shared_memory_kernel<1000>{}, 5000);
    expect_checks_hold(device, grid(9, 48 * 1024), shared_memory_kernel<4096>{}, 48 * 1024);
    expect_checks_hold(device, 9, shared_memory_kernel<60 * 1024>{}, 0);
    expect_checks_hold(device, grid(9, 3000), shared_memory_kernel<60 * 1024>{}, 3000);
  }

  static void add() {
    const std::string suite = "context_memory";
    add_test<Stream>(suite, "atomics_update_once_and_return_the_old_value", atomics);
    add_test<Stream>(suite, "exchanges_lose_nothing", exchanges);
    add_test<Stream>(suite, "exchanges_of_16_bytes_lose_nothing", exchanges_of_16_bytes);
    add_test<Stream>(suite, "a_released_message_shows_what_was_written_before_it", messages<passing::release_acquire>);
    add_test<Stream>(suite, "fences_around_a_relaxed_message_show_what_was_written_before_it",
                     messages<passing::relaxed_with_fences>);
    add_test<Stream>(suite, "vector_accesses_move_whole_vectors", vectors);
    add_test<Stream>(suite, "streaming_accesses_move_values_of_1_to_16_bytes", streaming);
    add_test<Stream>(suite, "shared_memory_has_the_size_asked_for", shared_memory);
  }
};

}  // namespace upsweep::test

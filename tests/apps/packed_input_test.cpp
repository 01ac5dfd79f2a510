// The threads that read and decompress a packed file ahead of the reader.
#include <fcntl.h>
#include <sched.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <numeric>
#include <random>
#include <thread>

#include "block_queue.hpp"
#include "failure.hpp"
#include "read_ahead.hpp"
#include "records.hpp"
#include "support.hpp"
#include "unpacked_stream.hpp"
#include "usable_cores.hpp"

namespace upsweep::test {
namespace {

using block = std::vector<std::byte>;

std::string text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

TEST(block_queue, gives_blocks_in_order_and_then_the_failure) {
  constexpr std::size_t most = 3, count = 1000;
  apps::block_queue queue(sizeof(std::size_t), most);
  std::atomic<std::size_t> put = 0;
  std::thread maker([&] {
    block bytes(sizeof(std::size_t));
    for (std::size_t i = 0; i < count; ++i) {
      std::memcpy(bytes.data(), &i, sizeof(i));
      // The last one is shorter.
      queue.put(bytes, i + 1 == count ? 1 : sizeof(i));
      EXPECT_EQ(bytes.size(), sizeof(i));
      ++put;
    }
    queue.end(std::make_exception_ptr(std::runtime_error("damaged")));
  });
  for (std::size_t i = 0; i < count; ++i) {
    const auto bytes = queue.next();
    // Those that wait, the one that is looked at and the one that is being put.
    EXPECT_LE(put, i + most + 2);
    ASSERT_EQ(bytes.size(), i + 1 == count ? 1 : sizeof(i));
    std::size_t got = i;
    std::memcpy(&got, bytes.data(), bytes.size());
    ASSERT_EQ(got, i);
  }
  for (int again = 0; again < 2; ++again) EXPECT_THROW(static_cast<void>(queue.next()), std::runtime_error);
  EXPECT_FALSE(queue.has_room());
  maker.join();
}

TEST(block_queue, whoever_waits_ends_when_it_is_given_up) {
  apps::block_queue full(1, 1), empty(1, 1);
  const auto has_ended = [](const auto& work) {
    return std::thread([&work] { EXPECT_THROW(work(), apps::block_queue::given_up); });
  };
  const auto puts = [&] {
    block bytes(1);
    for (;;) full.put(bytes, 1);
  };
  const auto takes = [&] { static_cast<void>(empty.next()); };
  std::array threads = {has_ended(puts), has_ended(takes)};
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  full.give_up();
  empty.give_up();
  for (std::thread& t : threads) t.join();
}

class packed_input : public in_scratch_folder {};

TEST_F(packed_input, bytes_that_were_read_before_come_first) {
  const std::string rest(1000000, 'b');
  spill(file("in"), rest);
  apps::read_ahead in("in", block(3, std::byte('a')), apps::descriptor(::open(file("in").c_str(), O_RDONLY)));
  std::string got;
  for (auto bytes = in.next(); !bytes.empty(); bytes = in.next()) got += text_of(bytes);
  EXPECT_EQ(got, "aaa" + rest);
  EXPECT_TRUE(in.next().empty());
}

TEST_F(packed_input, a_failure_to_read_is_that_of_the_reader) {
  const auto folder = [&] { return apps::descriptor(::open(file(".").c_str(), O_RDONLY)); };
  const auto message = [](const auto& read) -> std::string {
    try {
      read();
    } catch (const apps::failure& f) {
      return f.what();
    }
    return "none";
  };
  apps::read_ahead in("folder.zst", {}, folder());
  EXPECT_EQ(message([&] { static_cast<void>(in.next()); }), "folder.zst: cannot read it: Is a directory");
  std::array<std::byte, 8> some;
  for (const auto how : {apps::compression::gzip, apps::compression::zstd}) {
    apps::unpacked_stream unpacked(how, "folder.zst", {}, folder());
    EXPECT_EQ(message([&] { static_cast<void>(unpacked.read(some.data(), some.size())); }),
              "folder.zst: cannot read it: Is a directory");
  }
}

/// Whoever stops early ends both threads, though the pipe may say nothing for ever.
TEST_F(packed_input, a_reader_may_stop_at_any_time) {
  const auto begin = std::chrono::steady_clock::now();
  for (const bool reads : {false, true}) {
    std::array<int, 2> ends{};
    ASSERT_EQ(pipe(ends.data()), 0);
    const apps::descriptor in(ends[1]);
    // A stored block of gzip, of which more is to come.
    const std::string packed =
        std::string("\x1f\x8b\x08\0\0\0\0\0\0\x03", 10) + std::string("\0\x05\0\xfa\xffhello", 10);
    ASSERT_EQ(::write(in.get(), packed.data(), packed.size()), static_cast<ssize_t>(packed.size()));
    apps::unpacked_stream unpacked(apps::compression::gzip, "pipe", {}, apps::descriptor(ends[0]));
    if (reads) std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(10));
}

/// As the program zstd frames it, which says how many bytes it is: not compressed, and without a checksum.
std::string frame_of(std::string_view text, std::uint64_t says) {
  constexpr std::size_t most = std::size_t{1} << 17;
  std::string frame = "\x28\xb5\x2f\xfd\xe0" + raw(says);
  do {
    const std::string_view block = text.substr(0, most);
    text.remove_prefix(block.size());
    frame += raw(static_cast<std::uint32_t>(block.size() << 3 | (text.empty() ? 1 : 0))).substr(0, 3);
    frame += block;
  } while (!text.empty());
  return frame;
}
std::string frame_of(std::string_view text) {
  return frame_of(text, text.size());
}

/// A long text is decompressed to where its rows stay.
class whole_text : public packed_input {
 protected:
  whole_text() {
    std::mt19937 random(seed());
    while (text_.size() < (std::size_t{20} << 20)) {
      sum_ += static_cast<std::int64_t>(rows_);
      text_ += std::to_string(rows_++) + "," + std::to_string(random()) + "\n";
    }
  }
  apps::record_rows read(const std::string& packed, apps::particle_table& particles) {
    spill(file("in.csv.zst"), packed);
    apps::input_file in(file("in.csv.zst"));
    return apps::read_csv(in, '\0', {false, {"a"}}, particles);
  }
  void expect_failure_of(const std::string& packed, const std::string& words) {
    apps::particle_table particles;
    try {
      read(packed, particles);
      ADD_FAILURE() << "expected " << words;
    } catch (const apps::failure& f) {
      EXPECT_NE(std::string(f.what()).find(words), std::string::npos) << f.what();
    }
  }

  std::string text_ = "a,b\n";
  std::size_t rows_ = 0;
  std::int64_t sum_ = 0;
};

TEST_F(whole_text, is_what_it_was) {
  const std::string skipped = "\x50\x2a\x4d\x18" + raw(std::uint32_t{3}) + "...";
  const std::string_view text = text_;
  for (const std::string& packed :
       {frame_of(text), skipped + frame_of(text.substr(0, 1000001)) + frame_of("") + frame_of(text.substr(1000001))}) {
    apps::particle_table particles;
    const apps::record_rows rows = read(packed, particles);
    ASSERT_EQ(particles.count, static_cast<std::int64_t>(rows_));
    EXPECT_EQ(text_of({rows.bytes.data(), rows.bytes.bytes()}), text);
    const auto* const a = particles.columns.at(0).data.as<std::int64_t>();
    EXPECT_EQ(std::accumulate(a, a + rows_, std::int64_t{0}), sum_);
  }
  // After a mark of UTF-8, and after bytes that somebody else has read.
  apps::particle_table particles;
  EXPECT_EQ(read(frame_of("\xef\xbb\xbf" + text_), particles).ends.size(), rows_ + 1);
  spill(file("in.csv.zst"), "0123456789" + frame_of(text));
  const outcome result = run({"/bin/bash", "-c",
                              "{ head -c 10 >head; " + cull +
                                  " --device sim --quiet --input - --output out.csv --where 'a >= 0'; } <in.csv.zst"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(slurp(file("out.csv")), text);
}

TEST_F(whole_text, that_is_damaged_is_refused) {
  expect_failure_of(frame_of(text_, text_.size() + 1), "in.csv.zst: expected data compressed by zstd; ");
  expect_failure_of(frame_of(text_, text_.size() - 1), "in.csv.zst: expected data compressed by zstd; ");
  const std::string all = frame_of(text_);
  expect_failure_of(all.substr(0, all.size() - 1), "in.csv.zst: expected data compressed by zstd; ");
  // A fault of a row is reported before one after it.
  std::string odd = text_;
  odd.replace(4, 1, "?");
  expect_failure_of(frame_of(odd, odd.size() + 1), "in.csv.zst: line 2: column \"a\": got \"?\"; expected a number");
}

TEST_F(packed_input, an_interrupt_ends_a_program_whose_pipe_stalls) {
  const auto begin = std::chrono::steady_clock::now();
  const outcome result =
      run({"/bin/bash", "-c",
           "printf 'ply\\n' | gzip | head -c 12 >begin; mkfifo pipe; (cat begin; exec sleep 30) >pipe & feeder=$!; " +
               cull +
               " --device sim --quiet --where 'x > 0' --output o.ply --input - <pipe & sleep 1; "
               "kill -TERM $!; wait $!; echo $?; kill $feeder"});
  EXPECT_EQ(result.out, "130\n") << result.err;
  EXPECT_EQ(files(), (std::vector<std::string>{"begin", "pipe"}));
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
}

TEST(usable_cores, are_those_that_the_process_may_use) {
  cpu_set_t before;
  ASSERT_EQ(sched_getaffinity(0, sizeof(before), &before), 0);
  EXPECT_EQ(apps::usable_cores(), static_cast<std::size_t>(CPU_COUNT(&before)));
  cpu_set_t one;
  CPU_ZERO(&one);
  int first = 0;
  while (!CPU_ISSET(first, &before)) ++first;
  CPU_SET(first, &one);
  ASSERT_EQ(sched_setaffinity(0, sizeof(one), &one), 0);
  EXPECT_EQ(apps::usable_cores(), 1U);
  sched_setaffinity(0, sizeof(before), &before);
}

}  // namespace
}  // namespace upsweep::test

// What has happened to every byte of memory: the accesses that a later one could conflict with (after FastTrack,
// Flanagan & Freund 2009), whether anything was written, and whether a kernel may touch it at all.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "clocks.hpp"

namespace upsweep::race {

inline std::uintptr_t address_of(const void* p) {
  return reinterpret_cast<std::uintptr_t>(p);
}

enum class use : std::uint8_t { read, write, atomic_read, atomic_write };

inline bool is_atomic(use u) {
  return u == use::atomic_read || u == use::atomic_write;
}
inline bool is_write(use u) {
  return u == use::write || u == use::atomic_write;
}

struct access {
  std::uint32_t block;
  std::uint32_t place;  // where in the source, by the checker's table
  moment when;
  std::uint16_t actor;
  use how;
  std::uint8_t device_wide : 1;  // of an atomic access: its scope is the device
  std::uint8_t bytes : 7;        // of an atomic access: how many it is aligned to, too

  bool same_slot(const access& other) const {
    return actor == other.actor && block == other.block && device_wide == other.device_wide && bytes == other.bytes;
  }
};

template <class T>
std::unique_ptr<T> copy_of(const std::unique_ptr<T>& p) {
  return p ? std::make_unique<T>(*p) : nullptr;
}

/// The latest accesses of one kind, of each actor in each scope and size, that no later one stands for.
class access_set {
 public:
  access_set() = default;
  access_set(access_set&&) = default;
  access_set& operator=(access_set&&) = default;
  access_set(const access_set& other) : size_(other.size_), first_(other.first_), more_(copy_of(other.more_)) {}

  void clear() {
    size_ = 0;
    more_.reset();
  }

  /// One of them, or null when there is none.
  const access* any() const { return size_ == 0 ? nullptr : &first_; }

  /// The first access for which `is_wrong`, or null.
  template <class Test>
  const access* find(Test is_wrong) const {
    if (size_ == 0) return nullptr;
    if (is_wrong(first_)) return &first_;
    if (!more_) return nullptr;
    for (const slot& s : *more_) {
      if (s.taken && is_wrong(s.what)) return &s.what;
    }
    return nullptr;
  }

  /// `before(b)` says that b happened before `a`: then `a` stands for b, if both have one scope and size.
  template <class Test>
  void add(const access& a, Test before) {
    if (size_ == 0) {
      first_ = a;
      size_ = 1;
    } else if (first_.same_slot(a) ||
               (!more_ && first_.device_wide == a.device_wide && first_.bytes == a.bytes && before(first_))) {
      first_ = a;
    } else {
      insert(a);
    }
  }

 private:
  struct slot {
    access what;
    bool taken = false;
  };

  static std::size_t hash(const access& a) { return (a.block * 0x9e3779b1u + a.actor) * std::size_t{0x85ebca6b}; }

  /// Open addressing; at most half of the slots are taken.
  void insert(const access& a) {
    if (!more_) more_ = std::make_unique<std::vector<slot>>(16);
    if (static_cast<std::size_t>(size_) * 2 > more_->size()) {
      std::vector<slot> old(more_->size() * 4);
      old.swap(*more_);
      for (const slot& s : old) {
        if (s.taken) place_of(s.what) = s;
      }
    }
    slot& s = place_of(a);
    if (!s.taken) ++size_;
    s = {a, true};
  }
  slot& place_of(const access& a) {
    const std::size_t mask = more_->size() - 1;
    std::size_t i = hash(a) >> 8 & mask;
    while ((*more_)[i].taken && !(*more_)[i].what.same_slot(a)) i = (i + 1) & mask;
    return (*more_)[i];
  }

  std::uint32_t size_ = 0;
  access first_{};
  std::unique_ptr<std::vector<slot>> more_;
};

/// The atomic accesses to one word, or to one byte of a word, since its last plain write.
struct atomic_history {
  bool one_block = true, all_device_wide = true, one_size = true;
  access_set reads, writes;

  /// Of two atomic accesses that conflict, each must have a scope that holds both, and they must be of the same bytes.
  template <class Test>
  const access* mismatched(const access& a, Test apart) {
    const access* const first = writes.any() ? writes.any() : reads.any();
    one_block = first == nullptr || (one_block && first->block == a.block);
    all_device_wide = (first == nullptr || all_device_wide) && a.device_wide;
    one_size = first == nullptr || (one_size && first->bytes == a.bytes);
    if ((one_block || all_device_wide) && one_size) return nullptr;  // the usual case, and they may be many
    const auto differs = [&](const access& b) {
      return ((b.block != a.block && !(a.device_wide && b.device_wide)) || b.bytes != a.bytes) && apart(b);
    };
    const access* const wrong = writes.find(differs);
    return wrong != nullptr || a.how == use::atomic_read ? wrong : reads.find(differs);
  }
};

/// The accesses to one word, or to one byte of a word. Every word that a kernel may touch has one, so it is small.
struct history {
  bool written = false;
  access write{};    // the last plain one: those before it happened before it, or were reported
  access_set reads;  // since then
  std::unique_ptr<atomic_history> atomics;

  history() = default;
  history(history&&) = default;
  history& operator=(history&&) = default;
  history(const history& other)
      : written(other.written), write(other.write), reads(other.reads), atomics(copy_of(other.atomics)) {}

  /// Notes `a`; returns an earlier access that conflicts with it and does not happen before it, or null.
  /// `before(b)` says that b happened before `a`.
  template <class Test>
  const access* add(const access& a, Test before) {
    const auto apart = [&](const access& b) { return !before(b); };
    if (written && apart(write)) return &write;
    if (is_write(a.how)) {
      if (const access* wrong = reads.find(apart)) return wrong;
    }
    if (is_atomic(a.how)) {
      if (!atomics) atomics = std::make_unique<atomic_history>();
      if (const access* wrong = atomics->mismatched(a, apart)) return wrong;
    } else if (atomics) {
      if (const access* wrong = atomics->writes.find(apart)) return wrong;
      if (a.how == use::write) {
        if (const access* wrong = atomics->reads.find(apart)) return wrong;
      }
    }
    switch (a.how) {
      case use::read:
        reads.add(a, before);
        break;
      case use::atomic_read:
        atomics->reads.add(a, before);
        break;
      case use::atomic_write:
        atomics->writes.add(a, before);
        break;
      case use::write:
        clear();
        written = true;
        write = a;
        break;
    }
    return nullptr;
  }

  bool has_writes() const { return written || (atomics && atomics->writes.any() != nullptr); }

  void clear() {
    written = false;
    reads.clear();
    atomics.reset();
  }
};

/// A piece of memory that kernels access.
class shadowed_memory {
 public:
  static constexpr std::uint8_t defined = 1, forbidden = 2;

  shadowed_memory(const void* begin, std::size_t bytes)
      : begin_(reinterpret_cast<std::uintptr_t>(begin)), state_(bytes, 0), words_((begin_ % 4 + bytes + 3) / 4) {}

  std::uintptr_t begin() const { return begin_; }
  std::size_t bytes() const { return state_.size(); }
  bool holds(std::uintptr_t p) const { return p - begin_ < state_.size(); }
  bool holds(std::uintptr_t p, std::size_t n) const { return holds(p) && n <= state_.size() - (p - begin_); }

  /// The bits of the byte and those after it.
  std::uint8_t* state(std::uintptr_t p) { return state_.data() + (p - begin_); }

  void set(std::uintptr_t p, std::size_t n, std::uint8_t bits) {
    for (std::size_t i = 0; i < n; ++i) state(p)[i] |= bits;
  }
  void unset(std::uintptr_t p, std::size_t n, std::uint8_t bits) {
    for (std::size_t i = 0; i < n; ++i) state(p)[i] &= static_cast<std::uint8_t>(~bits);
  }

  /// Bytes that were read and written, but for atomics.
  std::uint64_t traffic() const { return traffic_; }
  void count(std::size_t bytes) { traffic_ += bytes; }
  void discount(std::size_t bytes) { traffic_ -= bytes; }

  /// Forgets all accesses: a launch begins.
  void begin_generation() { ++generation_; }
  /// The bytes were written in this launch.
  void write(std::uintptr_t p, std::size_t n) {
    for (std::uintptr_t at = p; at < p + n; at += 4 - at % 4) word_of(at).whole.written = true;
  }
  /// Whether one of the words of these bytes was written in one of so many launches before this one.
  bool written_before(std::uintptr_t p, std::size_t n, std::uint32_t launches) {
    for (std::uintptr_t at = p; at < p + n; at += 4 - at % 4) {
      const std::uint32_t written = word_of(at).written;
      if (written != 0 && generation_ - written <= launches) return true;
    }
    return false;
  }
  /// As when it was made.
  void begin_anew() {
    begin_generation();
    traffic_ = 0;
    std::fill(state_.begin(), state_.end(), std::uint8_t{0});
  }

  /// The last plain write to one of the n bytes for which `is_wrong`, or null.
  template <class Test>
  const access* find_write(std::uintptr_t p, std::size_t n, Test is_wrong) const {
    for (std::uintptr_t at = p; at < p + n; ++at) {
      const history* const h = history_of(at, generation_);
      if (h != nullptr && h->written && is_wrong(h->write)) return &h->write;
    }
    return nullptr;
  }

  /// Notes `a` for n bytes; as history::add.
  template <class Test>
  const access* add(std::uintptr_t p, std::size_t n, const access& a, Test before) {
    const std::uintptr_t end = p + n;
    while (p < end) {
      word& w = word_of(p);
      const std::size_t at = p % 4, part = std::min<std::size_t>(4 - at, end - p);
      if (part < 4 && !w.split) w.split = std::make_unique<std::array<history, 4>>(four(w.whole));
      if (w.split) {
        for (std::size_t i = at; i < at + part; ++i) {
          if (const access* wrong = (*w.split)[i].add(a, before)) return wrong;
        }
        if (part == 4 && a.how == use::write) {
          w.whole = std::move(w.split->front());
          w.split.reset();
        }
      } else if (const access* wrong = w.whole.add(a, before)) {
        return wrong;
      }
      p += part;
    }
    return nullptr;
  }

 private:
  struct word {
    std::uint32_t generation = 0;
    std::uint32_t written = 0;  // the last generation before that in which it was
    history whole;
    std::unique_ptr<std::array<history, 4>> split;  // by byte

    bool has_writes() const {
      return split ? std::ranges::any_of(*split, [](const history& h) { return h.has_writes(); }) : whole.has_writes();
    }
  };
  std::size_t index_of(std::uintptr_t p) const { return (p - (begin_ - begin_ % 4)) / 4; }
  /// The word of the byte, as this launch has left it.
  word& word_of(std::uintptr_t p) {
    word& w = words_[index_of(p)];
    if (w.generation != generation_) {
      if (w.has_writes()) w.written = w.generation;
      w.generation = generation_;
      w.whole.clear();
      w.split.reset();
    }
    return w;
  }
  /// The history of the byte, if the last launch that touched its word has that number, else null.
  const history* history_of(std::uintptr_t p, std::uint32_t generation) const {
    const word& w = words_[index_of(p)];
    if (w.generation != generation) return nullptr;
    return w.split ? &(*w.split)[p % 4] : &w.whole;
  }
  static std::array<history, 4> four(const history& h) { return {h, h, h, h}; }

  std::uintptr_t begin_;
  std::uint32_t generation_ = 1;
  std::uint64_t traffic_ = 0;
  std::vector<std::uint8_t> state_;
  std::vector<word> words_;
};

}  // namespace upsweep::race

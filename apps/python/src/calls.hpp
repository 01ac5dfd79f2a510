// The calls of the module, a file for each module of the library. Types, shapes and defaults are decided in Python;
// what is checked here is what would read or write where it must not.
#pragma once

#include <nanobind/nanobind.h>

#include <string>
#include <utility>
#include <vector>

#include "array.hpp"
#include "enqueue.hpp"
#include "kernels.hpp"

namespace upsweep::python {

/// Inputs, each with its output.
using arrays = std::vector<std::pair<array*, array*>>;

/// n of a call: of a count where the arrays lie, or where there is none the bound itself.
inline item_count counted(std::int64_t bound, const array* count) {
  return {count == nullptr ? nullptr : static_cast<const std::int64_t*>(count->data), bound};
}

// What Python calls, and upsweep.jax through XLA. `bound` and `count` are n.

/// `init` is null, or an item that is combined before the first one. Along an axis, n is of each line; only sums of
/// floats without init are reproducible there.
void scan(const array& in, array& out, const std::string& op, bool exclusive, const void* init, std::int64_t bound,
          const array* count, const call_site& site);
void scan_axis(const array& in, array& out, const std::string& op, bool exclusive, const void* init, std::int64_t outer,
               std::int64_t length, std::int64_t inner, bool backward, bool is_reproducible, std::int64_t bound,
               const array* count, const call_site& site);
void sum(const array& in, array& out, bool exclusive, bool is_reproducible, std::int64_t bound, const array* count,
         const call_site& site);
/// The scan begins anew at every other key, or where a segment begins. With `init`, it is exclusive.
void scan_by_key(const array& in, array& out, const array& keys, const std::string& op, bool exclusive,
                 const void* init, std::int64_t bound, const array* count, const call_site& site);
void scan_segmented(const array& in, array& out, const array& begins, const array& ends, const std::string& op,
                    bool exclusive, const void* init, std::int64_t bound, const array* count, const call_site& site);

/// The count that was kept, or -1 where `num_selected` takes it.
std::int64_t select_rows(const arrays& moved, const array& mask, array* num_selected, array* indices,
                         std::int64_t capacity, bool keep_others_behind, std::int64_t bound, const array* count,
                         const call_site& site);
/// How many runs there are, or -1 where `num_runs` takes it. Without values, sums are lengths.
std::int64_t reduce_by_key(const array& keys, array& unique, const array* values, array& sums, array* num_runs,
                           std::int64_t bound, const array* count, const call_site& site);
/// The same of keys that are sorted before, into the workspace; `lengths` may be null.
std::int64_t unique(const array& in, array& out, array* lengths, array* num_runs, std::int64_t bound,
                    const array* count, const call_site& site);
/// How many places there are, or -1 where `total` takes it.
std::int64_t expand(const array& counts, array& items, array* offsets, array* total, std::int64_t bound,
                    const array* count, const call_site& site);
void group_by(const array& groups, array& permutation, array* inverse, array& offsets, int how_many,
              std::int64_t multiple, std::int64_t bound, const array* count, const call_site& site);
void histogram(const array& buckets, array& counts, std::int64_t bound, const array* count, const call_site& site);

void sort_keys(const array& in, array* out, array* places, bool descending, int nans, int begin, int end,
               std::int64_t bound, const array* count, const call_site& site);
void sort_by_key(const array& in, array& out, const arrays& values, bool descending, int nans, int begin, int end,
                 std::int64_t bound, const array* count, const call_site& site);
void segmented_sort(const array& in, array& out, const array* values, array* values_out, const array& begins,
                    const array& ends, bool descending, int nans, int begin, int end, std::int64_t bound,
                    const array* count, const call_site& site);
/// The places of the first k items, and where there is an `out`, the items.
void topk(const array& in, array* out, array& places, std::int64_t k, bool descending, int nans, int begin, int end,
          std::int64_t bound, const array* count, const call_site& site);

/// A merge of a and b, or, where `out` holds places, the bounds of the needles b in a.
void merge(const array& a, const array& b, array& out, bool finds_bounds, bool upper, bool descending, int nans,
           std::int64_t n_a, const array* count_a, std::int64_t n_b, const array* count_b, const call_site& site);

void bind_scans(nb::module_& m);
void bind_compacts(nb::module_& m);
void bind_sorts(nb::module_& m);
void bind_xla(nb::module_& m);

}  // namespace upsweep::python

// What a build without the table has of it: exclusive sums of u32 and u64 by the default scan, which compactions and
// sorts that are built on a scan call.
#pragma once

#include <cstdint>

#include "backends.hpp"
#include "upsweep/scan/scan.cuh"

namespace upsweep::runtime::inline UPSWEEP_ABI {

template <class T, class Stream>
status default_sum(Stream stream, const scan_call& c) {
  return static_cast<status>(detail::scan_in<default_scan_policy, scan_kind::exclusive, T>(
      c.work, static_cast<const T*>(c.in), static_cast<T*>(c.out), detail::no_total{}, c.n, plus{}, carry<T>{T{}, true},
      stream));
}

template <class Stream>
status scan_by_default(Stream stream, const scan_call& c) {
  if (c.variant != scan_variant{} || c.op != scan_operator::sum) return status::not_supported;
  if (c.kind != scan_kind::exclusive || c.init != nullptr) return status::not_supported;
  if (c.type == scalar_type::u32) return default_sum<std::uint32_t>(stream, c);
  return c.type == scalar_type::u64 ? default_sum<std::uint64_t>(stream, c) : status::not_supported;
}

}  // namespace upsweep::runtime::inline UPSWEEP_ABI

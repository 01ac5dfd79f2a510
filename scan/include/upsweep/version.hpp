// The version of upsweep, for those who include its headers with -I alone, too. CMake reads it from here.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <string_view>

/// The first number of the version, 0 in 0.2.1.
#define UPSWEEP_VERSION_MAJOR 0
/// The second number of the version, 2 in 0.2.1.
#define UPSWEEP_VERSION_MINOR 2
/// The third number of the version, 1 in 0.2.1.
#define UPSWEEP_VERSION_PATCH 0

/// One number that grows with the version: 200 is 0.2.0, 10203 would be 1.2.3.
#define UPSWEEP_VERSION (UPSWEEP_VERSION_MAJOR * 10000 + UPSWEEP_VERSION_MINOR * 100 + UPSWEEP_VERSION_PATCH)

#define UPSWEEP_PASTE_AS_IS(a, b, c, d) a##b##c##d
#define UPSWEEP_PASTE(a, b, c, d) UPSWEEP_PASTE_AS_IS(a, b, c, d)

/// An inline namespace, which nobody has to write: the version, in the names of what compiled libraries share, such as
/// upsweep::v0_2::status.
#define UPSWEEP_ABI UPSWEEP_PASTE(v, UPSWEEP_VERSION_MAJOR, _, UPSWEEP_VERSION_MINOR)

#define UPSWEEP_TEXT_AS_IS(a, b, c) #a "." #b "." #c
#define UPSWEEP_TEXT(a, b, c) UPSWEEP_TEXT_AS_IS(a, b, c)

namespace upsweep::inline UPSWEEP_ABI {

inline constexpr int version_major = UPSWEEP_VERSION_MAJOR;  ///< UPSWEEP_VERSION_MAJOR
inline constexpr int version_minor = UPSWEEP_VERSION_MINOR;  ///< UPSWEEP_VERSION_MINOR
inline constexpr int version_patch = UPSWEEP_VERSION_PATCH;  ///< UPSWEEP_VERSION_PATCH
/// The whole version as text, such as "0.2.1".
inline constexpr std::string_view version_string =
    UPSWEEP_TEXT(UPSWEEP_VERSION_MAJOR, UPSWEEP_VERSION_MINOR, UPSWEEP_VERSION_PATCH);

}  // namespace upsweep::inline UPSWEEP_ABI

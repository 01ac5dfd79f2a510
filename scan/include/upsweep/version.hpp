// The version of upsweep. It stands here alone: CMakeLists.txt reads it, and programs that know no CMake do.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <string_view>

#define UPSWEEP_VERSION_MAJOR 0
#define UPSWEEP_VERSION_MINOR 2
#define UPSWEEP_VERSION_PATCH 0
/// For #if: 10000 for each major version, 100 for each minor one, and the patch.
#define UPSWEEP_VERSION (UPSWEEP_VERSION_MAJOR * 10000 + UPSWEEP_VERSION_MINOR * 100 + UPSWEEP_VERSION_PATCH)

#define UPSWEEP_VERSION_DIGITS(a, b, c) #a "." #b "." #c
#define UPSWEEP_VERSION_TEXT(a, b, c) UPSWEEP_VERSION_DIGITS(a, b, c)
#define UPSWEEP_VERSION_STRING UPSWEEP_VERSION_TEXT(UPSWEEP_VERSION_MAJOR, UPSWEEP_VERSION_MINOR, UPSWEEP_VERSION_PATCH)

namespace upsweep {

inline constexpr int version_major = UPSWEEP_VERSION_MAJOR;
inline constexpr int version_minor = UPSWEEP_VERSION_MINOR;
inline constexpr int version_patch = UPSWEEP_VERSION_PATCH;
inline constexpr std::string_view version_string = UPSWEEP_VERSION_STRING;

}  // namespace upsweep

// The seed of a test run: of its random schedules and random items.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace upsweep::test {

/// What --sim-seed says, else UPSWEEP_SEED, else 1. Known from main() on, so not to what registers tests before it.
std::uint64_t seed();

/// The seed by the arguments of a program that are not GoogleTest's, and the value of UPSWEEP_SEED, null when it is not
/// set. Throws std::invalid_argument.
std::uint64_t seed_by(const std::vector<std::string>& arguments, const char* environment);

}  // namespace upsweep::test

// A status in a failing assertion is a name.
#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include "upsweep/simt/error.hpp"

namespace upsweep::test {
namespace {

TEST(print_status, says_the_name) {
  EXPECT_NONFATAL_FAILURE(EXPECT_EQ(status::invalid_value, status::success), "Which is: cudaErrorInvalidValue\n");
}

}  // namespace
}  // namespace upsweep::test

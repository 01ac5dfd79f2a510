// Tests look at what users are not meant to call, too.
#pragma once

namespace upsweep::detail {}

namespace upsweep::test {
using namespace upsweep::detail;
}

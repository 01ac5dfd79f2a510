#pragma once

#include "upsweep/simt/sim_scheduler.hpp"

namespace upsweep::race {

/// The kernel's line that contains an instruction of this process: of the functions inlined there, the innermost that
/// is not of the block context or the standard library. Asks addr2line. What it returns stays valid.
sim::call_site source_line(const void* instruction);

}  // namespace upsweep::race

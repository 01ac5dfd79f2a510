// Included before what is compiled with the CUB in UPSWEEP_CUB_DIR: it must be the one that CMake found there.
#pragma once

#include <cub/version.cuh>

#if CUB_VERSION != UPSWEEP_CUB_VERSION
#error "another CUB comes before the one in UPSWEEP_CUB_DIR"
#endif

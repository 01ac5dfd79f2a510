#include "macros.cpp"
// The rest is CUDA's alone.
#include "upsweep/compact/drop_in.cuh"
#include "upsweep/scan/drop_in.cuh"
#include "upsweep/sort/drop_in.cuh"

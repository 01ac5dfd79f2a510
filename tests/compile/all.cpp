// All calls in one file, and the rest of the public headers.
#include "compact.cpp"
#include "scan.cpp"
#include "sort.cpp"
#include "upsweep/compact/device/hole_filling.cuh"
#include "upsweep/compact/runtime.hpp"
#include "upsweep/scan/runtime.hpp"
#include "upsweep/sort/runtime.hpp"

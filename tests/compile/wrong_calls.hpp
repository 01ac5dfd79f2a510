// What the calls of wrong_calls.txt have around them.
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "upsweep/compact/expand.cuh"
#include "upsweep/compact/group_by.cuh"
#include "upsweep/compact/select.cuh"
#include "upsweep/compact/split.cuh"
#include "upsweep/compact/unique.cuh"
#include "upsweep/scan/scan.cuh"
#include "upsweep/scan/scan_by_key.cuh"
#include "upsweep/scan/segmented_scan.cuh"
#include "upsweep/sort/merge.cuh"
#include "upsweep/sort/radix_sort.cuh"

using namespace upsweep;

struct is_large {
  bool operator()(int x) const { return x > 7; }
};
struct record {
  int a, b;
};

struct unmade {
  explicit unmade(int i) : i(i) {}
  int i;
};

extern workspace w;
extern int *in, *out, *rest;
extern float* depth;
extern unsigned char* bytes;
extern record* records;
extern unmade* items_unmade;
extern std::string* strings;
extern std::int64_t *count, *offsets;
extern const std::int64_t n;
extern const std::vector<int> items;
extern std::span<const soa_array> arrays;
extern sim_stream stream;

// Writes the drawings of the block algorithms, and what was measured of them, into the folder named.
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>

#include "scan/networks/drawing.hpp"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "draw_networks FOLDER\n");
    return 2;
  }
  try {
    std::filesystem::create_directories(argv[1]);
    for (const auto& [name, content] : upsweep::test::network_files()) {
      std::ofstream file(std::filesystem::path(argv[1]) / name, std::ios::binary);
      if (!(file << content).flush()) {
        std::fprintf(stderr, "%s/%s cannot be written\n", argv[1], name.c_str());
        return 1;
      }
    }
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
  }
  return 0;
}

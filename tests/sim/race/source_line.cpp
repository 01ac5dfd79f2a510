#include "source_line.hpp"

#include <link.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <unordered_set>

namespace upsweep::race {
namespace {

struct image {
  std::uintptr_t address;
  std::uintptr_t bias = 0;
  std::string file{};
};

image image_of(std::uintptr_t address) {
  image found{address};
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* data) {
        auto& it = *static_cast<image*>(data);
        for (int i = 0; i < info->dlpi_phnum; ++i) {
          const auto& segment = info->dlpi_phdr[i];
          if (segment.p_type != PT_LOAD) continue;
          if (it.address - (info->dlpi_addr + segment.p_vaddr) >= segment.p_memsz) continue;
          it.bias = info->dlpi_addr;
          it.file = *info->dlpi_name != '\0' ? info->dlpi_name : "/proc/" + std::to_string(getpid()) + "/exe";
          return 1;
        }
        return 0;
      },
      &found);
  return found;
}

bool is_of_the_kernel(const std::string& file) {
  return file.find("/simt/") == std::string::npos && file.find("/include/c++/") == std::string::npos &&
         file.substr(0, 2) != "??";
}

}  // namespace

sim::call_site source_line(const void* instruction) {
  static std::unordered_set<std::string> files;
  const image in = image_of(reinterpret_cast<std::uintptr_t>(instruction));
  char command[512];
  std::snprintf(command, sizeof command, "addr2line -i -e '%s' 0x%zx 2>/dev/null", in.file.c_str(),
                static_cast<std::size_t>(in.address - in.bias));
  std::string file = "??", first = file;
  unsigned line = 0, first_line = 0;
  if (std::FILE* const pipe = popen(command, "r")) {
    char text[4096];
    for (int frame = 0; std::fgets(text, sizeof text, pipe) != nullptr; ++frame) {
      file = text;
      const auto colon = file.rfind(':');
      if (colon == std::string::npos) continue;
      line = static_cast<unsigned>(std::strtoul(file.c_str() + colon + 1, nullptr, 10));
      file.resize(colon);
      if (frame == 0) {
        first = file;
        first_line = line;
      }
      if (is_of_the_kernel(file)) break;
    }
    pclose(pipe);
  }
  if (!is_of_the_kernel(file)) {
    file = first;
    line = first_line;
  }
  return {files.insert(file).first->c_str(), line};
}

}  // namespace upsweep::race

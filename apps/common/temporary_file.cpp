#include "temporary_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "failure.hpp"

namespace upsweep::apps {
namespace {

const char* temporary_folder() {
  const char* const folder = std::getenv("TMPDIR");
  return folder != nullptr && *folder != '\0' ? folder : "/tmp";
}

}  // namespace

void cannot_use_temporary_folder(const std::string& what) {
  fail(exit_code::cannot_write, "{}: cannot copy {} there: {}", temporary_folder(), what, std::strerror(errno));
}

int unnamed_file(const std::string& what) {
  const std::string folder = temporary_folder();
  int fd = ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (fd >= 0) return fd;
  std::string name = folder + "/upsweep-XXXXXX";
  fd = mkostemp(name.data(), O_CLOEXEC);
  if (fd < 0) cannot_use_temporary_folder(what);
  unlink(name.c_str());
  return fd;
}

}  // namespace upsweep::apps

// Several inputs of one program, each with an output of its name in a folder.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "command_line.hpp"
#include "failure.hpp"
#include "named_files.hpp"

namespace upsweep::apps {

/// Where each input goes: in the folder `output`, which is made if need be, under the input's own name, or with the
/// ending `format` where that is another. Fails with exit_code::usage where two meet, or one is a file that is read or
/// one of `written`; with exit_code::cannot_write where there can be no such folder.
std::vector<std::string> outputs_in_folder(const std::vector<std::string>& inputs, const std::string& output,
                                           const command_line& line, const std::vector<named_output>& written,
                                           const std::string& format = "");

/// Calls run(i) for every input. A failure of one does not stop the others: it is reported at once, and again at last,
/// after `summary`, which follows how many files went well. Returns the worst exit code of all.
exit_code for_each_file(const std::string& program, const std::vector<std::string>& inputs,
                        const std::function<exit_code(std::size_t)>& run, const std::function<std::string()>& summary);

}  // namespace upsweep::apps

#include "many_files.hpp"

#include <algorithm>
#include <filesystem>

#include "common_config.hpp"
#include "compression.hpp"
#include "program.hpp"

namespace upsweep::apps {
namespace {

std::filesystem::path folder_of(const std::string& output, std::size_t files, const command_line& line) {
  require_path(output, "--output", "/output");
  const std::filesystem::path folder = output;
  const bool is_like_a_file = folder.has_extension() && !std::filesystem::exists(folder);
  std::error_code error;
  if (!is_like_a_file) std::filesystem::create_directories(folder, error);
  if (is_like_a_file || !std::filesystem::is_directory(folder)) {
    fail(is_like_a_file ? exit_code::usage : exit_code::cannot_write,
         "{}: {}: expected a folder, for the {} files of {}{}", line.origin("/output"), output, files,
         line.origin("/input"), error ? "; it cannot be made: " + error.message() : "");
  }
  return folder;
}

}  // namespace

std::vector<std::string> outputs_in_folder(const std::vector<std::string>& inputs, const std::string& output,
                                           const command_line& line, const std::vector<named_output>& written,
                                           const std::string& format) {
  const std::filesystem::path folder = folder_of(output, inputs.size(), line);
  std::vector<named_file> read = {{line.config_path(), "--config"}};
  std::vector<named_output> all = written;
  std::vector<std::string> outputs;
  for (const std::string& input : inputs) {
    if (input == "-") fail(exit_code::usage, "{}: got \"-\" among several; expected files", line.origin("/input"));
    std::filesystem::path name = std::filesystem::path(input).filename();
    if (!format.empty()) name = std::filesystem::path(without_compression(name.string())).replace_extension(format);
    outputs.push_back((folder / name).string());
    all.push_back({outputs.back(), line.origin("/output"), "", read.size()});
    read.push_back({input, line.origin("/input")});
  }
  check_files(read, all);
  return outputs;
}

exit_code for_each_file(const std::string& program, const std::vector<std::string>& inputs,
                        const std::function<exit_code(std::size_t)>& run, const std::function<std::string()>& summary) {
  exit_code worst = exit_code::ok;
  std::vector<std::string> failures;
  const auto note = [&](exit_code code, const std::string& why) {
    worst = std::max(worst, code);
    failures.push_back(why);
  };
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    say("file     {} of {}: {}", i + 1, inputs.size(), inputs[i]);
    try {
      const exit_code code = run(i);
      if (code != exit_code::ok) note(code, inputs[i] + ": not verified");
    } catch (const failure& error) {
      complain("{}: {}", program, error.what());
      note(error.code(), error.what());
    } catch (const std::exception& error) {
      const failure why = failure_of(error);
      const std::string of_file = fmt::format("{}: {}", inputs[i], why.what());
      complain("{}: {}", program, of_file);
      note(why.code(), of_file);
    }
  }
  say("all      {} of {} files{}", inputs.size() - failures.size(), inputs.size(), summary());
  if (!failures.empty()) {
    complain("{}: {} of {} files failed:", program, failures.size(), inputs.size());
    for (const std::string& why : failures) complain("  {}", why);
  }
  return worst;
}

}  // namespace upsweep::apps

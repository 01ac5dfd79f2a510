// The commands of upsweep-bench. Each gets its own command line, of which argv[0] is "upsweep-bench NAME".
#pragma once

#include "failure.hpp"
#include "record.hpp"

namespace upsweep::apps {

exit_code measure_command(operation what, int argc, const char* const* argv);
exit_code survey_command(int argc, const char* const* argv);
exit_code validate_command(int argc, const char* const* argv);
exit_code tune_command(int argc, const char* const* argv);
exit_code from_host_command(int argc, const char* const* argv);
exit_code list_command(int argc, const char* const* argv);
exit_code plot_command(int argc, const char* const* argv);
exit_code report_command(int argc, const char* const* argv);
exit_code across_command(int argc, const char* const* argv);
exit_code compare_command(int argc, const char* const* argv);

}  // namespace upsweep::apps

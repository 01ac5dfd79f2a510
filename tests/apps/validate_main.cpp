// upsweep-bench validate as a program of its own, to run it over a faulty library.
#include "commands.hpp"
#include "program.hpp"

int main(int argc, char** argv) {
  return upsweep::apps::run_program("upsweep-bench", [&] { return upsweep::apps::validate_command(argc, argv); });
}

// The page of a program for man, from the same tables as --help.
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace upsweep::apps {

/// The page as roff. `about` is what opens the help: a sentence, the examples after "Examples:", and notes.
std::string man_page(const CLI::App& app, const std::string& program, const std::string& about);

}  // namespace upsweep::apps

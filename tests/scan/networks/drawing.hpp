// Networks as SVG, and what is committed of them.
#pragma once

#include <map>
#include <string>

#include "scan/networks/network.hpp"

namespace upsweep::test {

/// One vertical line a value, time going down. A dot is an application: it is where its result ends, and a line
/// leads to it from where its left operand ends.
std::string svg_of(const network& n);

/// The compiler of the accesses that were counted, as the page names it.
std::string counting_compiler();

/// What belongs into scan/networks, by file name: a drawing for each block algorithm, and a page with what was
/// measured.
std::map<std::string, std::string> network_files();

}  // namespace upsweep::test

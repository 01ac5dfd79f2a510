// std::iterator_traits and the tags of iterators, for headers of calls: the header of std::span has what the one named
// iterator has of them, without its streams, strings and locales, which take 0.3 s of each compilation.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <span>

// The Python dictionary before an .npy array, and the element types that it names.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "npy.hpp"

namespace upsweep::apps {

/// What a dictionary says.
struct npy_dictionary {
  std::string descr;
  bool fortran_order = false;
  std::vector<std::uint64_t> shape;
};

/// "f4", say: the name of a number without its byte order.
std::string_view npy_name_of(scalar_type type);

/// "(3, 2)".
std::string shape_text(const std::vector<std::uint64_t>& shape);

/// The text of the dictionary at a file's position, which is then that of the data.
std::string npy_dictionary_text(input_file& file);

/// Fails unless the file's rest is exactly the data that the dictionary promises: elements of so many bytes, which
/// people call `type`.
void check_npy_size(input_file& file, const std::vector<std::uint64_t>& shape, std::string_view type,
                    std::uint64_t item);

/// A two-dimensional array in Fortran order, whose elements have so many bytes, in C order.
byte_array rows_of_columns(const byte_array& columns, const std::vector<std::uint64_t>& shape, std::size_t item);

/// Takes the dictionary, or the type of an element, from text of `file`. Every failure is
/// exit_code::bad_input and shows the text.
class npy_dictionary_parser {
 public:
  npy_dictionary_parser(const std::string& file, std::string_view text) : file_(file), whole_(text), text_(text) {}

  npy_dictionary parse();

  /// The type of a number.
  scalar_type type_of(const std::string& descr) const;
  /// The same where it is a truth, a date or a duration too.
  scalar_type type_of_any(const std::string& descr) const;
  /// Bytes of an element of any type: '<f4' has 4, '<U5' has 20, '<M8[ns]' has 8.
  std::size_t bytes_of(const std::string& descr) const;

  /// Takes a list of fields from the text, ('x', '<f4') or ('p', '<f8', (3,)) each; a type may be a list of fields too.
  void structure(const std::string& prefix, npy_structures& to, int depth = 0);
  /// Adds a field of `count` elements: `name`, or of an array name_0, name_1 and so on.
  void add_field(const std::string& name, const std::string& descr, bool is_array, std::uint64_t count,
                 npy_structures& to) const;

 private:
  std::string element_type();
  [[noreturn]] void bad(std::string_view what) const;
  void once(bool& seen, std::string_view key) const;
  void skip_blank();
  bool accept(char c);
  void expect(char c);
  std::string quoted();
  bool boolean();
  std::vector<std::uint64_t> shape();

  const std::string& file_;
  std::string_view whole_;
  std::string_view text_;
};

}  // namespace upsweep::apps

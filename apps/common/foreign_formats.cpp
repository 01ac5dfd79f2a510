#include "foreign_formats.hpp"

#include <algorithm>
#include <string_view>

#include "failure.hpp"

namespace upsweep::apps {
namespace {

using namespace std::string_view_literals;

struct foreign_format {
  std::string_view magic;
  const char* name;
  const char* conversion;  ///< "" for none
};

constexpr foreign_format formats[] = {
    {"LASF"sv, "a LAS or LAZ point cloud", "pdal translate cloud.laz cloud.ply makes it a PLY file"},
    {"# .PCD"sv, "a PCD point cloud", "pcl_pcd2ply cloud.pcd cloud.ply makes it a PLY file"},
    {"VERSION .7"sv, "a PCD point cloud", "pcl_pcd2ply cloud.pcd cloud.ply makes it a PLY file"},
    {"ASTM-E57"sv, "an E57 point cloud", "pdal translate cloud.e57 cloud.ply makes it a PLY file"},
    {"\x89HDF\r\n\x1a\n"sv, "an HDF5 file",
     "in Python, numpy.save(\"x.npy\", h5py.File(\"x.h5\")[\"name\"][:]) makes a data set an .npy file"},
    {"CDF\x01"sv, "a NetCDF file", "in Python, netCDF4 and numpy.save make a variable an .npy file"},
    {"CDF\x02"sv, "a NetCDF file", "in Python, netCDF4 and numpy.save make a variable an .npy file"},
    {"CDF\x05"sv, "a NetCDF file", "in Python, netCDF4 and numpy.save make a variable an .npy file"},
    {"MATLAB 5.0"sv, "a MATLAB file",
     "in Python, numpy.save(\"x.npy\", scipy.io.loadmat(\"x.mat\")[\"name\"]) makes a variable an .npy file"},
    {"PAR1"sv, "a Parquet file", "in Python, pandas.read_parquet(\"x.parquet\").to_csv(\"x.csv\", index=False)"},
    {"ARROW1"sv, "an Arrow file", "in Python, pandas.read_feather(\"x.feather\").to_csv(\"x.csv\", index=False)"},
    {"SQLite format 3"sv, "an SQLite database",
     "sqlite3 -csv -header x.db 'SELECT * FROM name' > x.csv makes a table CSV"},
    {"\x80\x04\x95"sv, "a Python pickle", "in Python, numpy.save(\"x.npy\", array) writes an array of it"},
    {"\x80\x05\x95"sv, "a Python pickle", "in Python, numpy.save(\"x.npy\", array) writes an array of it"},
    {"# vtk DataFile"sv, "a VTK file", "in Python, meshio.read(\"x.vtk\").write(\"x.ply\") makes it a PLY file"},
    {"<?xml"sv, "an XML file, of VTK perhaps",
     "in Python, meshio.read(\"x.vtu\").write(\"x.ply\") makes it a PLY file"},
    {"glTF"sv, "a binary glTF file", "in Python, trimesh.load(\"x.glb\").export(\"x.ply\") makes it a PLY file"},
    {"solid "sv, "an STL mesh", "in Python, trimesh.load(\"x.stl\").export(\"x.ply\") makes it a PLY file"},
    {"BZh"sv, "compressed by bzip2", "bzip2 -dc FILE | and --input - read it"},
    {"\xfd\x37zXZ"sv, "compressed by xz", "xz -dc FILE | and --input - read it"},
    {"\x04\x22\x4d\x18"sv, "compressed by lz4", "lz4 -dc FILE | and --input - read it"},
    {"\x89PNG"sv, "a PNG picture", ""},
    {"\xff\xd8\xff"sv, "a JPEG picture", ""},
    {"%PDF"sv, "a PDF document", ""},
    {"{"sv, "JSON", "pandas.read_json(\"x.json\").to_csv(\"x.csv\", index=False) may make it CSV"},
};

std::string_view first_bytes(input_file& file) {
  constexpr std::size_t far = 4096;
  const auto bytes = file.ahead(far);
  return {reinterpret_cast<const char*>(bytes.data()), std::min(bytes.size(), far)};
}

}  // namespace

void refuse_foreign_format(input_file& file, std::string_view expected) {
  const std::string_view text = first_bytes(file);
  for (const foreign_format& f : formats) {
    if (!text.starts_with(f.magic)) continue;
    fail(exit_code::bad_input, "{}: {}, which is not read; {}{}{}", file.name(), f.name, expected,
         *f.conversion == '\0' ? "" : ": ", f.conversion);
  }
}

bool begins_as_text(input_file& file) {
  return std::ranges::none_of(first_bytes(file), [](char c) {
    return static_cast<unsigned char>(c) < 0x20 && c != '\t' && c != '\n' && c != '\r' && c != '\f';
  });
}

void refuse_foreign(input_file& file, bool may_have_one_column) {
  constexpr std::string_view expected = "expected PLY, .npy, .npz, or CSV with names in its first line";
  refuse_foreign_format(file, expected);
  const std::string_view text = first_bytes(file);
  if (text.empty() || !begins_as_text(file)) {
    fail(exit_code::bad_input, "{}: {}; {}", file.name(), text.empty() ? "empty" : "neither PLY nor npy nor text",
         expected);
  }
  // What comes by a pipe is not copied on the mere hope that it is CSV.
  const bool may_be_csv = may_have_one_column && !file.still_comes();
  const std::string_view line = text.substr(0, text.find('\n'));
  if (!may_be_csv && line.find_first_of(",;\t|") == text.npos) {
    const bool has_blanks = line.find(' ') != line.npos;
    fail(exit_code::bad_input, "{}: neither PLY nor npy, nor CSV of several columns; {} ({})", file.name(), expected,
         has_blanks ? "--delimiter ' ' where one blank is between columns" : "CSV of one is named .csv");
  }
}

}  // namespace upsweep::apps

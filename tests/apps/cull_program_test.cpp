// upsweep-cull from file to file.
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/core.h>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>

#include "point_view.hpp"
#include "support.hpp"

namespace upsweep::test {
namespace {

using nlohmann::json;

class cull_program : public in_scratch_folder {
 protected:
  outcome cull_with(std::vector<std::string> flags) const {
    flags.insert(flags.begin(), {cull, "--device", "sim", "--verify"});
    return run(flags);
  }
  void expect_culled(const std::vector<std::string>& flags) const {
    const outcome result = cull_with(flags);
    EXPECT_EQ(result.code, 0) << result.err;
    EXPECT_EQ(result.out, "");
  }
};

/// Laid out as the Python package plyfile does: double coordinates, extra properties of every size, faces, comments.
std::string plyfile_header(int vertices, const std::string& faces) {
  return "ply\nformat binary_little_endian 1.0\ncomment scanned 2026\nobj_info made by hand\nelement vertex " +
         std::to_string(vertices) +
         "\nproperty double x\nproperty double y\nproperty double z\nproperty uchar red\nproperty uchar green\n"
         "property ushort label\nproperty float confidence\nproperty short s\nproperty char c\nproperty uint id\n" +
         faces + "end_header\n";
}

std::string plyfile_row(double x, std::uint32_t id) {
  return raw(x) + raw(0.1) + raw(-1e-300) + raw<std::uint8_t>(250) + raw<std::uint8_t>(7) + raw<std::uint16_t>(40000) +
         raw(std::nanf("")) + raw<std::int16_t>(-5) + raw<std::int8_t>(-7) + raw(id);
}

TEST_F(cull_program, a_foreign_binary_file_is_unchanged_but_for_the_removed_points) {
  const std::string faces = "element face 2\nproperty list uchar int vertex_indices\n";
  std::string bytes = plyfile_header(4, faces);
  for (std::uint32_t i = 0; i < 4; ++i) bytes += plyfile_row(i - 1.0 + 1e-12, i);
  for (int i = 0; i < 2; ++i) bytes += raw<std::uint8_t>(3) + raw(0) + raw(1) + raw(2 + i);
  spill(file("in.ply"), bytes);
  const outcome result =
      cull_with({"--input", "in.ply", "--output", "out.ply", "--box", "0", "-1", "-1", "1", "1", "1"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_NE(result.err.find("0 of 2 rows of element \"face\", those of which every vertex is there"), std::string::npos)
      << result.err;
  EXPECT_EQ(slurp(file("out.ply")),
            plyfile_header(1, "element face 0\nproperty list uchar int vertex_indices\n") + plyfile_row(1e-12, 1));
  // A face and what is dropped, and without faces.
  const std::vector<std::string> base = {"--input", "in.ply", "--output", "out.ply", "--where", "id < 3"};
  const auto culled = [&](std::vector<std::string> more) {
    more.insert(more.begin(), base.begin(), base.end());
    expect_culled(more);
    return slurp(file("out.ply"));
  };
  std::string face = raw<std::uint8_t>(3) + raw(2) + raw(1) + raw(0), points;
  for (std::uint32_t i = 3; i-- > 0;) points += plyfile_row(i - 1.0 + 1e-12, i);
  EXPECT_EQ(culled({"--sort-by", "x", "--descending", "--rejected", "rejected.ply"}),
            plyfile_header(3, "element face 1\nproperty list uchar int vertex_indices\n") + points + face);
  EXPECT_EQ(slurp(file("rejected.ply")), plyfile_header(1, "element face 0\nproperty list uchar int vertex_indices\n") +
                                             plyfile_row(2.0 + 1e-12, 3));
  EXPECT_EQ(culled({"--keep-lists", "no"}).substr(0, 200),
            (plyfile_header(3, "") + plyfile_row(-1 + 1e-12, 0)).substr(0, 200));
}

TEST_F(cull_program, a_foreign_text_file_is_unchanged_but_for_the_removed_points) {
  const auto content = [](const std::string& count, const std::string& rows, const std::string& faces) {
    return "ply\nformat ascii 1.0\ncomment https://github.com/mikedh/trimesh\nelement vertex " + count +
           "\nproperty float x\nproperty float y\nproperty float z\nproperty double time\nproperty uchar alpha\n" +
           faces + "end_header\n" + rows;
  };
  const std::string kept[] = {"0.5 0.25 0.1 1e-09 255\n", "-0.5 0 3.4028235e+38 0.1 0\n"};
  spill(file("in.ply"), content("3", kept[0] + "0.5 0.75 0 3 17\n" + kept[1] + "3 0 1 2\n",
                                "element face 1\nproperty list uchar int vertex_indices\n"));
  expect_culled({"--input", "in.ply", "--output", "out.ply", "--box", "-1", "-1", "-1", "1", "0.5", "1e39"});
  EXPECT_EQ(slurp(file("out.ply")),
            content("2", kept[0] + kept[1], "element face 0\nproperty list uchar int vertex_indices\n"));
}

TEST_F(cull_program, what_pcl_says_of_columns_and_rows_stays_true) {
  const auto content = [](int columns, int rows, const std::string& points) {
    return fmt::format(
        "ply\nformat ascii 1.0\nobj_info num_cols {}\nobj_info num_rows {}\nelement vertex {}\nproperty float x\n"
        "property float y\nproperty float z\nend_header\n{}",
        columns, rows, columns * rows, points);
  };
  spill(file("in.ply"), content(3, 2, "1 0 0\n2 0 0\n3 0 0\n4 0 0\n5 0 0\n6 0 0\n"));
  expect_culled({"--input", "in.ply", "--output", "out.ply"});
  EXPECT_EQ(slurp(file("out.ply")), slurp(file("in.ply")));
  expect_culled({"--input", "in.ply", "--output", "out.ply", "--box", "2", "0", "0", "4", "0", "0"});
  EXPECT_EQ(slurp(file("out.ply")), content(3, 1, "2 0 0\n3 0 0\n4 0 0\n"));
  // As PCL reads the lines: by words.
  spill(file("in.ply"),
        "ply\nformat ascii 1.0\nobj_info\tnum_cols\t2\nobj_info  num_rows  1\nelement vertex 2\n"
        "property float x\nproperty float y\nproperty float z\nend_header\n1 0 0\n2 0 0\n");
  expect_culled({"--input", "in.ply", "--output", "out.ply", "--box", "2", "0", "0", "4", "0", "0"});
  EXPECT_EQ(slurp(file("out.ply")), content(1, 1, "2 0 0\n"));
}

TEST_F(cull_program, an_export_of_no_name_is_no_depth) {
  ASSERT_EQ(run({cull, "generate", "--output", "in.ply", "--count", "10"}).code, 0);
  spill(file("c.json"), R"({"export": {"properties": {"": "e.npy"}}})");
  expect_failure({cull, "--device", "sim", "--config", "c.json", "--input", "in.ply", "--output", "o.ply"}, 3,
                 "in.ply: no property \"\", which is to be exported");
}

TEST_F(cull_program, a_gaussian_splat_keeps_its_62_properties) {
  const auto content = [](const std::vector<int>& rows) {
    std::string bytes = "ply\nformat binary_little_endian 1.0\nelement vertex " + std::to_string(rows.size()) + "\n";
    for (const char* name : {"x", "y", "z", "nx", "ny", "nz", "f_dc_0", "f_dc_1", "f_dc_2"}) {
      bytes += std::string("property float ") + name + "\n";
    }
    for (int i = 0; i < 45; ++i) bytes += "property float f_rest_" + std::to_string(i) + "\n";
    for (const char* name : {"opacity", "scale_0", "scale_1", "scale_2", "rot_0", "rot_1", "rot_2", "rot_3"}) {
      bytes += std::string("property float ") + name + "\n";
    }
    bytes += "end_header\n";
    for (const int row : rows) {
      for (int i = 0; i < 62; ++i) bytes += raw(static_cast<float>(row) + static_cast<float>(i) / 64);
    }
    return bytes;
  };
  std::vector<int> all, near;
  for (int i = 0; i < 10000; ++i) {
    all.push_back(i);
    if (i < 3000) near.push_back(i);
  }
  spill(file("in.ply"), content(all));
  expect_culled({"--input", "in.ply", "--output", "out.ply", "--box", "0", "0", "0", "2999.5", "1e9", "1e9"});
  EXPECT_EQ(slurp(file("out.ply")), content(near));
}

TEST_F(cull_program, rules_are_combined_and_bounds_are_inside) {
  const std::string head = "property float x\nproperty float y\nproperty float z\nproperty int age\nend_header\n";
  const auto content = [&](int count, const std::string& rows) {
    return "ply\nformat ascii 1.0\nelement vertex " + std::to_string(count) + "\n" + head + rows;
  };
  spill(file("in.ply"),
        content(8, "1 0 0 1\n0 1 0 1\n0 0 1.5 1\n0 0 0 0\nnan 0 0 1\n-1 0 0 2\n0 0 -1 3\n0.5 0.5 0.5 9\n"));
  const std::vector<std::string> files = {"--input", "in.ply", "--output", "out.ply"};
  const auto with = [&](std::vector<std::string> flags) {
    flags.insert(flags.end(), files.begin(), files.end());
    expect_culled(flags);
    return slurp(file("out.ply"));
  };
  const std::vector<std::string> age = {"--lifetime-above", "0", "--lifetime-property", "age"};
  EXPECT_EQ(with(age), content(7, "1 0 0 1\n0 1 0 1\n0 0 1.5 1\nnan 0 0 1\n-1 0 0 2\n0 0 -1 3\n0.5 0.5 0.5 9\n"));
  EXPECT_EQ(with({"--sphere", "0", "0", "0", "1"}),
            content(6, "1 0 0 1\n0 1 0 1\n0 0 0 0\n-1 0 0 2\n0 0 -1 3\n0.5 0.5 0.5 9\n"));
  EXPECT_EQ(with({"--box", "0", "0", "0", "1", "1", "1"}), content(4, "1 0 0 1\n0 1 0 1\n0 0 0 0\n0.5 0.5 0.5 9\n"));
  EXPECT_EQ(with({"--eye", "0", "0", "2", "--target", "0", "0", "0", "--fov-y", "40", "--aspect", "1", "--near", "0.5",
                  "--far", "2"}),
            content(3, "0 0 1.5 1\n0 0 0 0\n0.5 0.5 0.5 9\n"));
  EXPECT_EQ(with({"--lifetime-above", "0", "--lifetime-property", "age", "--box", "0", "0", "0", "1", "1", "1",
                  "--sphere", "0", "0", "0", "0.9"}),
            content(1, "0.5 0.5 0.5 9\n"));
  const outcome everything = cull_with(files);
  EXPECT_EQ(everything.code, 0);
  EXPECT_NE(everything.err.find("note     no rule is given"), std::string::npos);
  EXPECT_EQ(slurp(file("out.ply")), slurp(file("in.ply")));
}

TEST_F(cull_program, bounds_are_numbers_of_the_property) {
  const std::string head = "ply\nformat ascii 1.0\nelement vertex ";
  const auto kept = [&](const std::string& type, const std::string& values, std::vector<std::string> flags) {
    spill(file("in.ply"), head + "3\nproperty " + type + " x\nproperty " + type + " y\nproperty " + type +
                              " z\nproperty " + type + " lifetime\nend_header\n" + values);
    flags.insert(flags.end(), {"--input", "in.ply", "--output", "out.ply"});
    expect_culled(flags);
    const std::string out = slurp(file("out.ply"));
    return out.substr(out.find("end_header\n") + 11);
  };
  // 0.3f is more than 0.3 as double, 0.1f more than 0.1.
  for (const std::string type : {"float", "double"}) {
    const std::string rows = "0.1 0 0 0.1\n0.3 0 0 0.3\n0.5 0 0 0.5\n";
    EXPECT_EQ(kept(type, rows, {"--box", "0", "0", "0", "0.3", "1", "1"}), "0.1 0 0 0.1\n0.3 0 0 0.3\n") << type;
    EXPECT_EQ(kept(type, rows, {"--lifetime-above", "0.1"}), "0.3 0 0 0.3\n0.5 0 0 0.5\n") << type;
    EXPECT_EQ(kept(type, rows, {"--sphere", "0", "0", "0", "0.3"}), "0.1 0 0 0.1\n0.3 0 0 0.3\n") << type;
    EXPECT_EQ(kept(type, rows, {"--eye", "0", "0", "0", "--target", "1", "0", "0", "--near", "0.1", "--far", "0.3"}),
              "0.1 0 0 0.1\n0.3 0 0 0.3\n")
        << type;
  }
  EXPECT_EQ(kept("float", "inf 0 0 1\n3e38 0 0 1\n0 0 0 1\n", {"--box", "0", "0", "0", "1e300", "1", "1"}),
            "3e+38 0 0 1\n0 0 0 1\n");
  // 10^18 + 1 is not a double.
  const std::string large =
      "1000000000000000001 0 0 1000000000000000001\n1000000000000000000 0 0 1000000000000000000\n";
  EXPECT_EQ(kept("int64", large + "0 0 0 0\n", {"--lifetime-above", "1e18"}),
            "1000000000000000001 0 0 1000000000000000001\n");
  // A box would take it for 10^18.
  const outcome beyond =
      run({cull, "--input", "in.ply", "--output", "o.ply", "--box", "0", "0", "0", "1e18", "1", "1"});
  EXPECT_EQ(beyond.code, 2);
  EXPECT_NE(beyond.err.find("box: got 1e+18 for \"x\", which is i64; expected less than 2^53"), std::string::npos)
      << beyond.err;
  EXPECT_EQ(kept("int64", large + "0 0 0 0\n", {"--box", "0", "0", "0", "9e15", "1", "1"}), "0 0 0 0\n");
  EXPECT_EQ(kept("int64", large + "-1 0 0 0\n", {"--box", "0", "0", "0", "1e20", "1", "1"}), large);
}

/// A file that is opened takes the lowest number that is free.
TEST_F(cull_program, closed_streams_are_not_mixed_up_with_files) {
  ASSERT_EQ(run({cull, "generate", "--output", "in.ply", "--count", "100"}).code, 0);
  const std::string program = cull + " --device sim --input in.ply ";
  EXPECT_EQ(run({"/bin/sh", "-c", program + "--output out.ply 2>&-"}).code, 0);
  EXPECT_EQ(slurp(file("out.ply")), slurp(file("in.ply")));
  EXPECT_EQ(run({"/bin/sh", "-c", program + "--output - --report r.json >&-"}).code, 4);
  EXPECT_EQ(run({"/bin/sh", "-c", sort + " --device sim --text --output k.txt <&-"}).code, 3);
  EXPECT_EQ(files(), (std::vector<std::string>{"in.ply", "out.ply"}));
}

TEST_F(cull_program, pipes_that_never_end_are_refused_when_they_have_said_enough) {
  spill(file("k.npy"), npy_vector_bytes<std::uint32_t>("<u4", {2, 1}));
  const auto refused = [&](const std::string& command, int code, const std::string& words) {
    const outcome result = run({"/bin/sh", "-c", command + "; echo $?"});
    EXPECT_EQ(result.out, std::to_string(code) + "\n") << result.err;
    EXPECT_NE(result.err.find(words), std::string::npos) << result.err;
  };
  refused("(cat k.npy; yes) | " + sort + " --device sim --input - --output o.npy", 3, "goes on after byte");
  refused("(printf 'ply\nformat ascii 1.0\n'; yes comment) | " + cull + " --device sim --input - --output o.ply", 3,
          "in its first 4 MiB");
}

TEST_F(cull_program, passes_over_a_byte_order_mark) {
  const std::string text = "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nend_header\n1\n";
  spill(file("in.ply"), "\xef\xbb\xbf" + text);
  expect_culled({"--input", "in.ply", "--output", "out.ply"});
  EXPECT_EQ(slurp(file("out.ply")), text);
}

TEST_F(cull_program, says_which_property_no_rule_looks_at) {
  ASSERT_EQ(run({cull, "generate", "--output", "cloud.ply", "--count", "10"}).code, 0);
  const outcome result = cull_with({"--input", "cloud.ply", "--output", "o.ply", "--lifetime-property", "vx"});
  EXPECT_NE(result.err.find("note     --lifetime-property: named, but not used"), std::string::npos) << result.err;
}

TEST_F(cull_program, position_may_have_other_names_and_types) {
  const std::string head = "ply\nformat ascii 1.0\nelement vertex ";
  const std::string properties = "\nproperty short px\nproperty double py\nproperty uint64 pz\nend_header\n";
  spill(file("in.ply"), head + "2" + properties + "-3 0.1 4\n3 0.2 5\n");
  spill(file("c.json"), R"({"columns": {"position": ["px", "py", "pz"]},
                            "keep": {"box": {"min": [0, 0, 0], "max": [9, 9, 9]}}})");
  expect_culled({"--config", "c.json", "--input", "in.ply", "--output", "out.ply"});
  EXPECT_EQ(slurp(file("out.ply")), head + "1" + properties + "3 0.2 5\n");
}

TEST_F(cull_program, two_properties_are_a_position_in_a_plane) {
  const std::string head = "lon,lat,n\n", in = "0.5,0.5,1\n", out = "2,0,2\n", edge = "0,1,3\n";
  spill(file("in.csv"), head + in + out + edge);
  const std::vector<std::string> base = {"--input", "in.csv", "--output", "out.csv", "--position", "lon", "lat"};
  const auto culled = [&](std::vector<std::string> more) {
    more.insert(more.begin(), base.begin(), base.end());
    expect_culled(more);
    return slurp(file("out.csv"));
  };
  EXPECT_EQ(culled({"--sphere", "0", "0", "0", "1"}), head + in + edge);
  EXPECT_EQ(culled({"--box", "0", "0", "1", "9", "9", "2"}), head);
  EXPECT_EQ(culled({"--where", "z == 0 && x > 0", "--image", "out.png", "--rejected", "rejected.csv"}),
            head + in + out);
  EXPECT_EQ(slurp(file("rejected.csv")), head + edge);
  EXPECT_EQ(culled({"--eye", "0", "0", "5", "--target", "0", "0", "0", "--fov-y", "40", "--sort-by", "depth",
                    "--export-depth", "depth.npy"}),
            head + in + out + edge);
  EXPECT_EQ(npy_elements<float>(slurp(file("depth.npy"))), (std::vector<float>{5, 5, 5}));
  const std::string ply = "ply\nformat ascii 1.0\nelement vertex 2\nproperty float x\nproperty float y\nend_header\n";
  spill(file("in.ply"), ply + "0.5 0.5\n2 2\n");
  expect_culled({"--input", "in.ply", "--output", "out.ply", "--position", "x", "y", "--sphere", "0", "0", "0", "9",
                 "--order", "any"});
  EXPECT_EQ(slurp(file("out.ply")), ply + "0.5 0.5\n2 2\n");
  const outcome printed = run({cull, "--position", "x", "y", "--column-types", "x:f32", "--print-config"});
  EXPECT_EQ(json::parse(printed.out)["columns"]["position"], json({"x", "y"}));
  EXPECT_EQ(json::parse(printed.out)["column_types"], json({{"x", "f32"}}));
  expect_failure({cull, "--position", "x", "--print-config"}, 2, "--position: got \"x\"; expected an array of three");
}

TEST_F(cull_program, columns_of_csv_have_given_types) {
  spill(file("in.csv"), "x,id\n0.3,1\n0.7,2\n");
  expect_culled({"--input", "in.csv", "--output", "out.csv", "--where", "x * 1 == 0.3"});
  EXPECT_EQ(slurp(file("out.csv")), "x,id\n0.3,1\n");
  expect_culled({"--input", "in.csv", "--output", "out.csv", "--where", "x * 1 == 0.3", "--column-types", "x:f32"});
  EXPECT_EQ(slurp(file("out.csv")), "x,id\n");
  spill(file("c.json"), R"({"column_types": {"x": "f32", "id": "u8"}})");
  expect_culled({"--input", "in.csv", "--output", "out.csv", "--where", "id == 2", "--config", "c.json", "--export",
                 "id=id.npy"});
  EXPECT_EQ(npy_elements<std::uint8_t>(slurp(file("id.npy"))), (std::vector<std::uint8_t>{2}));
  const auto refused = [&](const std::string& types, const std::string& words) {
    expect_failure({cull, "--device", "sim", "--input", "in.csv", "--output", "o.csv", "--column-types", types}, 2,
                   words);
  };
  refused("x", "--column-types: got \"x\"; expected COLUMN:TYPE, and commas");
  refused("x:f16", "--column-types: got \"f16\" for x; expected i8, u8");
  refused("x:f32,x:u8", "--column-types: given with x twice; expected each column once");
  ASSERT_EQ(run({cull, "generate", "--output", "in.ply", "--count", "10"}).code, 0);
  expect_failure({cull, "--device", "sim", "--input", "in.ply", "--output", "o.ply", "--column-types", "x:f32"}, 2,
                 "in.ply: PLY, binary_little_endian, which has its own types; expected CSV");
}

TEST_F(cull_program, a_column_without_a_name_is_no_number) {
  spill(file("in.csv"), ",x,y\na,1,2\nb,3,4\n");
  expect_culled({"--input", "in.csv", "--output", "out.csv", "--where", "x > 1 && z == 0", "--position", "x", "y"});
  EXPECT_EQ(slurp(file("out.csv")), ",x,y\nb,3,4\n");
  // Nor is one of numbers the third coordinate.
  spill(file("in.csv"), ",x,y\n7,1,2\n8,3,4\n");
  expect_culled({"--input", "in.csv", "--output", "out.csv", "--where", "x > 1 && z == 0", "--position", "x", "y"});
  EXPECT_EQ(slurp(file("out.csv")), ",x,y\n8,3,4\n");
}

TEST_F(cull_program, npy_tables) {
  for (const std::string order : {"False", "True"}) {
    const std::vector<float> values = order == "True" ? std::vector<float>{1, 2, 3, 0, 0, 0, 0, 0, 0, 5, -5, 6}
                                                      : std::vector<float>{1, 0, 0, 5, 2, 0, 0, -5, 3, 0, 0, 6};
    spill(file("in.npy"),
          npy_bytes("{'descr': '<f4', 'fortran_order': " + order + ", 'shape': (3, 4), }", raw_all(values)));
    spill(file("c.json"), R"({"columns": {"npy": ["x", "y", "z", "lifetime"]}})");
    expect_culled({"--config", "c.json", "--input", "in.npy", "--output", "out.npy", "--lifetime-above", "0",
                   "--export", "lifetime=left.npy"});
    const std::string out = slurp(file("out.npy"));
    EXPECT_NE(out.find("'fortran_order': " + order + ", 'shape': (2, 4)"), std::string::npos);
    EXPECT_EQ(npy_elements<float>(out), order == "True" ? (std::vector<float>{1, 3, 0, 0, 0, 0, 5, 6})
                                                        : (std::vector<float>{1, 0, 0, 5, 3, 0, 0, 6}));
    EXPECT_EQ(npy_elements<float>(slurp(file("left.npy"))), (std::vector<float>{5, 6}));
  }
}

TEST_F(cull_program, nothing_in_and_nothing_kept) {
  const std::string none =
      "ply\nformat binary_little_endian 1.0\nelement vertex 0\nproperty float lifetime\nend_header\n";
  spill(file("in.ply"), none);
  expect_culled({"--input", "in.ply", "--output", "out.ply", "--lifetime-above", "0"});
  EXPECT_EQ(slurp(file("out.ply")), none);
  expect_culled({"--input", "in.ply", "--output", "in.ply"});
  EXPECT_EQ(slurp(file("in.ply")), none);
  ASSERT_EQ(run({cull, "generate", "--output", "cloud.ply", "--count", "5000"}).code, 0);
  expect_culled({"--input", "cloud.ply", "--output", "out.ply", "--lifetime-above", "100", "--export", "id=ids.npy"});
  EXPECT_EQ(npy_elements<std::uint32_t>(slurp(file("ids.npy"))), std::vector<std::uint32_t>{});
}

TEST_F(cull_program, every_config_runs_as_it_is_and_those_of_variants_with_a_rule) {
  ASSERT_EQ(run({cull, "generate", "--output", "cloud.ply", "--count", "12000"}).code, 0);
  for (const std::string folder : {"cull", "variants"}) {
    for (const std::string& path : configs_in({folder})) {
      SCOPED_TRACE(path);
      std::vector<std::string> words = {"--config", path,      "--input",  "cloud.ply",
                                        "--output", "out.ply", "--report", "r.json"};
      if (folder == "variants") words.insert(words.end(), {"--lifetime-above", "0"});
      expect_culled(words);
      const json report = json::parse(slurp(file("r.json")));
      EXPECT_EQ(report["verified"], true);
      EXPECT_EQ(report["scan"], json::parse(slurp(path))["scan"]);
      EXPECT_GT(report["output"]["particles"], 0);
      EXPECT_LT(report["output"]["particles"], 12000);
    }
  }
}

TEST_F(cull_program, draws_what_was_kept) {
  // Four points around the middle of what the camera sees, of which one is kept, and one that is seen from outside
  // alone.
  spill(file("in.csv"), "x,y,z,keep\n-1,1,0,0\n1,1,0,1\n-1,-1,0,0\n1,-1,0,0\n0,0,50,0\n");
  const std::vector<std::string> words = {cull, "--input", "in.csv", "--where", "keep > 0", "--image", "a.png"};
  const outcome o = run(words);
  if (o.err.find("built without libpng") != o.err.npos) GTEST_SKIP() << "built without libpng";
  ASSERT_EQ(o.code, 0) << o.err;
  const auto size_of_png = [&](const std::string& name) {
    const std::string bytes = slurp(file(name));
    EXPECT_EQ(bytes.substr(1, 3), "PNG");
    const auto number = [&](std::size_t at) {
      int value = 0;
      for (std::size_t i = at; i < at + 4; ++i) value = value << 8 | static_cast<unsigned char>(bytes.at(i));
      return value;
    };
    return std::pair(number(16), number(20));
  };
  EXPECT_EQ(size_of_png("a.png"), std::pair(1204, 450));
  run({cull, "--input", "in.csv", "--eye", "0", "0", "5", "--target", "0", "0", "0", "--aspect", "2", "--image",
       "b.png"});
  EXPECT_EQ(size_of_png("b.png"), std::pair(1204, 604));  // that of the camera, and from outside
  ASSERT_EQ(run({cull, "generate", "--output", "in.ply", "--count", "100"}).code, 0);
  ASSERT_EQ(run({cull, "--input", "in.ply", "in.csv", "--output", "kept", "--sphere", "0", "0", "0", "5", "--image",
                 "kept/sheet.png"})
                .code,
            0);
  EXPECT_EQ(size_of_png("kept/sheet.png"), std::pair(644, 240));
  expect_failure({cull, "--input", "in.csv", "--image", "in.ply"}, 2, "--image");
  spill(file("flat.csv"), "x,y\n1,2\n");
  expect_failure({cull, "--input", "flat.csv", "--image", "c.png"}, 3, "no property \"z\", which a picture needs");

  const float x[] = {-1, 1}, zero[] = {0, 0};
  const apps::point_cloud points{
      {column{x, scalar_type::f32}, column{zero, scalar_type::f32}, column{zero, scalar_type::f32}}, 2, {0, 1}};
  apps::camera c;
  c.eye = {0, 0, 5};
  c.target = {0, 0, 0};
  c.aspect = 1;
  const apps::picture p = apps::view_of(points, c, 101, false);
  // 4 pixels for each point: what is dropped is gray, what is kept yellow, as the nearest.
  int gray = 0, yellow = 0;
  for (std::size_t i = 0; i < p.bytes().size(); i += 3) {
    const int r = p.bytes()[i], b = p.bytes()[i + 2];
    const bool is_left = i / 3 % 101 < 50;
    gray += is_left && r == 71 && b == 87;
    yellow += !is_left && r == 252 && b == 36;
  }
  EXPECT_EQ(gray, 16);
  EXPECT_EQ(yellow, 16);
}

TEST_F(cull_program, methods_and_orders_keep_the_same_particles) {
  ASSERT_EQ(run({cull, "generate", "--output", "cloud.ply", "--count", "3000"}).code, 0);
  const std::vector<std::pair<std::string, std::vector<std::string>>> calls = {
      {"fused", {}},
      {"vote_scan_compact", {"--strategy", "serial"}},
      {"vote_scan_compact", {"--method", "vote_scan_compact", "--order", "any"}},
      {"hole_filling", {"--order", "any"}},
      {"hole_filling", {"--order", "any", "--method", "hole_filling", "--strategy", "serial"}}};
  std::set<int> survivors;
  for (const auto& [method, flags] : calls) {
    std::vector<std::string> words = {"--input",          "cloud.ply", "--output", "out.ply",
                                      "--lifetime-above", "0",         "--report", "r.json"};
    words.insert(words.end(), flags.begin(), flags.end());
    expect_culled(words);
    const json report = json::parse(slurp(file("r.json")));
    EXPECT_EQ(report["method"], method);
    EXPECT_EQ(report["order"], method == "hole_filling" ? "any" : "stable");
    EXPECT_EQ(report["bytes_moved"]["votes"], 3000 * 4);
    EXPECT_EQ(report["bytes_moved"]["scan"] > 0, method == "vote_scan_compact");
    EXPECT_GT(report["bytes_moved"]["particles"], 0);
    survivors.insert(report["output"]["particles"].get<int>());
  }
  EXPECT_EQ(survivors.size(), 1u);
}

TEST_F(cull_program, only_what_is_written_is_selected) {
  std::string rows = "x,y,z,id\n";
  for (int i = 0; i < 300; ++i) rows += fmt::format("{},{},{},{}\n", i % 7, i % 5, i % 3, 1000 - i);
  spill(file("in.csv"), rows);
  const auto moved_by = [&](const std::vector<std::string>& more) {
    std::vector<std::string> flags = {"--input", "in.csv", "--where", "x > 1 && y > 0 && z != 2", "--report", "r.json"};
    flags.insert(flags.end(), more.begin(), more.end());
    expect_culled(flags);
    const json report = json::parse(slurp(file("r.json")));
    const auto kept = report["output"]["particles"].get<int>();
    EXPECT_GT(kept, 50);
    return report["bytes_moved"]["particles"].get<int>() / kept;
  };
  // Of CSV that is where each row was, which is read and written; of exports, their columns too.
  const std::vector<std::vector<std::string>> methods = {
      {}, {"--gpu-memory", "6KiB"}, {"--method", "vote_scan_compact"}, {"--order", "any"}};
  for (const auto& method : methods) {
    const auto with = [&](std::vector<std::string> more) {
      more.insert(more.end(), method.begin(), method.end());
      return moved_by(more);
    };
    const bool in_order = method.empty() || method.back() != "any";
    const int all = with({"--output", "out.csv"}), exported = with({"--export", "id=id.npy"});
    if (in_order) {
      EXPECT_EQ(all, 2 * 4);
      EXPECT_EQ(exported, 2 * 8);
    }
    std::set<std::int64_t> ids;
    for (const std::int64_t id : npy_elements<std::int64_t>(slurp(file("id.npy")))) ids.insert(id);
    for (int i = 0; i < 300; ++i) {
      EXPECT_EQ(ids.count(1000 - i), i % 7 > 1 && i % 5 > 0 && i % 3 != 2 ? 1u : 0u) << i;
    }
  }
  EXPECT_EQ(moved_by({"--output", "out.csv", "--sort-by", "id", "--export", "y=y.npy"}), 2 * (4 + 8 + 8));
  EXPECT_EQ(npy_elements<std::int64_t>(slurp(file("y.npy"))).front(), 298 % 5);
  EXPECT_EQ(moved_by({"--rejected", "out.csv", "--lifetime-above", "0", "--lifetime-property", "id", "--eye", "0", "0",
                      "-9", "--target", "0", "0", "0", "--export-depth", "depth.npy"}),
            2 * (4 + 3 * 8));
}

TEST_F(cull_program, report_and_talk) {
  ASSERT_EQ(run({cull, "generate", "--output", "cloud.ply", "--count", "1234"}).code, 0);
  const outcome result =
      cull_with({"--input", "cloud.ply", "--output", "out.ply", "--lifetime-above", "0", "--report", "r.json"});
  ASSERT_EQ(result.code, 0) << result.err;
  const json report = json::parse(slurp(file("r.json")));
  EXPECT_EQ(report["program"], "upsweep-cull");
  EXPECT_EQ(report["backend"], "sim");
  EXPECT_EQ(report["input"]["particles"], 1234);
  EXPECT_EQ(report["input"]["bytes"], slurp(file("cloud.ply")).size());
  EXPECT_EQ(report["output"]["bytes"], slurp(file("out.ply")).size());
  for (const char* what : {"read", "upload", "device", "download", "verify", "write", "total"}) {
    EXPECT_GE(report["times_ms"][what].get<double>(), 0) << what;
  }
  EXPECT_EQ(result.err.find("device   sim"), 0u) << result.err;
  EXPECT_NE(result.err.find("of 1,234 particles"), std::string::npos) << result.err;
  EXPECT_NE(result.err.find("every byte agrees with plain CPU code"), std::string::npos) << result.err;
}

TEST_F(cull_program, reads_and_writes_streams) {
  ASSERT_EQ(run({cull, "generate", "--output", "cloud.ply", "--count", "3000"}).code, 0);
  expect_culled({"--input", "cloud.ply", "--output", "out.ply", "--lifetime-above", "1"});
  const outcome result = run({cull, "--device", "sim", "--input", "-", "--output", "-", "--lifetime-above", "1"},
                             slurp(file("cloud.ply")));
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.out, slurp(file("out.ply")));
}

TEST_F(cull_program, failures_have_their_codes) {
  ASSERT_EQ(run({cull, "generate", "--output", "cloud.ply", "--count", "100"}).code, 0);
  const auto failing = [&](const std::vector<std::string>& flags, int code, const std::string& words) {
    std::vector<std::string> command = {cull, "--device", "sim"};
    command.insert(command.end(), flags.begin(), flags.end());
    expect_failure(command, code, words);
  };
  failing({"--input", "none.ply", "--output", "o.ply"}, 3, "none.ply: cannot open it");
  failing({"--input", ".", "--output", "o.ply"}, 3, ".: a directory");
  failing({"--input", "/dev/null", "--output", "o.ply"}, 3, "/dev/null: empty; expected PLY");
  failing({"--input", "cloud.ply", "--output", "o.npy"}, 2,
          "--output: o.npy ends in .npy, and .ply is written, as cloud.ply is one");
  failing({"--input", "cloud.ply", "--output", "o.ply", "--lifetime-above", "0", "--lifetime-property", "age"}, 3,
          "no property \"age\", which the lifetime rule needs; it has x, y, z, vx, vy, vz, lifetime, id");
  failing({"--input", "cloud.ply", "--output", "o.ply", "--export", "colour=c.npy"}, 3, "no property \"colour\"");
  failing({"--input", "cloud.ply", "--output", "missing/o.ply"}, 4, "missing/o.ply: cannot create a file");
  failing({"--input", "cloud.ply", "--output", "."}, 4, ".: a directory");
  failing({"--input", "cloud.ply", "--output", "/dev/full"}, 4, "/dev/full: cannot write to it: No space left");
  failing({"--input", "cloud.ply", "--output", "o.ply", "--report", "missing/r.json"}, 4, "missing/r.json");
  failing({"--input", "cloud.ply", "--output", "o.ply", "--export", "id=missing/i.npy"}, 4, "missing/i.npy");
  expect_failure({cull, "--input", "cloud.ply", "--output", "o.ply", "--device", "cuda:999"}, 5, "--device cuda:999");
  EXPECT_EQ(files(), std::vector<std::string>{"cloud.ply"});
}

TEST_F(cull_program, standard_input_is_read_where_it_is_or_copied_where_the_user_says) {
  ASSERT_EQ(run({cull, "generate", "--output", "cloud.ply", "--count", "5000"}).code, 0);
  const auto culled = [&](const std::string& command) {
    return run({"/bin/sh", "-c", command + " " + cull + " --device sim --input - --output out.ply"});
  };
  EXPECT_EQ(culled("TMPDIR=/nowhere < cloud.ply").code, 0) << "a file";
  EXPECT_EQ(slurp(file("out.ply")), slurp(file("cloud.ply")));
  spill(file("out.ply"), "");
  EXPECT_EQ(culled("(printf junk; cat cloud.ply) > late; exec < late; dd bs=4 count=1 of=/dev/null 2>/dev/null;").code,
            0);
  EXPECT_EQ(slurp(file("out.ply")), slurp(file("cloud.ply"))) << "from where it stands";
  const outcome nowhere = culled("cat cloud.ply | TMPDIR=/nowhere");
  EXPECT_EQ(nowhere.code, 4);
  EXPECT_NE(nowhere.err.find("/nowhere: cannot copy standard input there: "), std::string::npos) << nowhere.err;
  spill(file("out.ply"), "");
  EXPECT_EQ(culled("cat cloud.ply | TMPDIR=.").code, 0);
  EXPECT_EQ(slurp(file("out.ply")), slurp(file("cloud.ply")));
  const outcome endless = culled("yes | TMPDIR=/nowhere");
  EXPECT_EQ(endless.code, 3) << endless.err;
  EXPECT_NE(endless.err.find("standard input: neither PLY nor npy"), std::string::npos) << endless.err;
}

/// The input is a pipe into which nobody writes, so the program waits with its outputs begun.
TEST_F(cull_program, an_interrupt_leaves_the_old_output_alone) {
  ASSERT_EQ(mkfifo(file("in.ply").c_str(), 0600), 0);
  for (const int signal_number : {SIGINT, SIGTERM}) {
    spill(file("out.ply"), "old");
    const std::vector<std::string> words = {cull,       "--device",      "sim",      "--input",     file("in.ply"),
                                            "--output", file("out.ply"), "--report", file("r.json")};
    std::vector<char*> argv;
    for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
    argv.push_back(nullptr);
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, signal_number);
    posix_spawnattr_setsigdefault(&attributes, &signals);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
    pid_t pid = 0;
    ASSERT_EQ(posix_spawn(&pid, argv[0], nullptr, &attributes, argv.data(), environ), 0);
    posix_spawnattr_destroy(&attributes);
    int writer = -1;  // there is none before the program reads
    for (int i = 0; i < 6000 && writer < 0; ++i) {
      writer = open(file("in.ply").c_str(), O_WRONLY | O_NONBLOCK);
      if (writer < 0) std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    EXPECT_GE(writer, 0);
    kill(pid, signal_number);
    int state = 0;
    waitpid(pid, &state, 0);
    close(writer);
    ASSERT_TRUE(WIFEXITED(state));
    EXPECT_EQ(WEXITSTATUS(state), 130);
    EXPECT_EQ(files(), (std::vector<std::string>{"in.ply", "out.ply"}));
    EXPECT_EQ(slurp(file("out.ply")), "old");
  }
}

TEST_F(cull_program, a_condition_and_its_inverse_part_the_particles) {
  const std::string header = "ply\nformat ascii 1.0\nelement vertex ";
  const auto content = [&](const std::string& count, const std::string& rows) {
    return header + count + "\nproperty float x\nproperty uchar class\nproperty uint64 id\nend_header\n" + rows;
  };
  const std::string rows[] = {"0.3 2 18446744073709551615\n", "0.25 2 18446744073709551614\n", "-1 1 3\n", "7 2 4\n"};
  spill(file("in.ply"), content("4", rows[0] + rows[1] + rows[2] + rows[3]));
  const std::vector<std::string> by = {"--input", "in.ply", "--where", "class == 2 && (x <= 0.3 || id == 3)"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), by.begin(), by.end());
    expect_culled(more);
  };
  with({"--output", "kept.ply", "--rejected", "rejected.ply", "--export-indices", "indices.npy", "--export-mask",
        "mask.npy"});
  EXPECT_EQ(slurp(file("kept.ply")), content("2", rows[0] + rows[1]));
  EXPECT_EQ(slurp(file("rejected.ply")), content("2", rows[2] + rows[3]));
  EXPECT_EQ(npy_elements<std::uint32_t>(slurp(file("indices.npy"))), (std::vector<std::uint32_t>{0, 1}));
  EXPECT_EQ(npy_elements<std::uint8_t>(slurp(file("mask.npy"))), (std::vector<std::uint8_t>{1, 1, 0, 0}));
  EXPECT_NE(slurp(file("mask.npy")).find("'|b1'"), std::string::npos);
  for (const std::string method : {"fused", "vote_scan_compact", "hole_filling"}) {
    with({"--output", "others.ply", "--invert", "--method", method, "--order", "any"});
    EXPECT_EQ(slurp(file("others.ply")), content("2", rows[2] + rows[3])) << method;
  }
  // All rules are joined by and; a config says the same.
  spill(file("c.json"),
        R"({"keep": {"where": "id % 2 == 0", "lifetime": {"above": 1}}, "columns": {"lifetime": "x"}})");
  expect_culled({"--config", "c.json", "--input", "in.ply", "--output", "both.ply"});
  EXPECT_EQ(slurp(file("both.ply")), content("1", rows[3]));
}

TEST_F(cull_program, survivors_are_sorted_by_a_property_or_by_depth) {
  const auto content = [&](const std::string& count, const std::string& rows) {
    return "ply\nformat ascii 1.0\nelement vertex " + count +
           "\nproperty float x\nproperty float y\nproperty float z\nproperty int id\nend_header\n" + rows;
  };
  spill(file("in.ply"), content("4", "0 0 -3 7\n0 0 -1 8\n0 0 -2 7\n0 0 5 7\n"));
  const std::string camera[] = {"--eye", "0", "0", "0", "--target", "0", "0", "-1"};
  std::vector<std::string> flags(std::begin(camera), std::end(camera));
  flags.insert(flags.end(), {"--input", "in.ply", "--output", "out.ply", "--sort-by", "depth", "--export-indices",
                             "indices.npy", "--export-mask", "mask.npy"});
  expect_culled(flags);
  EXPECT_EQ(slurp(file("out.ply")), content("3", "0 0 -1 8\n0 0 -2 7\n0 0 -3 7\n"));
  EXPECT_EQ(npy_elements<std::uint32_t>(slurp(file("indices.npy"))), (std::vector<std::uint32_t>{1, 2, 0}));
  EXPECT_EQ(npy_elements<std::uint8_t>(slurp(file("mask.npy"))), (std::vector<std::uint8_t>{1, 1, 1, 0}));
  expect_culled({"--input", "in.ply", "--output", "out.ply", "--where", "z < 0", "--sort-by", "id", "--descending"});
  EXPECT_EQ(slurp(file("out.ply")), content("3", "0 0 -1 8\n0 0 -3 7\n0 0 -2 7\n"));

  const std::vector<std::string> base = {cull, "--input", "in.ply", "--output", "o.ply"};
  const auto fails_with = [&](std::vector<std::string> more, int code, const std::string& words) {
    more.insert(more.begin(), base.begin(), base.end());
    expect_failure(more, code, words);
  };
  fails_with({"--sort-by", "depth"}, 2, "--sort-by: depth needs a camera");
  fails_with({"--descending"}, 2, "--sort-by: got nothing; expected a property name, or depth");
  fails_with({"--invert"}, 2, "--invert: there is no rule to invert");
  fails_with({"--sort-by", "w"}, 3, "no property \"w\", which is to be sorted by");
  fails_with({"--rejected", "o.ply"}, 2, "--rejected: o.ply is what --output writes");
  fails_with({"--rejected", "r.npy"}, 2, "--rejected: r.npy ends in .npy, and .ply is written");
  fails_with({"--where", "z <"}, 2, "--where: column 4 of \"z <\": expected a number");
  expect_failure({cull, "--input", "in.ply", "--where", "z < 0"}, 2, "--output is missing");
}

TEST_F(cull_program, many_files_go_into_a_folder) {
  spill(file("a.csv"), "x,name\n1,a\n-1,b\n2,c\n");
  spill(file("b.csv"), "x,name\nnone,a\n");
  spill(file("c.ply"), "ply\nformat ascii 1.0\nelement vertex 2\nproperty float x\nend_header\n-5\n5\n");
  const std::vector<std::string> rule = {"--where", "x > 0", "--output", "out/kept", "--report", "r.json"};
  const auto with = [&](std::vector<std::string> inputs) {
    inputs.insert(inputs.begin(), {"--input"});
    inputs.insert(inputs.end(), rule.begin(), rule.end());
    return cull_with(inputs);
  };
  const outcome all = with({"a.csv", "b.csv", "c.ply"});
  EXPECT_EQ(all.code, 3);
  EXPECT_NE(all.err.find(
                "all      2 of 3 files, 3 of 5 particles kept\nupsweep-cull: 1 of 3 files failed:\n  b.csv: line 2: "),
            std::string::npos)
      << all.err;
  EXPECT_EQ(slurp(file("out/kept/a.csv")), "x,name\n1,a\n2,c\n");
  EXPECT_EQ(slurp(file("out/kept/c.ply")),
            "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nend_header\n5\n");
  EXPECT_FALSE(std::filesystem::exists(file("out/kept/b.csv")));
  EXPECT_EQ(json::parse(slurp(file("r.json"))).size(), 2u);
  const outcome good = cull_with({"--quiet", "--input", "a.csv", "c.ply", "--where", "x > 0", "--output", "out"});
  EXPECT_EQ(good.code, 0);
  EXPECT_EQ(good.err, "");
  EXPECT_EQ(slurp(file("out/a.csv")), "x,name\n1,a\n2,c\n");

  const auto refused = [&](std::vector<std::string> flags, int code, const std::string& words) {
    flags.insert(flags.begin(), {cull, "--quiet", "--input", "a.csv", "c.ply"});
    expect_failure(flags, code, words);
  };
  refused({"--output", "a.csv"}, 4, "--output: a.csv: expected a folder, for the 2 files of --input");
  refused({"--output", "out", "--rejected", "r.csv"}, 2, "--input: got several files, and more than their survivors");
  refused({"--output", "out", "--input", "out/../c.ply"}, 2, "each output needs its own file");
}

}  // namespace
}  // namespace upsweep::test

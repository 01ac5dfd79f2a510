// What a run of upsweep-cull writes.
#include "cull_run.hpp"
#include "json_file.hpp"
#include "point_view.hpp"
#include "text.hpp"

namespace upsweep::apps {
namespace {

/// Of a picture that is beside another one.
constexpr int panel_width = 600;

std::uint64_t index_in(const table_column& indices, std::size_t i) {
  return indices.type == scalar_type::u32 ? indices.data.as<std::uint32_t>()[i] : indices.data.as<std::uint64_t>()[i];
}

}  // namespace

void cull_run::write_export(export_job& job) {
  const std::int64_t n = survivors_.count;
  if (job.is_property) {
    const table_column& c = survivors_.columns[*survivors_.find(job.what)];
    const std::string& date = input_.particles.columns[*input_.particles.find(job.what)].date;
    if (date.empty()) return write_npy_vector(job.file, c.type, c.data.data(), n);
    write_npy_header(job.file, "<" + date, false, {static_cast<std::uint64_t>(n)});
    return job.file.write(c.data.data(), c.data.bytes());
  }
  if (job.what == "depth") {
    return write_npy_vector(job.file, scalar_type::f32, depths_of_survivors().data(), n);
  }
  if (job.what == "indices") return write_npy_vector(job.file, indices_.type, indices_.data.data(), n);
  const std::vector<std::uint8_t> kept = mask();
  write_npy_header(job.file, "|b1", false, {kept.size()});
  job.file.write(kept.data(), kept.size());
}

std::vector<std::uint8_t> cull_run::mask() const {
  std::vector<std::uint8_t> kept(static_cast<std::size_t>(input_.particles.count));
  for (std::size_t i = 0; i < static_cast<std::size_t>(survivors_.count); ++i) kept[index_in(indices_, i)] = 1;
  return kept;
}

picture cull_run::view(int width, bool from_outside, bool before) const {
  const point_cloud points{position_of(input_.particles, config_, "a picture", config_.common.input),
                           input_.particles.count, mask()};
  const bool is_inside = config_.frustum && !from_outside;
  const double aspect = config_.frustum ? config_.frustum->aspect : 4.0 / 3;
  return view_of(points, is_inside ? *config_.frustum : camera_that_fits(points, aspect), width, before);
}

picture cull_run::before_and_after() const {
  std::vector<picture> views;
  for (const bool from_outside : {false, true}) {
    if (from_outside && !config_.frustum) continue;  // it would be the same camera again
    for (const bool before : {true, false}) views.push_back(view(panel_width, from_outside, before));
  }
  return sheet_of(views, 2);
}

void cull_run::write() {
  stopwatch watch;
  const auto put = [&](output_file& file, const particle_table& particles, const table_column& indices) {
    const auto origin = [&indices](std::int64_t i) { return index_in(indices, static_cast<std::size_t>(i)); };
    for (const std::string& gone :
         write_particles(file, input_, particles, has_indices_ ? row_origins(origin) : row_origins())) {
      say("note     {}", gone);
    }
  };
  for (export_job& job : exports_) write_export(job);
  if (image_) write_png(*image_, before_and_after());
  for (particle_table* const written : {&survivors_, &rejected_}) {
    std::vector<table_column>& columns = written->columns;
    if (config_.is_flat() && !columns.empty() && columns.back().name.empty()) columns.pop_back();
  }
  if (output_) put(*output_, survivors_, indices_);
  if (rejected_output_) put(*rejected_output_, rejected_, rejected_indices_);
  std::vector<output_file*> files;
  std::vector<std::string> words;
  const auto add = [&](output_file& file, std::string what) {
    files.push_back(&file);
    words.push_back(std::move(what));
  };
  if (output_) add(*output_, count_text(survivors_) + " particles");
  if (rejected_output_) add(*rejected_output_, count_text(rejected_) + " dropped particles");
  if (image_) add(*image_, "a picture of the particles before and after");
  for (export_job& job : exports_) {
    const particle_table& of = job.what == "mask" && !job.is_property ? input_.particles : survivors_;
    add(job.file, fmt::format("{} of {} particles", job.what, count_text(of)));
  }
  commit_all(files);
  for (std::size_t i = 0; i < files.size(); ++i) {
    say("wrote    {}: {}, {}", files[i]->name(), words[i], bytes_text(files[i]->bytes_written()));
  }
  write_ms_ = watch.lap();
}

ordered_json cull_run::report() const {
  ordered_json document = begun_report("upsweep-cull", device_);
  document["method"] = name_of(config_.method.method);
  document["order"] = is_stable(config_.method.method) ? "stable" : "any";
  document["scan"] = to_json(config_.common.scan);
  document["bytes_moved"] = {{"votes", moved_.votes}, {"scan", moved_.scan}, {"particles", moved_.elements}};
  document["input"] = {{"file", config_.common.input},
                       {"format", input_.format()},
                       {"bytes", input_.bytes},
                       {"particles", input_.particles.count},
                       {"properties", input_.particles.columns.size() - (config_.is_flat() ? 1 : 0)},
                       {"notices", input_.notices}};
  document["output"] = {{"file", config_.common.output},
                        {"bytes", output_ ? output_->bytes_written() : 0},
                        {"particles", survivors_.count}};
  const ordered_json config = to_json(config_);
  document["exports"] = ordered_json::object();
  document["exports"].update(config["export"].value("properties", ordered_json::object()));
  for (const char* key : {"depth", "indices", "mask"}) {
    if (config["export"].contains(key)) document[std::string("export_") + key] = config["export"][key];
  }
  if (rejected_output_) {
    document["rejected"] = {{"file", config_.rejected}, {"particles", rejected_.count}};
  }
  if (image_) document["image"] = config_.image;
  if (config.contains("sort")) document["sort"] = config["sort"];
  document["verified"] = verified_ ? ordered_json(*verified_) : ordered_json(nullptr);
  document["times_ms"] = {{"read", read_ms_},           {"upload", times_.upload_ms},
                          {"device", times_.device_ms}, {"download", times_.download_ms},
                          {"verify", verify_ms_},       {"sort", sort_ms_},
                          {"write", write_ms_},         {"total", stopwatch(total_).lap()}};
  return document;
}

}  // namespace upsweep::apps

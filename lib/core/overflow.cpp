// hpclab: SPDX-License-Identifier: Apache-2.0
#include "core/overflow.hpp"

#include "core/error.hpp"
#include "core/json_file.hpp"
#include "core/record.hpp"
#include "core/sampler.hpp"
#include "core/sha256.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace hpclab {
namespace {

constexpr std::size_t kept_samples = 512;

std::string text_of(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::size_t size_of(const Json& record) {
  return text_of(record).size() + 1;
}

void thin_samples(Json& record) {
  const auto all = record.find("samples");
  if (all == record.end()) return;
  Json notes = record.value("notes", Json::array());  // a new key would move the others
  for (auto& [name, list] : all->items()) {
    if (list.size() <= kept_samples) continue;
    notes.push_back(fmt::format("samples of {}: {} of {} kept, evenly spaced", name, kept_samples,
                                list.size()));
    list = thinned(list.get<std::vector<double>>(), kept_samples);
  }
  if (!notes.empty()) record["notes"] = std::move(notes);
}

std::string largest_table(const Json& record) {
  std::string largest;
  std::size_t most = 0;
  if (const auto tables = record.find("tables"); tables != record.end()) {
    for (const auto& [name, table] : tables->items()) {
      const std::size_t size = text_of(table).size();
      if (size > most) {
        most = size;
        largest = name;
      }
    }
  }
  return largest;
}

}  // namespace

Json fit_record(Json record, const std::filesystem::path& folder) {
  if (size_of(record) <= max_record_bytes) return record;
  thin_samples(record);
  while (size_of(record) > max_record_bytes) {
    const std::string name = largest_table(record);
    if (name.empty()) {
      throw CaseFailed(
          fmt::format("the record has {} bytes, more than {}, without a table to move out",
                      size_of(record), max_record_bytes));
    }
    if (folder.empty()) {
      throw CaseFailed(fmt::format(
          "table '{}' makes the record larger than {} bytes; give --out, so that it can "
          "be written to a file of its own",
          name, max_record_bytes));
    }
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    const std::filesystem::path path =
        folder / fmt::format("{}-{}.json", record["id"].get<std::string>(), name);
    const std::string text = text_of(record["tables"][name]) + "\n";
    write_text_file(path, text);
    record["files"].push_back({{"path", (folder.filename() / path.filename()).string()},
                               {"table", name},
                               {"sha256", sha256_hex(text)}});
    record["tables"].erase(name);
    if (record["tables"].empty()) record.erase("tables");
  }
  return record;
}

}  // namespace hpclab

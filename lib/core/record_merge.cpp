// hpclab: SPDX-License-Identifier: Apache-2.0
#include "core/error.hpp"
#include "core/record_file.hpp"
#include "core/record_scan.hpp"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <map>
#include <unordered_map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace hpclab {
namespace {

enum class Status : std::uint8_t { ok, failed, skipped };

Status status_of(const Json& record) {
  const std::string& text = record["status"].get_ref<const std::string&>();
  return text == "ok" ? Status::ok : text == "failed" ? Status::failed : Status::skipped;
}

// A case of the output: which line of which input holds it.
struct Chosen {
  std::uint64_t offset;
  std::uint32_t bytes;
  std::uint16_t input;
  Status status;
};

class Merger {
 public:
  explicit Merger(const std::vector<std::filesystem::path>& inputs) : inputs_(inputs) {
    if (inputs.size() > UINT16_MAX) throw UsageError("merge: more than 65535 inputs");
  }

  void read(std::size_t input) {
    bool any_run = false;
    scan_records(inputs_[input], [&](Json& record, const RecordPlace& place) {
      const std::string& kind = record["record"].get_ref<const std::string&>();
      if (kind == "run") {
        any_run = true;
        if (std::find(runs_.begin(), runs_.end(), record) == runs_.end())
          runs_.push_back(std::move(record));
      } else if (kind == "end") {
        seconds_ += record.value("seconds", 0.0);
      } else {
        if (!any_run) throw UsageError(place.where() + ": a case comes before any run record");
        take(record, place, input);
      }
    });
  }

  void write(const std::filesystem::path& out) {
    if (runs_.empty()) throw UsageError("merge: the inputs hold no run record");
    RecordWriter writer(out, RecordWriter::Mode::create);
    for (const Json& run : runs_) writer.append(run);
    std::map<Status, std::uint64_t> counts;
    std::string block;
    for (const Chosen& chosen : cases_) {
      ++counts[chosen.status];
      block += line_at(chosen);
      if (block.size() > (std::size_t{1} << 20)) {
        writer.append_lines(block);
        block.clear();
      }
    }
    writer.append_lines(block);
    writer.append({{"record", "end"},
                   {"run", runs_.back()["run"]},
                   {"cases", cases_.size()},
                   {"ok", counts[Status::ok]},
                   {"failed", counts[Status::failed]},
                   {"skipped", counts[Status::skipped]},
                   {"seconds", seconds_}});
    writer.flush();
  }

 private:
  void take(const Json& record, const RecordPlace& place, std::size_t input) {
    const std::string& text = record["id"].get_ref<const std::string&>();
    std::uint64_t id = 0;
    std::from_chars(text.data(), text.data() + text.size(), id, 16);
    const Chosen chosen{place.offset, static_cast<std::uint32_t>(place.bytes),
                        static_cast<std::uint16_t>(input), status_of(record)};
    const auto [entry, fresh] =
        position_.try_emplace(id, static_cast<std::uint32_t>(cases_.size()));
    if (fresh) {
      cases_.push_back(chosen);
      return;
    }
    Chosen& earlier = cases_[entry->second];
    const bool here = earlier.input == input;
    if (here && earlier.status != Status::failed) {
      throw UsageError(
          fmt::format("{}: case {} is already finished in an earlier line", place.where(), text));
    }
    if (!here && earlier.status == Status::ok && chosen.status == Status::ok) {
      if (Json::parse(line_at(earlier)) == record) return;
      throw UsageError(
          fmt::format("{}: case {} is finished in another input too, with other values",
                      inputs_[input].string(), text));
    }
    if (here || chosen.status == Status::ok || earlier.status == Status::failed) earlier = chosen;
  }

  std::string line_at(const Chosen& chosen) {
    if (!open_ || open_input_ != chosen.input) {
      open_.emplace(inputs_[chosen.input], std::ios::binary);
      open_input_ = chosen.input;
      next_offset_ = UINT64_MAX;
    }
    if (next_offset_ != chosen.offset) open_->seekg(static_cast<std::streamoff>(chosen.offset));
    std::string line(chosen.bytes, '\0');
    open_->read(line.data(), static_cast<std::streamsize>(line.size()));
    if (!*open_ || line.back() != '\n') {
      throw UsageError(
          fmt::format("{}: it changed while it was read", inputs_[chosen.input].string()));
    }
    next_offset_ = chosen.offset + chosen.bytes;
    return line;
  }

  const std::vector<std::filesystem::path>& inputs_;
  std::vector<Json> runs_;
  std::vector<Chosen> cases_;
  std::unordered_map<std::uint64_t, std::uint32_t> position_;
  double seconds_ = 0;
  std::optional<std::ifstream> open_;
  std::size_t open_input_ = 0;
  std::uint64_t next_offset_ = UINT64_MAX;
};

}  // namespace

void merge_records(const std::vector<std::filesystem::path>& inputs,
                   const std::filesystem::path& out) {
  Merger merger(inputs);
  for (std::size_t input = 0; input < inputs.size(); ++input) merger.read(input);
  merger.write(out);
}

}  // namespace hpclab

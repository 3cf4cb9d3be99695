// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Record files for tests of what reads them.
#pragma once

#include "core/case.hpp"

#include <atomic>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>
#include <unistd.h>

namespace hpclab::test {

/// A folder that goes away with the object.
class RecordFolder {
 public:
  RecordFolder() {
    static std::atomic<int> count{0};
    path_ = std::filesystem::temp_directory_path() /
            ("hpclab-records-" + std::to_string(::getpid()) + "-" + std::to_string(count++));
    std::filesystem::create_directories(path_);
  }
  ~RecordFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  RecordFolder(const RecordFolder&) = delete;
  RecordFolder& operator=(const RecordFolder&) = delete;

  std::filesystem::path write(const std::string& name, const std::string& text) const {
    std::ofstream(path_ / name, std::ios::binary) << text;
    return path_ / name;
  }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// Records of one run of a study `lab/study` that declares time_s and bandwidth_bytes_per_s.
class RecordText {
 public:
  explicit RecordText(const std::string& run, const Json& facts = Json::object()) : run_(run) {
    Json record = {
        {"record", "run"}, {"schema", "1.0"}, {"run", run}, {"started", "2026-01-01T00:00:00Z"}};
    record["studies"]["lab/study"] = {
        {"question", "?"},
        {"values",
         {{"time_s", {{"meaning", "time"}, {"better", "lower"}, {"headline", true}}},
          {"bandwidth_bytes_per_s",
           {{"meaning", "rate"}, {"better", "higher"}, {"headline", true}}},
          {"bytes", {{"meaning", "size"}, {"better", "neither"}, {"headline", false}}}}}};
    for (const auto& [name, value] : facts.items()) record[name] = value;
    text_ = record.dump() + "\n";
  }

  void add_measured(const Json& parameters, double time_s, const std::vector<double>& samples) {
    Json record = start(parameters, "measure", "cpu");
    record["status"] = "ok";
    record["values"] = {{"time_s", time_s}};
    if (!samples.empty()) record["samples"]["time_s"] = samples;
    text_ += record.dump() + "\n";
  }
  void add_predicted(const Json& parameters, const Json& values) {
    Json record = start(parameters, "model", Json());
    record["status"] = "ok";
    record["values"] = values;
    text_ += record.dump() + "\n";
  }
  void add_failed(const Json& parameters, const std::string& reason) {
    Json record = start(parameters, "model", Json());
    record["status"] = "failed";
    record["reason"] = reason;
    record["values"] = Json::object();
    text_ += record.dump() + "\n";
  }

  const std::string& text() const { return text_; }
  std::string end() const {
    const Json record = {{"record", "end"}, {"run", run_},  {"cases", cases_},
                         {"ok", cases_},    {"failed", 0u}, {"skipped", 0u}};
    return text_ + record.dump() + "\n";
  }

 private:
  Json start(const Json& parameters, const std::string& method, const Json& backend) {
    ++cases_;
    return {{"record", "case"},   {"id", case_id("lab", "study", method, backend, parameters, 1)},
            {"run", run_},        {"lab", "lab"},
            {"study", "study"},   {"method", method},
            {"backend", backend}, {"parameters", parameters},
            {"seed", 1u}};
  }

  std::string run_;
  std::string text_;
  std::uint64_t cases_ = 0;
};

}  // namespace hpclab::test

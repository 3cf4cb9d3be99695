// hpclab: SPDX-License-Identifier: Apache-2.0
//
// What a start-up log of a serving engine states, whoever wrote it. Every fact is optional: logs
// are cut, levels differ, versions reword their lines.
#pragma once

#include "kvcache/engine.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace hpclab::kvcache::explain {

/// A size as the log prints it, in bytes, with the unit that it names.
struct LoggedBytes {
  double bytes = 0;
  double unit_bytes = 0;  ///< of the unit, taking GB for GiB as these engines do
  std::string unit;       ///< "GiB", "GB", "MiB"
  std::uint64_t line = 0;
  int decimals = 2;

  /// Half of the last digit printed.
  double rounding() const;
};

/// One cache that llama.cpp allocates.
struct LoggedCache {
  LoggedBytes size;
  std::int64_t cells = 0;
  std::int64_t layers = 0;
  std::int64_t sequences = 0;
  std::string key_format;
  bool recurrent = false;
};

struct LogFacts {
  std::optional<Engine> engine;
  std::optional<EngineVersion> version;
  std::string version_text;
  std::string model;                      ///< as the log names it
  std::string gpu_name;                   ///< likewise
  std::map<std::string, double> numbers;  ///< flags and counts by our parameters' names
  std::map<std::string, LoggedBytes> sizes;
  std::map<std::string, std::string> words;  ///< kv_dtype, quantization, dtype
  std::vector<LoggedCache> caches;           ///< llama.cpp
  /// Smallest and largest "available" of the ranks, when several print it.
  std::optional<LoggedBytes> least_available;
  std::optional<LoggedBytes> most_available;
  std::uint64_t lines = 0;
  bool cut = false;                  ///< the last line has no end
  std::vector<std::string> skipped;  ///< lines that look like facts and could not be read

  std::optional<double> number(const std::string& name) const;
  const LoggedBytes* size(const std::string& name) const;
  void set_size(const std::string& name, const LoggedBytes& size);
};

/// Reads one line; true when it stated a fact of this engine.
bool read_vllm_line(std::string_view line, LogFacts& facts);
bool read_sglang_line(std::string_view line, LogFacts& facts);
bool read_tensorrt_llm_line(std::string_view line, LogFacts& facts);
bool read_llama_cpp_line(std::string_view line, LogFacts& facts);

}  // namespace hpclab::kvcache::explain

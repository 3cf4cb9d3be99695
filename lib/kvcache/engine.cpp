// hpclab: SPDX-License-Identifier: Apache-2.0
#include "kvcache/engine.hpp"

#include "core/error.hpp"

#include <array>
#include <charconv>

#include <fmt/format.h>

namespace hpclab::kvcache {

const std::vector<std::pair<std::string, Engine>>& engine_names() {
  static const std::vector<std::pair<std::string, Engine>> names{
      {"vllm", Engine::vllm},
      {"sglang", Engine::sglang},
      {"tensorrt-llm", Engine::tensorrt_llm},
      {"llama.cpp", Engine::llama_cpp}};
  return names;
}

const char* name_of(Engine engine) {
  for (const auto& [name, value] : engine_names()) {
    if (value == engine) return name.c_str();
  }
  return "?";
}

std::string EngineVersion::text() const {
  return minor == 0 && patch == 0 && major > 99 ? fmt::format("b{}", major)
                                                : fmt::format("{}.{}.{}", major, minor, patch);
}

EngineVersion parse_engine_version(std::string_view text, const std::string& where) {
  const std::string_view given = text;
  if (!text.empty() && (text[0] == 'v' || text[0] == 'b')) text.remove_prefix(1);
  std::array<int, 3> numbers{};
  std::size_t count = 0;
  while (count < numbers.size() && !text.empty()) {
    int number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{} || number < 0) break;
    numbers[count++] = number;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    if (text.empty() || text[0] != '.') break;
    text.remove_prefix(1);
  }
  // What follows the numbers (rc1, .dev3+gabc, .post1) does not change the rules.
  if (count == 0) {
    throw UsageError(fmt::format("{}: '{}' is no version such as 0.19.0 or b6123", where, given));
  }
  return {numbers[0], numbers[1], numbers[2]};
}

EngineVersion newest_known(Engine engine) {
  switch (engine) {
    case Engine::vllm:
      return {0, 29, 0};
    case Engine::sglang:
      return {0, 5, 10};
    case Engine::tensorrt_llm:
      return {1, 2, 0};
    case Engine::llama_cpp:
      return {7000, 0, 0};
  }
  return {};
}

}  // namespace hpclab::kvcache

// hpclab: SPDX-License-Identifier: Apache-2.0
#include "kvcache/explain/read_log.hpp"

#include "core/error.hpp"
#include "formats/line_reader.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace hpclab::kvcache::explain {
namespace {

using Reader = bool (*)(std::string_view, LogFacts&);

constexpr std::array readers{std::pair{Engine::vllm, Reader{read_vllm_line}},
                             std::pair{Engine::sglang, Reader{read_sglang_line}},
                             std::pair{Engine::tensorrt_llm, Reader{read_tensorrt_llm_line}},
                             std::pair{Engine::llama_cpp, Reader{read_llama_cpp_line}}};

}  // namespace

LogFacts facts_of(const std::function<bool(std::string_view&)>& next) {
  std::array<LogFacts, readers.size()> facts;
  std::array<std::uint64_t, readers.size()> stated{};
  std::string_view line;
  while (next(line)) {
    for (std::size_t i = 0; i < readers.size(); ++i) {
      ++facts[i].lines;
      if (readers[i].second(line, facts[i])) ++stated[i];
    }
  }
  const auto most =
      static_cast<std::size_t>(std::max_element(stated.begin(), stated.end()) - stated.begin());
  if (stated[most] > 0) facts[most].engine = readers[most].first;
  return std::move(facts[most]);
}

LogFacts read_log(const std::filesystem::path& path) {
  formats::LineReader reader(path);
  LogFacts facts = facts_of([&](std::string_view& line) { return reader.next(line); });
  facts.cut = reader.line_is_open();
  if (!facts.engine) {
    throw UsageError(fmt::format(
        "{}: none of its {} lines is one that vLLM, SGLang, TensorRT-LLM or llama.cpp writes about "
        "memory when it starts",
        path.string(), facts.lines));
  }
  return facts;
}

}  // namespace hpclab::kvcache::explain

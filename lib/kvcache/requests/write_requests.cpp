// hpclab: SPDX-License-Identifier: Apache-2.0
#include "kvcache/requests/write_requests.hpp"

#include "core/error.hpp"

#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <iterator>
#include <memory>
#include <string>

#include <fmt/format.h>

namespace hpclab::kvcache::requests {
namespace {

struct Close {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

[[noreturn]] void cannot_write(const std::filesystem::path& path) {
  throw UsageError(fmt::format("{}: cannot be written: {}", path.string(), std::strerror(errno)));
}

}  // namespace

std::uint64_t write_mooncake(RequestSource& source, const std::filesystem::path& path) {
  const std::unique_ptr<std::FILE, Close> file(std::fopen(path.c_str(), "w"));
  if (!file) cannot_write(path);
  std::uint64_t count = 0;
  std::string line;
  for (Request request; source.next(request); ++count) {
    line.clear();
    fmt::format_to(std::back_inserter(line),
                   R"({{"timestamp":{:.0f},"input_length":{},"output_length":{},"hash_ids":[)",
                   std::round(1000 * request.time_s), request.input_tokens, request.output_tokens);
    for (std::size_t i = 0; i < request.blocks.size(); ++i) {
      fmt::format_to(std::back_inserter(line), "{}{}", i == 0 ? "" : ",", request.blocks[i]);
    }
    line += "]}\n";
    if (std::fwrite(line.data(), 1, line.size(), file.get()) != line.size()) cannot_write(path);
  }
  if (std::fflush(file.get()) != 0) cannot_write(path);
  return count;
}

}  // namespace hpclab::kvcache::requests

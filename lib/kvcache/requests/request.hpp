// hpclab: SPDX-License-Identifier: Apache-2.0
//
// A request of a serving trace, whatever format it came in.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace hpclab::kvcache::requests {

/// What a trace says about the content of its requests.
enum class Content {
  lengths,    ///< token counts only
  block_ids,  ///< one id for every block of tokens; equal ids mean equal prefixes
  token_ids   ///< the tokens themselves
};

struct TraceFacts {
  std::string format;  ///< "mooncake", "bailian", ...
  Content content = Content::lengths;
  std::uint64_t block_tokens = 0;  ///< of one id; for token ids, the block size when none is given
};

struct Request {
  double time_s = 0;  ///< arrival, from the trace's own zero
  std::uint64_t input_tokens = 0;
  std::uint64_t output_tokens = 0;
  std::vector<std::uint64_t> blocks;  ///< ids of the input's blocks, first to last
  std::uint64_t space = 0;  ///< tokens of different spaces (adapter, salt) are never shared
  std::vector<std::uint32_t> tokens;  ///< the input itself, for Content::token_ids
};

}  // namespace hpclab::kvcache::requests

// hpclab: SPDX-License-Identifier: Apache-2.0
//
// The decode frontier of a model on a GPU: throughput and speed of a request against the number of
// requests, where arithmetic takes over and where memory ends.
#pragma once

#include "core/context.hpp"
#include "core/result.hpp"
#include "core/study.hpp"
#include "kvcache/frontier/parameters.hpp"

#include <string>
#include <vector>

namespace hpclab::kvcache::frontier {

Result model(const Parameters& p, Context& context);

/// Time outside of the roofline that each request adds to each step, so that `batch` requests gain
/// `gain` in throughput over one: x of batch (alone + x) = gain (together + batch x). CaseFailed
/// when the roofline itself gains less.
double implied_request_s(double alone_s, double together_s, double batch, double gain);

/// Ridge, limit by memory, gap to an observed gain, error against measured rows: in words.
std::vector<std::string> conclude(const RunSummary& summary);

}  // namespace hpclab::kvcache::frontier

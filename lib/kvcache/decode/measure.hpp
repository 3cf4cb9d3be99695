// hpclab: SPDX-License-Identifier: Apache-2.0
//
// A decode step executed, compared with the reference, and timed.
#pragma once

#include "core/context.hpp"
#include "core/result.hpp"
#include "core/study.hpp"
#include "kvcache/decode/parameters.hpp"

#include <string>
#include <vector>

namespace hpclab::kvcache::decode {

Result measure(const Parameters& p, Backend backend, Context& context);

/// On a GPU, or verified on the emulator.
Result measure_gpu(const Parameters& p, Backend backend, const Context& context);

/// Bytes that a measurement on the processor allocates.
double allocated_bytes(const Parameters& p);

/// The best share of the read bandwidth by format, in words.
std::vector<std::string> conclude(const RunSummary& summary);

}  // namespace hpclab::kvcache::decode

// hpclab: SPDX-License-Identifier: Apache-2.0
//
// How long a decode step of a layer should take: the larger of reading the cache at the profile's
// bandwidth and of its multiply-adds at the profile's peak.
#pragma once

#include "core/context.hpp"
#include "core/result.hpp"
#include "kvcache/decode/parameters.hpp"

namespace hpclab::kvcache::decode {

Result model(const Parameters& p, Context& context);

}  // namespace hpclab::kvcache::decode

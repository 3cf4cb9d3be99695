// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Attention in double precision, straight from its definition: what every kernel is compared with.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

namespace hpclab::kvcache::decode {

/// Element d of the key or value of a token.
using Element = std::function<double(std::int64_t token, int d)>;

/// softmax(scale x query . keys) x values over `tokens` tokens: value_dim numbers.
std::vector<double> reference_attention(const float* query, int key_dim, int value_dim,
                                        std::int64_t tokens, double scale, const Element& key,
                                        const Element& value);

/// The larger of two errors; not a number as soon as one of them is none.
double worse_error(double a, double b);

/// Largest difference of a result over the largest magnitude of the reference.
double error_ratio(const float* result, const std::vector<double>& reference);

}  // namespace hpclab::kvcache::decode

// hpclab: SPDX-License-Identifier: Apache-2.0
#include "core/units.hpp"
#include "kvcache/prefix/parameters.hpp"

#include <cmath>
#include <string>

#include <fmt/format.h>

namespace hpclab::kvcache::prefix {

Result model(const Parameters& p, Context&) {
  const PrefillCost cost = prefill_cost(p);
  const auto tokens = static_cast<double>(p.prefix_tokens);
  Result result;
  result.set_value("break_even_bytes_per_s", cost.break_even_bytes_per_s(tokens));
  result.set_value("break_even_tokens", cost.break_even_tokens(p.cpu_bytes_per_s));
  result.set_value("bytes_per_token", cost.bytes_per_token());
  const auto verdict = [&](const char* tier, double bytes_per_s) {
    const double shortest = cost.break_even_tokens(bytes_per_s);
    return fmt::format(
        "{} at {} pays {}", tier, readable("bytes_per_s", bytes_per_s).text(),
        shortest == 0 ? "always" : fmt::format("from {:.0f} tokens on", std::ceil(shortest)));
  };
  result.set_text("verdict", verdict("loading from CPU memory", p.cpu_bytes_per_s) + "; " +
                                 verdict("from SSD", p.ssd_bytes_per_s));
  return result;
}

}  // namespace hpclab::kvcache::prefix

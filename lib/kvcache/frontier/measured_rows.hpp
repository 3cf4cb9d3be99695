// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Measured serving results as InferenceX keeps them: one row for each prompt length, output length
// and number of requests at once.
#pragma once

#include "formats/line_reader.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace hpclab::kvcache::frontier {

struct MeasuredRow {
  std::int64_t input_tokens = 0;
  std::int64_t output_tokens = 0;
  std::int64_t concurrency = 0;
  double tpot_s = 0;  ///< median time per output token after the first
};

/// Rows of a CSV with columns isl, osl, conc, median_tpot and, when `configuration` is not empty,
/// those whose column cfg holds it. UsageError with file and line: a column is missing, a number is
/// no positive one; or, naming those there are, no row has the configuration.
std::vector<MeasuredRow> read_measured_rows(formats::LineReader lines,
                                            const std::string& configuration);

}  // namespace hpclab::kvcache::frontier

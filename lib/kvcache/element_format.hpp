// hpclab: SPDX-License-Identifier: Apache-2.0
//
// How elements of a cache or of a weight matrix are stored, and how many bytes a row of them takes.
// Block formats (q8_0, nvfp4, ...) store a scale beside every few elements; per-token-head formats
// store one beside every row; fp8_ds_mla is the fixed layout of one latent row of DeepSeek models.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace hpclab::kvcache {

enum class ElementFormat {
  fp32,
  bf16,
  fp16,
  fp8,                  ///< e4m3 or e5m2, scales per tensor (not counted)
  int8,                 ///< scales per tensor (not counted)
  int4,                 ///< two elements a byte, scales per tensor (not counted)
  fp8_per_token_head,   ///< fp8 and one fp32 scale a row
  int8_per_token_head,  ///< int8 and one fp32 scale a row
  fp8_ds_mla,           ///< 512 fp8, 4 fp32 scales, 64 bf16: 656 bytes, for latent rows only
  nvfp4,                ///< 16 elements of 4 bits and one fp8 scale
  mxfp4,                ///< 32 elements of 4 bits and one 8-bit exponent
  q8_0,                 ///< ggml: 32 elements of 8 bits and one fp16 scale
  q4_0,                 ///< ggml: 32 elements of 4 bits and one fp16 scale
  q4_1,                 ///< ggml: 32 elements of 4 bits, fp16 scale and minimum
  q5_0,                 ///< ggml: 32 elements of 5 bits and one fp16 scale
  q5_1,                 ///< ggml: 32 elements of 5 bits, fp16 scale and minimum
  iq4_nl                ///< ggml: 32 elements of 4 bits (table look-up) and one fp16 scale
};

/// Elements and bytes of one block, and bytes that every row has beside its blocks.
struct FormatLayout {
  std::int64_t block_elements = 1;
  std::int64_t block_bytes = 1;
  std::int64_t row_bytes = 0;
};
FormatLayout layout_of(ElementFormat format);

/// Bytes of one row of `elements` elements. CaseFailed when the row is no whole number of blocks
/// (llama.cpp refuses such a cache), or for fp8_ds_mla unless the row is 512 + 64 elements.
std::int64_t row_bytes(ElementFormat format, std::int64_t elements);

/// Mean bytes an element, scales of blocks included; those of rows are not.
double bytes_per_element(ElementFormat format);

const char* name_of(ElementFormat format);
/// Every name that parse_element_format() knows, each format's own name first.
const std::vector<std::string>& element_format_names();
/// A format by its name or an engine's word for it ("bfloat16", "half", "f16", "fp8_e4m3").
/// UsageError beginning with `where`, with the nearest name.
ElementFormat parse_element_format(std::string_view name, const std::string& where);

}  // namespace hpclab::kvcache

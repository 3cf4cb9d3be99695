// hpclab: SPDX-License-Identifier: Apache-2.0
#include "kvcache/element_format.hpp"

#include "core/error.hpp"
#include "core/nearest_name.hpp"

#include <array>
#include <utility>

#include <fmt/format.h>

namespace hpclab::kvcache {
namespace {

constexpr std::int64_t latent_row_elements = 512 + 64;
constexpr std::int64_t latent_row_bytes = 512 + 4 * 4 + 64 * 2;

using Named = std::pair<const char*, ElementFormat>;

constexpr std::array formats{
    Named{"fp32", ElementFormat::fp32},
    Named{"bf16", ElementFormat::bf16},
    Named{"fp16", ElementFormat::fp16},
    Named{"fp8", ElementFormat::fp8},
    Named{"int8", ElementFormat::int8},
    Named{"int4", ElementFormat::int4},
    Named{"fp8_per_token_head", ElementFormat::fp8_per_token_head},
    Named{"int8_per_token_head", ElementFormat::int8_per_token_head},
    Named{"fp8_ds_mla", ElementFormat::fp8_ds_mla},
    Named{"nvfp4", ElementFormat::nvfp4},
    Named{"mxfp4", ElementFormat::mxfp4},
    Named{"q8_0", ElementFormat::q8_0},
    Named{"q4_0", ElementFormat::q4_0},
    Named{"q4_1", ElementFormat::q4_1},
    Named{"q5_0", ElementFormat::q5_0},
    Named{"q5_1", ElementFormat::q5_1},
    Named{"iq4_nl", ElementFormat::iq4_nl},
};

// Words of engines and of configuration files.
constexpr std::array aliases{
    Named{"float32", ElementFormat::fp32},
    Named{"f32", ElementFormat::fp32},
    Named{"float", ElementFormat::fp32},
    Named{"bfloat16", ElementFormat::bf16},
    Named{"float16", ElementFormat::fp16},
    Named{"half", ElementFormat::fp16},
    Named{"f16", ElementFormat::fp16},
    Named{"fp8_e4m3", ElementFormat::fp8},
    Named{"fp8_e5m2", ElementFormat::fp8},
    Named{"float8_e4m3fn", ElementFormat::fp8},
    Named{"fp8_inc", ElementFormat::fp8},
    Named{"fp4_e2m1", ElementFormat::nvfp4},
    Named{"float4_e2m1fn_x2", ElementFormat::nvfp4},
};

}  // namespace

FormatLayout layout_of(ElementFormat format) {
  switch (format) {
    case ElementFormat::fp32:
      return {1, 4, 0};
    case ElementFormat::bf16:
    case ElementFormat::fp16:
      return {1, 2, 0};
    case ElementFormat::fp8:
    case ElementFormat::int8:
      return {1, 1, 0};
    case ElementFormat::int4:
      return {2, 1, 0};
    case ElementFormat::fp8_per_token_head:
    case ElementFormat::int8_per_token_head:
      return {1, 1, 4};
    case ElementFormat::fp8_ds_mla:
      return {latent_row_elements, latent_row_bytes, 0};
    case ElementFormat::nvfp4:
      return {16, 8 + 1, 0};
    case ElementFormat::mxfp4:
      return {32, 16 + 1, 0};
    case ElementFormat::q8_0:
      return {32, 32 + 2, 0};
    case ElementFormat::q4_0:
    case ElementFormat::iq4_nl:
      return {32, 16 + 2, 0};
    case ElementFormat::q4_1:
      return {32, 16 + 4, 0};
    case ElementFormat::q5_0:
      return {32, 20 + 2, 0};
    case ElementFormat::q5_1:
      return {32, 20 + 4, 0};
  }
  return {};
}

std::int64_t row_bytes(ElementFormat format, std::int64_t elements) {
  const FormatLayout layout = layout_of(format);
  if (elements % layout.block_elements != 0) {
    throw CaseFailed(
        fmt::format("a row of {} elements is no whole number of {} blocks ({} elements each)",
                    elements, name_of(format), layout.block_elements));
  }
  return elements / layout.block_elements * layout.block_bytes +
         (elements > 0 ? layout.row_bytes : 0);
}

double bytes_per_element(ElementFormat format) {
  const FormatLayout layout = layout_of(format);
  return static_cast<double>(layout.block_bytes) / static_cast<double>(layout.block_elements);
}

const char* name_of(ElementFormat format) {
  for (const auto& [name, value] : formats) {
    if (value == format) return name;
  }
  return "?";
}

const std::vector<std::string>& element_format_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const auto& [name, format] : formats) all.emplace_back(name);
    for (const auto& [name, format] : aliases) all.emplace_back(name);
    return all;
  }();
  return names;
}

ElementFormat parse_element_format(std::string_view name, const std::string& where) {
  for (const auto& [known, format] : formats) {
    if (name == known) return format;
  }
  for (const auto& [known, format] : aliases) {
    if (name == known) return format;
  }
  throw UsageError(fmt::format("{}: unknown element format '{}'{}", where, name,
                               suggestion(name, element_format_names())));
}

}  // namespace hpclab::kvcache

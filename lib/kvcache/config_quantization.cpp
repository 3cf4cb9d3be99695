// hpclab: SPDX-License-Identifier: Apache-2.0
//
// quantization_config of a checkpoint: which bits, groups and scales, and what stays unquantised.
#include "core/error.hpp"
#include "core/nearest_name.hpp"
#include "kvcache/config_keys.hpp"
#include "kvcache/hugging_face_config.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace hpclab::kvcache {
namespace {

// DeepSeek's fp8 has one fp32 scale for each block of 128 x 128; others one a tensor.
void read_fp8(Quantization& result, ConfigKeys& keys) {
  result.bits = 8;
  result.unquantized = keys.words("modules_to_not_convert");
  const std::vector<std::int64_t> block = keys.integers("weight_block_size");
  if (block.size() == 2 && block[0] > 0 && block[1] > 0) {
    result.group_rows = block[0];
    result.group_elements = block[1];
    result.scale_bytes = 4;
  }
}

void read_grouped(Quantization& result, ConfigKeys& keys, double default_bits) {
  result.bits = keys.number("bits", keys.number("w_bit", default_bits));
  if (!(result.bits > 0 && result.bits <= 16)) keys.fail("bits", "1 to 16 bits are known");
  result.group_elements = keys.has("group_size") && keys.number("group_size", 0) < 0
                              ? 0
                              : keys.one_of({"group_size", "q_group_size"}, 128);
  result.scale_bytes = 2;
  // GPTQ and AWQ store a zero point beside every scale, symmetric or not.
  result.zero_point_bits = result.bits;
  result.unquantized = keys.words("modules_to_not_convert");
}

// compressed-tensors: groups of targets, of which the first one decides.
void read_compressed_tensors(Quantization& result, ConfigKeys& keys) {
  result.unquantized = keys.words("ignore");
  const auto groups = keys.object("config_groups");
  if (!groups || groups->json().empty()) {
    keys.miss("config_groups");
    return;
  }
  auto group = groups->object(groups->json().begin().key());
  const auto weights = group ? group->object("weights") : std::nullopt;
  if (!weights) keys.fail("config_groups", "the first group has no weights");
  result.bits = weights->number("num_bits", 8);
  if (!(result.bits > 0 && result.bits <= 16)) weights->fail("num_bits", "1 to 16 bits are known");
  const std::string strategy = weights->text("strategy", "channel");
  const std::string kind = weights->text("type", "int");
  if (strategy == "group" || strategy == "tensor_group") {
    result.group_elements = weights->integer("group_size", result.bits == 4 ? 16 : 128);
    result.scale_bytes = kind == "float" && result.bits == 4 ? 1 : 2;
  } else if (strategy == "block") {
    const std::vector<std::int64_t> block = weights->integers("block_structure");
    result.group_rows = block.size() == 2 ? block[0] : 128;
    result.group_elements = block.size() == 2 ? block[1] : 128;
    result.scale_bytes = 4;
  } else if (strategy == "channel") {
    result.scale_bytes = 2;
  }
}

// ModelOpt writes either the algorithm or compressed-tensors groups beside it.
void read_modelopt(Quantization& result, ConfigKeys& keys) {
  std::string algorithm = keys.text("quant_algo", "");
  std::optional<ConfigKeys> nested = keys.object("quantization");
  if (algorithm.empty() && nested) algorithm = nested->text("quant_algo", "");
  result.unquantized = keys.words("ignore");
  for (const std::string& module : keys.words("exclude_modules")) {
    result.unquantized.push_back(module);
  }
  if (nested) {
    for (const std::string& module : nested->words("exclude_modules")) {
      result.unquantized.push_back(module);
    }
  }
  if (algorithm == "NVFP4" || algorithm.find("FP4") != std::string::npos) {
    result.bits = 4;
    result.group_elements = 16;
    result.scale_bytes = 1;
  } else if (algorithm.starts_with("FP8")) {
    result.bits = 8;
  } else {
    keys.fail("quant_algo", fmt::format("'{}' is not known (FP8, NVFP4)", algorithm));
  }
}

}  // namespace

Quantization quantization_from_config(const Json& config, const std::string& origin) {
  Quantization result;
  const ConfigKeys whole(config, origin, "");
  auto section = whole.object("quantization_config");
  if (!section) section = whole.object("compression_config");
  if (!section) return result;
  ConfigKeys& keys = *section;
  result.method = keys.text("quant_method", "");
  if (result.method.empty() && keys.has("config_groups")) result.method = "compressed-tensors";
  if (result.method.empty() && keys.has("quant_algo")) result.method = "modelopt";
  if (result.method == "fp8" || result.method == "fbgemm_fp8") {
    read_fp8(result, keys);
  } else if (result.method == "gptq" || result.method == "awq" || result.method == "auto-round" ||
             result.method == "gptq_marlin" || result.method == "awq_marlin") {
    read_grouped(result, keys, 4);
  } else if (result.method == "compressed-tensors") {
    read_compressed_tensors(result, keys);
  } else if (result.method == "mxfp4") {
    result.bits = 4;
    result.group_elements = 32;
    result.scale_bytes = 1;
    result.unquantized = keys.words("modules_to_not_convert");
    result.experts_only = true;
  } else if (result.method.starts_with("modelopt")) {
    read_modelopt(result, keys);
  } else if (result.method == "bitsandbytes") {
    result.bits = keys.flag("load_in_8bit", false) ? 8 : 4;
    result.group_elements = result.bits == 4 ? 64 : 0;
    result.scale_bytes =
        result.bits == 4 ? (keys.flag("bnb_4bit_use_double_quant", false) ? 1 : 4) : 4;
    result.unquantized = keys.words("llm_int8_skip_modules");
  } else {
    throw UsageError(fmt::format(
        "{}: /quantization_config/quant_method: '{}' is not known{}", origin, result.method,
        suggestion(result.method, {"fp8", "fbgemm_fp8", "gptq", "awq", "auto-round",
                                   "compressed-tensors", "mxfp4", "modelopt", "bitsandbytes"})));
  }
  if (!keys.missing().empty()) {
    throw UsageError(
        fmt::format("{}: /quantization_config: {} is missing", origin, keys.missing().front()));
  }
  return result;
}

}  // namespace hpclab::kvcache

// hpclab: SPDX-License-Identifier: Apache-2.0
#include "kvcache/model_description.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace hpclab::kvcache {
namespace {

std::string attention_kind(const Attention& attention) {
  const char* kind = attention.kv_heads == attention.query_heads ? "MHA"
                     : attention.kv_heads == 1                   ? "MQA"
                                                                 : "GQA";
  return fmt::format("{} {}:{}x{}", kind, attention.query_heads, attention.kv_heads,
                     attention.key_dim);
}

std::string kind_of(const Layer& layer) {
  switch (layer.mixer) {
    case Mixer::full_attention:
      return attention_kind(layer.attention);
    case Mixer::sliding_window:
      return fmt::format("window {} {}", layer.attention.window, attention_kind(layer.attention));
    case Mixer::chunked_local:
      return fmt::format("chunk {} {}", layer.attention.window, attention_kind(layer.attention));
    case Mixer::latent_attention:
      return fmt::format("MLA {}+{}{}", layer.latent.latent_rank, layer.latent.rope_dim,
                         layer.latent.indexer_dim > 0 ? " with indexer" : "");
    case Mixer::recurrent_state:
      return layer.recurrence.kind;
    case Mixer::none:
      break;
  }
  return "";
}

}  // namespace

const char* name_of(Mixer mixer) {
  switch (mixer) {
    case Mixer::full_attention:
      return "full attention";
    case Mixer::sliding_window:
      return "sliding window";
    case Mixer::chunked_local:
      return "chunked local";
    case Mixer::latent_attention:
      return "latent attention";
    case Mixer::recurrent_state:
      return "recurrent state";
    case Mixer::none:
      return "none";
  }
  return "?";
}

std::int64_t Recurrence::convolution_channels() const {
  return heads * value_dim + 2 * groups * key_dim;
}

std::int64_t Recurrence::convolution_elements() const {
  return convolution_width > 0 ? (convolution_width - 1) * convolution_channels() : 0;
}

std::int64_t Recurrence::matrix_elements() const {
  return heads * key_dim * value_dim;
}

std::int64_t ModelDescription::count(Mixer mixer) const {
  return std::count_if(layers.begin(), layers.end(),
                       [&](const Layer& layer) { return layer.mixer == mixer; });
}

std::string ModelDescription::cache_kind() const {
  std::vector<std::pair<std::string, int>> kinds;
  const auto add = [&](const std::string& kind) {
    if (kind.empty()) return;
    const auto found =
        std::find_if(kinds.begin(), kinds.end(), [&](const auto& k) { return k.first == kind; });
    if (found == kinds.end()) {
      kinds.emplace_back(kind, 1);
    } else {
      ++found->second;
    }
  };
  int shared = 0;
  for (const Layer& layer : layers) {
    if (layer.shares_cache_of) {
      ++shared;
      continue;
    }
    add(kind_of(layer));
    if (layer.also_recurrent) add(layer.recurrence.kind);
  }
  std::string text;
  for (const auto& [kind, count] : kinds) {
    text += fmt::format("{}{} x {}", text.empty() ? "" : " + ", count, kind);
  }
  if (shared > 0) text += fmt::format(" + {} that share a cache", shared);
  return text.empty() ? "no cache" : text;
}

}  // namespace hpclab::kvcache

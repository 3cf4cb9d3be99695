// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Rules of vLLM V1 (kv_cache_utils.py, kv_cache_interface.py): layers of one kind are split into
// groups of equal size; every group has its own block table over one pool of blocks; a block holds
// a page of each layer of a group.
#include "core/error.hpp"
#include "kvcache/pool.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include <fmt/format.h>

namespace hpclab::kvcache {
namespace {

std::int64_t ceil_divide(std::int64_t value, std::int64_t by) {
  return (value + by - 1) / by;
}

// What layers must share to be in one group.
struct Kind {
  Mixer mixer = Mixer::full_attention;
  std::int64_t window = 0;
  std::int64_t bytes_per_token = 0;
  std::int64_t state_bytes = 0;
  auto operator<=>(const Kind&) const = default;
};

struct Group {
  Kind kind;
  std::vector<std::int64_t> layers;  ///< indices in the cache specification
  std::int64_t block_tokens = 0;
};

struct Layout {
  std::vector<Group> groups;
  std::int64_t group_layers = 0;
  std::int64_t page_bytes = 0;  ///< of one layer; with per-layer pages of all layers together
  bool one_group_of_differing_pages = false;
  std::int64_t padding_layers = 0;
  std::int64_t used_page_bytes = 0;  ///< of page_bytes x layers, what layers fill
};

Kind kind_of(const LayerCache& layer, const Deployment& d) {
  Kind kind{layer.mixer, layer.window, layer.bytes_per_token + layer.indexer_bytes_per_token,
            layer.state_bytes};
  const bool windowed = kind.mixer == Mixer::sliding_window || kind.mixer == Mixer::chunked_local;
  if (windowed && d.full_windows) {
    kind.mixer = Mixer::full_attention;
    kind.window = 0;
  }
  return kind;
}

bool is_full(const Kind& kind) {
  return kind.mixer == Mixer::full_attention || kind.mixer == Mixer::latent_attention;
}

// An attention page must hold a recurrent state: blocks grow, in steps of 16 tokens, until it does.
std::int64_t raised_block(const std::map<Kind, std::vector<std::int64_t>>& kinds,
                          std::int64_t block) {
  std::int64_t state = 0;
  std::int64_t per_token = 0;
  for (const auto& [kind, layers] : kinds) {
    state = std::max(state, kind.state_bytes);
    per_token = std::max(per_token, kind.bytes_per_token);
  }
  if (state == 0 || per_token == 0) return block;
  return std::max(block, 16 * ceil_divide(state, 16 * per_token));
}

// Pages of all groups become equal: smaller ones by longer blocks, states by padding.
void unify_pages(Layout& layout, std::int64_t block) {
  for (const Group& group : layout.groups) {
    layout.page_bytes = std::max(layout.page_bytes, block * group.kind.bytes_per_token);
  }
  for (Group& group : layout.groups) {
    if (group.kind.mixer == Mixer::recurrent_state) continue;
    const std::int64_t page = block * group.kind.bytes_per_token;
    if (layout.page_bytes % page != 0) {
      throw CaseFailed(
          fmt::format("vLLM refuses this model: pages of {} and {} bytes cannot be made equal",
                      page, layout.page_bytes));
    }
    group.block_tokens = block * (layout.page_bytes / page);
  }
}

// The number of layers a group gets: that of the rarest kind, unless the most frequent one has
// less than half as many again.
std::int64_t layers_of_group(const std::map<Kind, std::vector<std::int64_t>>& kinds) {
  std::size_t least = std::numeric_limits<std::size_t>::max();
  std::size_t most = 0;
  for (const auto& [kind, layers] : kinds) {
    least = std::min(least, layers.size());
    most = std::max(most, layers.size());
  }
  const bool close = static_cast<double>(most) < 1.5 * static_cast<double>(least);
  return static_cast<std::int64_t>(close ? most : least);
}

Layout layout_of(const CacheSpecification& cache, const Deployment& d) {
  std::map<Kind, std::vector<std::int64_t>> kinds;
  for (std::size_t i = 0; i < cache.layers.size(); ++i) {
    kinds[kind_of(cache.layers[i], d)].push_back(static_cast<std::int64_t>(i));
  }
  if (kinds.empty()) throw CaseFailed("the model keeps no cache");
  Layout layout;
  std::int64_t block = raised_block(kinds, d.block_tokens);
  const bool all_full = std::all_of(kinds.begin(), kinds.end(),
                                    [](const auto& entry) { return is_full(entry.first); });
  if (kinds.size() == 1 || all_full) {
    Group group;
    group.kind = kinds.begin()->first;
    group.block_tokens = block;
    for (const auto& [kind, layers] : kinds) {
      group.layers.insert(group.layers.end(), layers.begin(), layers.end());
    }
    layout.one_group_of_differing_pages = kinds.size() > 1;
    layout.group_layers = static_cast<std::int64_t>(group.layers.size());
    if (group.kind.mixer == Mixer::recurrent_state) {
      layout.page_bytes = group.kind.state_bytes;
      group.block_tokens = d.max_model_len;  // one block a request
    } else {
      layout.page_bytes = block * group.kind.bytes_per_token;
    }
    layout.groups.push_back(std::move(group));
    return layout;
  }
  layout.group_layers = layers_of_group(kinds);
  for (const auto& [kind, layers] : kinds) {
    const std::int64_t count = static_cast<std::int64_t>(layers.size());
    const std::int64_t groups = ceil_divide(count, layout.group_layers);
    layout.padding_layers += groups * layout.group_layers - count;
    for (std::int64_t g = 0; g < groups; ++g) {
      Group group;
      group.kind = kind;
      group.block_tokens = block;
      for (std::int64_t i = g; i < count; i += groups) {
        group.layers.push_back(layers[static_cast<std::size_t>(i)]);
      }
      layout.groups.push_back(std::move(group));
    }
  }
  unify_pages(layout, block);
  return layout;
}

std::int64_t blocks_of_request(const Group& group, const Deployment& d, std::int64_t tokens) {
  switch (group.kind.mixer) {
    case Mixer::sliding_window:
      return ceil_divide(std::min(group.kind.window - 1 + d.max_batched_tokens, tokens),
                         group.block_tokens) +
             1;
    case Mixer::chunked_local:
      return ceil_divide(std::min(group.kind.window + d.max_batched_tokens, tokens),
                         group.block_tokens);
    case Mixer::recurrent_state:
      return 1;
    case Mixer::full_attention:
    case Mixer::latent_attention:
    case Mixer::none:
      break;
  }
  return ceil_divide(tokens, group.block_tokens);
}

std::int64_t blocks_of_request(const Layout& layout, const Deployment& d, std::int64_t tokens) {
  std::int64_t sum = 0;
  for (const Group& group : layout.groups) sum += blocks_of_request(group, d, tokens);
  return sum;
}

// Bytes of one block on a stage: a page for each layer of its largest group.
std::int64_t block_bytes(const Layout& layout, const CacheSpecification& cache, const Deployment& d,
                         const Stage& stage) {
  const auto on_stage = [&](std::int64_t index) {
    const std::int64_t layer = cache.layers[static_cast<std::size_t>(index)].layer;
    return layer >= stage.first_layer && layer < stage.first_layer + stage.layers;
  };
  if (layout.one_group_of_differing_pages) {
    std::int64_t sum = 0;
    for (std::int64_t index : layout.groups.front().layers) {
      if (!on_stage(index)) continue;
      const Kind kind = kind_of(cache.layers[static_cast<std::size_t>(index)], d);
      sum += layout.groups.front().block_tokens * kind.bytes_per_token;
    }
    return sum;
  }
  std::int64_t most = 0;
  for (const Group& group : layout.groups) {
    most = std::max<std::int64_t>(
        most, std::count_if(group.layers.begin(), group.layers.end(), on_stage));
  }
  return most * layout.page_bytes;
}

// Bytes of one block that layers really fill, on a stage of all layers.
double filled_share(const Layout& layout, const CacheSpecification& cache, const Deployment& d) {
  if (layout.one_group_of_differing_pages || layout.groups.size() == 1) return 1;
  double filled = 0;
  double taken = 0;
  for (const Group& group : layout.groups) {
    for (std::int64_t index : group.layers) {
      const Kind kind = kind_of(cache.layers[static_cast<std::size_t>(index)], d);
      filled += static_cast<double>(kind.mixer == Mixer::recurrent_state
                                        ? kind.state_bytes
                                        : group.block_tokens * kind.bytes_per_token);
    }
    taken += static_cast<double>(layout.group_layers * layout.page_bytes);
  }
  return filled / taken;
}

std::int64_t longest_request(const Layout& layout, const Deployment& d, std::int64_t blocks) {
  std::int64_t low = 0;
  std::int64_t high = std::int64_t{1} << 40;
  while (low < high) {
    const std::int64_t middle = low + (high - low + 1) / 2;
    if (blocks_of_request(layout, d, middle) <= blocks) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return low;
}

std::string name_of(const Group& group) {
  const std::string kind = kvcache::name_of(group.kind.mixer);
  return group.kind.window > 0 ? fmt::format("{} {}", kind, group.kind.window) : kind;
}

}  // namespace

PoolSize vllm_pool(const CacheSpecification& cache, const Deployment& d,
                   const std::vector<Stage>& stages) {
  const Layout layout = layout_of(cache, d);
  PoolSize pool;
  pool.bytes_per_token = cache.bytes_per_token();
  pool.blocks = std::numeric_limits<std::int64_t>::max();
  double most_bytes = 0;
  double available = 0;
  for (const Stage& stage : stages) {
    const std::int64_t bytes = block_bytes(layout, cache, d, stage);
    if (bytes == 0) continue;  // a stage without a cache limits nothing
    const double blocks =
        std::floor(std::max(0.0, stage.available_bytes) / static_cast<double>(bytes));
    if (blocks < static_cast<double>(pool.blocks)) {
      pool.blocks = static_cast<std::int64_t>(blocks);
      most_bytes = static_cast<double>(bytes);
      available = stage.available_bytes;
    }
  }
  pool.kv_bytes = static_cast<double>(pool.blocks) * most_bytes;
  pool.unused_bytes = std::max(0.0, available - pool.kv_bytes);
  pool.padding_bytes = pool.kv_bytes * (1 - filled_share(layout, cache, d));
  pool.block_tokens = layout.groups.front().block_tokens;
  for (const Group& group : layout.groups) {
    if (group.kind.mixer != Mixer::recurrent_state) {
      pool.block_tokens = std::min(pool.block_tokens, group.block_tokens);
    }
  }
  const std::int64_t request = blocks_of_request(layout, d, d.max_model_len);
  pool.concurrency = static_cast<double>(pool.blocks) / static_cast<double>(request);
  const auto groups = static_cast<std::int64_t>(layout.groups.size());
  pool.tokens =
      d.version >= vllm_tokens_by_concurrency
          ? static_cast<std::int64_t>(pool.concurrency * static_cast<double>(d.max_model_len))
          : pool.blocks / groups * pool.block_tokens;
  pool.longest_request = longest_request(layout, d, pool.blocks);
  for (const Group& group : layout.groups) {
    PoolPart part;
    part.name = name_of(group);
    part.layers = static_cast<std::int64_t>(group.layers.size());
    part.padding_layers =
        layout.one_group_of_differing_pages
            ? 0
            : layout.group_layers - static_cast<std::int64_t>(group.layers.size());
    part.block_tokens = group.block_tokens;
    part.blocks_of_request = blocks_of_request(group, d, d.max_model_len);
    pool.parts.push_back(std::move(part));
  }
  if (pool.block_tokens > d.block_tokens && layout.groups.size() > 1) {
    pool.notes.push_back(
        fmt::format("blocks of {} tokens, so that a page holds a recurrent state: a prompt shorter "
                    "than that pins a whole block and finds no cached prefix",
                    pool.block_tokens));
  }
  if (layout.padding_layers > 0) {
    pool.notes.push_back(
        fmt::format("{} padding layers make the groups equal", layout.padding_layers));
  }
  if (groups > 1) {
    pool.notes.push_back(fmt::format(
        "{} groups of layers share one pool: bytes a token cannot be told from the log's "
        "token count",
        groups));
  }
  return pool;
}

}  // namespace hpclab::kvcache

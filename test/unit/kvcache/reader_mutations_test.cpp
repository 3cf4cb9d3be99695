// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Damaged inputs: bytes changed, cut, doubled. A reader gives a description or an error, never a
// crash or a hang. HPCLAB_FUZZ sets how many are tried on each reader.
#include "core/error.hpp"
#include "core/json_file.hpp"
#include "kvcache/cache_specification.hpp"
#include "kvcache/explain/read_log.hpp"
#include "kvcache/gguf.hpp"
#include "kvcache/hugging_face_config.hpp"
#include "kvcache/safetensors.hpp"
#include "kvcache/weight_inventory.hpp"
#include "support/catch.hpp"
#include "support/mutation.hpp"
#include "unit/kvcache/model_samples.hpp"
#include "unit/kvcache/start_up_samples.hpp"

#include <cmath>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

using namespace hpclab;
using namespace hpclab::kvcache;
using namespace hpclab::test;

namespace {

int mutations() {
  return mutation_count(1000);
}

std::string mutated(std::string text, std::mt19937_64& random) {
  const auto below = [&](std::size_t n) { return n == 0 ? 0 : random() % n; };
  static const std::vector<std::string> pieces{"-1",   "0",        "1e308",  "99999999999999999999",
                                               "null", "[]",       "{}",     "\"\"",
                                               "true", ",",        "\xff",   "1.5",
                                               "GiB",  "tokens: ", "\\u0000"};
  for (std::size_t n = 1 + below(4); n > 0; --n) {
    const std::size_t at = below(text.size());
    switch (below(6)) {
      case 0:
        if (!text.empty()) text[at] = static_cast<char>(random());
        break;
      case 1:
        text.erase(at, 1 + below(8));
        break;
      case 2:
        text.insert(at, pieces[below(pieces.size())]);
        break;
      case 3:
        text.resize(at);
        break;
      case 4:
        text.insert(at, text.substr(below(text.size()), below(40)));
        break;
      default: {
        // A number becomes another one.
        const std::size_t digit = text.find_first_of("0123456789", at);
        if (digit != std::string::npos) {
          std::size_t end = digit;
          while (end < text.size() && std::isdigit(static_cast<unsigned char>(text[end]))) ++end;
          text.replace(digit, end - digit, std::to_string(random() >> below(64)));
        }
      }
    }
  }
  return text;
}

// How many mutants were accepted; errors other than the program's own end the test.
int survivors(const std::vector<std::string>& samples,
              const std::function<void(const std::string&)>& read) {
  std::mt19937_64 random(20261130);
  int accepted = 0;
  for (int i = 0; i < mutations(); ++i) {
    const std::string text = mutated(samples[static_cast<std::size_t>(i) % samples.size()], random);
    try {
      read(text);
      ++accepted;
    } catch (const Error&) {
      continue;
    }
  }
  return accepted;
}

}  // namespace

TEST_CASE("mutations: does a damaged config.json end in a description or an error?") {
  const int accepted = survivors(config_samples(), [](const std::string& text) {
    const ModelDescription model = model_from_config(parse_json(text, "m"), "m");
    const WeightTotals totals = totals_of(layer_weights(model, model.layers), model, {});
    if (!std::isfinite(totals.bytes)) throw std::logic_error("weights are not finite");
    static_cast<void>(cache_specification(model, {}));
  });
  CHECK(accepted > 0);
  CHECK(accepted < mutations());
}

TEST_CASE("mutations: does a damaged safetensors header end in tensors or an error?") {
  CHECK(survivors({safetensors_sample()}, [](const std::string& text) {
          static_cast<void>(parse_safetensors_header(text, "m"));
        }) < mutations());
}

TEST_CASE("mutations: does a damaged GGUF header end in a description or an error?") {
  CHECK(survivors({gguf_sample()}, [](const std::string& text) {
          static_cast<void>(model_from_gguf(parse_gguf_header(text, "m"), "m"));
        }) < mutations());
}

TEST_CASE("mutations: does a damaged log end in facts that are finite?") {
  survivors(start_up_samples(), [](const std::string& text) {
    std::size_t at = 0;
    const explain::LogFacts facts = explain::facts_of([&](std::string_view& line) {
      if (at >= text.size()) return false;
      const std::size_t end = std::min(text.find('\n', at), text.size());
      line = std::string_view(text).substr(at, end - at);
      at = end + 1;
      return true;
    });
    for (const auto& [name, value] : facts.numbers) {
      if (!std::isfinite(value)) throw std::logic_error(name + " is not finite");
    }
    for (const auto& [name, size] : facts.sizes) {
      if (!std::isfinite(size.bytes)) throw std::logic_error(name + " is not finite");
    }
  });
}

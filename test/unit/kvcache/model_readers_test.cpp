// hpclab: SPDX-License-Identifier: Apache-2.0
#include "core/error.hpp"
#include "core/json_file.hpp"
#include "kvcache/gguf.hpp"
#include "kvcache/hugging_face_config.hpp"
#include "kvcache/model_file.hpp"
#include "kvcache/safetensors.hpp"
#include "kvcache/weight_inventory.hpp"
#include "support/catch.hpp"
#include "support/demo_study.hpp"
#include "support/fixture_root.hpp"
#include "unit/kvcache/model_samples.hpp"

#include <string>

#include <nlohmann/json.hpp>

using namespace hpclab;
using namespace hpclab::kvcache;
using namespace hpclab::test;

namespace {

ModelDescription from(const std::string& text) {
  return model_from_config(parse_json(text, "config.json"), "config.json");
}

std::string refused(const std::string& text) {
  return error_of([&] { from(text); });
}

}  // namespace

TEST_CASE("config: is an unknown architecture refused with the keys that would decide?") {
  const std::string message = refused(R"({"model_type": "lama", "hidden_size": 8})");
  CHECK(contains(message, "unknown architecture 'lama'"));
  CHECK(contains(message, "did you mean 'llama'?"));
  CHECK(contains(message, "num_key_value_heads"));
  CHECK(contains(refused(R"({"hidden_size": 8})"), "/model_type is missing"));
  CHECK(contains(refused("[1]"), "an object is needed"));
}

TEST_CASE("config: are all missing keys named at once?") {
  const std::string message = refused(R"({"model_type": "qwen3_next", "hidden_size": 2048})");
  for (const char* key : {"num_hidden_layers", "vocab_size"}) CHECK(contains(message, key));
  const std::string mla =
      refused(R"({"model_type": "deepseek_v3", "hidden_size": 64, "vocab_size": 10,
                  "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 8})");
  for (const char* key : {"kv_lora_rank", "qk_rope_head_dim", "qk_nope_head_dim", "v_head_dim"}) {
    CHECK(contains(mla, key));
  }
  CHECK_FALSE(contains(mla, "hidden_size"));
}

TEST_CASE("config: does a wrong type or an impossible size say where?") {
  CHECK(contains(refused(R"({"model_type": "llama", "hidden_size": "wide"})"),
                 "config.json: /hidden_size: a whole number is needed"));
  CHECK(contains(refused(R"({"model_type": "llama", "hidden_size": -4096})"), "/hidden_size"));
  CHECK(contains(refused(R"({"model_type": "llama", "hidden_size": 1e300})"), "/hidden_size"));
  CHECK(contains(refused(small_config("num_key_value_heads", "3")), "cannot share 3"));
  // Products of sizes must stay within 64 bits.
  CHECK(contains(refused(small_config("num_attention_heads", "492379472004")), "from 0 to 2^24"));
  CHECK(contains(refused(small_config("num_hidden_layers", "1000000")), "10,000 layers"));
  CHECK(contains(refused(small_config("layer_types", R"(["full_attention"])")), "it lists 1"));
}

TEST_CASE("config: are windows read as each family means them?") {
  // Qwen states a window that is off, Mistral one that is on for all layers.
  CHECK(from(small_config("sliding_window", "128", "qwen2")).count(Mixer::sliding_window) == 0);
  CHECK(from(small_config("sliding_window", "128", "mistral")).count(Mixer::sliding_window) == 4);
  CHECK(from(small_config("sliding_window", "128", "gemma2")).count(Mixer::sliding_window) == 2);
  const ModelDescription typed = from(
      small_config("layer_types",
                   R"(["sliding_attention", "full_attention", "full_attention", "full_attention"],
         "sliding_window": 7)",
                   "qwen3"));
  CHECK(typed.count(Mixer::sliding_window) == 1);
  CHECK(typed.layers[0].attention.window == 7);
}

TEST_CASE(
    "config: is the language part of a multimodal model meant, and the rest left out by name?") {
  const ModelDescription model =
      from(R"({"model_type": "mistral3", "text_config": )" +
           small_config("head_dim", "16", "mistral") + R"(, "vision_config": {"hidden_size": 3}})");
  CHECK(model.layers.size() == 4);
  REQUIRE(model.left_out.size() == 1);
  CHECK(model.left_out[0] == "vision encoder");
}

TEST_CASE("config: do quantised checkpoints keep what they list unquantised?") {
  const auto bytes = [](const std::string& section) {
    const ModelDescription model = from(small_config("quantization_config", section, "llama"));
    return totals_of(layer_weights(model, model.layers), model, {}).bytes +
           totals_of(outer_weights(model), model, {}).bytes;
  };
  const double plain = bytes(R"({"quant_method": "fp8", "modules_to_not_convert": ["model"]})");
  const double fp8 = bytes(R"({"quant_method": "fp8"})");
  const double int4 = bytes(R"({"quant_method": "gptq", "bits": 4, "group_size": 32})");
  CHECK(fp8 < plain);
  CHECK(int4 < fp8);
  // Four layers: q, o 64 x 64; k, v 32 x 64; gate, up, down 64 x 128; all in 8 bits, 4 B a matrix.
  CHECK(plain - fp8 == Catch::Approx(4 * (2 * 64 * 64 + 2 * 32 * 64 + 3 * 64 * 128) - 4 * 7 * 4.0));
  CHECK(contains(refused(small_config("quantization_config", R"({"quant_method": "gtpq"})")),
                 "did you mean 'gptq'?"));
}

TEST_CASE("safetensors: are a header's bytes summed, and lies about them refused?") {
  const std::string good = safetensors_sample();
  CHECK(parse_safetensors_header(good, "f").size() == 2);
  FixtureRoot root;
  root.file("/model.safetensors", good);
  CHECK(safetensors_weight_bytes(root.path() / "model.safetensors") == 2 * 3 * 2 + 4);
  CHECK(contains(error_of([&] { parse_safetensors_header(good.substr(0, 20), "f"); }), "is cut"));
  CHECK(contains(error_of([&] { parse_safetensors_header("short", "f"); }), "no safetensors"));
  std::string huge = good;
  huge[7] = '\x7f';
  CHECK(contains(error_of([&] { parse_safetensors_header(huge, "f"); }), "longer than the format"));
  CHECK(contains(error_of([&] {
                   parse_safetensors_header(
                       with_length(R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,4]}})"),
                       "f");
                 }),
                 "do not fit shape and type"));
}

TEST_CASE("safetensors: does an index give the headers' sum, or what it states when shards lack?") {
  FixtureRoot root;
  root.file("/model-1.safetensors", safetensors_sample());
  root.file("/model.safetensors.index.json",
            R"({"metadata": {"total_size": 999}, "weight_map": {"a": "model-1.safetensors"}})");
  CHECK(index_weight_bytes(root.path() / "model.safetensors.index.json") == 16);
  root.file("/other.index.json",
            R"({"metadata": {"total_size": 999}, "weight_map": {"a": "model-2.safetensors"}})");
  CHECK(index_weight_bytes(root.path() / "other.index.json") == 999);
  root.file("/none.index.json", R"({"weight_map": {}})");
  CHECK(contains(error_of([&] { index_weight_bytes(root.path() / "none.index.json"); }),
                 "total_size is missing"));
}

TEST_CASE("gguf: are layers, heads and exact bytes read from a header?") {
  const GgufHeader header = parse_gguf_header(gguf_sample(), "m.gguf");
  const ModelDescription model = model_from_gguf(header, "m.gguf");
  CHECK(model.layers.size() == 2);
  CHECK(model.layers[0].attention.query_heads == 4);
  CHECK(model.layers[0].attention.kv_heads == 2);
  CHECK(model.layers[0].attention.key_dim == 16);
  CHECK(model.stated_weight_bytes == 64 * 2 / 32 * 34);
  CHECK(contains(error_of([] { parse_gguf_header("GGML", "m"); }), "no GGUF"));
  CHECK(contains(error_of([] { parse_gguf_header(gguf_sample().substr(0, 60), "m"); }), "is cut"));
}

TEST_CASE("model file: is a name found, a folder its checkpoint, and a misspelt one corrected?") {
  FixtureRoot root;
  const ModelFolders shipped{{}, std::string(HPCLAB_SOURCE_DIR) + "/configs/models"};
  CHECK(find_model("llama-3.1-8b", shipped).filename() == "llama-3.1-8b.json");
  CHECK(contains(error_of([&] { find_model("lama-3.1-8b", shipped); }),
                 "did you mean 'llama-3.1-8b'?"));
  root.file("/Tiny/config.json", small_config("head_dim", "16", "llama"));
  root.file("/Tiny/model.safetensors", safetensors_sample());
  const auto file = find_model((root.path() / "Tiny").string(), shipped);
  const ModelDescription model = read_model(file);
  CHECK(model.name == "Tiny");
  CHECK(model.stated_weight_bytes == 16);
  CHECK(is_collection(root.path()));
  CHECK_FALSE(is_collection(root.path() / "Tiny"));
  CHECK(models_in(root.path()).size() == 1);
  root.file("/empty/readme.txt", "");
  CHECK(contains(error_of([&] { models_in(root.path() / "empty"); }), "no model"));
}

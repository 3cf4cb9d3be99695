// hpclab: SPDX-License-Identifier: Apache-2.0
#include "kvcache/policies/parameters.hpp"

#include "kvcache/element_format.hpp"
#include "kvcache/model_file.hpp"

namespace hpclab::kvcache::policies {
namespace {

const std::vector<std::pair<std::string, LengthLaw>> law_names{
    {"fixed", LengthLaw::fixed},
    {"uniform", LengthLaw::uniform},
    {"exponential", LengthLaw::exponential},
    {"lognormal", LengthLaw::lognormal}};

void add_length_parameters(ParameterTable<Parameters>& table) {
  using P = Parameters;
  const std::vector<std::string> drawn{"distribution"};
  table
      .add_choice(&P::source, "source",
                  {{"distribution", Lengths::distribution}, {"file", Lengths::file}},
                  "where lengths come from: distributions, or the trace `requests`")
      .as_inferred();
  requests::add_file_parameters(table, {Method::model, Method::simulate});
  table.add_choice(&P::prompt_law, "prompt_law", law_names, "distribution of prompt lengths")
      .when("source", drawn);
  table.add_choice(&P::output_law, "output_law", law_names, "distribution of output lengths")
      .when("source", drawn);
  table.add(&P::prompt_tokens, "prompt_tokens", "mean prompt length")
      .in_unit("tokens")
      .between(1, 1e7)
      .when("source", drawn);
  table.add(&P::output_tokens, "output_tokens", "mean output length")
      .in_unit("tokens")
      .between(1, 1e7)
      .when("source", drawn);
  table
      .add(&P::spread, "spread",
           "standard deviation of the logarithm of lengths, for lognormal distributions")
      .between(0, 5)
      .when("source", drawn);
  table.add(&P::requests_count, "requests_count", "requests to draw")
      .between(1, 1e8)
      .when("source", drawn);
}

void add_policy_parameters(ParameterTable<Parameters>& table) {
  using P = Parameters;
  table
      .add_choice(&P::policy, "policy",
                  {{"contiguous", Policy::contiguous},
                   {"buddy", Policy::buddy},
                   {"paged", Policy::paged},
                   {"copy-on-write", Policy::copy_on_write}},
                  "one range a sequence by first fit, or by buddies of powers of two; blocks as "
                  "sequences grow; blocks that samples and equal prompts share until one writes")
      .as_inferred();
  table
      .add_choice(&P::reserve, "reserve",
                  {{"max", Reserve::max}, {"pow2", Reserve::pow2}, {"oracle", Reserve::oracle}},
                  "slots that a range has: max_model_len, the prompt and the next power of two of "
                  "the output, or what the sequence will need")
      .when("policy", {"contiguous", "buddy"});
  table.add(&P::block, "block", "tokens of a block")
      .in_unit("tokens")
      .between(1, 1 << 20)
      .when("policy", {"paged", "copy-on-write"});
  table.add(&P::samples, "samples", "sequences that are generated for each prompt")
      .between(1, 1024);
  table
      .add(&P::max_model_len, "max_model_len",
           "longest prompt and output together; longer requests are left out")
      .in_unit("tokens")
      .between(2, 1e8);
  table
      .add(&P::max_num_seqs, "max_num_seqs",
           "sequences that run at once at most; 0: as many as fit")
      .between(0, 1e7);
}

void add_machine_parameters(ParameterTable<Parameters>& table) {
  using P = Parameters;
  table
      .add(&P::model, "model",
           "a name of configs/models, a config.json or its folder, or a GGUF file")
      .resolved_by(
          [](const Json& value) -> Json { return find_model(value.get<std::string>()).string(); });
  std::vector<std::string> formats{"auto"};
  for (const std::string& name : element_format_names()) formats.push_back(name);
  table
      .add(&P::kv_dtype, "kv_dtype",
           "format of keys and values; auto: the model's own. Quantised caches have more slots")
      .one_of(formats);
  table.add(&P::available_bytes, "available_bytes", "the pool on the GPU")
      .in_unit("bytes")
      .between(1, 1e15);
  table
      .add(&P::offload_ratio, "offload_ratio",
           "share of every token's keys and values that lives in host memory and crosses the link "
           "in every step")
      .between(0, 0.99);
  table.add(&P::memory_bytes_per_s, "memory_bytes_per_s", "bandwidth of the GPU's memory")
      .in_unit("B/s")
      .between(1e6, 1e15);
  table.add(&P::link_bytes_per_s, "link_bytes_per_s", "bandwidth from host memory to the GPU")
      .in_unit("B/s")
      .between(1e6, 1e15);
}

ParameterTable<Parameters> make_table() {
  ParameterTable<Parameters> table;
  add_length_parameters(table);
  add_policy_parameters(table);
  add_machine_parameters(table);
  return table;
}

}  // namespace

const ParameterTable<Parameters>& parameter_table() {
  static const ParameterTable<Parameters> table = make_table();
  return table;
}

}  // namespace hpclab::kvcache::policies

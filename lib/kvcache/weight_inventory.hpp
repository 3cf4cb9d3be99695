// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Every weight matrix of a model: its shape, its name in checkpoints, how ranks split it and how it
// is stored. Weight bytes of a rank and the matrices that one token touches both follow from it.
#pragma once

#include "kvcache/model_description.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace hpclab::kvcache {

/// How tensor parallelism divides a matrix. Key and value projections are split by heads, of which
/// each rank holds one at least; experts are split by width, or whole ones over expert parallelism.
enum class Split { none, rows, columns, vocabulary, kv_heads, expert_rows, expert_columns };

struct WeightMatrix {
  std::string name;          ///< as in Hugging Face checkpoints, without ".weight"
  std::int64_t rows = 0;     ///< outputs
  std::int64_t columns = 1;  ///< inputs; 1 for vectors
  std::int64_t count = 1;    ///< as many alike: experts
  Split split = Split::none;
  std::int64_t heads = 0;    ///< for kv_heads
  bool quantizable = false;  ///< a linear layer
  bool expert = false;       ///< belongs to a routed expert
  bool fp32 = false;         ///< kept in fp32 whatever the model's format
  std::int64_t layer = -1;   ///< -1: embedding, head, final norm
};

/// All matrices of the layers given, in order. Names count layers from `first_layer`.
std::vector<WeightMatrix> layer_weights(const ModelDescription& model,
                                        const std::vector<Layer>& layers,
                                        std::int64_t first_layer = 0);
/// Embedding, positions, final norm and head (none when tied to the embedding).
std::vector<WeightMatrix> outer_weights(const ModelDescription& model);

struct WeightRanks {
  std::int64_t tensor_parallel = 1;
  std::int64_t expert_parallel = 1;     ///< ranks that experts are spread over; 1: split by width
  std::int64_t expert_width_ranks = 0;  ///< ranks that split experts by width; 0: tensor_parallel
  std::int64_t vocabulary_padding = 1;  ///< the vocabulary is rounded up to a multiple of it
};

/// Elements of a matrix on one rank (the first, which has the most).
double elements_of_rank(const WeightMatrix& matrix, const WeightRanks& ranks);
/// Stored bytes of a matrix on one rank, scales included.
double bytes_of_rank(const WeightMatrix& matrix, const ModelDescription& model,
                     const WeightRanks& ranks);
/// Whether the checkpoint stores this matrix quantised.
bool is_quantized(const WeightMatrix& matrix, const Quantization& quantization);

struct WeightTotals {
  double bytes = 0;
  double elements = 0;
  double quantized_elements = 0;
  double expert_bytes = 0;  ///< part of bytes that routed experts take
};
WeightTotals totals_of(const std::vector<WeightMatrix>& matrices, const ModelDescription& model,
                       const WeightRanks& ranks);

/// Parameters of the whole model, predictors left out.
double parameter_count(const ModelDescription& model);

}  // namespace hpclab::kvcache

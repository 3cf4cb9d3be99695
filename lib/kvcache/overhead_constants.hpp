// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Constants of overhead.cpp that no source code states, fitted on figures of public start-up logs:
// configs/kvcache/logs/start-up-logs.json lists them with their sources, `hpclab kvcache overhead`
// fits anew and scores each log with constants that it had no part in. Where no log says anything,
// a count of buffers (fit.cpp) stands. The block count of an RTX 4090 with Llama 3.1 8B and vLLM
// 0.19 (LLMServingSim#59) is scored and is in no fit.
#pragma once

namespace hpclab::kvcache {

inline constexpr double gib = 1024.0 * 1024 * 1024;

struct OverheadConstants {
  /// Bytes while sampling, in units of max_num_seqs x vocabulary x 4 bytes. By sorting: logits in
  /// two formats, sorted values, 64-bit indices and the sort's copies of both.
  double sampling_by_sorting = 8.05;
  /// By a kernel that finds the pivot: logits in two formats, probabilities, exponential variates
  /// (0.5 + 1 + 1 + 1).
  double sampling_by_pivot = 3.5;
  /// By FlashInfer: logits in two formats.
  double sampling_by_flashinfer = 1.5;
  /// One captured graph of one layer: nodes and their parameters.
  double graph_layer_bytes = 243e3;
  double graph_layer_bytes_before_012 = 243e3;
  /// Libraries of a rank that is alone: while only growth outside the framework's allocator
  /// counted, since graphs are captured while that is taken, and since all that is no longer free
  /// counts.
  double library_alone = 0.02 * gib;
  double library_alone_rehearsed = 0.25 * gib;
  double library_alone_consumed = 0.20 * gib;
  /// Libraries, communicators and buffers of two ranks over NVLink, and of each doubling.
  double library_nvlink_pair = 2.07 * gib;
  double library_nvlink_doubling = 0.06 * gib;
  /// Ranks over PCI Express, likewise.
  double library_pcie = 0.30 * gib;
  double library_pcie_consumed = 0.75 * gib;
  /// Elements of a token that a chunked delta rule keeps at once, for each convolved channel.
  double delta_rule_elements = 15.7;
};

/// The driver's context of one process: what vLLM 0.6.4 counted beside its allocator (vllm#10517).
inline constexpr double driver_context = 0.35 * gib;

}  // namespace hpclab::kvcache

// hpclab: SPDX-License-Identifier: Apache-2.0
#include "machine/profile_vocabulary.hpp"

#include <initializer_list>
#include <map>

namespace hpclab::machine {
namespace {

using Names = std::vector<std::string>;

/// A memory level. `core_` is one core or streaming multiprocessor alone, `far_` another NUMA node
/// or the other partition of a GPU's L2; without prefix the whole machine. `small_page_` is memory
/// in pages of 4 KiB where the others are in huge ones.
Names memory_level() {
  Names names{"size_bytes", "line_bytes", "instance_count"};
  for (const std::string scope : {"", "core_", "far_", "small_page_", "core_small_page_"}) {
    for (const char* kind :
         {"theoretical", "read", "write", "nontemporal_write", "copy", "nontemporal_copy", "scale",
          "triad", "nontemporal_triad", "update", "init"}) {
      names.push_back(scope + kind + "_bytes_per_s");
    }
    names.push_back(scope + "latency_s");
  }
  return names;
}

/// Arithmetic peaks, dense. `vector` is the ordinary unit of a GPU or the widest of a CPU, `tensor`
/// a matrix unit accumulating in FP32 (FP64 and integer types in their own).
Names peaks() {
  Names names;
  for (const std::string scope : {"", "core_"}) {
    for (const std::string unit :
         {"vector", "tensor", "tensor_fp16_accumulate", "scalar", "avx2", "avx512"}) {
      for (const char* type : {"fp64", "fp32", "tf32", "bf16", "fp16", "fp8", "fp6", "fp4"}) {
        names.push_back(scope + type + "_" + unit + "_flops_per_s");
      }
      for (const char* type : {"int32", "int8", "int4"}) {
        names.push_back(scope + type + "_" + unit + "_ops_per_s");
      }
    }
  }
  return names;
}

Names links() {
  Names names;
  for (const std::string link : {"pcie", "nvlink", "xgmi", "socket"}) {
    names.push_back(link + "_each_way_bytes_per_s");
    names.push_back(link + "_latency_s");
  }
  for (const std::string memory : {"pinned", "pageable"}) {
    names.push_back(memory + "_host_to_device_bytes_per_s");
    names.push_back(memory + "_device_to_host_bytes_per_s");
  }
  return names;
}

struct Vocabulary {
  Names groups;
  std::map<std::string, Names> names;

  void add(const std::string& group, Names figure_names) {
    groups.push_back(group);
    names[group] = std::move(figure_names);
  }
};

Vocabulary make_vocabulary() {
  Vocabulary v;
  v.add("processor", {"package_count", "core_count", "thread_count", "sm_count"});
  v.add("clock", {"base_hz", "boost_hz", "avx2_hz", "avx512_hz", "measured_hz", "memory_hz"});
  v.add("power", {"limit_w", "idle_w", "measured_w"});
  v.add("memory", {"size_bytes", "driver_size_bytes"});
  for (const char* level : {"dram", "l3", "l2", "l1", "shared"}) v.add(level, memory_level());
  v.add("peak", peaks());
  v.add("concurrency", {"core_outstanding_lines_count", "saturation_lines_count",
                        "saturation_bytes", "registers_per_sm_bytes"});
  v.add("issue", {"separate_fp_add_units_count", "avx512_store_fma_slots_count"});
  v.add("link", links());
  v.add("launch", {"kernel_s", "graph_kernel_s", "synchronize_s"});
  return v;
}

const Vocabulary& vocabulary() {
  static const Vocabulary instance = make_vocabulary();
  return instance;
}

}  // namespace

const std::vector<std::string>& profile_groups() {
  return vocabulary().groups;
}

const std::vector<std::string>& profile_figure_names(const std::string& group) {
  static const Names none;
  const auto found = vocabulary().names.find(group);
  return found == vocabulary().names.end() ? none : found->second;
}

}  // namespace hpclab::machine

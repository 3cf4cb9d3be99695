// hpclab: SPDX-License-Identifier: Apache-2.0
#include "machine/cpu_features.hpp"

#include "machine/system_root.hpp"
#include "support/catch.hpp"

using namespace hpclab::machine;

TEST_CASE("cpu features: do they agree with the compiler's own run-time checks?") {
  const InstructionSets& sets = instruction_sets();
  CHECK(sets.avx2 == (__builtin_cpu_supports("avx2") != 0));
  CHECK(sets.fma == (__builtin_cpu_supports("fma") != 0));
  CHECK(sets.avx512f == (__builtin_cpu_supports("avx512f") != 0));
  CHECK(sets.avx512dq == (__builtin_cpu_supports("avx512dq") != 0));
  CHECK(sets.avx512bw == (__builtin_cpu_supports("avx512bw") != 0));
  CHECK(sets.avx512vl == (__builtin_cpu_supports("avx512vl") != 0));
  CHECK(sets.avx512_vnni == (__builtin_cpu_supports("avx512vnni") != 0));
  CHECK(sets.avx512_bf16 == (__builtin_cpu_supports("avx512bf16") != 0));
}

TEST_CASE("cpu features: do wider code paths imply the narrower ones?") {
  if (can_run_avx512()) CHECK(can_run_avx2());
  if (can_run_avx2()) CHECK(widest_instruction_set() != "scalar");
  if (instruction_sets().amx_int8) CHECK(instruction_sets().amx_tile);
}

TEST_CASE("cpu features: does the identity agree with /proc/cpuinfo?") {
  const auto rows = SystemRoot().table("/proc/cpuinfo");
  if (rows.count("vendor_id") == 0) return;
  CHECK(cpu_identity().vendor == rows.at("vendor_id"));
  CHECK(std::to_string(cpu_identity().stepping) == rows.at("stepping"));
  CHECK(cpu_identity().family > 0);
}

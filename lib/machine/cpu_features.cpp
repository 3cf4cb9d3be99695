// hpclab: SPDX-License-Identifier: Apache-2.0
#include "machine/cpu_features.hpp"

#include <cstdint>
#include <cstring>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace hpclab::machine {
namespace {

#if defined(__x86_64__)

struct Registers {
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
};

Registers cpuid(unsigned leaf, unsigned subleaf = 0) {
  Registers r;
  __cpuid_count(leaf, subleaf, r.eax, r.ebx, r.ecx, r.edx);
  return r;
}

bool bit(unsigned value, int position) {
  return (value >> position) & 1u;
}

std::string characters(const unsigned* words, std::size_t count) {
  std::string text(count * sizeof(unsigned), '\0');
  std::memcpy(text.data(), words, text.size());
  text.resize(std::strlen(text.c_str()));
  const auto first = text.find_first_not_of(' ');
  const auto last = text.find_last_not_of(' ');
  return first == std::string::npos ? "" : text.substr(first, last - first + 1);
}

CpuIdentity read_identity() {
  CpuIdentity id;
  const Registers r0 = cpuid(0);
  const unsigned vendor[3] = {r0.ebx, r0.edx, r0.ecx};
  id.vendor = characters(vendor, 3);
  const Registers r1 = cpuid(1);
  const int base_family = static_cast<int>((r1.eax >> 8) & 0xf);
  id.family = base_family == 15 ? 15 + static_cast<int>((r1.eax >> 20) & 0xff) : base_family;
  id.model = static_cast<int>((r1.eax >> 4) & 0xf);
  // The extended model counts for families 6 and 15 only (Intel SDM volume 2, CPUID leaf 01H).
  if (base_family == 6 || base_family == 15) {
    id.model += static_cast<int>((r1.eax >> 16) & 0xf) << 4;
  }
  id.stepping = static_cast<int>(r1.eax & 0xf);
  id.hypervisor = bit(r1.ecx, 31);
  if (id.hypervisor) {
    const Registers h = cpuid(0x40000000u);
    const unsigned signature[3] = {h.ebx, h.ecx, h.edx};
    id.hypervisor_vendor = characters(signature, 3);
  }
  if (cpuid(0x80000000u).eax >= 0x80000004u) {
    unsigned words[12];
    for (std::size_t i = 0; i < 3; ++i) {
      const Registers r = cpuid(0x80000002u + static_cast<unsigned>(i));
      const unsigned part[4] = {r.eax, r.ebx, r.ecx, r.edx};
      std::memcpy(words + 4 * i, part, sizeof part);
    }
    id.brand = characters(words, 12);
  }
  return id;
}

/// Register states that the operating system saves (XCR0); 0 when it does not use XSAVE.
std::uint64_t saved_states() {
  if (!bit(cpuid(1).ecx, 27)) return 0;
  unsigned low = 0, high = 0;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return (static_cast<std::uint64_t>(high) << 32) | low;
}

InstructionSets read_instruction_sets() {
  InstructionSets sets;
  if (cpuid(0).eax < 7) return sets;
  const std::uint64_t states = saved_states();
  const bool ymm = (states & 0x6) == 0x6;            // SSE and AVX state
  const bool zmm = ymm && (states & 0xe0) == 0xe0;   // opmask, upper halves, registers 16-31
  const bool tiles = (states & 0x60000) == 0x60000;  // TILECFG and TILEDATA
  const Registers r1 = cpuid(1), r7 = cpuid(7);
  const Registers r71 = r7.eax >= 1 ? cpuid(7, 1) : Registers{};
  sets.avx2 = ymm && bit(r7.ebx, 5);
  sets.fma = ymm && bit(r1.ecx, 12);
  sets.avx512f = zmm && bit(r7.ebx, 16);
  sets.avx512dq = zmm && bit(r7.ebx, 17);
  sets.avx512bw = zmm && bit(r7.ebx, 30);
  sets.avx512vl = zmm && bit(r7.ebx, 31);
  sets.avx512_vnni = zmm && bit(r7.ecx, 11);
  sets.avx512_fp16 = zmm && bit(r7.edx, 23);
  sets.avx512_bf16 = zmm && bit(r71.eax, 5);
  sets.avx_vnni = ymm && bit(r71.eax, 4);
  sets.amx_bf16 = tiles && bit(r7.edx, 22);
  sets.amx_tile = tiles && bit(r7.edx, 24);
  sets.amx_int8 = tiles && bit(r7.edx, 25);
  return sets;
}

#else

CpuIdentity read_identity() {
  return {};
}
InstructionSets read_instruction_sets() {
  return {};
}

#endif

}  // namespace

const CpuIdentity& cpu_identity() {
  static const CpuIdentity identity = read_identity();
  return identity;
}

const InstructionSets& instruction_sets() {
  static const InstructionSets sets = read_instruction_sets();
  return sets;
}

bool can_run_avx2() {
  return instruction_sets().avx2 && instruction_sets().fma;
}

bool can_run_avx512() {
  const InstructionSets& sets = instruction_sets();
  return sets.avx512f && sets.avx512dq && sets.avx512bw && sets.avx512vl && sets.fma;
}

std::string widest_instruction_set() {
  if (can_run_avx512()) return "avx512";
  return can_run_avx2() ? "avx2" : "scalar";
}

}  // namespace hpclab::machine

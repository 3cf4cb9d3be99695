// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Which processor this is and which instruction sets may be executed on it: the processor must have
// them and the operating system must save their registers.
#pragma once

#include <string>

namespace hpclab::machine {

/// Identity by CPUID leaf 1 and the brand leaves; family and model are the displayed (extended)
/// ones.
struct CpuIdentity {
  std::string vendor;  ///< "AuthenticAMD", "GenuineIntel", ...
  std::string brand;   ///< marketing name; in guests often shortened by the hypervisor
  int family = 0;
  int model = 0;
  int stepping = 0;
  bool hypervisor = false;        ///< CPUID leaf 1 ECX bit 31
  std::string hypervisor_vendor;  ///< signature of leaf 0x40000000, e.g. "KVMKVMKVM"; else empty
};

/// True where an instruction set can be executed.
struct InstructionSets {
  bool avx2 = false;
  bool fma = false;
  bool avx512f = false;
  bool avx512dq = false;
  bool avx512bw = false;
  bool avx512vl = false;
  bool avx512_bf16 = false;  ///< VDPBF16PS: bfloat16 dot products into float
  bool avx512_fp16 = false;  ///< half-precision arithmetic
  bool avx512_vnni = false;  ///< VPDPBUSD: 8-bit integer dot products, 512 bits
  bool avx_vnni = false;     ///< the same with 256 bits, VEX-encoded
  bool amx_tile = false;
  bool amx_int8 = false;
  bool amx_bf16 = false;
};

const CpuIdentity& cpu_identity();
const InstructionSets& instruction_sets();

/// Whether sources named *_avx2.cpp may run here (they are compiled with -mavx2 -mfma).
bool can_run_avx2();
/// Whether sources named *_avx512.cpp may run here (F, DQ, BW, VL and FMA).
bool can_run_avx512();

/// "avx512", "avx2" or "scalar": the widest of the project's code paths that may run here.
std::string widest_instruction_set();

}  // namespace hpclab::machine

// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Every trace::Range as an NVTX range, for Nsight Systems and other tools that NVTX loads.
#pragma once

#include <string>

namespace hpclab::cuda {

enum class NvtxState {
  attached,   ///< a tool listens; ranges are passed on from now
  no_tool,    ///< no tool was loaded into this process; ranges stay idle
  not_built,  ///< the NVTX headers were absent when this program was built
};

/// Asks NVTX whether a tool is attached (it loads the one named in NVTX_INJECTION64_PATH, as nsys
/// and ncu set it) and, only then, registers a trace listener: domain `hpclab`, one registered
/// string for each trace::Name, categories of trace::Category, payload = id of the case. Without a
/// tool, an idle range stays one flag test. Call once, at start-up, before threads use ranges.
NvtxState attach_nvtx();

}  // namespace hpclab::cuda

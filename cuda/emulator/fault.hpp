// hpclab: SPDX-License-Identifier: Apache-2.0
//
// What a kernel did that is undefined or fatal on a device. The message names kernel, thread and
// line.
#pragma once

#include "core/error.hpp"

#include <string>

namespace hpclab::emulator {

enum class FaultKind {
  limit,              ///< the launch or its shared memory exceeds what a device has
  deadlock,           ///< no thread can run and some have not finished
  divergent_barrier,  ///< threads of one block meet at different barriers
  illegal_mask,       ///< a thread calls a warp primitive with a mask without its own lane
  illegal_lane,       ///< a shuffle reads a lane that takes no part: undefined on a device
  illegal_copy,       ///< an asynchronous copy that is misaligned or not into shared memory
  illegal_grid_sync   ///< a grid barrier in a launch that is not cooperative
};

const char* name_of(FaultKind kind);

class Fault : public CaseFailed {
 public:
  Fault(FaultKind kind, const std::string& message) : CaseFailed(message), kind_(kind) {}
  FaultKind kind() const { return kind_; }

 private:
  FaultKind kind_;
};

}  // namespace hpclab::emulator

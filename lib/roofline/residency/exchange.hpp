// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Host and device as two processes of one machine. The host's arrays are in ordinary memory and go
// through a shared segment (pageable), or lie in it (pinned); the device process copies between the
// segment and memory of its own, in which it sweeps. Copies store around the caches, sweeps through
// them. All memory is in small pages, as shared memory is on most systems.
#pragma once

#include "core/context.hpp"
#include "core/instruction_set.hpp"
#include "machine/memory.hpp"
#include "machine/thread_team.hpp"
#include "roofline/residency/device_process.hpp"
#include "roofline/residency/parameters.hpp"

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

namespace hpclab::roofline::residency {

/// Bytes of all arrays of both processes and of the segment between them.
double allocated_bytes(const Parameters& p);

/// What the moves of a run must lead to.
template <class T>
struct Arrays {
  std::vector<T> device;   ///< after the last step
  std::vector<T> host[2];  ///< the current array, and the one before it
};

/// By plain loops: `steps` steps that move what `p` says, from these arrays of the host.
template <class T>
Arrays<T> reference_run(const Parameters& p, const Grid& grid, Arrays<T> arrays,
                        std::int64_t steps);

template <class T>
class ProcessExchange {
 public:
  /// Starts the device process and fills the host's arrays with random numbers in [1, 2).
  /// Throws CaseFailed when memory does not suffice. `p` holds resolved parameters.
  ProcessExchange(const Parameters& p, const Context& context);

  /// Puts the host's first array into the device's current one.
  void upload();
  /// One step with the moves of the parameters.
  void step();
  /// One step whose arrays stay.
  void resident_step();

  /// Copies of all arrays as they are now.
  Arrays<T> arrays();

 private:
  std::byte* segment_array(int number) const;
  void stage(bool to_segment);

  Parameters p_;
  Grid grid_;
  std::size_t array_bytes_ = 0;  ///< whole lines
  InstructionSet isa_;
  SharedSegment segment_;
  std::unique_ptr<DeviceProcess> device_;
  std::optional<machine::ThreadTeam> team_;  ///< of the host; younger than the device process
  machine::Buffer ordinary_;
  T* host_[2] = {};
};

extern template class ProcessExchange<double>;
extern template class ProcessExchange<float>;

}  // namespace hpclab::roofline::residency

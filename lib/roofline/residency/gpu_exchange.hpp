// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Host and GPU (or emulator): arrays on both sides and steps that move them.
#pragma once

#include "core/context.hpp"
#include "cuda/core/buffer.hpp"
#include "cuda/core/runtime.hpp"
#include "cuda/core/stream.hpp"
#include "roofline/residency/exchange.hpp"
#include "roofline/residency/parameters.hpp"

#include <cstddef>
#include <memory>
#include <vector>

namespace hpclab::roofline::residency {

template <class T>
class GpuExchange {
 public:
  /// Allocates both sides and fills the host's arrays with random numbers in [1, 2).
  GpuExchange(cuda::Runtime& runtime, const Parameters& p, const Context& context);

  /// Puts the host's first array into the device's current one.
  void upload();
  /// One step with the moves of the parameters; returns when the host may read its arrays.
  void step();
  /// One step whose arrays stay; returns before it is done.
  void resident_step();
  void synchronize();

  /// Copies of all arrays as they are now.
  Arrays<T> arrays();

 private:
  bool managed() const { return !managed_.empty(); }
  void sweep(std::size_t first_plane, std::size_t last_plane);
  void move_in(std::size_t first_plane, std::size_t last_plane);
  void move_out(std::size_t first_plane, std::size_t last_plane);
  void touch_on_host();

  cuda::Runtime& runtime_;
  Parameters p_;
  Grid grid_;
  std::size_t chunks_ = 1;
  std::vector<cuda::Buffer<T>> own_;
  std::vector<std::unique_ptr<cuda::ManagedMemory>> managed_;
  std::vector<std::unique_ptr<cuda::PinnedMemory>> pinned_;
  std::vector<std::vector<T>> ordinary_;
  T* device_[2] = {};
  T* host_[2] = {};
  std::size_t current_ = 0;
  cuda::Stream in_, work_, out_;
  std::vector<std::unique_ptr<cuda::Event>> arrived_, swept_;  ///< of each chunk
};

extern template class GpuExchange<double>;
extern template class GpuExchange<float>;

}  // namespace hpclab::roofline::residency

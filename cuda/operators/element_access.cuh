// hpclab: SPDX-License-Identifier: Apache-2.0
//
// How kernels find their elements, wait for each other within one, and reach its nodes in global
// memory.
#pragma once

#include "cuda/core/port.cuh"
#include "cuda/operators/arguments.hpp"

namespace hpclab::operators {

namespace device = hpclab::cuda;

/// Waits until all threads of the element have come here. An element of `threads` threads that
/// divide a warp lies within one, since blocks start at a warp and hold whole warps.
template <int threads>
HPCLAB_INLINE_DEVICE void sync_element() {
  if constexpr (32 % threads == 0) {
    device::sync_warp();
  } else {
    device::sync_block();
  }
}

/// The element of this thread: blocks are (threads of an element, elements).
template <class T>
struct ElementSlot {
  std::uint32_t element = 0;  ///< its number in the mesh
  bool active = false;  ///< false behind the last one, where threads only take part in barriers

  HPCLAB_INLINE_DEVICE explicit ElementSlot(const ElementArguments<T>& a) {
    const std::uint32_t slot =
        device::block_index().x * device::block_size().y + device::thread_index().y;
    active = slot < a.elements;
    if (active) element = a.order == nullptr ? slot : a.order[slot];
  }
};

template <int nodes, class T>
HPCLAB_INLINE_DEVICE T load_node(const ElementArguments<T>& a, std::uint32_t element, int node) {
  const std::size_t at = std::size_t{nodes * nodes * nodes} * element + static_cast<unsigned>(node);
  return a.in[a.map == nullptr ? at : static_cast<std::size_t>(a.map[at])];
}

template <int nodes, class T>
HPCLAB_INLINE_DEVICE void put_node(const ElementArguments<T>& a, std::uint32_t element, int node,
                                   T value) {
  const std::size_t at = std::size_t{nodes * nodes * nodes} * element + static_cast<unsigned>(node);
  if (a.update == NodeUpdate::store) {
    a.out[at] = value;
  } else if (a.update == NodeUpdate::add) {
    T& sum = a.out[a.map[at]];
    sum = sum + value;
  } else {
    device::atomic_add(a.out + a.map[at], value);
  }
}

}  // namespace hpclab::operators

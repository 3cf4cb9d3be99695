// hpclab: SPDX-License-Identifier: Apache-2.0
#include "roofline/residency/gpu_exchange.hpp"

#include "cuda/core/launch.hpp"
#include "cuda/roofline/residency/kernels.hpp"
#include "machine/memory.hpp"

#include <algorithm>
#include <array>

namespace hpclab::roofline::residency {
namespace {

constexpr unsigned block_threads = 256;

template <class T>
void fill(T* values, std::size_t count, std::uint64_t seed) {
  std::array<double, 512> chunk;
  for (std::size_t i = 0; i < count; i += chunk.size()) {
    const std::size_t size = std::min(chunk.size(), count - i);
    machine::fill_random({chunk.data(), size}, seed, i);
    for (std::size_t j = 0; j < size; ++j) values[i + j] = static_cast<T>(chunk[j]);
  }
}

}  // namespace

template <class T>
GpuExchange<T>::GpuExchange(cuda::Runtime& runtime, const Parameters& p, const Context& context)
    : runtime_(runtime),
      p_(p),
      grid_(grid_of(p.stencil, p.points)),
      in_(runtime),
      work_(runtime),
      out_(runtime) {
  const std::size_t points = grid_.points();
  const bool moved = p.residency == Residency::moved;
  if (moved) chunks_ = std::min<std::size_t>(static_cast<std::size_t>(p.chunks), grid_.edge);
  const HostMemory kind = moved ? p.host_memory : HostMemory::pinned;
  for (std::size_t a = 0; a < 2; ++a) {
    if (kind == HostMemory::managed) {
      managed_.push_back(std::make_unique<cuda::ManagedMemory>(runtime, points * sizeof(T)));
      device_[a] = host_[a] = static_cast<T*>(managed_.back()->data());
    } else {
      own_.emplace_back(runtime, points);
      device_[a] = own_.back().data();
      if (kind == HostMemory::pinned) {
        pinned_.push_back(std::make_unique<cuda::PinnedMemory>(runtime, points * sizeof(T)));
        host_[a] = static_cast<T*>(pinned_.back()->data());
      } else {
        ordinary_.emplace_back(points);
        host_[a] = ordinary_.back().data();
      }
    }
    fill(host_[a], points, context.seed + a);
  }
  for (std::size_t c = 0; c < chunks_; ++c) {
    arrived_.push_back(std::make_unique<cuda::Event>(runtime));
    swept_.push_back(std::make_unique<cuda::Event>(runtime));
  }
}

template <class T>
void GpuExchange<T>::upload() {
  current_ = 0;
  if (managed()) return;
  runtime_.copy(device_[0], host_[0], grid_.points() * sizeof(T), cuda::Direction::to_device,
                in_.handle());
  in_.synchronize();
}

template <class T>
void GpuExchange<T>::sweep(std::size_t first_plane, std::size_t last_plane) {
  StencilSweep<T> s = sweep_of<T>(grid_);
  s.in = device_[current_];
  s.out = device_[1 - current_];
  s.begin = static_cast<std::uint32_t>(first_plane);
  s.end = static_cast<std::uint32_t>(last_plane);
  cuda::launch(runtime_, kernels::stencil<T>(grid_.dimensions()),
               kernels::stencil_shape(s, block_threads, work_.handle()), s);
}

template <class T>
void GpuExchange<T>::move_in(std::size_t first_plane, std::size_t last_plane) {
  const std::size_t first = first_plane * grid_.plane();
  const std::size_t bytes = (last_plane - first_plane) * grid_.plane() * sizeof(T);
  for (std::size_t a = 0; a < static_cast<std::size_t>(p_.moved_arrays); ++a) {
    runtime_.copy(device_[(current_ + a) % 2] + first, host_[a] + first, bytes,
                  cuda::Direction::to_device, in_.handle());
  }
}

// The array that the sweep wrote, and the one it read.
template <class T>
void GpuExchange<T>::move_out(std::size_t first_plane, std::size_t last_plane) {
  const std::size_t first = first_plane * grid_.plane();
  const std::size_t bytes = (last_plane - first_plane) * grid_.plane() * sizeof(T);
  for (std::size_t a = 0; a < static_cast<std::size_t>(p_.moved_arrays); ++a) {
    runtime_.copy(host_[a] + first, device_[(current_ + 1 + a) % 2] + first, bytes,
                  cuda::Direction::to_host, out_.handle());
  }
}

// Reads and writes a word of every page, so that they migrate here and back at the next sweep.
template <class T>
void GpuExchange<T>::touch_on_host() {
  constexpr std::size_t page = 4096 / sizeof(T);
  for (std::size_t a = 0; a < static_cast<std::size_t>(p_.moved_arrays); ++a) {
    volatile T* const array = device_[(current_ + a) % 2];
    for (std::size_t i = 0; i < grid_.points(); i += page) array[i] = array[i];
  }
}

template <class T>
void GpuExchange<T>::resident_step() {
  sweep(0, grid_.edge);
  current_ = 1 - current_;
}

template <class T>
void GpuExchange<T>::synchronize() {
  in_.synchronize();
  work_.synchronize();
  out_.synchronize();
}

template <class T>
void GpuExchange<T>::step() {
  if (p_.residency == Residency::resident) return resident_step();
  if (managed()) {
    resident_step();
    synchronize();
    touch_on_host();
    return;
  }
  const auto planes = [&](std::size_t chunk) {
    return machine::share_of(grid_.edge, static_cast<int>(chunk), static_cast<int>(chunks_), 1);
  };
  const bool in = p_.ways != Ways::out;
  const bool out = p_.ways != Ways::in;
  for (std::size_t c = 0; in && c < chunks_; ++c) {
    move_in(planes(c).begin, planes(c).end);
    arrived_[c]->record(in_.handle());
  }
  for (std::size_t c = 0; c < chunks_; ++c) {
    // A chunk's last plane needs the first one of the next chunk.
    if (in) arrived_[std::min(c + 1, chunks_ - 1)]->hold(work_.handle());
    sweep(planes(c).begin, planes(c).end);
    swept_[c]->record(work_.handle());
  }
  for (std::size_t c = 0; out && c < chunks_; ++c) {
    swept_[c]->hold(out_.handle());
    move_out(planes(c).begin, planes(c).end);
  }
  current_ = 1 - current_;
  synchronize();
}

template <class T>
Arrays<T> GpuExchange<T>::arrays() {
  synchronize();
  const std::size_t points = grid_.points();
  Arrays<T> result;
  if (managed()) {
    result.device.assign(device_[current_], device_[current_] + points);
    result.host[0] = result.device;
    result.host[1].assign(device_[1 - current_], device_[1 - current_] + points);
    return result;
  }
  result.device.resize(points);
  runtime_.copy(result.device.data(), device_[current_], points * sizeof(T),
                cuda::Direction::to_host, out_.handle());
  out_.synchronize();
  for (std::size_t a = 0; a < 2; ++a) result.host[a].assign(host_[a], host_[a] + points);
  return result;
}

template class GpuExchange<double>;
template class GpuExchange<float>;

}  // namespace hpclab::roofline::residency

// hpclab: SPDX-License-Identifier: Apache-2.0
#include "roofline/residency/exchange.hpp"

#include "roofline/ceilings/bandwidth.hpp"
#include "roofline/ceilings/host_levels.hpp"
#include "roofline/residency/stencil_table.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

namespace hpclab::roofline::residency {
namespace {

// What the device process does; commands may be joined and are done in this order.
enum Command : std::uint32_t { copy_in = 1, sweep = 2, copy_out = 4, take = 8, give = 16 };

constexpr std::size_t page_bytes = 4096;

std::size_t whole_lines(std::size_t bytes) {
  return (bytes + 63) / 64 * 64;
}

// Arrays lie a page and a quarter apart modulo a page: at equal offsets, copies around the caches
// lose 7 to 15 % (measured on Zen 4).
std::size_t stride_of(std::size_t array_bytes) {
  return (array_bytes + page_bytes - 1) / page_bytes * page_bytes + page_bytes + page_bytes / 4;
}

template <class T>
std::size_t array_bytes_of(const Grid& grid) {
  return whole_lines(grid.points() * sizeof(T));
}

void copy_array(machine::ThreadTeam& team, InstructionSet isa, const void* from, void* to,
                std::size_t bytes) {
  const ceilings::BandwidthKernel& kernel =
      *ceilings::find_bandwidth_kernel(ceilings::BandwidthKind::copy_nontemporal, isa);
  team.run([&](int member) {
    const machine::Share share =
        machine::share_of(bytes / sizeof(double), member, team.size(), page_bytes / sizeof(double));
    if (share.begin == share.end) return;
    kernel.run(static_cast<double*>(to) + share.begin,
               static_cast<const double*>(from) + share.begin, nullptr, 0, share.end - share.begin,
               1);
  });
}

template <class T>
void sweep_array(machine::ThreadTeam& team, InstructionSet isa, const Grid& grid, const T* in,
                 T* out) {
  const StencilBodies& bodies =
      isa == InstructionSet::avx512 ? stencil_bodies_avx512 : stencil_bodies_avx2;
  team.run([&](int member) {
    StencilSweep<T> s = sweep_of<T>(grid);
    const machine::Share planes = machine::share_of(grid.edge, member, team.size(), 1);
    s.in = in;
    s.out = out;
    s.begin = static_cast<std::uint32_t>(planes.begin);
    s.end = static_cast<std::uint32_t>(planes.end);
    if constexpr (std::is_same_v<T, double>) {
      bodies.fp64(s);
    } else {
      bodies.fp32(s);
    }
  });
}

// The device's side, made in the child.
template <class T>
class Device {
 public:
  Device(const Parameters& p, const Grid& grid, InstructionSet isa, std::byte* segment)
      : p_(p),
        grid_(grid),
        isa_(isa),
        bytes_(array_bytes_of<T>(grid)),
        team_(ceilings::host_topology(), static_cast<int>(p.threads)),
        memory_(2 * stride_of(bytes_) + page_bytes, machine::HugePages::never) {
    for (std::size_t a = 0; a < 2; ++a) {
      shared_[a] = segment + a * stride_of(bytes_);
      own_[a] = memory_.data() + page_bytes / 2 + a * stride_of(bytes_);
    }
    team_.run([&](int member) {
      const machine::Share share =
          machine::share_of(memory_.size_bytes(), member, team_.size(), page_bytes);
      std::memset(memory_.data() + share.begin, 0, share.end - share.begin);
    });
  }

  void serve(std::uint32_t command) {
    const auto moved = static_cast<std::size_t>(p_.moved_arrays);
    if (command & copy_in) {
      for (std::size_t a = 0; a < moved; ++a) copy(shared_[a], own_[(current_ + a) % 2]);
    }
    if (command & sweep) {
      sweep_array(team_, isa_, grid_, reinterpret_cast<const T*>(own_[current_]),
                  reinterpret_cast<T*>(own_[1 - current_]));
      current_ = 1 - current_;
    }
    if (command & copy_out) {
      for (std::size_t a = 0; a < moved; ++a) copy(own_[(current_ + a) % 2], shared_[a]);
    }
    if (command & take) copy(shared_[0], own_[current_]);
    if (command & give) copy(own_[current_], shared_[0]);
  }

 private:
  void copy(const std::byte* from, std::byte* to) { copy_array(team_, isa_, from, to, bytes_); }

  Parameters p_;
  Grid grid_;
  InstructionSet isa_;
  std::size_t bytes_;
  machine::ThreadTeam team_;
  machine::Buffer memory_;
  std::byte* shared_[2] = {};
  std::byte* own_[2] = {};
  std::size_t current_ = 0;
};

template <class T>
void fill(machine::ThreadTeam& team, T* values, std::size_t count, std::uint64_t seed) {
  team.run([&](int member) {
    const machine::Share share = machine::share_of(count, member, team.size(), page_bytes);
    std::array<double, 512> chunk;
    for (std::size_t i = share.begin; i < share.end; i += chunk.size()) {
      const std::size_t size = std::min(chunk.size(), share.end - i);
      machine::fill_random({chunk.data(), size}, seed, i);
      for (std::size_t j = 0; j < size; ++j) values[i + j] = static_cast<T>(chunk[j]);
    }
  });
}

}  // namespace

double allocated_bytes(const Parameters& p) {
  const double arrays = 2 * traffic_of(p).array_bytes;
  // The device's, the segment, and the host's where they do not lie in it.
  return arrays *
         (p.residency == Residency::moved && p.host_memory == HostMemory::pageable ? 3 : 2);
}

template <class T>
Arrays<T> reference_run(const Parameters& p, const Grid& grid, Arrays<T> arrays,
                        std::int64_t steps) {
  const bool moved = p.residency == Residency::moved;
  arrays.device = arrays.host[0];
  for (std::int64_t step = 0; step < steps; ++step) {
    if (moved && p.ways != Ways::out) arrays.device = arrays.host[0];
    const std::vector<T> before = arrays.device;
    arrays.device = reference_sweep(grid, before);
    if (moved && p.ways != Ways::in) {
      arrays.host[0] = arrays.device;
      if (p.moved_arrays == 2) arrays.host[1] = before;
    }
  }
  return arrays;
}

template <class T>
ProcessExchange<T>::ProcessExchange(const Parameters& p, const Context& context)
    : p_(p),
      grid_(grid_of(p.stencil, p.points)),
      array_bytes_(array_bytes_of<T>(grid_)),
      isa_(instruction_set_of(p.isa)),
      segment_((machine::require_memory(static_cast<std::uint64_t>(allocated_bytes(p))),
                2 * stride_of(array_bytes_) + page_bytes)) {
  device_ = std::make_unique<DeviceProcess>(
      [this] {
        auto device = std::make_shared<Device<T>>(p_, grid_, isa_, segment_.data());
        return [device](std::uint32_t command) { device->serve(command); };
      },
      context.stop);
  team_.emplace(ceilings::host_topology(), static_cast<int>(p.threads));
  const bool pageable = p.residency == Residency::moved && p.host_memory == HostMemory::pageable;
  if (pageable)
    ordinary_ =
        machine::Buffer(2 * stride_of(array_bytes_) + page_bytes, machine::HugePages::never);
  for (int a = 0; a < 2; ++a) {
    std::byte* const array = pageable ? ordinary_.data() + 3 * page_bytes / 4 +
                                            static_cast<std::size_t>(a) * stride_of(array_bytes_)
                                      : segment_array(a);
    host_[a] = reinterpret_cast<T*>(array);
    fill(*team_, host_[a], array_bytes_ / sizeof(T), context.seed + static_cast<std::uint64_t>(a));
  }
}

template <class T>
std::byte* ProcessExchange<T>::segment_array(int number) const {
  return segment_.data() + static_cast<std::size_t>(number) * stride_of(array_bytes_);
}

template <class T>
void ProcessExchange<T>::stage(bool to_segment) {
  if (p_.host_memory != HostMemory::pageable) return;
  for (int a = 0; a < p_.moved_arrays; ++a) {
    std::byte* const host = reinterpret_cast<std::byte*>(host_[a]);
    std::byte* const shared = segment_array(a);
    copy_array(*team_, isa_, to_segment ? host : shared, to_segment ? shared : host, array_bytes_);
  }
}

template <class T>
void ProcessExchange<T>::upload() {
  if (reinterpret_cast<std::byte*>(host_[0]) != segment_array(0))
    copy_array(*team_, isa_, host_[0], segment_array(0), array_bytes_);
  device_->run(take);
}

template <class T>
void ProcessExchange<T>::step() {
  if (p_.residency == Residency::resident) return resident_step();
  const bool in = p_.ways != Ways::out;
  const bool out = p_.ways != Ways::in;
  if (in) stage(true);
  device_->run((in ? copy_in : 0u) | sweep | (out ? copy_out : 0u));
  if (out) stage(false);
}

template <class T>
void ProcessExchange<T>::resident_step() {
  device_->run(sweep);
}

template <class T>
Arrays<T> ProcessExchange<T>::arrays() {
  Arrays<T> result;
  for (int a = 0; a < 2; ++a) result.host[a].assign(host_[a], host_[a] + grid_.points());
  device_->run(give);
  const T* const device = reinterpret_cast<const T*>(segment_array(0));
  result.device.assign(device, device + grid_.points());
  // The segment may be the host's own memory: what was there comes back.
  std::copy(result.host[0].begin(), result.host[0].end(), reinterpret_cast<T*>(segment_array(0)));
  return result;
}

template Arrays<double> reference_run(const Parameters&, const Grid&, Arrays<double>, std::int64_t);
template Arrays<float> reference_run(const Parameters&, const Grid&, Arrays<float>, std::int64_t);
template class ProcessExchange<double>;
template class ProcessExchange<float>;

}  // namespace hpclab::roofline::residency

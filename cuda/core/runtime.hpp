// hpclab: SPDX-License-Identifier: Apache-2.0
//
// What a machine that runs kernels can do: memory, streams, events, graphs, launches. Two kinds
// exist, the CUDA device and the emulator, and callers do not know which they have. A build without
// CUDA has the same functions; asking it for a device throws NotAvailable.
#pragma once

#include "cuda/emulator/types.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace hpclab::cuda {

using emulator::Dim3;

enum class Backend { cuda, emulator };
const char* name_of(Backend backend);

enum class Direction { to_device, to_host, on_device };

/// Handles of the machine; null is the default stream.
using StreamHandle = void*;
using EventHandle = void*;
using GraphHandle = void*;

struct LaunchShape {
  Dim3 grid;
  Dim3 block;
  std::size_t dynamic_shared_bytes = 0;
  StreamHandle stream = nullptr;
  bool cooperative = false;  ///< all blocks resident at once, as grid barriers need
};

/// A launch without types. The device takes `device_function` and `arguments`, the emulator calls
/// `call(closure.get())` for each thread.
struct LaunchRequest {
  std::string_view kernel;
  LaunchShape shape;
  const void* device_function = nullptr;
  void** arguments = nullptr;
  void (*call)(const void* closure) = nullptr;
  std::shared_ptr<const void> closure;
};

/// Facts of a device; zero where the emulator has none.
struct DeviceFacts {
  std::string name;
  int compute_major = 0;
  int compute_minor = 0;
  int multiprocessors = 0;
  std::size_t memory_bytes = 0;
  std::size_t l2_bytes = 0;
  std::size_t shared_bytes_per_block = 0;  ///< with opt-in
  int threads_per_multiprocessor = 0;
  double sm_clock_hz = 0;      ///< highest
  double memory_clock_hz = 0;  ///< highest
  int memory_bus_bits = 0;
  int ecc = -1;  ///< 1 on, 0 off, -1 unknown
  std::string pci_address;
  int driver_version = 0;  ///< 13000 is 13.0
  int runtime_version = 0;
};

/// Facts of a CUDA device without opening it: starts no device context. Throws CudaError, and
/// NotAvailable in a build without CUDA.
DeviceFacts facts_of_device(int ordinal);

class Runtime {
 public:
  virtual ~Runtime() = default;
  virtual Backend backend() const = 0;
  virtual DeviceFacts facts() const = 0;

  virtual void* allocate(std::size_t bytes) = 0;
  virtual void release(void* memory) noexcept = 0;
  /// Page-locked host memory, which copies at full link speed.
  virtual void* allocate_pinned(std::size_t bytes) = 0;
  virtual void release_pinned(void* memory) noexcept = 0;
  /// Memory with one address on both sides, whose pages move to who touches them.
  virtual void* allocate_managed(std::size_t bytes) = 0;
  virtual void release_managed(void* memory) noexcept = 0;
  /// Copies in stream order; returns before the copy is done where the memory is pinned.
  virtual void copy(void* destination, const void* source, std::size_t bytes, Direction direction,
                    StreamHandle stream) = 0;
  virtual void fill(void* memory, int byte, std::size_t bytes, StreamHandle stream) = 0;

  virtual StreamHandle create_stream() = 0;
  virtual void destroy_stream(StreamHandle stream) noexcept = 0;
  virtual void synchronize(StreamHandle stream) = 0;

  virtual EventHandle create_event() = 0;
  virtual void destroy_event(EventHandle event) noexcept = 0;
  virtual void record(EventHandle event, StreamHandle stream) = 0;
  virtual void wait(EventHandle event) = 0;
  /// What is put on `stream` from now on waits for the event; the caller does not.
  virtual void wait_on(StreamHandle stream, EventHandle event) = 0;
  /// Seconds between two recorded events. The emulator throws NotAvailable: it keeps no time.
  virtual double elapsed_s(EventHandle begin, EventHandle end) = 0;

  /// Launches on `stream` go into a graph instead of running, until end_capture.
  virtual void begin_capture(StreamHandle stream) = 0;
  virtual GraphHandle end_capture(StreamHandle stream) = 0;
  virtual void launch_graph(GraphHandle graph, StreamHandle stream) = 0;
  virtual void destroy_graph(GraphHandle graph) noexcept = 0;

  virtual void launch(const LaunchRequest& request) = 0;
  /// Blocks of this kernel that fit on one multiprocessor at once.
  virtual int resident_blocks(const void* device_function, unsigned threads,
                              std::size_t dynamic_shared_bytes) = 0;

  /// What errors from now on name as the case at work; empty for none.
  void set_case(std::string name) { case_ = std::move(name); }
  const std::string& case_name() const { return case_; }

 private:
  std::string case_;
};

/// The emulator; `seed` chooses the order of threads (0 forward, 1 reverse, others random).
std::unique_ptr<Runtime> make_emulator(std::uint64_t seed = 0);

/// The CUDA device of this number. Throws NotAvailable with the reason: no CUDA in this build, no
/// driver, driver too old, no device (see driver_state.hpp).
std::unique_ptr<Runtime> make_device(int ordinal = 0);

/// Names the case in errors of `runtime` while it lives.
class CaseScope {
 public:
  CaseScope(Runtime& runtime, std::string name) : runtime_(runtime), before_(runtime.case_name()) {
    runtime_.set_case(std::move(name));
  }
  ~CaseScope() { runtime_.set_case(before_); }
  CaseScope(const CaseScope&) = delete;
  CaseScope& operator=(const CaseScope&) = delete;

 private:
  Runtime& runtime_;
  std::string before_;
};

}  // namespace hpclab::cuda

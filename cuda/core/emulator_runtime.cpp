// hpclab: SPDX-License-Identifier: Apache-2.0
//
// The emulator behind the interface of a machine: memory is host memory, streams run at once,
// graphs are lists of launches, and there is no time.
#include "core/error.hpp"
#include "cuda/core/runtime.hpp"
#include "cuda/emulator/emulator.hpp"
#include "cuda/emulator/shared_memory.hpp"

#include <cstdlib>
#include <cstring>
#include <functional>
#include <new>
#include <stdexcept>
#include <vector>

namespace hpclab::cuda {
namespace {

struct EmulatedStream {
  bool capturing = false;
  std::vector<std::function<void()>> captured;
};
struct EmulatedGraph {
  std::vector<std::function<void()>> work;
};

class EmulatorRuntime : public Runtime {
 public:
  explicit EmulatorRuntime(std::uint64_t seed) : seed_(seed) {}
  Backend backend() const override { return Backend::emulator; }
  DeviceFacts facts() const override {
    DeviceFacts facts;
    facts.name = "emulator";
    facts.multiprocessors = 2;
    facts.shared_bytes_per_block = emulator::Limits{}.shared_bytes;
    return facts;
  }

  void* allocate(std::size_t bytes) override {
    // As cudaMalloc, aligned to 256 bytes; exact sizes let the address sanitizer see overruns.
    void* memory = ::operator new (bytes == 0 ? 1 : bytes, std::align_val_t{256});
    std::memset(memory, emulator::poison_byte, bytes);
    return memory;
  }
  void release(void* memory) noexcept override {
    ::operator delete (memory, std::align_val_t{256});
  }
  void* allocate_pinned(std::size_t bytes) override { return allocate(bytes); }
  void release_pinned(void* memory) noexcept override { release(memory); }
  void* allocate_managed(std::size_t bytes) override { return allocate(bytes); }
  void release_managed(void* memory) noexcept override { release(memory); }
  void copy(void* destination, const void* source, std::size_t bytes, Direction,
            StreamHandle stream) override {
    run_or_capture(stream, [=] {
      if (bytes > 0) {
        std::memmove(destination, source, bytes);
      }
    });
  }
  void fill(void* memory, int byte, std::size_t bytes, StreamHandle stream) override {
    run_or_capture(stream, [=] { std::memset(memory, byte, bytes); });
  }

  StreamHandle create_stream() override { return new EmulatedStream; }
  void destroy_stream(StreamHandle stream) noexcept override {
    delete static_cast<EmulatedStream*>(stream);
  }
  void synchronize(StreamHandle) override {}

  EventHandle create_event() override { return new char; }
  void destroy_event(EventHandle event) noexcept override { delete static_cast<char*>(event); }
  void record(EventHandle, StreamHandle) override {}
  void wait(EventHandle) override {}
  void wait_on(StreamHandle, EventHandle) override {}
  double elapsed_s(EventHandle, EventHandle) override {
    throw NotAvailable("the emulator keeps no time",
                       "Measure with the backend cuda on a machine that has a GPU");
  }

  void begin_capture(StreamHandle stream) override {
    if (stream == nullptr) {
      throw std::invalid_argument("the default stream cannot be captured");
    }
    static_cast<EmulatedStream*>(stream)->capturing = true;
  }
  GraphHandle end_capture(StreamHandle stream) override {
    auto& s = *static_cast<EmulatedStream*>(stream);
    s.capturing = false;
    return new EmulatedGraph{std::exchange(s.captured, {})};
  }
  void launch_graph(GraphHandle graph, StreamHandle) override {
    for (const auto& work : static_cast<EmulatedGraph*>(graph)->work) {
      work();
    }
  }
  void destroy_graph(GraphHandle graph) noexcept override {
    delete static_cast<EmulatedGraph*>(graph);
  }

  void launch(const LaunchRequest& request) override {
    run_or_capture(
        request.shape.stream, [this, name = std::string(request.kernel), shape = request.shape,
                               call = request.call, closure = request.closure] {
          emulator::Options options;
          options.seed = seed_;
          const emulator::Launch launch{
              name, shape.grid,   shape.block, shape.dynamic_shared_bytes, shape.cooperative,
              call, closure.get()};
          try {
            emulator::Engine::local().run(launch, options);
          } catch (const emulator::Fault& fault) {
            if (case_name().empty()) {
              throw;
            }
            throw emulator::Fault(fault.kind(), "case '" + case_name() + "': " + fault.what());
          }
        });
  }
  int resident_blocks(const void*, unsigned, std::size_t) override { return 1; }

 private:
  template <class Work>
  void run_or_capture(StreamHandle stream, Work work) {
    auto* s = static_cast<EmulatedStream*>(stream);
    if (s != nullptr && s->capturing) {
      s->captured.push_back(std::move(work));
    } else {
      work();
    }
  }

  std::uint64_t seed_;
};

}  // namespace

std::unique_ptr<Runtime> make_emulator(std::uint64_t seed) {
  return std::make_unique<EmulatorRuntime>(seed);
}

}  // namespace hpclab::cuda

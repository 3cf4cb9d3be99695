// hpclab: SPDX-License-Identifier: Apache-2.0
//
// The CUDA device behind the interface of a machine, by the static CUDA runtime.
#include "cuda/core/cuda_error.hpp"
#include "cuda/core/driver_state.hpp"
#include "cuda/core/runtime.hpp"

#include <map>

#include <cuda_runtime.h>
#include <fmt/format.h>

namespace hpclab::cuda {
namespace {

cudaStream_t as_stream(StreamHandle handle) {
  return static_cast<cudaStream_t>(handle);
}
cudaEvent_t as_event(EventHandle handle) {
  return static_cast<cudaEvent_t>(handle);
}
dim3 as_dim3(Dim3 d) {
  return dim3(d.x, d.y, d.z);
}

cudaMemcpyKind kind_of(Direction direction) {
  switch (direction) {
    case Direction::to_device:
      return cudaMemcpyHostToDevice;
    case Direction::to_host:
      return cudaMemcpyDeviceToHost;
    case Direction::on_device:
      break;
  }
  return cudaMemcpyDeviceToDevice;
}

// A block may use more than 48 KiB of dynamic shared memory only after asking.
constexpr std::size_t plain_shared_bytes = std::size_t{48} * 1024;

class DeviceRuntime : public Runtime {
 public:
  explicit DeviceRuntime(int ordinal) : ordinal_(ordinal) {
    check(cudaSetDevice(ordinal), "cudaSetDevice");
  }

  Backend backend() const override { return Backend::cuda; }
  DeviceFacts facts() const override { return facts_of_device(ordinal_); }

  void* allocate(std::size_t bytes) override {
    void* memory = nullptr;
    check(cudaMalloc(&memory, bytes), "cudaMalloc", fmt::format("{} bytes", bytes));
    return memory;
  }
  void release(void* memory) noexcept override { cudaFree(memory); }
  void* allocate_pinned(std::size_t bytes) override {
    void* memory = nullptr;
    check(cudaMallocHost(&memory, bytes), "cudaMallocHost", fmt::format("{} bytes", bytes));
    return memory;
  }
  void release_pinned(void* memory) noexcept override { cudaFreeHost(memory); }
  void* allocate_managed(std::size_t bytes) override {
    void* memory = nullptr;
    check(cudaMallocManaged(&memory, bytes), "cudaMallocManaged", fmt::format("{} bytes", bytes));
    return memory;
  }
  void release_managed(void* memory) noexcept override { cudaFree(memory); }
  void copy(void* destination, const void* source, std::size_t bytes, Direction direction,
            StreamHandle stream) override {
    check(cudaMemcpyAsync(destination, source, bytes, kind_of(direction), as_stream(stream)),
          "cudaMemcpyAsync");
  }
  void fill(void* memory, int byte, std::size_t bytes, StreamHandle stream) override {
    check(cudaMemsetAsync(memory, byte, bytes, as_stream(stream)), "cudaMemsetAsync");
  }

  StreamHandle create_stream() override {
    cudaStream_t stream = nullptr;
    check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreate");
    return stream;
  }
  void destroy_stream(StreamHandle stream) noexcept override {
    cudaStreamDestroy(as_stream(stream));
  }
  void synchronize(StreamHandle stream) override {
    check(cudaStreamSynchronize(as_stream(stream)), "cudaStreamSynchronize");
  }

  EventHandle create_event() override {
    cudaEvent_t event = nullptr;
    check(cudaEventCreate(&event), "cudaEventCreate");
    return event;
  }
  void destroy_event(EventHandle event) noexcept override { cudaEventDestroy(as_event(event)); }
  void record(EventHandle event, StreamHandle stream) override {
    check(cudaEventRecord(as_event(event), as_stream(stream)), "cudaEventRecord");
  }
  void wait(EventHandle event) override {
    check(cudaEventSynchronize(as_event(event)), "cudaEventSynchronize");
  }
  void wait_on(StreamHandle stream, EventHandle event) override {
    check(cudaStreamWaitEvent(as_stream(stream), as_event(event), 0), "cudaStreamWaitEvent");
  }
  double elapsed_s(EventHandle begin, EventHandle end) override {
    float milliseconds = 0;
    check(cudaEventElapsedTime(&milliseconds, as_event(begin), as_event(end)),
          "cudaEventElapsedTime");
    return milliseconds * 1e-3;
  }

  void begin_capture(StreamHandle stream) override {
    check(cudaStreamBeginCapture(as_stream(stream), cudaStreamCaptureModeThreadLocal),
          "cudaStreamBeginCapture");
  }
  GraphHandle end_capture(StreamHandle stream) override {
    cudaGraph_t graph = nullptr;
    check(cudaStreamEndCapture(as_stream(stream), &graph), "cudaStreamEndCapture");
    cudaGraphExec_t ready = nullptr;
    const cudaError_t error = cudaGraphInstantiate(&ready, graph, 0);
    cudaGraphDestroy(graph);
    check(error, "cudaGraphInstantiate");
    return ready;
  }
  void launch_graph(GraphHandle graph, StreamHandle stream) override {
    check(cudaGraphLaunch(static_cast<cudaGraphExec_t>(graph), as_stream(stream)),
          "cudaGraphLaunch");
  }
  void destroy_graph(GraphHandle graph) noexcept override {
    cudaGraphExecDestroy(static_cast<cudaGraphExec_t>(graph));
  }

  void launch(const LaunchRequest& request) override;
  int resident_blocks(const void* device_function, unsigned threads,
                      std::size_t dynamic_shared_bytes) override {
    allow_shared(device_function, dynamic_shared_bytes);
    int blocks = 0;
    check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
              &blocks, device_function, static_cast<int>(threads), dynamic_shared_bytes),
          "cudaOccupancyMaxActiveBlocksPerMultiprocessor");
    return blocks;
  }

 private:
  void check(cudaError_t error, std::string_view call, std::string_view detail = {}) const {
    if (error == cudaSuccess) {
      return;
    }
    cudaGetLastError();  // a later call must not report this error again
    throw CudaError(
        fmt::format("{}{}{}{}: {} ({}, error {}){}", call, detail.empty() ? "" : " (", detail,
                    detail.empty() ? "" : ")", cudaGetErrorString(error), cudaGetErrorName(error),
                    static_cast<int>(error),
                    case_name().empty() ? "" : fmt::format(" in case '{}'", case_name())),
        static_cast<int>(error));
  }

  void allow_shared(const void* function, std::size_t bytes) {
    if (bytes <= plain_shared_bytes) {
      return;
    }
    std::size_t& allowed = allowed_shared_[function];
    if (allowed < bytes) {
      check(cudaFuncSetAttribute(function, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                 static_cast<int>(bytes)),
            "cudaFuncSetAttribute", fmt::format("{} bytes of dynamic shared memory", bytes));
      allowed = bytes;
    }
  }

  int ordinal_;
  std::map<const void*, std::size_t> allowed_shared_;
};

void DeviceRuntime::launch(const LaunchRequest& request) {
  const LaunchShape& shape = request.shape;
  allow_shared(request.device_function, shape.dynamic_shared_bytes);
  cudaLaunchAttribute cooperative = {};
  cooperative.id = cudaLaunchAttributeCooperative;
  cooperative.val.cooperative = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = as_dim3(shape.grid);
  config.blockDim = as_dim3(shape.block);
  config.dynamicSmemBytes = shape.dynamic_shared_bytes;
  config.stream = as_stream(shape.stream);
  config.attrs = &cooperative;
  config.numAttrs = shape.cooperative ? 1 : 0;
  const cudaError_t error =
      cudaLaunchKernelExC(&config, request.device_function, request.arguments);
  if (error != cudaSuccess) {
    check(error, "cudaLaunchKernelExC",
          fmt::format(
              "kernel '{}', grid {} x {} x {}, block {} x {} x {}, {} bytes of dynamic shared "
              "memory",
              request.kernel, shape.grid.x, shape.grid.y, shape.grid.z, shape.block.x,
              shape.block.y, shape.block.z, shape.dynamic_shared_bytes));
  }
}

}  // namespace

DriverState query_driver_state() {
  int devices = 0;
  int driver = 0;
  int runtime = 0;
  const cudaError_t error = cudaGetDeviceCount(&devices);
  cudaGetLastError();
  cudaDriverGetVersion(&driver);
  cudaRuntimeGetVersion(&runtime);
  return classify_driver(static_cast<int>(error), driver, runtime, devices);
}

std::unique_ptr<Runtime> make_device(int ordinal) {
  const DriverState state = query_driver_state();
  require_device(state);
  if (ordinal < 0 || ordinal >= state.devices) {
    throw UsageError(
        fmt::format("there is no CUDA device {}: this machine has {} (numbered from 0)", ordinal,
                    state.devices));
  }
  return std::make_unique<DeviceRuntime>(ordinal);
}

}  // namespace hpclab::cuda

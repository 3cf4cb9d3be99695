// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Owned streams, events and graphs of a machine.
#pragma once

#include "cuda/core/runtime.hpp"

namespace hpclab::cuda {

class Stream {
 public:
  explicit Stream(Runtime& runtime) : runtime_(runtime), handle_(runtime.create_stream()) {}
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  ~Stream() { runtime_.destroy_stream(handle_); }
  StreamHandle handle() const { return handle_; }
  void synchronize() { runtime_.synchronize(handle_); }

 private:
  Runtime& runtime_;
  StreamHandle handle_;
};

/// Where a stream is in its work.
class Event {
 public:
  explicit Event(Runtime& runtime) : runtime_(runtime), handle_(runtime.create_event()) {}
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  ~Event() { runtime_.destroy_event(handle_); }
  void record(StreamHandle stream) { runtime_.record(handle_, stream); }
  void wait() { runtime_.wait(handle_); }
  /// Work put on `stream` from now on begins after this event.
  void hold(StreamHandle stream) { runtime_.wait_on(stream, handle_); }
  /// Seconds from `begin` to this event, both recorded and past.
  double elapsed_s_since(const Event& begin) const {
    return runtime_.elapsed_s(begin.handle_, handle_);
  }

 private:
  Runtime& runtime_;
  EventHandle handle_;
};

/// Launches recorded once and started together.
class Graph {
 public:
  /// Records what `body()` launches on `stream`, which must not be the default stream.
  template <class Body>
  Graph(Runtime& runtime, StreamHandle stream, const Body& body) : runtime_(runtime) {
    runtime_.begin_capture(stream);
    try {
      body();
    } catch (...) {
      runtime_.destroy_graph(runtime_.end_capture(stream));
      throw;
    }
    handle_ = runtime_.end_capture(stream);
  }
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;
  ~Graph() { runtime_.destroy_graph(handle_); }
  void launch(StreamHandle stream) { runtime_.launch_graph(handle_, stream); }

 private:
  Runtime& runtime_;
  GraphHandle handle_ = nullptr;
};

}  // namespace hpclab::cuda

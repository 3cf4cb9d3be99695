// hpclab: SPDX-License-Identifier: Apache-2.0
//
// A shared library that is loaded at run time because the program must start without it.
#pragma once

#include <string>

namespace hpclab::cuda {

class DynamicLibrary {
 public:
  /// Loads `name` ("libcuda.so.1"); a library that is absent leaves `loaded()` false.
  explicit DynamicLibrary(std::string name);
  ~DynamicLibrary();
  DynamicLibrary(const DynamicLibrary&) = delete;
  DynamicLibrary& operator=(const DynamicLibrary&) = delete;

  bool loaded() const { return handle_ != nullptr; }
  const std::string& name() const { return name_; }
  /// Why the library could not be loaded; empty when it was.
  const std::string& reason() const { return reason_; }

  /// The function `symbol`, null when the library lacks it.
  template <class Function>
  Function* find(const char* symbol) const {
    return reinterpret_cast<Function*>(address(symbol));
  }

 private:
  void* address(const char* symbol) const;

  std::string name_;
  std::string reason_;
  void* handle_ = nullptr;
};

/// CUDA version that the driver library serves (13000 is 13.0), 0 without a driver. Asks libcuda
/// directly, so that builds without CUDA know it too.
int driver_library_version();

}  // namespace hpclab::cuda

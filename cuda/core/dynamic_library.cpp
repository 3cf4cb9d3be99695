// hpclab: SPDX-License-Identifier: Apache-2.0
#include "cuda/core/dynamic_library.hpp"

#include <utility>

#include <dlfcn.h>

namespace hpclab::cuda {

DynamicLibrary::DynamicLibrary(std::string name)
    : name_(std::move(name)), handle_(dlopen(name_.c_str(), RTLD_NOW | RTLD_LOCAL)) {
  if (handle_ == nullptr) {
    const char* error = dlerror();
    reason_ = error == nullptr ? name_ + " cannot be loaded" : error;
  }
}

DynamicLibrary::~DynamicLibrary() {
  if (handle_ != nullptr) {
    dlclose(handle_);
  }
}

void* DynamicLibrary::address(const char* symbol) const {
  return handle_ == nullptr ? nullptr : dlsym(handle_, symbol);
}

int driver_library_version() {
  const DynamicLibrary library("libcuda.so.1");
  auto* get_version = library.find<int(int*)>("cuDriverGetVersion");
  int version = 0;
  return get_version != nullptr && get_version(&version) == 0 ? version : 0;
}

}  // namespace hpclab::cuda

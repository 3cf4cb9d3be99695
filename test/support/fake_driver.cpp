// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Answers as libcuda does where there is a driver but no device: HPCLAB_FAKE_DRIVER_VERSION is the
// CUDA version that it serves (12020 is 12.2). Test only.
#include <cstdlib>
#include <cstring>

namespace {

constexpr int success = 0;
constexpr int invalid_value = 1;
constexpr int no_device = 100;

int refuse() {
  return no_device;
}

}  // namespace

extern "C" {

int cuInit(unsigned) {
  return no_device;
}
int cuDriverGetVersion(int* version) {
  const char* text = std::getenv("HPCLAB_FAKE_DRIVER_VERSION");
  *version = text == nullptr ? 0 : std::atoi(text);
  return success;
}
int cuGetProcAddress_v2(const char* symbol, void** function, int, unsigned long long, int* status) {
  *function = reinterpret_cast<void*>(&refuse);
  if (std::strcmp(symbol, "cuDriverGetVersion") == 0)
    *function = reinterpret_cast<void*>(&cuDriverGetVersion);
  if (std::strcmp(symbol, "cuGetProcAddress") == 0)
    *function = reinterpret_cast<void*>(&cuGetProcAddress_v2);
  if (status != nullptr) *status = 0;
  return success;
}
int cuGetProcAddress(const char* symbol, void** function, int version, unsigned long long flags) {
  return cuGetProcAddress_v2(symbol, function, version, flags, nullptr);
}
int cuGetExportTable(const void** table, const void*) {
  *table = nullptr;
  return invalid_value;
}
}

// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Answers as libnvidia-ml does, for one GPU at 0000:17:00.0 that has no thermometer. Test only.
#include <cstring>

namespace {

constexpr int success = 0;
constexpr int invalid_argument = 2;
constexpr int not_supported = 3;
int gpu = 0;

}  // namespace

extern "C" {

int nvmlInit_v2() {
  return success;
}
int nvmlShutdown() {
  return success;
}
int nvmlDeviceGetHandleByPciBusId_v2(const char* address, void** device) {
  *device = &gpu;
  return std::strcmp(address, "0000:17:00.0") == 0 ? success : invalid_argument;
}
int nvmlDeviceGetClockInfo(void*, int type, unsigned* megahertz) {
  *megahertz = type == 1 ? 1980 : 3201;
  return type == 1 || type == 2 ? success : invalid_argument;
}
int nvmlDeviceGetPowerUsage(void*, unsigned* milliwatts) {
  *milliwatts = 412500;
  return success;
}
int nvmlDeviceGetTotalEnergyConsumption(void*, unsigned long long* millijoules) {
  *millijoules = 5000000000000ull;  // past 32 bits
  return success;
}
int nvmlDeviceGetTemperature(void*, int, unsigned*) {
  return not_supported;
}
int nvmlDeviceGetCurrentClocksThrottleReasons(void*, unsigned long long* bits) {
  *bits = 4;
  return success;
}
int nvmlDeviceGetEnforcedPowerLimit(void*, unsigned* milliwatts) {
  *milliwatts = 700000;
  return success;
}
int nvmlSystemGetDriverVersion(char* text, unsigned size) {
  std::strncpy(text, "580.65.06", size);
  return success;
}
}

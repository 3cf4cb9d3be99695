// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Which sanitizer this build has. Fibers must tell it about every change of stack.
#pragma once

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#define HPCLAB_ADDRESS_SANITIZER 1
#else
#define HPCLAB_ADDRESS_SANITIZER 0
#endif

#if defined(__SANITIZE_THREAD__)
#include <sanitizer/tsan_interface.h>
#define HPCLAB_THREAD_SANITIZER 1
#else
#define HPCLAB_THREAD_SANITIZER 0
#endif

namespace hpclab::emulator {

/// Makes [address, address + bytes) an error to touch, where the build can.
inline void forbid([[maybe_unused]] const void* address, [[maybe_unused]] unsigned long bytes) {
#if HPCLAB_ADDRESS_SANITIZER
  __asan_poison_memory_region(address, bytes);
#endif
}

/// Makes [address, address + bytes) usable again.
inline void allow([[maybe_unused]] const void* address, [[maybe_unused]] unsigned long bytes) {
#if HPCLAB_ADDRESS_SANITIZER
  __asan_unpoison_memory_region(address, bytes);
#endif
}

}  // namespace hpclab::emulator

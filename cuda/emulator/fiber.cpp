// hpclab: SPDX-License-Identifier: Apache-2.0
#include "cuda/emulator/fiber.hpp"

#include <cstdlib>

namespace hpclab::emulator {

using boost::context::detail::jump_fcontext;
using boost::context::detail::make_fcontext;
using boost::context::detail::transfer_t;

namespace {

// What a jump carries: who left, so that its context can be stored, and who starts or resumes.
struct Passage {
  Fiber* from;
  Fiber* to;
};

}  // namespace

Fiber::~Fiber() {
#if HPCLAB_THREAD_SANITIZER
  if (tsan_ != nullptr && entry_ != nullptr) {
    __tsan_destroy_fiber(tsan_);
  }
#endif
}

void Fiber::prepare(const Stack& stack, void (*entry)()) {
  const auto bytes = static_cast<std::size_t>(stack.top - stack.bottom);
  entry_ = entry;
#if HPCLAB_ADDRESS_SANITIZER
  allow(stack.bottom, bytes);  // red zones of frames that were given up
  bottom_ = stack.bottom;
  bytes_ = bytes;
#endif
#if HPCLAB_THREAD_SANITIZER
  // A sanitizer's fiber costs 0.6 ms to make. It is used again, but not for ever: frames that
  // leave() or an error gave up stay on its shadow stack of 65536 entries.
  if (tsan_uses_++ % 1000 == 0) {
    if (tsan_ != nullptr) {
      __tsan_destroy_fiber(tsan_);
    }
    tsan_ = __tsan_create_fiber(0);
  }
#endif
  handle_ = make_fcontext(stack.top, bytes, &Fiber::start);
}

void Fiber::arrived(transfer_t transfer, [[maybe_unused]] void* fake_stack) {
  Fiber& from = *static_cast<Passage*>(transfer.data)->from;
  from.handle_ = transfer.fctx;
#if HPCLAB_ADDRESS_SANITIZER
  __sanitizer_finish_switch_fiber(fake_stack, &from.bottom_, &from.bytes_);
#endif
}

void Fiber::start(transfer_t transfer) {
  Fiber& self = *static_cast<Passage*>(transfer.data)->to;
  arrived(transfer, nullptr);
  self.entry_();
  std::abort();  // entry functions end in leave()
}

void Fiber::change(Fiber& from, Fiber& to) {
  Passage passage{&from, &to};
#if HPCLAB_THREAD_SANITIZER
  if (from.tsan_ == nullptr) {
    from.tsan_ = __tsan_get_current_fiber();
  }
  __tsan_switch_to_fiber(to.tsan_, 0);
#endif
  void* fake_stack = nullptr;
#if HPCLAB_ADDRESS_SANITIZER
  __sanitizer_start_switch_fiber(&fake_stack, to.bottom_, to.bytes_);
#endif
  const transfer_t transfer = jump_fcontext(to.handle_, &passage);
  arrived(transfer, fake_stack);
}

void Fiber::leave(Fiber& from, Fiber& to) {
  Passage passage{&from, &to};
#if HPCLAB_THREAD_SANITIZER
  __tsan_switch_to_fiber(to.tsan_, 0);
#endif
#if HPCLAB_ADDRESS_SANITIZER
  __sanitizer_start_switch_fiber(nullptr, to.bottom_, to.bytes_);
#endif
  jump_fcontext(to.handle_, &passage);
  std::abort();  // nothing resumes a fiber that left
}

}  // namespace hpclab::emulator

// hpclab: SPDX-License-Identifier: Apache-2.0
#include "cuda/core/nvtx_listener.hpp"

#include "core/trace.hpp"

#include <array>
#include <atomic>
#include <mutex>

#include <nvtx3/nvtx3.hpp>

namespace hpclab::cuda {
namespace {

struct Domain {
  static constexpr const char* name = "hpclab";
};

nvtxDomainHandle_t domain() {
  return nvtx3::domain::get<Domain>();
}

class NvtxListener : public trace::Listener {
 public:
  NvtxListener() {
    using trace::Category;
    for (const Category category :
         {Category::setup, Category::warmup, Category::measure, Category::simulate, Category::model,
          Category::io, Category::communication}) {
      const auto id = static_cast<nvtx3::category::id_type>(category);
      nvtx3::named_category_in<Domain>(id, name_of(category));
    }
  }

  void begin(const trace::Name& name, trace::Category category, std::uint64_t payload) override {
    nvtx3::event_attributes attributes(
        nvtx3::category(static_cast<nvtx3::category::id_type>(category)), nvtx3::payload(payload));
    nvtxEventAttributes_t event = *attributes.get();
    if (nvtxStringHandle_t handle = registered(name)) {
      event.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
      event.message.registered = handle;
    } else {
      event.messageType = NVTX_MESSAGE_TYPE_ASCII;
      event.message.ascii = name.text();
    }
    nvtxDomainRangePushEx(domain(), &event);
  }

  void end() override { nvtxDomainRangePop(domain()); }

 private:
  // Tools filter by registered strings only (nsys --capture-range=nvtx), and register once: the
  // handle is kept by the index of the name. Null beyond the table or when the tool gives none.
  nvtxStringHandle_t registered(const trace::Name& name) {
    if (name.index() >= strings_.size()) return nullptr;
    std::atomic<nvtxStringHandle_t>& place = strings_[name.index()];
    if (nvtxStringHandle_t known = place.load(std::memory_order_acquire)) return known;
    const std::scoped_lock lock(mutex_);
    if (nvtxStringHandle_t known = place.load(std::memory_order_relaxed)) return known;
    nvtxStringHandle_t handle = nvtxDomainRegisterStringA(domain(), name.text());
    place.store(handle, std::memory_order_release);
    return handle;
  }

  std::array<std::atomic<nvtxStringHandle_t>, 1024> strings_{};
  std::mutex mutex_;
};

}  // namespace

NvtxState attach_nvtx() {
  // Without a tool, NVTX answers every request for a domain with the null handle.
  if (domain() == nullptr) return NvtxState::no_tool;
  static NvtxListener listener;
  trace::add_listener(listener);
  return NvtxState::attached;
}

}  // namespace hpclab::cuda

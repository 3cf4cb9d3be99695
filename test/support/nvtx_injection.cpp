// hpclab: SPDX-License-Identifier: Apache-2.0
//
// A tool as NVTX loads it from NVTX_INJECTION64_PATH: writes every call that it sees as one line of
// words to the file named in HPCLAB_NVTX_LOG. Test only.
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string>

#include <nvtx3/nvToolsExt.h>

// The structures that stand for handles: a tool gives them any meaning.
struct nvtxDomainRegistration_st {
  std::string name;
};
struct nvtxStringRegistration_st {
  std::string text;
};

namespace {

std::FILE* log_file() {
  static std::FILE* file = [] {
    const char* name = std::getenv("HPCLAB_NVTX_LOG");
    return name == nullptr ? stderr : std::fopen(name, "w");
  }();
  return file;
}

template <class... Arguments>
void log_line(const char* format, Arguments... arguments) {
  static std::mutex mutex;
  const std::scoped_lock lock(mutex);
  std::fprintf(log_file(), format, arguments...);
  std::fflush(log_file());
}

const char* name_of(nvtxDomainHandle_t domain) {
  return domain == nullptr ? "default" : domain->name.c_str();
}

nvtxDomainHandle_t NVTX_API create_domain(const char* name) {
  log_line("domain %s\n", name);
  return new nvtxDomainRegistration_st{name};  // NVTX keeps handles to the end of the process
}

nvtxStringHandle_t NVTX_API register_string(nvtxDomainHandle_t domain, const char* text) {
  log_line("string %s %s\n", name_of(domain), text);
  return new nvtxStringRegistration_st{text};
}

void NVTX_API name_category(nvtxDomainHandle_t domain, uint32_t id, const char* name) {
  log_line("category %s %u %s\n", name_of(domain), id, name);
}

thread_local int depth = 0;

int NVTX_API push(nvtxDomainHandle_t domain, const nvtxEventAttributes_t* event) {
  const bool registered = event->messageType == NVTX_MESSAGE_TYPE_REGISTERED;
  const bool whole = event->payloadType == NVTX_PAYLOAD_TYPE_UNSIGNED_INT64;
  log_line("push %s %d %s %s %u %016llx\n", name_of(domain), depth,
           registered ? "registered" : "formatted",
           registered ? event->message.registered->text.c_str() : event->message.ascii,
           event->category,
           whole ? static_cast<unsigned long long>(event->payload.ullValue) : 0ULL);
  return depth++;
}

int NVTX_API pop(nvtxDomainHandle_t domain) {
  log_line("pop %s %d\n", name_of(domain), --depth);
  return depth;
}

template <class Function>
void hook(NvtxFunctionTable table, int slot, Function* function) {
  *table[slot] = reinterpret_cast<NvtxFunctionPointer>(function);
}

}  // namespace

extern "C" int InitializeInjectionNvtx2(NvtxGetExportTableFunc_t get_export_table) {
  const auto* callbacks =
      static_cast<const NvtxExportTableCallbacks*>(get_export_table(NVTX_ETID_CALLBACKS));
  NvtxFunctionTable table = nullptr;
  unsigned size = 0;
  if (callbacks == nullptr ||
      callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CORE2, &table, &size) == 0 ||
      size <= NVTX_CBID_CORE2_DomainNameCategoryA) {
    return 0;
  }
  hook(table, NVTX_CBID_CORE2_DomainCreateA, create_domain);
  hook(table, NVTX_CBID_CORE2_DomainRegisterStringA, register_string);
  hook(table, NVTX_CBID_CORE2_DomainNameCategoryA, name_category);
  hook(table, NVTX_CBID_CORE2_DomainRangePushEx, push);
  hook(table, NVTX_CBID_CORE2_DomainRangePop, pop);
  return 1;
}

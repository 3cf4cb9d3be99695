// hpclab: SPDX-License-Identifier: Apache-2.0
//
// The tool that `hpclab exec --nvtx` has NVTX load into the user's program (by
// NVTX_INJECTION64_PATH): adds up count and time of every range by name and writes them to the file
// named in HPCLAB_NVTX_RANGES when the program ends, "count<TAB>nanoseconds<TAB>name" a line.
// Ranges of a domain are named "domain:name". Nothing else of hpclab is in it.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <nvtx3/nvToolsExt.h>

// The structures that stand for handles: a tool gives them any meaning.
struct nvtxDomainRegistration_st {
  std::string name;
};
struct nvtxStringRegistration_st {
  std::string text;
};

namespace {

using Clock = std::chrono::steady_clock;

struct Total {
  std::uint64_t count = 0;
  std::int64_t nanoseconds = 0;
};

struct Open {
  std::string name;
  Clock::time_point begin;
};

void write_totals();

// Lives until the process is gone: ranges may end in destructors.
struct State {
  std::mutex mutex;
  std::map<std::string, Total> totals;
  std::map<nvtxRangeId_t, Open> started;
  nvtxRangeId_t next_id = 1;
};
State& state() {
  static State* const the_state = [] {
    std::atexit(write_totals);
    return new State;
  }();
  return *the_state;
}

// One stack a thread and domain, as NVTX defines push and pop.
thread_local std::map<nvtxDomainHandle_t, std::vector<Open>> stacks;

void write_totals() {
  const char* path = std::getenv("HPCLAB_NVTX_RANGES");
  if (path == nullptr) return;
  const std::scoped_lock lock(state().mutex);
  if (state().totals.empty()) return;
  // Appended in one piece: processes of one program share the file.
  std::string text;
  for (const auto& [name, total] : state().totals) {
    text +=
        std::to_string(total.count) + "\t" + std::to_string(total.nanoseconds) + "\t" + name + "\n";
  }
  if (std::FILE* file = std::fopen(path, "a")) {
    std::fwrite(text.data(), 1, text.size(), file);
    std::fclose(file);
  }
}

std::string one_line(std::string name) {
  for (char& c : name) {
    if (static_cast<unsigned char>(c) < 0x20) c = ' ';
  }
  return name.substr(0, 400);
}

std::string name_in(nvtxDomainHandle_t domain, const std::string& name) {
  return one_line(domain == nullptr ? name : domain->name + ":" + name);
}

std::string message_of(const nvtxEventAttributes_t* event) {
  if (event == nullptr) return "?";
  switch (event->messageType) {
    case NVTX_MESSAGE_TYPE_ASCII:
      return event->message.ascii == nullptr ? "?" : event->message.ascii;
    case NVTX_MESSAGE_TYPE_REGISTERED:
      return event->message.registered == nullptr ? "?" : event->message.registered->text;
    default:
      return "?";
  }
}

void add(const Open& open) {
  const auto spent =
      std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - open.begin);
  const std::scoped_lock lock(state().mutex);
  Total& total = state().totals[open.name];
  ++total.count;
  total.nanoseconds += spent.count();
}

int push(nvtxDomainHandle_t domain, std::string name) {
  auto& stack = stacks[domain];
  stack.push_back({name_in(domain, name), Clock::now()});
  return static_cast<int>(stack.size()) - 1;
}

int pop(nvtxDomainHandle_t domain) {
  auto& stack = stacks[domain];
  if (stack.empty()) return -1;
  add(stack.back());
  stack.pop_back();
  return static_cast<int>(stack.size());
}

nvtxRangeId_t start(nvtxDomainHandle_t domain, const std::string& name) {
  const std::scoped_lock lock(state().mutex);
  const nvtxRangeId_t id = state().next_id++;
  state().started[id] = {name_in(domain, name), Clock::now()};
  return id;
}

void end(nvtxRangeId_t id) {
  Open open;
  {
    const std::scoped_lock lock(state().mutex);
    const auto found = state().started.find(id);
    if (found == state().started.end()) return;
    open = std::move(found->second);
    state().started.erase(found);
  }
  add(open);
}

// The calls of the default domain and of named ones.
int NVTX_API push_text(const char* text) {
  return push(nullptr, text == nullptr ? "?" : text);
}
int NVTX_API push_event(const nvtxEventAttributes_t* event) {
  return push(nullptr, message_of(event));
}
int NVTX_API pop_default() {
  return pop(nullptr);
}
nvtxRangeId_t NVTX_API start_text(const char* text) {
  return start(nullptr, text == nullptr ? "?" : text);
}
nvtxRangeId_t NVTX_API start_event(const nvtxEventAttributes_t* event) {
  return start(nullptr, message_of(event));
}
void NVTX_API end_range(nvtxRangeId_t id) {
  end(id);
}
int NVTX_API domain_push(nvtxDomainHandle_t domain, const nvtxEventAttributes_t* event) {
  return push(domain, message_of(event));
}
int NVTX_API domain_pop(nvtxDomainHandle_t domain) {
  return pop(domain);
}
nvtxRangeId_t NVTX_API domain_start(nvtxDomainHandle_t domain, const nvtxEventAttributes_t* event) {
  return start(domain, message_of(event));
}
void NVTX_API domain_end(nvtxDomainHandle_t, nvtxRangeId_t id) {
  end(id);
}
nvtxDomainHandle_t NVTX_API create_domain(const char* name) {
  return new nvtxDomainRegistration_st{name == nullptr ? "?" : name};  // kept to the end
}
nvtxStringHandle_t NVTX_API register_string(nvtxDomainHandle_t, const char* text) {
  return new nvtxStringRegistration_st{text == nullptr ? "?" : text};
}

template <class Function>
void hook(NvtxFunctionTable table, unsigned size, int slot, Function* function) {
  if (static_cast<unsigned>(slot) < size)
    *table[slot] = reinterpret_cast<NvtxFunctionPointer>(function);
}

}  // namespace

extern "C" int InitializeInjectionNvtx2(NvtxGetExportTableFunc_t get_export_table) {
  const auto* callbacks =
      static_cast<const NvtxExportTableCallbacks*>(get_export_table(NVTX_ETID_CALLBACKS));
  if (callbacks == nullptr) return 0;
  NvtxFunctionTable table = nullptr;
  unsigned size = 0;
  if (callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CORE, &table, &size) != 0) {
    hook(table, size, NVTX_CBID_CORE_RangePushA, push_text);
    hook(table, size, NVTX_CBID_CORE_RangePushEx, push_event);
    hook(table, size, NVTX_CBID_CORE_RangePop, pop_default);
    hook(table, size, NVTX_CBID_CORE_RangeStartA, start_text);
    hook(table, size, NVTX_CBID_CORE_RangeStartEx, start_event);
    hook(table, size, NVTX_CBID_CORE_RangeEnd, end_range);
  }
  if (callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CORE2, &table, &size) != 0) {
    hook(table, size, NVTX_CBID_CORE2_DomainCreateA, create_domain);
    hook(table, size, NVTX_CBID_CORE2_DomainRegisterStringA, register_string);
    hook(table, size, NVTX_CBID_CORE2_DomainRangePushEx, domain_push);
    hook(table, size, NVTX_CBID_CORE2_DomainRangePop, domain_pop);
    hook(table, size, NVTX_CBID_CORE2_DomainRangeStartEx, domain_start);
    hook(table, size, NVTX_CBID_CORE2_DomainRangeEnd, domain_end);
  }
  state();
  return 1;
}

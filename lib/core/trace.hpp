// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Annotation of what the program does when: one range feeds our own Perfetto/Chrome trace (--trace
// F) and any listener that an upper layer registers (NVTX). A range that nobody listens to costs
// one load of a flag and a branch.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <string>

namespace hpclab::trace {

enum class Category : std::uint32_t {
  setup = 1,
  warmup = 2,
  measure = 3,
  simulate = 4,
  model = 5,
  io = 6,
  communication = 7
};

const char* name_of(Category category);

/// A constant name of a range, registered once: `static const trace::Name name("roofline/chase");`.
/// Names are never formatted; what varies is the payload.
class Name {
 public:
  explicit Name(const char* text);
  const char* text() const { return text_; }
  std::uint32_t index() const { return index_; }  ///< 0, 1, 2, ... in order of registration

 private:
  const char* text_;
  std::uint32_t index_;
};

/// Hears the begin and end of every range, on the thread that runs it.
class Listener {
 public:
  virtual ~Listener() = default;
  virtual void begin(const Name& name, Category category, std::uint64_t payload) = 0;
  virtual void end() = 0;
};

/// Registers a listener for the rest of the program. Call before threads use ranges.
void add_listener(Listener& listener);

/// Starts our own trace; `finish` writes it as Chrome trace events (open in ui.perfetto.dev). A
/// file that cannot be written is a UsageError from `start`, before anything is measured. `finish`
/// without `start` does nothing.
void start(const std::filesystem::path& file);
void finish();

/// The case that this thread works on: the payload of its ranges. 0 means none.
void set_case(const std::string& case_id);
std::uint64_t current_case();

namespace detail {
extern std::atomic<bool> listening;
void begin(const Name& name, Category category);
void end();
}  // namespace detail

/// From construction to destruction, nested within the ranges around it.
class Range {
 public:
  Range(const Name& name, Category category)
      : open_(detail::listening.load(std::memory_order_relaxed)) {
    if (open_) detail::begin(name, category);
  }
  ~Range() {
    if (open_) detail::end();
  }
  Range(const Range&) = delete;
  Range& operator=(const Range&) = delete;

 private:
  bool open_;
};

}  // namespace hpclab::trace

// hpclab: SPDX-License-Identifier: Apache-2.0
//
// The studies of this program, and which backends work here.
#pragma once

#include "core/error.hpp"
#include "core/study.hpp"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace hpclab {

/// Names that no parameter may have, because they are options of every study.
const std::vector<std::string>& reserved_option_names();

class Registry {
 public:
  /// Adds a study after checking its declaration: names unique and not reserved, defaults valid,
  /// value names with a known meaning, conditions that name a choice. Throws std::logic_error.
  void add(Study study);

  const std::vector<Study>& studies() const { return studies_; }
  std::vector<std::string> labs() const;
  std::vector<const Study*> studies_of(std::string_view lab) const;
  /// Study by lab and name; UsageError with the nearest name. `where` says which input named it.
  const Study& find(std::string_view lab, std::string_view name, const std::string& where) const;

  /// An upper layer says how to find out whether a backend works; nullopt means that it does.
  /// A backend without a check works everywhere.
  using BackendCheck = std::function<std::optional<NotAvailable>()>;
  void set_backend_check(Backend backend, BackendCheck check);
  std::optional<NotAvailable> why_not(Backend backend) const;

 private:
  std::vector<Study> studies_;
  std::map<Backend, BackendCheck> checks_;
};

/// Defined in the file that CMake generates from the hpclab_study() lines.
void register_studies(Registry& registry);

}  // namespace hpclab

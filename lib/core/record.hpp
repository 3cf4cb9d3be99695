// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Records, schema 1.0: one JSON object a line. A file holds run records, case records and end
// records; results/README.md describes every field.
#pragma once

#include "core/case.hpp"
#include "core/result.hpp"

#include <set>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace hpclab {

inline constexpr int schema_major = 1;
inline constexpr int schema_minor = 0;
inline constexpr std::size_t max_record_bytes = std::size_t{64} * 1024;

std::string schema_version();

enum class CaseStatus { ok, skipped, failed };
std::string name_of(CaseStatus status);

/// The case record of a result. `reason` is required for skipped and failed cases;
/// more than 4096 bytes of it are cut.
Json case_record(const Case& c, const std::string& run, CaseStatus status, const Result& result,
                 const std::string& reason = "");

/// The declarations of a study that a reader of the file needs: question, values, default plot.
Json study_declaration(const Study& study);

/// A fresh run id: 16 hexadecimal digits from host, process and time.
std::string new_run_id();

/// Time of day as "2026-01-31T12:00:00Z".
std::string utc_now();

/// Checks one parsed record of schema 1.x: required fields, types, status and reason, intervals and
/// tables, and that a case's id is the hash of its content. Returns what is wrong, or an empty
/// text. The record must not be nested deeper than max_json_nesting. Newer schema majors are
/// reported by the reader of the file, not here.
std::string fault_of_record(const Json& record);

}  // namespace hpclab
